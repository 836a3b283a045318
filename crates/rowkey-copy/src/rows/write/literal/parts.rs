//! What literals of several backends consist of.

use std::fmt::Write as _;

use rowkey_core::Backend;
use rowkey_tables::types::Type;

use crate::engine::engine;
use crate::tables::table_side::ColumnSide;

/// Writing to a text does not fail.
pub(super) fn append(sql: &mut String, value: std::fmt::Arguments<'_>) {
    let _ = sql.write_fmt(value);
}

/// Appends two digits for each byte.
pub(super) fn push_hex(text: &mut String, bytes: &[u8]) {
    const DIGITS: [char; 16] = [
        '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f',
    ];
    for byte in bytes {
        text.push(DIGITS[usize::from(byte >> 4)]);
        text.push(DIGITS[usize::from(byte & 15)]);
    }
}

/// Whether a column has UUIDs as text.
pub(crate) fn has_uuid_text(backend: Backend, column: &ColumnSide) -> bool {
    let is_text = matches!(column.own, Type::Text(_) | Type::PaddedText(_));
    let is_written = column.own == Type::Uuid && engine(backend).values.writes_uuids;
    is_text || is_written || column.sql_type.has_uuid_text()
}

/// A UUID as text for a column: without hyphens where it has no place for them.
pub(crate) fn uuid_text(own: Type, bytes: &[u8]) -> String {
    match own {
        Type::Text(Some(32)) | Type::PaddedText(32) => {
            let mut text = String::new();
            push_hex(&mut text, bytes);
            text
        }
        _ => hyphenated(bytes),
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
