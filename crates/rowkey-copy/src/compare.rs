//! Whether both sides have the same rows.

use futures_util::future::try_join;
use rowkey_tables::catalog::{Catalog, QualifiedName, Table};
use rowkey_tables::digest::{self, Digest};
use rowkey_tables::types::clock;
use rowkey_tables::{Connection, Error, Progress, Step};
use serde::Serialize;
use tokio::sync::mpsc;

use crate::batch::{Batch, Canonical, Cell};
use crate::checkpoint::{self, Checkpoint, State};
use crate::job::Job;
use crate::mapping::check_backends;
use crate::plan::{CopyPlan, CopyPolicy};
use crate::prepared::PreparedTable;
use crate::read::read;
use crate::select::KeyRange;
use crate::session;
use crate::table_side::TableSide;
use crate::write::literal::hyphenated;

/// What a comparison has found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Comparison {
    /// The tables, in the order of the plan.
    pub tables: Vec<ComparedTable>,
    /// What the target has not got yet, because the copy has stopped before its end.
    pub unfinished: Vec<String>,
}

/// A table on both sides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ComparedTable {
    /// The table's name in the source.
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
    /// Whether both sides have the same rows, and the copy has ended.
    pub fn is_equal(&self) -> bool {
        self.unfinished.is_empty() && self.tables.iter().all(|table| table.difference.is_none())
    }
}

/// Reads the tables of a plan on both sides, and compares the hashes of their rows in a form that
/// is the same everywhere.
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
    let unfinished = unfinished(target, plan, &catalog).await?;
    session::begin_reading(source).await?;
    session::begin_reading(target).await?;
    let mut tables = Vec::new();
    for PreparedTable { from, to, .. } in plan.prepare_all(&catalog)? {
        if to.keeps_rows() {
            continue;
        }
        progress.report(Step::Begins(format!("comparing {}", from.name)));
        tables.push(compare_table(source, target, &from, &to).await?);
    }
    Ok(Comparison { tables, unfinished })
}

/// What a copy that has stopped has not added yet.
async fn unfinished(
    target: &mut Connection,
    plan: &CopyPlan,
    catalog: &Catalog,
) -> Result<Vec<String>, Error> {
    let made = Catalog::read(target).await?;
    let is_state = |table: &Table| table.name.name == checkpoint::TABLE;
    if !made.tables.iter().any(is_state) {
        return Ok(Vec::new());
    }
    let known = checkpoint::read_existing(target, &plan.hash()?, plan.tables.len()).await?;
    let is_done = |part: &Checkpoint| part.state == State::Done;
    let Some(known) = known.filter(|known| !known.iter().flatten().all(is_done)) else {
        return Ok(Vec::new());
    };
    let mut found = vec!["the copy has not ended; `rowkey copy` goes on with it".to_owned()];
    for (table, parts) in plan.tables.iter().zip(known) {
        if parts.iter().any(|part| part.state == State::Begun) {
            found.push(format!("{}: not all rows are copied", table.becomes));
        }
    }
    found.extend(Job::new(plan, catalog)?.missing_objects(&made)?);
    Ok(found)
}

/// Compares the rows of a table, as both connections see them.
pub(super) async fn compare_table(
    source: &mut Connection,
    target: &mut Connection,
    from: &TableSide,
    to: &TableSide,
) -> Result<ComparedTable, Error> {
    let (mut old, mut new) = (Digest::default(), Digest::default());
    let add = |digest: &mut Digest, hashed: Hashed<'_>| {
        digest.add_hashes(hashed.key, hashed.row);
    };
    let (old_rows, new_rows) = (
        from.select(KeyRange::ALL, false)?,
        to.select(KeyRange::ALL, false)?,
    );
    try_join(
        each_row(source, from, &old_rows, |row| add(&mut old, row)),
        each_row(target, to, &new_rows, |row| add(&mut new, row)),
    )
    .await?;
    let difference = match old.some_differences(&new).as_slice() {
        [] => None,
        parts => Some(Difference {
            parts: old.differences(&new),
            keys: differing_keys(source, target, from, to, parts).await?,
        }),
    };
    Ok(ComparedTable {
        table: from.name.clone(),
        rows: old.rows(),
        target_rows: new.rows(),
        difference,
    })
}

/// The number and the sum of the hashes of the rows of a query.
pub(super) async fn sum(
    connection: &mut Connection,
    side: &TableSide,
    query: &str,
) -> Result<(u64, u128), Error> {
    let (mut rows, mut sum) = (0, 0_u128);
    each_row(connection, side, query, |row| {
        rows += 1;
        sum = sum.wrapping_add(row.row);
    })
    .await?;
    Ok((rows, sum))
}

async fn differing_keys(
    source: &mut Connection,
    target: &mut Connection,
    from: &TableSide,
    to: &TableSide,
    parts: &[usize],
) -> Result<Vec<String>, Error> {
    let mut rows = digest::Rows::default();
    for (is_old, connection, side) in [(true, source, from), (false, target, to)] {
        let query = side.select(KeyRange::ALL, false)?;
        each_row(connection, side, &query, |row| {
            if parts.contains(&digest::part_of_hash(row.key)) {
                let key = key_text(row.batch, row.cells, &from.key);
                rows.add_hash(key, row.row, is_old);
            }
        })
        .await?;
    }
    Ok(rows.first_differences())
}

/// A row with the hashes of its key and of all of it.
pub(crate) struct Hashed<'b> {
    pub(crate) batch: &'b Batch,
    pub(crate) cells: &'b [Cell],
    pub(crate) key: u128,
    pub(crate) row: u128,
}

pub(crate) async fn each_row(
    connection: &mut Connection,
    side: &TableSide,
    query: &str,
    take: impl FnMut(Hashed<'_>),
) -> Result<(), Error> {
    let (sender, batches) = mpsc::channel::<Batch>(1);
    let hashing = async {
        hash_each(batches, &side.key, take).await;
        Ok(())
    };
    let rows = CopyPolicy::default().batch_rows as usize;
    try_join(read(connection, side, query, rows, sender), hashing).await?;
    Ok(())
}

/// Calls a function with each row of some batches. Rows without a key have that of all their cells.
pub(crate) async fn hash_each(
    mut batches: mpsc::Receiver<Batch>,
    key: &[usize],
    mut take: impl FnMut(Hashed<'_>),
) {
    let mut canonical = Canonical::default();
    while let Some(batch) = batches.recv().await {
        for cells in batch.rows() {
            let row = canonical.hash(&batch, cells);
            let key = match key {
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
}

/// A key for people; the whole row if there is none.
pub(crate) fn key_text(batch: &Batch, cells: &[Cell], key: &[usize]) -> String {
    let shown: Vec<&Cell> = match key {
        [] => cells.iter().collect(),
        key => key.iter().map(|place| &cells[*place]).collect(),
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
        Cell::Decimal(span) | Cell::Text(span) | Cell::Refused(span) => batch.text(span).to_owned(),
        Cell::Bytes(span) => hex::encode(batch.bytes(span)),
        Cell::Date(days) => clock::date_text(days).unwrap_or_else(|_| format!("day {days}")),
        Cell::Time(micros) => clock::time_text(micros),
        Cell::Timestamp(micros) => {
            clock::timestamp_text(micros).unwrap_or_else(|_| format!("microsecond {micros}"))
        }
        Cell::Sixteen(span) => hyphenated(batch.bytes(span)),
    }
}
