//! Between keys and tiberius' [`ColumnData`].
//!
//! | the plan stores | a key becomes | the parameter's type |
//! |---|---|---|
//! | `uniqueidentifier` | [`ColumnData::Guid`] | `uniqueidentifier` |
//! | `binary(12)`, `binary(16)` | [`ColumnData::Binary`] | `varbinary(8000)` |
//! | `decimal(28,0)`, `decimal(38,0)` | [`ColumnData::Numeric`] of scale 0 | `numeric(p,0)` |
//! | `char(n)` | [`ColumnData::String`] | `nvarchar(4000)` |
//! | `bigint` | [`ColumnData::I64`] | `bigint` |
//!
//! In `numeric(p,0)`, p is the number of digits of the value. A [`Uuid`] has its bytes in the order
//! of its text, which is the order that layouts refer to; tiberius reverses the bytes of the first
//! three groups on the wire, in both directions.

use std::borrow::Cow;
use std::fmt;

use rowkey_core::driver::UuidWire;
use rowkey_core::storage::{Column, Stored, StoredRef};
use rowkey_core::time_range::KeyBound;
use rowkey_core::{Backend, EntityKey, Error};
use tiberius::numeric::Numeric;
use tiberius::{ColumnData, Uuid};

/// The column of a key in SQL Server.
pub(crate) const fn column_of<K: EntityKey>() -> Column {
    K::PLAN.column(Backend::SqlServer)
}

/// A key as a parameter or as a value of a bulk row.
#[inline]
pub fn encode<K: EntityKey>(key: K) -> ColumnData<'static> {
    encode_stored(const { column_of::<K>() }.encode(key.to_u128()))
}

/// A bound as a parameter.
#[inline]
pub fn encode_bound<K: EntityKey>(bound: KeyBound<K>) -> ColumnData<'static> {
    encode_stored(const { column_of::<K>() }.encode(bound.to_u128()))
}

#[inline]
fn encode_stored(stored: Stored) -> ColumnData<'static> {
    match stored {
        Stored::Uuid(bytes) => ColumnData::Guid(Some(Uuid::from_bytes(bytes))),
        Stored::Bytes(bytes) => ColumnData::Binary(Some(Cow::Owned(bytes.as_slice().to_vec()))),
        // At most 38 digits, which fit an `i128`.
        Stored::Decimal(number) => {
            ColumnData::Numeric(Some(Numeric::new_with_scale(number as i128, 0)))
        }
        Stored::Text(text) => ColumnData::String(Some(Cow::Owned(text.to_string()))),
        Stored::Integer(number) => ColumnData::I64(Some(number)),
    }
}

/// Reads a key, or `None` from NULL.
///
/// NULL is accepted from a column of any type, because the server calls an untyped one `int`.
///
/// # Errors
///
/// For a value of another type, length or format than the plan stores. Sixteen bytes are not a
/// `uniqueidentifier`: `cast(id as binary(16))` reverses the bytes of three groups.
#[inline]
pub fn decode<K: EntityKey>(data: &ColumnData<'_>) -> Result<Option<K>, Error> {
    let column = const { column_of::<K>() };
    let value = match (const { column_of::<K>().uuid_wire() }, data) {
        (UuidWire::Uuid, ColumnData::Guid(Some(uuid))) => {
            column.decode(StoredRef::Bytes(uuid.as_bytes()))?
        }
        (UuidWire::Bytes(_), ColumnData::Binary(Some(bytes))) => {
            column.decode(StoredRef::Bytes(bytes))?
        }
        (UuidWire::Decimal(_), ColumnData::Numeric(Some(number))) => match whole_number(number) {
            Some(number) => column.decode(StoredRef::Decimal(number))?,
            None => return Err(column.refusal(Found(data))),
        },
        (UuidWire::Text(_), ColumnData::String(Some(text))) => {
            column.decode(StoredRef::Text(text))?
        }
        (UuidWire::Integer, ColumnData::I64(Some(number))) => {
            column.decode(StoredRef::Integer((*number).into()))?
        }
        // `SCOPE_IDENTITY()` and `@@IDENTITY` are `numeric(38,0)`.
        (UuidWire::Integer, ColumnData::Numeric(Some(number))) if number.scale() == 0 => {
            column.decode(StoredRef::Integer(number.value()))?
        }
        _ if is_null(data) => return Ok(None),
        _ => return Err(column.refusal(Found(data))),
    };
    K::try_from(value).map(Some)
}

