//! One set of entities on every backend.
//!
//! A test is called `<backend>::<test>`. Those of a backend without an address are ignored, or fail
//! if `ROWKEY_TEST_REQUIRE` names it; see [`rowkey_testkit`].

mod counted_numbers;
mod queries;
mod schema;
mod shop;
mod storage;

use std::process::ExitCode;

use anyhow::Result;
use rowkey_testkit::{Backend, Suite, TestDatabase};
use sea_orm::{ConnectOptions, Database, DatabaseConnection};
use sea_orm_migration::MigratorTrait;

const BACKENDS: [Backend; 4] = [
    Backend::Postgres,
    Backend::MySql,
    Backend::MariaDb,
    Backend::Sqlite,
];

fn main() -> Result<ExitCode> {
    let mut suite = Suite::from_env()?;
    counted_numbers::add_tests(&mut suite);
    queries::add_tests(&mut suite);
    schema::add_tests(&mut suite);
    storage::add_tests(&mut suite);
    Ok(suite.run())
}

/// Adds a test on a database with the tables of the shop.
fn add_test(
    suite: &mut Suite,
    backends: impl IntoIterator<Item = Backend>,
    name: &str,
    run: impl AsyncFn(&DatabaseConnection) -> Result<()> + Clone + Send + 'static,
) {
    suite.test(name, backends, move |database: &TestDatabase| {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        runtime.block_on(async {
            let mut options = ConnectOptions::new(database.url());
            options.max_connections(1).sqlx_logging(false);
            let db = Database::connect(options).await?;
            shop::migration::Migrator::up(&db, None).await?;
            let outcome = run(&db).await;
            db.close().await?;
            outcome
        })
    });
}
