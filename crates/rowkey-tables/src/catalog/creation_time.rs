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
    let refused = |why: String| {
        Error::refused(
            format!("`created = \"{column}\"`"),
            why,
            "name a column with a time, or leave it out: then new ids carry the time of the change",
        )
    };
    let found = table.column(column);
    let found = found.ok_or_else(|| {
        refused(format!(
            "the table {} has no column of that name",
            table.name
        ))
    })?;
    let sql = format!("{qualifier}{}", quote_identifier(backend, column)?);
    let millis = found.column_type(backend).unix_millis(&sql);
    millis.ok_or_else(|| {
        refused(format!(
            "a column of the type {} has no time",
            found.sql_type
        ))
    })
}
