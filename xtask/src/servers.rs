//! The tests next to servers that `.ci/servers` starts.

use std::env;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::command;

/// As in the names of variables of cargo: servers are started on nothing else.
const TARGET: &str = "X86_64_UNKNOWN_LINUX_GNU";

/// How far the clock of tests is ahead, to another day, month and year.
const AHEAD: &str = "faketime -m -f +1866d";

/// The tests that talk to a server. What an older version has left in MySQL was recorded for
/// MySQL 9, whose catalogue 5.6 does not have.
const OF_SERVERS: &str = "test(/^(postgres|mysql|mariadb)::/) \
    and not test(/^mysql::.*::an_older_version_has_left_one/)";

/// All but what needs two clocks of the system, of which faketime moves one (the coarse one, by
/// which short COMBs are made, stands), what starts the compiler, whose allocator and faketime wait
/// for each other, and what forks while another thread may be inside faketime, whose lock the child
/// then waits for. Changes and copies of tables write the same dates next to every server, and take
/// the longest: PostgreSQL's are enough.
const WITH_A_MOVED_CLOCK: &str = "not (test(the_coarse_clock_is_a_little_late) \
    or test(children_never_wait_for_threads_of_their_parent) \
    or (package(booking-service) and binary(end_to_end)) \
    or (package(repository) and test(/put_once|put_later|is_put|http_re|commands_are_found|program_answers/)) \
    or test(/^(mysql|mariadb|sqlite)::(relayout|copy|parquet|chunks)::/) \
    or package(rowkey-bench) or package(rowkey-compile-tests))";

/// Fails where servers cannot be started, or the clock cannot be moved.
pub(crate) fn require() -> Result<()> {
    let user = command::output(command::external("id").arg("--user"))?;
    ensure!(user.trim() == "0", "only root can start servers");
    let compiler = command::output(command::external("rustc").args(["--print", "host-tuple"]))?;
    let target = compiler.trim().to_uppercase().replace('-', "_");
    ensure!(target == TARGET, "servers are started on {TARGET} only");
    let year = |command: &mut Command| -> Result<u32> {
        let year = command::output(command.arg("+%Y"))?;
        Ok(year.trim().parse()?)
    };
    let (faketime, ahead) = AHEAD.split_once(' ').unwrap_or_default();
    let mut moved = command::external(faketime);
    moved.args(ahead.split(' ')).arg("date");
    let moved = year(&mut moved).context("faketime is not installed")?;
    let today = year(&mut command::external("date"))?;
    ensure!(moved >= today + 5, "faketime does not move the clock");
    Ok(())
}

/// Compares what today's servers say about the checked queries.
pub(crate) fn prepare() -> Result<()> {
    let mut prepare = command::external("bash");
    let words = ".ci/servers current cargo xtask prepare --check";
    command::run(prepare.args(words.split(' ')))
}

/// Runs the tests of servers next to the oldest ones that are supported.
pub(crate) fn older() -> Result<()> {
    let mut tests = command::external("bash");
    tests.args([".ci/servers", "older", "cargo", "xtask", "test"]);
    command::run(tests.args(["--", "-E", OF_SERVERS]))
}

/// Runs the tests, but not the servers, at another date, so that nothing in them depends on
/// today's.
pub(crate) fn under_a_moved_clock() -> Result<()> {
    let mut tests = command::external("bash");
    // Cargo and the compiler keep theirs, and so does this program, which starts them: by its own
    // name, because cargo would start it as it starts tests.
    let program = env::current_exe().context("this program has no name")?;
    tests.env(format!("CARGO_TARGET_{TARGET}_RUNNER"), AHEAD);
    // Only the date moves: time-outs take as long as they should.
    tests.env("FAKETIME_DONT_FAKE_MONOTONIC", "1");
    tests.args([".ci/servers", "current"]).arg(program);
    command::run(tests.args(["test", "--", "-E", WITH_A_MOVED_CLOCK]))
}
