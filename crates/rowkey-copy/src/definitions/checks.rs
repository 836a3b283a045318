//! CHECKs, which only a database of the same product understands.

use rowkey_core::Backend;
use rowkey_core::storage::quote_identifier;
use rowkey_tables::Error;
use rowkey_tables::catalog::{Dependent, DependentKind, Table};
#[cfg(feature = "sqlite")]
use rowkey_tables::dialect::Dialect;

use crate::engine::engine;
use crate::tables::table_side::TableSide;

/// A CHECK that a table gets after its rows.
pub(crate) struct Check {
    pub(crate) name: String,
    pub(crate) columns: Vec<String>,
    pub(crate) definition: String,
}

/// The CHECKs with names that go to the target as they are.
pub(crate) fn named(source: Backend, table: &Table, side: &TableSide) -> Result<Vec<Check>, Error> {
    let mut checks = Vec::new();
    for dependent in &table.dependents {
        if let Some(words) = words(source, table, side, dependent) {
            let name = quote_identifier(side.backend, &dependent.name)?;
            checks.push(Check {
                name: dependent.name.clone(),
                columns: dependent.columns.clone(),
                definition: format!("CONSTRAINT {name} {words}"),
            });
        }
    }
    Ok(checks)
}

/// The words of a CHECK, if the target gets it.
pub(crate) fn words(
    source: Backend,
    table: &Table,
    side: &TableSide,
    dependent: &Dependent,
) -> Option<String> {
    let is_same = |name: &String| is_same(table, side, name);
    let goes = dependent.kind == DependentKind::Check
        && source == side.backend
        && !dependent.definition.ends_with("NOT ENFORCED")
        && dependent.columns.iter().all(is_same);
    match engine(source).objects.check {
        Some(check) if goes => check(&dependent.definition),
        _ => None,
    }
}

fn is_same(table: &Table, side: &TableSide, name: &str) -> bool {
    let copied = side.columns.iter().find(|column| column.name == name);
    let types = table.column(name).zip(copied);
    types.is_some_and(|(original, copied)| original.sql_type == copied.sql_type.bare())
}

/// The conditions of a table of SQLite, which are lines of its definition.
#[cfg(feature = "sqlite")]
pub(crate) fn unnamed(
    source: Backend,
    table: &Table,
    side: &TableSide,
) -> Result<Vec<String>, Error> {
    let mut columns = table.columns.iter();
    let is_sqlite = source.stores_any_type() && side.backend == source;
    if !is_sqlite || !columns.all(|column| is_same(table, side, &column.name)) {
        return Ok(Vec::new());
    }
    of_statement(table)
}

/// The CHECKs in a table's statement, which only SQLite's catalogue keeps.
#[cfg(feature = "sqlite")]
pub(crate) fn of_statement(table: &Table) -> Result<Vec<String>, Error> {
    let conditions = rowkey_tables::catalog::sqlite::checks(table.statement())?.into_iter();
    Ok(conditions.map(|words| format!("CHECK {words}")).collect())
}

#[cfg(not(feature = "sqlite"))]
pub(crate) fn unnamed(_: Backend, _: &Table, _: &TableSide) -> Result<Vec<String>, Error> {
    Ok(Vec::new())
}

#[cfg(not(feature = "sqlite"))]
pub(crate) fn of_statement(_: &Table) -> Result<Vec<String>, Error> {
    Ok(Vec::new())
}
