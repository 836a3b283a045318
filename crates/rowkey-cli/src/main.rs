//! The `rowkey` command: makes, inspects, converts, validates and sorts database-friendly ids.
//!
//! It reads arguments and lines and prints results; the rules about bits, layouts and orders are in
//! `rowkey-core`.

#![forbid(unsafe_code)]

mod args;
mod cipher_keys;
mod commands;
#[cfg(feature = "databases")]
mod database;
mod failure;
mod fields;
mod format_argument;
mod likelihood;
mod line;
mod number;
#[cfg(feature = "databases")]
mod plan_file;
mod prefix;
mod recognition;
mod representation;
mod secret_file;
mod statements;
mod stream;
mod target;
mod time;
mod usage;

use std::process::ExitCode;

use clap::Parser;

use crate::args::Cli;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage::report(&error),
    };
    match commands::run(&cli) {
        Ok(outcome) => outcome.exit_code(),
        Err(stop) => stop.report(),
    }
}
