//! Keys as SeaORM's values: uuids, bytes, decimal numbers, text and integers.
//!
//! The emitted impls call these functions, and other layers over SeaORM can too. Functions without
//! a backend use the PostgreSQL column: the same value suits all columns of a key that SeaORM can
//! store, and only such a key is `Into<Value>`.

use rowkey_core::driver::{PostgresColumn, UuidWire};
use rowkey_core::error::ErrorKind;
use rowkey_core::storage::{Column, Stored, StoredRef, Wire};
use rowkey_core::time_range::KeyBound;
use rowkey_core::{Backend, EntityKey, Error};
use sea_orm::prelude::{Decimal, Uuid};
use sea_orm::sea_query::{ArrayType, ColumnType};
use sea_orm::{DbBackend, Value};

use crate::storage::fits;

/// The column that determines the value for all columns.
pub(crate) const fn column_of<K: EntityKey>() -> PostgresColumn {
    K::PLAN.postgres()
}

/// The backend for SeaORM's backend, if supported. MariaDB is distinguished only for keys that are
/// declared for it.
pub(crate) fn backend_of<K: EntityKey>(backend: DbBackend) -> Option<Backend> {
    match backend {
        DbBackend::Postgres => Some(Backend::Postgres),
        DbBackend::MySql => Some(K::PLAN.column(Backend::MySql).backend()),
        DbBackend::Sqlite => Some(Backend::Sqlite),
        _ => None,
    }
}

fn column_on<K: EntityKey>(backend: DbBackend) -> Column {
    backend_of::<K>(backend).map_or(column_of::<K>().column(), |backend| K::PLAN.column(backend))
}

/// The value of a key, as `From` returns it.
#[inline]
pub fn encode<K: EntityKey + Into<Value>>(key: K) -> Value {
    value_of(const { column_of::<K>() }.encode(key.to_u128()))
}

/// Keys and bounds as parameters on one backend.
///
/// The parameter differs from the result of [`encode`] for a
/// [`DistributedId`](rowkey_core::DistributedId) of fewer than 28 digits in SQLite, which other
/// drivers write with leading zeros. Use it in raw statements; in conditions, use
/// [`KeyColumnMethods`](crate::KeyColumnMethods).
///
/// ```
/// use rowkey::driver::sea_orm::ToParam;
/// use rowkey::{DistributedId, entity_key};
/// use sea_orm::{DbBackend, Value};
///
/// #[entity_key]
/// struct InvoiceId(DistributedId);
///
/// let invoice = InvoiceId::constant(2078);
/// assert_eq!(
///     invoice.to_param(DbBackend::Sqlite),
///     Value::from("0000000000000000000000002078"),
/// );
/// ```
pub trait ToParam {
    /// Converts the value into a parameter for the backend of a connection.
    fn to_param(self, backend: DbBackend) -> Value;
}

/// The parameter of a key on one backend, as [`ToParam`] returns it.
#[inline]
pub fn encode_for<K: EntityKey + Into<Value>>(key: K, backend: DbBackend) -> Value {
    value_of(column_on::<K>(backend).encode(key.to_u128()))
}

impl<K: EntityKey + Into<Value>> ToParam for KeyBound<K> {
    #[inline]
    fn to_param(self, backend: DbBackend) -> Value {
        value_of(self.encode(column_on::<K>(backend)))
    }
}

fn value_of(stored: Stored) -> Value {
    match stored {
        Stored::Uuid(bytes) => Value::Uuid(Some(Uuid::from_bytes(bytes))),
        Stored::Bytes(bytes) => Value::Bytes(Some(bytes.as_slice().to_vec())),
        // A key with more than 28 digits is not `Into<Value>`.
        Stored::Decimal(number) => {
            Value::Decimal(Some(Decimal::from_i128_with_scale(number.cast_signed(), 0)))
        }
        Stored::Text(text) => Value::String(Some(text.to_string())),
        Stored::Integer(number) => Value::BigInt(Some(number)),
    }
}

