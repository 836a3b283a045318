//! The one error type of this crate.

use alloc::borrow::Cow;
use alloc::string::String;
use core::time::Duration;

use crate::clash;
use crate::kind::FormatKind;
use crate::layout::Layout;
use crate::time::UnixMillis;

/// What was wrong, where, and what was expected instead.
///
/// Positions count characters from 0.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A text does not have the form that was asked for.
    #[error("expected {expected}: {problem}")]
    Text {
        /// The form, in words: its length and alphabet.
        expected: &'static str,
        /// What differs, and where.
        problem: TextProblem,
    },

    /// A key's text does not begin with the key's own prefix.
    #[error("{key} begins with `{expected}_`, but the text begins with `{found}`")]
    Prefix {
        /// The key type.
        key: &'static str,
        /// The key's prefix, without the underscore.
        expected: &'static str,
        /// What stands there: another prefix, or the first characters of the text.
        found: String,
    },

    /// A 128-bit value does not belong to the format.
    #[error("not a {format}: {problem}")]
    Format {
        /// The format that was asked for.
        format: FormatKind,
        /// Which of its fixed bits differ.
        problem: FormatProblem,
    },

    /// A column's value is no id of the format in the column's layout, which is not the public one.
    #[error("`{stored}` is not a {format} in the `{layout}` layout: {problem}; {}", advice(*.is_public))]
    Layout {
        /// The format.
        format: FormatKind,
        /// The layout that the key's plan has for the column.
        layout: Layout,
        /// The column's value as the hyphenated text of its sixteen bytes, which is what a server
        /// shows of a uuid.
        stored: String,
        /// Which of the format's fixed bits differ, with the position in `stored`.
        problem: FormatProblem,
        /// Whether the value would be one of the format in the public layout.
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
        /// The smallest value that fits.
        min: i128,
        /// The largest value that fits.
        max: i128,
    },

    /// A clock or a given time is before the format's first or after its last instant.
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

    /// The generator has handed out all that its clock allows for now.
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
    #[error("group {group:03x} has no short key left: the last is ffffffffffff")]
    NumbersUsedUp {
        /// The group.
        group: u16,
    },

    /// A column's value is not what the key's plan stores there.
    #[error("stored {format}: expected {expected}, found {found}")]
    Stored {
        /// The format.
        format: FormatKind,
        /// What the plan stores, in words.
        expected: &'static str,
        /// What the column held.
        found: String,
    },

    /// A value that the key's plan has no room for on some backend.
    #[error("{key} is stored as at most {digits} decimal digits; the value has more")]
    TooLargeForPlan {
        /// The key type.
        key: &'static str,
        /// The digits of the column.
        digits: u8,
    },

    /// A format, storage, layout, backend or representation of this name does not exist.
    #[error("no {what} is called `{name}`; there are {choices}")]
    UnknownName {
        /// What was looked for.
        what: &'static str,
        /// The name given.
        name: String,
        /// The names there are.
        choices: Cow<'static, str>,
    },

    /// A storage or layout that cannot keep a plan's promise on this backend.
    #[error("{0}")]
    Refused(&'static str),

    /// An edge between partitions that cannot be one.
    #[error("edge {index} of the partitions, {time}: {problem}")]
    PartitionEdge {
        /// Edges before it.
        index: usize,
        /// The edge.
        time: UnixMillis,
        /// Why not.
        problem: &'static str,
    },

    /// A name that cannot be an SQL identifier.
    #[error("not an SQL identifier: {0}")]
    Identifier(&'static str),

    /// An interval of zero milliseconds.
    #[error("the interval of a short COMB is at least one millisecond")]
    ZeroInterval,

    /// A group that is not the key's own.
    #[error("{key} holds ids of group {expected:03x}, not of group {found:03x}")]
    Group {
        /// The key type.
        key: &'static str,
        /// The key's group.
        expected: u16,
        /// The group of the value.
        found: u16,
    },

    /// Two groups whose names have the same CRC-12.
    #[error("{}", clash::same_crc(*group, *names))]
    GroupClash {
        /// The number of both.
        group: u16,
        /// The names, the one that was there first.
        names: (&'static str, &'static str),
    },

    /// One group for two keys.
    #[error("{}", clash::declared_twice(name, *keys))]
    GroupDeclaredTwice {
        /// The group's name.
        name: &'static str,
        /// The key types, the one that was there first.
        keys: (&'static str, &'static str),
    },

    /// An id of a group that is not registered.
    #[error("no key has the group {group:03x}")]
    UnknownGroup {
        /// The group of the id.
        group: u16,
    },

    /// An entry that cannot be in a registry of names, or not together with another.
    #[error(transparent)]
    Registry(#[from] RegistryProblem),

    /// Something about public ids: a cipher key, or a value it cannot carry or recognise.
    #[error(transparent)]
    PublicId(#[from] PublicIdProblem),
}

/// Where a text departs from the form that was asked for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TextProblem {
    /// There is nothing.
    #[error("the text is empty")]
    Empty,
    /// Wrong number of characters.
    #[error("found {found} character{}", if *found == 1 { "" } else { "s" })]
    Length {
        /// Characters found.
        found: usize,
    },
    /// A character that may not stand there.
    #[error("{found:?} at position {position}")]
    Character {
        /// Characters before it.
        position: usize,
        /// The character.
        found: char,
    },
    /// The digits are well-formed, but the number is larger than the form holds.
    #[error("the digits from position {position} on stand for too large a number")]
    TooLarge {
        /// Characters before the digits that overflow.
        position: usize,
    },
}

/// Which fixed bits of a format a value violates.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FormatProblem {
    /// The version nibble (high four bits of byte 6).
    #[error(
        "the version (position {position} of the hyphenated text) is {found:x}, expected \
         {expected:x}"
    )]
    Version {
        /// Characters before it in the hyphenated text: 14, unless a layout has moved it.
        position: usize,
        /// The format's version.
        expected: u8,
        /// The value's.
        found: u8,
    },
    /// The variant bits (top of byte 8).
    #[error(
        "the variant (position {position} of the hyphenated text) is {found:x}, expected \
         {expected}"
    )]
    Variant {
        /// Characters before it in the hyphenated text: 19, unless a layout has moved it.
        position: usize,
        /// The variant nibbles that the format has.
        expected: &'static str,
        /// The high four bits of byte 8.
        found: u8,
    },
    /// An iUID of an internal format version that is reserved for the future.
    #[error("unknown internal format version {found} (only 0 is defined)")]
    InternalVersion {
        /// The value's internal version.
        found: u8,
    },
    /// The number is larger than the format's largest.
    #[error("the number is larger than 10^{digits}-1")]
    TooLarge {
        /// Decimal digits of the largest value.
        digits: u8,
    },
}

