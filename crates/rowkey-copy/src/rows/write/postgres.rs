//! PostgreSQL: COPY in binary.

use rowkey_core::Backend;
use rowkey_core::driver::numeric;
use rowkey_core::storage::Stored;
use rowkey_tables::Error;
use rowkey_tables::types::interval::Interval;
use rowkey_tables::types::{Type, clock, network};
use sqlx::PgConnection;

use super::encoded::Payload;
use super::fit;
use super::literal::uuid_text;
use super::transaction::{TransactionBatches, check_count};
use crate::batch::{Batch, Cell, Normal, as_double, normal};
use crate::rows::shown::wrong_value;
use crate::tables::table_side::{ColumnSide, Content, TableSide};

/// The signature, no flags and no extension.
const HEADER: &[u8] = b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0";
const END: [u8; 2] = (-1_i16).to_be_bytes();
const NULL: [u8; 4] = (-1_i32).to_be_bytes();

pub(super) async fn write(
    connection: &mut PgConnection,
    side: &TableSide,
    transaction: &mut TransactionBatches<'_>,
) -> Result<(), Error> {
    let doing = format!("writing {}", side.name);
    let statement = format!(
        "COPY {} ({}) FROM STDIN (FORMAT binary)",
        side.quoted()?,
        side.column_list()?
    );
    let mut copy = connection
        .copy_in_raw(&statement)
        .await
        .map_err(Error::database(&doing))?;
    let before = transaction.tally.total.rows;
    copy.send(HEADER).await.map_err(Error::database(&doing))?;
    while let Some(payload) = transaction.next().await? {
        let Payload::Binary(bytes) = payload else {
            return Err(Error::NoDriver(side.backend));
        };
        copy.send(bytes).await.map_err(Error::database(&doing))?;
    }
    copy.send(&END[..]).await.map_err(Error::database(&doing))?;
    let written = copy.finish().await.map_err(Error::database(&doing))?;
    check_count(side, transaction.tally.total.rows - before, written)
}

/// The rows of a batch, without the header and the end.
pub(super) fn encode(side: &TableSide, batch: &Batch) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    for row in batch.rows() {
        bytes.extend((row.len() as i16).to_be_bytes());
        for (column, cell) in side.columns.iter().zip(row) {
            append(&mut bytes, column, batch, *cell)
                .map_err(|why| wrong_value(side, column, batch, row, &why))?;
        }
    }
    Ok(bytes)
}

/// Appends the length of a value and the value.
fn append(
    bytes: &mut Vec<u8>,
    column: &ColumnSide,
    batch: &Batch,
    cell: Cell,
) -> Result<(), String> {
    fit::check(Backend::Postgres, column, batch, cell)?;
    let start = bytes.len();
    bytes.extend(NULL);
    if cell == Cell::Null {
        return Ok(());
    }
    append_value(bytes, column, batch, cell)?;
    let value = start + NULL.len();
    let length = i32::try_from(bytes.len() - value)
        .map_err(|_| "a value is larger than PostgreSQL's largest")?;
    bytes[start..value].copy_from_slice(&length.to_be_bytes());
    Ok(())
}

fn append_value(
    bytes: &mut Vec<u8>,
    column: &ColumnSide,
    batch: &Batch,
    cell: Cell,
) -> Result<(), String> {
    match cell {
        Cell::Null => return Err("NULL has no bytes".into()),
        Cell::Bool(value) if matches!(column.own, Type::Integer { .. }) => {
            append_integer(bytes, column, value.into())?;
        }
        Cell::Bool(value) => bytes.push(value.into()),
        Cell::Integer(number) => append_integer(bytes, column, number.into())?,
        Cell::Large(number) => append_integer(bytes, column, number.into())?,
        Cell::Single(number) if column.own == Type::Double => {
            bytes.extend(f64::from(number).to_be_bytes());
        }
        Cell::Single(number) => bytes.extend(number.to_be_bytes()),
        Cell::Double(number) => bytes.extend(number.to_be_bytes()),
        Cell::Decimal(span) if column.own == Type::Double => {
            let number = as_double(batch.text(span)).ok_or("a value would be rounded")?;
            bytes.extend(number.to_be_bytes());
        }
        Cell::Decimal(span) => append_decimal(bytes, batch.text(span))?,
        Cell::Text(span) => append_text(bytes, column, batch.text(span))?,
        Cell::Bytes(span) => bytes.extend(batch.bytes(span)),
        Cell::Date(days) => bytes.extend(days.to_be_bytes()),
        Cell::Time(micros) if column.own == Type::Interval => {
            let (months, days) = (0, 0);
            Interval {
                months,
                days,
                micros,
            }
            .append(bytes);
        }
        Cell::Time(micros) => bytes.extend(micros.to_be_bytes()),
        Cell::Timestamp(micros) if column.own == Type::Interval => {
            let interval = Interval::since_1970(micros).ok_or(clock::OUTSIDE)?;
            interval.append(bytes);
        }
        Cell::Timestamp(micros) => bytes.extend(micros.to_be_bytes()),
        Cell::Sixteen(span) => match (column.content, column.own) {
            (Content::Ids(form), _) => append_stored(bytes, form.encode(batch.sixteen(span))),
            (_, Type::Text(_) | Type::PaddedText(_)) => {
                bytes.extend(uuid_text(column.own, batch.bytes(span)).as_bytes());
            }
            _ => bytes.extend(batch.bytes(span)),
        },
        Cell::Refused(span) => return Err(batch.text(span).to_owned()),
    }
    Ok(())
}

