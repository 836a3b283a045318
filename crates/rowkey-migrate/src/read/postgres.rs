//! PostgreSQL: COPY in binary.
//!
//! ```text
//! "PGCOPY\n\xff\r\n\0"  flags: 4  length: 4  extension
//! number of columns: 2  { length: 4, -1 for NULL  value }  ...
//! -1: 2
//! ```

use futures_util::TryStreamExt;
use rowkey_core::storage::{StoredRef, numeric};
use sqlx::PgConnection;

use super::{Outlet, id_cell, integer_cell, sixteen_cell, text_cell, utf8};
use crate::batch::{Batch, Cell};
use crate::copy::side::{Content, Side, SideColumn};
use crate::error::Error;
use crate::types::{Kind, Type};

const SIGNATURE: &[u8] = b"PGCOPY\n\xff\r\n\0";

pub(super) async fn read(
    connection: &mut PgConnection,
    side: &Side,
    query: &str,
    outlet: &mut Outlet,
) -> Result<(), Error> {
    let doing = format!("reading {}", side.name);
    let statement = format!("COPY ({query}) TO STDOUT (FORMAT binary)");
    let mut chunks = connection
        .copy_out_raw(&statement)
        .await
        .map_err(Error::database(&doing))?;
    let mut parser = Parser::default();
    while let Some(chunk) = chunks.try_next().await.map_err(Error::database(&doing))? {
        parser.bytes.extend_from_slice(&chunk);
        while parser.next_row(side, &mut outlet.batch)? {
            if outlet.row_ends(side).await.is_err() {
                return Ok(());
            }
        }
        parser.forget();
    }
    match parser.is_ended {
        true => Ok(()),
        false => Err(malformed(side)),
    }
}

fn malformed(side: &Side) -> Error {
    Error::Differs {
        what: format!("reading {}", side.name),
        found: "the server's rows end early, or are not in PostgreSQL's binary form".into(),
    }
}

/// Rows may be divided among messages in any way.
#[derive(Default)]
struct Parser {
    bytes: Vec<u8>,
    /// How many of them are done.
    done: usize,
    has_begun: bool,
    is_ended: bool,
}

impl Parser {
    /// Appends the next row to a batch, if all of it is there.
    fn next_row(&mut self, side: &Side, batch: &mut Batch) -> Result<bool, Error> {
        let mut rest = self.bytes.get(self.done..).unwrap_or_default();
        if !self.has_begun {
            let Some(header) = header_length(rest) else {
                return Ok(false);
            };
            if !rest.starts_with(SIGNATURE) {
                return Err(malformed(side));
            }
            rest = rest.get(header..).unwrap_or_default();
            (self.done, self.has_begun) = (self.done + header, true);
        }
        let Some(columns) = take::<2>(&mut rest).map(i16::from_be_bytes) else {
            return Ok(false);
        };
        if columns == -1 {
            (self.done, self.is_ended) = (self.done + 2, true);
            return Ok(false);
        }
        if usize::try_from(columns) != Ok(side.columns.len()) {
            return Err(malformed(side));
        }
        let Some(length) = row_length(rest, side.columns.len()) else {
            return Ok(false);
        };
        for column in &side.columns {
            let length = take::<4>(&mut rest).map_or(-1, i32::from_be_bytes);
            let cell = match usize::try_from(length) {
                Err(_) => Cell::Null,
                Ok(length) => {
                    let (value, after) = rest.split_at_checked(length).unwrap_or_default();
                    rest = after;
                    cell(batch, column, value).map_err(|why| side.wrong(column, &why))?
                }
            };
            batch.push(cell);
        }
        self.done += 2 + length;
        Ok(true)
    }

    fn forget(&mut self) {
        self.bytes.drain(..self.done);
        self.done = 0;
    }
}

/// The length of the header, if all of it is there.
fn header_length(bytes: &[u8]) -> Option<usize> {
    let length = SIGNATURE.len() + 4;
    let extension = bytes.get(length..)?.first_chunk()?;
    let length = length + 4 + u32::from_be_bytes(*extension) as usize;
    (bytes.len() >= length).then_some(length)
}

/// The length of the values of a row, if all of them are there.
fn row_length(bytes: &[u8], columns: usize) -> Option<usize> {
    let mut place = 0;
    for _ in 0..columns {
        let length = i32::from_be_bytes(*bytes.get(place..)?.first_chunk()?);
        place += 4 + usize::try_from(length).unwrap_or(0);
    }
    (bytes.len() >= place).then_some(place)
}

fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (first, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(*first)
}

fn cell(batch: &mut Batch, column: &SideColumn, value: &[u8]) -> Result<Cell, String> {
    let kind = match column.content {
        Content::Ids(_) => return id(batch, column, value),
        Content::Values(kind) => kind,
    };
    Ok(match (kind, column.own) {
        (Kind::Bool, _) => Cell::Bool(value == [1]),
        (Kind::Integer | Kind::Decimal, Type::Decimal(_)) => {
            let digits = numeric::text(value).ok_or("bytes that are not a numeric")?;
            text_cell(batch, kind, &digits)?
        }
        (Kind::Integer, _) => integer_cell(integer(value)?.into())?,
        (Kind::Single, Type::Double) => Cell::Single(double(value)? as f32),
        (Kind::Single, _) => Cell::Single(f32::from_be_bytes(exactly(value)?)),
        (Kind::Double, _) => Cell::Double(double(value)?),
        (Kind::Text, _) => {
            // The version of `jsonb`, which is no character of JSON.
            let text = match (column.own, value) {
                (Type::Json, [1, text @ ..]) => text,
                (_, text) => text,
            };
            text_cell(batch, kind, utf8(text)?)?
        }
        (Kind::Bytes, _) => Cell::Bytes(batch.keep(value)),
        (Kind::Date, _) => Cell::Date(i32::from_be_bytes(exactly(value)?)),
        (Kind::Time, _) => Cell::Time(i64::from_be_bytes(exactly(value)?)),
        (Kind::Timestamp, _) => Cell::Timestamp(i64::from_be_bytes(exactly(value)?)),
        (Kind::Uuid, Type::Text(_) | Type::PaddedText(_)) => text_cell(batch, kind, utf8(value)?)?,
        (Kind::Uuid, _) => sixteen_cell(batch, value)?,
        (Kind::Decimal, _) => return Err("its type is no decimal number".into()),
    })
}

fn id(batch: &mut Batch, column: &SideColumn, value: &[u8]) -> Result<Cell, String> {
    let digits;
    let found = match column.own {
        Type::Decimal(_) => {
            digits = numeric::text(value).ok_or("bytes that are not a numeric")?;
            StoredRef::Text(&digits)
        }
        Type::Integer { .. } => StoredRef::Integer(integer(value)?.into()),
        Type::Text(_) | Type::PaddedText(_) => StoredRef::Text(utf8(value)?),
        _ => StoredRef::Bytes(value),
    };
    id_cell(batch, column, found)
}

fn integer(value: &[u8]) -> Result<i64, String> {
    Ok(match value.len() {
        2 => i16::from_be_bytes(exactly(value)?).into(),
        4 => i32::from_be_bytes(exactly(value)?).into(),
        _ => i64::from_be_bytes(exactly(value)?),
    })
}

fn double(value: &[u8]) -> Result<f64, String> {
    Ok(f64::from_be_bytes(exactly(value)?))
}

fn exactly<const N: usize>(value: &[u8]) -> Result<[u8; N], String> {
    let length = value.len();
    value
        .try_into()
        .map_err(|_| format!("the server has sent {length} bytes instead of {N}"))
}
