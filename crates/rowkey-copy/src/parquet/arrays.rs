//! Cells as Arrow's arrays.

use std::sync::Arc;

use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Decimal128Type, Decimal256Type, Float32Type, Float64Type,
    Int8Type, Int16Type, Int32Type, Int64Type, Time64MicrosecondType, TimestampMicrosecondType,
    UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{
    ArrayRef, BinaryArray, BooleanArray, FixedSizeBinaryArray, PrimitiveArray, StringArray,
};
use arrow_buffer::i256;
use arrow_schema::DataType;
use rowkey_tables::types::{Type, clock};

use super::columns::Column;
use crate::batch::{Batch, Cell, Normal, normal};

/// The beginning of 2000, from which cells count, in the days and microseconds of 1970, from which
/// Arrow does.
pub(super) const DAYS: i32 = 10_957;
pub(super) const MICROS: i64 = DAYS as i64 * clock::DAY;

/// The array of a column of a batch.
///
/// # Errors
///
/// Why a value has no place in it.
pub(super) fn array(
    column: &Column,
    data_type: &DataType,
    batch: &Batch,
    place: usize,
) -> Result<ArrayRef, String> {
    let cells = Cells { batch, place };
    Ok(match column.own {
        Type::Bool => {
            let array: BooleanArray = cells.each(|cell| match cell {
                Cell::Bool(value) => Ok(value),
                other => Err(stranger(other)),
            })?;
            Arc::new(array)
        }
        Type::Integer { bytes, is_unsigned } => match (bytes, is_unsigned) {
            (1, false) => cells.integers::<Int8Type>(column)?,
            (2, false) => cells.integers::<Int16Type>(column)?,
            (4, false) => cells.integers::<Int32Type>(column)?,
            (_, false) => cells.integers::<Int64Type>(column)?,
            (1, true) => cells.integers::<UInt8Type>(column)?,
            (2, true) => cells.integers::<UInt16Type>(column)?,
            (4, true) => cells.integers::<UInt32Type>(column)?,
            (_, true) => cells.integers::<UInt64Type>(column)?,
        },
        Type::Single => cells.primitives::<Float32Type>(data_type, |cell| match cell {
            Cell::Single(value) => Ok(value),
            other => Err(stranger(other)),
        })?,
        Type::Double => cells.primitives::<Float64Type>(data_type, |cell| match cell {
            Cell::Double(value) => Ok(value),
            other => Err(stranger(other)),
        })?,
        Type::Decimal(Some((precision @ ..=38, scale))) => {
            cells.primitives::<Decimal128Type>(data_type, |cell| match cell {
                // At most 28 digits, which the format's width says.
                Cell::Sixteen(span) => batch.sixteen(span).try_into().map_err(|_| no_place()),
                cell => {
                    let digits = unscaled(batch, cell, precision, scale)?;
                    digits.parse().map_err(|_| no_place())
                }
            })?
        }
        Type::Decimal(Some((precision, scale))) => {
            cells.primitives::<Decimal256Type>(data_type, |cell| {
                let digits = unscaled(batch, cell, precision, scale)?;
                i256::from_string(&digits).ok_or_else(no_place)
            })?
        }
        Type::Text(_) | Type::Json => {
            let array: StringArray = cells.each(|cell| match cell {
                Cell::Text(span) => Ok(batch.text(span)),
                other => Err(stranger(other)),
            })?;
            Arc::new(array)
        }
        Type::Bytes(_) => {
            let array: BinaryArray = cells.each(|cell| match cell {
                Cell::Bytes(span) => Ok(batch.bytes(span)),
                other => Err(stranger(other)),
            })?;
            Arc::new(array)
        }
        Type::FixedBytes(length) => cells.fixed(length, |cell| match cell {
            Cell::Bytes(span) => Ok(batch.bytes(span)),
            other => Err(stranger(other)),
        })?,
        Type::Uuid => cells.fixed(16, |cell| match cell {
            Cell::Sixteen(span) => Ok(batch.bytes(span)),
            other => Err(stranger(other)),
        })?,
        Type::Date => cells.primitives::<Date32Type>(data_type, |cell| match cell {
            Cell::Date(i32::MIN | i32::MAX) => Err("a date is infinite".into()),
            Cell::Date(days) => days
                .checked_add(DAYS)
                .ok_or_else(|| "a date is too late for Parquet".into()),
            other => Err(stranger(other)),
        })?,
        Type::Time => cells.primitives::<Time64MicrosecondType>(data_type, |cell| match cell {
            Cell::Time(micros @ 0..clock::DAY) => Ok(micros),
            Cell::Time(micros) => Err(format!(
                "a value is {}, and Parquet's times lie between 00:00 and 24:00",
                clock::time_text(micros)
            )),
            other => Err(stranger(other)),
        })?,
        Type::Timestamp | Type::Instant => {
            cells.primitives::<TimestampMicrosecondType>(data_type, |cell| match cell {
                Cell::Timestamp(i64::MIN | i64::MAX) => Err("a time is infinite".into()),
                Cell::Timestamp(micros) => micros
                    .checked_add(MICROS)
                    .ok_or_else(|| "a time is too late for Parquet".into()),
                other => Err(stranger(other)),
            })?
        }
        _ => return Err("its type has no place in Parquet".into()),
    })
}

