//! Columns that the database counts.

use rowkey_core::storage::quote_identifier;
use rowkey_tables::Error;
use rowkey_tables::catalog::{DependentKind, QualifiedName, Table};
use rowkey_tables::connection::{Connection, Row, Value};
use rowkey_tables::types::Type;

use crate::definitions::objects;
use crate::engine::{BesidesKey, engine};
use crate::mapping::names;
use crate::tables::table_side::{ColumnSide, TableSide};

/// The columns that the target counts, of those that the source counts: the only column of the
/// primary key, and others where the target counts such.
pub(crate) fn counted<'s>(table: &Table, side: &'s TableSide) -> Vec<&'s ColumnSide> {
    let is_key = |column: &ColumnSide| {
        let key = table.primary_key().map(|key| key.columns.as_slice());
        matches!(key, Some([name]) if *name == column.name)
    };
    let is_counted = |column: &&ColumnSide| {
        let original = table.column(&column.name);
        matches!(column.own, Type::Integer { .. })
            && original.is_some_and(|original| {
                let is_required = !original.is_nullable && !column.instead.gives_null();
                table.counts(original) && (is_key(column) || is_required)
            })
    };
    let besides_key = engine(side.backend).counters.besides_key;
    let has_key = side.columns.iter().filter(is_counted).any(is_key);
    let mut counted: Vec<&ColumnSide> = side.columns.iter().filter(is_counted).collect();
    counted.retain(|column| match besides_key {
        _ if is_key(column) => true,
        BesidesKey::All => true,
        BesidesKey::OneWithIndex => !has_key && own_index(table, side, &column.name).is_some(),
        BesidesKey::None => false,
    });
    if matches!(besides_key, BesidesKey::OneWithIndex) {
        counted.truncate(1);
    }
    counted
}

/// The other columns that the source counts, where a sequence in a default may number them, with the
/// names of these sequences: they may be NULL, which a counted column refuses.
pub(crate) fn sequenced<'s>(
    table: &Table,
    side: &'s TableSide,
) -> Vec<(&'s ColumnSide, QualifiedName)> {
    if engine(side.backend).counters.next.is_none() {
        return Vec::new();
    }
    let counted = counted(table, side);
    let is_sequenced = |column: &&ColumnSide| {
        let original = table.column(&column.name);
        matches!(column.own, Type::Integer { .. })
            && original.is_some_and(|original| table.counts(original))
            && !counted.iter().any(|counted| counted.name == column.name)
    };
    let columns = side.columns.iter().filter(is_sequenced);
    let named = columns.map(|column| {
        let name = format!("{}_{}", side.name.name, column.name);
        let name = names::shortened(side.backend, &name, "_seq");
        (column, side.name.sibling(name))
    });
    named.collect()
}

/// Where only columns with an index are counted, the index that begins with one.
struct OwnIndex<'t> {
    /// The name of a unique key or an index; none for the primary key.
    name: Option<&'t str>,
    columns: &'t [String],
    is_unique: bool,
}

fn own_index<'t>(table: &'t Table, side: &TableSide, column: &str) -> Option<OwnIndex<'t>> {
    let keys = table.keys.iter().map(|key| OwnIndex {
        name: (!key.is_primary).then_some(&key.name),
        columns: &key.columns,
        is_unique: true,
    });
    let indexes = table.indexes.iter().filter(|index| index.is_plain);
    let indexes = indexes.map(|index| OwnIndex {
        name: Some(&index.name),
        columns: &index.columns,
        is_unique: index.is_unique,
    });
    let is_copied = |name: &String| side.columns.iter().any(|column| column.name == *name);
    let is_left_out = |name: &str| side.leave_out.iter().any(|left_out| left_out == name);
    keys.chain(indexes).find(|index| {
        index.columns.first().is_some_and(|first| first == column)
            && index.columns.iter().all(is_copied)
            && !index.name.is_some_and(is_left_out)
    })
}

/// The line of a table for the index of a counted column that has to be there with it. It is not
/// made again with the others.
pub(crate) fn index_line(
    table: &Table,
    side: &TableSide,
    column: &ColumnSide,
) -> Result<Option<String>, Error> {
    let needs_index = matches!(
        engine(side.backend).counters.besides_key,
        BesidesKey::OneWithIndex
    );
    let index = own_index(table, side, &column.name).filter(|_| needs_index);
    let Some(OwnIndex {
        name: Some(name),
        columns,
        is_unique,
    }) = index
    else {
        return Ok(None);
    };
    let unique = if is_unique { "UNIQUE " } else { "" };
    let name = match name {
        "" => format!("{}_{}_key", side.name.name, columns.join("_")),
        name => name.to_owned(),
    };
    let name = quote_identifier(side.backend, &names::shortened(side.backend, &name, ""))?;
    let columns = objects::list(side.backend, columns)?;
    Ok(Some(format!("{unique}KEY {name} ({columns})")))
}

