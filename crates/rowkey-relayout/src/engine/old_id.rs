//! Old ids as the text in the map, and back.

use rowkey_core::Backend;
use rowkey_core::storage::quote_identifier;
use rowkey_tables::Error;
use rowkey_tables::catalog::Column;
use rowkey_tables::dialect::Dialect;
use rowkey_tables::types::{Affinity, ColumnType, Type};

/// The types of keys whose ids have an exact text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OldIdType {
    Signed,
    Unsigned,
    /// Precision and scale.
    Decimal((u32, u32)),
    Bytes,
    Text,
    Uuid,
}

impl OldIdType {
    /// The kind of a type; nothing for one whose ids have no exact text.
    pub(crate) fn of(backend: Backend, column_type: &ColumnType) -> Option<Self> {
        if backend.stores_any_type() {
            return match column_type.affinity() {
                Affinity::Integer => Some(Self::Signed),
                Affinity::Text => Some(Self::Text),
                Affinity::Blob => Some(Self::Bytes),
                // It depends on the value.
                Affinity::Real | Affinity::Numeric => None,
            };
        }
        let kind = match column_type.meaning()? {
            Type::Integer {
                is_unsigned: true, ..
            } => Self::Unsigned,
            Type::Integer { .. } | Type::Flag => Self::Signed,
            Type::Decimal(digits) => Self::Decimal(digits?),
            // Values without a length of their own are no keys.
            Type::FixedBytes(_) | Type::Bytes(Some(_)) => Self::Bytes,
            Type::Text(_) if column_type.length().is_some() => Self::Text,
            Type::Uuid => Self::Uuid,
            _ => return None,
        };
        let is_number = matches!(kind, Self::Signed | Self::Unsigned | Self::Decimal(_));
        // The text of `money` is rounded.
        let is_exact = is_number && !column_type.name().ends_with("money");
        (backend.names_character_sets() || is_exact).then_some(kind)
    }

    fn required(backend: Backend, column: &Column) -> Result<Self, Error> {
        Self::of(backend, &column.column_type(backend)).ok_or_else(|| match backend {
            Backend::SqlServer => Error::refused(
                &column.name,
                format!(
                    "its type is {}, and only numbers get new ids on SQL Server",
                    column.sql_type
                ),
                "change the form of the ids with `rowkey relayout`, or take an IDENTITY",
            ),
            _ => Error::refused(
                format!("the column {}", column.name),
                format!("ids of the type {} have no exact text", column.sql_type),
                "change it to a number, to text or to bytes first",
            ),
        })
    }
}

/// An old id as the text in the map.
pub(crate) fn text_of(backend: Backend, column: &Column, sql: &str) -> Result<String, Error> {
    let kind = OldIdType::required(backend, column)?;
    Ok(match (backend, kind) {
        (Backend::SqlServer, _) => format!("CONVERT(nvarchar(100), {sql})"),
        // Of NULL, SQLite makes the digits of no bytes.
        (Backend::Sqlite, OldIdType::Bytes) => {
            format!("CASE WHEN {sql} IS NOT NULL THEN hex({sql}) END")
        }
        (Backend::Sqlite, OldIdType::Text) => sql.into(),
        (Backend::Sqlite, _) => format!("CAST({sql} AS TEXT)"),
        // The text of a number with `zerofill` has zeros before it.
        (_, OldIdType::Signed | OldIdType::Unsigned) => mysql_text(&format!("({sql} + 0)")),
        (_, OldIdType::Decimal(_) | OldIdType::Text) => mysql_text(sql),
        (_, OldIdType::Bytes) => mysql_text(&format!("LOWER(HEX({sql}))")),
        (_, OldIdType::Uuid) => mysql_text(&format!("CAST({sql} AS CHAR)")),
    })
}

/// A text with the collation that the map has in MySQL and MariaDB.
pub(crate) fn mysql_text(sql: &str) -> String {
    format!("CONVERT({sql} USING utf8mb4) COLLATE utf8mb4_bin")
}

