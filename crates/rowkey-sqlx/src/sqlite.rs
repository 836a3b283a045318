//! SQLite: BLOB, TEXT and INTEGER.
//!
//! SQLite stores a type per value, not per column, and converts values according to the column's
//! declared type: digits stored in a column declared as DECIMAL, NUMERIC, UUID or STRING become a
//! floating-point number. Reading is therefore strict: a BLOB key must be a BLOB, a TEXT key must
//! be TEXT, and an INTEGER key must be INTEGER.

use rowkey_core::EntityKey;
use rowkey_core::driver::{Parameter, SqliteColumn, SqliteWire};
use rowkey_core::storage::StoredRef;
use sqlx::encode::IsNull;
use sqlx::error::{BoxDynError, UnexpectedNullError};
use sqlx::sqlite::{SqliteArgumentsBuffer, SqliteTypeInfo, SqliteValueRef};
use sqlx::{Decode, Encode, Sqlite, Type, TypeInfo, ValueRef};

use crate::stored::{key_of, refusal};

const fn column_of<K: EntityKey>() -> SqliteColumn {
    K::PLAN.sqlite()
}

/// The type of a key's parameters: BLOB, TEXT or INTEGER.
#[inline]
pub fn type_info<K: EntityKey>() -> SqliteTypeInfo {
    match const { column_of::<K>().wire() } {
        SqliteWire::Bytes(_) => <[u8] as Type<Sqlite>>::type_info(),
        SqliteWire::Text(_) => <str as Type<Sqlite>>::type_info(),
        SqliteWire::Integer => <i64 as Type<Sqlite>>::type_info(),
    }
}

/// Always true, so that [`decode`] sees every value: its errors say more.
#[inline]
pub fn compatible<K: EntityKey>(_: &SqliteTypeInfo) -> bool {
    true
}

/// Writes a key as the parameter of a query.
///
/// # Errors
///
/// None; a key always fits its plan.
#[inline]
pub fn encode<K: EntityKey>(
    key: K,
    buffer: &mut SqliteArgumentsBuffer,
) -> Result<IsNull, BoxDynError> {
    encode_value::<K>(key.to_u128(), buffer)
}

/// Writes a public value of a key's format: a key's own or a bound's.
#[inline]
pub(crate) fn encode_value<K: EntityKey>(
    value: u128,
    buffer: &mut SqliteArgumentsBuffer,
) -> Result<IsNull, BoxDynError> {
    match const { column_of::<K>() }.encode(value) {
        // Owned, because the buffer keeps them.
        Parameter::Bytes(bytes) => {
            <Vec<u8> as Encode<'_, Sqlite>>::encode(bytes.as_slice().to_vec(), buffer)
        }
        Parameter::Text(text) => <String as Encode<'_, Sqlite>>::encode(text.into(), buffer),
        Parameter::Integer(number) => <i64 as Encode<'_, Sqlite>>::encode(number, buffer),
    }
}

/// Reads a key from a value.
///
/// # Errors
///
/// `UnexpectedNullError` for NULL, otherwise a [`rowkey_core::Error`] for a value of another
/// type, length or format than the plan stores.
#[inline]
pub fn decode<K: EntityKey>(value: SqliteValueRef<'_>) -> Result<K, BoxDynError> {
    let column = const { column_of::<K>().column() };
    if value.is_null() {
        return Err(Box::new(UnexpectedNullError));
    }
    // Determine the type first: a value can be borrowed once, and reading could convert it.
    let stored_as = value.type_info().into_owned();
    let found = if stored_as == <[u8] as Type<Sqlite>>::type_info() {
        StoredRef::Bytes(<&[u8] as Decode<'_, Sqlite>>::decode(value)?)
    } else if stored_as == <str as Type<Sqlite>>::type_info() {
        match <&str as Decode<'_, Sqlite>>::decode(value) {
            Ok(text) => StoredRef::Text(text),
            Err(_) => return Err(refusal(column, "text that is not UTF-8")),
        }
    } else if let SqliteWire::Integer = const { column_of::<K>().wire() }
        && stored_as == <i64 as Type<Sqlite>>::type_info()
    {
        StoredRef::Integer(<i64 as Decode<'_, Sqlite>>::decode(value)?.into())
    } else {
        return Err(Box::new(column.refusal_of_sqlite_number(stored_as.name())));
    };
    key_of(|| column.decode(found))
}