/// What is wrong with an entry of a [`Registry`](crate::routing::Registry).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RegistryProblem {
    /// The name is empty or has white space around it.
    #[error("{}", clash::no_name(kind, name))]
    Name {
        /// What the registry has names for.
        kind: &'static str,
        /// The name.
        name: String,
    },
    /// The number does not fit.
    #[error("the {kind} `{name}` has the number {number}; numbers are 0 to 255")]
    Number {
        /// What the registry has names for.
        kind: &'static str,
        /// The name of the entry.
        name: String,
        /// Its number.
        number: i64,
    },
    /// One number for two names.
    #[error("{}", clash::same_number(kind, *number, (&names.0, &names.1)))]
    SameNumber {
        /// What the registry has names for.
        kind: &'static str,
        /// The number of both.
        number: u8,
        /// The names, the one that was there first.
        names: (String, String),
    },
    /// One name for two numbers, or twice for one.
    #[error("{}", clash::same_name(kind, name, *numbers))]
    SameName {
        /// What the registry has names for.
        kind: &'static str,
        /// The name of both.
        name: String,
        /// The numbers, the one that was there first.
        numbers: (u8, u8),
    },
}

/// What is wrong with a cipher key, or with a value that meets a cipher.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PublicIdProblem {
    /// The key is not standard base64 with padding.
    #[error("the key is not standard base64 with padding (position {position})")]
    Base64 {
        /// Characters before the first offending one.
        position: usize,
    },
    /// The key does not have the length of an AES key.
    #[error("an AES key has 16, 24 or 32 bytes, this one has {found}")]
    KeyLength {
        /// Bytes found.
        found: usize,
    },
    /// The value is outside the range that public ids of its type carry.
    #[error("a public id of type {kind} cannot carry this value: {reason}")]
    Value {
        /// The id type.
        kind: &'static str,
        /// Why not.
        reason: &'static str,
    },
    /// No cipher turns this public id into a value of the type: forged, damaged, of another type,
    /// or made with another key.
    #[error("not a public id of type {kind} under any of the keys")]
    Unrecognised {
        /// The id type.
        kind: &'static str,
    },
    /// No secret turns this public id into a value of the entity: it was made up, changed, or made
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
    /// The secret does not have the length of one.
    #[error("a secret for public ids has 32 bytes, this one has {found}")]
    SecretLength {
        /// Bytes found.
        found: usize,
    },
    /// A text that is no label.
    #[error("{0}")]
    Label(&'static str),
    /// No key was given.
    #[error("no cipher key was given")]
    NoKey,
}

#[cfg(feature = "public-id")]
impl PublicIdProblem {
    #[cold]
    pub(crate) fn not_of_label(kind: &'static str, label: &str) -> Error {
        let label = label.into();
        Self::NotOfLabel { kind, label }.into()
    }
}

/// What to declare for a column that holds ids in another layout than the declared one.
fn advice(is_public: bool) -> &'static str {
    if is_public {
        "as it stands it is one: for guids that were stored unswapped, declare \
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