/// An old id from the text in the map, of the column's type, so that an index finds it.
pub(crate) fn from_text(backend: Backend, column: &Column, sql: &str) -> Result<String, Error> {
    let kind = OldIdType::required(backend, column)?;
    Ok(match (backend, kind) {
        (Backend::SqlServer, _) => format!("CONVERT({}, {sql})", column.sql_type),
        (Backend::Sqlite, OldIdType::Bytes) => format!("unhex({sql})"),
        (Backend::Sqlite, OldIdType::Text) => sql.into(),
        (Backend::Sqlite, _) => format!("CAST({sql} AS INTEGER)"),
        (_, OldIdType::Signed) => format!("CAST({sql} AS SIGNED)"),
        (_, OldIdType::Unsigned) => format!("CAST({sql} AS UNSIGNED)"),
        (_, OldIdType::Decimal((precision, scale))) => {
            format!("CAST({sql} AS DECIMAL({precision},{scale}))")
        }
        (_, OldIdType::Bytes) => format!("UNHEX({sql})"),
        (_, OldIdType::Text) => match column.collation.as_deref() {
            Some(collation) => {
                let charset = collation.split('_').next().unwrap_or(collation);
                let quoted = |name| quote_identifier(backend, name);
                format!(
                    "CONVERT({sql} USING {}) COLLATE {}",
                    quoted(charset)?,
                    quoted(collation)?
                )
            }
            None => sql.into(),
        },
        (_, OldIdType::Uuid) => format!("CAST({sql} AS UUID)"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_with_an_exact_text_have_a_kind() {
        let (mysql, sqlite, sqlserver) = (Backend::MySql, Backend::Sqlite, Backend::SqlServer);
        for (backend, sql_type, kind) in [
            (
                mysql,
                "bigint(20) unsigned zerofill",
                Some(OldIdType::Unsigned),
            ),
            (mysql, "int", Some(OldIdType::Signed)),
            (
                mysql,
                "decimal(20,0) unsigned",
                Some(OldIdType::Decimal((20, 0))),
            ),
            (mysql, "tinyint(1)", Some(OldIdType::Signed)),
            (mysql, "tinyint(1) unsigned", Some(OldIdType::Unsigned)),
            (mysql, "binary(16)", Some(OldIdType::Bytes)),
            (mysql, "varchar(36)", Some(OldIdType::Text)),
            (mysql, "uuid", Some(OldIdType::Uuid)),
            (mysql, "datetime", None),
            (mysql, "enum('int')", None),
            (mysql, "inet6", None),
            (mysql, "text", None),
            (mysql, "blob", None),
            (sqlite, "Integer", Some(OldIdType::Signed)),
            (sqlite, "varchar(36)", Some(OldIdType::Text)),
            (sqlite, "", Some(OldIdType::Bytes)),
            (sqlite, "NUMERIC", None),
            (
                sqlserver,
                "decimal(19,0)",
                Some(OldIdType::Decimal((19, 0))),
            ),
            (sqlserver, "numeric", Some(OldIdType::Decimal((18, 0)))),
            (sqlserver, "bigint", Some(OldIdType::Signed)),
            (sqlserver, "money", None),
            (sqlserver, "uniqueidentifier", None),
            (sqlserver, "datetime2(7)", None),
        ] {
            let column_type = ColumnType::parse(backend, sql_type);
            assert_eq!(
                OldIdType::of(backend, &column_type),
                kind,
                "{backend} {sql_type}"
            );
        }
    }

    #[test]
    fn numbers_of_sql_server_have_a_text() {
        let bigint = Column::of_type("bigint");
        let text = text_of(Backend::SqlServer, &bigint, "x");
        assert_eq!(text.unwrap(), "CONVERT(nvarchar(100), x)");
        let number = from_text(Backend::SqlServer, &bigint, "m.old");
        assert_eq!(number.unwrap(), "CONVERT(bigint, m.old)");
        assert!(text_of(Backend::SqlServer, &Column::of_type("datetime2(7)"), "x").is_err());
    }
}
