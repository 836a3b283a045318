//! The tables, as the databases describe them.

use anyhow::{Result, bail};
use repository::{Customer, CustomerId, Error, InvoiceId};
use rowkey::key_columns;
use rowkey::storage::KeyColumn;
use rowkey_tables::schema;
use rowkey_testkit::{Backend, TestDatabase};
use sqlx::{AssertSqlSafe, Connection, MySqlConnection, PgConnection, SqliteConnection};
use tokio::task::JoinSet;

use crate::drivers::{Driver, one_for};
use crate::sql_server;

const KEY_COLUMNS: &[KeyColumn] = &key_columns![
    CustomerId => "customers.id",
    Option<CustomerId> => "customers.referred_by",
    InvoiceId => "invoices.id",
    CustomerId => "invoices.customer_id",
];

pub(crate) async fn key_columns_are_those_of_the_plans(database: &TestDatabase) -> Result<()> {
    one_for(database.backend())?.connect(database.url()).await?;
    schema::check(database.url(), KEY_COLUMNS)
        .await?
        .assert_none();
    Ok(())
}

pub(crate) async fn invoices_of_a_customer_have_an_index(database: &TestDatabase) -> Result<()> {
    one_for(database.backend())?.connect(database.url()).await?;
    let query = match database.backend() {
        Backend::Postgres => {
            "SELECT string_agg(CAST(attname AS text), ',' ORDER BY attnum) FROM pg_attribute \
             WHERE attrelid = 'invoices_by_customer'::regclass"
        }
        Backend::MySql | Backend::MariaDb => {
            "SELECT GROUP_CONCAT(column_name ORDER BY seq_in_index) \
             FROM information_schema.statistics \
             WHERE table_schema = database() AND index_name = 'invoices_by_customer'"
        }
        // The index besides the primary key's. Servers may report more than its name.
        Backend::SqlServer => {
            "SELECT STRING_AGG(columns.name, ',') WITHIN GROUP (ORDER BY key_ordinal) \
             FROM sys.indexes \
             JOIN sys.index_columns ON index_columns.object_id = indexes.object_id \
                 AND index_columns.index_id = indexes.index_id \
             JOIN sys.columns ON columns.object_id = indexes.object_id \
                 AND columns.column_id = index_columns.column_id \
             WHERE indexes.object_id = OBJECT_ID('invoices') AND is_primary_key = 0"
        }
        _ => "SELECT group_concat(name) FROM pragma_index_info('invoices_by_customer')",
    };
    assert_eq!(text(database, query).await?, "customer_id,id");
    Ok(())
}

pub(crate) async fn migrations_are_applied_once(
    driver: Driver,
    database: &TestDatabase,
) -> Result<()> {
    let ada = Customer {
        id: CustomerId::generate(),
        name: "Ada".to_owned(),
        referred_by: None,
    };
    let first = driver.connect(database.url()).await?;
    first.add_customer(&ada).await?;
    let second = driver.connect(database.url()).await?;
    assert_eq!(second.customer(ada.id).await?, Some(ada));
    Ok(())
}

pub(crate) async fn many_may_migrate_at_once(
    driver: Driver,
    database: &TestDatabase,
) -> Result<()> {
    let mut connecting = JoinSet::new();
    for _ in 0..8 {
        let url = database.url().to_owned();
        connecting.spawn(async move { driver.connect(&url).await });
    }
    let mut repositories = Vec::new();
    while let Some(connected) = connecting.join_next().await {
        repositories.push(connected??);
    }
    for repository in repositories {
        assert_eq!(repository.totals().await?, []);
    }
    Ok(())
}

pub(crate) async fn an_unknown_migration_is_refused(
    driver: Driver,
    database: &TestDatabase,
) -> Result<()> {
    driver.connect(database.url()).await?;
    let (applied, refusal) = match database.backend() {
        Backend::SqlServer => (
            "refinery_schema_history",
            "migration V1000__invoices is missing from the filesystem",
        ),
        _ => (
            "_sqlx_migrations",
            "migration 1000 was previously applied but is missing in the resolved migrations",
        ),
    };
    let change = format!("UPDATE {applied} SET version = 1000 WHERE version = 2");
    execute(database, &change).await?;
    match driver.connect(database.url()).await {
        Err(error @ Error::Migrate(_)) => {
            let expected = format!("could not migrate the database: {refusal}");
            assert_eq!(error.to_string(), expected);
        }
        Err(error) => bail!("another error: {error}"),
        Ok(_) => bail!("it went unnoticed"),
    }
    Ok(())
}

/// Runs a query on a separate connection, of any database of sqlx.
macro_rules! with_connection {
    ($database:expr, $connection:ident => $run:expr) => {{
        let url = $database.url();
        match $database.backend() {
            Backend::Postgres => {
                let $connection = &mut PgConnection::connect(url).await?;
                $run
            }
            Backend::MySql | Backend::MariaDb => {
                let $connection = &mut MySqlConnection::connect(url).await?;
                $run
            }
            _ => {
                let $connection = &mut SqliteConnection::connect(url).await?;
                $run
            }
        }
    }};
}

/// The only value of a query.
async fn text(database: &TestDatabase, query: &str) -> Result<String> {
    if database.backend() == Backend::SqlServer {
        return sql_server::text(database.url(), query).await;
    }
    Ok(with_connection!(database, connection => {
        sqlx::query_scalar(AssertSqlSafe(query)).fetch_one(connection).await?
    }))
}

async fn execute(database: &TestDatabase, statement: &str) -> Result<()> {
    if database.backend() == Backend::SqlServer {
        return sql_server::execute(database.url(), statement).await;
    }
    with_connection!(database, connection => {
        sqlx::query(AssertSqlSafe(statement)).execute(connection).await?;
    });
    Ok(())
}
