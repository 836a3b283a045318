//! Whether files and tables have the same rows.

use std::path::Path;

use rowkey_tables::catalog::{Catalog, QualifiedName};
use rowkey_tables::digest::{self, Digest};
use rowkey_tables::{Connection, Error, Progress, Step};
use tokio::sync::mpsc;
use tokio::task::spawn_blocking;

use super::NAME;
use super::file::{Reader, path_of};
use super::plan::{exports, imports};
use super::read::send_rows;
use super::write::join;
use crate::batch::Batch;
use crate::select::KeyRange;
use crate::table_side::TableSide;
use crate::{
    ComparedTable, Comparison, CopyPlan, Difference, Hashed, begin_reading, each_row, hash_each,
    key_text,
};

/// A table on both sides.
struct Pair {
    source: QualifiedName,
    side: TableSide,
    reader: Reader,
    /// For each column of the table, that of the file.
    places: Vec<usize>,
}

/// Reads the tables of a plan in the database and in the folder, whichever of them was written, and
/// compares the hashes of their rows.
///
/// # Errors
///
/// Those of the database and the files.
pub async fn compare(
    connection: &mut Connection,
    plan: &CopyPlan,
    folder: &Path,
    progress: &mut dyn Progress,
) -> Result<Comparison, Error> {
    let is_written = plan.target == NAME;
    let mut pairs = Vec::new();
    if is_written {
        let catalog = Catalog::read(connection).await?;
        for export in exports(plan, &catalog)? {
            let reader = Reader::open(&export.name, &path_of(folder, &export.name)?)?;
            pairs.push(Pair {
                source: export.from.name.clone(),
                places: places(&export.from, &reader)?,
                side: export.from,
                reader,
            });
        }
    } else {
        for import in imports(plan, folder)? {
            pairs.push(Pair {
                source: import.reader.table().clone(),
                places: import.places,
                side: import.to,
                reader: import.reader,
            });
        }
    }
    begin_reading(connection).await?;
    let mut tables = Vec::new();
    for pair in pairs {
        progress.report(Step::Begins(format!("comparing {}", pair.source)));
        tables.push(compare_table(connection, pair, is_written).await?);
    }
    Ok(Comparison {
        tables,
        unfinished: Vec::new(),
    })
}

async fn compare_table(
    connection: &mut Connection,
    pair: Pair,
    is_written: bool,
) -> Result<ComparedTable, Error> {
    let query = pair.side.select(KeyRange::ALL, false)?;
    let (mut in_table, mut in_file) = (Digest::default(), Digest::default());
    each_row(connection, &pair.side, &query, |row| {
        in_table.add_hashes(row.key, row.row);
    })
    .await?;
    each_of_file(&pair, |row| in_file.add_hashes(row.key, row.row)).await?;
    let difference = match in_table.some_differences(&in_file).as_slice() {
        [] => None,
        parts => {
            let mut rows = digest::Rows::default();
            let mut add = |row: Hashed<'_>, is_old| {
                if parts.contains(&digest::part_of_hash(row.key)) {
                    let key = key_text(row.batch, row.cells, &pair.side.key);
                    rows.add_hash(key, row.row, is_old);
                }
            };
            each_row(connection, &pair.side, &query, |row| add(row, true)).await?;
            each_of_file(&pair, |row| add(row, false)).await?;
            Some(Difference {
                parts: in_table.differences(&in_file),
                keys: rows.first_differences(),
            })
        }
    };
    let (rows, target_rows) = match is_written {
        true => (in_table.rows(), in_file.rows()),
        false => (in_file.rows(), in_table.rows()),
    };
    Ok(ComparedTable {
        table: pair.source,
        rows,
        target_rows,
        difference,
    })
}

/// The columns of a file that have the names of a table's.
fn places(side: &TableSide, reader: &Reader) -> Result<Vec<usize>, Error> {
    let place = |name: &str| reader.columns.iter().position(|found| found.name == name);
    let columns = side.columns.iter().map(|column| {
        place(&column.name).ok_or_else(|| {
            Error::refused(
                format!("the file of {}", reader.table()),
                format!("it has no column {}", column.name),
                "write it again, or compare with the plan that it was written with",
            )
        })
    });
    columns.collect()
}

/// The rows of a file as those of the table that they are compared with.
async fn each_of_file(pair: &Pair, take: impl FnMut(Hashed<'_>)) -> Result<(), Error> {
    let (reader, side, places) = (pair.reader.again()?, pair.side.clone(), pair.places.clone());
    let (sender, batches) = mpsc::channel::<Batch>(1);
    let reading = spawn_blocking(move || send_rows(reader, &side, &places, &sender));
    hash_each(batches, &pair.side.key, take).await;
    join(reading).await?;
    Ok(())
}
