//! What a database says of its tables.

use anyhow::{Context, Result, ensure};
use rowkey::{DistributedId, ShortPrefixComb, entity_key};
use rowkey_testkit::{Backend, TestDatabase};
use sqlx::{AssertSqlSafe, MySqlPool, PgPool, SqlitePool};
use tiberius::{Client, Config};
use tokio::net::TcpStream;
use tokio_util::compat::{Compat, TokioAsyncWriteCompatExt};

use crate::TABLES;

#[entity_key]
struct CustomerId(ShortPrefixComb);

#[entity_key]
struct InvoiceId(DistributedId);

/// A database, apart from the tool that is tested.
pub(crate) struct Database {
    backend: Backend,
    pool: Pool,
}

enum Pool {
    Postgres(PgPool),
    MySql(MySqlPool),
    Sqlite(SqlitePool),
    /// The address, for a connection each time.
    SqlServer(String),
}

impl Database {
    pub(crate) async fn open(test: &TestDatabase) -> Result<Self> {
        let url = test.url();
        let backend = test.backend();
        let pool = match backend {
            Backend::Postgres => Pool::Postgres(PgPool::connect(url).await?),
            Backend::MySql | Backend::MariaDb => Pool::MySql(MySqlPool::connect(url).await?),
            Backend::Sqlite => Pool::Sqlite(SqlitePool::connect(url).await?),
            Backend::SqlServer => Pool::SqlServer(url.to_owned()),
        };
        Ok(Self { backend, pool })
    }

    /// Runs statements, not prepared.
    pub(crate) async fn execute(&self, sql: &str) -> Result<()> {
        let statements = || sqlx::raw_sql(AssertSqlSafe(sql));
        match &self.pool {
            Pool::Postgres(pool) => {
                statements().execute(pool).await?;
            }
            Pool::MySql(pool) => {
                statements().execute(pool).await?;
            }
            Pool::Sqlite(pool) => {
                statements().execute(pool).await?;
            }
            Pool::SqlServer(url) => {
                let mut client = tiberius_client(url).await?;
                client.simple_query(sql).await?.into_results().await?;
            }
        }
        Ok(())
    }

    /// The first column of all rows.
    async fn strings(&self, sql: &str) -> Result<Vec<String>> {
        let query = AssertSqlSafe(sql);
        Ok(match &self.pool {
            Pool::Postgres(pool) => sqlx::query_scalar(query).fetch_all(pool).await?,
            Pool::MySql(pool) => sqlx::query_scalar(query).fetch_all(pool).await?,
            Pool::Sqlite(pool) => sqlx::query_scalar(query).fetch_all(pool).await?,
            Pool::SqlServer(url) => {
                let mut client = tiberius_client(url).await?;
                let rows = client.simple_query(sql).await?.into_first_result().await?;
                let texts = rows.iter().map(|row| row.try_get::<&str, _>(0));
                let texts = texts.map(|text| Ok(text?.context("it is NULL")?.to_owned()));
                texts.collect::<Result<_>>()?
            }
        })
    }

    /// Those of [`TABLES`] that are there.
    pub(crate) async fn tables(&self) -> Result<Vec<&'static str>> {
        let sql = match self.backend {
            Backend::Sqlite => "SELECT name FROM sqlite_schema WHERE type = 'table'",
            Backend::Postgres => {
                "SELECT CAST(table_name AS text) FROM information_schema.tables \
                 WHERE table_schema = current_schema()"
            }
            Backend::SqlServer => "SELECT table_name FROM information_schema.tables",
            _ => {
                "SELECT CAST(table_name AS CHAR) FROM information_schema.tables \
                 WHERE table_schema = database()"
            }
        };
        let found = self.strings(sql).await?;
        let is_there = |table: &&str| found.iter().any(|name| name == table);
        Ok(TABLES.into_iter().filter(is_there).collect())
    }

    /// Fails unless these of [`TABLES`] are there, and no others.
    pub(crate) async fn has(&self, tables: &[&str]) -> Result<()> {
        let found = self.tables().await?;
        ensure!(found == tables, "{found:?} instead of {tables:?}");
        Ok(())
    }

    /// All columns and indexes of [`TABLES`], as the database describes them.
    pub(crate) async fn columns(&self) -> Result<Vec<String>> {
        let tables = TABLES.map(|table| format!("'{table}'")).join(", ");
        let described = match self.backend {
            Backend::Sqlite => format!(
                "SELECT name || ': ' || coalesce(sql, '') FROM sqlite_schema \
                 WHERE tbl_name IN ({tables}) ORDER BY 1"
            ),
            Backend::Postgres => format!(
                "SELECT concat_ws(' ', table_name, column_name, data_type, is_nullable, \
                     character_maximum_length, numeric_precision, collation_name) \
                 FROM information_schema.columns \
                 WHERE table_schema = current_schema() AND table_name IN ({tables}) \
                 UNION ALL SELECT replace(indexdef, current_schema() || '.', '') FROM pg_indexes \
                 WHERE schemaname = current_schema() AND tablename IN ({tables}) ORDER BY 1"
            ),
            Backend::SqlServer => format!(
                "SELECT concat_ws(' ', table_name, column_name, data_type, is_nullable, \
                     character_maximum_length, numeric_precision, collation_name) \
                 FROM information_schema.columns WHERE table_name IN ({tables}) ORDER BY 1"
            ),
            _ => format!(
                "SELECT CAST(concat_ws(' ', table_name, column_name, column_type, is_nullable, \
                     collation_name, extra) AS CHAR) FROM information_schema.columns \
                 WHERE table_schema = database() AND table_name IN ({tables}) \
                 UNION ALL SELECT CAST(concat_ws(' ', table_name, index_name, column_name, \
                     seq_in_index, non_unique) AS CHAR) FROM information_schema.statistics \
                 WHERE table_schema = database() AND table_name IN ({tables}) ORDER BY 1"
            ),
        };
        let columns = self.strings(&described).await?;
        ensure!(columns.len() > TABLES.len(), "{columns:?}");
        Ok(columns)
    }

    /// Stores a customer with an invoice, by typed keys.
    pub(crate) async fn store_an_invoice(&self) -> Result<()> {
        let customer = CustomerId::generate().to_u128();
        let customer = CustomerId::PLAN.column(self.backend).literal(customer);
        let invoice = InvoiceId::generate().to_u128();
        let invoice = InvoiceId::PLAN.column(self.backend).literal(invoice);
        let insert = format!("INSERT INTO customers (id, name) VALUES ({customer}, 'Ada')");
        self.execute(&insert).await?;
        let insert = format!(
            "INSERT INTO invoices (id, customer_id, cents) VALUES ({invoice}, {customer}, 1)"
        );
        self.execute(&insert).await?;
        ensure!(self.invoices().await? == 1);
        Ok(())
    }

    pub(crate) async fn invoices(&self) -> Result<usize> {
        let sql = match self.backend {
            Backend::MySql | Backend::MariaDb => "SELECT CAST(cents AS CHAR) FROM invoices",
            _ => "SELECT CAST(cents AS varchar(20)) FROM invoices",
        };
        Ok(self.strings(sql).await?.len())
    }
}

pub(crate) async fn tiberius_client(url: &str) -> Result<Client<Compat<TcpStream>>> {
    let config = Config::from_ado_string(url)?;
    let stream = TcpStream::connect(config.get_addr()).await?;
    stream.set_nodelay(true)?;
    Ok(Client::connect(config, stream.compat_write()).await?)
}