/// Whether an index is made with the table, because a counted column needs it.
pub(crate) fn is_made_with_table(
    table: &Table,
    side: &TableSide,
    columns: &[String],
    is_unique: bool,
) -> bool {
    let needs_index = matches!(
        engine(side.backend).counters.besides_key,
        BesidesKey::OneWithIndex
    );
    needs_index
        && counted(table, side).iter().any(|column| {
            let index = own_index(table, side, &column.name);
            index.is_some_and(|index| {
                index.name.is_some() && (index.columns, index.is_unique) == (columns, is_unique)
            })
        })
}

/// The line of a column that the target counts. GENERATED ALWAYS of PostgreSQL stays: COPY writes
/// values all the same.
pub(crate) fn line(
    side: &TableSide,
    table: &Table,
    column: &ColumnSide,
    left_out: &mut Vec<String>,
) -> Result<String, Error> {
    let name = quote_identifier(side.backend, &column.name)?;
    let counters = &engine(side.backend).counters;
    let definition = definition(table, column);
    let step = step_of(definition);
    let kept = step.filter(|step| counters.has_steps && !step.starts_with('-'));
    if let (Some(step), None) = (step, kept) {
        left_out.push(lost_step(table, column, step));
    }
    Ok((counters.column)(
        &name,
        column.sql_type.as_str(),
        definition,
        kept,
    ))
}

/// How PostgreSQL counts a column, if it counts for that column only.
fn definition<'t>(table: &'t Table, column: &ColumnSide) -> &'t str {
    let mut dependents = table.dependents.iter();
    let sequence = dependents
        .find(|one| one.kind == DependentKind::Sequence && one.columns == [column.name.clone()]);
    sequence.map_or("", |sequence| &sequence.definition)
}

fn step_of(definition: &str) -> Option<&str> {
    definition.split_once("INCREMENT BY ").map(|(_, step)| step)
}

fn lost_step(table: &Table, column: &ColumnSide, step: &str) -> String {
    format!(
        "{}.{}: it counts by {step} in the source, and by 1 in the target",
        table.name, column.name
    )
}

/// How the counters of a table continue.
#[derive(Default)]
pub(crate) struct Continued<'s> {
    /// The columns, with the last numbers of the source.
    pub(crate) columns: Vec<(&'s ColumnSide, i128)>,
    /// The statements for it, after the rows.
    pub(crate) statements: Vec<String>,
    pub(crate) notes: Vec<String>,
}

/// The columns that an existing table counts, whether the source does or not.
pub(crate) fn counted_there<'s>(side: &'s TableSide, existing: &Table) -> Vec<&'s ColumnSide> {
    let is_counted = |column: &&ColumnSide| {
        let found = existing.column(&column.name);
        let is_integer = matches!(column.own, Type::Integer { .. });
        is_integer && found.is_some_and(|found| found.generated.is_counted() || found.is_serial())
    };
    side.columns.iter().filter(is_counted).collect()
}

/// Lets the counters of a table continue after the rows, and after the last number that the source
/// has counted so far, although its row may be gone. An existing table has counters of its own.
pub(crate) async fn continued<'s>(
    source: &mut Connection,
    table: &Table,
    side: &'s TableSide,
    existing: Option<&Table>,
) -> Result<Continued<'s>, Error> {
    let mut continued = Continued::default();
    let sequenced = match existing {
        Some(_) => Vec::new(),
        None => sequenced(table, side),
    };
    let columns = match existing {
        Some(existing) => counted_there(side, existing),
        None => counted(table, side),
    };
    let columns = columns.into_iter();
    let columns = columns.chain(sequenced.iter().map(|(column, _)| *column));
    for column in columns {
        let Last { number, step } = last(source, table, column, &mut continued.notes).await?;
        let statements = after(side, column, existing, number)?;
        continued.statements.extend(statements);
        continued.columns.push((column, number));
        if let Some((_, sequence)) = sequenced
            .iter()
            .find(|(other, _)| other.name == column.name)
        {
            let sequence = sequence.quoted(side.backend)?;
            let name = quote_identifier(side.backend, &column.name)?;
            let kept = step.max(1);
            if step != kept {
                let lost = lost_step(table, column, &step.to_string());
                continued.notes.push(lost);
            }
            continued.statements.push(format!(
                "ALTER SEQUENCE {sequence} INCREMENT BY {kept} OWNED BY {}.{name}",
                side.quoted()?
            ));
            continue;
        }
        // The catalogue lacks the step of a sequence that several columns share.
        if step != 1 && definition(table, column).is_empty() && existing.is_none() {
            match engine(side.backend).counters.set_step {
                Some(set) if step > 1 => {
                    let name = quote_identifier(side.backend, &column.name)?;
                    continued.statements.push(set(&side.quoted()?, &name, step));
                }
                _ => continued
                    .notes
                    .push(lost_step(table, column, &step.to_string())),
            }
        }
    }
    Ok(continued)
}

