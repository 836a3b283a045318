//! Which type of a column becomes which on another database.
//!
//! A database's own types are [`Type`]s. Two of them make a pair, if each value of the one has a place in
//! the other, and the [`Kind`] of a pair says how both sides see a value.

pub(crate) mod clock;
mod mysql;
mod postgres;
mod sqlite;

use rowkey_core::Backend;

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
        _ => return None,
    })
}

fn whole(precision_and_scale: Option<(u32, u32)>) -> bool {
    precision_and_scale.is_none_or(|(_, scale)| scale == 0)
}

/// What the words of a database mean; nothing for a type that has no place yet.
pub(crate) fn parse(backend: Backend, sql_type: &str) -> Option<Type> {
    let words = Words::of(sql_type)?;
    match backend {
        Backend::Postgres => postgres::parse(&words),
        Backend::MySql | Backend::MariaDb => mysql::parse(&words),
        Backend::Sqlite => sqlite::parse(&words),
        Backend::SqlServer => None,
    }
}

/// How many digits of a second a time of this type has.
pub(crate) fn fraction_digits(backend: Backend, sql_type: &str) -> u32 {
    let words = Words::of(sql_type);
    let digits = words.and_then(|words| words.length());
    match backend {
        Backend::MySql | Backend::MariaDb => digits.unwrap_or(0),
        _ => digits.unwrap_or(6),
    }
}

/// The type of a new column for the values of another.
///
/// # Errors
///
/// Why there is none, and what a person can choose.
pub(crate) fn write(backend: Backend, wanted: Type, is_indexed: bool) -> Result<String, Refusal> {
    match backend {
        Backend::Postgres => Ok(postgres::write(wanted)),
        Backend::MySql | Backend::MariaDb => mysql::write(backend, wanted, is_indexed),
        Backend::Sqlite => Ok(sqlite::write(wanted)),
        Backend::SqlServer => Err(Refusal {
            why: "copying to SQL Server is not built yet".into(),
            instead: "choose another target".into(),
        }),
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
