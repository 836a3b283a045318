//! The one error type of this crate.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use core::fmt;
use core::ops::RangeInclusive;
use core::time::Duration;

use crate::kind::FormatKind;
use crate::layout::Permutation;
use crate::time::UnixMillis;

/// An invalid value or declaration: what is wrong, where, and what was expected.
///
/// The text is for people; programs match on the [`kind`](Self::kind). Positions count characters
/// from 0.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Error(Box<Problem>);

/// The kinds of errors, as far as programs treat them differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A text doesn't have the expected form: its length, a character, its prefix, or a number that
    /// is too large.
    Text,
    /// A value of 128 bits isn't an id of the format, or of the key's group.
    Format,
    /// A column's value isn't of the type, length or form that the key's plan stores.
    Stored,
    /// A number or a time doesn't fit its field, or a value doesn't fit the key's plan.
    OutOfRange,
    /// The generator has made all ids that its clock allows for now: see [`Error::wait`].
    Throttled,
    /// A generator or a group of LUUID keys has no number left.
    Exhausted,
    /// Nothing has this name, or the name can't be an SQL identifier.
    Name,
    /// Something that a program declares isn't possible: a storage, a layout, a partition, an entry
    /// of a registry, or a cipher's key.
    Declaration,
}

/// What an [`Error`] says. The details of frequent errors become text only when they are shown.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Problem {
    #[error("expected {expected}: {problem}")]
    Text {
        expected: Cow<'static, str>,
        problem: TextProblem,
    },

    #[error("not a {format}: {}", format.problem(*value, Permutation::Identity))]
    Format { format: FormatKind, value: u128 },

    #[error("stored {format}: expected {expected}, found {found}")]
    Stored {
        format: FormatKind,
        expected: &'static str,
        found: String,
    },

    #[error("a {format} holds times from {min} to {max}; {time} is outside")]
    Time {
        format: FormatKind,
        time: UnixMillis,
        min: UnixMillis,
        max: UnixMillis,
    },

    #[error("the {format} generator is ahead of its clock; try again in {wait:?}")]
    Throttled { format: FormatKind, wait: Duration },

    #[error("{message}")]
    Other {
        kind: ErrorKind,
        message: Cow<'static, str>,
    },
}

/// Where a text differs from the expected form.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum TextProblem {
    #[error("the text is empty")]
    Empty,
    #[error("found {found} character{}", if *found == 1 { "" } else { "s" })]
    Length { found: usize },
    #[error("{found:?} at position {position}")]
    Character { position: usize, found: char },
    /// The digits are well-formed, but the number is too large for the form.
    #[error("the number starting at position {position} is out of range")]
    TooLarge { position: usize },
}

impl Error {
    /// An error with a message of one's own: for generators, and for sources of numbers.
    #[cold]
    pub fn new(kind: ErrorKind, message: impl Into<Cow<'static, str>>) -> Self {
        let message = message.into();
        Problem::Other { kind, message }.into()
    }

    /// The error of a generator that can make an id after `wait`.
    #[cold]
    pub fn throttled(format: FormatKind, wait: Duration) -> Self {
        Problem::Throttled { format, wait }.into()
    }

    /// A number that doesn't fit a field.
    #[cold]
    pub(crate) fn field(
        format: FormatKind,
        field: &str,
        value: impl fmt::Display,
        valid: RangeInclusive<u128>,
    ) -> Self {
        let (min, max) = valid.into_inner();
        Self::new(
            ErrorKind::OutOfRange,
            format!("{field} of a {format} is {min}..={max}, not {value}"),
        )
    }

    #[cold]
    pub(crate) fn unknown_name(what: &str, name: &str, choices: &str) -> Self {
        Self::new(
            ErrorKind::Name,
            format!("no {what} is called `{name}`; there are {choices}"),
        )
    }

    #[cold]
    pub(crate) fn text(expected: impl Into<Cow<'static, str>>, problem: TextProblem) -> Self {
        let expected = expected.into();
        Problem::Text { expected, problem }.into()
    }

