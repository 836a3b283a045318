//! The tables of this service and those of rowkey-stores, compiled in.
//!
//! Several services may start at once, so each waits here until the others are done. sqlx's own lock
//! does that in PostgreSQL. In SQLite it has none, and MariaDB refuses to wait without a limit, which
//! sqlx does not notice.

use anyhow::{Result, ensure};
use async_trait::async_trait;
use sqlx::migrate::Migrator;
use sqlx::{Connection, Database, MySql, Pool, Postgres, Sqlite};

/// The migrations of rowkey-stores, from those of the repository: creation identifiers and blocks of
/// numbers.
const OF_ROWKEY_STORES: [i64; 2] = [3, 4];

static STORES_POSTGRES: Migrator = sqlx::migrate!("../../migrations/postgres");
static STORES_MYSQL: Migrator = sqlx::migrate!("../../migrations/mysql");
static STORES_SQLITE: Migrator = sqlx::migrate!("../../migrations/sqlite");
static POSTGRES: Migrator = sqlx::migrate!("migrations/postgres");
static MYSQL: Migrator = sqlx::migrate!("migrations/mysql");
static SQLITE: Migrator = sqlx::migrate!("migrations/sqlite");

fn merged(stores: &Migrator, own: &Migrator) -> Migrator {
    let stores = stores
        .iter()
        .filter(|migration| OF_ROWKEY_STORES.contains(&migration.version));
    Migrator::with_migrations(stores.chain(own.iter()).cloned().collect())
}

/// A database whose tables can be brought up to date.
#[async_trait]
pub(super) trait Migrated: Database {
    /// Applies missing migrations.
    async fn migrate(pool: &Pool<Self>) -> Result<()>;
}

#[async_trait]
impl Migrated for Postgres {
    async fn migrate(pool: &Pool<Self>) -> Result<()> {
        Ok(merged(&STORES_POSTGRES, &POSTGRES).run(pool).await?)
    }
}

/// Also MariaDB, where these tables are the same.
#[async_trait]
impl Migrated for MySql {
    async fn migrate(pool: &Pool<Self>) -> Result<()> {
        // Not the pool's: the lock is released with this connection, however the migration ends.
        let mut connection = pool.acquire().await?.detach();
        let lock = "SELECT GET_LOCK(SHA2(CONCAT('migrate ', DATABASE()), 256), 60)";
        let locked: Option<i64> = sqlx::query_scalar(lock).fetch_one(&mut connection).await?;
        ensure!(
            locked == Some(1),
            "another process has been migrating for a minute"
        );
        merged(&STORES_MYSQL, &MYSQL).run(pool).await?;
        Ok(connection.close().await?)
    }
}

#[async_trait]
impl Migrated for Sqlite {
    async fn migrate(pool: &Pool<Self>) -> Result<()> {
        // Takes the write lock before reading anything. The migrations become savepoints in it.
        let mut transaction = pool.begin_with("BEGIN IMMEDIATE").await?;
        // Not `run`: with a transaction, the compiler cannot prove that its future is `Send`.
        let migrations = merged(&STORES_SQLITE, &SQLITE);
        migrations
            .run_direct(None, &mut *transaction, false)
            .await?;
        Ok(transaction.commit().await?)
    }
}
