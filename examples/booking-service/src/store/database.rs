//! The database that a URL names, opened.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use sqlx::mysql::{MySqlConnectOptions, MySqlDatabaseError};
use sqlx::pool::PoolOptions;
use sqlx::postgres::PgConnectOptions;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode};
use sqlx::{
    AssertSqlSafe, ConnectOptions, Connection, Database, Executor, MySql, Pool, Postgres, Sqlite,
};
use tokio::time::{sleep, timeout};

use super::Store;
use super::migrations::Migrated;
use super::sql::SqlStore;

/// How long a request waits for a connection. Without a limit, requests would pile up while the
/// database is unavailable.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(5);

/// 24 days.
const MAX_MILLISECONDS: u32 = i32::MAX.cast_unsigned();

/// How many attempts rowkey-stores makes.
const ATTEMPTS: u32 = 10;

/// How long to wait before a locked file of SQLite is opened again.
const BUSY_PAUSE: Duration = Duration::from_millis(20);

const NO_DATABASE: &str = "the database URL names no database";

/// Connects to the database that a URL names, and makes the missing tables. A statement waits for a
/// lock for `lock_timeout` at most.
///
/// The URL is one of sqlx's: `sqlite:path?mode=rwc`, `postgres://…`, `mysql://…` or `mariadb://…`;
/// the latter two work for both servers.
///
/// # Errors
///
/// If there is no such database, or if it has other tables. No message shows the URL, which may contain
/// a password.
pub async fn connect(url: &str, lock_timeout: Duration) -> Result<Arc<dyn Store>> {
    let scheme = url.split_once(':').map_or("", |(scheme, _)| scheme);
    if Postgres::URL_SCHEMES.contains(&scheme) {
        let options: PgConnectOptions = parse(url)?;
        ensure!(options.get_database().is_some(), NO_DATABASE);
        open(options, pool::<Postgres>(), lock_timeout).await
    } else if MySql::URL_SCHEMES.contains(&scheme) {
        let options: MySqlConnectOptions = parse(url)?;
        ensure!(options.get_database().is_some(), NO_DATABASE);
        open(options, pool::<MySql>(), lock_timeout).await
    } else if Sqlite::URL_SCHEMES.contains(&scheme) {
        let options = parse::<SqliteConnectOptions>(url)?
            // Readers do not wait for writers.
            .journal_mode(SqliteJournalMode::Wal)
            .foreign_keys(true);
        // Connections are never closed: a database in memory disappears with its last one.
        let pool = pool::<Sqlite>().idle_timeout(None).max_lifetime(None);
        open(options, pool, lock_timeout).await
    } else {
        bail!("a database URL begins with sqlite:, postgres:, mysql: or mariadb:");
    }
}

/// A database with a setting for how long to wait.
trait Server: Migrated {
    /// The statement that sets how long other statements wait for locks.
    fn wait_for_locks(milliseconds: u32) -> String;
}

impl Server for Postgres {
    fn wait_for_locks(milliseconds: u32) -> String {
        format!("SET lock_timeout = '{milliseconds}ms'")
    }
}

impl Server for MySql {
    fn wait_for_locks(milliseconds: u32) -> String {
        let seconds = milliseconds.div_ceil(1_000);
        // Row locks, and table locks.
        format!("SET innodb_lock_wait_timeout = {seconds}, lock_wait_timeout = {seconds}")
    }
}

impl Server for Sqlite {
    /// Only the beginning of a transaction waits for the write lock, and it is tried again.
    fn wait_for_locks(milliseconds: u32) -> String {
        format!("PRAGMA busy_timeout = {}", milliseconds / ATTEMPTS)
    }
}

fn parse<O: ConnectOptions>(url: &str) -> Result<O> {
    url.parse().context("the database URL is wrong")
}

/// A pool with the usual settings, except for its timeout.
fn pool<DB: Database>() -> PoolOptions<DB> {
    PoolOptions::new().acquire_timeout(ACQUIRE_TIMEOUT)
}

