//! MySQL and MariaDB: BINARY, DECIMAL, CHAR and MariaDB's own UUID.
//!
//! A DECIMAL key is bound as DECIMAL, never as text: both servers compare a DECIMAL column with
//! text as floating-point numbers, so that `IN` and `BETWEEN` would return neighbouring rows.
//!
//! A key of MariaDB's UUID type is bound as its 36 characters, so that the server refuses a value
//! rather than damaging it. It comes back as text, too. A plan of sixteen bytes does not read it: the
//! column's order is another one, and time ranges would miss rows. Only reading refuses, though: such
//! a plan's parameters are taken by a UUID column, and of formats that cannot be declared with
//! `native-uuid`, such as `Iuid`, `HotGuid` and `DistributedId128`, the server damages some values
//! that it has taken. Give them a BINARY(16) column.

use rowkey_core::EntityKey;
use rowkey_core::storage::mysql::{MySqlColumn, MySqlFound, MySqlWire};
use rowkey_core::storage::{BytesOrText, Column};
use sqlx::encode::IsNull;
use sqlx::error::{BoxDynError, UnexpectedNullError};
use sqlx::mysql::{MySqlTypeInfo, MySqlValueRef};
use sqlx::types::Decimal;
use sqlx::{Decode, Encode, MySql, Type, TypeInfo, ValueRef};

use crate::stored::{key_of, refusal};

/// The one column of the two servers' protocol.
const fn column_of<K: EntityKey>() -> MySqlColumn {
    K::PLAN.mysql()
}

/// The type of a key's parameters: BLOB (for any bytes), DECIMAL or VARCHAR (for any text).
#[inline]
pub fn type_info<K: EntityKey>() -> MySqlTypeInfo {
    match const { column_of::<K>().wire() } {
        MySqlWire::Bytes(_) => <[u8] as Type<MySql>>::type_info(),
        MySqlWire::Decimal(_) => <Decimal as Type<MySql>>::type_info(),
        MySqlWire::NativeUuid | MySqlWire::Text(_) => <str as Type<MySql>>::type_info(),
    }
}

/// Whether [`decode`] should see a value of this type: always, because it says more about one that
/// it refuses.
#[inline]
pub fn compatible<K: EntityKey>(_: &MySqlTypeInfo) -> bool {
    true
}

/// Writes a key as the parameter of a query.
///
/// # Errors
///
/// None: a key fits its plan.
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
        BytesOrText::Bytes(bytes) => {
            // As sqlx encodes a slice, the length in front; at once, because it is known here.
            let (bytes, mut sent) = (bytes.as_slice(), [0; 1 + 16]);
            sent[0] = bytes.len() as u8;
            sent[1..=bytes.len()].copy_from_slice(bytes);
            buffer.extend_from_slice(&sent[..=bytes.len()]);
            Ok(IsNull::No)
        }
        BytesOrText::Text(text) => <&str as Encode<'_, MySql>>::encode(&text, buffer),
    }
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
    // The name does not tell text from bytes: a CHAR with a binary collation and MariaDB's UUID are
    // called BINARY. Their collation does, which sqlx looks at for `str`. Both protocols carry all
    // three kinds as the same bytes.
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

/// What the server has sent, unless it is NULL.
#[inline]
fn bytes(value: MySqlValueRef<'_>) -> Result<&[u8], BoxDynError> {
    <&[u8] as Decode<'_, MySql>>::decode(value)
}

// By value: a reference would make the value be written to memory before it is known to be bad.
#[cold]
fn refuse_type(column: Column, value: MySqlValueRef<'_>) -> BoxDynError {
    if value.is_null() {
        return Box::new(UnexpectedNullError);
    }
    let type_info = value.type_info();
    refusal(column, format_args!("a value of type {}", type_info.name()))
}
