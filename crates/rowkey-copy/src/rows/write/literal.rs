//! Values as SQL literals of a backend.

mod parts;
mod sqlserver;

use rowkey_core::Backend;
use rowkey_tables::dialect::Dialect;
use rowkey_tables::text_literal::push_text_literal;
use rowkey_tables::types::{Type, clock};

use self::parts::{append, push_hex};
pub(crate) use self::parts::{has_uuid_text, hyphenated, uuid_text};
use super::fit;
use crate::batch::{Batch, Cell};
use crate::engine::engine;
use crate::tables::table_side::{ColumnSide, Content};

/// The literal of a value, or why it has no place in the column.
pub(crate) fn text(
    backend: Backend,
    column: &ColumnSide,
    batch: &Batch,
    cell: Cell,
) -> Result<String, String> {
    let mut sql = String::new();
    push(&mut sql, backend, column, batch, cell)?;
    Ok(sql)
}

/// Appends the literal of a value.
pub(crate) fn push(
    sql: &mut String,
    backend: Backend,
    column: &ColumnSide,
    batch: &Batch,
    cell: Cell,
) -> Result<(), String> {
    fit::check(backend, column, batch, cell)?;
    if backend == Backend::SqlServer && sqlserver::is_typed(cell) {
        return sqlserver::push(sql, column, batch, cell);
    }
    let values = &engine(backend).values;
    match (cell, column.content) {
        (Cell::Null, _) => sql.push_str("NULL"),
        (Cell::Sixteen(span), Content::Ids(form)) => {
            sql.push_str(&form.literal(batch.sixteen(span)));
        }
        (Cell::Bool(value), _) => sql.push_str(values.booleans[usize::from(value)]),
        (Cell::Integer(number), _) => append(sql, format_args!("{number}")),
        (Cell::Large(number), _) => append(sql, format_args!("{number}")),
        (Cell::Single(number), _) => push_float(sql, backend, number.into()),
        (Cell::Double(number), _) => push_float(sql, backend, number),
        (Cell::Decimal(span), _) => {
            let ([before, after], digits) = (values.decimal, batch.text(span));
            append(sql, format_args!("{before}{digits}{after}"));
        }
        (Cell::Text(span), _) if matches!(column.own, Type::Bits { .. }) => {
            append(sql, format_args!("{}'{}'", values.bits, batch.text(span)));
        }
        (Cell::Text(span), _) => push_text(sql, backend, batch.text(span)),
        (Cell::Bytes(span), _) => push_bytes(sql, backend, batch.bytes(span)),
        (Cell::Date(days), _) => match clock::date_text(days) {
            Err(_) if values.has_all_years => push_any_date(sql, days),
            text => append(sql, format_args!("'{}'", text?)),
        },
        (Cell::Time(micros), _) => append(sql, format_args!("'{}'", clock::time_text(micros))),
        (Cell::Timestamp(i64::MAX), _) if values.has_all_years => sql.push_str("'infinity'"),
        (Cell::Timestamp(i64::MIN), _) if values.has_all_years => sql.push_str("'-infinity'"),
        (Cell::Timestamp(micros), _) => {
            let zone = match column.own {
                Type::Instant => values.utc,
                _ => "",
            };
            match clock::timestamp_text(micros) {
                // Counted from the same moment as in the cell, which is midnight in UTC.
                Err(_) if values.has_all_years => append(
                    sql,
                    format_args!(
                        "('2000-01-01 00:00:00{zone}'::{} + '{micros} microseconds'::interval)",
                        match column.own {
                            Type::Instant => "timestamptz",
                            _ => "timestamp",
                        }
                    ),
                ),
                text => append(sql, format_args!("'{}{zone}'", text?)),
            }
        }
        (Cell::Sixteen(span), Content::Values(_)) => {
            let bytes = batch.bytes(span);
            match has_uuid_text(backend, column) {
                true => append(sql, format_args!("'{}'", uuid_text(column.own, bytes))),
                false => push_bytes(sql, backend, bytes),
            }
        }
        (Cell::Refused(span), _) => return Err(batch.text(span).to_owned()),
    }
    Ok(())
}

/// A date of PostgreSQL that is infinite, or in a year that others do not have.
fn push_any_date(sql: &mut String, days: i32) {
    match days {
        i32::MAX => sql.push_str("'infinity'"),
        i32::MIN => sql.push_str("'-infinity'"),
        days => append(sql, format_args!("('2000-01-01'::date + {days})")),
    }
}

/// The shortest digits that are read as the same number.
fn push_float(sql: &mut String, backend: Backend, number: f64) {
    let values = &engine(backend).values;
    if values.has_nan_floats {
        append(sql, format_args!("'{number}'::double precision"));
    } else if values.has_infinite_floats && number.is_infinite() {
        sql.push_str(if number > 0.0 { "9e999" } else { "-9e999" });
    } else {
        append(sql, format_args!("{number:e}"));
    }
}

fn push_text(sql: &mut String, backend: Backend, text: &str) {
    // The SQL of SQLite ends at the character.
    if backend.stores_any_type() && text.contains('\0') {
        sql.push_str("CAST(");
        push_bytes(sql, backend, text.as_bytes());
        sql.push_str(" AS TEXT)");
    } else {
        push_text_literal(sql, backend, text);
    }
}

/// Appends the literal of bytes.
pub(crate) fn push_bytes(sql: &mut String, backend: Backend, bytes: &[u8]) {
    let [before, after] = engine(backend).values.bytes;
    sql.push_str(before);
    push_hex(sql, bytes);
    sql.push_str(after);
}
