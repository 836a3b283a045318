//! The one error type of this crate.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use core::fmt;
use core::time::Duration;

use crate::clash::Clash;
use crate::kind::FormatKind;
use crate::layout::Layout;
use crate::message::Message;
use crate::time::UnixMillis;

/// An invalid value or declaration: what is wrong, where, and what was expected.
///
/// Positions count characters from 0.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A text does not have the expected form.
    #[error("expected {expected}: {problem}")]
    Text {
        /// The expected form in words: its length and alphabet, and the prefix before it.
        expected: Cow<'static, str>,
        /// What differs, and where.
        problem: TextProblem,
    },

    /// A key's text does not begin with the key's own prefix.
    #[error("{key} begins with `{expected}_`, but the text {}", beginning(found))]
    Prefix {
        /// The key type.
        key: &'static str,
        /// The key's prefix, without the underscore.
        expected: &'static str,
        /// What the text begins with: another prefix, or its first characters.
        found: String,
    },

    /// A 128-bit value does not belong to the format.
    #[error("not a {format}: {problem}")]
    Format {
        /// The expected format.
        format: FormatKind,
        /// Which of its fixed bits differ.
        problem: FormatProblem,
    },

    /// A column's value is not an id of the format in the column's layout. Only for layouts other
    /// than the public one.
    #[error("`{stored}` is not a {format} in the `{layout}` layout: {problem}; {}", advice(*.is_public))]
    Layout {
        /// The format.
        format: FormatKind,
        /// The layout that the key's plan has for the column.
        layout: Layout,
        /// The column's value as the hyphenated text of its sixteen bytes, as a server shows a
        /// uuid.
        stored: String,
        /// Which of the format's fixed bits differ, with the position in `stored`.
        problem: FormatProblem,
        /// Whether the value is valid for the format in the public layout.
        is_public: bool,
    },

    /// A field's value does not fit the field.
    #[error("{field} of a {format} is {min}..={max}, not {value}")]
    Field {
        /// The format.
        format: FormatKind,
        /// The field's name.
        field: &'static str,
        /// The value given.
        value: i128,
        /// The smallest valid value.
        min: i128,
        /// The largest valid value.
        max: i128,
    },

    /// A clock's or a given time is before the format's first instant or after its last.
    #[error("a {format} holds times from {min} to {max}; {time} is outside")]
    Time {
        /// The format.
        format: FormatKind,
        /// The time.
        time: UnixMillis,
        /// The format's first millisecond.
        min: UnixMillis,
        /// The format's last millisecond.
        max: UnixMillis,
    },

    /// The generator has made all ids that its clock allows for now.
    #[error("the {format} generator is ahead of its clock; try again in {wait:?}")]
    Throttled {
        /// The format.
        format: FormatKind,
        /// How long to wait before the next attempt.
        wait: Duration,
    },

    /// An incremental generator has reached the largest value of its format.
    #[error("the incremental {format} generator has no value left")]
    Exhausted {
        /// The format.
        format: FormatKind,
    },

    /// The numbers of a group of LUUID keys are used up.
    #[error("group {group:03x} has no number left: the last is ffffffffffff")]
    NumbersUsedUp {
        /// The group.
        group: u16,
    },

    /// A column's value is not of the type, length or form that the key's plan stores.
    #[error("stored {format}: expected {expected}, found {found}")]
    Stored {
        /// The format.
        format: FormatKind,
        /// What the plan stores, in words.
        expected: &'static str,
        /// What the column contained, in words.
        found: String,
    },

    /// A value does not fit the column that the key's plan has on some backend.
    #[error("{key} is stored as at most {digits} decimal digits; the value has more")]
    TooLargeForPlan {
        /// The key type.
        key: &'static str,
        /// The number of decimal digits of the column.
        digits: u8,
    },

    /// There is no format, storage, layout, backend or representation of this name.
    #[error("no {what} is called `{name}`; there are {choices}")]
    UnknownName {
        /// What was looked for.
        what: &'static str,
        /// The name given.
        name: String,
        /// The valid names.
        choices: Cow<'static, str>,
    },

    /// A storage or layout that cannot keep the plan's order on this backend.
    #[error("{0}")]
    Refused(&'static str),

    /// An invalid edge between partitions.
    #[error("edge {index} of the partitions, {time}: {problem}")]
    PartitionEdge {
        /// The number of edges before it.
        index: usize,
        /// The edge.
        time: UnixMillis,
        /// Why it is not possible.
        problem: &'static str,
    },

    /// An invalid partition of a table.
    #[error("the partition `{name}`: {problem}")]
    Partition {
        /// Its name.
        name: String,
        /// Why it is not possible.
        problem: &'static str,
    },

    /// A name that cannot be an SQL identifier.
    #[error("not an SQL identifier: {0}")]
    Identifier(Cow<'static, str>),

    /// An interval of zero milliseconds.
    #[error("the interval of a short COMB is at least one millisecond")]
    ZeroInterval,

    /// A value has another group than the key.
    #[error("{key} holds ids of group {expected:03x}, not of group {found:03x}")]
    Group {
        /// The key type.
        key: &'static str,
        /// The key's group.
        expected: u16,
        /// The group of the value.
        found: u16,
    },

    /// An id has a group that is not registered.
    #[error("no key has the group {group:03x}")]
    UnknownGroup {
        /// The group of the id.
        group: u16,
    },

    /// An entry of a registry is invalid, or conflicts with another.
    #[error(transparent)]
    Registry(#[from] RegistryProblem),

    /// A problem with public ids: with a cipher key, or with a value that it cannot encrypt or
    /// recognise.
    #[error(transparent)]
    PublicId(#[from] PublicIdProblem),
}

/// Where a text differs from the expected form.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TextProblem {
    /// The text is empty.
    #[error("the text is empty")]
    Empty,
    /// Wrong number of characters.
    #[error("found {found} character{}", if *found == 1 { "" } else { "s" })]
    Length {
        /// Characters found.
        found: usize,
    },
    /// A character that is not allowed in its position.
    #[error("{found:?} at position {position}")]
    Character {
        /// The number of characters before it.
        position: usize,
        /// The character.
        found: char,
    },
    /// The digits are well-formed, but the number is too large for the form.
    #[error("the digits from position {position} on stand for too large a number")]
    TooLarge {
        /// Characters before the digits that overflow.
        position: usize,
    },
}

/// Which fixed bits of a format differ in a value.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FormatProblem {
    /// The version nibble (high four bits of byte 6).
    Version {
        /// Characters before it in the hyphenated text: 14, unless a layout has moved it.
        position: usize,
        /// The format's version.
        expected: u8,
        /// The version found.
        found: u8,
    },
    /// The variant bits (top of byte 8).
    Variant {
        /// Characters before it in the hyphenated text: 19, unless a layout has moved it.
        position: usize,
        /// The variant nibbles that the format allows.
        expected: &'static str,
        /// The high four bits of byte 8.
        found: u8,
    },
    /// An iUID with an internal format version that is reserved for future use.
    InternalVersion {
        /// The value's internal version.
        found: u8,
    },
    /// The number is larger than the format's largest.
    TooLarge {
        /// Decimal digits of the largest value.
        digits: u8,
    },
    /// The number is larger than the largest BIGINT.
    TooLargeForBigint,
}

impl FormatProblem {
    pub(crate) const fn message(&self) -> Message<'static> {
        self.after(Message::of(""))
    }

    /// The message at the end of another.
    pub(crate) const fn after(&self, message: Message<'static>) -> Message<'static> {
        const DIGITS: [&str; 16] = [
            "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "a", "b", "c", "d", "e", "f",
        ];
        let (what, position, found, expected) = match *self {
            Self::Version {
                position,
                expected,
                found,
            } => (
                "the version (position ",
                position,
                found,
                DIGITS[(expected & 0xf) as usize],
            ),
            Self::Variant {
                position,
                expected,
                found,
            } => ("the variant (position ", position, found, expected),
            Self::InternalVersion { found } => {
                return message
                    .text("unknown internal format version ")
                    .number(found)
                    .text(" (only 0 is defined)");
            }
            Self::TooLarge { digits } => {
                return message
                    .text("the number is larger than 10^")
                    .number(digits)
                    .text("-1");
            }
            Self::TooLargeForBigint => return message.text("the number is larger than 2^63-1"),
        };
        message
            .text(what)
            .number(position as u8)
            .text(" of the hyphenated text) is ")
            .text(DIGITS[(found & 0xf) as usize])
            .text(", expected ")
            .text(expected)
    }
}

impl fmt::Display for FormatProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.message().fmt(f)
    }
}

