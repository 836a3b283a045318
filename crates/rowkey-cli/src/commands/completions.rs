//! `rowkey completions`.

use std::io::Write;

use clap::CommandFactory;

use crate::args::{Cli, Completions};
use crate::failure::{Outcome, Stop};
use crate::stream::output;

/// Prints the script.
pub(super) fn run(args: &Completions) -> Result<Outcome, Stop> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "rowkey", &mut script);
    let mut output = output();
    output.write_all(&script)?;
    output.flush()?;
    Ok(Outcome::Complete)
}
