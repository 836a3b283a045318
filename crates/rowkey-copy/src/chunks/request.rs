//! Which tables are divided by which columns, and the ranges that are found.

use rowkey_tables::Error;
use rowkey_tables::catalog::{Column, QualifiedName, Table};
use serde::Serialize;

use crate::plans::plan::{CopyPlan, TablePlan};

/// The largest number of ranges.
pub const MAX_RANGES: u32 = 10_000;

/// Which ranges are asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The one table to divide, as the plan names it; otherwise all tables of the plan.
    pub table: Option<QualifiedName>,
    /// The column whose ranges these are; otherwise the key of each table.
    pub column: Option<String>,
    /// How many ranges each table gets at most; otherwise one for each 100,000 rows.
    pub ranges: Option<u32>,
    /// How many keys are looked at for each range. Twice as many give ranges that are more equal by
    /// a third.
    pub keys_per_range: u32,
}

impl Default for Request {
    fn default() -> Self {
        Self {
            table: None,
            column: None,
            ranges: None,
            keys_per_range: 1_000,
        }
    }
}

/// The ranges of a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TableRanges {
    /// The table's name.
    pub table: QualifiedName,
    /// The columns whose values are divided; none if the table has no key.
    pub columns: Vec<String>,
    /// A condition for each range, in the order of the column.
    pub ranges: Vec<String>,
}

/// The tables that are asked for.
pub(super) fn chosen<'p>(
    plan: &'p CopyPlan,
    request: &Request,
) -> Result<Vec<&'p TablePlan>, Error> {
    match &request.table {
        None => Ok(plan.tables.iter().collect()),
        Some(name) => {
            let table = plan.tables.iter().find(|table| table.name == *name);
            let table = table.ok_or_else(|| Error::Missing {
                what: format!("the table {name} in the plan, and so it"),
            })?;
            Ok(vec![table])
        }
    }
}

pub(super) fn column<'t>(table: &'t Table, name: &str) -> Result<&'t Column, Error> {
    table.column(name).ok_or_else(|| Error::Missing {
        what: format!("the column {name} of the table {}", table.name),
    })
}

/// The columns of the primary key, or of another key. Rows with NULL in one of several columns
/// would be in no range, so that only the first counts if one of them may be NULL.
pub(super) fn key(table: &Table) -> Vec<&Column> {
    let Some(key) = table.primary_key().or(table.keys.first()) else {
        return Vec::new();
    };
    let columns = key.columns.iter().filter_map(|name| table.column(name));
    let mut columns: Vec<&Column> = columns.collect();
    if columns.iter().any(|column| column.is_nullable) {
        columns.truncate(1);
    }
    columns
}