/// NULL as a parameter; see [`ToParam`](crate::ToParam).
pub(crate) fn null<K: EntityKey>() -> ColumnData<'static> {
    match const { column_of::<K>().uuid_wire() } {
        // tiberius sends `Numeric(None)` without a type.
        UuidWire::Decimal(_) => ColumnData::I64(None),
        UuidWire::Uuid | UuidWire::Bytes(_) | UuidWire::Text(_) | UuidWire::Integer => {
            bulk_null::<K>()
        }
    }
}

/// NULL as a value of a bulk row; see [`ToBulkValue`](crate::ToBulkValue).
pub(crate) fn bulk_null<K: EntityKey>() -> ColumnData<'static> {
    match const { column_of::<K>().uuid_wire() } {
        UuidWire::Uuid => ColumnData::Guid(None),
        UuidWire::Bytes(_) => ColumnData::Binary(None),
        UuidWire::Decimal(_) => ColumnData::Numeric(None),
        UuidWire::Text(_) => ColumnData::String(None),
        UuidWire::Integer => ColumnData::I64(None),
    }
}

/// The number, if it is whole and not negative. A scale is rejected even if only zeros follow the
/// point, because the plan's column has none.
fn whole_number(number: &Numeric) -> Option<u128> {
    match number.scale() {
        0 => u128::try_from(number.value()).ok(),
        _ => None,
    }
}

fn is_null(data: &ColumnData<'_>) -> bool {
    use ColumnData::{
        Binary, Bit, Date, DateTime, DateTime2, DateTimeOffset, F32, F64, Guid, I16, I32, I64,
        Numeric, SmallDateTime, String, Time, U8, Xml,
    };
    matches!(
        data,
        U8(None)
            | I16(None)
            | I32(None)
            | I64(None)
            | F32(None)
            | F64(None)
            | Bit(None)
            | String(None)
            | Guid(None)
            | Binary(None)
            | Numeric(None)
            | Xml(None)
            | DateTime(None)
            | SmallDateTime(None)
            | Time(None)
            | Date(None)
            | DateTime2(None)
            | DateTimeOffset(None)
    )
}

/// A column's value in words.
struct Found<'a>(&'a ColumnData<'a>);

impl fmt::Display for Found<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let type_name = match self.0 {
            ColumnData::String(Some(text)) => return StoredRef::Text(text).fmt(f),
            ColumnData::Binary(Some(bytes)) => return StoredRef::Bytes(bytes).fmt(f),
            // `Numeric`'s own `Display` writes a digit after the point even if there is none.
            ColumnData::Numeric(Some(number)) if number.scale() == 0 => {
                return write!(f, "the number {}", number.value());
            }
            ColumnData::Numeric(Some(number)) => return write!(f, "the number {number}"),
            ColumnData::U8(_) => "tinyint",
            ColumnData::I16(_) => "smallint",
            ColumnData::I32(_) => "int",
            ColumnData::I64(_) => "bigint",
            ColumnData::F32(_) => "real",
            ColumnData::F64(_) => "float",
            ColumnData::Bit(_) => "bit",
            ColumnData::String(_) => "nvarchar",
            ColumnData::Guid(_) => "uniqueidentifier",
            ColumnData::Binary(_) => "varbinary",
            ColumnData::Numeric(_) => "numeric",
            ColumnData::Xml(_) => "xml",
            ColumnData::DateTime(_) => "datetime",
            ColumnData::SmallDateTime(_) => "smalldatetime",
            ColumnData::Time(_) => "time",
            ColumnData::Date(_) => "date",
            ColumnData::DateTime2(_) => "datetime2",
            ColumnData::DateTimeOffset(_) => "datetimeoffset",
        };
        write!(f, "a value of type {type_name}")
    }
}
