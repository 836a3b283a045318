//! Reading every kind of column of every format on every backend.

#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use rowkey_core::storage::{Column, OrderPromise, Stored, StoredRef, Wire};
use rowkey_fuzz::{AnyBackend, AnyFormat, AnyLayout, AnyStorage, Damage, nearly_of};

#[derive(Arbitrary, Debug)]
struct Input<'a> {
    format: AnyFormat,
    backend: AnyBackend,
    storage: AnyStorage,
    layout: Option<AnyLayout>,
    bits: [u128; 2],
    stamp: bool,
    found: Found<'a>,
}

#[derive(Arbitrary, Debug)]
enum Found<'a> {
    Bytes(&'a [u8]),
    SixteenBytes([u8; 16]),
    TwelveBytes([u8; 12]),
    Text(&'a str),
    Decimal(u128),
    Integer(i128),
    SmallInteger(i64),
    Damaged(Damage<'a>),
}

fuzz_target!(|input: Input<'_>| {
    let layout = input.layout.map(|layout| layout.0);
    let column = match Column::new(input.format.0, input.backend.0, input.storage.0, layout) {
        Ok(column) => column,
        Err(refusal) => return assert!(!refusal.is_empty()),
    };
    let fits = |value: &u128| column.format().admits(*value) && *value <= column.max_value();

    let values = input
        .bits
        .map(|bits| nearly_of(column.format(), bits, input.stamp));
    let [first, second] = values;
    for value in values.iter().filter(|value| fits(value)) {
        assert_eq!(decode(column, column.encode(*value)), Ok(*value));
    }
    if values.iter().all(fits) && column.order_promise() == OrderPromise::Full {
        assert_eq!(column.compare(first, second), first.cmp(&second));
    }

    let damaged;
    let found = match &input.found {
        Found::Bytes(bytes) => StoredRef::Bytes(bytes),
        Found::SixteenBytes(bytes) => StoredRef::Bytes(bytes),
        Found::TwelveBytes(bytes) => StoredRef::Bytes(bytes),
        Found::Text(text) => StoredRef::Text(text),
        Found::Decimal(value) => StoredRef::Decimal(*value),
        Found::Integer(value) => StoredRef::Integer(*value),
        Found::SmallInteger(value) => StoredRef::Integer((*value).into()),
        Found::Damaged(damage) => match column.encode(first) {
            Stored::Text(text) => {
                damaged = damage.apply(&text);
                StoredRef::Text(&damaged)
            }
            Stored::Decimal(value) => {
                damaged = damage.apply(&value.to_string());
                StoredRef::Text(&damaged)
            }
            Stored::Uuid(_) | Stored::Bytes(_) | Stored::Integer(_) => return,
        },
    };
    match column.decode(found) {
        Ok(value) => {
            assert!(fits(&value));
            assert_eq!(decode(column, column.encode(value)), Ok(value));
            assert!(is_what_was_found(column, column.encode(value), found));
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});

fn decode(column: Column, stored: Stored) -> Result<u128, rowkey_core::Error> {
    match stored {
        Stored::Uuid(bytes) => column.decode(StoredRef::Bytes(&bytes)),
        Stored::Bytes(bytes) => column.decode(StoredRef::Bytes(bytes.as_slice())),
        Stored::Decimal(value) => column.decode(StoredRef::Decimal(value)),
        Stored::Text(text) => column.decode(StoredRef::Text(&text)),
        Stored::Integer(value) => column.decode(StoredRef::Integer(value.into())),
    }
}

/// Whether a column has one form for a value, up to what the backends' protocols change.
fn is_what_was_found(column: Column, stored: Stored, found: StoredRef<'_>) -> bool {
    match (stored, found) {
        (Stored::Uuid(bytes), StoredRef::Bytes(found)) => bytes == found,
        (Stored::Bytes(bytes), StoredRef::Bytes(found)) => bytes.as_slice() == found,
        (Stored::Decimal(value), StoredRef::Decimal(found)) => value == found,
        (Stored::Integer(value), StoredRef::Integer(found)) => i128::from(value) == found,
        (Stored::Decimal(value), StoredRef::Text(found)) => {
            found.len() <= 39 && found.parse() == Ok(value)
        }
        (Stored::Text(text), StoredRef::Text(found)) => match column.wire() {
            Wire::NativeUuid => found.eq_ignore_ascii_case(&text),
            _ => text == found,
        },
        // The two other forms of a uuid: text of bytes, bytes of text.
        (Stored::Uuid(bytes), StoredRef::Text(found)) => is_uuid_text(&bytes, found),
        (Stored::Bytes(bytes), StoredRef::Text(found)) => is_uuid_text(bytes.as_slice(), found),
        (Stored::Text(text), StoredRef::Bytes(found)) => is_uuid_text(found, &text),
        _ => false,
    }
}

fn is_uuid_text(bytes: &[u8], text: &str) -> bool {
    uuid::Uuid::from_slice(bytes).ok() == uuid::Uuid::try_parse(text).ok()
}
