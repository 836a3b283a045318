//! Which types make a pair, and what a pair keeps of a value.

use rowkey_core::Backend;

use super::column_type::ColumnType;
use super::model::Type;
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
    /// Text that is the same if its JSON is, because one side writes it in its own way.
    Json,
    /// The database's own form of a value, which both sides have: bytes, or any value of SQLite.
    Own,
}

impl ColumnType {
    /// The kind of a column that has another type in the target.
    pub fn kind_in(&self, target: &Self) -> Option<Kind> {
        let (own, other) = (self.meaning()?, target.meaning()?);
        let is_spelled_alike = self.bare().eq_ignore_ascii_case(target.bare());
        let is_same = self.backend == target.backend && is_spelled_alike;
        let is_shared = self.backend.shares_own_types_with(target.backend) && is_spelled_alike;
        if (target.rounds_times() || target.cuts_fields()) && !is_same {
            return None;
        }
        let has_addresses = matches!(
            own,
            Type::Text(_) | Type::PaddedText(_) | Type::Network { is_cidr: false }
        );
        if target.is_address() && !has_addresses {
            return None;
        }
        if self.is_any() && target.backend.stores_any_type() {
            if target.bare().eq_ignore_ascii_case(KEEPS_ANY) {
                return Some(Kind::Own);
            }
            if target.is_any() {
                return None;
            }
        }
        if is_shared && (own == Type::Own || self.backend.stores_any_type()) {
            return Some(Kind::Own);
        }
        if target.rounds_floats() && !is_shared {
            return None;
        }
        let other = match other {
            // A name that SQLite does not know, or none.
            Type::Own if target.backend.stores_any_type() => Type::Loose(None),
            Type::Bytes(_) if target.bare().is_empty() => Type::Loose(None),
            other => other,
        };
        match (own, other) {
            // As Hibernate makes truth in MySQL and MariaDB.
            (
                Type::Bool | Type::Flag | Type::Integer { bytes: 1, .. },
                Type::Bits {
                    length: 1,
                    is_fixed: true,
                },
            ) if target.backend.names_character_sets() => Some(Kind::Bool),
            // As GORM stores truth in SQLite.
            (Type::Bool, Type::Decimal(_) | Type::Loose(_)) if target.backend.stores_any_type() => {
                Some(Kind::Bool)
            }
            // PostgreSQL's may have more digits than any other server's, and EF Core keeps all so in
            // SQLite.
            (Type::Decimal(_), Type::Text(_))
                if matches!(
                    self.backend,
                    Backend::Postgres | Backend::MySql | Backend::MariaDb
                ) =>
            {
                Some(Kind::Text)
            }
            // The server itself has a text for these.
            (Type::Own, Type::Text(_) | Type::Enum) => Some(Kind::Text),
            // The target reads enums from text; whether the type is one, its catalogue says.
            (Type::Text(_) | Type::PaddedText(_) | Type::Enum, Type::Own)
                if target.backend.reads_own_types_from_text() =>
            {
                Some(Kind::Text)
            }
            // In SQLite, the values decide.
            _ if self.backend.stores_any_type() => pair(own, other)
                .or_else(|| narrowed(own, other))
                .or_else(|| natural(other)),
            (
                Type::Bool
                | Type::Flag
                | Type::Integer { .. }
                | Type::Date
                | Type::Time
                | Type::Timestamp
                | Type::Instant,
                Type::Text(_),
            ) => natural(own),
            // SQLite keeps these as they are in columns of any type, but for texts that look like
            // numbers: each is looked at.
            (
                Type::Text(_)
                | Type::PaddedText(_)
                | Type::Bytes(_)
                | Type::FixedBytes(_)
                | Type::Uuid,
                _,
            ) if target.backend.stores_any_type() && pair(own, other).is_none() => {
                narrowed(own, other).or_else(|| natural(own))
            }
            // Each is looked at.
            (
                Type::Text(_) | Type::PaddedText(_),
                Type::Integer { .. } | Type::Decimal(_) | Type::Date | Type::Time | Type::Timestamp,
            ) => natural(other),
            _ => pair(own, other).or_else(|| narrowed(own, other)),
        }
        .map(|kind| match kind {
            Kind::Text if target.normalizes_json() && !is_same => Kind::Json,
            kind => kind,
        })
    }

