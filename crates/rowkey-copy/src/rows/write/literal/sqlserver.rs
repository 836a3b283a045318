//! Values as SQL Server's literals. Their types are said wherever a session or a neighbour could
//! change what they mean.

use super::parts::append;
use crate::batch::{Batch, Cell};
use crate::tables::table_side::ColumnSide;
use rowkey_core::Backend::SqlServer;
use rowkey_tables::text_literal::push_text_literal;
use rowkey_tables::types::{Type, clock};

/// Whether the type of a value is said.
pub(super) fn is_typed(cell: Cell) -> bool {
    matches!(
        cell,
        Cell::Decimal(_) | Cell::Text(_) | Cell::Date(_) | Cell::Time(_) | Cell::Timestamp(_)
    )
}

/// Appends the literal of a value that the column holds, and [whose type is said](is_typed).
pub(super) fn push(
    sql: &mut String,
    column: &ColumnSide,
    batch: &Batch,
    cell: Cell,
) -> Result<(), String> {
    let sql_type = column.sql_type.bare();
    match cell {
        Cell::Decimal(span) => {
            append(
                sql,
                format_args!("CAST({} AS {sql_type})", batch.text(span)),
            );
        }
        Cell::Text(span) if column.sql_type.has_code_page() => {
            // With the order of the column: text with all characters has another one.
            append(sql, format_args!("CONVERT({sql_type}, "));
            push_text(sql, batch.text(span));
            if let Some(collation) = &column.collation {
                append(sql, format_args!(" COLLATE {collation}"));
            }
            sql.push(')');
        }
        Cell::Text(span) => push_text(sql, batch.text(span)),
        Cell::Date(days) => append(
            sql,
            format_args!("CAST('{}' AS date)", clock::date_text(days)?),
        ),
        Cell::Time(micros) => append(
            sql,
            format_args!("CAST('{}' AS time(6))", clock::time_text(micros)),
        ),
        Cell::Timestamp(micros) => push_timestamp(sql, column, micros)?,
        _ => return Err("its literal says no type".into()),
    }
    Ok(())
}

/// The types that round have fewer digits, and are read as others by sessions of other languages.
fn push_timestamp(sql: &mut String, column: &ColumnSide, micros: i64) -> Result<(), String> {
    let text = clock::timestamp_text(micros)?;
    let name = column.sql_type.name();
    match (name, column.own) {
        ("datetime" | "smalldatetime", _) => {
            let text = text.replace(' ', "T");
            let text = &text[..text.len() - 3];
            append(sql, format_args!("CAST('{text}' AS {name})"));
        }
        (_, Type::Instant) => {
            append(
                sql,
                format_args!("CAST('{text}+00:00' AS datetimeoffset(6))"),
            );
        }
        _ => append(sql, format_args!("CAST('{text}' AS datetime2(6))")),
    }
    Ok(())
}

/// A backslash at the end of a line would take the line's end away, and a literal does not hold
/// U+0000 on every server.
fn push_text(sql: &mut String, text: &str) {
    let is_line_end = |character| matches!(character, '\n' | '\r');
    let is_special = text.contains('\0') || text.contains("\\\n") || text.contains("\\\r");
    if !is_special {
        return push_text_literal(sql, SqlServer, text);
    }
    // Without this, parts of 4,000 characters together would be no longer than that.
    sql.push_str("(CONVERT(nvarchar(max), N'')");
    for (place, part) in text.split('\0').enumerate() {
        if place > 0 {
            sql.push_str(" + NCHAR(0)");
        }
        for line in part.split_inclusive(is_line_end) {
            let (line, end) = match line.strip_suffix(is_line_end) {
                Some(before) => line.split_at(before.len()),
                None => (line, ""),
            };
            sql.push_str(" + ");
            push_text_literal(sql, SqlServer, line);
            if !end.is_empty() {
                sql.push_str(" + ");
                push_text_literal(sql, SqlServer, end);
            }
        }
    }
    sql.push(')');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_read_as_it_was() {
        for (text, expected) in [
            ("it's \\ ", "N'it''s \\ '"),
            ("", "N''"),
            (
                "a\\\nb\0",
                "(CONVERT(nvarchar(max), N'') + N'a\\' + N'\n' + N'b' + NCHAR(0))",
            ),
        ] {
            let mut sql = String::new();
            push_text(&mut sql, text);
            assert_eq!(sql, expected);
        }
    }
}