/// A time that databases accept. For PostgreSQL, 0 ms is no limit, and more than 2^31-1 is an error;
/// SQLite treats that as 0.
fn milliseconds(timeout: Duration) -> u32 {
    let rounded_up = timeout.as_nanos().div_ceil(1_000_000);
    u32::try_from(rounded_up).map_or(MAX_MILLISECONDS, |ms| ms.clamp(1, MAX_MILLISECONDS))
}

/// A pool whose statements wait no longer than this for locks.
fn limited<DB>(pool: PoolOptions<DB>, lock_timeout: Duration) -> PoolOptions<DB>
where
    DB: Server,
    for<'c> &'c mut DB::Connection: Executor<'c, Database = DB>,
{
    pool.after_connect(move |connection, _| {
        let set = AssertSqlSafe(DB::wait_for_locks(milliseconds(lock_timeout)));
        Box::pin(async move { connection.execute(set).await.map(drop) })
    })
}

/// A connection before there is a pool.
///
/// SQLite does not wait for a process that creates or removes the journal of the same file, as two
/// services do that start at the same time.
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

/// Whether a statement's wait for a lock has timed out.
pub(super) fn is_locked(error: &sqlx::Error) -> bool {
    let Some(error) = error.as_database_error() else {
        return false;
    };
    if let Some(error) = error.try_downcast_ref::<MySqlDatabaseError>() {
        // ER_LOCK_WAIT_TIMEOUT
        return error.number() == 1205;
    }
    // lock_not_available, SQLITE_BUSY
    error
        .code()
        .is_some_and(|code| ["55P03", "5"].contains(&&*code))
}

/// Whether a file of SQLite is locked: SQLITE_BUSY and SQLITE_BUSY_RECOVERY. Other databases have
/// longer codes.
fn is_busy(error: &sqlx::Error) -> bool {
    let code = error.as_database_error().and_then(|error| error.code());
    code.is_some_and(|code| ["5", "261"].contains(&&*code))
}

/// Migrates the database and opens its pools.
async fn open<DB>(
    options: <DB::Connection as Connection>::Options,
    pool: PoolOptions<DB>,
    lock_timeout: Duration,
) -> Result<Arc<dyn Store>>
where
    DB: Server,
    SqlStore<DB>: Store + 'static,
    Pool<DB>: rowkey_stores::Store,
    for<'c> &'c mut DB::Connection: Executor<'c, Database = DB>,
{
    // A pool would try again and again, and then only report that it has taken too long.
    let first = timeout(ACQUIRE_TIMEOUT, first_connection::<DB>(&options)).await;
    let first = first
        .context("the database does not answer")?
        .context("there is no connection to the database")?;
    // Services that start at the same time wait for each other's migrations without a limit.
    let migrations = pool.clone().connect_with(options.clone()).await?;
    let migrated = DB::migrate(&migrations).await;
    migrated.context("the tables could not be made")?;

    let pool = limited(pool, lock_timeout);
    // A connection that requests for data cannot take.
    let health = pool.clone().max_connections(1);
    let health = health.connect_with(options.clone()).await?;
    let store = SqlStore::new(pool.connect_with(options).await?, health);
    // Not earlier: a database in memory would disappear with them.
    migrations.close().await;
    first.close().await?;
    Ok(Arc::new(store))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_timeout_is_never_infinite_and_never_too_long() {
        for (timeout, expected) in [
            (Duration::from_nanos(1), 1),
            (Duration::from_millis(1), 1),
            (Duration::from_micros(1_001), 2),
            (Duration::from_secs(2), 2_000),
            (Duration::from_hours(600), 2_147_483_647),
            (Duration::MAX, 2_147_483_647),
        ] {
            assert_eq!(milliseconds(timeout), expected, "{timeout:?}");
        }
    }
}
