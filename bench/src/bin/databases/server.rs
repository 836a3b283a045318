//! The databases: where each is, how small its caches are made, and what is measured there.

use std::future::Future;
use std::path::{Path, PathBuf};
use std::{env, fs, io, process};

use anyhow::{Context, Result, bail};
use rowkey::Backend;
use rowkey_bench::drivers::{MARIADB_VARIABLE, POSTGRES_VARIABLE};
use sqlx::mysql::MySqlConnectOptions;
use sqlx::postgres::PgConnectOptions;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{
    ConnectOptions, MySql, MySqlConnection, PgConnection, Postgres, Sqlite, SqliteConnection,
};

use crate::driver::Driver;
use crate::fill::{self, Fill};
use crate::pair::{self, Pair};

/// The buffer pool of MariaDB while it is measured.
const MARIADB_POOL_BYTES: i64 = 32 << 20;

/// The page cache of SQLite.
const SQLITE_CACHE_KIB: i64 = 4 << 10;

/// Said of a cache that stays as large as it is.
const AS_FOUND: &str = " (as found)";

/// Said of a cache that is made small.
const FOR_THE_RUN: &str = " (set for the run)";

/// What was found about one database.
#[derive(Debug)]
pub(crate) struct Section {
    pub(crate) name: &'static str,
    pub(crate) outcome: Outcome,
}

/// Figures, or the reason why there are none.
#[derive(Debug)]
pub(crate) enum Outcome {
    Measured(Box<Measured>),
    Skipped(String),
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

/// A database of this run's own.
pub(crate) struct Database<D: Driver> {
    pub(crate) backend: Backend,
    pub(crate) connection: D::Connection,
}

impl<D: Driver> Database<D> {
    /// An empty table `measured` whose primary key is this column.
    pub(crate) async fn create_table(&mut self, column: &str) -> Result<()> {
        let (amount, options) = match self.backend {
            Backend::Sqlite => ("INTEGER", " STRICT, WITHOUT ROWID"),
            Backend::MariaDb => ("BIGINT", " ENGINE = InnoDB"),
            _ => ("BIGINT", ""),
        };
        let table = format!(
            "CREATE TABLE measured ({column}, amount {amount} NOT NULL, PRIMARY KEY (id)){options}"
        );
        D::execute(&mut self.connection, &table).await
    }

    /// Drops the table, so that nothing of it is in the way of the next.
    pub(crate) async fn drop_table(&mut self) -> Result<()> {
        let db = &mut self.connection;
        D::forget_statements(db).await?;
        D::execute(db, "DROP TABLE measured").await?;
        match self.backend {
            Backend::Sqlite => D::execute(db, "VACUUM").await,
            Backend::Postgres => D::execute(db, "CHECKPOINT").await,
            _ => Ok(()),
        }
    }

    /// The size of the primary key. In MariaDB and SQLite, the rows are in it.
    pub(crate) async fn index_bytes(&mut self) -> Result<i64> {
        let db = &mut self.connection;
        let query = match self.backend {
            Backend::Postgres => "SELECT pg_relation_size('measured_pkey')",
            Backend::Sqlite => {
                "SELECT (page_count - freelist_count) * page_size \
                 FROM pragma_page_count, pragma_freelist_count, pragma_page_size"
            }
            _ => {
                D::execute(db, "ANALYZE TABLE measured").await?;
                "SELECT cast(stat_value * @@innodb_page_size AS SIGNED) \
                 FROM mysql.innodb_index_stats WHERE database_name = database() \
                 AND table_name = 'measured' AND index_name = 'PRIMARY' AND stat_name = 'size'"
            }
        };
        D::number(db, query).await
    }
}

/// Measures every database that is there.
pub(crate) async fn measure_all(rows: u64) -> Result<Vec<Section>> {
    let mut sections = Vec::new();
    for (name, variable) in [
        ("PostgreSQL", Some(POSTGRES_VARIABLE)),
        ("MariaDB", Some(MARIADB_VARIABLE)),
        ("SQLite", None),
    ] {
        let address = variable.map(|variable| env::var(variable).unwrap_or_default());
        let outcome = match (address.as_deref(), variable) {
            (Some(""), Some(variable)) => Outcome::Skipped(format!("{variable} is not set")),
            (address, _) => {
                let address = address.unwrap_or_default();
                let measured = match name {
                    "PostgreSQL" => postgres(address, rows).await,
                    "MariaDB" => mariadb(address, rows).await,
                    _ => sqlite(rows).await,
                };
                Outcome::Measured(Box::new(measured.context(name)?))
            }
        };
        sections.push(Section { name, outcome });
    }
    Ok(sections)
}

/// Does the work, unless a signal asks to end early: then the caller still cleans up.
async fn interruptible<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    tokio::select! {
        done = work => done,
        signal = interrupt_signal() => {
            signal?;
            bail!("interrupted")
        }
        signal = terminate_signal() => {
            signal?;
            bail!("terminated")
        }
    }
}

