//! What a copy runs in the target, for an engine that copies the rows itself.

use crate::definitions::checks;
use crate::definitions::counters;
use crate::definitions::create;
use crate::definitions::objects;
use crate::definitions::omissions;
use crate::plans::plan::CopyPlan;
use crate::tables::prepared::PreparedTable;
use crate::tables::table_side::TableSide;
use rowkey_tables::catalog::{Catalog, QualifiedName, Table};
use rowkey_tables::{Connection, Error};

/// A table on both sides, and how the target gets it.
#[derive(Debug)]
pub(crate) struct TargetTable<'c> {
    pub(crate) original: &'c Table,
    pub(crate) from: TableSide,
    pub(crate) to: TableSide,
    /// The statement that makes it if it does not exist.
    pub(crate) creation: String,
    /// The names and the statements of its indexes, which follow after the rows.
    pub(crate) indexes: Vec<(String, String)>,
    /// Those of its references, which follow after all indexes.
    pub(crate) references: Vec<(String, String)>,
    /// What it does not get.
    pub(crate) left_out: Vec<String>,
}

impl TargetTable<'_> {
    /// The statements that let the table's counter continue after the rows, and after the last
    /// number that the source has counted so far.
    pub(crate) async fn counter(&self, source: &mut Connection) -> Result<Vec<String>, Error> {
        let continued = counters::continued(source, self.original, &self.to, None).await?;
        Ok(continued.statements)
    }
}

/// The chosen tables of a plan, in its order. References to others are left out.
///
/// # Errors
///
/// [`Error::Refused`] for what the plan does not map.
pub(crate) fn target_tables<'c>(
    plan: &CopyPlan,
    catalog: &'c Catalog,
    is_chosen: impl Fn(&QualifiedName) -> bool,
) -> Result<Vec<TargetTable<'c>>, Error> {
    plan.check()?;
    let prepared = plan.prepare_all(catalog)?;
    let all: Vec<&PreparedTable<'_>> = prepared.iter().collect();
    let chosen = all.iter().copied();
    let chosen: Vec<&PreparedTable<'_>> = chosen
        .filter(|table| is_chosen(&table.original.name))
        .collect();
    let mut used = objects::used_names(&prepared);
    let mut tables = Vec::new();
    for table in &all {
        let made = create::creation(table, &all, false)?;
        let mut left_out = made.left_out;
        left_out.extend(omissions::of_table(table));
        left_out.extend(omissions::of_text([*table]));
        left_out.extend(omissions::of_rows(table));
        // The job makes tables, indexes and references.
        let checks = checks::named(table.from.backend, table.original, &table.to)?;
        left_out.extend(checks.iter().map(|check| {
            let table = &table.original.name;
            format!("{table}: the check {} is left out", check.name)
        }));
        let mut statements_of = |found: Vec<objects::PlannedObject>| {
            let (mut statements, mut omissions) = (Vec::new(), Vec::new());
            for object in found {
                match object {
                    Ok(object) => statements.push((object.name, object.statement)),
                    Err(omission) => omissions.push(omission),
                }
            }
            left_out.extend(objects::notes(omissions));
            statements
        };
        let indexes = statements_of(objects::indexes(table, &mut used)?);
        let references = statements_of(objects::references(table, &chosen)?);
        // Indexes of all tables share their names, so that each keeps its own in any job.
        if !is_chosen(&table.original.name) {
            continue;
        }
        tables.push(TargetTable {
            original: table.original,
            from: table.from.clone(),
            to: table.to.clone(),
            creation: made.statement,
            indexes,
            references,
            left_out,
        });
    }
    Ok(tables)
}
