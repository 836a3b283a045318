//! What a copy runs in the target, for an engine that copies the rows itself.

use super::plan::CopyPlan;
use super::side::Side;
use super::{create, objects};
use crate::catalog::{Catalog, Table};
use crate::error::Error;

/// A table on both sides, and how the target gets it.
pub(crate) struct TargetTable<'c> {
    pub(crate) original: &'c Table,
    pub(crate) from: Side,
    pub(crate) to: Side,
    /// The statement that makes it if it does not exist.
    pub(crate) creation: String,
    /// The names and the statements of its indexes, which follow after the rows.
    pub(crate) indexes: Vec<(String, String)>,
    /// Those of its references, which follow after all indexes.
    pub(crate) references: Vec<(String, String)>,
    /// The statements that let its counter go on behind the rows.
    pub(crate) counter: Vec<String>,
    /// What it does not get.
    pub(crate) left_out: Vec<String>,
}

/// The tables of a plan, in its order.
///
/// # Errors
///
/// [`Error::Refused`] for what the plan does not map.
pub(crate) fn target_tables<'c>(
    plan: &CopyPlan,
    catalog: &'c Catalog,
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
    let mut taken = objects::taken(&to);
    let mut tables = Vec::new();
    for ((original, from), side) in originals.iter().zip(from).zip(&to) {
        let made = create::creation(source, original, side, &to, &originals, false)?;
        let mut left_out = made.left_out;
        left_out.extend(objects::dependents(original));
        left_out.extend(objects::collations(original, side));
        let mut carried = |found: Vec<objects::Carried>| {
            let mut statements = Vec::new();
            for object in found {
                match object {
                    Ok(object) => statements.push((object.name, object.statement)),
                    Err(note) => left_out.push(note),
                }
            }
            statements
        };
        let indexes = carried(objects::indexes(source, original, side, &mut taken)?);
        let references = objects::references(source, original, side, &to, &originals)?;
        let references = carried(references);
        let counter = match create::counted(source, original, side) {
            Some(column) => objects::counter(side, &column.name, 0)?,
            None => Vec::new(),
        };
        tables.push(TargetTable {
            original,
            from,
            to: side.clone(),
            creation: made.statement,
            indexes,
            references,
            counter,
            left_out,
        });
    }
    Ok(tables)
}
