//! Fills the new tables with the rows that exist.

use std::time::{Duration, Instant};

use super::names;
use super::new_ids;
use super::ranges::Ranges;
use super::rebuilt::Rebuilt;
use super::session::transaction;
use crate::batch_size::BatchSize;
use crate::id_map::Reading;
use crate::runner::Runner;
use crate::work::{Form, Work};
use rowkey_tables::Error;

/// Copies the rows of a table range by range, each with its progress in one transaction.
///
/// The rows are locked while they are copied: a program that changes or deletes one has to wait,
/// and then its trigger finds the copy. What a trigger has copied already stays.
pub(super) async fn fill(
    runner: &mut Runner<'_>,
    work: &Work,
    table: &Rebuilt<'_>,
) -> Result<(), Error> {
    let progress = names::progress_table(table.name());
    let mut ranges = Ranges::new(table, Form::Old, table.quoted()?)?;
    ranges.go_on(runner, &progress).await?;
    let doing = format!("the rows of {}", table.name());
    let (mut size, mut done) = (BatchSize::new(&work.policy), 0);
    while ranges.next(runner, size.rows()).await? {
        let save = ranges.save(&progress)?;
        let (map, copy) = (map(table, &ranges)?, copy(table, &ranges)?);
        let mut statements: Vec<&str> = save.iter().chain(&map).map(String::as_str).collect();
        statements.push(&copy);
        let begun = Instant::now();
        match transaction(runner, &work.policy, &doing, &statements).await {
            Ok(rows) => done += rows,
            Err(error) => return Err(explained(runner, table, &ranges, error).await),
        }
        size.took(begun.elapsed());
        runner.rows(table.name(), done, table.changed.table.estimated_rows);
        if work.policy.pause_ms > 0 && !runner.is_dry() {
            tokio::time::sleep(Duration::from_millis(work.policy.pause_ms.into())).await;
        }
    }
    Ok(())
}

/// The statements that give the rows' ids new ones.
fn map(table: &Rebuilt<'_>, ranges: &Ranges) -> Result<Vec<String>, Error> {
    let condition = ranges.condition("o.");
    let Some(ids) = &table.new_ids else {
        return Ok(Vec::new());
    };
    let columns = table.changed.columns.iter();
    let statements = columns.map(|changed| new_ids::fill(ids, table.changed, changed, &condition));
    statements.filter_map(Result::transpose).collect()
}

/// Not INSERT IGNORE, which stores something else for a value that does not fit, and not REPLACE,
/// which deletes a row with everything that refers to it.
///
/// Without the forced index, a range of most of the table might be read as the whole table, which
/// would lock all of it.
fn copy(table: &Rebuilt<'_>, ranges: &Ranges) -> Result<String, Error> {
    let (old, new) = (table.quoted()?, table.quoted_new()?);
    let columns = table.quoted_columns(Form::New)?;
    let first = &columns[0];
    Ok(format!(
        "INSERT INTO {new} ({}) SELECT {} FROM {old} o FORCE INDEX (PRIMARY) WHERE {}{} \
         LOCK IN SHARE MODE ON DUPLICATE KEY UPDATE {new}.{first} = {new}.{first}",
        columns.join(", "),
        table.written(Form::New, "o.")?.join(", "),
        ranges.condition("o."),
        order(table)?
    ))
}

/// The order of the new keys, if it may be another one than that of the old ones: then neighbours
/// follow each other to the same page.
fn order(table: &Rebuilt<'_>) -> Result<String, Error> {
    let mut places = Vec::new();
    for key in table.key()? {
        let place = (1..)
            .zip(table.columns())
            .find(|(_, one)| one.name == key.name);
        places.extend(place.map(|(place, _)| place.to_string()));
    }
    Ok(match table.key_is_reordered()? {
        true => format!(" ORDER BY {}", places.join(", ")),
        false => String::new(),
    })
}

/// Names the row if its value is not of the form, and the foreign key if a row refers to none: some
/// servers leave such rows behind when a deletion cascades.
async fn explained(
    runner: &mut Runner<'_>,
    table: &Rebuilt<'_>,
    ranges: &Ranges,
    error: Error,
) -> Error {
    match error.mysql_number() {
        // "Column cannot be null."
        Some(1048) => {}
        // "A foreign key constraint fails."
        Some(1452) => {
            return Error::Differs {
                what: format!("the table {}", table.name()),
                found: format!(
                    "a reference leads nowhere, although a foreign key forbids that; correct or delete the rows and \
                     go on, or undo the change: {error}"
                ),
            };
        }
        _ => return error,
    }
    for changed in &table.changed.columns {
        match damaged(runner, table, &changed.column.name, &ranges.condition("o.")).await {
            Ok(Some(value)) => {
                return Error::Differs {
                    what: format!("{}.{}", table.name(), changed.column.name),
                    found: format!(
                        "the value {value} is no id of the plan's form; correct it and go on, or \
                         undo the change"
                    ),
                };
            }
            Ok(None) => {}
            Err(other) => return other,
        }
    }
    error
}

/// A value of a column that has no other form, among some rows.
async fn damaged(
    runner: &mut Runner<'_>,
    table: &Rebuilt<'_>,
    column: &str,
    condition: &str,
) -> Result<Option<String>, Error> {
    let name = table.quoted_of(column, Form::Old)?;
    let query = format!(
        "SELECT {} FROM {} o WHERE ({condition}) AND o.{name} IS NOT NULL AND {} IS NULL LIMIT 1",
        shown(&format!("o.{name}")),
        table.quoted()?,
        table.value(column, Form::New, "o.", Reading::Snapshot)?,
    );
    let rows = runner.query("a value that is no id", &query, &[]).await?;
    rows.first()
        .map(|row| Ok(row.text(0)?.to_owned()))
        .transpose()
}

/// A value as text for people: in hexadecimal, unless it consists of visible ASCII.
pub(super) fn shown(sql: &str) -> String {
    // MySQL matches no bytes with expressions.
    format!(
        "CASE WHEN HEX(CAST({sql} AS BINARY)) REGEXP '^([2-6][0-9A-F]|7[0-9A-E])+$' \
         THEN CONCAT('\"', CONVERT({sql} USING utf8mb4), '\"') \
         ELSE CONCAT('0x', HEX({sql})) END"
    )
}