/// The cells of a column.
#[derive(Clone, Copy)]
struct Cells<'b> {
    batch: &'b Batch,
    place: usize,
}

impl Cells<'_> {
    /// Collects the values.
    fn each<T, A: FromIterator<Option<T>>>(
        self,
        value: impl Fn(Cell) -> Result<T, String>,
    ) -> Result<A, String> {
        let cells = self.batch.rows().map(|row| match row[self.place] {
            Cell::Null => Ok(None),
            Cell::Refused(why) => Err(self.batch.text(why).to_owned()),
            cell => value(cell).map(Some),
        });
        cells.collect()
    }

    fn primitives<T: ArrowPrimitiveType>(
        self,
        data_type: &DataType,
        value: impl Fn(Cell) -> Result<T::Native, String>,
    ) -> Result<ArrayRef, String> {
        let values: Vec<Option<T::Native>> = self.each(value)?;
        let array = PrimitiveArray::<T>::from_iter(values);
        Ok(Arc::new(array.with_data_type(data_type.clone())))
    }

    fn integers<T: ArrowPrimitiveType>(self, column: &Column) -> Result<ArrayRef, String>
    where
        T::Native: TryFrom<i128>,
    {
        self.primitives::<T>(&T::DATA_TYPE, |cell| {
            let number = match cell {
                Cell::Integer(number) => number.into(),
                Cell::Large(number) => number.into(),
                // An id that the database counts has 63 bits.
                Cell::Sixteen(span) if column.ids.is_some() => self
                    .batch
                    .sixteen(span)
                    .try_into()
                    .map_err(|_| no_place())?,
                other => return Err(stranger(other)),
            };
            let fitting = T::Native::try_from(number);
            fitting.map_err(|_| format!("a value is {number}, outside of {}", T::DATA_TYPE))
        })
    }

    fn fixed<'v>(
        self,
        length: u32,
        bytes: impl Fn(Cell) -> Result<&'v [u8], String>,
    ) -> Result<ArrayRef, String> {
        let values: Vec<Option<&[u8]>> = self.each(|cell| {
            let found = bytes(cell)?;
            match found.len() == length as usize {
                true => Ok(found),
                false => Err(format!(
                    "a value has {} bytes, and the others have {length}",
                    found.len()
                )),
            }
        })?;
        let size = length.try_into().map_err(|_| no_place())?;
        let array = FixedSizeBinaryArray::try_from_sparse_iter_with_size(values.into_iter(), size);
        Ok(Arc::new(array.map_err(|error| error.to_string())?))
    }
}

/// The digits of a number without the point, behind which there are as many as the column has.
fn unscaled(batch: &Batch, cell: Cell, precision: u32, scale: u32) -> Result<String, String> {
    let Cell::Decimal(span) = cell else {
        return Err(stranger(cell));
    };
    let text = batch.text(span);
    let refused = || {
        let shown: String = text.chars().take(90).collect();
        format!("a value is {shown}, which decimal({precision},{scale}) does not hold")
    };
    let Some(Normal::Number {
        is_negative,
        whole,
        fraction,
    }) = normal(text)
    else {
        return Err(refused());
    };
    let scale = scale as usize;
    let whole = whole.trim_start_matches('0');
    if fraction.len() > scale || whole.len() + scale > precision as usize {
        return Err(refused());
    }
    let sign = if is_negative { "-" } else { "" };
    Ok(format!("{sign}0{whole}{fraction:0<scale$}"))
}

fn no_place() -> String {
    "a value has no place in Parquet".into()
}

/// A cell of another kind, which no reader makes.
fn stranger(cell: Cell) -> String {
    format!("a value is of another type: {cell:?}")
}
