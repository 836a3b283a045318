//! Whether files and tables have the same rows.

use std::path::Path;

use rowkey_tables::catalog::Catalog;
use rowkey_tables::{Connection, Error, Progress, Step};
use tokio::sync::mpsc::Sender;
use tokio::task::spawn_blocking;

use super::NAME;
use super::file::{Reader, path_of};
use super::plan::{exports, imports};
use super::read::send_rows;
use super::write::join;
use crate::batch::Batch;
use crate::comparison::Comparison;
use crate::plans::plan::CopyPlan;
use crate::rows::compare::{RowSource, TableRows, compare_rows};
use crate::session::begin_reading;
use crate::tables::table_side::TableSide;

/// The rows of a file, as those of the table that they are compared with.
struct FileRows {
    reader: Reader,
    side: TableSide,
    /// For each column of the table, that of the file.
    places: Vec<usize>,
}

impl RowSource for FileRows {
    fn side(&self) -> &TableSide {
        &self.side
    }

    async fn send(&mut self, batches: Sender<Batch>) -> Result<(), Error> {
        let (reader, side) = (self.reader.again()?, self.side.clone());
        let places = self.places.clone();
        join(spawn_blocking(move || {
            send_rows(reader, &side, &places, &batches)
        }))
        .await?;
        Ok(())
    }
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
            let (source, side) = (export.from.name.clone(), export.from);
            let places = places(&side, &reader)?;
            let rows = FileRows {
                reader,
                side,
                places,
            };
            pairs.push((source, rows));
        }
    } else {
        let catalog = Catalog::read(connection).await?;
        for import in imports(plan, folder)? {
            let source = import.reader.table().clone();
            let (reader, side, places) = (import.reader, import.to, import.places);
            let side = side.as_found(&catalog);
            let rows = FileRows {
                reader,
                side,
                places,
            };
            pairs.push((source, rows));
        }
    }
    begin_reading(connection).await?;
    let mut tables = Vec::new();
    for (source, mut file) in pairs {
        progress.report(Step::Begins(format!("comparing {source}")));
        let side = file.side.clone();
        let mut table = TableRows::all(connection, &side)?;
        tables.push(match is_written {
            true => compare_rows(&source, &mut table, &mut file, None).await?,
            false => compare_rows(&source, &mut file, &mut table, None).await?,
        });
    }
    Ok(Comparison {
        tables,
        unfinished: Vec::new(),
        kept: Vec::new(),
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
