//! Triggers that fill the columns that programs do not know.

use rowkey_core::Backend;
use rowkey_tables::Error;
use rowkey_tables::text_literal::text_literal;

use super::names::{alone, quoted, trigger};
use super::new_ids;
use crate::id_map::{NewIds, Reading, Values};
use crate::work::{ChangedColumn, ChangedTable, Form, Work};

/// A column that a trigger fills from another.
struct Filled {
    from: String,
    to: String,
    /// The SQL of its value.
    value: String,
}

/// The statement that makes what fills the new columns, until the swap.
pub(super) fn fill(work: &Work, values: &Values, table: &ChangedTable) -> Result<String, Error> {
    let mut before = Vec::new();
    if let Some(ids) = NewIds::of(work)? {
        for column in &table.columns {
            before.push(new_ids::add_new(&ids, column, "inserted", "1 = 1")?);
        }
    }
    let filled = |column: &ChangedColumn| {
        let (from, to) = (quoted(&column.column.name)?, quoted(&column.shadow_name())?);
        let value = values.value(
            &column.column,
            Form::New,
            &format!("i.{from}"),
            Reading::Snapshot,
        )?;
        Ok(Filled { from, to, value })
    };
    make(work, table, "fill", &before, &|_| true, filled)
}

/// The statement that makes what fills the old columns, after the swap.
pub(super) fn keep(work: &Work, values: &Values, table: &ChangedTable) -> Result<String, Error> {
    let mut before = Vec::new();
    if let Some(ids) = NewIds::of(work)? {
        for column in &table.columns {
            before.extend(new_ids::add_old(&ids, column)?);
        }
    }
    let filled = |column: &ChangedColumn| {
        let (from, to) = (quoted(&column.new_name)?, quoted(&column.retired_name)?);
        let value = values.value(
            &column.column,
            Form::Old,
            &format!("i.{from}"),
            Reading::Snapshot,
        )?;
        Ok(Filled { from, to, value })
    };
    let is_filled = |column: &ChangedColumn| !new_ids::keeps_itself(work, column);
    make(work, table, "keep", &before, &is_filled, filled)
}

/// A trigger of a row's own table. It joins by the primary key, which its update leaves as it is,
/// and ends at once when it runs for that update.
fn make(
    work: &Work,
    table: &ChangedTable,
    what: &str,
    before: &[String],
    is_filled: &dyn Fn(&ChangedColumn) -> bool,
    filled: impl Fn(&ChangedColumn) -> Result<Filled, Error>,
) -> Result<String, Error> {
    let target = table.name().quoted(Backend::SqlServer)?;
    let name = trigger(work, table, what)?;
    let mut join = Vec::new();
    for column in primary_key(table)? {
        let column = match table.changed(column) {
            Some(changed) => filled(changed)?.from,
            None => quoted(column)?,
        };
        join.push(format!("t.{column} = i.{column}"));
    }
    let (mut updated, mut sets) = (Vec::new(), Vec::new());
    for column in &table.columns {
        let Filled { from, to, value } = filled(column)?;
        updated.push(format!("UPDATE({from})"));
        if is_filled(column) {
            sets.push(format!("t.{to} = {value}"));
        }
    }
    let mut statements = before.to_vec();
    if !sets.is_empty() {
        statements.push(format!(
            "UPDATE t SET {}\nFROM {target} AS t JOIN inserted AS i ON {}",
            sets.join(",\n"),
            join.join(" AND "),
        ));
    }
    let definition = format!(
        "CREATE TRIGGER {name} ON {target} AFTER INSERT, UPDATE AS\n\
         BEGIN\n\
         SET NOCOUNT ON;\n\
         IF NOT ({}) RETURN;\n\
         {};\n\
         END",
        updated.join(" OR "),
        statements.join(";\n"),
    );
    Ok(format!(
        "IF OBJECT_ID({}, N'TR') IS NULL {}",
        text_literal(Backend::SqlServer, &name),
        alone(&definition)
    ))
}

/// The statement that drops a trigger.
pub(super) fn drop(work: &Work, table: &ChangedTable, what: &str) -> Result<String, Error> {
    Ok(format!(
        "DROP TRIGGER IF EXISTS {}",
        trigger(work, table, what)?
    ))
}

/// The columns of the primary key, without which a trigger does not find its rows.
pub(super) fn primary_key(table: &ChangedTable) -> Result<&[String], Error> {
    let key = table.table.primary_key().ok_or_else(|| {
        Error::refused(
            table.name().to_string(),
            "it has no primary key, by which a trigger would find its rows",
            "give it one",
        )
    })?;
    Ok(&key.columns)
}
