//! MySQL and MariaDB: BINARY, DECIMAL, CHAR, MariaDB's own UUID and BIGINT.
//!
//! A DECIMAL key is bound as DECIMAL, never as text: both servers compare a DECIMAL column with
//! text as floating-point numbers, so `IN` and `BETWEEN` would return neighbouring rows.
//!
//! A key of MariaDB's UUID type is bound as its 36 characters, so that the server rejects an
//! invalid value instead of damaging it. Such a key is also read as text. A plan of sixteen bytes
//! does not read such a column: the column sorts differently, and time ranges would miss rows.
//! Writing is not checked: a UUID column accepts such a plan's parameters, and the server damages
//! some values of formats that cannot be declared with `native-uuid`, such as `Iuid`, `HotGuid` and
//! `DistributedId128`. Use a BINARY(16) column for them.
//!
//! A BIGINT key is also read from `BIGINT UNSIGNED` and from smaller integers, such as the result
//! of `LAST_INSERT_ID()`.

use rowkey_core::EntityKey;
use rowkey_core::driver::{MySqlColumn, MySqlFound, MySqlWire, Parameter};
use rowkey_core::storage::Column;
use rowkey_core::text::ShortText;
use sqlx::encode::IsNull;
use sqlx::error::{BoxDynError, UnexpectedNullError};
use sqlx::mysql::{MySqlTypeInfo, MySqlValueRef};
use sqlx::types::Decimal;
use sqlx::{Decode, MySql, Type, TypeInfo, ValueRef};

use crate::stored::{key_of, refusal};

/// The column that both servers share.
const fn column_of<K: EntityKey>() -> MySqlColumn {
    K::PLAN.mysql()
}

/// The type of a key's parameters: BLOB (for any bytes), DECIMAL, VARCHAR (for any text) or BIGINT.
#[inline]
pub fn type_info<K: EntityKey>() -> MySqlTypeInfo {
    match const { column_of::<K>().wire() } {
        MySqlWire::Bytes(_) => <[u8] as Type<MySql>>::type_info(),
        MySqlWire::Decimal(_) => <Decimal as Type<MySql>>::type_info(),
        MySqlWire::NativeUuid | MySqlWire::Text(_) => <str as Type<MySql>>::type_info(),
        MySqlWire::Integer => <i64 as Type<MySql>>::type_info(),
    }
}

/// Always true, so that [`decode`] sees every value: its errors say more.
#[inline]
pub fn compatible<K: EntityKey>(_: &MySqlTypeInfo) -> bool {
    true
}

/// Writes a key as the parameter of a query.
///
/// # Errors
///
/// None; a key always fits its plan.
#[inline]
pub fn encode<K: EntityKey>(key: K, buffer: &mut Vec<u8>) -> Result<IsNull, BoxDynError> {
    encode_value::<K>(key.to_u128(), buffer)
}

/// Writes a public value of a key's format: a key's own or a bound's.
#[inline]
pub(crate) fn encode_value<K: EntityKey>(
    value: u128,
    buffer: &mut Vec<u8>,
) -> Result<IsNull, BoxDynError> {
    match const { column_of::<K>() }.encode(value) {
        // The length goes first, as sqlx sends it. A single byte holds lengths up to 250.
        Parameter::Bytes(bytes) => {
            // One step of the buffer costs less than two.
            let (bytes, mut sent) = (bytes.as_slice(), [0; 1 + 16]);
            sent[0] = bytes.len() as u8;
            sent[1..=bytes.len()].copy_from_slice(bytes);
            buffer.extend_from_slice(&sent[..=bytes.len()]);
        }
        Parameter::Text(text) => {
            const { assert!(ShortText::CAPACITY <= 250) };
            buffer.reserve(1 + ShortText::CAPACITY);
            buffer.push(text.len() as u8);
            buffer.extend_from_slice(text.as_bytes());
        }
        Parameter::Integer(number) => buffer.extend_from_slice(&number.to_le_bytes()),
    }
    Ok(IsNull::No)
}

/// Reads a key from a value.
///
/// # Errors
///
/// `UnexpectedNullError` for NULL, otherwise a [`rowkey_core::Error`] for a value of another
/// type, length or format than the plan stores.
#[inline]
pub fn decode<K: EntityKey>(value: MySqlValueRef<'_>) -> Result<K, BoxDynError> {
    let column = const { column_of::<K>() };
    if let MySqlWire::Integer = column.wire()
        && let Some(number) = integer(value.clone())?
    {
        return key_of(|| column.decode(MySqlFound::Integer(number)));
    }
    // The name does not distinguish text from bytes: a CHAR with a binary collation and MariaDB's
    // UUID are called BINARY. The collation does, which sqlx checks for `str`. Both protocols carry
    // all three types as the same bytes.
    if <str as Type<MySql>>::compatible(&value.type_info()) {
        let bytes = bytes(value)?;
        key_of(|| column.decode(MySqlFound::Text(bytes)))
    } else if <[u8] as Type<MySql>>::compatible(&value.type_info()) {
        let bytes = bytes(value)?;
        key_of(|| column.decode(MySqlFound::Bytes(bytes)))
    } else if <Decimal as Type<MySql>>::compatible(&value.type_info()) {
        let bytes = bytes(value)?;
        key_of(|| column.decode(MySqlFound::Decimal(bytes)))
    } else {
        Err(refuse_type(column.column(), value))
    }
}

/// `None` for a value of another type.
fn integer(value: MySqlValueRef<'_>) -> Result<Option<i128>, BoxDynError> {
    let found = value.type_info();
    if <i64 as Type<MySql>>::compatible(&found) {
        Ok(Some(<i64 as Decode<'_, MySql>>::decode(value)?.into()))
    } else if <u64 as Type<MySql>>::compatible(&found) {
        Ok(Some(<u64 as Decode<'_, MySql>>::decode(value)?.into()))
    } else {
        Ok(None)
    }
}

/// The received value, unless it is NULL.
#[inline]
fn bytes(value: MySqlValueRef<'_>) -> Result<&[u8], BoxDynError> {
    <&[u8] as Decode<'_, MySql>>::decode(value)
}

// By value: a reference would write the value to memory even on success.
#[cold]
fn refuse_type(column: Column, value: MySqlValueRef<'_>) -> BoxDynError {
    if value.is_null() {
        return Box::new(UnexpectedNullError);
    }
    let type_info = value.type_info();
    refusal(column, format_args!("a value of type {}", type_info.name()))
}
