//! Errors as one line with a hint, and their exit codes.

use std::borrow::Cow;
use std::fmt;
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::LazyLock;

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use rowkey_core::error::ErrorKind;
use rowkey_core::{Error, UnixMillis};

use crate::time::to_rfc3339;

const ERROR: Style = AnsiColor::Red.on_default().bold();
const HINT: Style = AnsiColor::Cyan.on_default();

/// The exit code for bad input.
const BAD_INPUT: u8 = 1;
/// The exit code for wrong usage, which is also what clap uses.
const WRONG_USAGE: u8 = 2;

/// The exit code for work that was interrupted and can go on.
#[cfg(feature = "databases")]
const INTERRUPTED: u8 = 3;

/// One error: a message, a hint and an exit code.
#[derive(Debug)]
pub(crate) struct Failure {
    code: u8,
    message: String,
    hint: Cow<'static, str>,
}

impl Failure {
    /// The arguments are valid, but the input is not.
    pub(crate) fn bad_input(
        message: impl fmt::Display,
        hint: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self {
            code: BAD_INPUT,
            message: message.to_string(),
            hint: hint.into(),
        }
    }

    /// The arguments are invalid, alone or in combination.
    pub(crate) fn wrong_usage(
        message: impl fmt::Display,
        hint: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self {
            code: WRONG_USAGE,
            message: message.to_string(),
            hint: hint.into(),
        }
    }

    /// The work was interrupted.
    #[cfg(feature = "databases")]
    pub(crate) fn interrupted() -> Self {
        Self {
            code: INTERRUPTED,
            message: "interrupted".into(),
            hint: "the same command goes on where it was".into(),
        }
    }

    /// This failure, prefixed with its place.
    #[must_use]
    pub(crate) fn at(mut self, place: impl fmt::Display) -> Self {
        self.message = format!("{place}: {}", self.message);
        self
    }

    /// This failure with another hint.
    #[must_use]
    pub(crate) fn with_hint(mut self, hint: impl Into<Cow<'static, str>>) -> Self {
        self.hint = hint.into();
        self
    }

    /// The message without place and hint.
    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    /// Writes the one line to standard error, in colour if that is a terminal.
    pub(crate) fn report(&self) {
        static IN_COLOUR: LazyLock<bool> =
            LazyLock::new(|| AutoStream::choice(&io::stderr()) != ColorChoice::Never);
        let (message, hint) = (one_line(&self.message), one_line(&self.hint));
        // One write, because there can be many. A failed write to standard error cannot be
        // reported.
        let _ = if *IN_COLOUR {
            let line = format!("{ERROR}error:{ERROR:#} {message} {HINT}(hint: {hint}){HINT:#}\n");
            anstream::stderr().write_all(line.as_bytes())
        } else {
            io::stderr().write_all(format!("error: {message} (hint: {hint})\n").as_bytes())
        };
    }
}

/// An id, a number or a time that the library refuses.
impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        if let Some((format, time, valid)) = error.time() {
            let (min, max) = valid.into_inner();
            return Self::bad_input(
                format_args!("{} is outside the times of a {format}", to_text(time)),
                format!("valid times are from {} to {}", to_text(min), to_text(max)),
            );
        }
        let hint = match error.kind() {
            ErrorKind::Text => "ids are read exactly as printed, without spaces, quotes or braces",
            ErrorKind::Format => {
                "`rowkey inspect` without --format shows which formats the id may have"
            }
            ErrorKind::OutOfRange => "give a number within the field's range",
            ErrorKind::Name => "give another name, on the command line or in the plan",
            _ => "`rowkey help` shows what each command takes",
        };
        Self::bad_input(error, hint)
    }
}

/// A time as RFC 3339, or as the library prints it if it is outside of that range.
fn to_text(time: UnixMillis) -> String {
    to_rfc3339(time).unwrap_or_else(|| time.to_string())
}

/// Why a command ends early.
#[derive(Debug)]
pub(crate) enum Stop {
    /// Something is wrong.
    Failure(Failure),
    /// The reader of the output, such as `head`, has closed it.
    ClosedPipe,
}

impl Stop {
    /// Reports a failure, if it is one; the exit code of the program.
    pub(crate) fn report(&self) -> ExitCode {
        match self {
            Self::Failure(failure) => {
                failure.report();
                ExitCode::from(failure.code)
            }
            Self::ClosedPipe => ExitCode::SUCCESS,
        }
    }
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Failure(error.into())
    }
}

/// A failure to write the output.
impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            Self::ClosedPipe
        } else {
            Self::Failure(Failure::bad_input(
                format_args!("the output cannot be written: {error}"),
                "check the target of standard output",
            ))
        }
    }
}

/// How a command that did not stop ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Every id was processed.
    Complete,
    /// Bad ids were reported and skipped.
    SomeBad,
}

impl Outcome {
    pub(crate) fn exit_code(self) -> ExitCode {
        match self {
            Self::Complete => ExitCode::SUCCESS,
            Self::SomeBad => ExitCode::from(BAD_INPUT),
        }
    }
}

/// The text with everything escaped that would break the line or control a terminal.
fn one_line(text: &str) -> String {
    text.chars()
        .fold(String::with_capacity(text.len()), |mut line, character| {
            if !stays_in_line(character) {
                line.extend(character.escape_default());
            } else {
                line.push(character);
            }
            line
        })
}

/// Whether a character neither ends the line nor controls a terminal or the direction of the text.
pub(crate) fn stays_in_line(character: char) -> bool {
    let turns = matches!(character, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    !character.is_control() && !turns
}
