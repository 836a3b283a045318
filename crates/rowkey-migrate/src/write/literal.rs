//! Values as SQL literals of a backend.

use std::fmt::Write as _;

use rowkey_core::Backend;
use rowkey_core::storage::StoredForm;

use crate::batch::{Batch, Cell, Normal, normal};
use crate::copy::side::{Content, SideColumn};
use crate::types::{Type, clock};

/// The literal of a value, or why it has no place in the column.
pub(crate) fn text(
    backend: Backend,
    column: &SideColumn,
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
    column: &SideColumn,
    batch: &Batch,
    cell: Cell,
) -> Result<(), String> {
    match (cell, column.content) {
        (Cell::Null, _) => sql.push_str("NULL"),
        (Cell::Sixteen(span), Content::Ids(form)) => {
            let id = fitting(form, batch.sixteen(span))?;
            sql.push_str(&form.literal(id));
        }
        (Cell::Bool(value), _) => sql.push_str(match (backend, value) {
            (Backend::Postgres, true) => "true",
            (Backend::Postgres, false) => "false",
            (_, true) => "1",
            (_, false) => "0",
        }),
        (Cell::Integer(number), _) => append(sql, format_args!("{number}")),
        (Cell::Large(number), _) => append(sql, format_args!("{number}")),
        (Cell::Single(number), _) => push_float(sql, backend, number.into())?,
        (Cell::Double(number), _) => push_float(sql, backend, number)?,
        (Cell::Decimal(span), _) => push_decimal(sql, backend, column, batch.text(span))?,
        (Cell::Text(span), _) => push_text(sql, backend, column, batch.text(span))?,
        (Cell::Bytes(span), _) => push_bytes(sql, backend, batch.bytes(span)),
        (Cell::Date(days), _) => append(sql, format_args!("'{}'", clock::date_text(days)?)),
        (Cell::Time(micros), _) => append(sql, format_args!("'{}'", clock::time_text(micros))),
        (Cell::Timestamp(micros), _) => {
            let zone = match (backend, column.own) {
                (Backend::Postgres | Backend::Sqlite, Type::Instant) => "+00:00",
                _ => "",
            };
            let text = clock::timestamp_text(micros)?;
            append(sql, format_args!("'{text}{zone}'"));
        }
        (Cell::Sixteen(span), Content::Values(_)) => {
            let bytes = batch.bytes(span);
            let as_text = matches!(column.own, Type::Text(_) | Type::PaddedText(_))
                || column.own == Type::Uuid && backend != Backend::Sqlite;
            match as_text {
                true => append(sql, format_args!("'{}'", hyphenated(bytes))),
                false => push_bytes(sql, backend, bytes),
            }
        }
    }
    Ok(())
}

/// An id that the form of a side holds.
pub(crate) fn fitting(form: StoredForm, id: u128) -> Result<u128, String> {
    match id <= form.max_value() {
        true => Ok(id),
        false => Err(format!(
            "an id is {id}, and {}:{} holds at most {}",
            form.storage(),
            form.layout(),
            form.max_value()
        )),
    }
}

/// Writing to a text does not fail.
fn append(sql: &mut String, value: std::fmt::Arguments<'_>) {
    let _ = sql.write_fmt(value);
}

/// The shortest digits that are read as the same number.
fn push_float(sql: &mut String, backend: Backend, number: f64) -> Result<(), String> {
    match backend {
        Backend::Postgres => append(sql, format_args!("'{number}'::double precision")),
        Backend::Sqlite if number.is_infinite() => {
            sql.push_str(if number > 0.0 { "9e999" } else { "-9e999" });
        }
        // It stores 0 instead of -0.
        Backend::MariaDb if number == 0.0 && number.is_sign_negative() => {
            return Err(format!(
                "a value is {number}, which {backend} does not have"
            ));
        }
        _ if number.is_finite() => append(sql, format_args!("{number:e}")),
        _ => {
            return Err(format!(
                "a value is {number}, which {backend} does not have"
            ));
        }
    }
    Ok(())
}