    /// The kind of error, for programs that treat errors differently.
    pub fn kind(&self) -> ErrorKind {
        match *self.0 {
            Problem::Text { .. } => ErrorKind::Text,
            Problem::Format { .. } => ErrorKind::Format,
            Problem::Stored { .. } => ErrorKind::Stored,
            Problem::Time { .. } => ErrorKind::OutOfRange,
            Problem::Throttled { .. } => ErrorKind::Throttled,
            Problem::Other { kind, .. } => kind,
        }
    }

    /// Whether waiting and trying again can succeed.
    pub fn is_throttled(&self) -> bool {
        self.wait().is_some()
    }

    /// How long to wait before the next attempt, if another one can succeed.
    pub fn wait(&self) -> Option<Duration> {
        match *self.0 {
            Problem::Throttled { wait, .. } => Some(wait),
            _ => None,
        }
    }

    fn text_problem(&self) -> Option<&TextProblem> {
        match &*self.0 {
            Problem::Text { problem, .. } => Some(problem),
            _ => None,
        }
    }

    /// Where a text is wrong: the number of characters before the one that isn't allowed, or before
    /// the digits of a number that is too large.
    pub fn position(&self) -> Option<usize> {
        match *self.text_problem()? {
            TextProblem::Character { position, .. } | TextProblem::TooLarge { position } => {
                Some(position)
            }
            TextProblem::Empty | TextProblem::Length { .. } => None,
        }
    }

    /// Whether a text has the expected form, but stands for a number that is too large.
    pub fn is_too_large(&self) -> bool {
        matches!(self.text_problem(), Some(TextProblem::TooLarge { .. }))
    }

    /// The same error of a text or a column with another description of what was expected.
    #[doc(hidden)]
    #[must_use]
    pub fn with_expected(mut self, description: &'static str) -> Self {
        match &mut *self.0 {
            Problem::Text { expected, .. } => *expected = description.into(),
            Problem::Stored { expected, .. } => *expected = description,
            _ => {}
        }
        self
    }

    /// The same error of the text after a prefix, with its position in the whole text.
    #[cold]
    pub(crate) fn after_prefix(mut self, prefix: &str) -> Self {
        if let Problem::Text { expected, problem } = &mut *self.0 {
            if let TextProblem::Character { position, .. } | TextProblem::TooLarge { position } =
                problem
            {
                *position += prefix.len() + 1;
            }
            *expected = format!("{expected} after `{prefix}_`").into();
        }
        self
    }

    /// The format, the time and the valid times of an error about a time: for `rowkey-cli`, which
    /// writes times as dates.
    #[doc(hidden)]
    pub fn time(&self) -> Option<(FormatKind, UnixMillis, RangeInclusive<UnixMillis>)> {
        match *self.0 {
            Problem::Time {
                format,
                time,
                min,
                max,
            } => Some((format, time, min..=max)),
            _ => None,
        }
    }
}

impl From<Problem> for Error {
    #[cold]
    fn from(problem: Problem) -> Self {
        Self(Box::new(problem))
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The choice with this name. `what` is the kind of choice, for the message.
pub(crate) fn by_name<T: Copy>(
    what: &str,
    name: &str,
    all: &[T],
    name_of: fn(T) -> &'static str,
) -> Result<T, Error> {
    let found = all.iter().copied().find(|choice| name_of(*choice) == name);
    found.ok_or_else(|| {
        let mut choices = String::new();
        for (index, choice) in all.iter().enumerate() {
            choices += match index {
                0 => "",
                _ if index + 1 == all.len() => " and ",
                _ => ", ",
            };
            choices += name_of(*choice);
        }
        Error::unknown_name(what, name, &choices)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::UuidV7;

    /// Every decoded row returns a `Result`, which is at least as large as its error.
    #[test]
    fn errors_stay_small() {
        assert_eq!(size_of::<Error>(), size_of::<usize>());
        assert_eq!(size_of::<Result<UuidV7, Error>>(), 2 * size_of::<UuidV7>());
    }
}
