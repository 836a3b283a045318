//! The names of what a change makes, and what of it there is.

use rowkey_core::Backend;
use rowkey_core::storage::quote_identifier;
use rowkey_tables::{Error, Value};

use crate::runner::Runner;
use crate::work::ChangedTable;

pub(super) fn quoted(name: &str) -> Result<String, Error> {
    Ok(quote_identifier(Backend::Postgres, name)?)
}

/// A quote that the body of a function, with its names, does not contain.
pub(super) fn quote_for(body: &str) -> String {
    let mut quote = "$rowkey$".to_owned();
    while body.contains(&quote) {
        quote.insert(1, '_');
    }
    quote
}

/// Whether a table has its new columns, before or after the swap.
pub(super) async fn is_expanded(
    runner: &mut Runner<'_>,
    table: &ChangedTable,
) -> Result<bool, Error> {
    match table.columns.first() {
        Some(column) => has_column(runner, table, &column.shadow_name(), "TRUE").await,
        None => Ok(true),
    }
}

/// Whether the old columns of a table have given up their names.
pub(super) async fn is_swapped(
    runner: &mut Runner<'_>,
    table: &ChangedTable,
) -> Result<bool, Error> {
    match table.columns.first() {
        Some(column) => has_column(runner, table, &column.retired_name, "TRUE").await,
        None => Ok(false),
    }
}

/// Whether a table has a column for which a condition on the catalogue's row is true.
pub(super) async fn has_column(
    runner: &mut Runner<'_>,
    table: &ChangedTable,
    column: &str,
    condition: &str,
) -> Result<bool, Error> {
    let query = format!(
        "SELECT count(*) FROM pg_attribute WHERE attrelid = to_regclass($1) \
         AND attname = $2 AND NOT attisdropped AND {condition}"
    );
    let name = Value::Text(table.name().quoted(Backend::Postgres)?);
    let doing = format!("the columns of {}", table.name());
    runner.is(&doing, &query, &[name, column.into()]).await
}
