//! Columns whose values decide: those of SQLite that have no type, one that says nothing of its
//! values, or values of several, and numbers of PostgreSQL with any digits.

use rowkey_core::Backend;
use rowkey_core::storage::quote_identifier;
use rowkey_tables::catalog::{Column, Table};
use rowkey_tables::types::{self, Type};
use rowkey_tables::{Connection, Error};

use crate::engine::{engine, of_column};

/// What the values of a table's columns are, if their types do not say it: numbers beside texts are
/// texts, and texts beside bytes are bytes. If a person wants that, those of several types are texts in
/// other columns, too.
pub(super) async fn types(
    source: &mut Connection,
    table: &Table,
    mixed_as_text: bool,
) -> Result<Vec<(String, Type)>, Error> {
    let backend = source.backend();
    let Some(pattern) = engine(backend).rows.class else {
        return Ok(Vec::new());
    };
    let columns = table.columns.iter();
    let columns = columns.filter(|column| mixed_as_text || has_no_type(column));
    let columns: Vec<&Column> = columns.collect();
    if columns.is_empty() {
        return Ok(Vec::new());
    }
    let mut classes = Vec::new();
    for column in &columns {
        let name = quote_identifier(backend, &column.name)?;
        let class = of_column(pattern, &name);
        // What the reader takes for a value of the column's own type.
        let integer = match column.column_type(backend).meaning() {
            Some(Type::Flag) => format!("{name} IN ('t', 'f')"),
            Some(Type::Loose(_)) => {
                format!("{class} = 'real' OR {name} IN ('NaN', 'Infinity', '-Infinity')")
            }
            Some(Type::Json | Type::Uuid) => "TRUE".into(),
            _ => "FALSE".into(),
        };
        let class = format!(
            "CASE WHEN {name} IS NULL THEN NULL WHEN {integer} THEN 'integer' ELSE {class} END"
        );
        classes.push(format!("MIN({class}), MAX({class})"));
    }
    let (classes, rows) = (classes.join(", "), table.name.quoted(backend)?);
    let query = format!("SELECT {classes} FROM {rows}");
    let doing = format!("the values of {}", table.name);
    let row = source.one_row(&doing, &query, &[]).await?;
    let mut found = Vec::new();
    for (place, column) in columns.iter().enumerate() {
        let classes = (
            row.optional_text(2 * place)?,
            row.optional_text(2 * place + 1)?,
        );
        let own = match classes {
            // Those of blobs, which have no text, are refused where they are.
            (Some(one), Some(other))
                if mixed_as_text && one != other && (one != "blob" || has_no_type(column)) =>
            {
                Type::Text(None)
            }
            _ if !has_no_type(column) => continue,
            (None, None) if column.sql_type.is_empty() => continue,
            (None, None) | (Some("integer"), Some("real")) => Type::Loose(None),
            // A text has bytes.
            (Some("blob"), _) => Type::Bytes(None),
            (Some("integer"), Some("integer")) => Type::Integer {
                bytes: 8,
                is_unsigned: false,
            },
            (Some("real"), Some("real")) => Type::Double,
            // Numbers have text.
            (_, Some("text")) => Type::Text(None),
            _ => continue,
        };
        found.push((column.name.clone(), own));
    }
    Ok(found)
}

/// The columns with numbers that have more digits than any decimal number of the target.
pub(super) async fn wide_numbers(
    source: &mut Connection,
    target: Backend,
    table: &Table,
) -> Result<Vec<String>, Error> {
    let backend = source.backend();
    let is_wide = |column: &&Column| {
        let own = column.column_type(backend).meaning();
        matches!(own, Some(own @ Type::Decimal(_)) if types::write(target, own, false).is_err())
    };
    let columns: Vec<&Column> = table.columns.iter().filter(is_wide).collect();
    let widest = engine(target).columns.widest_decimal;
    let (Some((precision, scale)), Backend::Postgres, false) =
        (widest, backend, columns.is_empty())
    else {
        return Ok(Vec::new());
    };
    let mut found = Vec::new();
    for column in &columns {
        let name = quote_identifier(backend, &column.name)?;
        // NaN is more than every number.
        found.push(format!(
            "COALESCE(bool_or(scale({name}) > {scale} OR abs({name}) >= 1e{}), FALSE)::int",
            precision - scale
        ));
    }
    let (found, rows) = (found.join(", "), table.name.quoted(backend)?);
    let doing = format!("the values of {}", table.name);
    let query = format!("SELECT {found} FROM {rows}");
    let row = match source.one_row(&doing, &query, &[]).await {
        // Preflight says it of all tables.
        Err(error) if error.is_denied() => return Ok(Vec::new()),
        row => row?,
    };
    let mut wide = Vec::new();
    for (place, column) in columns.iter().enumerate() {
        if row.is(place)? {
            wide.push(column.name.clone());
        }
    }
    Ok(wide)
}

/// Also a name that SQLite does not know, which has numeric affinity.
fn has_no_type(column: &Column) -> bool {
    let meaning = column.column_type(Backend::Sqlite).meaning();
    column.sql_type.trim().is_empty() || meaning == Some(Type::Own)
}
