//! The database that a URL names, opened.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use sqlx::mysql::MySqlConnectOptions;
use sqlx::pool::PoolOptions;
use sqlx::postgres::PgConnectOptions;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode};
use sqlx::{ConnectOptions, Connection, Database, MySql, Pool, Postgres, Sqlite};
use tokio::time::{sleep, timeout};

use super::Store;
use super::migrations::Migrated;
use super::sql::SqlStore;

/// How long a request waits for a connection. Without a limit the service would collect requests
/// while the database is away.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(5);

/// How long a writer of SQLite waits for the others. A command is tried ten times before its client
/// is told that the database cannot be reached.
const BUSY_TIMEOUT: Duration = Duration::from_secs(1);

/// How long to wait before a file of SQLite that is locked is opened again.
const BUSY_PAUSE: Duration = Duration::from_millis(20);

const NO_DATABASE: &str = "the database URL names no database";

/// Connects to the database that a URL names, and makes the tables that it lacks.
///
/// The URL is one of sqlx's: `sqlite:path?mode=rwc`, `postgres://…`, `mysql://…` or `mariadb://…`;
/// the latter two do for both servers.
///
/// # Errors
///
/// If there is no such database, or if its tables are others. No message shows the URL, in which
/// there may be a password.
pub async fn connect(url: &str) -> Result<Arc<dyn Store>> {
    let scheme = url.split_once(':').map_or("", |(scheme, _)| scheme);
    // A pool with the usual settings, but for its patience.
    if Postgres::URL_SCHEMES.contains(&scheme) {
        let options: PgConnectOptions = parse(url)?;
        ensure!(options.get_database().is_some(), NO_DATABASE);
        Ok(Arc::new(SqlStore::new(
            open(options, pool::<Postgres>()).await?,
        )))
    } else if MySql::URL_SCHEMES.contains(&scheme) {
        let options: MySqlConnectOptions = parse(url)?;
        ensure!(options.get_database().is_some(), NO_DATABASE);
        Ok(Arc::new(SqlStore::new(
            open(options, pool::<MySql>()).await?,
        )))
    } else if Sqlite::URL_SCHEMES.contains(&scheme) {
        let options = parse::<SqliteConnectOptions>(url)?
            // Readers do not wait for writers.
            .journal_mode(SqliteJournalMode::Wal)
            .busy_timeout(BUSY_TIMEOUT)
            .foreign_keys(true);
        // Connections for good: a database in memory goes with its last one.
        let pool = pool::<Sqlite>().idle_timeout(None).max_lifetime(None);
        Ok(Arc::new(SqlStore::new(open(options, pool).await?)))
    } else {
        bail!("a database URL begins with sqlite:, postgres:, mysql: or mariadb:");
    }
}

fn parse<O: ConnectOptions>(url: &str) -> Result<O> {
    url.parse().context("the database URL is wrong")
}

fn pool<DB: Database>() -> PoolOptions<DB> {
    PoolOptions::new().acquire_timeout(ACQUIRE_TIMEOUT)
}

/// A connection before there is a pool.
///
/// SQLite does not wait for a process that makes the journal of the same file, or removes it: two
/// services that start at the same time meet there.
async fn first_connection<DB: Database>(
    options: &<DB::Connection as Connection>::Options,
) -> sqlx::Result<DB::Connection> {
    loop {
        match options.connect().await {
            Err(error) if is_busy(&error) => sleep(BUSY_PAUSE).await,
            outcome => return outcome,
        }
    }
}

/// Whether a file of SQLite is locked: SQLITE_BUSY and SQLITE_BUSY_RECOVERY. Other databases have
/// longer codes.
pub(crate) fn is_busy(error: &sqlx::Error) -> bool {
    let code = error.as_database_error().and_then(|error| error.code());
    code.is_some_and(|code| ["5", "261"].contains(&&*code))
}

async fn open<DB: Migrated>(
    options: <DB::Connection as Connection>::Options,
    pool: PoolOptions<DB>,
) -> Result<Pool<DB>> {
    // A pool would try again and again, and then only say that it has taken too long.
    let first = timeout(ACQUIRE_TIMEOUT, first_connection::<DB>(&options)).await;
    let first = first
        .context("the database does not answer")?
        .context("there is no connection to the database")?;
    let pool = pool.connect_with(options).await?;
    // Not before: a database in memory would go with it.
    first.close().await?;
    let migrated = DB::migrate(&pool).await;
    migrated.context("the tables could not be made")?;
    Ok(pool)
}
