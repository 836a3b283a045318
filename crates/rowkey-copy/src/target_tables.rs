//! What a copy runs in the target, for an engine that copies the rows itself.

use crate::plan::CopyPlan;
use crate::table_side::TableSide;
use crate::{create, objects, omissions};
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
        let counted = create::counted(self.original, &self.to);
        let Some(column) = counted.and_then(|column| self.original.column(&column.name)) else {
            return Ok(Vec::new());
        };
        let last = objects::counted_to(source, self.original, column).await?;
        objects::counter(&self.to, &column.name, last)
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
    let source = catalog.backend;
    let (mut originals, mut from, mut to) = (Vec::new(), Vec::new(), Vec::new());
    for (place, table) in plan.tables.iter().enumerate() {
        let sides = plan.sides(catalog, place)?;
        originals.push(catalog.table(&table.name)?);
        from.push(sides.0);
        to.push(sides.1);
    }
    let both = to.iter().zip(&originals);
    let both = both.filter(|(_, original)| is_chosen(&original.name));
    let (sides, others): (Vec<TableSide>, Vec<&Table>) = both
        .map(|(side, original)| (side.clone(), *original))
        .unzip();
    let mut used = objects::used_names(&to);
    let mut tables = Vec::new();
    for ((original, from), side) in originals.iter().zip(from).zip(&to) {
        let made = create::creation(source, original, side, &to, &originals, false)?;
        let mut left_out = made.left_out;
        left_out.extend(omissions::of_table(source, original, side));
        let mut statements_of = |found: Vec<objects::PlannedObject>| {
            let mut statements = Vec::new();
            for object in found {
                match object {
                    Ok(object) => statements.push((object.name, object.statement)),
                    Err(note) => left_out.push(note),
                }
            }
            statements
        };
        let indexes = statements_of(objects::indexes(source, original, side, &mut used)?);
        let references = objects::references(source, original, side, &sides, &others)?;
        let references = statements_of(references);
        // Indexes of all tables share their names, so that each keeps its own in any job.
        if !is_chosen(&original.name) {
            continue;
        }
        tables.push(TargetTable {
            original,
            from,
            to: side.clone(),
            creation: made.statement,
            indexes,
            references,
            left_out,
        });
    }
    Ok(tables)
}
