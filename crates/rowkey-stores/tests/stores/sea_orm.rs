//! SeaORM in the scenarios.

use anyhow::{Context, Result, bail};
use rowkey_stores::{Error, SeaOrmConnection, prune};
use rowkey_testkit::{Backend, TestDatabase};
use sea_orm::{ConnectionTrait, DatabaseConnection, DbErr, Statement};
use sqlx::{MySqlPool, PgPool, SqlitePool};

use crate::shop::{Driver, migrator};

impl Driver for DatabaseConnection {
    type Session = SeaOrmConnection;
    type Connection = Box<SeaOrmConnection>;
    type Store = Self;
    type Error = DbErr;

    async fn pool(url: &str, connections: u32, setup: &'static str) -> Result<Self> {
        Ok(match url.split(':').next() {
            Some("postgres") => PgPool::pool(url, connections, setup).await?.into(),
            Some("mysql") => MySqlPool::pool(url, connections, setup).await?.into(),
            _ => SqlitePool::pool(url, connections, setup).await?.into(),
        })
    }

    async fn migrate(&self, backend: Backend) -> Result<()> {
        let migrator = migrator(backend);
        match backend {
            Backend::Postgres => migrator.run(self.get_postgres_connection_pool()).await?,
            Backend::MySql | Backend::MariaDb => {
                migrator.run(self.get_mysql_connection_pool()).await?;
            }
            Backend::Sqlite => migrator.run(self.get_sqlite_connection_pool()).await?,
            Backend::SqlServer => bail!("SeaORM has no driver for SQL Server"),
        }
        Ok(())
    }

    async fn connection(&self) -> Result<Self::Connection> {
        let connection = SeaOrmConnection::acquire(self).await;
        Ok(Box::new(connection.context("the pool has a connection")?))
    }

    async fn store(&self) -> Result<Self> {
        Ok(self.clone())
    }

    async fn execute(session: &mut SeaOrmConnection, sql: &str) -> Result<(), DbErr> {
        session.execute_unprepared(sql).await?;
        Ok(())
    }

    async fn changed(session: &mut SeaOrmConnection, sql: &str) -> Result<u64, DbErr> {
        Ok(session.execute_unprepared(sql).await?.rows_affected())
    }

    async fn strings(session: &mut SeaOrmConnection, sql: &str) -> Result<Vec<String>, DbErr> {
        let statement = Statement::from_string(session.get_database_backend(), sql);
        let rows = session.query_all_raw(statement).await?;
        rows.iter().map(|row| row.try_get_by_index(0)).collect()
    }
}

pub(crate) async fn a_connection_without_a_pool_is_refused(_: &TestDatabase) -> Result<()> {
    let refused = prune(DatabaseConnection::default(), 0).await;
    let Err(Error::Database(source)) = refused else {
        bail!("{refused:?}");
    };
    assert!(
        source.to_string().contains("has no pool of sqlx"),
        "{source}"
    );
    Ok(())
}
