//! The instant in a creation column, as SQL.

use rowkey_core::Backend;
use rowkey_core::storage::quote_identifier;

use super::{Column, Table};
use crate::error::Error;

/// The SQL expression of the milliseconds since 1970 in a column with the time at which a row was
/// created. `qualifier` is what comes before the column, such as `NEW.`.
///
/// Times without a zone are taken as UTC. Whole numbers are seconds if they have at most eleven
/// digits, and milliseconds otherwise. NULL stays NULL, and `infinity` and dates with zeros in them
/// become NULL.
///
/// Fails for a column that does not exist, or whose type has no time.
pub fn unix_millis(
    backend: Backend,
    table: &Table,
    column: &str,
    qualifier: &str,
) -> Result<String, Error> {
    let found = table.column(column).ok_or_else(|| Error::Missing {
        what: format!("the column {column} of the table {}", table.name),
    })?;
    let sql = format!("{qualifier}{}", quote_identifier(backend, column)?);
    of_type(backend, found, &sql).ok_or_else(|| {
        Error::refused(
            format!("`created = \"{column}\"`"),
            format!("a column of the type {} has no time", found.sql_type),
            "name a column with a time, or leave it out: then new ids carry the time of the change",
        )
    })
}

fn of_type(backend: Backend, column: &Column, sql: &str) -> Option<String> {
    let sql_type = column.sql_type.to_ascii_lowercase();
    let is = |names: &[&str]| names.iter().any(|name| sql_type.starts_with(name));
    let number = |big: &str| {
        format!(
            "CASE WHEN {sql} BETWEEN -99999999999 AND 99999999999 THEN {big} * 1000 ELSE {big} END"
        )
    };
    match backend {
        Backend::Postgres if is(&["timestamp with time zone", "timestamptz"]) => Some(format!(
            "CASE WHEN isfinite({sql}) THEN floor(extract(epoch FROM {sql}) * 1000)::bigint END"
        )),
        Backend::Postgres if is(&["timestamp", "date"]) => Some(format!(
            "CASE WHEN isfinite({sql}) THEN \
             floor(extract(epoch FROM ({sql})::timestamp AT TIME ZONE 'UTC') * 1000)::bigint END"
        )),
        Backend::Postgres if is(&["bigint", "integer"]) => {
            Some(number(&format!("({sql})::bigint")))
        }
        // UNIX_TIMESTAMP would read a DATETIME in the session's zone, and ends in 2038.
        Backend::MySql | Backend::MariaDb if is(&["datetime", "date"]) => Some(format!(
            "(TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', {sql}) DIV 1000)"
        )),
        Backend::MySql | Backend::MariaDb if is(&["timestamp"]) => Some(format!(
            // The first second of 1970 isn't a TIMESTAMP: 0 stands for a date of zeros.
            "CAST(FLOOR(NULLIF(UNIX_TIMESTAMP({sql}), 0) * 1000) AS SIGNED)"
        )),
        Backend::MySql | Backend::MariaDb if is(&["bigint", "int"]) => Some(number(sql)),
        Backend::SqlServer if is(&["datetimeoffset"]) => Some(format!(
            "DATEDIFF_BIG(millisecond, '1970-01-01T00:00:00+00:00', {sql})"
        )),
        Backend::SqlServer if is(&["datetime", "smalldatetime", "date"]) => Some(format!(
            "DATEDIFF_BIG(millisecond, '1970-01-01T00:00:00', {sql})"
        )),
        Backend::SqlServer if is(&["bigint", "int"]) => {
            Some(number(&format!("CONVERT(bigint, {sql})")))
        }
        // Values have types of their own: numbers are seconds or milliseconds, text is a date.
        Backend::Sqlite => Some(format!(
            "CASE typeof({sql}) WHEN 'integer' THEN {} WHEN 'text' THEN \
             CAST(round((julianday({sql}) - 2440587.5) * 86400000) AS integer) END",
            number(sql)
        )),
        _ => None,
    }
}
