//! PostgreSQL: COPY in binary.

use futures_util::TryStreamExt;
use rowkey_core::driver::numeric;
use rowkey_core::storage::StoredRef;
use rowkey_tables::Error;
use rowkey_tables::connection::copy_out::{CopyOut, CopyRow, Malformed};
use rowkey_tables::types::interval::Interval;
use rowkey_tables::types::{Kind, Type, clock, network};
use sqlx::PgConnection;

use super::batch_sender::BatchSender;
use super::cells::{
    NoCell, decimal_cell, exactly, id_cell, integer_cell, planned_cell, single, sixteen_cell,
    text_cell, utf8, value_in_text, whole_cell, whole_double,
};
use crate::batch::{Batch, Cell};
use crate::tables::table_side::{ColumnSide, Content, TableSide};

/// The first date without times, 294277-01-01, in days since 2000.
const TIMELESS: i32 = 106_751_983;

pub(super) async fn read(
    connection: &mut PgConnection,
    side: &TableSide,
    query: &str,
    sender: &mut BatchSender,
) -> Result<(), Error> {
    let doing = format!("reading {}", side.name);
    let statement = format!("COPY ({query}) TO STDOUT (FORMAT binary)");
    let mut chunks = connection
        .copy_out_raw(&statement)
        .await
        .map_err(Error::database(&doing))?;
    let mut rows = CopyOut::default();
    while let Some(message) = chunks.try_next().await.map_err(Error::database(&doing))? {
        rows.add(&message);
        while let Some(row) = rows
            .next_row(side.columns.len())
            .map_err(|Malformed| malformed(side))?
        {
            push_row(side, row, &mut sender.batch)?;
            if sender.end_row(side).await.is_err() {
                return Ok(());
            }
        }
    }
    match rows.is_ended() {
        true => Ok(()),
        false => Err(malformed(side)),
    }
}

fn malformed(side: &TableSide) -> Error {
    Error::Differs {
        what: format!("reading {}", side.name),
        found: "the server's rows end early, or are not in PostgreSQL's binary form".into(),
    }
}

