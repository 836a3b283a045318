//! Tables into files.

use std::fs;
use std::path::{Path, PathBuf};

use futures_util::future::try_join;
use rowkey_core::Backend;
use rowkey_tables::catalog::{self, Catalog};
use rowkey_tables::types::Type;
use rowkey_tables::{Connection, Error, Progress, Step};
use tempfile::{NamedTempFile, TempPath};
use tokio::sync::mpsc::{self, Receiver};
use tokio::task::{JoinHandle, spawn_blocking};

use super::NAME;
use super::file::{Origin, OriginColumn, Reader, Writer, path_of};
use super::plan::{Export, exports, primary_key};
use crate::batch::{Batch, RowSum};
use crate::engine::engine;
use crate::plans::plan::CopyPlan;
use crate::rows::read::read;
use crate::rows::select::KeyRange;
use crate::run::{CopiedTable, Report};
use crate::session::begin_reading;
use crate::tables::table_side::{ColumnSide, Content};

/// How many batches wait in each channel.
const WAITING: usize = 2;
/// After how many rows a caller hears of them.
const REPORT_ROWS: u64 = 10_000;

/// Writes the tables of a plan as files of a folder, which is made if need be.
///
/// All tables are read as they are at one moment. A file has another name until those of all tables
/// are complete, and have been read again and found to have the rows of the database.
///
/// # Errors
///
/// [`Error::Refused`] for files that exist, for what the plan does not map, and for a value that
/// has no place in its column. The folder has no new file then.
pub async fn write(
    source: &mut Connection,
    plan: &CopyPlan,
    folder: &Path,
    progress: &mut dyn Progress,
) -> Result<Report, Error> {
    let catalog = Catalog::read(source).await?;
    let exports = exports(plan, &catalog)?;
    let mut paths = Vec::new();
    for export in &exports {
        let path = path_of(folder, &export.name)?;
        if path.exists() {
            return Err(exists(&path));
        }
        paths.push(path);
    }
    let doing = format!("making the folder {}", folder.display());
    fs::create_dir_all(folder).map_err(Error::database(&doing))?;
    begin_reading(source).await?;
    let (mut files, mut tables, mut notes) = (Vec::new(), Vec::new(), Vec::new());
    for (place, export) in exports.into_iter().enumerate() {
        notes.extend(notes_of(&export));
        let (from, name) = (export.from.name.clone(), export.name.clone());
        let rows = plan.policy.batch_rows;
        let (file, sum) = table(source, export, folder, place, rows, progress).await?;
        files.push(file);
        tables.push(CopiedTable::new(from, name, 0, sum));
    }
    name_all(files, &paths)?;
    Ok(Report {
        source: source.backend().name(),
        target: NAME,
        tables,
        notes,
    })
}

/// What a person should know about a table.
pub(super) fn notes_of(export: &Export<'_>) -> Vec<String> {
    let table = &export.from.name;
    let omitted = export.from.omitted_columns(export.original);
    let pairs = export.columns.iter().zip(&export.from.columns);
    let unknown = pairs.filter(|(column, from)| {
        column.own == Type::Uuid && matches!(from.content, Content::Values(_))
    });
    let unknown = unknown.map(|(column, _)| {
        format!(
            "{table}.{}: the plan does not name the format of its ids, so they are as the database \
             stores them",
            column.name
        )
    });
    omitted.chain(unknown).collect()
}

