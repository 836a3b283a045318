//! MySQL and MariaDB: a prepared query, whose values come as the server stores them.

use futures_util::TryStreamExt;
use jiff::civil::Date;
use rowkey_core::storage::StoredRef;
use rowkey_tables::Error;
use rowkey_tables::types::{Kind, Type, clock};
use sqlx::error::UnexpectedNullError;
use sqlx::mysql::MySqlRow;
use sqlx::{Decode, MySql, MySqlConnection, Row as _};

use super::batch_sender::BatchSender;
use super::cells::{
    NoCell, decimal_cell, exactly, id_cell, integer_cell, planned_cell, single, sixteen_cell,
    sixteen_of, text_cell, utf8, value_in_text, whole_cell, whole_double,
};
use crate::batch::{Batch, Cell};
use crate::tables::table_side::{ColumnSide, Content, NO_UNICODE, TableSide};

/// Why a date has no cell.
const NO_DATE: &str = "a date has zeros or a day too many, and is on no calendar";
const INCOMPLETE: &str = "the server has sent an incomplete time";

pub(super) async fn read(
    connection: &mut MySqlConnection,
    side: &TableSide,
    query: &str,
    sender: &mut BatchSender,
) -> Result<(), Error> {
    let doing = format!("reading {}", side.name);
    // The connection keeps the statement: the message after its end would wait for 40 ms.
    let mut rows = sqlx::query(sqlx::AssertSqlSafe(query)).fetch(connection);
    while let Some(row) = rows.try_next().await.map_err(Error::database(&doing))? {
        push_row(side, &row, &mut sender.batch, &doing)?;
        if sender.end_row(side).await.is_err() {
            return Ok(());
        }
    }
    Ok(())
}

fn push_row(side: &TableSide, row: &MySqlRow, batch: &mut Batch, doing: &str) -> Result<(), Error> {
    for (place, column) in side.columns.iter().enumerate() {
        let raw = row.try_get_raw(place).map_err(Error::database(doing))?;
        // Not whether it is NULL: the driver says so of dates of zeros too.
        let value = <&[u8] as Decode<'_, MySql>>::decode(raw);
        let cell = match value {
            Ok(value) => cell(batch, column, value),
            Err(error) if error.is::<UnexpectedNullError>() => Ok(Cell::Null),
            Err(error) => Err(error.to_string()),
        }
        .map_err(|why| side.wrong(column, &why))?;
        batch.push(cell);
    }
    Ok(())
}

fn cell(batch: &mut Batch, column: &ColumnSide, value: &[u8]) -> Result<Cell, String> {
    let read = cell_of(batch, column, value);
    planned_cell(batch, column, read)
}

fn cell_of(batch: &mut Batch, column: &ColumnSide, value: &[u8]) -> Result<Cell, NoCell> {
    let kind = match column.content {
        Content::Ids(_) => return id(batch, column, value),
        Content::Values(kind) => kind,
    };
    if value == NO_UNICODE.as_bytes() && column.lacks_unicode("").is_some() {
        return Err("a text has bytes without a character of Unicode".into());
    }
    Ok(match (kind, column.own) {
        (Kind::Own, _) => Cell::Bytes(batch.keep(value)),
        (Kind::Text, Type::Own) if column.sql_type.name() == "vector" => {
            let (numbers, []) = value.as_chunks() else {
                return Err(NoCell::fault("the server has sent an incomplete vector"));
            };
            let numbers = numbers.iter().map(|bytes| f32::from_le_bytes(*bytes));
            let numbers: Vec<String> = numbers.map(|number| number.to_string()).collect();
            Cell::Text(batch.keep(format!("[{}]", numbers.join(",")).as_bytes()))
        }
        (Kind::Text, Type::Bits { length, .. }) => {
            let digits: String = value.iter().map(|byte| format!("{byte:08b}")).collect();
            // The last of them, because the first byte is filled with zeros.
            let start = digits.len().saturating_sub(length as usize);
            Cell::Text(batch.keep(&digits.as_bytes()[start..]))
        }
        (_, Type::Text(_) | Type::PaddedText(_) | Type::Enum) => {
            value_in_text(batch, column, kind, utf8(value)?)?
        }
        (Kind::Bool, own) => match integer(own, value)? {
            truth @ (0 | 1) => Cell::Bool(truth == 1),
            other => return Err(format!("a value is {other}, and neither 0 nor 1").into()),
        },
        (Kind::Integer, Type::Decimal(_)) => whole_cell(utf8(value)?)?,
        (Kind::Decimal, Type::Decimal(_)) => text_cell(batch, kind, utf8(value)?)?,
        (Kind::Decimal, Type::Double) => decimal_cell(batch, f64::from_le_bytes(exactly(value)?)),
        (Kind::Integer, own) => integer_cell(integer(own, value)?)?,
        (Kind::Single, own @ (Type::Flag | Type::Integer { .. })) => {
            Cell::Single(single(whole_double(integer(own, value)?)?)?)
        }
        (Kind::Double, own @ (Type::Flag | Type::Integer { .. })) => {
            Cell::Double(whole_double(integer(own, value)?)?)
        }
        (Kind::Single, Type::Double) => Cell::Single(single(f64::from_le_bytes(exactly(value)?))?),
        (Kind::Single, _) => Cell::Single(f32::from_le_bytes(exactly(value)?)),
        (Kind::Double, _) => Cell::Double(f64::from_le_bytes(exactly(value)?)),
        (Kind::Text | Kind::Json, _) => text_cell(batch, kind, utf8(value)?)?,
        (Kind::Bytes, _) => Cell::Bytes(batch.keep(value)),
        (Kind::Date | Kind::Timestamp, _)
            if column.instead.zero_date.is_some() && date(value).is_err() =>
        {
            Cell::Null
        }
        (Kind::Date, _) => Cell::Date(date(value)?),
        (Kind::Time, _) => Cell::Time(time(value)?),
        (Kind::Timestamp, _) => Cell::Timestamp(timestamp(value)?),
        // MariaDB's own comes as text.
        (Kind::Uuid, Type::Uuid) if value.len() == 36 => text_cell(batch, kind, utf8(value)?)?,
        (Kind::Uuid, _) => sixteen_cell(batch, value)?,
        (Kind::Decimal, _) => return Err(NoCell::fault("its type is no decimal number")),
    })
}

