//! What clap has to say about a command line.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::error::ErrorKind;

use crate::failure::{Failure, Stop};

/// Prints help or a version as asked for, or the error in one line with a hint.
pub(crate) fn report(error: &clap::Error) -> ExitCode {
    match error.kind() {
        ErrorKind::DisplayHelp
        | ErrorKind::DisplayVersion
        | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            match error.print().and_then(|()| io::stdout().flush()) {
                Ok(()) => ExitCode::from(error.exit_code() as u8),
                Err(error) => Stop::from(error).report(),
            }
        }
        _ => Stop::from(failure(&error.to_string())).report(),
    }
}

/// Folds clap's paragraphs (message, tips, usage, pointer to the help) into one line.
fn failure(rendered: &str) -> Failure {
    let mut message = Vec::new();
    let mut hints = Vec::new();
    let paragraphs = rendered
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty());
    for line in paragraphs.take_while(|line| !line.starts_with("Usage:")) {
        if let Some(tip) = line.strip_prefix("tip: ") {
            hints.push(tip);
        } else if !line.starts_with("For more information") {
            message.push(line.strip_prefix("error: ").unwrap_or(line));
        }
    }
    hints.push("try --help");
    Failure::wrong_usage(message.join(" "), hints.join("; "))
}