impl core::error::Error for FormatProblem {}

/// What is wrong with an entry of a [`Registry`](crate::routing::Registry), or of
/// [`KeyGroups`](crate::luuid::KeyGroups).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RegistryProblem {
    /// The name is empty or has white space around it.
    #[error("{}", Clash::NoName { kind, name }.message())]
    Name {
        /// What the registry names, such as `country`.
        kind: &'static str,
        /// The name.
        name: String,
    },
    /// The number does not fit.
    #[error("the {kind} `{name}` has the number {number}; numbers are 0 to 255")]
    Number {
        /// What the registry names, such as `country`.
        kind: &'static str,
        /// The name of the entry.
        name: String,
        /// Its number.
        number: i64,
    },
    /// Two names have the same number.
    #[error("{}", Clash::SameNumber { kind, number: *number, names: (&names.0, &names.1) }.message())]
    SameNumber {
        /// What the registry names, such as `country`.
        kind: &'static str,
        /// The number of both.
        number: u8,
        /// The names, the earlier one first.
        names: (String, String),
    },
    /// A name is used twice, with the same number or with two.
    #[error("{}", Clash::SameName { kind, name, numbers: *numbers }.message())]
    SameName {
        /// What the registry names, such as `country`.
        kind: &'static str,
        /// The name of both.
        name: String,
        /// The numbers, the earlier one first.
        numbers: (u8, u8),
    },
    /// The names of two groups have the same CRC-12.
    #[error("{}", Clash::SameCrc { group: *group, names: *names }.message())]
    SameCrc {
        /// The number of both.
        group: u16,
        /// The names, the earlier one first.
        names: (&'static str, &'static str),
    },
    /// Two keys have the same group.
    #[error("{}", Clash::DeclaredTwice { name, keys: *keys }.message())]
    DeclaredTwice {
        /// The group's name.
        name: &'static str,
        /// The key types, the earlier one first.
        keys: (&'static str, &'static str),
    },
}

