//! `rowkey validate`.

use rowkey_core::format::FormatKind;
use rowkey_core::validate::{CreationWindow, Tolerance, ValidationError};
use rowkey_core::{Error, ShortPrefixComb, UnixMillis};
use serde::Serialize;

use crate::args::Validate;
use crate::failure::{Failure, Outcome, Stop};
use crate::line::Unreadable;
use crate::prefix::{self, Prefix};
use crate::stream::{Refusal, RefusedLine, answer_each, json_line, text_line};

#[derive(Serialize)]
struct Verdict<'a> {
    id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    prefix: Option<&'a str>,
    valid: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    counter: Option<u16>,
}

/// Why an id does not pass.
struct Invalid {
    reason: &'static str,
    counter: Option<u16>,
    failure: Failure,
}

/// Checks the ids.
pub(super) fn run(args: &Validate, json: bool) -> Result<Outcome, Stop> {
    let interval_ms = args.interval.unwrap_or_default().millis();
    let default = CreationWindow::default();
    let window = CreationWindow {
        past: args.past.map_or(default.past, Tolerance::from),
        future: args.future.map_or(default.future, Tolerance::from),
    };
    answer_each(&args.ids, RefusedLine::EmptyLine, |text, line| {
        let now = args.at.unwrap_or_else(UnixMillis::now);
        let id = text.unwrap_or_default();
        match check(text, args.prefix.as_ref(), window, interval_ms, now) {
            Ok(counter) if json => {
                let counter = Some(counter);
                json_line(
                    line,
                    &Verdict {
                        id,
                        prefix: prefix::of(id),
                        valid: true,
                        reason: None,
                        message: None,
                        counter,
                    },
                );
                Ok(())
            }
            Ok(_) => {
                text_line(line, "valid");
                Ok(())
            }
            Err(Invalid {
                reason,
                counter,
                failure,
            }) if json => {
                let (reason, message) = (Some(reason), Some(failure.message()));
                json_line(
                    line,
                    &Verdict {
                        id,
                        prefix: prefix::of(id),
                        valid: false,
                        reason,
                        message,
                        counter,
                    },
                );
                Err(Refusal::answered(failure))
            }
            Err(Invalid { failure, .. }) => Err(failure.into()),
        }
    })
}

/// The counter of an id that passes.
fn check(
    text: Result<&str, Unreadable>,
    prefix: Option<&Prefix>,
    window: CreationWindow,
    interval_ms: u64,
    now: UnixMillis,
) -> Result<u16, Invalid> {
    let text = text?;
    if text.trim().is_empty() {
        return Err(ValidationError::Missing.into());
    }
    if let Some(prefix) = prefix {
        prefix.require(text).map_err(Invalid::malformed)?;
    }
    let id = read(text).map_err(|error| {
        let invalid = Invalid::from(ValidationError::from(error));
        Invalid {
            failure: prefix::locate(text, invalid.failure),
            ..invalid
        }
    })?;
    window.check_counter(id.counter(), interval_ms, now)?;
    Ok(id.counter())
}

fn read(text: &str) -> Result<ShortPrefixComb, Error> {
    prefix::read_public(FormatKind::ShortPrefixComb, text)?.try_into()
}

impl Invalid {
    fn malformed(failure: impl Into<Failure>) -> Self {
        Self {
            reason: "malformed",
            counter: None,
            failure: failure.into(),
        }
    }
}

impl From<Unreadable> for Invalid {
    fn from(unreadable: Unreadable) -> Self {
        Self::malformed(unreadable)
    }
}

impl From<ValidationError> for Invalid {
    fn from(error: ValidationError) -> Self {
        let (reason, counter, hint) = match &error {
            ValidationError::Missing => (
                "missing",
                None,
                "the client has to send the id of the new entity",
            ),
            ValidationError::NotRandomV4(_) => (
                "not-random-v4",
                None,
                "the client has to make a short prefix COMB",
            ),
            ValidationError::OutsideWindow { counter, .. } => (
                "outside-window",
                Some(*counter),
                "compare the clocks and the intervals, or widen --past or --future",
            ),
            _ => (
                "malformed",
                None,
                "ids are read exactly as printed, without spaces, quotes or braces",
            ),
        };
        Self {
            reason,
            counter,
            failure: Failure::bad_input(error, hint),
        }
    }
}
