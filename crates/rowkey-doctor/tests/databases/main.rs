//! What the doctor finds in real databases.
//!
//! A test is called `<backend>::doctor::<scenario>`.

mod doctor;

use std::process::ExitCode;

use anyhow::Result;
use rowkey_testkit::Suite;

fn main() -> Result<ExitCode> {
    let mut suite = Suite::from_env()?;
    suite.module("doctor", doctor::add_tests);
    Ok(suite.run())
}
