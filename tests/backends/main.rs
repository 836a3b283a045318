//! Scenarios on real databases: each is written once and runs on every backend that there is.
//!
//! A test is called `<backend>::<scenario>`. Those of a backend without an address are ignored, or
//! fail if `ROWKEY_TEST_REQUIRE` names it; see [`rowkey_tests::backend`].

mod driver;
mod keys;
mod samples;
mod scenarios;
mod table;

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::process::ExitCode;

use anyhow::{Result, ensure};
use libtest_mimic::{Arguments, Completion, Failed, Trial};
use rowkey::Backend;
use rowkey_tests::backend::{Search, Server, test_name};
use sqlx::{MySql, Postgres, Sqlite};

use crate::driver::{Driver, Session};
use crate::scenarios::{Run, Scenario};

fn main() -> Result<ExitCode> {
    let arguments = Arguments::from_args();
    let mut trials = Vec::new();
    for backend in Backend::ALL {
        let search = Server::find(backend)?;
        match backend {
            Backend::Postgres => add_trials::<Postgres>(&mut trials, backend, &search),
            Backend::MySql | Backend::MariaDb => {
                add_trials::<MySql>(&mut trials, backend, &search);
            }
            Backend::Sqlite => add_trials::<Sqlite>(&mut trials, backend, &search),
            Backend::SqlServer => {}
        }
    }
    Ok(libtest_mimic::run(&arguments, trials).exit_code())
}

/// What runs once the backend's server is found.
type Test = Box<dyn FnOnce(&Server) -> Result<()> + Send>;

fn add_trials<D: Driver>(trials: &mut Vec<Trial>, backend: Backend, search: &Search) {
    let mut add = |name: &str, run: Test| {
        let name = format!("{}::{name}", test_name(backend));
        trials.push(match search.clone() {
            Search::Found(server) => Trial::test(name, move || run(&server).map_err(explained)),
            Search::Missing(reason) => {
                Trial::ignorable_test(name, || Ok(Completion::ignored_with(reason)))
            }
            Search::Required(reason) => Trial::test(name, || Err(reason.into())),
        });
    };
    add(
        "a_database_goes_with_its_test",
        Box::new(a_database_goes_with_its_test::<D>),
    );
    for Scenario { name, run } in scenarios::all::<D>(backend) {
        add(&name, Box::new(move |server| on_new_database(server, run)));
    }
}

/// Runs something on a database of its own, which goes in any case.
fn on_new_database<D: Driver>(server: &Server, run: Run<D>) -> Result<()> {
    let database = server.create_database()?;
    on_database(database.url(), server.backend(), run)
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
                session.fetch_text("CREATE TABLE leftover (n INT)").await?;
                session.fetch_text("SELECT n FROM leftover").await?;
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
    let looking: Run<D> = Box::new(|session| {
        Box::pin(async {
            session.fetch_text("SELECT n FROM leftover").await?;
            Ok(())
        })
    });
    ensure!(
        on_database(&url, server.backend(), looking).is_err(),
        "{url} is still there"
    );
    Ok(())
}

/// The error with all that led to it.
fn explained(error: anyhow::Error) -> Failed {
    format!("{error:#}").into()
}