/// Waits for what Ctrl-C sends.
async fn interrupt_signal() -> io::Result<()> {
    tokio::signal::ctrl_c().await
}

/// Waits for what `kill` sends.
#[cfg(unix)]
async fn terminate_signal() -> io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    signal(SignalKind::terminate())?.recv().await;
    Ok(())
}

/// Other systems have no such signal.
#[cfg(not(unix))]
async fn terminate_signal() -> io::Result<()> {
    std::future::pending().await
}

/// A name that no other run uses.
fn scratch() -> String {
    format!("rowkey_bench_{}", process::id())
}

/// A connection to one of the databases of the server.
pub(crate) async fn connect_postgres(name: &str) -> Result<PgConnection> {
    let options: PgConnectOptions = env::var(POSTGRES_VARIABLE)?.parse()?;
    Ok(options.database(name).connect().await?)
}

/// A connection to one of the databases of the server.
pub(crate) async fn connect_mariadb(name: &str) -> Result<MySqlConnection> {
    let options: MySqlConnectOptions = env::var(MARIADB_VARIABLE)?.parse()?;
    Ok(options.database(name).connect().await?)
}

/// A connection to the database in a file, with the settings that it is measured with.
pub(crate) async fn connect_sqlite(file: &Path) -> Result<SqliteConnection> {
    let options = SqliteConnectOptions::new().filename(file);
    let mut db = options.create_if_missing(true).connect().await?;
    let settings = format!(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; \
         PRAGMA cache_size = -{SQLITE_CACHE_KIB}"
    );
    Sqlite::execute(&mut db, &settings).await?;
    Ok(db)
}

async fn postgres(address: &str, rows: u64) -> Result<Measured> {
    let options: PgConnectOptions = address.parse()?;
    let mut server = options.connect().await?;
    let name = scratch();
    Postgres::execute(&mut server, &format!("CREATE DATABASE {name}")).await?;
    let measured = interruptible(async {
        let mut database = Database::<Postgres> {
            backend: Backend::Postgres,
            connection: connect_postgres(&name).await?,
        };
        let db = &mut database.connection;
        let version = Postgres::text(db, "SELECT current_setting('server_version')").await?;
        let mut settings = Vec::new();
        for setting in [
            "shared_buffers",
            "max_wal_size",
            "synchronous_commit",
            "fsync",
        ] {
            let query = format!("SELECT current_setting('{setting}')");
            settings.push(format!("{setting} = {}", Postgres::text(db, &query).await?));
        }
        settings[0] += AS_FOUND;
        let cache = "SELECT pg_size_bytes(current_setting('shared_buffers'))";
        let cache_bytes = Postgres::number(db, cache).await?;
        let uuid = pair::uuid(&mut database, &name, rows).await?;
        let decimal = pair::decimal(&mut database, &name, rows).await?;
        Ok(Measured {
            version,
            settings,
            cache_bytes,
            pairs: vec![uuid, decimal],
            fills: fill::all(&mut database, rows).await?,
        })
    })
    .await;
    // Also if a connection of an interrupted query is still there.
    let drop = format!("DROP DATABASE {name} WITH (FORCE)");
    let dropped = Postgres::execute(&mut server, &drop).await;
    let measured = measured?;
    dropped.map(|()| measured)
}