/// As a number, because MySQL and MariaDB compare text with numbers as floating point; as text where
/// the column is text.
fn push_decimal(
    sql: &mut String,
    backend: Backend,
    column: &SideColumn,
    digits: &str,
) -> Result<(), String> {
    check_scale(column, digits)?;
    match backend {
        Backend::Postgres => append(sql, format_args!("'{digits}'::numeric")),
        Backend::Sqlite => append(sql, format_args!("'{digits}'")),
        _ if matches!(normal(digits), Some(Normal::Number { .. })) => sql.push_str(digits),
        _ => {
            return Err(format!(
                "a value is {digits}, which {backend} does not have"
            ));
        }
    }
    Ok(())
}

/// Servers round a number that has too many digits after the point.
pub(crate) fn check_scale(column: &SideColumn, digits: &str) -> Result<(), String> {
    match (column.own, normal(digits)) {
        (Type::Decimal(Some((_, scale))), Some(Normal::Number { fraction, .. }))
            if fraction.len() > scale as usize =>
        {
            Err(format!("a value is {digits}, which would be rounded"))
        }
        _ => Ok(()),
    }
}

/// Servers cut off spaces at the end of text that is too long.
pub(crate) fn check_length(column: &SideColumn, text: &str) -> Result<(), String> {
    match column.own {
        Type::Text(Some(length)) | Type::PaddedText(length)
            if text.len() > length as usize && text.chars().count() > length as usize =>
        {
            Err(format!(
                "a value has {} characters, and {} holds {length}",
                text.chars().count(),
                column.sql_type
            ))
        }
        _ => Ok(()),
    }
}

fn push_text(
    sql: &mut String,
    backend: Backend,
    column: &SideColumn,
    text: &str,
) -> Result<(), String> {
    if backend != Backend::Sqlite {
        check_length(column, text)?;
    }
    match backend {
        Backend::MySql | Backend::MariaDb => escaped(sql, text, true),
        Backend::Sqlite if text.contains('\0') => {
            sql.push_str("CAST(");
            push_bytes(sql, backend, text.as_bytes());
            sql.push_str(" AS TEXT)");
        }
        Backend::Postgres if text.contains('\0') => return Err(NO_ZERO.into()),
        _ => escaped(sql, text, false),
    }
    Ok(())
}

/// Why PostgreSQL refuses a text.
pub(crate) const NO_ZERO: &str =
    "a text contains the character U+0000, which PostgreSQL's text does not have";

/// Doubles quotes, and backslashes for a session in which they escape.
fn escaped(sql: &mut String, text: &str, with_backslashes: bool) {
    sql.push('\'');
    let mut rest = text;
    while let Some(place) = rest.find(['\'', '\\']) {
        let (before, special) = rest.split_at(place);
        let (special, after) = special.split_at(1);
        sql.push_str(before);
        sql.push_str(special);
        if special == "'" || with_backslashes {
            sql.push_str(special);
        }
        rest = after;
    }
    sql.push_str(rest);
    sql.push('\'');
}

fn push_bytes(sql: &mut String, backend: Backend, bytes: &[u8]) {
    let (before, after) = match backend {
        Backend::Postgres => ("'\\x", "'::bytea"),
        _ => ("X'", "'"),
    };
    sql.push_str(before);
    push_hex(sql, bytes);
    sql.push_str(after);
}

/// Appends two digits for each byte.
pub(crate) fn push_hex(text: &mut String, bytes: &[u8]) {
    const DIGITS: [char; 16] = [
        '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f',
    ];
    for byte in bytes {
        text.push(DIGITS[usize::from(byte >> 4)]);
        text.push(DIGITS[usize::from(byte & 15)]);
    }
}

/// A UUID as text.
pub(crate) fn hyphenated(bytes: &[u8]) -> String {
    let mut text = String::new();
    for (place, byte) in bytes.iter().enumerate() {
        if matches!(place, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        push_hex(&mut text, &[*byte]);
    }
    text
}