fn append_stored(bytes: &mut Vec<u8>, stored: Stored) {
    match stored {
        Stored::Uuid(sixteen) => bytes.extend(sixteen),
        Stored::Bytes(stored) => bytes.extend(stored.as_slice()),
        Stored::Decimal(number) => numeric::write(number, bytes),
        Stored::Text(text) => bytes.extend(text.as_bytes()),
        Stored::Integer(number) => bytes.extend(number.to_be_bytes()),
    }
}

fn append_integer(bytes: &mut Vec<u8>, column: &ColumnSide, number: i128) -> Result<(), String> {
    let outside = |_| format!("a value is {number}, outside of {}", column.sql_type);
    match column.own {
        Type::Decimal(_) => append_decimal(bytes, &number.to_string())?,
        Type::Interval => {
            Interval::of_micros(i64::try_from(number).map_err(outside)?).append(bytes);
        }
        Type::Integer { bytes: 2, .. } => {
            bytes.extend(i16::try_from(number).map_err(outside)?.to_be_bytes());
        }
        Type::Integer { bytes: 4, .. } => {
            bytes.extend(i32::try_from(number).map_err(outside)?.to_be_bytes());
        }
        _ => bytes.extend(i64::try_from(number).map_err(outside)?.to_be_bytes()),
    }
    Ok(())
}

/// The text in the form of the column.
fn append_text(bytes: &mut Vec<u8>, column: &ColumnSide, text: &str) -> Result<(), String> {
    let wrong = || format!("a value is \"{text}\", which is no {}", column.sql_type);
    match column.own {
        Type::Bits { .. } => append_bits(bytes, text),
        Type::Network { is_cidr } => {
            bytes.extend(network::binary(text, is_cidr).ok_or_else(wrong)?);
        }
        Type::Interval => Interval::read(text).ok_or_else(wrong)?.append(bytes),
        _ => {
            if column.sql_type.normalizes_json() {
                // The version of `jsonb`.
                bytes.push(1);
            }
            bytes.extend(text.as_bytes());
        }
    }
    Ok(())
}

/// The number of bits, and the bits from the left.
fn append_bits(bytes: &mut Vec<u8>, digits: &str) {
    bytes.extend((digits.len() as u32).to_be_bytes());
    for eight in digits.as_bytes().chunks(8) {
        let byte = eight.iter().fold(0, |byte, digit| byte << 1 | (digit & 1));
        bytes.push(byte << (8 - eight.len()));
    }
}

/// Groups of four digits on both sides of the point; see [`numeric`].
fn append_decimal(bytes: &mut Vec<u8>, text: &str) -> Result<(), String> {
    let header = |bytes: &mut Vec<u8>, fields: [u16; 4]| {
        fields
            .iter()
            .for_each(|field| bytes.extend(field.to_be_bytes()));
    };
    let (is_negative, whole, fraction) = match normal(text) {
        Some(Normal::Number {
            is_negative,
            whole,
            fraction,
        }) => (is_negative, whole, fraction),
        Some(Normal::Special("NaN")) => {
            header(bytes, [0, 0, 0xc000, 0]);
            return Ok(());
        }
        Some(Normal::Special("Infinity")) => {
            header(bytes, [0, 0, 0xd000, 0]);
            return Ok(());
        }
        Some(Normal::Special(_)) => {
            header(bytes, [0, 0, 0xf000, 0]);
            return Ok(());
        }
        None => return Err(format!("a value is \"{text}\", which is no decimal number")),
    };
    // The zeros at the end are shown, but not sent.
    let scale = text.split_once('.').map_or(0, |(_, shown)| shown.len());
    let groups = groups_of(whole, fraction);
    let weight = whole.len().div_ceil(4) as i32 - 1;
    let leading = groups.iter().take_while(|group| **group == 0).count();
    let last = groups.iter().rposition(|group| *group != 0);
    let sent = match last {
        Some(last) => &groups[leading..=last],
        None => &[],
    };
    let weight = match sent {
        [] => 0,
        _ => weight - leading as i32,
    };
    let fits = |number: usize| u16::try_from(number).ok().filter(|n| *n < 0x4000);
    let (Some(count), Some(scale), Ok(weight)) =
        (fits(sent.len()), fits(scale), i16::try_from(weight))
    else {
        return Err("a value has more digits than PostgreSQL's numeric".into());
    };
    let sign = if is_negative { 0x4000 } else { 0 };
    header(bytes, [count, weight.cast_unsigned(), sign, scale]);
    sent.iter()
        .for_each(|group| bytes.extend(group.to_be_bytes()));
    Ok(())
}

/// The groups of both parts, aligned at the point.
fn groups_of(whole: &str, fraction: &str) -> Vec<u16> {
    let number = |digits: &[u8]| {
        let digits = digits.iter().map(|digit| u16::from(digit - b'0'));
        digits.fold(0, |number, digit| number * 10 + digit)
    };
    let (first, fours) = whole.as_bytes().as_rchunks::<4>();
    let mut groups = Vec::new();
    if !first.is_empty() {
        groups.push(number(first));
    }
    groups.extend(fours.iter().map(|four| number(four)));
    let chunks = fraction.as_bytes().chunks(4);
    groups.extend(chunks.map(|chunk| number(chunk) * 10_u16.pow(4 - chunk.len() as u32)));
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_written_as_they_are_read() {
        let long = format!("-{}.{}", "1234567890".repeat(10), "0987654321".repeat(7));
        for text in [
            "0",
            "0.00",
            "7",
            "-7",
            "9999",
            "10000",
            "120000000",
            "12.50",
            "-0.00012",
            "0.000000001",
            "99999999.0001",
            "NaN",
            "Infinity",
            "-Infinity",
            &long,
        ] {
            let mut bytes = Vec::new();
            append_decimal(&mut bytes, text).unwrap();
            assert_eq!(numeric::text(&bytes).as_deref(), Some(text));
        }
        assert!(append_decimal(&mut Vec::new(), "1e5").is_err());
    }
}
