//! Files into tables.

use std::path::Path;

use rowkey_core::storage::quote_identifier;
use rowkey_tables::catalog::{Catalog, QualifiedName};
use rowkey_tables::{Connection, Error, Progress, Step};
use tokio::sync::mpsc::{self, Sender};
use tokio::task::spawn_blocking;

use super::NAME;
use super::file::{Reader, Stopped};
use super::plan::{Import, imports};
use super::write::join;
use crate::batch::{Batch, RowSum};
use crate::definitions::counters::{self, counted};
use crate::definitions::create::line;
use crate::engine::engine;
use crate::mapping::wrong_backend;
use crate::plans::plan::CopyPlan;
use crate::preflight::existing::{check_target, check_triggers, has_rows};
use crate::rows::write::{Encoder, Limit, Tally, write};
use crate::run::{CopiedTable, Report};
use crate::session::begin_writing;
use crate::tables::table_side::TableSide;

/// How many batches wait for the writer.
const WAITING: usize = 2;
/// After how many rows a caller hears of them.
const REPORT_ROWS: Limit = Limit {
    rows: 10_000,
    ..Limit::NONE
};

/// Reads the tables of a plan from the files of a folder into a database, in one transaction, so
/// that all rows are there or none. With `create`, the tables are made, with their primary keys,
/// and without indexes and references.
///
/// # Errors
///
/// [`Error::Refused`] for tables with rows, for what the plan does not map, for a value that its
/// column does not hold, and for a file that no longer has the rows that it was written with.
pub async fn read(
    folder: &Path,
    target: &mut Connection,
    plan: &CopyPlan,
    create: bool,
    progress: &mut dyn Progress,
) -> Result<Report, Error> {
    let imports = imports(plan, folder)?;
    let backend = target.backend();
    if backend != plan.target()? {
        return Err(wrong_backend("the target", backend, &plan.target));
    }
    begin_writing(target, &plan.hash()?).await?;
    let catalog = Catalog::read(target).await?;
    let mut notes = Vec::new();
    let names: Vec<_> = imports.iter().map(|import| &import.to.name).collect();
    for import in &imports {
        check_import(target, &catalog, import, &names, create).await?;
        notes.extend(check_triggers(&catalog, &import.to)?);
        let columns = import.reader.columns.iter().enumerate();
        let omitted = columns.filter(|(place, _)| !import.places.contains(place));
        notes.extend(
            omitted.map(|(_, column)| format!("{}.{} is left out", import.to.name, column.name)),
        );
    }
    if create {
        notes.push("the tables have no indexes and references yet".into());
    }
    let counters = match create {
        true => Vec::new(),
        false => counters(&catalog, &imports)?,
    };
    let mut made = Vec::new();
    let written = written(target, imports, create, &counters, &mut made, progress).await;
    if written.is_err() {
        // So that the command can be repeated. What has gone wrong first is what has to be said.
        for table in made.iter().rev() {
            let drop = format!("DROP TABLE {table}");
            let _ = target.execute("a table that was just made", &drop).await;
        }
    }
    let tables = written?;
    Ok(Report {
        source: NAME,
        target: backend.name(),
        tables,
        notes,
    })
}

/// Fails for a table of the target that is not as its file needs it.
pub(super) async fn check_import(
    target: &mut Connection,
    catalog: &Catalog,
    import: &Import,
    names: &[&QualifiedName],
    create: bool,
) -> Result<(), Error> {
    let to = &import.to;
    let exists = !create && catalog.table(&to.name).is_ok();
    if exists && has_rows(target, &to.name, &to.quoted()?).await? {
        return Err(Error::refused(
            format!("the table {} in the target", to.name),
            "it has rows",
            "empty it, or read the files into another database",
        ));
    }
    check_target(target, catalog, to, names, create).await
}

/// Makes the tables, if that is to be done, and writes the rows of all of them in one transaction.
async fn written(
    target: &mut Connection,
    imports: Vec<Import>,
    create: bool,
    counters: &[String],
    made: &mut Vec<String>,
    progress: &mut dyn Progress,
) -> Result<Vec<CopiedTable>, Error> {
    for import in imports.iter().filter(|_| create) {
        let doing = format!("making the table {}", import.to.name);
        target.execute(&doing, &creation(import)?).await?;
        made.push(import.to.quoted()?);
    }
    let doing = "the transaction of the target";
    let begin = engine(target.backend()).sessions.begin;
    target.execute(doing, begin).await?;
    let written = all_tables(target, imports, counters, progress).await;
    let end = if written.is_ok() {
        "COMMIT"
    } else {
        "ROLLBACK"
    };
    let ended = target.execute(doing, end).await;
    let tables = written?;
    ended?;
    Ok(tables)
}