/// NULL of the key's type.
#[inline]
pub fn null<K: EntityKey>() -> Value {
    match const { column_of::<K>().wire() } {
        UuidWire::Uuid => Value::Uuid(None),
        UuidWire::Bytes(_) => Value::Bytes(None),
        UuidWire::Decimal(_) => Value::Decimal(None),
        UuidWire::Text(_) => Value::String(None),
        UuidWire::Integer => Value::BigInt(None),
    }
}

/// The key of a value such as [`encode`] makes.
///
/// # Errors
///
/// `ErrorKind::Stored` for NULL and for a value of another type or length than the plan stores;
/// other errors say why the value is not such a key.
pub fn decode<K: EntityKey>(value: &Value) -> Result<K, Error> {
    decode_in(const { column_of::<K>().column() }, value)
}

/// The key of a value from an unknown database, as PostgreSQL, MySQL or SQLite stores it.
pub(crate) fn decode_stored_anywhere<K: EntityKey>(value: &Value) -> Result<K, Error> {
    let others = [Backend::MySql, Backend::Sqlite].map(|backend| K::PLAN.column(backend));
    let other = others.into_iter().find(|column| {
        let is_theirs = matches!(
            (column.wire(), value),
            (Wire::Bytes(_), Value::Bytes(_)) | (Wire::Text(_), Value::String(_))
        );
        // Otherwise the same value means different keys on different backends.
        fits::<K>() && is_theirs
    });
    decode_in(other.unwrap_or(column_of::<K>().column()), value).map_err(|error| {
        match error.kind() {
            // The rule of one backend would mislead users of another.
            ErrorKind::Stored if is_number_or_digits::<K>() => error.with_expected(
                "a whole Decimal of at most 28 digits, or text of exactly 28 digits",
            ),
            _ => error,
        }
    })
}

/// Whether the key is a number in SeaORM, and text of 28 digits in SQLite.
fn is_number_or_digits<K: EntityKey>() -> bool {
    fits::<K>() && matches!(column_of::<K>().wire(), UuidWire::Decimal(_))
}

fn decode_in<K: EntityKey>(column: Column, value: &Value) -> Result<K, Error> {
    let found = match (column.wire(), value) {
        (Wire::Uuid, Value::Uuid(Some(uuid))) => StoredRef::Bytes(uuid.as_bytes()),
        (Wire::Bytes(_), Value::Bytes(Some(bytes))) => StoredRef::Bytes(bytes),
        (Wire::Decimal(_), Value::Decimal(Some(number))) => match whole(*number) {
            Some(number) => StoredRef::Decimal(number),
            None => return Err(column.refusal(format_args!("the number {number}"))),
        },
        (Wire::Text(_), Value::String(Some(text))) => StoredRef::Text(text),
        (Wire::Integer, Value::BigInt(Some(number))) => StoredRef::Integer((*number).into()),
        _ => return Err(column.refusal(format_args!("the value {value:?}"))),
    };
    K::try_from(column.decode(found)?)
}

fn whole(number: Decimal) -> Option<u128> {
    let number = number.normalize();
    match number.scale() {
        0 => u128::try_from(number.mantissa()).ok(),
        _ => None,
    }
}

/// The type of the elements of an array of keys.
pub fn array_type<K: EntityKey>() -> ArrayType {
    match column_of::<K>().wire() {
        UuidWire::Uuid => ArrayType::Uuid,
        UuidWire::Bytes(_) => ArrayType::Bytes,
        UuidWire::Decimal(_) => ArrayType::Decimal,
        UuidWire::Text(_) => ArrayType::String,
        UuidWire::Integer => ArrayType::BigInt,
    }
}

/// The type of the column in SeaORM.
///
/// Do not create the column with this type: SeaORM derives the column type of every backend from
/// it, and a decimal would be `real` in SQLite. Use [`migration`](crate::migration) instead.
pub fn column_type<K: EntityKey>() -> ColumnType {
    match column_of::<K>().wire() {
        UuidWire::Uuid => ColumnType::Uuid,
        UuidWire::Bytes(length) => ColumnType::Binary(length.bytes().into()),
        UuidWire::Decimal(precision) => ColumnType::Decimal(Some((precision.digits().into(), 0))),
        UuidWire::Text(form) => ColumnType::Char(Some(form.width().into())),
        UuidWire::Integer => ColumnType::BigInteger,
    }
}
