//! Whether the tables of a plan are as they are after the swap.

use rowkey_core::storage::quote_identifier;
use rowkey_sql::StoredForm;
use rowkey_tables::catalog::Catalog;
use rowkey_tables::types::ColumnType;
use rowkey_tables::{Connection, Error};

use super::rows::{PlannedTable, Sides, count};
use crate::id_map;
use crate::plan::{Plan, PlannedColumn};
use crate::state::Recorded;

/// Fails unless the new columns are in use, or were until the change was contracted. Columns with
/// other names tell that themselves.
pub(super) async fn require_swapped(
    connection: &mut Connection,
    plan: &Plan,
    catalog: &Catalog,
    tables: &[PlannedTable<'_>],
    recorded: Recorded,
) -> Result<(), Error> {
    let Some(key_table) = tables.first() else {
        return Ok(());
    };
    let is_swapped = match recorded {
        Recorded::Swapped => true,
        Recorded::NotSwapped => false,
        Recorded::Swapping => Sides::of(plan, catalog, key_table)?.is_some(),
        Recorded::Nothing => {
            Sides::of(plan, catalog, key_table)?.is_some()
                || is_contracted(connection, plan, catalog, key_table).await?
        }
    };
    match is_swapped {
        true => Ok(()),
        false => Err(not_swapped(&plan.key.table, &plan.key.column)),
    }
}

/// The refusal of a comparison before the swap.
pub(super) fn not_swapped(table: &impl std::fmt::Display, column: &str) -> Error {
    Error::refused(
        format!("{table}.{column}"),
        "the change has not been swapped",
        "do it first with `rowkey relayout` or `rowkey rekey`",
    )
}

/// Whether a change of which nothing is recorded is over: by the names, then by the type of the
/// key, then by its values, and at last by what the catalogue said before.
async fn is_contracted(
    connection: &mut Connection,
    plan: &Plan,
    catalog: &Catalog,
    key_table: &PlannedTable<'_>,
) -> Result<bool, Error> {
    let key = key_table.columns.iter().find(|column| column.is_key);
    let Some(key) = key.filter(|_| plan.columns().all(|one| one.becomes == one.name)) else {
        return Ok(true);
    };
    let (from, to) = plan.forms(catalog.backend)?;
    let found = key_table.table.column(key.becomes);
    let found = found.map(|column| column.column_type(catalog.backend));
    let has_values_of = |form: StoredForm| {
        let declared = ColumnType::parse(catalog.backend, form.sql_type());
        found
            .as_ref()
            .is_some_and(|found| found.has_values_of(&declared))
    };
    if !has_values_of(to) {
        return Ok(false);
    }
    let is_as_planned = plan.is_of(catalog);
    let Some(from) = from else {
        // The map stays after a change.
        return Ok(!is_as_planned || catalog.table(&id_map::TABLE.into()).is_ok());
    };
    if !has_values_of(from) {
        return Ok(true);
    }
    let are_old = are_all_ids(connection, key_table, key, from).await?;
    let are_new = are_all_ids(connection, key_table, key, to).await?;
    match (are_old, are_new) {
        (true, false) => Ok(false),
        (true, true) if is_as_planned => Err(Error::refused(
            format!("{}.{}", plan.key.table, plan.key.column),
            "either the change has not been swapped, or it is contracted and has left no trace: its tables are as \
             they were when the plan was written, and its values are ids of both forms",
            "if it has not been swapped, do it first with `rowkey relayout`",
        )),
        _ => Ok(true),
    }
}

/// Whether a column has only ids in a form, as far as SQL tells.
async fn are_all_ids(
    connection: &mut Connection,
    planned: &PlannedTable<'_>,
    column: &PlannedColumn<'_>,
    form: StoredForm,
) -> Result<bool, Error> {
    let quoted = quote_identifier(connection.backend(), column.becomes)?;
    let Ok(is_id) = form.condition(&quoted) else {
        return Ok(true);
    };
    let condition = format!("{quoted} IS NOT NULL AND NOT ({is_id})");
    Ok(count(connection, planned, &condition).await? == 0)
}
