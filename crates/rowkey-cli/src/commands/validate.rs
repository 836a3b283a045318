//! `rowkey validate`.

use rowkey_core::{CreationWindow, ShortPrefixComb, Tolerance, UnixMillis, ValidationError};
use serde::Serialize;

use crate::args::Validate;
use crate::failure::{Failure, Outcome, Stop};
use crate::line::Unreadable;
use crate::stream::{Gap, Refusal, answer_each, json_line, text_line};

/// Accepts the counter of every short prefix COMB.
const ANY_TIME: CreationWindow = CreationWindow {
    past: Tolerance::Intervals(u64::MAX),
    future: Tolerance::Intervals(u64::MAX),
};

#[derive(Serialize)]
struct Verdict<'a> {
    id: &'a str,
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
    answer_each(&args.ids, Gap::EmptyLine, |text, line| {
        let now = args.at.unwrap_or_else(UnixMillis::now);
        let id = text.unwrap_or_default();
        match check(text, window, interval_ms, now) {
            Ok(counter) if json => {
                let counter = Some(counter);
                json_line(
                    line,
                    &Verdict {
                        id,
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
    window: CreationWindow,
    interval_ms: u64,
    now: UnixMillis,
) -> Result<u16, Invalid> {
    // The interval is only known now, but it matters to the window alone: read the id with a window
    // that lets every counter pass, then check its counter.
    let id: ShortPrefixComb = ANY_TIME.parse(text?, now)?;
    window.check_counter(id.counter(), interval_ms, now)?;
    Ok(id.counter())
}

impl From<Unreadable> for Invalid {
    fn from(unreadable: Unreadable) -> Self {
        Self {
            reason: "malformed",
            counter: None,
            failure: unreadable.into(),
        }
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
                "ids are read exactly as printed, without blanks, quotes, braces or prefixes",
            ),
        };
        Self {
            reason,
            counter,
            failure: Failure::bad_input(error, hint),
        }
    }
}
