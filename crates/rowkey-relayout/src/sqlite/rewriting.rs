//! The definitions of the tables and indexes after the change.
//!
//! SQLite itself gives the columns their new names, in an empty copy of the tables in memory: it
//! finds every place that means a column, also in foreign keys, conditions and indexes. Only the
//! types are changed in the text.

use rowkey_core::Backend;
use rowkey_tables::Error;
use rowkey_tables::connection::{Connection, Value};

use super::definition::{Definition, Retyped, quote};
use crate::work::{ChangedColumn, ChangedTable, Work};

/// A table after the change.
pub(super) struct Rewritten {
    /// The `CREATE TABLE` statement.
    pub(super) table: String,
    /// The `CREATE INDEX` statements.
    pub(super) indexes: Vec<String>,
}

/// Whether there are columns for the old values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OldValues {
    Kept,
    Dropped,
}

/// The definitions of the tables of a change, in its order.
///
/// # Errors
///
/// [`Error::Database`] if SQLite does not accept a definition, old or new.
pub(super) async fn rewritten(work: &Work, old_values: OldValues) -> Result<Vec<Rewritten>, Error> {
    let mut names_only = scratch().await?;
    for table in &work.tables {
        create(&mut names_only, table.table.statement(), &indexes_of(table)).await?;
    }
    rename(&mut names_only, work).await?;
    let mut rewritten = Vec::new();
    for table in &work.tables {
        let renamed = stored(&mut names_only, "table", &table.name().name).await?;
        let renamed = renamed.first().ok_or_else(|| Error::Missing {
            what: format!("the new definition of the table {}", table.name()),
        })?;
        rewritten.push(Rewritten {
            table: Definition::read(renamed)?.retyped(&retyped(work, table, old_values)?)?,
            indexes: stored(&mut names_only, "index", &table.name().name).await?,
        });
    }
    let mut outcome = scratch().await?;
    // Tables may refer to others that do not change, or that come later.
    let free = "PRAGMA foreign_keys = OFF";
    outcome.execute("the new definitions", free).await?;
    for (table, new) in work.tables.iter().zip(&rewritten) {
        create(&mut outcome, &new.table, &new.indexes).await?;
        // Functions in conditions are only looked up when something is written.
        let name = table.name().quoted(Backend::Sqlite)?;
        let insert = format!("EXPLAIN INSERT INTO {name} DEFAULT VALUES");
        outcome.query("the new definitions", &insert, &[]).await?;
    }
    Ok(rewritten)
}

async fn scratch() -> Result<Connection, Error> {
    Connection::open(&"sqlite::memory:".parse()?).await
}

async fn create(
    scratch: &mut Connection,
    table: &str,
    indexes: &[impl AsRef<str>],
) -> Result<(), Error> {
    let doing = "the definitions of the tables";
    scratch.execute(doing, table).await?;
    for index in indexes {
        scratch.execute(doing, index.as_ref()).await?;
    }
    Ok(())
}

fn indexes_of(table: &ChangedTable) -> Vec<&str> {
    let indexes = table.table.indexes.iter();
    indexes.map(|index| index.definition.as_str()).collect()
}

async fn rename(scratch: &mut Connection, work: &Work) -> Result<(), Error> {
    for table in &work.tables {
        let name = table.name().quoted(Backend::Sqlite)?;
        for changed in &table.columns {
            if changed.new_name == changed.column.name {
                continue;
            }
            let (from, to) = (quote(&changed.column.name)?, quote(&changed.new_name)?);
            let rename = format!("ALTER TABLE {name} RENAME COLUMN {from} TO {to}");
            scratch
                .execute("the new names of the columns", &rename)
                .await?;
        }
    }
    Ok(())
}

async fn stored(scratch: &mut Connection, kind: &str, table: &str) -> Result<Vec<String>, Error> {
    let query = "SELECT sql FROM sqlite_master WHERE type = ? AND tbl_name = ? \
                 AND sql IS NOT NULL ORDER BY rowid";
    let values = [Value::from(kind), Value::from(table)];
    let rows = scratch.query("the new definitions", query, &values).await?;
    rows.iter().map(|row| Ok(row.text(0)?.to_owned())).collect()
}

fn retyped<'w>(
    work: &Work,
    table: &'w ChangedTable,
    old_values: OldValues,
) -> Result<Vec<Retyped<'w>>, Error> {
    let retyped = |changed: &'w ChangedColumn| {
        let kept = match old_values {
            OldValues::Kept => Some(quote(&changed.retired_name)?),
            OldValues::Dropped => None,
        };
        Ok(Retyped {
            column: &changed.new_name,
            sql_type: work.to.sql_type(),
            is_required: !changed.column.is_nullable,
            kept,
        })
    };
    table.columns.iter().map(retyped).collect()
}
