//! Keys of tables in real databases change in place.
//!
//! A test is called `<backend>::<module>::<scenario>`. `ROWKEY_CHAOS=1` makes the tables and the
//! number of killed processes of the `chaos` tests large, and some others.

mod domains;
mod relayout;

use std::env;
use std::process::ExitCode;

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

fn main() -> Result<ExitCode> {
    if let Some(code) = relayout::as_child() {
        return Ok(code);
    }
    let mut suite = Suite::from_env()?;
    suite.module("domains", domains::add_tests);
    suite.module("relayout", relayout::add_tests);
    Ok(suite.run())
}
