//! Columns of SQLite that have no type: their values decide.

use rowkey_core::storage::quote_identifier;
use rowkey_tables::catalog::{Column, Table};
use rowkey_tables::types::Type;
use rowkey_tables::{Connection, Error};

use crate::engine::{engine, of_column};

/// The columns of a table whose values are all text, all integers or all floating-point numbers.
/// Others stay what SQLite takes them for, which is bytes.
pub(super) async fn types(
    source: &mut Connection,
    table: &Table,
) -> Result<Vec<(String, Type)>, Error> {
    let backend = source.backend();
    let Some(pattern) = engine(backend).rows.class else {
        return Ok(Vec::new());
    };
    let columns = table.columns.iter();
    let columns = columns.filter(|column| column.sql_type.trim().is_empty());
    let columns: Vec<&Column> = columns.collect();
    if columns.is_empty() {
        return Ok(Vec::new());
    }
    let mut classes = Vec::new();
    for column in &columns {
        let name = quote_identifier(backend, &column.name)?;
        let class = of_column(pattern, &name);
        let class = format!("CASE WHEN {name} IS NOT NULL THEN {class} END");
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
            (Some("text"), Some("text")) => Type::Text(None),
            (Some("integer"), Some("integer")) => Type::Integer {
                bytes: 8,
                is_unsigned: false,
            },
            (Some("real"), Some("real")) => Type::Double,
            _ => continue,
        };
        found.push((column.name.clone(), own));
    }
    Ok(found)
}
