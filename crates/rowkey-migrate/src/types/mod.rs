//! Which type of a column becomes which on another database.
//!
//! A database's own types are [`Type`]s. Two of them make a pair, if each value of the one has a
//! place in the other, and the [`Kind`] of a pair says how both sides see a value.

mod charset;
pub(crate) mod clock;
pub(crate) mod collation;
pub(crate) mod declared;
pub(crate) mod interval;
mod members;
mod mysql;
pub(crate) mod network;
#[cfg(feature = "parquet")]
pub(crate) mod parquet;
mod postgres;
mod sqlite;
pub(crate) mod sqlserver;

use rowkey_core::Backend;

pub(crate) use self::charset::{Charset, collation_of, with_collation};
pub(crate) use self::members::members;

/// A type of a column, without the words of its database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Type {
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

/// How both sides of a pair see a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Bool,
    Integer,
    Single,
    Double,
    Decimal,
    Text,
    Bytes,
    Date,
    Time,
    Timestamp,
    Uuid,
    /// As the database has it, which both sides are: bytes, or SQLite's value of whatever type.
    Own,
}

/// The kind of a column on both sides, whose types are given in the words of the databases.
pub(crate) fn kind(source: Backend, from: &str, target: Backend, to: &str) -> Option<Kind> {
    let (own, other) = (parse(source, from)?, parse(target, to)?);
    let is_same = source == target && from.eq_ignore_ascii_case(to);
    if target == Backend::SqlServer && sqlserver::rounds(to) && !is_same {
        return None;
    }
    if normalizes_json(target, to) && !is_same {
        return None;
    }
    if source == Backend::Sqlite && target == Backend::Sqlite && is_any(from) {
        if to.eq_ignore_ascii_case(KEEPS_ANY) {
            return Some(Kind::Own);
        }
        if is_any(to) {
            return None;
        }
    }
    let is_mysql = |backend| matches!(backend, Backend::MySql | Backend::MariaDb);
    if from.eq_ignore_ascii_case(to) {
        let is_own = match source {
            Backend::Sqlite => target == Backend::Sqlite,
            Backend::Postgres => target == Backend::Postgres && own == Type::Own,
            _ => is_mysql(source) && is_mysql(target) && own == Type::Own,
        };
        if is_own {
            return Some(Kind::Own);
        }
    }
    match (own, other) {
        // The server itself writes these as text.
        (Type::Own, Type::Text(_)) if !is_mysql(source) => Some(Kind::Text),
        _ => pair(own, other),
    }
}

/// Whether a column drops repeated names, spaces and the order of JSON.
pub(crate) fn normalizes_json(backend: Backend, sql_type: &str) -> bool {
    backend == Backend::Postgres && sql_type.eq_ignore_ascii_case("jsonb")
}

/// SQLite's type that keeps every value as it is. The word `ANY` does so in STRICT tables only, and
/// makes numbers of texts in others.
pub(crate) const KEEPS_ANY: &str = "BLOB";

pub(crate) fn is_any(sqlite_type: &str) -> bool {
    sqlite_type.eq_ignore_ascii_case("any")
}

/// Whether a column cuts off spaces at the end of text: `char` of MySQL and MariaDB.
pub(crate) fn cuts_spaces(backend: Backend, sql_type: &str) -> bool {
    let is_mysql = matches!(backend, Backend::MySql | Backend::MariaDb);
    let name = sql_type.split([' ', '(']).next().unwrap_or_default();
    is_mysql && name.eq_ignore_ascii_case("char")
}

/// The kind of a pair; nothing if a value of the first type may have no place in the second.
pub(crate) fn pair(from: Type, to: Type) -> Option<Kind> {
    use Type as T;
    Some(match (from, to) {
        (T::Bool, T::Bool | T::Flag) | (T::Flag, T::Bool) => Kind::Bool,
        (T::Flag | T::Integer { .. }, T::Flag | T::Integer { .. }) => Kind::Integer,
        (T::Flag | T::Integer { .. }, T::Decimal(scale)) if whole(scale) => Kind::Integer,
        (T::Single, T::Single | T::Double) => Kind::Single,
        (T::Double, T::Double) => Kind::Double,
        (T::Decimal(_), T::Decimal(_)) => Kind::Decimal,
        (T::Text(_) | T::PaddedText(_) | T::Json, T::Text(_) | T::PaddedText(_) | T::Json) => {
            Kind::Text
        }
        (T::Bytes(_) | T::FixedBytes(_), T::Bytes(_)) => Kind::Bytes,
        (T::FixedBytes(from), T::FixedBytes(to)) if from == to => Kind::Bytes,
        (T::Date, T::Date) => Kind::Date,
        (T::Time, T::Time) => Kind::Time,
        (T::Timestamp | T::Instant, T::Timestamp | T::Instant) => Kind::Timestamp,
        (T::Uuid, T::Uuid | T::FixedBytes(16) | T::Bytes(_) | T::Text(_) | T::PaddedText(36))
        | (T::FixedBytes(16) | T::Bytes(_) | T::Text(_) | T::PaddedText(36), T::Uuid) => Kind::Uuid,
        (T::Enum, T::Enum) | (T::Set, T::Set) | (T::Interval, T::Interval) => Kind::Text,
        (T::Bits { .. }, T::Bits { .. }) => Kind::Text,
        // The mask of a whole address is part of a network, and left out of an address.
        (T::Network { is_cidr: from }, T::Network { is_cidr: to }) if from == to => Kind::Text,
        (T::Bits { length: 1, .. }, T::Bool | T::Flag) => Kind::Bool,
        (words, T::Text(_) | T::PaddedText(_)) | (T::Text(_) | T::PaddedText(_), words)
            if words.has_text() =>
        {
            Kind::Text
        }
        (T::Interval, T::Time) | (T::Time, T::Interval) => Kind::Time,
        (T::Year, T::Year | T::Integer { .. }) | (T::Integer { .. }, T::Year) => Kind::Integer,
        (T::Year, T::Decimal(scale)) if whole(scale) => Kind::Integer,
        (T::Loose(_), T::Decimal(_)) => Kind::Decimal,
        (T::Loose(_), T::Text(_)) => Kind::Text,
        _ => return None,
    })
}

