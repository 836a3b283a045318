//! Arrow's arrays as cells.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Decimal128Type, Decimal256Type, Float32Type, Float64Type,
    Int8Type, Int16Type, Int32Type, Int64Type, Time64MicrosecondType, TimestampMicrosecondType,
    UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayAccessor, ArrayRef};
use rowkey_core::storage::StoredRef;
use rowkey_tables::types::{Type, clock};

use super::arrays::{DAYS, MICROS};
use super::columns::Column;
use crate::batch::{Batch, Cell, pointed};

/// The cells of a column, whose bytes are kept in a batch.
///
/// # Errors
///
/// Why a value does not fit its column.
pub(super) fn cells(
    column: &Column,
    array: &ArrayRef,
    batch: &mut Batch,
) -> Result<Vec<Cell>, String> {
    let array = array.as_ref();
    let found = match column.own {
        Type::Bool => each(array.as_boolean_opt(), |value| Ok(Cell::Bool(value))),
        Type::Integer { bytes, is_unsigned } => match (bytes, is_unsigned) {
            (1, false) => integers::<Int8Type>(column, array, batch),
            (2, false) => integers::<Int16Type>(column, array, batch),
            (4, false) => integers::<Int32Type>(column, array, batch),
            (_, false) => integers::<Int64Type>(column, array, batch),
            (1, true) => integers::<UInt8Type>(column, array, batch),
            (2, true) => integers::<UInt16Type>(column, array, batch),
            (4, true) => integers::<UInt32Type>(column, array, batch),
            (_, true) => integers::<UInt64Type>(column, array, batch),
        },
        Type::Single => each(array.as_primitive_opt::<Float32Type>(), |value| {
            Ok(Cell::Single(value))
        }),
        Type::Double => each(array.as_primitive_opt::<Float64Type>(), |value| {
            Ok(Cell::Double(value))
        }),
        Type::Decimal(Some((..=38, scale))) => each(
            array.as_primitive_opt::<Decimal128Type>(),
            |value| match column.ids {
                Some(_) => {
                    let number = u128::try_from(value).map_err(|_| no_id(value))?;
                    id(column, batch, StoredRef::Decimal(number))
                }
                None => Ok(decimal(batch, &value.to_string(), scale)),
            },
        ),
        Type::Decimal(Some((_, scale))) => {
            each(array.as_primitive_opt::<Decimal256Type>(), |value| {
                Ok(decimal(batch, &value.to_string(), scale))
            })
        }
        Type::Text(_) | Type::Json => each(array.as_string_opt::<i32>(), |text| {
            Ok(Cell::Text(batch.keep(text.as_bytes())))
        }),
        Type::Bytes(_) => each(array.as_binary_opt::<i32>(), |bytes| {
            Ok(Cell::Bytes(batch.keep(bytes)))
        }),
        Type::FixedBytes(_) => each(array.as_fixed_size_binary_opt(), |bytes| {
            Ok(Cell::Bytes(batch.keep(bytes)))
        }),
        Type::Uuid => each(array.as_fixed_size_binary_opt(), |bytes| match column.ids {
            Some(_) => id(column, batch, StoredRef::Bytes(bytes)),
            None => Ok(Cell::Sixteen(batch.keep(bytes))),
        }),
        Type::Date => each(array.as_primitive_opt::<Date32Type>(), |days| {
            let days = days.checked_sub(DAYS).filter(|days| *days != i32::MIN);
            days.map(Cell::Date).ok_or_else(too_early)
        }),
        Type::Time => each(
            array.as_primitive_opt::<Time64MicrosecondType>(),
            |micros| match micros {
                0..clock::DAY => Ok(Cell::Time(micros)),
                _ => Err(format!(
                    "a time is {micros} µs, and lies outside of its day"
                )),
            },
        ),
        Type::Timestamp | Type::Instant => each(
            array.as_primitive_opt::<TimestampMicrosecondType>(),
            |micros| {
                let micros = micros
                    .checked_sub(MICROS)
                    .filter(|micros| *micros != i64::MIN);
                micros.map(Cell::Timestamp).ok_or_else(too_early)
            },
        ),
        _ => None,
    };
    found.unwrap_or_else(|| Err("its values are of another type than its declaration".into()))
}

/// The cells of an array; nothing if the array isn't of the type.
fn each<A: ArrayAccessor>(
    array: Option<A>,
    mut cell: impl FnMut(A::Item) -> Result<Cell, String>,
) -> Option<Result<Vec<Cell>, String>> {
    let array = array?;
    let rows = 0..array.len();
    Some(
        rows.map(|row| match array.is_null(row) {
            true => Ok(Cell::Null),
            false => cell(array.value(row)),
        })
        .collect(),
    )
}

fn integers<T: ArrowPrimitiveType>(
    column: &Column,
    array: &dyn Array,
    batch: &mut Batch,
) -> Option<Result<Vec<Cell>, String>>
where
    T::Native: Into<i128>,
{
    each(array.as_primitive_opt::<T>(), |value| {
        let number: i128 = value.into();
        if column.ids.is_some() {
            return id(column, batch, StoredRef::Integer(number));
        }
        match (i64::try_from(number), u64::try_from(number)) {
            (Ok(number), _) => Ok(Cell::Integer(number)),
            (_, Ok(number)) => Ok(Cell::Large(number)),
            _ => Err(format!("a value is {number}, which has more than 64 bits")),
        }
    })
}

/// An id that is one of the format.
fn id(column: &Column, batch: &mut Batch, found: StoredRef<'_>) -> Result<Cell, String> {
    let Some(form) = column.ids else {
        return Err("it contains no ids".into());
    };
    let id = form.decode(found).map_err(|error| error.to_string())?;
    Ok(Cell::Sixteen(batch.keep(&id.to_be_bytes())))
}

/// A number with a point before its last digits.
fn decimal(batch: &mut Batch, unscaled: &str, scale: u32) -> Cell {
    Cell::Decimal(batch.keep(pointed(unscaled, scale as usize).as_bytes()))
}

fn no_id(value: i128) -> String {
    format!("a value is {value}, which is no id")
}

fn too_early() -> String {
    "a date or time is too early".into()
}