/// What the source has counted last; zero for nothing.
pub(crate) struct Last {
    pub(crate) number: i128,
    step: i64,
}

/// The last number of the source for a column, if the target's column has a place for it.
pub(crate) async fn last(
    source: &mut Connection,
    table: &Table,
    column: &ColumnSide,
    notes: &mut Vec<String>,
) -> Result<Last, Error> {
    let mut last = Last { number: 0, step: 1 };
    let original = table.column(&column.name);
    let Some(original) = original.filter(|original| table.counts(original)) else {
        return Ok(last);
    };
    let Some((query, values)) = (engine(source.backend()).counters.last)(table, original)? else {
        return Ok(last);
    };
    let doing = format!("the counter of {}", table.name);
    let mut is_hidden = false;
    let rows = match source.query(&doing, &query, &values).await {
        // MariaDB asks for a privilege on the sequence.
        Err(error) if original.is_serial() && error.is_denied() => {
            is_hidden = true;
            Vec::new()
        }
        rows => rows?,
    };
    if let Some(row) = rows.first() {
        last.number = number(row)?;
        if let Some(Value::Integer(found)) = row.0.get(1) {
            last.step = *found;
            // PostgreSQL tells such an account no number.
            is_hidden = row.0[0] == Value::Null;
        }
    }
    if is_hidden {
        notes.push(format!(
            "{}.{}: the account may not read its sequence in the source: the target goes on after its rows",
            table.name, column.name
        ));
    }
    if last.number > largest(column) {
        notes.push(format!(
            "{}.{}: the source has counted up to {}, which {} does not hold: the target goes on after \
             its rows",
            table.name, column.name, last.number, column.sql_type
        ));
        last.number = 0;
    }
    Ok(last)
}

/// The sequences of the target's columns that have no number left behind the rows and a number.
pub(crate) async fn ended(
    target: &mut Connection,
    side: &TableSide,
    existing: Option<&Table>,
    columns: &[(&ColumnSide, i128)],
) -> Result<Vec<String>, Error> {
    let mut notes = Vec::new();
    for (column, last) in columns {
        let sequence = existing.and_then(|existing| existing.column(&column.name)?.sequence());
        let end = engine(side.backend).counters.end;
        let Some(query) = end(side, &column.name, sequence, *last)? else {
            continue;
        };
        let doing = format!("the counter of {}", side.name);
        let rows = match target.query(&doing, &query, &[]).await {
            Err(error) if error.is_denied() => continue,
            rows => rows?,
        };
        if let Some(row) = rows.first() {
            notes.push(format!(
                "{}.{}: its sequence in the target ends at {}, and has no number left behind those of the source",
                side.name,
                column.name,
                row.text(0)?
            ));
        }
    }
    Ok(notes)
}

/// That a counter is where the server leaves it, as the account may not set it.
pub(crate) fn unset(side: &TableSide) -> String {
    format!(
        "the counter of {} continues after its rows, and may give numbers that the source has used and deleted: the \
         account has no ALTER on the table",
        side.name
    )
}

/// What was counted last; zero for nothing. MySQL counts up to 64 bits without a sign.
fn number(row: &Row) -> Result<i128, Error> {
    match row.0.first() {
        Some(Value::Text(digits)) if digits.bytes().all(|byte| byte.is_ascii_digit()) => {
            let wrong = |_| Error::Differs {
                what: "a counter".into(),
                found: format!("{digits} is no number"),
            };
            digits.parse().map_err(wrong)
        }
        _ => Ok(row.optional_integer(0)?.map_or(0, i128::from)),
    }
}

/// What a column of integers holds.
fn largest(column: &ColumnSide) -> i128 {
    match column.own {
        Type::Integer { bytes, is_unsigned } => {
            (1 << (8 * u32::from(bytes) - u32::from(!is_unsigned))) - 1
        }
        _ => i128::MAX,
    }
}

/// The statements that let a counter continue after the rows, and after a number. An existing table
/// may count with a sequence.
pub(crate) fn after(
    side: &TableSide,
    column: &ColumnSide,
    existing: Option<&Table>,
    last: i128,
) -> Result<Vec<String>, Error> {
    let counters = &engine(side.backend).counters;
    let sequence = existing.and_then(|existing| existing.column(&column.name)?.sequence());
    match sequence.zip(counters.after_sequence) {
        Some((sequence, after)) => {
            let name = quote_identifier(side.backend, &column.name)?;
            Ok(after(sequence, &side.quoted()?, &name, last).into())
        }
        None => (counters.after)(side, &column.name, last),
    }
}