impl Type {
    /// Whether its values go as text, and are read from it.
    fn has_text(self) -> bool {
        matches!(
            self,
            Self::Enum | Self::Set | Self::Bits { .. } | Self::Interval | Self::Network { .. }
        )
    }
}

fn whole(precision_and_scale: Option<(u32, u32)>) -> bool {
    precision_and_scale.is_none_or(|(_, scale)| scale == 0)
}

/// What the words of a database mean; nothing for a type that has no place yet.
pub(crate) fn parse(backend: Backend, sql_type: &str) -> Option<Type> {
    let is = |name: &str| {
        let start = sql_type.get(..name.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(name))
    };
    if matches!(backend, Backend::MySql | Backend::MariaDb) {
        if is("enum(") {
            return Some(Type::Enum);
        }
        if is("set(") {
            return Some(Type::Set);
        }
    }
    if backend == Backend::SqlServer {
        return sqlserver::parse(sql_type);
    }
    let words = match (Words::of(sql_type), backend) {
        (Some(words), _) => words,
        (None, Backend::Postgres) => return Some(Type::Own),
        _ => return None,
    };
    match backend {
        Backend::Postgres => Some(postgres::parse(&words).unwrap_or(Type::Own)),
        Backend::MySql | Backend::MariaDb => mysql::parse(&words),
        Backend::Sqlite => sqlite::parse(&words),
        Backend::SqlServer => None,
    }
}

/// How many digits of a second a time or an interval of this type has.
pub(crate) fn fraction_digits(backend: Backend, sql_type: &str) -> u32 {
    let words = Words::of(sql_type);
    let digits = words.as_ref().and_then(Words::length);
    match backend {
        Backend::MySql | Backend::MariaDb => digits.unwrap_or(0),
        Backend::SqlServer => sqlserver::fraction_digits(words.as_ref()),
        _ => digits.unwrap_or(6),
    }
}

/// Whether a column of a type has all digits of the times that another one of the same kind has. A
/// server rounds or cuts the rest without an error.
pub(crate) fn keeps_times(backend: Backend, own: Type, times: &str, column: &str) -> bool {
    if !matches!(
        own,
        Type::Time | Type::Timestamp | Type::Instant | Type::Interval
    ) {
        return true;
    }
    let digits = |sql_type| fraction_digits(backend, sql_type);
    let rounds = |sql_type| backend == Backend::SqlServer && sqlserver::rounds(sql_type);
    digits(column) >= digits(times)
        && (!rounds(column) || sqlserver::name(column) == sqlserver::name(times))
}

/// How many bytes a value of this type has at most, if its words do not say a length.
pub(crate) fn most_bytes(backend: Backend, sql_type: &str) -> Option<u64> {
    if !matches!(backend, Backend::MySql | Backend::MariaDb) {
        return None;
    }
    let name = sql_type.split([' ', '(']).next().unwrap_or_default();
    Some(match name.to_ascii_lowercase().as_str() {
        "tinytext" | "tinyblob" => u8::MAX.into(),
        "text" | "blob" => u16::MAX.into(),
        "mediumtext" | "mediumblob" => (1 << 24) - 1,
        _ => return None,
    })
}

/// The type of a new column for the values of another.
///
/// # Errors
///
/// Why there is none, and what a person can choose.
pub(crate) fn write(backend: Backend, wanted: Type, is_indexed: bool) -> Result<String, Refusal> {
    if wanted == Type::Own {
        let text = write(backend, Type::Text(None), is_indexed)?;
        return Err(Refusal {
            why: format!("{backend} has no such type"),
            instead: format!("`to = \"{text}\"` copies its values as text"),
        });
    }
    match backend {
        Backend::Postgres => Ok(postgres::write(wanted)),
        Backend::MySql | Backend::MariaDb => mysql::write(backend, wanted, is_indexed),
        Backend::Sqlite => Ok(sqlite::write(wanted)),
        Backend::SqlServer => sqlserver::write(wanted, is_indexed),
    }
}

/// Whether the target has the very same type for a column.
pub(crate) fn is_kept(source: Backend, target: Backend, sql_type: &str, own: Type) -> bool {
    let is_mysql = |backend| matches!(backend, Backend::MySql | Backend::MariaDb);
    match source {
        Backend::SqlServer => sqlserver::is_kept(source, target, sql_type, own),
        _ if source == target => true,
        _ => is_mysql(source) && is_mysql(target) && !matches!(own, Type::Uuid | Type::Json),
    }
}

/// Why a type has no place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) why: String,
    pub(crate) instead: String,
}

/// A type in the words of a database: `character varying(80)`, `bigint(20) unsigned`.
struct Words {
    /// Without the numbers in parentheses, in lower case.
    name: String,
    /// The numbers.
    numbers: Vec<u32>,
}

impl Words {
    /// Nothing if there is something else than numbers in the parentheses.
    fn of(sql_type: &str) -> Option<Self> {
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

    fn length(&self) -> Option<u32> {
        self.numbers.first().copied()
    }

    fn precision_and_scale(&self) -> Option<(u32, u32)> {
        match self.numbers[..] {
            [] => None,
            [precision] => Some((precision, 0)),
            [precision, scale, ..] => Some((precision, scale)),
        }
    }
}

#[cfg(test)]
mod tests;
