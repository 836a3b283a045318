//! Whether both sides have the same rows.

use std::collections::{HashMap, HashSet};

use futures_util::future::try_join;
use rowkey_core::storage::quote_identifier;
use rowkey_tables::catalog::QualifiedName;
use rowkey_tables::digest::{self, HashedRow, RowDifference, TwoSides};
use rowkey_tables::{Connection, Error};
use serde::Serialize;
use tokio::sync::mpsc::{self, Sender};

use crate::batch::{Batch, Cell, RowSum};
use crate::plans::plan::CopyPolicy;
use crate::rows::canonical::Canonical;
use crate::rows::read::read;
use crate::rows::select::KeyRange;
use crate::rows::shown::key_text;
use crate::tables::table_side::TableSide;

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
    pub difference: Option<RowDifference>,
}

/// Compares the rows of a table, as both connections see them.
pub(crate) async fn compare_table(
    source: &mut Connection,
    target: &mut Connection,
    from: &TableSide,
    to: &TableSide,
) -> Result<ComparedTable, Error> {
    let to = &to.without_replacements();
    let mut old = TableRows::all(source, from)?;
    let mut new = TableRows::all(target, to)?;
    // What the target has besides merged rows is its own.
    let merged = match to.merges_rows() {
        true => Some(keys(&mut old).await?),
        false => None,
    };
    compare_rows(&from.name, &mut old, &mut new, merged.as_ref()).await
}

/// The hashes of the keys of all rows.
pub(crate) async fn keys(rows: &mut impl RowSource) -> Result<HashSet<u128>, Error> {
    let mut keys = HashSet::new();
    each_row(rows, |row| {
        keys.insert(row.key);
    })
    .await?;
    Ok(keys)
}

/// The hashes of the keys of the rows that do not fulfil a condition, with one of these rows for
/// people, in the order in which they are found.
pub(crate) async fn others(
    rows: &mut impl RowSource,
    is_known: impl Fn(&u128) -> bool,
) -> Result<Vec<(u128, String)>, Error> {
    let (mut found, mut seen) = (Vec::new(), HashSet::new());
    each_row(rows, |row| {
        if !is_known(&row.key) && seen.insert(row.key) {
            found.push((row.key, (row.name)()));
        }
    })
    .await?;
    Ok(found)
}

/// The sums of the hashes of all rows by those of their keys.
pub(crate) async fn rows_by_key(rows: &mut impl RowSource) -> Result<HashMap<u128, u128>, Error> {
    let mut sums: HashMap<u128, u128> = HashMap::new();
    each_row(rows, |row| {
        let sum = sums.entry(row.key).or_default();
        *sum = sum.wrapping_add(row.row);
    })
    .await?;
    Ok(sums)
}

/// For each column, the sum of the hashes of its cells with their keys, in the rows with some keys.
pub(crate) async fn column_sums(
    rows: &mut impl RowSource,
    only: &HashSet<u128>,
) -> Result<Vec<u128>, Error> {
    let key = rows.side().key.clone();
    let mut sums = vec![0_u128; rows.side().columns.len()];
    each_cells(rows, |canonical, batch, cells| {
        if !only.contains(&canonical.hash_of(batch, cells, &key)) {
            return;
        }
        for (place, sum) in sums.iter_mut().enumerate() {
            let places = [key.as_slice(), &[place]].concat();
            *sum = sum.wrapping_add(canonical.hash_of(batch, cells, &places));
        }
    })
    .await?;
    Ok(sums)
}

/// Rows of a table or of a file, with cells in the same order on both sides.
pub(crate) trait RowSource {
    /// The table, as the source has it.
    fn side(&self) -> &TableSide;

    /// Sends all rows in batches.
    fn send(&mut self, batches: Sender<Batch>) -> impl Future<Output = Result<(), Error>> + Send;
}

/// The rows of a query that selects the columns of a side.
pub(crate) struct TableRows<'c> {
    connection: &'c mut Connection,
    side: &'c TableSide,
    query: String,
}

impl<'c> TableRows<'c> {
    /// All rows of a table.
    pub(crate) fn all(connection: &'c mut Connection, side: &'c TableSide) -> Result<Self, Error> {
        Ok(Self {
            connection,
            side,
            query: side.select(KeyRange::ALL, false)?,
        })
    }

