//! The rows that exist, in the order of the primary key.

use rowkey_core::Backend;
use rowkey_tables::Error;
use rowkey_tables::types::ColumnType;

use super::columns::require_type;
use super::names::quoted;
use super::new_ids;
use super::session;
use super::triggers::primary_key;
use crate::id_map::{NewIds, Reading, Values};
use crate::runner::Runner;
use crate::work::{ChangedTable, Form, Work};

/// From about 5,000 locks on, the server locks the whole table instead of rows, and a row with
/// indexes takes more than one. The size does not follow the time here, because the loop is a
/// script.
const MAX_BATCH_ROWS: u32 = 2_000;

/// Fills the new columns.
pub(crate) async fn backfill(runner: &mut Runner<'_>, work: &Work) -> Result<(), Error> {
    session::prepare(runner).await?;
    let values = Values::of(work)?;
    for table in &work.tables {
        let doing = format!("the values of {}", table.name());
        let batch = batches(work, &values, table)?;
        runner.run(&doing, &batch).await?;
    }
    Ok(())
}

/// The loop over a table: from key to key, and then whatever has moved behind it meanwhile.
fn batches(work: &Work, values: &Values, table: &ChangedTable) -> Result<String, Error> {
    let name = table.name().quoted(Backend::SqlServer)?;
    let rows = work.policy.batch_rows.min(MAX_BATCH_ROWS);
    let (mut sets, mut open) = (Vec::new(), Vec::new());
    for column in &table.columns {
        let (old, shadow) = (quoted(&column.column.name)?, quoted(&column.shadow_name())?);
        let value = values.value(&column.column, Form::New, &old, Reading::Snapshot)?;
        sets.push(format!("{shadow} = {value}"));
        // A damaged value has none, and is found when the columns are compared.
        open.push(format!("{shadow} IS NULL AND {value} IS NOT NULL"));
    }
    let (sets, open) = (sets.join(", "), open.join(" OR "));
    let Keyset {
        declarations,
        columns,
        descending,
        begin,
        end,
        ends_begin,
        begins_at_end,
        from,
        to,
        is_last,
    } = Keyset::of(table)?;
    let mut added = String::new();
    if let Some(ids) = NewIds::of(work)? {
        let condition = format!("{from} AND {to}");
        for column in &table.columns {
            added += &new_ids::add_new(&ids, column, &name, &condition)?;
            added += ";
";
        }
    }
    let pause = pause(work.policy.pause_ms);
    let next = rows + 1;
    Ok(format!(
        "SET NOCOUNT ON;\n\
         DECLARE @rows int = 0, {declarations};\n\
         SELECT TOP (1) @rows = 1, {begin} FROM {name} ORDER BY {columns};\n\
         WHILE @rows > 0\n\
         BEGIN\n\
         SELECT {ends_begin};\n\
         SELECT TOP (1) {end} FROM (SELECT TOP ({next}) {columns} FROM {name} WHERE {from} \
         ORDER BY {columns}) AS batch ORDER BY {descending};\n\
         {added}UPDATE {name} SET {sets} WHERE {from} AND {to} AND ({open});\n\
         IF {is_last} SET @rows = 0;\n\
         SELECT {begins_at_end};{pause}\n\
         END;\n\
         SET @rows = 1;\n\
         WHILE @rows > 0\n\
         BEGIN\n\
         UPDATE TOP ({rows}) {name} SET {sets} WHERE {open};\n\
         SET @rows = @@ROWCOUNT;{pause}\n\
         END"
    ))
}

fn pause(milliseconds: u32) -> String {
    match milliseconds {
        0 => String::new(),
        // A delay is at most a day.
        _ => {
            let (seconds, ms) = (milliseconds / 1_000, milliseconds % 1_000);
            let (minutes, seconds) = (seconds / 60, seconds % 60);
            let (hours, minutes) = ((minutes / 60).min(23), minutes % 60);
            format!("\nWAITFOR DELAY '{hours:02}:{minutes:02}:{seconds:02}.{ms:03}';")
        }
    }
}

/// The pieces of SQL that walk along a primary key. `@from0` … and `@to0` … are the first and the
/// last key of a batch.
struct Keyset {
    declarations: String,
    columns: String,
    descending: String,
    begin: String,
    end: String,
    ends_begin: String,
    begins_at_end: String,
    /// Whether a key is not before the first.
    from: String,
    /// Whether a key is not after the last.
    to: String,
    is_last: String,
}

impl Keyset {
    fn of(table: &ChangedTable) -> Result<Self, Error> {
        let (mut declarations, mut columns) = (Vec::new(), Vec::new());
        for (place, name) in primary_key(table)?.iter().enumerate() {
            let column = table.table.column(name).ok_or_else(|| Error::Missing {
                what: format!("the column {name} of the table {}", table.name()),
            })?;
            let column_type = ColumnType::parse(Backend::SqlServer, require_type(column)?);
            // Variables have no collation of their own.
            let sql_type = column_type.bare();
            declarations.push(format!("@from{place} {sql_type}, @to{place} {sql_type}"));
            columns.push(quoted(name)?);
        }
        let each = |write: &dyn Fn(usize, &String) -> String, between: &str| {
            let pieces: Vec<String> = columns
                .iter()
                .enumerate()
                .map(|(place, column)| write(place, column))
                .collect();
            pieces.join(between)
        };
        Ok(Self {
            declarations: declarations.join(", "),
            columns: columns.join(", "),
            descending: each(&|_, column| format!("{column} DESC"), ", "),
            begin: each(&|place, column| format!("@from{place} = {column}"), ", "),
            end: each(&|place, column| format!("@to{place} = {column}"), ", "),
            ends_begin: each(&|place, _| format!("@to{place} = @from{place}"), ", "),
            begins_at_end: each(&|place, _| format!("@from{place} = @to{place}"), ", "),
            from: bounded(&columns, '>', "@from"),
            to: bounded(&columns, '<', "@to"),
            is_last: each(&|place, _| format!("@to{place} = @from{place}"), " AND "),
        })
    }
}

/// Whether a key is on one side of a bound, or the bound itself. The first condition alone is one
/// that an index can search.
fn bounded(columns: &[String], side: char, bound: &str) -> String {
    let Some(first) = columns.first() else {
        return "1 = 1".into();
    };
    let mut condition = String::new();
    for (place, column) in columns.iter().enumerate().rev() {
        condition = match condition.is_empty() {
            true => format!("{column} {side}= {bound}{place}"),
            false => format!(
                "({column} {side} {bound}{place} OR {column} = {bound}{place} AND {condition})"
            ),
        };
    }
    match columns.len() {
        1 => condition,
        _ => format!("{first} {side}= {bound}0 AND {condition}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_composite_key_is_compared_column_by_column() {
        let columns = ["[a]".to_owned(), "[b]".to_owned(), "[c]".to_owned()];
        assert_eq!(bounded(&columns[..1], '>', "@from"), "[a] >= @from0");
        assert_eq!(
            bounded(&columns, '<', "@to"),
            "[a] <= @to0 AND ([a] < @to0 OR [a] = @to0 AND \
             ([b] < @to1 OR [b] = @to1 AND [c] <= @to2))"
        );
    }

    #[test]
    fn a_pause_is_a_time() {
        assert_eq!(pause(0), "");
        assert_eq!(pause(61_250), "\nWAITFOR DELAY '00:01:01.250';");
        assert_eq!(pause(u32::MAX), "\nWAITFOR DELAY '23:02:47.295';");
    }
}
