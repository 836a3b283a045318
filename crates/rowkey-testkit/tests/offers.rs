//! Offers come back from every database.

use std::process::ExitCode;

use rowkey::storage::Nullability;
use rowkey::{ShortPrefixComb, entity_key};
use rowkey_testkit::{Backend, Suite, TestDatabase};
use sqlx::{
    AssertSqlSafe, Connection, MySqlConnection, PgConnection, QueryBuilder, SqliteConnection,
};

/// A booking offer.
#[entity_key]
struct OfferId(ShortPrefixComb);

/// The test, written once for the connections of all drivers.
macro_rules! offers_come_back {
    ($Connection:ty, $database:expr) => {{
        let mut connection = <$Connection>::connect($database.url()).await?;
        let id =
            OfferId::PLAN.column_definition($database.backend(), "id", Nullability::NotNull)?;
        let table = format!("CREATE TABLE offers ({id}, PRIMARY KEY (id))");
        sqlx::query(AssertSqlSafe(table))
            .execute(&mut connection)
            .await?;

        let offer = OfferId::generate();
        let mut insert = QueryBuilder::new("INSERT INTO offers (id) VALUES (");
        insert
            .push_bind(offer)
            .push(")")
            .build()
            .execute(&mut connection)
            .await?;

        let found: OfferId = sqlx::query_scalar("SELECT id FROM offers")
            .fetch_one(&mut connection)
            .await?;
        assert_eq!(found, offer);
        connection.close().await?;
    }};
}

async fn offers_come_back(database: &TestDatabase) -> anyhow::Result<()> {
    match database.backend() {
        Backend::Postgres => offers_come_back!(PgConnection, database),
        Backend::MySql | Backend::MariaDb => offers_come_back!(MySqlConnection, database),
        Backend::Sqlite => offers_come_back!(SqliteConnection, database),
        other => anyhow::bail!("there is no driver for {other} here"),
    }
    Ok(())
}

fn main() -> anyhow::Result<ExitCode> {
    let backends = [
        Backend::Postgres,
        Backend::MySql,
        Backend::MariaDb,
        Backend::Sqlite,
    ];
    let mut suite = Suite::from_env()?;
    suite.test("offers_come_back", backends, |database| {
        // Each test runs on a separate thread.
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        runtime.block_on(offers_come_back(database))
    });
    Ok(suite.run())
}