/// Writes a table into a file without a name.
async fn table(
    source: &mut Connection,
    export: Export<'_>,
    folder: &Path,
    place: usize,
    batch_rows: u32,
    progress: &mut dyn Progress,
) -> Result<(TempPath, RowSum), Error> {
    let from = export.from;
    let doing = format!("making a file in {}", folder.display());
    let file = new_file(folder).map_err(Error::database(&doing))?;
    let columns = from.columns.iter().zip(&export.columns);
    let origin = Origin {
        version: 1,
        source: from.backend.name().into(),
        table: from.name.clone(),
        place,
        key: primary_key(export.original),
        columns: columns
            .map(|(from, column)| OriginColumn {
                name: from.name.clone(),
                sql_type: sql_type(source.backend(), export.original, from),
                format: column.ids.map(|form| form.format().name().into()),
            })
            .collect(),
        rows: 0,
        hash: String::new(),
    };
    let query = from.select(KeyRange::ALL, false)?;
    let (reader, mut found) = mpsc::channel::<Batch>(WAITING);
    let (sender, batches) = mpsc::channel(WAITING);
    let writer_of = from.name.clone();
    let writing = spawn_blocking(move || {
        let writer = Writer::new(
            file.reopen().map_err(Error::database(&doing))?,
            &writer_of,
            export.columns,
        )?;
        let path = file.into_temp_path();
        let sum = into_file(writer, batches, origin)?;
        let again = Reader::open(&writer_of, &path)?.each(|_| Ok(()))?;
        match again == sum {
            true => Ok((path, sum)),
            false => Err(Error::Differs {
                what: format!("the file of {writer_of}"),
                found: "it does not have the rows that were written".into(),
            }),
        }
    });
    let reporting = async {
        let (mut done, mut reported) = (0, 0);
        while let Some(batch) = found.recv().await {
            done += batch.rows().len() as u64;
            if done - reported >= REPORT_ROWS {
                reported = done;
                progress.report(Step::Rows {
                    table: from.name.to_string(),
                    done,
                    expected: export.original.estimated_rows,
                });
            }
            if sender.send(batch).await.is_err() {
                // The writer says why.
                break;
            }
        }
        drop((sender, found));
        Ok(())
    };
    let reading = read(source, &from, &query, batch_rows as usize, reader);
    let read = try_join(reading, reporting).await;
    let written = join(writing).await;
    // Behind a reader's error, the file has some of the rows.
    read.and(written)
}

/// The type of a column, with its collation.
fn sql_type(backend: Backend, table: &catalog::Table, column: &ColumnSide) -> String {
    let has_collations = engine(backend).columns.names_collations;
    let found = table.column(&column.name).filter(|_| has_collations);
    match found.and_then(|found| found.collation.as_ref()) {
        Some(collation) => column.sql_type.with_collation(collation).to_string(),
        None => column.sql_type.to_string(),
    }
}

fn into_file(
    mut writer: Writer,
    mut batches: Receiver<Batch>,
    origin: Origin,
) -> Result<RowSum, Error> {
    while let Some(batch) = batches.blocking_recv() {
        writer.write(&batch)?;
    }
    writer.finish(origin)
}

/// What a thread has returned. Arrow's reader panics at some damaged files.
pub(super) async fn join<T>(thread: JoinHandle<Result<T, Error>>) -> Result<T, Error> {
    thread.await.unwrap_or_else(|_| {
        Err(Error::Differs {
            what: "the thread of a file".into(),
            found: "it has ended early: the file is damaged, or this program has a defect".into(),
        })
    })
}

/// A file that goes away, unless it gets a name. Programs that read a folder leave out names with a
/// point.
fn new_file(folder: &Path) -> std::io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".rowkey-").suffix(".unfinished");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // As other files: the mask of the process decides.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder)
}

/// Gives all files their names, or none of them.
fn name_all(files: Vec<TempPath>, paths: &[PathBuf]) -> Result<(), Error> {
    let mut named: Vec<&PathBuf> = Vec::new();
    for (file, path) in files.into_iter().zip(paths) {
        if let Err(failed) = file.persist_noclobber(path) {
            for path in named {
                // The error of the first file that has no name is reported.
                let _ = fs::remove_file(path);
            }
            return Err(match failed.error.kind() {
                std::io::ErrorKind::AlreadyExists => exists(path),
                _ => Error::database(&format!("naming the file {}", path.display()))(failed.error),
            });
        }
        named.push(path);
    }
    Ok(())
}

pub(super) fn exists(path: &Path) -> Error {
    Error::refused(
        format!("the file {}", path.display()),
        "it exists",
        "remove it, or name another folder",
    )
}
