//! The rows of the service, read directly.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail};
use rowkey_testkit::{Backend, TestDatabase};
use sqlx::mysql::MySqlPoolOptions;
use sqlx::postgres::PgPoolOptions;
use sqlx::sqlite::SqlitePoolOptions;
use sqlx::{AssertSqlSafe, MySqlPool, PgPool, SqlitePool};
use tokio::time::{Duration, Instant, sleep};

use crate::service::PATIENCE;

/// A connection to the service's database.
pub(crate) enum Database {
    Postgres(PgPool),
    MySql(MySqlPool),
    Sqlite(SqlitePool),
}

/// Tables that may change although nothing is created: numbers are reserved in blocks.
const HOUSEKEEPING: [&str; 2] = ["_sqlx_migrations", "key_blocks"];

impl Database {
    pub(crate) async fn open(database: &TestDatabase) -> Result<Self> {
        let url = database.url();
        Ok(match database.backend() {
            Backend::Postgres => {
                let pool = PgPoolOptions::new().max_connections(1);
                Self::Postgres(pool.connect(url).await?)
            }
            Backend::MySql | Backend::MariaDb => {
                let pool = MySqlPoolOptions::new().max_connections(1);
                Self::MySql(pool.connect(url).await?)
            }
            Backend::Sqlite => {
                let pool = SqlitePoolOptions::new().max_connections(1);
                Self::Sqlite(pool.connect(url).await?)
            }
            backend => bail!("the service does not support {backend}"),
        })
    }

    /// The number that a query counts.
    pub(crate) async fn count(&self, query: &str) -> Result<i64> {
        let query = AssertSqlSafe(query);
        Ok(match self {
            Self::Postgres(pool) => sqlx::query_scalar(query).fetch_one(pool).await?,
            Self::MySql(pool) => sqlx::query_scalar(query).fetch_one(pool).await?,
            Self::Sqlite(pool) => sqlx::query_scalar(query).fetch_one(pool).await?,
        })
    }

    /// The only column of a query, as strings.
    pub(crate) async fn strings(&self, query: &str) -> Result<Vec<String>> {
        let query = AssertSqlSafe(query);
        Ok(match self {
            Self::Postgres(pool) => sqlx::query_scalar(query).fetch_all(pool).await?,
            Self::MySql(pool) => sqlx::query_scalar(query).fetch_all(pool).await?,
            Self::Sqlite(pool) => sqlx::query_scalar(query).fetch_all(pool).await?,
        })
    }

    pub(crate) async fn rows(&self, table: &str) -> Result<i64> {
        self.count(&format!("SELECT COUNT(*) FROM {table}")).await
    }

    /// How many rows each table has.
    pub(crate) async fn all_rows(&self) -> Result<BTreeMap<String, i64>> {
        let mut rows = BTreeMap::new();
        for table in self.tables().await? {
            if !HOUSEKEEPING.contains(&table.as_str()) {
                let count = self.rows(&table).await?;
                rows.insert(table, count);
            }
        }
        Ok(rows)
    }

    async fn tables(&self) -> Result<Vec<String>> {
        self.strings(match self {
            Self::Postgres(_) => {
                "SELECT table_name::text FROM information_schema.tables \
                 WHERE table_schema = current_schema()"
            }
            Self::MySql(_) => {
                "SELECT CAST(table_name AS CHAR) FROM information_schema.tables \
                 WHERE table_schema = DATABASE()"
            }
            Self::Sqlite(_) => {
                "SELECT name FROM sqlite_master \
                 WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
            }
        })
        .await
    }

    /// The text type for casts.
    pub(crate) fn text_type(&self) -> &'static str {
        match self {
            Self::MySql(_) => "CHAR",
            Self::Postgres(_) | Self::Sqlite(_) => "TEXT",
        }
    }

    /// Waits until a table has a number of rows.
    pub(crate) async fn wait_for_rows(&self, table: &str, expected: i64) -> Result<()> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let rows = self.rows(table).await?;
            if rows == expected {
                return Ok(());
            }
            let late = || format!("{rows} instead of {expected} rows in {table}");
            (Instant::now() < deadline)
                .then_some(())
                .with_context(late)?;
            sleep(Duration::from_millis(5)).await;
        }
    }
}
