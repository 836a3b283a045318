//! Errors and help that clap reports.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::cipher_keys::KeySources;
use crate::failure::{Failure, Stop};

/// Prints the requested help or version, or the error in one line with a hint.
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
        _ => {
            let failure = joined_key_option(error).unwrap_or_else(|| failure(&error.to_string()));
            Stop::from(failure).report()
        }
    }
}

/// A key option that is not separated from its value. clap would print both as an unknown option,
/// and the value may be the key itself.
fn joined_key_option(error: &clap::Error) -> Option<Failure> {
    let Some(ContextValue::String(argument)) = error.get(ContextKind::InvalidArg) else {
        return None;
    };
    let mut options = KeySources::OPTIONS.into_iter();
    let option = options.find(|option| argument.starts_with(&format!("--{option}")))?;
    (error.kind() == ErrorKind::UnknownArgument).then(|| {
        Failure::wrong_usage(
            format_args!("an unexpected argument begins with --{option}"),
            format!("write --{option}, a space and where to find the key, never the key itself"),
        )
    })
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
