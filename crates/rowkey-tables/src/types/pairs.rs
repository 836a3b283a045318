//! Which types make a pair, and what a pair keeps of a value.

use rowkey_core::Backend;

use super::model::Type;
use super::{fraction_digits, parse, sqlserver};
use crate::dialect::Dialect;

/// How both sides of a pair see a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
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
pub fn kind(source: Backend, from: &str, target: Backend, to: &str) -> Option<Kind> {
    let (own, other) = (parse(source, from)?, parse(target, to)?);
    let is_same = source == target && from.eq_ignore_ascii_case(to);
    if (rounds(target, to) || normalizes_json(target, to)) && !is_same {
        return None;
    }
    if source.stores_any_type() && target.stores_any_type() && is_any(from) {
        if to.eq_ignore_ascii_case(KEEPS_ANY) {
            return Some(Kind::Own);
        }
        if is_any(to) {
            return None;
        }
    }
    if from.eq_ignore_ascii_case(to)
        && source.shares_own_types_with(target)
        && (own == Type::Own || source.stores_any_type())
    {
        return Some(Kind::Own);
    }
    match (own, other) {
        // The server itself writes these as text.
        (Type::Own, Type::Text(_)) if source.shows_own_types_as_text() => Some(Kind::Text),
        _ => pair(own, other),
    }
}

/// The kind of a pair; nothing if a value of the first type may have no place in the second.
pub fn pair(from: Type, to: Type) -> Option<Kind> {
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
        (
            T::Uuid,
            T::Uuid | T::FixedBytes(16) | T::Bytes(_) | T::Text(_) | T::PaddedText(32 | 36),
        )
        | (T::FixedBytes(16) | T::Bytes(_) | T::Text(_) | T::PaddedText(32 | 36), T::Uuid) => {
            Kind::Uuid
        }
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

fn whole(precision_and_scale: Option<(u32, u32)>) -> bool {
    precision_and_scale.is_none_or(|(_, scale)| scale == 0)
}

/// Whether a column drops repeated names, spaces and the order of JSON.
pub fn normalizes_json(backend: Backend, sql_type: &str) -> bool {
    backend.has_jsonb() && sql_type.eq_ignore_ascii_case("jsonb")
}

/// SQLite's type that keeps every value as it is. The word `ANY` does so in STRICT tables only, and
/// makes numbers of texts in others.
pub const KEEPS_ANY: &str = "BLOB";

pub fn is_any(sqlite_type: &str) -> bool {
    sqlite_type.eq_ignore_ascii_case("any")
}

/// Whether a column cuts off spaces at the end of text.
pub fn cuts_spaces(backend: Backend, sql_type: &str) -> bool {
    backend.cuts_spaces_of_char() && sqlserver::name(sql_type) == "char"
}

/// Whether a column rounds times in a way that only its own type has.
fn rounds(backend: Backend, sql_type: &str) -> bool {
    backend.rounds_times() && sqlserver::rounds(sql_type)
}

/// Whether a column of a type has all digits of the times that another one of the same kind has. A
/// server rounds or cuts the rest without an error.
pub fn keeps_times(backend: Backend, own: Type, times: &str, column: &str) -> bool {
    if !matches!(
        own,
        Type::Time | Type::Timestamp | Type::Instant | Type::Interval
    ) {
        return true;
    }
    let digits = |sql_type| fraction_digits(backend, sql_type);
    digits(column) >= digits(times)
        && (!rounds(backend, column) || sqlserver::name(column) == sqlserver::name(times))
}

/// Whether the target has the very same type for a column.
pub fn is_kept(source: Backend, target: Backend, sql_type: &str, own: Type) -> bool {
    match source == target {
        // The server's own types have no rows to write.
        true if !source.shares_own_types_with(target) => {
            !sqlserver::has_code_page(sql_type) && !matches!(own, Type::Own | Type::Json)
        }
        true => true,
        false => source.shares_own_types_with(target) && !matches!(own, Type::Uuid | Type::Json),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_of_its_own_goes_to_the_same_type_only() {
        use Backend::{MariaDb, MySql, Postgres, Sqlite};
        for (source, from, target, to, expected) in [
            (
                Postgres,
                "integer[]",
                Postgres,
                "integer[]",
                Some(Kind::Own),
            ),
            (Postgres, "integer[]", Postgres, "bigint[]", None),
            (Postgres, "integer[]", MySql, "longtext", Some(Kind::Text)),
            (
                Postgres,
                "integer",
                Postgres,
                "integer",
                Some(Kind::Integer),
            ),
            (MySql, "point", MariaDb, "point", Some(Kind::Own)),
            (MySql, "point", MariaDb, "longtext", None),
            (Sqlite, "INTEGER", Sqlite, "integer", Some(Kind::Own)),
            (Sqlite, "STRING", Postgres, "text", Some(Kind::Text)),
            (
                Sqlite,
                "DECIMAL(9,2)",
                Postgres,
                "numeric(9,2)",
                Some(Kind::Decimal),
            ),
        ] {
            assert_eq!(kind(source, from, target, to), expected, "{from} to {to}");
        }
    }
}
