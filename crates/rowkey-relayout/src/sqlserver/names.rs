//! The names of what a change makes, and what of it there is.

use rowkey_core::Backend;
use rowkey_core::storage::quote_identifier;
use rowkey_tables::Error;
use rowkey_tables::text_literal::text_literal;

use crate::work::{ChangedTable, Work};

pub(super) fn quoted(name: &str) -> Result<String, Error> {
    Ok(quote_identifier(Backend::SqlServer, name)?)
}

/// The name of a table's trigger, which no other change uses.
pub(super) fn trigger(work: &Work, table: &ChangedTable, what: &str) -> Result<String, Error> {
    work.made(table, what).quoted(Backend::SqlServer)
}

/// The SQL of the length of a column, which is NULL if the table has none of the name.
pub(super) fn length(table: &ChangedTable, column: &str) -> Result<String, Error> {
    let name = table.name().quoted(Backend::SqlServer)?;
    Ok(format!(
        "COL_LENGTH({}, {})",
        text_literal(Backend::SqlServer, &name),
        text_literal(Backend::SqlServer, column)
    ))
}

/// The SQL of whether the old columns have given up their names.
pub(super) fn is_swapped(work: &Work) -> Result<String, Error> {
    let (table, column) = work.key()?;
    Ok(format!(
        "{} IS NOT NULL",
        length(table, &column.retired_name)?
    ))
}

/// A definition as text that is compiled when it is reached: it has to be alone in its batch, or
/// uses columns that the batch makes.
pub(super) fn alone(definition: &str) -> String {
    format!("EXEC ({})", text_literal(Backend::SqlServer, definition))
}
