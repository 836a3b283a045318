//! The databases: how small their caches are made, and what is measured there.

use std::io;

use anyhow::{Context, Result, bail};
use rowkey::Backend;
use rowkey_testkit::{Search, Server};
use sqlx::{MySql, Postgres, Sqlite};
use tokio::signal;

use crate::driver::Driver;
use crate::fill::{self, CombKey, Fill, NumberKey};
use crate::pair::{self, Pair};

/// The buffer pool of MariaDB while it is measured.
const MARIADB_POOL_BYTES: i64 = 32 << 20;

/// Said of a cache that stays as large as it is.
const AS_FOUND: &str = " (as found)";

/// Said of a cache that is made small.
const FOR_THE_RUN: &str = " (set for the run)";

/// What was found about one database.
#[derive(Debug)]
pub(crate) struct Section {
    pub(crate) name: &'static str,
    /// The figures, or the reason why there are none.
    pub(crate) measured: Result<Measured, String>,
}

/// The figures of one database.
#[derive(Debug)]
pub(crate) struct Measured {
    /// As the server says.
    pub(crate) version: String,
    /// As the server says.
    pub(crate) settings: Vec<String>,
    /// The part of the memory in which it keeps pages of tables and indexes.
    pub(crate) cache_bytes: i64,
    pub(crate) pairs: Vec<Pair>,
    pub(crate) fills: Vec<Fill>,
}

/// Measures every database that is there.
pub(crate) async fn measure_all(rows: u64) -> Result<Vec<Section>> {
    let mut sections = Vec::new();
    for (name, backend) in [
        ("PostgreSQL", Backend::Postgres),
        ("MariaDB", Backend::MariaDb),
        ("SQLite", Backend::Sqlite),
    ] {
        let measured = match Server::find(backend)? {
            Search::Found(server) => {
                // It goes when this is dropped, also after a signal.
                let database = server.create_database()?;
                let url = database.url();
                let measured = match backend {
                    Backend::Postgres => interruptible(postgres(url, rows)).await,
                    Backend::MariaDb => mariadb(url, rows).await,
                    _ => interruptible(sqlite(url, rows)).await,
                };
                Ok(measured.context(name)?)
            }
            Search::Missing(reason) | Search::Required(reason) => Err(reason),
        };
        sections.push(Section { name, measured });
    }
    Ok(sections)
}

/// Does the work, unless a signal asks to end early: then the caller still cleans up.
async fn interruptible<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    tokio::select! {
        done = work => done,
        signal = end_signal() => {
            signal?;
            bail!("interrupted")
        }
    }
}

/// Waits for what Ctrl-C or, on Unix, `kill` sends.
async fn end_signal() -> io::Result<()> {
    #[cfg(unix)]
    {
        let mut terminate = signal::unix::signal(signal::unix::SignalKind::terminate())?;
        tokio::select! {
            interrupted = signal::ctrl_c() => interrupted,
            _ = terminate.recv() => Ok(()),
        }
    }
    #[cfg(not(unix))]
    signal::ctrl_c().await
}

async fn postgres(url: &str, rows: u64) -> Result<Measured> {
    let db = &mut Postgres::connect(url).await?;
    let mut settings = Vec::new();
    for setting in [
        "shared_buffers",
        "max_wal_size",
        "synchronous_commit",
        "fsync",
    ] {
        let query = format!("SELECT current_setting('{setting}')");
        let value: String = Postgres::value(db, &query).await?;
        settings.push(format!("{setting} = {value}"));
    }
    settings[0] += AS_FOUND;
    let cache = "SELECT pg_size_bytes(current_setting('shared_buffers'))";
    Ok(Measured {
        version: Postgres::value(db, "SELECT current_setting('server_version')").await?,
        settings,
        cache_bytes: Postgres::value(db, cache).await?,
        pairs: vec![
            pair::measure::<Postgres, CombKey>(db, url, rows).await?,
            pair::measure::<Postgres, NumberKey>(db, url, rows).await?,
        ],
        fills: fill::all::<Postgres>(db, rows).await?,
    })
}

const POOL: &str = "SELECT cast(@@GLOBAL.innodb_buffer_pool_size AS SIGNED)";

/// Measures with a small buffer pool, and makes it as large as before.
async fn mariadb(url: &str, rows: u64) -> Result<Measured> {
    let mut server = MySql::connect(url).await?;
    let before: i64 = MySql::value(&mut server, POOL).await?;
    let set = |bytes| format!("SET GLOBAL innodb_buffer_pool_size = {bytes}");
    if let Err(error) = MySql::execute(&mut server, &set(MARIADB_POOL_BYTES)).await {
        eprintln!("the buffer pool stays as large as it is: {error}");
    }
    let measured = interruptible(mariadb_with_pool(url, rows, before)).await;
    let restored = MySql::execute(&mut server, &set(before)).await;
    let measured = measured?;
    restored.map(|()| measured)
}

async fn mariadb_with_pool(url: &str, rows: u64, pool_before: i64) -> Result<Measured> {
    let db = &mut MySql::connect(url).await?;
    let version = MySql::value(db, "SELECT version()").await?;
    let pairs = vec![
        pair::measure::<MySql, CombKey>(db, url, rows).await?,
        pair::measure::<MySql, NumberKey>(db, url, rows).await?,
    ];
    let fills = fill::all::<MySql>(db, rows).await?;
    // At the end, because the server makes its pool smaller while it goes on.
    let cache_bytes: i64 = MySql::value(db, POOL).await?;
    let whose = match cache_bytes == pool_before {
        true => AS_FOUND,
        false => FOR_THE_RUN,
    };
    let pool = mebibytes(cache_bytes);
    let mut settings = vec![format!("innodb_buffer_pool_size = {pool}{whose}")];
    for setting in ["innodb_log_file_size", "innodb_flush_log_at_trx_commit"] {
        let query = format!("SELECT cast(@@GLOBAL.{setting} AS SIGNED)");
        let value = mebibytes(MySql::value(db, &query).await?);
        settings.push(format!("{setting} = {value}"));
    }
    Ok(Measured {
        version,
        settings,
        cache_bytes,
        pairs,
        fills,
    })
}

async fn sqlite(url: &str, rows: u64) -> Result<Measured> {
    let db = &mut Sqlite::connect(url).await?;
    let journal: String = Sqlite::value(db, "PRAGMA journal_mode").await?;
    let synchronous: i64 = Sqlite::value(db, "PRAGMA synchronous").await?;
    // Negative, because it is a size and no number of pages.
    let kibibytes: i64 = Sqlite::value(db, "PRAGMA cache_size").await?;
    let cache_bytes = kibibytes * -1024;
    Ok(Measured {
        version: Sqlite::value(db, "SELECT sqlite_version()").await?,
        settings: vec![
            format!("cache_size = {}{FOR_THE_RUN}", mebibytes(cache_bytes)),
            format!("journal_mode = {journal}"),
            format!("synchronous = {synchronous}"),
        ],
        cache_bytes,
        pairs: vec![pair::measure::<Sqlite, CombKey>(db, url, rows).await?],
        fills: fill::all::<Sqlite>(db, rows).await?,
    })
}

/// A size if it is one.
fn mebibytes(value: i64) -> String {
    match value {
        1_048_576.. => format!("{} MiB", value >> 20),
        _ => value.to_string(),
    }
}
