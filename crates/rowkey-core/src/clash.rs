//! Conflicts within a registry, reported in the same words at compile time and at run time.

use crate::message::Message;

/// Why two groups cannot be in one registry.
#[derive(Clone, Copy)]
pub(crate) enum GroupClash {
    /// Two names have the same CRC-12.
    SameCrc {
        group: u16,
        names: (&'static str, &'static str),
    },
    /// Two keys have the same name.
    DeclaredTwice {
        name: &'static str,
        keys: (&'static str, &'static str),
    },
}

impl GroupClash {
    pub(crate) const fn message(self) -> Message<'static> {
        match self {
            Self::SameCrc { group, names } => same_crc(group, names),
            Self::DeclaredTwice { name, keys } => declared_twice(name, keys),
        }
    }
}

/// Why an entry is invalid, or conflicts with an earlier one.
#[derive(Clone, Copy)]
pub(crate) enum NameClash<'a> {
    /// An invalid name.
    NoName { name: &'a str },
    /// Two names have the same number.
    SameNumber {
        number: u8,
        names: (&'a str, &'a str),
    },
    /// One name has two numbers.
    SameName { name: &'a str, numbers: (u8, u8) },
}

impl<'a> NameClash<'a> {
    /// `kind` is what the registry names, such as `country`.
    pub(crate) const fn message(self, kind: &'a str) -> Message<'a> {
        match self {
            Self::NoName { name } => no_name(kind, name),
            Self::SameNumber { number, names } => same_number(kind, number, names),
            Self::SameName { name, numbers } => same_name(kind, name, numbers),
        }
    }
}

pub(crate) const fn same_crc<'a>(group: u16, names: (&'a str, &'a str)) -> Message<'a> {
    Message::of("the groups `")
        .text(names.0)
        .text("` and `")
        .text(names.1)
        .text("` have the same CRC-12 ")
        .group(group)
        .text("; give the newer one another name")
}

pub(crate) const fn declared_twice<'a>(name: &'a str, keys: (&'a str, &'a str)) -> Message<'a> {
    Message::of("the group `")
        .text(name)
        .text("` is declared twice, for ")
        .text(keys.0)
        .text(" and for ")
        .text(keys.1)
}

pub(crate) const fn no_name<'a>(kind: &'a str, name: &'a str) -> Message<'a> {
    Message::of("")
        .quoted(name)
        .text(" is not a valid ")
        .text(kind)
        .text(" name: it is empty or has white space around it")
}

pub(crate) const fn same_number<'a>(
    kind: &'a str,
    number: u8,
    names: (&'a str, &'a str),
) -> Message<'a> {
    Message::of("the ")
        .text(kind)
        .text(" `")
        .text(names.1)
        .text("` has the number ")
        .number(number)
        .text(" of `")
        .text(names.0)
        .text("`")
}

pub(crate) const fn same_name<'a>(kind: &'a str, name: &'a str, numbers: (u8, u8)) -> Message<'a> {
    Message::of("the ")
        .text(kind)
        .text(" `")
        .text(name)
        .text("` is listed twice, with the numbers ")
        .number(numbers.0)
        .text(" and ")
        .number(numbers.1)
}
