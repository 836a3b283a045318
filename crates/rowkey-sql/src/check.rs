//! Whether a stored value is an id.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::dialect::{part, without_hyphens};
use crate::number;
use crate::sixteen_bytes::SixteenBytes;
use rowkey_core::Backend;
use rowkey_core::Error;
use rowkey_core::format::FieldKind;
use rowkey_core::storage::Column;
use rowkey_core::storage::TextForm;
use rowkey_core::storage::{BinaryLength, Wire};
use rowkey_core::text::{Width, base62};

/// The condition that a value has the type, length, alphabet and letter case of the column's form
/// and is in range. None for types that have no other values.
pub(crate) fn shape(column: Column, stored: &str) -> Option<String> {
    let backend = column.backend();
    match column.wire() {
        Wire::Bytes(length) => {
            let length = length.bytes();
            Some(match backend {
                Backend::Postgres => format!("octet_length({stored}) = {length}"),
                Backend::MySql | Backend::MariaDb => format!("LENGTH({stored}) = {length}"),
                Backend::Sqlite => {
                    format!("typeof({stored}) = 'blob' AND length({stored}) = {length}")
                }
                Backend::SqlServer => format!("DATALENGTH({stored}) = {length}"),
            })
        }
        Wire::Decimal(precision) => Some(format!("{stored} BETWEEN 0 AND {}", precision.max())),
        Wire::Text(form) => Some(text_shape(backend, form, stored)),
        Wire::Integer => Some(match backend {
            Backend::Sqlite => format!("typeof({stored}) = 'integer' AND {stored} >= 0"),
            _ => format!("{stored} >= 0"),
        }),
        Wire::Uuid | Wire::NativeUuid => None,
    }
}

/// `NULL` for values that do not fulfil the condition.
pub(crate) fn guarded(condition: Option<String>, sql: String) -> String {
    match condition {
        Some(condition) => format!("CASE WHEN {condition} THEN {sql} END"),
        None => sql,
    }
}

/// The largest public value that a stored value of the column's shape can have.
pub(crate) fn largest(column: Column) -> u128 {
    match column.wire() {
        Wire::Bytes(BinaryLength::Bytes12) => (1 << 96) - 1,
        Wire::Decimal(precision) => precision.max(),
        Wire::Text(TextForm::Compact16 | TextForm::Digits28 | TextForm::Digits38)
        | Wire::Integer => column.max_value(),
        _ => u128::MAX,
    }
}

/// The condition that the public value is at most a number, unless the shape already says so.
///
/// # Errors
///
/// As [`SixteenBytes::condition`].
pub(crate) fn at_most(column: Column, stored: &str, max: u128) -> Result<Option<String>, Error> {
    let (backend, wire) = (column.backend(), column.wire());
    let largest = largest(column);
    if largest <= max {
        return Ok(None);
    }
    SixteenBytes::condition(backend, wire, stored, |bytes| {
        bytes.in_order(column.permutation().places()).at_most(max)
    })
    .map(Some)
}

/// The condition that a value is an id of the column.
pub(crate) fn is_id(column: Column, stored: &str) -> Result<String, Error> {
    let backend = column.backend();
    let mut conditions = Vec::new();
    for field in column.format().fields() {
        if let FieldKind::Version(value) | FieldKind::Variant(value) = field.kind {
            let number = number::expression(column, backend, number::big_endian(*field), stored)?;
            conditions.push(format!("{number} = {value}"));
        }
    }
    conditions.extend(at_most(column, stored, column.max_value())?);
    let bits = conditions.join(" AND ");
    let is_total = matches!(column.wire(), Wire::Bytes(_))
        && matches!(backend, Backend::MySql | Backend::MariaDb);
    Ok(match shape(column, stored) {
        // Missing bytes are empty strings, so nothing needs a guard, and each CASE costs.
        Some(shape) if is_total => {
            conditions.insert(0, shape);
            format!("({})", conditions.join(" AND "))
        }
        // CASE evaluates the rest for values of the shape only, and AND makes no such promise.
        Some(shape) => {
            let bits = match bits.as_str() {
                "" => String::new(),
                bits => format!("WHEN NOT ({bits}) THEN 0 "),
            };
            format!(
                "CASE WHEN {stored} IS NULL THEN NULL WHEN NOT ({shape}) THEN 0 {bits}ELSE 1 END = 1"
            )
        }
        None if bits.is_empty() => format!("{stored} = {stored}"),
        None => format!("({bits})"),
    })
}

