//! Scenarios on real databases: each is written once and runs on every backend that there is.
//!
//! A test is called `<backend>::<driver>::<scenario>`. Those of a backend without an address are ignored, or
//! fail if `ROWKEY_TEST_REQUIRE` names it; see [`rowkey_testkit`].

mod driver;
mod drivers;
mod index_use;
mod keys;
mod query;
mod samples;
mod scenarios;
mod table;

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::process::ExitCode;

use anyhow::{Result, ensure};
use rowkey_testkit::{Backend, Server, Suite};
use sqlx::{MySql, Postgres, Sqlite};

use crate::driver::{Driver, Session};
use crate::drivers::diesel::Diesel;
use crate::drivers::sqlx::Sqlx;
use crate::scenarios::{Run, Scenario};

fn main() -> Result<ExitCode> {
    let mut suite = Suite::from_env()?;
    add_tests::<Sqlx<Postgres>>(&mut suite, Backend::Postgres);
    add_tests::<Sqlx<MySql>>(&mut suite, Backend::MySql);
    add_tests::<Sqlx<MySql>>(&mut suite, Backend::MariaDb);
    add_tests::<Sqlx<Sqlite>>(&mut suite, Backend::Sqlite);
    add_tests::<Diesel<diesel::SqliteConnection>>(&mut suite, Backend::Sqlite);
    #[cfg(feature = "diesel-postgres")]
    add_tests::<Diesel<diesel::PgConnection>>(&mut suite, Backend::Postgres);
    #[cfg(feature = "diesel-mysql")]
    {
        add_tests::<Diesel<diesel::MysqlConnection>>(&mut suite, Backend::MySql);
        add_tests::<Diesel<diesel::MysqlConnection>>(&mut suite, Backend::MariaDb);
    }
    Ok(suite.run())
}

fn add_tests<D: Driver>(suite: &mut Suite, backend: Backend) {
    let named = |scenario: &str| format!("{}::{scenario}", D::NAME);
    suite.test_on_server(
        backend,
        &named("a_database_goes_with_its_test"),
        a_database_goes_with_its_test::<D>,
    );
    for Scenario { name, run } in scenarios::all::<D>(backend) {
        suite.test_on(backend, &named(&name), move |database| {
            on_database(database.url(), backend, run)
        });
    }
}

fn on_database<D: Driver>(url: &str, backend: Backend, run: Run<D>) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async { run(&mut Session::<D>::open(url, backend).await?).await })
}

/// A test that panics leaves nothing behind.
fn a_database_goes_with_its_test<D: Driver>(server: &Server) -> Result<()> {
    let mut url = String::new();
    let outcome = catch_unwind(AssertUnwindSafe(|| -> Result<()> {
        let database = server.create_database()?;
        url.push_str(database.url());
        let panicking: Run<D> = Box::new(|session| {
            Box::pin(async {
                session.execute("CREATE TABLE leftover (n INT)").await?;
                session.execute("SELECT n FROM leftover").await?;
                // A panic without a message in the output.
                resume_unwind(Box::new("the test panics"))
            })
        });
        on_database(database.url(), server.backend(), panicking)
    }));
    let has_panicked = matches!(&outcome, Err(panic) if panic.is::<&str>());
    ensure!(has_panicked, "the test ended with {outcome:?}");

    // Reading what is there, without making a new file in SQLite.
    let url = url.replace("mode=rwc", "mode=ro");
    let looking: Run<D> =
        Box::new(|session| Box::pin(async { session.execute("SELECT n FROM leftover").await }));
    ensure!(
        on_database(&url, server.backend(), looking).is_err(),
        "{url} is still there"
    );
    Ok(())
}
