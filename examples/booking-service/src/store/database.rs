//! The database that a URL names, opened.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use sqlx::migrate::Migrate;
use sqlx::pool::PoolOptions;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode};
use sqlx::{ConnectOptions, Connection, Database, MySql, Pool, Postgres, Sqlite};

use super::Store;
use super::sql::{Driver, SqlStore};

/// How long a request waits for a connection. Without a limit, requests would pile up while the
/// database is unavailable.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(5);

/// How long a transaction waits for SQLite's write lock, in each of the attempts of rowkey-stores.
const BUSY_TIMEOUT: Duration = Duration::from_millis(500);

/// Connects to the database that a URL names, and makes the missing tables.
///
/// The URL is one of sqlx's: `sqlite:path?mode=rwc`, `postgres://…`, `mysql://…` or `mariadb://…`;
/// the latter two work for both servers.
///
/// # Errors
///
/// If there is no such database, or if it has other tables. No message shows the URL, which may
/// contain a password.
pub async fn connect(url: &str) -> Result<Arc<dyn Store>> {
    let scheme = url.split_once(':').map_or("", |(scheme, _)| scheme);
    if Postgres::URL_SCHEMES.contains(&scheme) {
        open::<Postgres>(parse(url)?, PoolOptions::new()).await
    } else if MySql::URL_SCHEMES.contains(&scheme) {
        open::<MySql>(parse(url)?, PoolOptions::new()).await
    } else if Sqlite::URL_SCHEMES.contains(&scheme) {
        let options = parse::<SqliteConnectOptions>(url)?
            // Readers do not wait for writers.
            .journal_mode(SqliteJournalMode::Wal)
            .busy_timeout(BUSY_TIMEOUT);
        // Connections are never closed: a database in memory disappears with its last one.
        let pool = PoolOptions::new().idle_timeout(None).max_lifetime(None);
        open::<Sqlite>(options, pool).await
    } else {
        bail!("a database URL begins with sqlite:, postgres:, mysql: or mariadb:");
    }
}

fn parse<O: ConnectOptions>(url: &str) -> Result<O> {
    url.parse().context("the database URL is wrong")
}

/// Opens a pool, and migrates the database.
async fn open<DB>(
    options: <DB::Connection as Connection>::Options,
    pool: PoolOptions<DB>,
) -> Result<Arc<dyn Store>>
where
    DB: Driver<Connection: Migrate>,
    SqlStore<DB>: Store + 'static,
    Pool<DB>: rowkey_stores::Store,
{
    let pool = pool.acquire_timeout(ACQUIRE_TIMEOUT);
    let pool = pool.connect_with(options).await;
    let pool = pool.context("there is no connection to the database")?;
    let migrated = DB::MIGRATIONS.run(&pool).await;
    migrated.context("the tables could not be made")?;
    Ok(Arc::new(SqlStore::new(pool)))
}
