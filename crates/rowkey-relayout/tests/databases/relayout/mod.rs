//! A key changes the form of its ids in place, with every reference to it, on real databases.
//!
//! A scenario is written once and runs on every backend. `ROWKEY_CHAOS=1` makes the tables and the
//! number of killed processes large.

/// Adds scenarios for some backends, each on a shop of its own.
macro_rules! scenarios {
    ($suite:ident, $backends:expr; $($name:literal => $scenario:expr,)+) => {
        $(crate::relayout::add_on($suite, $backends, $name, $scenario);)+
    };
}

mod asked;
mod backends;
mod begun;
mod between_phases;
mod by_values;
mod chaos;
mod dialect;
mod interrupted;
mod journal;
mod kills;
mod refusals;
mod rekeyed;
mod round_trip;
mod rows;
mod shop;
mod times;
mod undone;
mod verified;

use std::future::Future;
use std::process::ExitCode;

use anyhow::Result;
use rowkey_testkit::{Backend, Suite, TestDatabase};

use crate::LIVE;
use crate::relayout::dialect::Dialect;
use crate::relayout::shop::Shop;

/// What a child process of this binary does, if it is one.
pub(crate) fn as_child() -> Option<ExitCode> {
    interrupted::as_child().or_else(backends::as_child)
}

pub(crate) fn add_tests(suite: &mut Suite) {
    round_trip::add_tests(suite);
    undone::add_tests(suite);
    refusals::add_tests(suite);
    asked::add_tests(suite);
    by_values::add_tests(suite);
    verified::add_tests(suite);
    rekeyed::add_tests(suite);
    between_phases::add_tests(suite);
    times::add_tests(suite);
    chaos::add_tests(suite);
    begun::add_tests(suite);
    backends::add_tests(suite);
}

/// Adds a scenario for every backend, on a shop of its own. On SQL Server, what is printed is
/// executed: once, because nothing there knows how far a change is.
fn add_printed<S, F>(suite: &mut Suite, name: &str, scenario: S)
where
    S: Fn(Shop) -> F + Clone + Send + 'static,
    F: Future<Output = Result<()>>,
{
    add_on(suite, &Backend::ALL, name, scenario);
}

/// Adds a scenario for every backend on which changes are run, on a shop of its own.
fn add<S, F>(suite: &mut Suite, name: &str, scenario: S)
where
    S: Fn(Shop) -> F + Clone + Send + 'static,
    F: Future<Output = Result<()>>,
{
    add_on(suite, &LIVE, name, scenario);
}

/// Adds a scenario for some backends, on a shop of its own.
fn add_on<S, F>(suite: &mut Suite, backends: &[Backend], name: &str, scenario: S)
where
    S: Fn(Shop) -> F + Clone + Send + 'static,
    F: Future<Output = Result<()>>,
{
    suite.test(name, backends.iter().copied(), move |database| {
        on_shop(database, &scenario)
    });
}

fn on_shop<S, F>(database: &TestDatabase, scenario: &S) -> Result<()>
where
    S: Fn(Shop) -> F,
    F: Future<Output = Result<()>>,
{
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(4)
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let dialect = Dialect::of(database.backend());
        scenario(Shop::open(dialect, database.url())?).await
    })
}
