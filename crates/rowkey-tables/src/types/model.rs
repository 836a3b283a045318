//! Types of columns without the words of a database, and what these words consist of.

use std::fmt;

use rowkey_core::Backend;

/// A type of a column, without the words of its database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// True or false.
    Bool,
    /// True or false by convention, but other small numbers too: `tinyint(1)`, SQLite's `BOOLEAN`.
    Flag,
    Integer {
        bytes: u8,
        is_unsigned: bool,
    },
    Single,
    Double,
    /// Precision and scale, unless it has all digits that a value has.
    Decimal(Option<(u32, u32)>),
    /// The largest number of characters, if there is one.
    Text(Option<u32>),
    /// Text that is filled with spaces to its length.
    PaddedText(u32),
    Json,
    /// The largest number of bytes, if there is one.
    Bytes(Option<u32>),
    /// Exactly as many bytes.
    FixedBytes(u32),
    Date,
    Time,
    /// Date and time of a clock on a wall.
    Timestamp,
    /// A moment.
    Instant,
    Uuid,
    /// One of some words.
    Enum,
    /// Any of some words.
    Set,
    /// Bits: exactly as many, or at most.
    Bits {
        length: u32,
        is_fixed: bool,
    },
    /// 0, or 1901 to 2155.
    Year,
    /// Months, days and microseconds.
    Interval,
    /// A network address; a network has no bits behind its mask.
    Network {
        is_cidr: bool,
    },
    /// A number that SQLite stores in whatever form takes no space.
    Loose(Option<(u32, u32)>),
    /// A type that only its own database understands.
    Own,
}

impl Type {
    /// Whether its values go as text, and are read from it.
    pub fn has_text(self) -> bool {
        matches!(
            self,
            Self::Enum | Self::Set | Self::Bits { .. } | Self::Interval | Self::Network { .. }
        )
    }
}

/// Why a type has no place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    pub why: String,
    pub instead: String,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {}", self.why, self.instead)
    }
}

/// A type in the words of a database: `character varying(80)`, `bigint(20) unsigned`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Words {
    /// Without the numbers in parentheses, in lower case.
    pub name: String,
    /// The numbers in parentheses.
    pub numbers: Vec<u32>,
}

impl Words {
    /// Nothing if there is something else than numbers in the parentheses.
    pub fn of(sql_type: &str) -> Option<Self> {
        let lower = sql_type.trim().to_ascii_lowercase();
        let Some((before, rest)) = lower.split_once('(') else {
            return Some(Self {
                name: lower,
                numbers: Vec::new(),
            });
        };
        let (inside, after) = rest.split_once(')')?;
        let numbers: Result<_, _> = inside.split(',').map(|part| part.trim().parse()).collect();
        let name = format!("{} {}", before.trim(), after.trim());
        Some(Self {
            name: name.trim().to_owned(),
            numbers: numbers.ok()?,
        })
    }

    pub fn length(&self) -> Option<u32> {
        self.numbers.first().copied()
    }

    pub fn precision_and_scale(&self) -> Option<(u32, u32)> {
        match self.numbers[..] {
            [] => None,
            [precision] => Some((precision, 0)),
            [precision, scale, ..] => Some((precision, scale)),
        }
    }
}

/// In which form SQLite stores what is written to a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Affinity {
    Integer,
    Text,
    Blob,
    Real,
    Numeric,
}

impl Affinity {
    /// That of a column with these words.
    pub(super) fn of(sql_type: &str) -> Self {
        let lower = sql_type.to_ascii_lowercase();
        let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
        if has(&["int"]) {
            Self::Integer
        } else if has(&["char", "clob", "text"]) {
            Self::Text
        } else if has(&["blob"]) || lower.is_empty() {
            Self::Blob
        } else if has(&["real", "floa", "doub"]) {
            Self::Real
        } else {
            Self::Numeric
        }
    }
}

/// How the types of a database are read and written.
pub(super) struct Grammar {
    pub(super) parse: fn(&str) -> Option<Type>,
    pub(super) write: fn(Backend, Type, bool) -> Result<String, Refusal>,
    pub(super) fraction_digits: fn(Option<&Words>) -> u32,
    /// By the type's first word.
    pub(super) most_bytes: fn(&str) -> Option<u64>,
}

/// Whether values of a type of PostgreSQL are `oid`s, or arrays of them.
pub(super) fn is_of_oids(sql_type: &str) -> bool {
    sql_type.trim_end_matches("[]") == "oid"
}