fn id(batch: &mut Batch, column: &ColumnSide, value: &[u8]) -> Result<Cell, NoCell> {
    let found = match column.own {
        Type::Integer { .. } => StoredRef::Integer(integer(column.own, value)?),
        Type::FixedBytes(_) | Type::Bytes(_) => StoredRef::Bytes(value),
        _ => return id_of_text(batch, column, utf8(value)?),
    };
    Ok(id_cell(batch, column, found)?)
}

/// Where the letters of both cases are the same, such as in references, hexadecimal digits are, too.
fn id_of_text(batch: &mut Batch, column: &ColumnSide, text: &str) -> Result<Cell, NoCell> {
    let collation = column.collation.as_deref().unwrap_or_default();
    let found = id_cell(batch, column, StoredRef::Text(text));
    if found.is_ok() || !collation.contains("_ci") || sixteen_of(text).is_none() {
        return Ok(found?);
    }
    let mut cases = [text.to_ascii_lowercase(), text.to_ascii_uppercase()].into_iter();
    let other = cases.find_map(|text| id_cell(batch, column, StoredRef::Text(&text)).ok());
    Ok(other.map_or(found, Ok)?)
}

fn integer(own: Type, value: &[u8]) -> Result<i128, NoCell> {
    let is_unsigned = matches!(
        own,
        Type::Integer {
            is_unsigned: true,
            ..
        }
    );
    Ok(match (value.len(), is_unsigned) {
        (1, true) => u8::from_le_bytes(exactly(value)?).into(),
        (1, false) => i8::from_le_bytes(exactly(value)?).into(),
        (2, true) => u16::from_le_bytes(exactly(value)?).into(),
        (2, false) => i16::from_le_bytes(exactly(value)?).into(),
        (4, true) => u32::from_le_bytes(exactly(value)?).into(),
        (4, false) => i32::from_le_bytes(exactly(value)?).into(),
        (_, true) => u64::from_le_bytes(exactly(value)?).into(),
        (_, false) => i64::from_le_bytes(exactly(value)?).into(),
    })
}

/// A length, the year in two bytes, the month and the day; nothing of these for a date of zeros.
fn date(value: &[u8]) -> Result<i32, String> {
    let zero = || NO_DATE.to_owned();
    let [_, low, high, month, day, ..] = *value else {
        return Err(zero());
    };
    let year = u16::from_le_bytes([low, high]).cast_signed();
    let date = Date::new(year, month.cast_signed(), day.cast_signed());
    match (year, date) {
        (1.., Ok(date)) => Ok(clock::days_of(date)),
        _ => Err(zero()),
    }
}

/// A date, followed by the hour, the minute and the second, and perhaps the microsecond.
fn timestamp(value: &[u8]) -> Result<i64, NoCell> {
    let days = i64::from(date(value)?);
    let micros = match value {
        [_, _, _, _, _] => 0,
        [_, _, _, _, _, rest @ ..] => of_day(rest)?,
        _ => return Err(NO_DATE.into()),
    };
    Ok(days * clock::DAY + micros)
}

/// A length, the sign, days in four bytes, and what follows a date; a length alone at midnight.
fn time(value: &[u8]) -> Result<i64, NoCell> {
    let [_, is_negative, d1, d2, d3, d4, rest @ ..] = value else {
        return match value {
            [0] => Ok(0),
            _ => Err(NoCell::fault(INCOMPLETE)),
        };
    };
    let days = i64::from(u32::from_le_bytes([*d1, *d2, *d3, *d4]));
    let micros = days * clock::DAY + of_day(rest)?;
    Ok(match is_negative {
        0 => micros,
        _ => -micros,
    })
}

fn of_day(bytes: &[u8]) -> Result<i64, NoCell> {
    let (hour, minute, second, micros) = match *bytes {
        [hour, minute, second] => (hour, minute, second, 0),
        [hour, minute, second, a, b, c, d] => {
            (hour, minute, second, u32::from_le_bytes([a, b, c, d]))
        }
        _ => return Err(NoCell::fault(INCOMPLETE)),
    };
    let seconds = (i64::from(hour) * 60 + i64::from(minute)) * 60 + i64::from(second);
    Ok(seconds * 1_000_000 + i64::from(micros))
}