fn text_shape(backend: Backend, form: TextForm, stored: &str) -> String {
    let width = form.width();
    let (class, is_hyphenated) = match form {
        TextForm::Hyphenated => ("0-9a-f", true),
        TextForm::HyphenatedUpper => ("0-9A-F", true),
        TextForm::Hex => ("0-9a-f", false),
        TextForm::HexUpper => ("0-9A-F", false),
        TextForm::Compact16 | TextForm::Compact22 => ("0-9A-Za-z", false),
        TextForm::Digits28 | TextForm::Digits38 => ("0-9", false),
    };
    let pattern = match is_hyphenated {
        true => format!("^[{class}]{{8}}(-[{class}]{{4}}){{3}}-[{class}]{{12}}$"),
        false => format!("^[{class}]{{{width}}}$"),
    };
    let without_hyphens = match is_hyphenated {
        true => without_hyphens(backend, stored),
        false => stored.into(),
    };
    let mut shape = match backend {
        Backend::Postgres => format!("{stored} ~ '{pattern}'"),
        // The pattern also ends before the end of a last line.
        Backend::MySql | Backend::MariaDb => format!(
            "CHAR_LENGTH({stored}) = {width} AND \
             CONVERT({stored} USING ascii) COLLATE ascii_bin REGEXP '{pattern}'"
        ),
        Backend::Sqlite => format!(
            "typeof({stored}) = 'text' AND length(CAST({stored} AS BLOB)) = {width} AND \
             {without_hyphens} NOT GLOB '*[^{class}]*'"
        ),
        Backend::SqlServer => format!(
            "LEN({stored}) = {width} AND \
             {without_hyphens} COLLATE Latin1_General_100_BIN2 NOT LIKE '%[^{class}]%'"
        ),
    };
    // Without other hyphens, the remaining characters are the digits.
    let hyphens = match backend {
        Backend::Sqlite => Some(("length", "GLOB '????????-????-????-????-????????????'")),
        Backend::SqlServer => Some(("LEN", "LIKE '________-____-____-____-____________'")),
        _ => None,
    };
    if let Some((length, pattern)) = hyphens.filter(|_| is_hyphenated) {
        shape += &format!(" AND {length}({without_hyphens}) = 32 AND {stored} {pattern}");
    }
    for (first, max) in largest_compact(form) {
        let piece = part(backend, stored, first, max.len() as u8);
        shape += &match backend {
            Backend::Postgres => format!(" AND {piece} COLLATE \"C\" <= '{max}'"),
            Backend::MySql | Backend::MariaDb => {
                format!(" AND CAST({piece} AS BINARY) <= '{max}'")
            }
            Backend::Sqlite => format!(" AND {piece} COLLATE BINARY <= '{max}'"),
            Backend::SqlServer => {
                format!(" AND {piece} COLLATE Latin1_General_100_BIN2 <= '{max}'")
            }
        };
    }
    shape
}

/// The largest pieces of compact text, and where each begins: blocks are numbers of 64 bits, and a
/// number of 28 digits ends before its first block does.
fn largest_compact(form: TextForm) -> Vec<(u8, String)> {
    let text = |digits: &[u8]| digits.iter().copied().map(char::from).collect::<String>();
    let block = text(&base62::encode_u64(u64::MAX));
    match form {
        TextForm::Compact16 => {
            let number = base62::encode_decimal28(Width::Decimal28.max());
            Vec::from([(1, text(&number)), (6, block)])
        }
        TextForm::Compact22 => Vec::from([(1, block.clone()), (12, block)]),
        _ => Vec::new(),
    }
}
