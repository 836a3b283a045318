//! `cargo xtask bench`: the benchmarks of the workspace.

use std::process::Command;

use anyhow::{Result, bail};

use crate::{command, tool, workspace::BENCH_PACKAGE};

/// Arguments of `cargo xtask bench`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

/// Runs the benchmarks one after the other; side by side they would disturb
/// each other.
pub(crate) fn run(_args: &Args) -> Result<()> {
    tool::GUNGRAUN.require()?;
    if command::output(Command::new("valgrind").arg("--version")).is_err() {
        bail!("valgrind is not installed; install the package `valgrind` of your system");
    }
    for mut command in commands() {
        command::run(&mut command)?;
    }
    Ok(())
}

/// What a benchmark run consists of, in this order.
fn commands() -> [Command; 3] {
    [
        command::cargo(&[
            "bench",
            "-p",
            BENCH_PACKAGE,
            "--bench",
            "instructions",
            "--",
            // For `ratios`.
            "--save-summary=json",
        ]),
        command::cargo(&["bench", "-p", BENCH_PACKAGE, "--bench", "wall"]),
        // The profile of the benchmarks: `ratios` takes figures only of its own build.
        command::cargo(&[
            "run",
            "--profile",
            "bench",
            "-p",
            BENCH_PACKAGE,
            "--bin",
            "ratios",
        ]),
    ]
}