impl From<Clash<'_>> for RegistryProblem {
    fn from(clash: Clash<'_>) -> Self {
        match clash {
            Clash::NoName { kind, name } => Self::Name {
                kind,
                name: name.into(),
            },
            Clash::SameNumber {
                kind,
                number,
                names,
            } => Self::SameNumber {
                kind,
                number,
                names: (names.0.into(), names.1.into()),
            },
            Clash::SameName {
                kind,
                name,
                numbers,
            } => Self::SameName {
                kind,
                name: name.into(),
                numbers,
            },
            Clash::SameCrc { group, names } => Self::SameCrc { group, names },
            Clash::DeclaredTwice { name, keys } => Self::DeclaredTwice { name, keys },
        }
    }
}

/// What is wrong with a cipher key, a secret, a label, or a value to encrypt or decrypt.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PublicIdProblem {
    /// The key is not standard base64 with padding.
    #[error("the key is not standard base64 with padding (position {position})")]
    Base64 {
        /// The number of characters before the first invalid one.
        position: usize,
    },
    /// The key does not have the length of an AES key.
    #[error("an AES key has 16, 24 or 32 bytes, this one has {found}")]
    KeyLength {
        /// Bytes found.
        found: usize,
    },
    /// The value is outside the range that public ids of its type can encrypt.
    #[error("a public id of type {kind} cannot carry this value: {reason}")]
    Value {
        /// The id type.
        kind: &'static str,
        /// Why it is not possible.
        reason: &'static str,
    },
    /// No cipher decrypts this public id to a value of the type: it is forged, damaged, of another
    /// type, or made with another key.
    #[error("not a public id of type {kind} under any of the keys")]
    Unrecognised {
        /// The id type.
        kind: &'static str,
    },
    /// No secret decrypts this public id to a value of the entity: it was made up, changed, or made
    /// for another label or with another secret.
    #[error(
        "not a public id of type {kind} with the label `{label}` under any of the secrets: made up, \
         changed, or made for another label or with another secret"
    )]
    NotOfLabel {
        /// The id type.
        kind: &'static str,
        /// The label of the cipher.
        label: String,
    },
    /// The secret does not have 32 bytes.
    #[error("a secret for public ids has 32 bytes, this one has {found}")]
    SecretLength {
        /// Bytes found.
        found: usize,
    },
    /// An invalid label.
    #[error("{0}")]
    Label(&'static str),
    /// No cipher key was given.
    #[error("no cipher key was given")]
    NoKey,
}

fn beginning(found: &str) -> String {
    match found {
        "" => "is empty".into(),
        found => format!("begins with `{found}`"),
    }
}

/// What to declare for a column whose ids have another layout than the declared one.
fn advice(is_public: bool) -> &'static str {
    if is_public {
        "it is valid in the public layout: for guids that were stored unswapped, declare \
         `storage(sqlserver = \"uuid:public-unordered\")`"
    } else {
        "for a column of ids of several formats, declare the key over AnyUuid"
    }
}

impl Error {
    /// Whether waiting and trying again can succeed.
    pub fn is_throttled(&self) -> bool {
        matches!(self, Self::Throttled { .. })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every decoded row returns a `Result`, which is at least as large as its error.
    #[test]
    fn errors_stay_small() {
        assert!(size_of::<Error>() <= 10 * size_of::<usize>());
    }
}
