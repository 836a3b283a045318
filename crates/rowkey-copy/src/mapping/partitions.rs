//! Tables whose rows are in partitions, where these are tables too.

use std::iter::successors;

use rowkey_core::Backend;
use rowkey_tables::Error;
use rowkey_tables::catalog::{Catalog, Dependent, DependentKind, QualifiedName, Table};

use crate::engine::engine;
use crate::plans::plan::CopyPlan;

/// Whether the rows of a table are those of its partitions, so that they are read through it.
pub(crate) fn is_partitioned(table: &Table, source: Backend) -> bool {
    // A partition that has none itself says which rows it has.
    let has_own =
        |one: &Dependent| one.definition == "DEFAULT" || one.definition.starts_with("FOR VALUES ");
    let partition = partition(table);
    engine(source).objects.partitions_are_tables && partition.is_some_and(|one| !has_own(one))
}

fn partition(table: &Table) -> Option<&Dependent> {
    let mut dependents = table.dependents.iter();
    dependents.find(|one| one.kind == DependentKind::Partition)
}

/// The table that a table is a partition of.
fn parent<'c>(table: &Table, catalog: &'c Catalog) -> Option<&'c Table> {
    let name = partition(table)?.name.strip_prefix("partition of ")?;
    catalog.table(&QualifiedName::from(name)).ok()
}

/// The partitioned table whose rows a table has, if it is a partition.
pub(crate) fn whole<'c>(table: &Table, catalog: &'c Catalog) -> Option<&'c Table> {
    parent(table, catalog).filter(|parent| is_partitioned(parent, catalog.backend))
}

/// The partitions of a table, and theirs.
pub(crate) fn below<'c>(table: &Table, catalog: &'c Catalog) -> Vec<&'c Table> {
    let is_below = |other: &&Table| {
        let mut above = successors(parent(other, catalog), |one| parent(one, catalog));
        above.any(|one| one.name == table.name)
    };
    catalog.tables.iter().filter(is_below).collect()
}

/// Fails for a table whose rows would be copied twice, because a partition of it is in the plan too.
pub(crate) fn require_once(plan: &CopyPlan, catalog: &Catalog, table: &Table) -> Result<(), Error> {
    if !is_partitioned(table, catalog.backend) {
        return Ok(());
    }
    let below = below(table, catalog);
    for planned in &plan.tables {
        if below.iter().any(|partition| partition.name == planned.name) {
            return Err(Error::refused(
                table.name.to_string(),
                format!(
                    "it is partitioned, and the rows of its partition {} would be copied twice",
                    planned.name
                ),
                "delete its entry from the plan, or those of its partitions",
            ));
        }
    }
    Ok(())
}
