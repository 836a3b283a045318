//! Whether both sides have the same rows.

use futures_util::future::try_join;
use serde::Serialize;
use tokio::sync::mpsc;

use super::plan::{CopyPlan, CopyPolicy};
use super::run::check_backends;
use super::session;
use super::side::Side;
use crate::batch::{Batch, Canonical, Cell};
use crate::catalog::{Catalog, QualifiedName};
use crate::connection::Connection;
use crate::error::Error;
use crate::progress::{Progress, Step};
use crate::read::read;
use crate::types::clock;
use crate::verify::digest::{self, Digest};
use crate::write::literal::{hyphenated, push_hex};

/// What a comparison has found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Comparison {
    /// The tables, in the order of the plan.
    pub tables: Vec<ComparedTable>,
}

/// A table on both sides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ComparedTable {
    /// Its name in the source.
    pub table: QualifiedName,
    /// How many rows the source has.
    pub rows: u64,
    /// How many rows the target has.
    pub target_rows: u64,
    /// What is not the same.
    pub difference: Option<Difference>,
}

/// How a table differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// How many of 256 parts of the rows differ.
    pub parts: usize,
    /// Keys of rows that differ, from the first parts that do.
    pub keys: Vec<String>,
}

impl Comparison {
    /// Whether both sides have the same rows.
    pub fn is_equal(&self) -> bool {
        self.tables.iter().all(|table| table.difference.is_none())
    }
}

/// Reads the tables of a plan on both sides, and compares the hashes of their rows in a form that is the
/// same everywhere.
///
/// # Errors
///
/// Those of the databases, and [`Error::Refused`] for a value that is not of its column's type.
pub async fn compare(
    source: &mut Connection,
    target: &mut Connection,
    plan: &CopyPlan,
    progress: &mut dyn Progress,
) -> Result<Comparison, Error> {
    plan.check()?;
    check_backends(source, target, plan)?;
    let catalog = Catalog::read(source).await?;
    session::begin_reading(source).await?;
    session::begin_reading(target).await?;
    let mut tables = Vec::new();
    for place in 0..plan.tables.len() {
        let (from, to) = plan.sides(&catalog, place)?;
        progress.report(Step::Begins(format!("comparing {}", from.name)));
        let (mut old, mut new) = (Digest::default(), Digest::default());
        let add = |digest: &mut Digest, hashed: Hashed<'_>| {
            digest.add_hashes(hashed.key, hashed.row);
        };
        try_join(
            each_row(source, &from, |row| add(&mut old, row)),
            each_row(target, &to, |row| add(&mut new, row)),
        )
        .await?;
        let difference = match old.first_difference(&new) {
            None => None,
            Some(part) => Some(Difference {
                parts: old.differences(&new),
                keys: differing_keys(source, target, &from, &to, part).await?,
            }),
        };
        tables.push(ComparedTable {
            table: from.name.clone(),
            rows: old.rows(),
            target_rows: new.rows(),
            difference,
        });
    }
    Ok(Comparison { tables })
}

async fn differing_keys(
    source: &mut Connection,
    target: &mut Connection,
    from: &Side,
    to: &Side,
    part: usize,
) -> Result<Vec<String>, Error> {
    let mut rows = digest::Rows::default();
    for (is_old, connection, side) in [(true, source, from), (false, target, to)] {
        each_row(connection, side, |row| {
            if digest::part_of_hash(row.key) == part {
                let key = key_text(row.batch, row.cells, &from.key);
                rows.add_hash(key, row.row, is_old);
            }
        })
        .await?;
    }
    Ok(rows.first_differences())
}

/// A row with the hashes of its key and of all of it.
struct Hashed<'b> {
    batch: &'b Batch,
    cells: &'b [Cell],
    key: u128,
    row: u128,
}

async fn each_row(
    connection: &mut Connection,
    side: &Side,
    mut take: impl FnMut(Hashed<'_>),
) -> Result<(), Error> {
    let query = side.select(None, false)?;
    let (sender, mut batches) = mpsc::channel::<Batch>(1);
    let hashing = async {
        let mut canonical = Canonical::default();
        while let Some(batch) = batches.recv().await {
            for cells in batch.rows() {
                let row = canonical.hash(&batch, cells);
                let key = match side.key.as_slice() {
                    [] => row,
                    key => canonical.hash_of(&batch, cells, key),
                };
                take(Hashed {
                    batch: &batch,
                    cells,
                    key,
                    row,
                });
            }
        }
        Ok(())
    };
    let rows = CopyPolicy::default().batch_rows as usize;
    try_join(read(connection, side, &query, rows, sender), hashing).await?;
    Ok(())
}

/// A key for people; the whole row if there is none.
fn key_text(batch: &Batch, cells: &[Cell], key: &[usize]) -> String {
    let shown: Vec<&Cell> = match key {
        [] => cells.iter().collect(),
        key => key.iter().filter_map(|place| cells.get(*place)).collect(),
    };
    let texts: Vec<String> = shown
        .into_iter()
        .map(|cell| cell_text(batch, *cell))
        .collect();
    texts.join("/")
}

fn cell_text(batch: &Batch, cell: Cell) -> String {
    match cell {
        Cell::Null => "NULL".into(),
        Cell::Bool(value) => value.to_string(),
        Cell::Integer(number) => number.to_string(),
        Cell::Large(number) => number.to_string(),
        Cell::Single(number) => number.to_string(),
        Cell::Double(number) => number.to_string(),
        Cell::Decimal(span) | Cell::Text(span) => batch.text(span).to_owned(),
        Cell::Bytes(span) => {
            let mut text = String::new();
            push_hex(&mut text, batch.bytes(span));
            text
        }
        Cell::Date(days) => clock::date_text(days).unwrap_or_else(|_| format!("day {days}")),
        Cell::Time(micros) => clock::time_text(micros),
        Cell::Timestamp(micros) => {
            clock::timestamp_text(micros).unwrap_or_else(|_| format!("microsecond {micros}"))
        }
        Cell::Sixteen(span) => hyphenated(batch.bytes(span)),
    }
}