    /// Whether a target has the very same type for a column.
    pub fn is_kept_in(&self, target: Backend) -> bool {
        let own = self.meaning();
        match self.backend == target {
            // The server's own types have no rows to write.
            true if !self.backend.shares_own_types_with(target) => {
                !self.has_code_page() && !matches!(own, Some(Type::Own | Type::Json))
            }
            true => true,
            false => {
                self.backend.shares_own_types_with(target)
                    && !matches!(own, Some(Type::Uuid | Type::Json))
                    // MySQL has no types for addresses, and a name of its own for this geometry.
                    && !matches!(self.name(), "inet4" | "inet6" | "geomcollection")
            }
        }
    }
}

/// The kind of a pair; nothing if a value of the first type may have no place in the second.
pub fn pair(from: Type, to: Type) -> Option<Kind> {
    use Type as T;
    Some(match (from, to) {
        // 0 and 1. MySQL's `tinyint` without a width is what some frameworks make.
        (T::Bool, T::Bool | T::Flag | T::Integer { .. })
        | (T::Flag | T::Integer { bytes: 1, .. }, T::Bool) => Kind::Bool,
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
        // Midnight. A moment would need a time zone.
        (T::Date, T::Timestamp) => Kind::Timestamp,
        (T::Time, T::Time) => Kind::Time,
        (T::Timestamp | T::Instant, T::Timestamp | T::Instant) => Kind::Timestamp,
        (
            T::Uuid,
            // Its hexadecimal digits, if the hyphens have no place.
            T::Uuid
            | T::FixedBytes(16)
            | T::Bytes(None | Some(16..))
            | T::Text(None | Some(32..))
            | T::PaddedText(32 | 36),
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
        // Microseconds, as Django stores a duration where there are no intervals.
        (
            T::Interval,
            T::Integer {
                bytes: 8,
                is_unsigned: false,
            },
        )
        | (
            T::Integer {
                bytes: 8,
                is_unsigned: false,
            },
            T::Interval,
        ) => Kind::Integer,
        // A moment since 1970, as SQLAlchemy stores one.
        (T::Interval, T::Timestamp) | (T::Timestamp, T::Interval) => Kind::Timestamp,
        (T::Year, T::Year | T::Integer { .. }) | (T::Integer { .. }, T::Year) => Kind::Integer,
        (T::Year, T::Decimal(scale)) if whole(scale) => Kind::Integer,
        (T::Loose(_), T::Decimal(_)) => Kind::Decimal,
        (T::Loose(_), T::Text(_)) => Kind::Text,
        _ => return None,
    })
}

/// The kind of a pair whose second type holds some values of the first only: each is looked at.
fn narrowed(from: Type, to: Type) -> Option<Kind> {
    use Type as T;
    Some(match (from, to) {
        (T::Bytes(_) | T::FixedBytes(_), T::FixedBytes(_)) => Kind::Bytes,
        (T::Bytes(_) | T::FixedBytes(_), T::Text(_) | T::PaddedText(_)) => Kind::Text,
        (T::Text(_) | T::PaddedText(_), T::Bytes(_) | T::FixedBytes(_)) => Kind::Bytes,
        (T::Integer { .. }, T::Bool) => Kind::Bool,
        (T::Flag | T::Integer { .. }, T::Single) => Kind::Single,
        (T::Flag | T::Integer { .. }, T::Double) => Kind::Double,
        (T::Text(_) | T::PaddedText(_) | T::Enum, T::Bool | T::Flag) => Kind::Bool,
        (T::Flag | T::Integer { .. }, T::Loose(_)) => Kind::Integer,
        (T::Decimal(scale), T::Flag | T::Integer { .. }) if whole(scale) => Kind::Integer,
        (T::Double, T::Single) => Kind::Single,
        (T::Decimal(_) | T::Loose(_), T::Double | T::Loose(_))
        | (T::Double, T::Decimal(_) | T::Loose(_)) => Kind::Decimal,
        _ => return None,
    })
}

/// The kind of values that a type is for.
fn natural(to: Type) -> Option<Kind> {
    use Type as T;
    Some(match to {
        T::Bool => Kind::Bool,
        T::Flag | T::Integer { .. } | T::Year => Kind::Integer,
        T::Single => Kind::Single,
        T::Double => Kind::Double,
        T::Decimal(_) | T::Loose(_) => Kind::Decimal,
        T::Text(_) | T::PaddedText(_) | T::Json => Kind::Text,
        T::Enum | T::Set | T::Bits { .. } | T::Interval | T::Network { .. } => Kind::Text,
        T::Bytes(_) | T::FixedBytes(_) => Kind::Bytes,
        T::Date => Kind::Date,
        T::Time => Kind::Time,
        T::Timestamp | T::Instant => Kind::Timestamp,
        T::Uuid => Kind::Uuid,
        T::Own => return None,
    })
}

fn whole(precision_and_scale: Option<(u32, u32)>) -> bool {
    precision_and_scale.is_none_or(|(_, scale)| scale == 0)
}

/// SQLite's type that keeps every value as it is. The word `ANY` does so in STRICT tables only, and
/// makes numbers of texts in others.
pub const KEEPS_ANY: &str = "BLOB";

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
            (Postgres, "numeric", MySql, "longtext", Some(Kind::Text)),
            (
                Postgres,
                "numeric(3,5)",
                MySql,
                "decimal(5,5)",
                Some(Kind::Decimal),
            ),
            (
                Postgres,
                "interval second(2)",
                Postgres,
                "interval",
                Some(Kind::Text),
            ),
            (Postgres, "interval", Postgres, "interval hour", None),
            (
                Postgres,
                "interval hour",
                Postgres,
                "interval hour",
                Some(Kind::Text),
            ),
            (MySql, "decimal(9,2)", Sqlite, "TEXT", Some(Kind::Text)),
            (Postgres, "boolean", Sqlite, "numeric", Some(Kind::Bool)),
            (Postgres, "boolean", MySql, "decimal(1,0)", None),
            (MySql, "varchar(9)", Postgres, "date", Some(Kind::Date)),
            (Postgres, "text", Sqlite, "INTEGER", Some(Kind::Text)),
            (Postgres, "bigint", MySql, "double", Some(Kind::Double)),
            (MySql, "smallint", Postgres, "real", Some(Kind::Single)),
            (
                MySql,
                "binary(1)",
                Postgres,
                "character(1)",
                Some(Kind::Text),
            ),
            (
                Postgres,
                "character(1)",
                MySql,
                "binary(1)",
                Some(Kind::Bytes),
            ),
            (MySql, "point", MariaDb, "point", Some(Kind::Own)),
            (MySql, "point", MariaDb, "longtext", Some(Kind::Text)),
            (MySql, "longtext", MariaDb, "point", None),
            (MariaDb, "vector(3)", MySql, "vector(3)", Some(Kind::Own)),
            (MariaDb, "vector(3)", MySql, "vector(4)", None),
            (Sqlite, "INTEGER", Sqlite, "integer", Some(Kind::Own)),
            (Sqlite, "STRING", Postgres, "text", Some(Kind::Text)),
            (Postgres, "integer", Sqlite, "NUMBER", Some(Kind::Integer)),
            (MySql, "decimal(9,2)", Sqlite, "MONEY", Some(Kind::Decimal)),
            (MariaDb, "double", Sqlite, "", Some(Kind::Decimal)),
            (Postgres, "bytea", Sqlite, "", Some(Kind::Bytes)),
            (
                Sqlite,
                "DECIMAL(9,2)",
                Postgres,
                "numeric(9,2)",
                Some(Kind::Decimal),
            ),
            (Sqlite, "boolean", MariaDb, "bit(1)", Some(Kind::Bool)),
            (Postgres, "boolean", MySql, "bit(1)", Some(Kind::Bool)),
            (Postgres, "boolean", MySql, "bit(2)", None),
            (Postgres, "real", MySql, "float(7,2)", None),
            (
                Postgres,
                "double precision",
                MySql,
                "double unsigned",
                Some(Kind::Double),
            ),
            (MySql, "float(7,2)", MySql, "float(7,2)", Some(Kind::Single)),
            (MySql, "float(7,2)", MariaDb, "float", Some(Kind::Single)),
            (
                MySql,
                "double unsigned",
                MariaDb,
                "double unsigned",
                Some(Kind::Double),
            ),
            (
                MariaDb,
                "float(7,3)",
                MySql,
                "float(7,3)",
                Some(Kind::Single),
            ),
            (MariaDb, "float(7,3)", MySql, "float(7,2)", None),
            (Postgres, "date", MySql, "datetime", Some(Kind::Timestamp)),
            (Postgres, "date", MySql, "timestamp", None),
            (
                Postgres,
                "timestamp with time zone",
                Sqlite,
                "TEXT",
                Some(Kind::Timestamp),
            ),
            (Postgres, "timestamp with time zone", Sqlite, "STRING", None),
            (MySql, "tinyint(1)", Postgres, "text", Some(Kind::Integer)),
            (Sqlite, "INTEGER", Postgres, "text", Some(Kind::Text)),
        ] {
            let kind = ColumnType::parse(source, from).kind_in(&ColumnType::parse(target, to));
            assert_eq!(kind, expected, "{from} to {to}");
        }
    }
}
