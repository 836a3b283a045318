//! Tables of real databases go to another database.
//!
//! A test is called `<backend>::<module>::<scenario>`. `ROWKEY_CHAOS=1` makes the tables and the
//! number of killed processes of the `chaos` tests large, and some others.

mod chunks;
mod copy;
mod parquet;
mod privileges;

use std::collections::BTreeMap;
use std::env;
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};

use anyhow::Result;
use rowkey_testkit::{Backend, Suite};

/// The backends that are there to be run on; SQL Server takes part where its address is given.
const LIVE: [Backend; 4] = [
    Backend::Postgres,
    Backend::MySql,
    Backend::MariaDb,
    Backend::Sqlite,
];

/// Whether the long tests are to run.
fn is_large() -> bool {
    env::var_os("ROWKEY_CHAOS").is_some_and(|value| value == "1")
}

/// Whether the server of a backend is older than a version. One that cannot be asked lets the tests
/// run and fail.
fn is_older(suite: &Suite, (backend, since): (Backend, &'static str)) -> bool {
    // Each is asked once.
    static VERSIONS: Mutex<BTreeMap<Backend, Option<String>>> = Mutex::new(BTreeMap::new());
    let numbers = |version: &str| -> Vec<u32> {
        let numbers = version.split('.').map_while(|number| number.parse().ok());
        numbers.collect()
    };
    let mut versions = VERSIONS.lock().unwrap_or_else(PoisonError::into_inner);
    let version = versions.entry(backend).or_insert_with(|| {
        let server = suite.server(backend)?;
        server.version().ok().flatten()
    });
    let version = version.as_deref();
    version.is_some_and(|version| numbers(version) < numbers(since))
}

fn main() -> Result<ExitCode> {
    if let Some(code) = copy::as_child() {
        return Ok(code);
    }
    let mut suite = Suite::from_env()?;
    suite.module("chunks", chunks::add_tests);
    suite.module("copy", copy::add_tests);
    suite.module("parquet", parquet::add_tests);
    suite.module("privileges", privileges::add_tests);
    Ok(suite.run())
}