    /// The rows of a table without NULL.
    pub(crate) fn without_null(
        connection: &'c mut Connection,
        side: &'c TableSide,
    ) -> Result<Self, Error> {
        let mut rows = Self::all(connection, side)?;
        let conditions = side.columns.iter().map(|column| {
            let quoted = quote_identifier(side.backend, &column.name)?;
            Ok(format!("{quoted} IS NOT NULL"))
        });
        let conditions: Vec<String> = conditions.collect::<Result<_, Error>>()?;
        rows.query += " WHERE ";
        rows.query += &conditions.join(" AND ");
        Ok(rows)
    }
}

impl RowSource for TableRows<'_> {
    fn side(&self) -> &TableSide {
        self.side
    }

    async fn send(&mut self, batches: Sender<Batch>) -> Result<(), Error> {
        let rows = CopyPolicy::default().batch_rows as usize;
        read(self.connection, self.side, &self.query, rows, batches).await
    }
}

/// The rows of both databases, read at once.
struct SourceAndTarget<'a, S, T> {
    source: &'a mut S,
    target: &'a mut T,
    /// The hashes of the keys of the rows that are compared, unless all are.
    only: Option<&'a HashSet<u128>>,
}

impl<S: RowSource + Send, T: RowSource + Send> TwoSides for SourceAndTarget<'_, S, T> {
    async fn each(
        &mut self,
        old: impl FnMut(HashedRow<'_>) + Send,
        mut new: impl FnMut(HashedRow<'_>) + Send,
    ) -> Result<(), Error> {
        let only = self.only;
        let new = |row: HashedRow<'_>| {
            if only.is_none_or(|keys| keys.contains(&row.key)) {
                new(row);
            }
        };
        try_join(each_row(self.source, old), each_row(self.target, new)).await?;
        Ok(())
    }
}

/// Compares the rows of both sides of a table; of the target, those with some keys only, if there
/// are some.
pub(crate) async fn compare_rows(
    table: &QualifiedName,
    source: &mut (impl RowSource + Send),
    target: &mut (impl RowSource + Send),
    only: Option<&HashSet<u128>>,
) -> Result<ComparedTable, Error> {
    let mut both = SourceAndTarget {
        source,
        target,
        only,
    };
    let compared = digest::compare(&mut both).await?;
    Ok(ComparedTable {
        table: table.clone(),
        rows: compared.old_rows,
        target_rows: compared.new_rows,
        difference: compared.difference,
    })
}

/// The number and the sum of the hashes of the rows of a query.
pub(crate) async fn sum(
    connection: &mut Connection,
    side: &TableSide,
    query: String,
) -> Result<RowSum, Error> {
    let mut sum = RowSum::default();
    let mut source = TableRows {
        connection,
        side,
        query,
    };
    each_row(&mut source, |row| sum.add(row.row)).await?;
    Ok(sum)
}

/// Calls a function with each row. Rows without a key have that of all their cells.
async fn each_row(
    source: &mut impl RowSource,
    mut take: impl FnMut(HashedRow<'_>),
) -> Result<(), Error> {
    let key = source.side().key.clone();
    each_cells(source, |canonical, batch, cells| {
        let row = canonical.hash(batch, cells);
        let hash = match key.as_slice() {
            [] => row,
            key => canonical.hash_of(batch, cells, key),
        };
        take(HashedRow {
            key: hash,
            row,
            name: &|| key_text(batch, cells, &key),
        });
    })
    .await
}

/// Calls a function with the cells of each row, and what hashes them.
async fn each_cells(
    source: &mut impl RowSource,
    mut take: impl FnMut(&mut Canonical, &Batch, &[Cell]),
) -> Result<(), Error> {
    let mut canonical = Canonical::of(source.side());
    let (sender, mut batches) = mpsc::channel::<Batch>(1);
    let hashing = async {
        while let Some(batch) = batches.recv().await {
            for cells in batch.rows() {
                take(&mut canonical, &batch, cells);
            }
        }
        Ok(())
    };
    try_join(source.send(sender), hashing).await?;
    Ok(())
}
