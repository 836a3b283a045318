//! The phases on SQLite.
//!
//! SQLite has one writer at a time, and definitions are part of its transactions. So everything
//! happens in the swap, in one transaction, which other programs see completely or not at all:
//! tables are made anew with the new columns, and rows are copied. The phases before it only look.
//!
//! The old values are kept in columns of their own until the change is contracted, for comparison,
//! and because a statement of an old program that names no columns then has too few values. The way
//! back converts the new values, so it keeps what was written since.
//!
//! An old program that puts the name of a column in double quotes, without its table, is not always
//! refused: SQLite takes `"id"` as text if there is no such column, so that `"id" = ?` finds no
//! row, and `"id" <> ?` every one. It cannot insert.

mod after_swap;
mod definition;
mod new_ids;
mod rebuild;
mod refuse;
mod rewriting;

use rowkey_core::Backend;
use rowkey_tables::Error;
use rowkey_tables::catalog::Table;

pub(super) use self::after_swap::{contract, undo};
use self::definition::{Definition, quote};
use self::rebuild::{Rebuild, name_aside, names_of_columns, rebuild, written_columns};
pub(super) use self::refuse::refuse;
use self::rewriting::{OldValues, Rewritten, rewritten};
use super::id_map::{Reading, Values};
use super::runner::Runner;
use super::work::{ChangedColumn, ChangedTable, Form, Source, Work};

pub(super) async fn expand(_: &mut Runner<'_>, _: &Work) -> Result<(), Error> {
    Ok(())
}

pub(super) async fn backfill(_: &mut Runner<'_>, _: &Work) -> Result<(), Error> {
    Ok(())
}

pub(super) async fn check(_: &mut Runner<'_>, work: &Work) -> Result<(), Error> {
    rewritten(work, OldValues::Kept).await.map(|_| ())
}

pub(super) async fn swap(runner: &mut Runner<'_>, work: &Work) -> Result<(), Error> {
    let mut tables = Vec::new();
    for (table, new) in work
        .tables
        .iter()
        .zip(rewritten(work, OldValues::Kept).await?)
    {
        let columns = columns_of(table, |changed| {
            let old = old_value(table, &changed.column.name)?;
            Ok(vec![
                (quote(&changed.new_name)?, value(work, Form::New, &old)?),
                (quote(&changed.retired_name)?, old),
            ])
        })?;
        tables.push(rebuild_of_new(table, new, columns)?);
    }
    new_ids::make(runner, work).await?;
    rebuild(runner, &tables).await?;
    for table in &work.tables {
        for changed in &table.columns {
            compare(runner, work, table, changed).await?;
        }
    }
    Ok(())
}

/// The columns of a new table with the SQL of their values, which is given for those that change.
fn columns_of(
    table: &ChangedTable,
    values_of: impl Fn(&ChangedColumn) -> Result<Vec<(String, String)>, Error>,
) -> Result<Vec<(String, String)>, Error> {
    let mut columns = Vec::new();
    for (name, quoted) in written_columns(&table.table)? {
        match table.changed(name) {
            Some(changed) => columns.extend(values_of(changed)?),
            None => columns.push((quoted, old_value(table, name)?)),
        }
    }
    Ok(columns)
}

fn rebuild_of_new(
    table: &ChangedTable,
    new: Rewritten,
    columns: Vec<(String, String)>,
) -> Result<Rebuild<'_>, Error> {
    let rowid = rowid_column(&table.table);
    let counted = Definition::read(table.table.statement())?.counts();
    Ok(Rebuild {
        name: table.name(),
        puts_counter_away: counted && !Definition::read(&new.table)?.counts(),
        definition: new.table,
        indexes: new.indexes,
        columns,
        old_columns: names_of_columns(&table.table),
        is_rowid_a_column: rowid.is_some_and(|column| table.changed(column).is_none()),
    })
}

/// A column of the old table, while rows are copied.
fn old_value(table: &ChangedTable, column: &str) -> Result<String, Error> {
    let aside = name_aside(table.name()).quoted(Backend::Sqlite)?;
    Ok(format!("{aside}.{}", quote(column)?))
}

/// The SQL of a value in a form, from that of the value in the other one.
fn value(work: &Work, form: Form, from: &str) -> Result<String, Error> {
    let (_, key) = work.key()?;
    Values::of(work)?.value(&key.column, form, from, Reading::Snapshot)
}

/// The column that is the number of the row: a primary key without an index.
fn rowid_column(table: &Table) -> Option<&str> {
    let key = table.primary_key()?;
    let column = key.columns.first()?;
    key.name.is_empty().then_some(column)
}

/// Compares the new values with the old ones, which are in the same row.
async fn compare(
    runner: &mut Runner<'_>,
    work: &Work,
    table: &ChangedTable,
    changed: &ChangedColumn,
) -> Result<(), Error> {
    if runner.is_dry() {
        return Ok(());
    }
    let (new, kept) = (quote(&changed.new_name)?, quote(&changed.retired_name)?);
    let differs = format!("{} IS NOT {kept}", value(work, Form::Old, &new)?);
    let found = match work.source {
        Source::Converted(_) => {
            "which is not an id of the format in the old form, or too large for the new one"
        }
        Source::Mapped => "which no row of the key's table has",
    };
    require_none(runner, table, changed, &kept, &differs, found).await
}

/// Fails with the number of rows for which a condition is true, and the first values.
async fn require_none(
    runner: &mut Runner<'_>,
    table: &ChangedTable,
    changed: &ChangedColumn,
    shown: &str,
    condition: &str,
    found: &str,
) -> Result<(), Error> {
    let name = table.name().quoted(Backend::Sqlite)?;
    let doing = format!("the values of {}.{}", table.name(), changed.column.name);
    let query = format!("SELECT quote({shown}) FROM {name} WHERE {condition} LIMIT 3");
    let rows = runner.query(&doing, &query, &[]).await?;
    if rows.is_empty() {
        return Ok(());
    }
    let values: Vec<&str> = rows
        .iter()
        .map(|row| row.text(0))
        .collect::<Result<_, _>>()?;
    let count = format!("SELECT count(*) FROM {name} WHERE {condition}");
    let count = runner.count(&doing, &count).await?;
    Err(Error::Differs {
        what: format!("{}.{}", table.name(), changed.column.name),
        found: format!("{count} rows have a value {found}: {}", values.join(", ")),
    })
}
