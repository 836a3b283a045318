//! How the queries on the catalogue of SQL Server name tables.

use crate::catalog::QualifiedName;
use crate::connection::Row;
use crate::error::Error;

/// The schema and the name of a table, as the first two columns of every query.
macro_rules! of_table {
    ($object:literal) => {
        concat!(
            "SELECT CASE WHEN SCHEMA_NAME(t.schema_id) = SCHEMA_NAME() THEN NULL ",
            "ELSE SCHEMA_NAME(t.schema_id) END, t.name, ",
            $object
        )
    };
}

pub(super) use of_table;

pub(super) fn name_of(row: &Row, index: usize) -> Result<QualifiedName, Error> {
    Ok(QualifiedName {
        schema: row.optional_text(index)?.map(str::to_owned),
        name: row.text(index + 1)?.into(),
    })
}
