//! `rowkey completions`.

use clap::CommandFactory;

use crate::args::{Cli, Completions};
use crate::failure::{Outcome, Stop};
use crate::stream::print;

/// Prints the script.
pub(super) fn run(args: &Completions) -> Result<Outcome, Stop> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "rowkey", &mut script);
    print(&script)?;
    Ok(Outcome::Complete)
}
