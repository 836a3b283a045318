//! Conflicts within a registry, reported in the same words at compile time and at run time.

use crate::message::Message;

/// Why an entry is invalid, or conflicts with an earlier one.
#[derive(Clone, Copy)]
pub(crate) enum Clash<'a> {
    /// An invalid name.
    NoName { kind: &'static str, name: &'a str },
    /// Two names have the same number.
    SameNumber {
        kind: &'static str,
        number: u8,
        names: (&'a str, &'a str),
    },
    /// One name has two numbers.
    SameName {
        kind: &'static str,
        name: &'a str,
        numbers: (u8, u8),
    },
    /// The names of two groups have the same CRC-12.
    SameCrc {
        group: u16,
        names: (&'static str, &'static str),
    },
    /// Two keys have the same group.
    DeclaredTwice {
        name: &'static str,
        keys: (&'static str, &'static str),
    },
}

impl<'a> Clash<'a> {
    pub(crate) const fn message(self) -> Message<'a> {
        match self {
            Self::NoName { kind, name } => Message::of("")
                .quoted(name)
                .text(" is not a valid ")
                .text(kind)
                .text(" name: it is empty or has white space around it"),
            Self::SameNumber {
                kind,
                number,
                names,
            } => Message::of("the ")
                .text(kind)
                .text(" `")
                .text(names.1)
                .text("` has the number ")
                .number(number)
                .text(" of `")
                .text(names.0)
                .text("`"),
            Self::SameName {
                kind,
                name,
                numbers,
            } => Message::of("the ")
                .text(kind)
                .text(" `")
                .text(name)
                .text("` is listed twice, with the numbers ")
                .number(numbers.0)
                .text(" and ")
                .number(numbers.1),
            Self::SameCrc { group, names } => Message::of("the groups `")
                .text(names.0)
                .text("` and `")
                .text(names.1)
                .text("` have the same CRC-12 ")
                .group(group)
                .text("; give the newer one another name"),
            Self::DeclaredTwice { name, keys } => Message::of("the group `")
                .text(name)
                .text("` is declared twice, for ")
                .text(keys.0)
                .text(" and for ")
                .text(keys.1),
        }
    }
}