fn push_row(side: &TableSide, row: CopyRow<'_>, batch: &mut Batch) -> Result<(), Error> {
    for (column, value) in side.columns.iter().zip(row) {
        let cell = match value {
            None => Cell::Null,
            Some(value) => cell(batch, column, value).map_err(|why| side.wrong(column, &why))?,
        };
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
    if column.own == Type::Interval
        && let Some(moment) = interval(value)?.infinity()
    {
        return Ok(Cell::Timestamp(moment));
    }
    Ok(match (kind, column.own) {
        // Types have other numbers in each database.
        (Kind::Own, _) => {
            let layout = column.layout.as_ref();
            let plain = layout.and_then(|layout| layout.without_numbers(value));
            Cell::Bytes(batch.keep(plain.as_deref().unwrap_or(value)))
        }
        (_, Type::Text(_) | Type::PaddedText(_)) => {
            value_in_text(batch, column, kind, utf8(value)?)?
        }
        (Kind::Bool, Type::Bits { .. }) => match bits(value)?.as_str() {
            "0" => Cell::Bool(false),
            "1" => Cell::Bool(true),
            other => return Err(format!("a value is {other}, and neither 0 nor 1").into()),
        },
        (Kind::Bool, Type::Integer { .. }) => match integer(value)? {
            truth @ (0 | 1) => Cell::Bool(truth == 1),
            other => return Err(format!("a value is {other}, and neither 0 nor 1").into()),
        },
        (Kind::Bool, _) => match value {
            [truth @ (0 | 1)] => Cell::Bool(*truth == 1),
            _ => return Err(NoCell::fault("a value is neither true nor false")),
        },
        (_, Type::Decimal(_)) => {
            let digits = digits_of(value)?;
            match kind {
                Kind::Integer => whole_cell(&digits)?,
                _ => text_cell(batch, kind, &digits)?,
            }
        }
        (Kind::Decimal, Type::Double) => decimal_cell(batch, double(value)?),
        (Kind::Integer, Type::Interval) => Cell::Integer(micros(value)?),
        (Kind::Integer, _) => integer_cell(integer(value)?.into())?,
        (Kind::Single, Type::Integer { .. }) => {
            Cell::Single(single(whole_double(integer(value)?.into())?)?)
        }
        (Kind::Double, Type::Integer { .. }) => Cell::Double(whole_double(integer(value)?.into())?),
        (Kind::Single, Type::Double) => Cell::Single(single(double(value)?)?),
        (Kind::Single, _) => Cell::Single(f32::from_be_bytes(exactly(value)?)),
        (Kind::Double, _) => Cell::Double(double(value)?),
        (Kind::Text, Type::Bits { .. }) => Cell::Text(batch.keep(bits(value)?.as_bytes())),
        (Kind::Text, Type::Network { is_cidr }) => {
            let text = network::text(value, is_cidr);
            let text = text.ok_or_else(|| NoCell::fault("bytes that are no address"))?;
            Cell::Text(batch.keep(text.as_bytes()))
        }
        (Kind::Text, Type::Interval) => Cell::Text(batch.keep(interval(value)?.text().as_bytes())),
        (Kind::Time, Type::Interval) => Cell::Time(micros(value)?),
        (Kind::Timestamp, Type::Interval) => {
            let interval = interval(value)?;
            let moment = interval.after_1970();
            Cell::Timestamp(moment.ok_or_else(|| no_time(interval))?)
        }
        (Kind::Text | Kind::Json, _) => {
            // The version of `jsonb`, which isn't a character of JSON.
            let text = match (column.own, value) {
                (Type::Json, [1, text @ ..]) => text,
                (_, text) => text,
            };
            text_cell(batch, kind, utf8(text)?)?
        }
        (Kind::Bytes, _) => Cell::Bytes(batch.keep(value)),
        (Kind::Date, _) => Cell::Date(i32::from_be_bytes(exactly(value)?)),
        (Kind::Time, _) => Cell::Time(i64::from_be_bytes(exactly(value)?)),
        (Kind::Timestamp, Type::Date) => Cell::Timestamp(midnight(value)?),
        (Kind::Timestamp, _) => Cell::Timestamp(i64::from_be_bytes(exactly(value)?)),
        (Kind::Uuid, _) => sixteen_cell(batch, value)?,
        (Kind::Decimal, _) => return Err(NoCell::fault("its type is no decimal number")),
    })
}

fn id(batch: &mut Batch, column: &ColumnSide, value: &[u8]) -> Result<Cell, NoCell> {
    let digits;
    let found = match column.own {
        Type::Decimal(_) => {
            digits = digits_of(value)?;
            StoredRef::Text(&digits)
        }
        Type::Integer { .. } => StoredRef::Integer(integer(value)?.into()),
        Type::Text(_) | Type::PaddedText(_) => StoredRef::Text(utf8(value)?),
        _ => StoredRef::Bytes(value),
    };
    Ok(id_cell(batch, column, found)?)
}

/// The digits of a `numeric`.
fn digits_of(value: &[u8]) -> Result<String, NoCell> {
    numeric::text(value).ok_or_else(|| NoCell::fault("bytes that are not a numeric"))
}

/// The digits of bits, behind their number.
fn bits(value: &[u8]) -> Result<String, NoCell> {
    let wrong = || NoCell::fault("the server has sent incomplete bits");
    let (length, bytes) = value.split_first_chunk().ok_or_else(wrong)?;
    let length = u32::from_be_bytes(*length) as usize;
    let mut digits: String = bytes.iter().map(|byte| format!("{byte:08b}")).collect();
    match digits.len() >= length {
        true => digits.truncate(length),
        false => return Err(wrong()),
    }
    Ok(digits)
}

fn interval(value: &[u8]) -> Result<Interval, NoCell> {
    Interval::of_binary(value).ok_or_else(|| NoCell::fault("bytes that are no interval"))
}

/// The moment at which a date begins.
fn midnight(value: &[u8]) -> Result<i64, NoCell> {
    match i32::from_be_bytes(exactly(value)?) {
        i32::MIN => Ok(i64::MIN),
        i32::MAX => Ok(i64::MAX),
        TIMELESS.. => Err("a value is a date after the last time that PostgreSQL has".into()),
        days => Ok(i64::from(days) * clock::DAY),
    }
}

/// An interval without months.
fn micros(value: &[u8]) -> Result<i64, NoCell> {
    let interval = interval(value)?;
    Ok(interval.as_micros().ok_or_else(|| no_time(interval))?)
}

fn no_time(interval: Interval) -> String {
    format!("a value is {}, which is no time", interval.text())
}

fn integer(value: &[u8]) -> Result<i64, NoCell> {
    Ok(match value.len() {
        2 => i16::from_be_bytes(exactly(value)?).into(),
        4 => i32::from_be_bytes(exactly(value)?).into(),
        _ => i64::from_be_bytes(exactly(value)?),
    })
}

fn double(value: &[u8]) -> Result<f64, NoCell> {
    Ok(f64::from_be_bytes(exactly(value)?))
}
