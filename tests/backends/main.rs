//! Scenarios on real databases: each is written once and runs on every backend that there is.
//!
//! A test is called `<backend>::<driver>::<scenario>`, or `<backend>::every-driver::<scenario>`
//! where all drivers of a backend meet. Those of a backend without an address are ignored, or fail
//! if `ROWKEY_TEST_REQUIRE` names it; see [`rowkey_testkit`]. Diesel on PostgreSQL, MySQL and
//! MariaDB is behind the features `diesel-postgres` and `diesel-mysql` of this package.

mod book;
mod cases;
mod checked_queries;
mod diesel_queries;
mod driver;
mod drivers;
mod every_driver;
mod index_use;
mod keys;
mod partitioned;
mod query;
mod routed;
mod samples;
mod scenario;
mod scenarios;
mod table;

use std::env;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::process::ExitCode;

use anyhow::{Result, ensure};
use rowkey_testkit::{Backend, Server, Suite, test_name};
use sqlx::{MySql, Postgres, Sqlite};

use crate::cases::Cases;
use crate::driver::{Driver, Session};
use crate::drivers::diesel::Diesel;
use crate::drivers::sea_orm::SeaOrm;
use crate::drivers::sqlx::Sqlx;
use crate::drivers::tiberius::Tiberius;
use crate::every_driver::Connect;
use crate::scenario::{Run, Scenario};
use crate::scenarios::{many, own};

fn main() -> Result<ExitCode> {
    let mut tests = Tests {
        suite: Suite::from_env()?,
        drivers: Vec::new(),
    };
    tests.add::<Sqlx<Postgres>>(Backend::Postgres, |_| own::postgres());
    tests.add::<Sqlx<MySql>>(Backend::MySql, own::mysql);
    tests.add::<Sqlx<MySql>>(Backend::MariaDb, own::mysql);
    tests.add::<Sqlx<Sqlite>>(Backend::Sqlite, |_| own::sqlite());
    tests.add::<Diesel<diesel::SqliteConnection>>(Backend::Sqlite, many::scenarios);
    #[cfg(feature = "diesel-postgres")]
    tests.add::<Diesel<diesel::PgConnection>>(Backend::Postgres, many::scenarios);
    #[cfg(feature = "diesel-mysql")]
    {
        tests.add::<Diesel<diesel::MysqlConnection>>(Backend::MySql, many::scenarios);
        tests.add::<Diesel<diesel::MysqlConnection>>(Backend::MariaDb, many::scenarios);
    }
    for backend in [
        Backend::Postgres,
        Backend::MySql,
        Backend::MariaDb,
        Backend::Sqlite,
    ] {
        tests.add::<SeaOrm>(backend, many::scenarios_of_one_value);
    }
    tests.add::<Tiberius>(Backend::SqlServer, |_| own::sql_server());
    every_driver::add_tests(&mut tests.suite, &tests.drivers);
    diesel_queries::add_tests(&mut tests.suite);
    checked_queries::add_tests(&mut tests.suite);

    if !cfg!(feature = "diesel-postgres") {
        let reason = "built without the feature diesel-postgres, which needs libpq";
        tests.suite.left_out("diesel", [Backend::Postgres], reason);
    }
    if !cfg!(feature = "diesel-mysql") {
        let reason =
            "built without the feature diesel-mysql, which needs libmariadb or libmysqlclient";
        let backends = [Backend::MySql, Backend::MariaDb];
        tests.suite.left_out("diesel", backends, reason);
    }
    Ok(tests.suite.run())
}

/// The tests, and the drivers that they are of.
struct Tests {
    suite: Suite,
    drivers: Vec<(Backend, Connect)>,
}

impl Tests {
    /// Adds the scenarios of a driver on a backend, those that all drivers run and its own.
    fn add<D: Cases>(&mut self, backend: Backend, own: fn(Backend) -> Vec<Scenario<D>>) {
        let named = |scenario: &str| format!("{}::{scenario}", D::NAME);
        self.suite.test_on_server(
            backend,
            &named("a_database_goes_with_its_test"),
            a_database_goes_with_its_test::<D>,
        );
        let scenarios = scenarios::of_every_driver(backend)
            .into_iter()
            .chain(own(backend));
        for Scenario { name, assumes, run } in scenarios {
            let name = named(&name);
            let unmet = assumes
                .filter(|_| !is_other_test_alone(backend, &name))
                .zip(self.suite.server(backend))
                .and_then(|(assumption, server)| D::unmet(assumption, server));
            match unmet {
                Some(reason) => self.suite.ignore_on(backend, &name, reason),
                None => self.suite.test_on(backend, &name, move |database| {
                    on_database(database.url(), backend, run)
                }),
            }
        }
        self.drivers.push((backend, every_driver::connect::<D>));
    }
}

/// Whether this process was started for another test, as harnesses do that run each test in a
/// process of its own. Servers need not be asked then what the test assumes.
fn is_other_test_alone(backend: Backend, name: &str) -> bool {
    let name = format!("{}::{name}", test_name(backend));
    let mut arguments = env::args().skip(1);
    arguments.any(|argument| argument == "--exact") && !env::args().any(|argument| argument == name)
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
