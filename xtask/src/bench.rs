//! `cargo xtask bench`: the benchmarks of the workspace.

use std::process::Command;

use anyhow::{Result, bail};

use crate::{
    command, tool,
    workspace::{BENCH_PACKAGE, Metadata},
};

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
    for mut command in commands(&Metadata::load()?) {
        command::run(&mut command)?;
    }
    Ok(())
}

/// What a benchmark run consists of, in this order.
fn commands(metadata: &Metadata) -> Vec<Command> {
    let mut commands = vec![
        command::cargo(&["bench", "-p", BENCH_PACKAGE, "--bench", "instructions"]),
        command::cargo(&["bench", "-p", BENCH_PACKAGE, "--bench", "wall"]),
    ];
    let has_ratios = metadata
        .member(BENCH_PACKAGE)
        .is_some_and(|package| package.targets_of_kind("bin").any(|name| name == "ratios"));
    if has_ratios {
        commands.push(command::cargo(&[
            "run",
            "--release",
            "-p",
            BENCH_PACKAGE,
            "--bin",
            "ratios",
        ]));
    }
    commands
}
