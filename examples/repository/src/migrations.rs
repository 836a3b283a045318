//! The folder `migrations` of the workspace, compiled in.
//!
//! The files are sqlx migrations: `sqlx migrate run --source migrations/postgres` does the same,
//! and either continues where the other stopped. MySQL and MariaDB have a folder each, which are
//! equal unless a key is stored in the `UUID` type that only MariaDB has.
//!
//! Several processes may start at once, so each waits here until the others are done. sqlx's own
//! lock does that in PostgreSQL and in newer MySQL. For SQLite it has no lock, and MariaDB refuses
//! to wait without a limit, which sqlx does not notice. So `sqlx migrate run` itself must not run
//! at the same time.

use std::error::Error as StdError;

use async_trait::async_trait;
use sqlx::migrate::Migrator;
use sqlx::{Connection, Database, MySql, MySqlPool, PgPool, Pool, Postgres, Sqlite, SqlitePool};

static POSTGRES: Migrator = sqlx::migrate!("../../migrations/postgres");
static MYSQL: Migrator = sqlx::migrate!("../../migrations/mysql");
static MARIADB: Migrator = sqlx::migrate!("../../migrations/mariadb");
static SQLITE: Migrator = sqlx::migrate!("../../migrations/sqlite");

/// A database whose tables can be brought up to date.
#[async_trait]
pub(crate) trait Migrated: Database {
    /// Applies the migrations that are missing.
    async fn migrate(pool: &Pool<Self>) -> Result<(), Box<dyn StdError + Send + Sync>>;
}

#[async_trait]
impl Migrated for Postgres {
    async fn migrate(pool: &PgPool) -> Result<(), Box<dyn StdError + Send + Sync>> {
        Ok(POSTGRES.run(pool).await?)
    }
}

#[async_trait]
impl Migrated for MySql {
    async fn migrate(pool: &MySqlPool) -> Result<(), Box<dyn StdError + Send + Sync>> {
        // A connection outside the pool: closing it releases the lock, even after an error.
        let mut connection = pool.acquire().await?.detach();
        let lock = "SELECT GET_LOCK(SHA2(CONCAT('migrate ', DATABASE()), 256), 60)";
        let locked: Option<i64> = sqlx::query_scalar(lock).fetch_one(&mut connection).await?;
        if locked != Some(1) {
            return Err("another process has been migrating for a minute".into());
        }
        // Only the version shows whether a server with MySQL's protocol is MariaDB.
        let version: String = sqlx::query_scalar("SELECT version()")
            .fetch_one(&mut connection)
            .await?;
        let migrations = if version.contains("MariaDB") {
            &MARIADB
        } else {
            &MYSQL
        };
        migrations.run(pool).await?;
        Ok(connection.close().await?)
    }
}

#[async_trait]
impl Migrated for Sqlite {
    async fn migrate(pool: &SqlitePool) -> Result<(), Box<dyn StdError + Send + Sync>> {
        // Take the write lock before reading. The migrations become savepoints in this transaction.
        let mut transaction = pool.begin_with("BEGIN IMMEDIATE").await?;
        // Not `run`: with a transaction, the compiler cannot prove that its future is `Send`.
        SQLITE.run_direct(None, &mut *transaction, false).await?;
        Ok(transaction.commit().await?)
    }
}
