//! The sqlx drivers behind one trait, so that a scenario is written once for all of them.

use anyhow::{Context, Result};
use rowkey::sqlx::PushBounds;
use rowkey::{Backend, EntityKey, quote_identifier};
use sqlx::{
    AssertSqlSafe, Connection, Database, Decode, Encode, MySql, Postgres, QueryBuilder, Row,
    Sqlite, Type,
};

use crate::keys::{self, Case};
use crate::scenarios::{Scenario, arrays, servers};

/// What the scenarios need of an sqlx driver.
///
/// sqlx has all of it, but as bounds that each generic function would have to repeat.
pub(crate) trait Driver: Database {
    /// The query to append a time span's condition to.
    fn push_bounds<K: EntityKey>(
        query: &mut QueryBuilder<Self>,
        column: &str,
        bounds: &rowkey::Bounds<K>,
    ) -> Result<()>;

    fn push_option<K: KeyOf<Self>>(query: &mut QueryBuilder<Self>, key: Option<K>);

    fn push_integer(query: &mut QueryBuilder<Self>, value: i64);

    /// Runs a query as a prepared statement.
    fn fetch(
        connection: &mut Self::Connection,
        query: QueryBuilder<Self>,
    ) -> impl Future<Output = sqlx::Result<Vec<Self::Row>>>;

    /// Runs SQL text as it is.
    fn fetch_text(
        connection: &mut Self::Connection,
        sql: String,
    ) -> impl Future<Output = sqlx::Result<Vec<Self::Row>>>;

    fn get<T>(row: &Self::Row, column: &str) -> sqlx::Result<T>
    where
        T: for<'r> Decode<'r, Self> + Type<Self>;

    fn get_integer(row: &Self::Row, column: &str) -> sqlx::Result<i64>;

    /// Every declared key.
    fn cases() -> Vec<Case<Self>>;

    /// Scenarios about something that only this driver, or one server behind it, has.
    fn own_scenarios(backend: Backend) -> Vec<Scenario<Self>>;
}

macro_rules! impl_driver {
    ($($DB:ident: $own_scenarios:expr),* $(,)?) => {$(
        impl Driver for $DB {
            fn push_bounds<K: EntityKey>(
                query: &mut QueryBuilder<Self>,
                column: &str,
                bounds: &rowkey::Bounds<K>,
            ) -> Result<()> {
                PushBounds::push_bounds(query, column, bounds)?;
                Ok(())
            }

            fn push_option<K: KeyOf<Self>>(query: &mut QueryBuilder<Self>, key: Option<K>) {
                query.push_bind(key);
            }

            fn push_integer(query: &mut QueryBuilder<Self>, value: i64) {
                query.push_bind(value);
            }

            async fn fetch(
                connection: &mut Self::Connection,
                mut query: QueryBuilder<Self>,
            ) -> sqlx::Result<Vec<Self::Row>> {
                query.build().fetch_all(connection).await
            }

            async fn fetch_text(
                connection: &mut Self::Connection,
                sql: String,
            ) -> sqlx::Result<Vec<Self::Row>> {
                sqlx::raw_sql(AssertSqlSafe(sql)).fetch_all(connection).await
            }

            fn get<T>(row: &Self::Row, column: &str) -> sqlx::Result<T>
            where
                T: for<'r> Decode<'r, Self> + Type<Self>,
            {
                row.try_get(column)
            }

            fn get_integer(row: &Self::Row, column: &str) -> sqlx::Result<i64> {
                row.try_get(column)
            }

            fn cases() -> Vec<Case<Self>> {
                keys::cases!($DB)
            }

            fn own_scenarios(backend: Backend) -> Vec<Scenario<Self>> {
                $own_scenarios(backend)
            }
        }
    )*};
}

impl_driver! {
    Postgres: |_| vec![arrays::scenario()],
    MySql: |backend| match backend {
        Backend::MariaDb => servers::mariadb(),
        _ => Vec::new(),
    },
    Sqlite: |_| servers::sqlite(),
}

/// A key type that a driver binds and reads.
pub(crate) trait KeyOf<D: Database>:
    EntityKey + for<'q> Encode<'q, D> + for<'r> Decode<'r, D> + Type<D>
{
}

impl<D: Database, K> KeyOf<D> for K where
    K: EntityKey + for<'q> Encode<'q, D> + for<'r> Decode<'r, D> + Type<D>
{
}

/// A connection to the database of one test.
pub(crate) struct Session<D: Driver> {
    backend: Backend,
    connection: D::Connection,
}

impl<D: Driver> Session<D> {
    pub(crate) async fn open(url: &str, backend: Backend) -> Result<Self> {
        let connection = D::Connection::connect(url)
            .await
            .with_context(|| format!("could not connect to {url}"))?;
        Ok(Self {
            backend,
            connection,
        })
    }

    pub(crate) fn backend(&self) -> Backend {
        self.backend
    }

    /// A name as it stands in SQL.
    pub(crate) fn quoted(&self, name: &str) -> String {
        quote_identifier(self.backend, name).expect("the tests have plain names")
    }

    /// Runs a query as a prepared statement.
    pub(crate) async fn fetch(&mut self, query: QueryBuilder<D>) -> sqlx::Result<Vec<D::Row>> {
        D::fetch(&mut self.connection, query).await
    }

    /// Runs SQL text as it is, without parameters and without a prepared statement.
    pub(crate) async fn fetch_text(&mut self, sql: impl Into<String>) -> sqlx::Result<Vec<D::Row>> {
        D::fetch_text(&mut self.connection, sql.into()).await
    }
}
