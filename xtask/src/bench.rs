//! `cargo xtask bench`: the benchmarks of the workspace.

use std::{path::PathBuf, process::Command};

use anyhow::{Result, bail};

use crate::{
    command, tool,
    workspace::{self, BENCH_PACKAGE},
};

/// Arguments of `cargo xtask bench`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Measure databases instead: inserts and selects of typed keys next to the
    /// driver's own types, and what each format does to an index.
    ///
    /// Uses the servers in ROWKEY_TEST_POSTGRES_URL and ROWKEY_TEST_MARIADB_URL,
    /// with a database of its own, and writes docs/benchmarks.md and its plot.
    /// The buffer pool of MariaDB is made small meanwhile.
    #[arg(long)]
    databases: bool,
    /// Rows of each table.
    #[arg(long, default_value_t = 1_000_000, requires = "databases")]
    rows: u64,
    /// Where the page and the plot go, instead of docs/.
    #[arg(long, requires = "databases")]
    output: Option<PathBuf>,
}

/// Runs the benchmarks one after the other; side by side they would disturb
/// each other.
pub(crate) fn run(args: &Args) -> Result<()> {
    if args.databases {
        return command::run(&mut databases(args));
    }
    tool::GUNGRAUN.require()?;
    if command::output(Command::new("valgrind").arg("--version")).is_err() {
        bail!("valgrind is not installed; install the package `valgrind` of your system");
    }
    for mut command in commands() {
        command::run(&mut command)?;
    }
    Ok(())
}

/// The run on databases.
fn databases(args: &Args) -> Command {
    let mut command = command::cargo(&[
        "run",
        "--profile",
        "bench",
        "-p",
        BENCH_PACKAGE,
        "--features",
        "drivers",
        "--bin",
        "databases",
        "--",
    ]);
    let docs = || workspace::root().join("docs");
    command
        .arg(args.rows.to_string())
        .arg(args.output.clone().unwrap_or_else(docs));
    command
}

/// What a benchmark run consists of, in this order.
fn commands() -> [Command; 3] {
    [
        command::cargo(&[
            "bench",
            "-p",
            BENCH_PACKAGE,
            "--features",
            "drivers",
            "--bench",
            "instructions",
            "--",
            // For `ratios`.
            "--save-summary=json",
        ]),
        command::cargo(&[
            "bench",
            "-p",
            BENCH_PACKAGE,
            "--features",
            "drivers",
            "--bench",
            "wall",
        ]),
        // The profile of the benchmarks: `ratios` takes figures only of its own build.
        command::cargo(&[
            "run",
            "--profile",
            "bench",
            "-p",
            BENCH_PACKAGE,
            "--features",
            "drivers",
            "--bin",
            "ratios",
        ]),
    ]
}