async fn mariadb(address: &str, rows: u64) -> Result<Measured> {
    const POOL: &str = "SELECT cast(@@GLOBAL.innodb_buffer_pool_size AS SIGNED)";
    let options: MySqlConnectOptions = address.parse()?;
    let mut server = options.connect().await?;
    let name = scratch();
    let pool_before = MySql::number(&mut server, POOL).await?;
    MySql::execute(&mut server, &format!("CREATE DATABASE {name}")).await?;
    let measured = interruptible(async {
        let mut database = Database::<MySql> {
            backend: Backend::MariaDb,
            connection: connect_mariadb(&name).await?,
        };
        let db = &mut database.connection;
        let pool = format!("SET GLOBAL innodb_buffer_pool_size = {MARIADB_POOL_BYTES}");
        if let Err(error) = MySql::execute(db, &pool).await {
            eprintln!("the buffer pool stays as large as it is: {error}");
        }
        let version = MySql::text(db, "SELECT version()").await?;
        let uuid = pair::uuid(&mut database, &name, rows).await?;
        let decimal = pair::decimal(&mut database, &name, rows).await?;
        let fills = fill::all(&mut database, rows).await?;
        // At the end, because the server makes its pool smaller while it goes on.
        let db = &mut database.connection;
        let pool = MySql::number(db, POOL).await?;
        let whose = match pool == pool_before {
            true => AS_FOUND,
            false => FOR_THE_RUN,
        };
        let mut settings = vec![format!(
            "innodb_buffer_pool_size = {}{whose}",
            mebibytes(pool)
        )];
        for setting in ["innodb_log_file_size", "innodb_flush_log_at_trx_commit"] {
            let query = format!("SELECT cast(@@GLOBAL.{setting} AS SIGNED)");
            let value = MySql::number(db, &query).await?;
            settings.push(format!("{setting} = {}", mebibytes(value)));
        }
        Ok(Measured {
            version,
            settings,
            cache_bytes: pool,
            pairs: vec![uuid, decimal],
            fills,
        })
    })
    .await;
    let dropped = MySql::execute(&mut server, &format!("DROP DATABASE {name}")).await;
    let pool = format!("SET GLOBAL innodb_buffer_pool_size = {pool_before}");
    let restored = MySql::execute(&mut server, &pool).await;
    let measured = measured?;
    dropped.and(restored).map(|()| measured)
}

async fn sqlite(rows: u64) -> Result<Measured> {
    let directory = ScratchDirectory::create()?;
    let file = directory.0.join("measured.sqlite");
    let name = file.to_str().context("the path is no text")?;
    interruptible(async {
        let mut database = Database::<Sqlite> {
            backend: Backend::Sqlite,
            connection: connect_sqlite(&file).await?,
        };
        let db = &mut database.connection;
        let version = Sqlite::text(db, "SELECT sqlite_version()").await?;
        let journal = Sqlite::text(db, "PRAGMA journal_mode").await?;
        let synchronous = Sqlite::number(db, "PRAGMA synchronous").await?;
        // Negative, because it is a size and no number of pages.
        let cache_bytes = Sqlite::number(db, "PRAGMA cache_size").await? * -1024;
        let settings = vec![
            format!("cache_size = {}{FOR_THE_RUN}", mebibytes(cache_bytes)),
            format!("journal_mode = {journal}"),
            format!("synchronous = {synchronous}"),
        ];
        Ok(Measured {
            version,
            settings,
            cache_bytes,
            pairs: vec![pair::uuid(&mut database, name, rows).await?],
            fills: fill::all(&mut database, rows).await?,
        })
    })
    .await
}

/// A size if it is one.
fn mebibytes(value: i64) -> String {
    match value {
        1_048_576.. => format!("{} MiB", value >> 20),
        _ => value.to_string(),
    }
}

/// A directory that goes with this.
struct ScratchDirectory(PathBuf);

impl ScratchDirectory {
    fn create() -> Result<Self> {
        let path = env::temp_dir().join(scratch());
        fs::create_dir(&path)?;
        Ok(Self(path))
    }
}

impl Drop for ScratchDirectory {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.0) {
            eprintln!("{} is still there: {error}", self.0.display());
        }
    }
}
