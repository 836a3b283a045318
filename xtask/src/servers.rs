//! The tests next to servers that `.ci/servers` starts.

use anyhow::{Result, ensure};

use crate::command;

/// As in the names of variables of cargo: servers are started on nothing else.
const TARGET: &str = "X86_64_UNKNOWN_LINUX_GNU";

/// How far the clock of tests is ahead, to another day, month and year.
const AHEAD: &str = "faketime -m -f +1866d";

/// Compares what today's servers say about the checked queries.
pub(crate) fn prepare() -> Result<()> {
    let mut prepare = command::external("bash");
    let words = ".ci/servers current cargo xtask prepare --check";
    command::run(prepare.args(words.split(' ')))
}

/// Runs the tests next to the oldest servers that are supported.
pub(crate) fn older() -> Result<()> {
    let mut tests = command::external("bash");
    command::run(tests.args([".ci/servers", "older", "cargo", "xtask", "test"]))
}

/// Runs the tests, but not the servers, at another date, so that nothing in them depends on today's.
pub(crate) fn under_a_moved_clock() -> Result<()> {
    let faketime = command::output(command::external("faketime").arg("--version"));
    ensure!(faketime.is_ok(), "faketime is not installed");
    let mut tests = command::external("bash");
    // Cargo and the compiler keep the clock of the files that they compare.
    tests.env(format!("CARGO_TARGET_{TARGET}_RUNNER"), AHEAD);
    // Only the date moves: time-outs take as long as they should.
    tests.env("FAKETIME_DONT_FAKE_MONOTONIC", "1");
    command::run(tests.args([".ci/servers", "current", "cargo", "xtask", "test"]))
}
