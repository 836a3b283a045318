//! The values of a column of a type, as SQL.

use rowkey_core::Backend::{MariaDb, MySql, Postgres, SqlServer, Sqlite};

use super::column_type::ColumnType;
use super::model::Type;
use crate::dialect::Dialect;

impl ColumnType {
    /// The text of a key of any type, as the map of re-keyed rows has it.
    pub fn as_mapped(&self, sql: &str) -> String {
        match self.backend {
            Postgres => format!("{sql}::text"),
            MySql | MariaDb => match self.name() {
                "binary" | "varbinary" => format!("LOWER(HEX({sql}))"),
                _ if self.has("zerofill") => format!("CAST({sql} + 0 AS CHAR)"),
                _ => format!("CAST({sql} AS CHAR)"),
            },
            Sqlite => {
                format!(
                    "CASE typeof({sql}) WHEN 'blob' THEN hex({sql}) ELSE CAST({sql} AS TEXT) END"
                )
            }
            SqlServer => format!("CONVERT(nvarchar(200), {sql})"),
        }
    }

    /// The text of a value that differs where values do.
    pub fn as_compared(&self, sql: &str) -> String {
        match self.meaning() {
            // As it is, it is shown with six digits.
            Some(Type::Single) if self.backend.names_character_sets() => {
                self.backend.as_compared(&format!("({sql} * 1e0)"))
            }
            _ => self.backend.as_compared(sql),
        }
    }

    /// Whether equal values of a column have one text, as the map of re-keyed rows has it.
    pub fn has_one_text(&self, collation: Option<&str>) -> bool {
        match self.meaning() {
            Some(
                Type::Flag
                | Type::Integer { .. }
                | Type::Uuid
                | Type::Bytes(_)
                | Type::FixedBytes(_)
                | Type::Decimal(Some(_))
                | Type::Date,
            ) => true,
            Some(Type::Text(_) | Type::PaddedText(_)) => {
                matches!(
                    collation,
                    None | Some("default" | "C" | "POSIX" | "ucs_basic")
                )
            }
            _ => false,
        }
    }

    /// The value of a column as the drivers read it: numbers, domains and other types as the server
    /// writes them.
    pub fn readable(&self, column: &str) -> String {
        let is_read = matches!(
            self.meaning(),
            Some(
                Type::Text(_)
                    | Type::PaddedText(_)
                    | Type::Uuid
                    | Type::Bytes(_)
                    | Type::Integer { .. }
            )
        );
        match self.backend {
            Postgres if !is_read => format!("{column}::text"),
            SqlServer if matches!(self.name(), "numeric" | "decimal") => {
                format!("CONVERT(varchar(50), {column})")
            }
            Postgres | MySql | MariaDb | Sqlite | SqlServer => column.to_owned(),
        }
    }

    /// The milliseconds since 1970 in a column, as SQL; nothing if the type has no time.
    pub fn unix_millis(&self, sql: &str) -> Option<String> {
        let number = |big: &str| {
            format!(
                "CASE WHEN {sql} BETWEEN -99999999999 AND 99999999999 THEN {big} * 1000 ELSE {big} END"
            )
        };
        // Values of SQLite have types of their own: numbers are seconds or milliseconds, text is a
        // date.
        if self.backend == Sqlite {
            let number = number(sql);
            return Some(format!(
                "CASE typeof({sql}) WHEN 'integer' THEN {number} WHEN 'text' THEN \
                 CAST(round((julianday({sql}) - 2440587.5) * 86400000) AS integer) END"
            ));
        }
        Some(match (self.backend, self.meaning()?) {
            (Postgres, Type::Instant) => format!(
                "CASE WHEN isfinite({sql}) THEN floor(extract(epoch FROM {sql}) * 1000)::bigint END"
            ),
            (Postgres, Type::Timestamp | Type::Date) => format!(
                "CASE WHEN isfinite({sql}) THEN \
                 floor(extract(epoch FROM ({sql})::timestamp AT TIME ZONE 'UTC') * 1000)::bigint END"
            ),
            // UNIX_TIMESTAMP would read a DATETIME in the session's zone, and ends in 2038.
            (MySql | MariaDb, Type::Timestamp | Type::Date) => {
                format!("(TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', {sql}) DIV 1000)")
            }
            // The first second of 1970 isn't a TIMESTAMP: 0 stands for a date of zeros.
            (MySql | MariaDb, Type::Instant) => {
                format!("CAST(FLOOR(NULLIF(UNIX_TIMESTAMP({sql}), 0) * 1000) AS SIGNED)")
            }
            (SqlServer, Type::Instant) => {
                format!("DATEDIFF_BIG(millisecond, '1970-01-01T00:00:00+00:00', {sql})")
            }
            (SqlServer, Type::Timestamp | Type::Date) => {
                format!("DATEDIFF_BIG(millisecond, '1970-01-01T00:00:00', {sql})")
            }
            (backend, Type::Integer { bytes: 4 | 8, .. }) => match backend {
                Postgres => number(&format!("({sql})::bigint")),
                SqlServer => number(&format!("CONVERT(bigint, {sql})")),
                MySql | MariaDb | Sqlite => number(sql),
            },
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_numbers_are_compared_with_all_digits() {
        let compared = |backend, sql_type| ColumnType::parse(backend, sql_type).as_compared("x");
        assert_eq!(compared(MySql, "float"), "CAST((x * 1e0) AS BINARY)");
        assert_eq!(compared(MariaDb, "double"), "CAST(x AS BINARY)");
        assert_eq!(compared(Postgres, "real"), "(x)::text");
    }

    #[test]
    fn times_are_read_whatever_their_digits() {
        for (backend, sql_type, expected) in [
            (Postgres, "timestamp(3) with time zone", "epoch FROM t)"),
            (
                Postgres,
                "timestamp(3) without time zone",
                "AT TIME ZONE 'UTC'",
            ),
            (MySql, "timestamp(6)", "UNIX_TIMESTAMP(t)"),
            (MariaDb, "datetime(6)", "TIMESTAMPDIFF"),
            (MySql, "bigint(20) unsigned", "THEN t * 1000"),
            (SqlServer, "datetimeoffset(7)", "+00:00', t)"),
            (SqlServer, "datetime2(7)", "00:00:00', t)"),
            (Sqlite, "", "julianday(t)"),
        ] {
            let found = ColumnType::parse(backend, sql_type).unix_millis("t");
            let found = found.unwrap_or_else(|| panic!("{backend}: {sql_type}"));
            assert!(found.contains(expected), "{backend}: {sql_type}: {found}");
        }
        for sql_type in ["smallint", "time without time zone", "interval", "date[]"] {
            let found = ColumnType::parse(Postgres, sql_type).unix_millis("t");
            assert_eq!(found, None, "{sql_type}");
        }
    }
}