/// The statements that let the counters of existing tables continue after the rows.
fn counters(catalog: &Catalog, imports: &[Import]) -> Result<Vec<String>, Error> {
    let mut statements = Vec::new();
    for import in imports {
        let table = catalog.table(&import.to.name)?;
        for column in counted(table, &import.to) {
            // Files do not say how far the source has counted.
            statements.extend(counters::after(&import.to, column, Some(table), 0)?);
        }
    }
    Ok(statements)
}

/// The statement that makes a table.
fn creation(import: &Import) -> Result<String, Error> {
    let side = &import.to;
    let mut lines = Vec::new();
    for (column, place) in side.columns.iter().zip(&import.places) {
        let in_file = &import.reader.columns[*place];
        let may_be_null = in_file.is_nullable || !column.instead.is_empty();
        let is_null = may_be_null && !import.key.contains(&column.name);
        lines.push(line(side.backend, column, is_null, None)?);
    }
    if !import.key.is_empty() {
        let key = import.key.iter();
        let key: Result<Vec<String>, _> = key
            .map(|name| quote_identifier(side.backend, name))
            .collect();
        lines.push(format!("PRIMARY KEY ({})", key?.join(", ")));
    }
    let options = engine(side.backend).target.options;
    Ok(format!(
        "CREATE TABLE {} ({}){options}",
        side.quoted()?,
        lines.join(", ")
    ))
}

async fn all_tables(
    target: &mut Connection,
    imports: Vec<Import>,
    counters: &[String],
    progress: &mut dyn Progress,
) -> Result<Vec<CopiedTable>, Error> {
    let mut tables = Vec::new();
    for import in imports {
        let (from, to) = (import.reader.table().clone(), import.to.name.clone());
        let sum = table(target, import, progress).await?;
        tables.push(CopiedTable::new(from, to, 0, sum));
    }
    check_references(target).await?;
    for statement in counters {
        target.execute("a counter", statement).await?;
    }
    Ok(tables)
}

async fn table(
    target: &mut Connection,
    import: Import,
    progress: &mut dyn Progress,
) -> Result<RowSum, Error> {
    let Import {
        reader, to, places, ..
    } = import;
    let expected = reader.rows();
    let (sender, batches) = mpsc::channel(WAITING);
    let side = to.clone();
    let reading = spawn_blocking(move || send_rows(reader, &side, &places, &sender));
    let mut encoder = Encoder::start(&to, target.statement_limit(), batches)?;
    let written: Result<RowSum, Error> = async {
        let mut tally = Tally::default();
        while let Some(first) = encoder.next().await? {
            write(target, &to, first, &mut encoder, REPORT_ROWS, &mut tally).await?;
            progress.report(Step::Rows {
                table: to.name.to_string(),
                done: tally.total.rows,
                expected,
            });
        }
        Ok(tally.total)
    }
    .await;
    // So that the reader ends.
    drop(encoder);
    let read = join(reading).await;
    let written = written?;
    match written.rows == read?.rows {
        true => Ok(written),
        false => Err(Error::Differs {
            what: format!("writing {}", to.name),
            found: "not all rows of the file were written".into(),
        }),
    }
}

/// Sends the rows of a file, with the columns of a side.
pub(super) fn send_rows(
    reader: Reader,
    side: &TableSide,
    places: &[usize],
    batches: &Sender<Batch>,
) -> Result<RowSum, Error> {
    reader.each(|mut batch| {
        let rows: Vec<_> = batch
            .rows()
            .flat_map(|row| places.iter().map(|place| row[*place]))
            .collect();
        let mut cells = Vec::with_capacity(rows.len());
        for (cell, column) in rows.into_iter().zip(side.columns.iter().cycle()) {
            cells.push(column.instead.apply(&mut batch, cell));
        }
        batch.replace(places.len(), cells);
        batches.blocking_send(batch).map_err(|_| Stopped)
    })
}

/// Fails for a reference without a row, if the target does not look while rows are written.
async fn check_references(target: &mut Connection) -> Result<(), Error> {
    let Some(query) = engine(target.backend()).objects.orphan else {
        return Ok(());
    };
    let doing = "the references of the target";
    match target.query(doing, query, &[]).await?.first() {
        Some(row) => Err(Error::Differs {
            what: format!("the references of {}", row.text(0)?),
            found: "a row refers to one that does not exist".into(),
        }),
        None => Ok(()),
    }
}
