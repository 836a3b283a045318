//! The instant in a creation column, as SQL.

use rowkey_core::Backend;
use rowkey_core::storage::quote_identifier;

use super::Table;
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
    found.column_type(backend).unix_millis(&sql).ok_or_else(|| {
        Error::refused(
            format!("`created = \"{column}\"`"),
            format!("a column of the type {} has no time", found.sql_type),
            "name a column with a time, or leave it out: then new ids carry the time of the change",
        )
    })
}
