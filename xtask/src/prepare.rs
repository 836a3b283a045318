//! `cargo xtask prepare`: what databases say about the checked queries of the example.

use anyhow::Result;

use crate::command;

/// Arguments of `cargo xtask prepare`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Write nothing, and fail unless `.sqlx` says what the databases say.
    #[arg(long)]
    check: bool,
}

/// Runs the program that asks them. It is not part of the tasks, which would
/// have to be built with every driver.
pub(crate) fn run(args: &Args) -> Result<()> {
    let mut prepare = command::cargo(&["run", "-p", "checked-queries-prepare", "--"]);
    command::run(prepare.args(args.check.then_some("--check")))
}
