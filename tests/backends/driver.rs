//! The sqlx drivers behind one trait, so that a scenario is written once for all of them.

use anyhow::{Context, Result, ensure};
use rowkey::driver::sqlx::PushBounds;
use rowkey::{Backend, EntityKey, quote_identifier};
use sqlx::mysql::MySqlRow;
use sqlx::postgres::PgRow;
use sqlx::sqlite::SqliteRow;
use sqlx::{
    AssertSqlSafe, Connection, Database, Decode, Encode, MySql, Postgres, QueryBuilder, Row,
    Sqlite, Type,
};

use crate::keys::{self, Case};
use crate::scenarios::{Scenario, adoption, arrays, many, servers};

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

    /// What stands before a query to be told how it would run.
    const EXPLAIN: &str;

    /// Checks that the rows of such an answer tell of nothing but searches in indexes.
    fn check_index_use(rows: &[Self::Row]) -> Result<()>;

    /// Every declared key.
    fn cases() -> Vec<Case<Self>>;

    /// Scenarios about something that only this driver, or one server behind it, has.
    fn own_scenarios(backend: Backend) -> Vec<Scenario<Self>>;
}

macro_rules! impl_driver {
    ($($DB:ident: $explain:literal, $check_index_use:expr, $own_scenarios:expr);* $(;)?) => {$(
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

            const EXPLAIN: &str = $explain;

            fn check_index_use(rows: &[Self::Row]) -> Result<()> {
                $check_index_use(rows)
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
    Postgres: "EXPLAIN", searches_in_postgres, |_| {
        let mut scenarios = many::postgres();
        scenarios.push(arrays::scenario());
        scenarios.extend(adoption::postgres());
        scenarios
    };
    MySql: "EXPLAIN", searches_in_mysql, |backend| {
        let mut scenarios = many::mysql();
        scenarios.extend(servers::mysql());
        scenarios.extend(adoption::mysql(backend));
        if backend == Backend::MariaDb {
            scenarios.extend(servers::mariadb());
        }
        scenarios
    };
    Sqlite: "EXPLAIN QUERY PLAN", searches_in_sqlite, |_| {
        let mut scenarios = many::sqlite();
        scenarios.extend(servers::sqlite());
        scenarios.extend(adoption::sqlite());
        scenarios
    };
}

fn searches_in_postgres(rows: &[PgRow]) -> Result<()> {
    let plan: Vec<String> = rows
        .iter()
        .map(|row| row.try_get(0))
        .collect::<sqlx::Result<_>>()?;
    let plan = plan.join("\n");
    let is_search = plan.contains("Index Cond") && !plan.contains("Seq Scan");
    ensure!(is_search, "the index is not used:\n{plan}");
    Ok(())
}

fn searches_in_mysql(rows: &[MySqlRow]) -> Result<()> {
    for row in rows {
        // Text, but of no character set that sqlx takes for it.
        let access: String = row.try_get_unchecked("type")?;
        let key: Option<String> = row.try_get_unchecked("key")?;
        ensure!(
            access == "range" && key.as_deref() == Some("PRIMARY"),
            "the access is {access} by {key:?}"
        );
    }
    Ok(())
}

fn searches_in_sqlite(rows: &[SqliteRow]) -> Result<()> {
    for row in rows {
        let step: String = row.try_get("detail")?;
        let is_search = step.starts_with("SEARCH") && step.contains("INDEX");
        ensure!(
            is_search || step == "MULTI-INDEX OR" || step.starts_with("INDEX "),
            "a step is {step}"
        );
    }
    Ok(())
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
        let mut url = url.to_owned();
        if matches!(backend, Backend::MySql | Backend::MariaDb) {
            // A full cache closes a statement before it prepares another, and the server lets that
            // wait for 40 ms: closing has no answer, so its acknowledgement comes late.
            let separator = if url.contains('?') { '&' } else { '?' };
            url = format!("{url}{separator}statement-cache-capacity=1000");
        }
        let connection = D::Connection::connect(&url)
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
