//! SQLite, in which each value has a type of its own.

use futures_util::TryStreamExt;
use rowkey_core::storage::StoredRef;
use rowkey_tables::Error;
use rowkey_tables::connection::shortened;
use rowkey_tables::types::{Kind, Type};
use sqlx::sqlite::SqliteRow;
use sqlx::{Row as _, SqliteConnection, TypeInfo, ValueRef};

use super::batch_sender::BatchSender;
use super::cells::{
    NO_UTF_8, NoCell, decimal_cell, id_cell, planned_cell, single, sixteen_cell, text_cell,
    value_in_text, whole_double,
};
use crate::batch::{Batch, Cell};
use crate::tables::table_side::{ColumnSide, Content, TableSide};

pub(super) async fn read(
    connection: &mut SqliteConnection,
    side: &TableSide,
    query: &str,
    sender: &mut BatchSender,
) -> Result<(), Error> {
    let doing = format!("reading {}", side.name);
    let mut rows = sqlx::query(sqlx::AssertSqlSafe(query))
        .persistent(false)
        .fetch(connection);
    while let Some(row) = rows.try_next().await.map_err(Error::database(&doing))? {
        for (place, column) in side.columns.iter().enumerate() {
            let value = Found::of(&row, place).map_err(Error::database(&doing))?;
            let cell = value
                .cell(&mut sender.batch, column)
                .map_err(|why| side.wrong(column, &why))?;
            sender.batch.push(cell);
        }
        if sender.end_row(side).await.is_err() {
            return Ok(());
        }
    }
    Ok(())
}

/// A value with its own type.
enum Found<'r> {
    Null,
    Integer(i64),
    Real(f64),
    Text(&'r str),
    /// A text that is not UTF-8, which SQLite does not look at.
    Garbled(&'r [u8]),
    Blob(&'r [u8]),
}

impl<'r> Found<'r> {
    fn of(row: &'r SqliteRow, place: usize) -> Result<Self, sqlx::Error> {
        let raw = row.try_get_raw(place)?;
        if raw.is_null() {
            return Ok(Self::Null);
        }
        let is = |name: &str| raw.type_info().name() == name;
        Ok(match () {
            () if is("INTEGER") => Self::Integer(row.try_get_unchecked(place)?),
            () if is("REAL") => Self::Real(row.try_get_unchecked(place)?),
            () if is("BLOB") => Self::Blob(row.try_get_unchecked(place)?),
            () => {
                let bytes: &[u8] = row.try_get_unchecked(place)?;
                std::str::from_utf8(bytes).map_or(Self::Garbled(bytes), Self::Text)
            }
        })
    }

    fn cell(self, batch: &mut Batch, column: &ColumnSide) -> Result<Cell, String> {
        let read = self.cell_of(batch, column);
        planned_cell(batch, column, read)
    }

    fn cell_of(self, batch: &mut Batch, column: &ColumnSide) -> Result<Cell, NoCell> {
        let kind = match column.content {
            Content::Ids(_) => return self.id(batch, column),
            Content::Values(kind) => kind,
        };
        let is_loose = column.stores_floats();
        let is_whole = matches!(column.own, Type::Flag | Type::Integer { .. });
        // The type name `json` has numeric affinity, so that texts may have become numbers.
        let is_json = column.own == Type::Json;
        Ok(match (kind, &self) {
            (_, Self::Null) => Cell::Null,
            (Kind::Own, Self::Integer(number)) => Cell::Integer(*number),
            (Kind::Own, Self::Real(number)) => Cell::Double(*number),
            (Kind::Own, Self::Text(text)) => Cell::Text(batch.keep(text.as_bytes())),
            (Kind::Own, Self::Blob(bytes)) => Cell::Bytes(batch.keep(bytes)),
            (Kind::Decimal, Self::Integer(number)) if is_loose => {
                Cell::Decimal(batch.keep(number.to_string().as_bytes()))
            }
            (Kind::Decimal, Self::Real(number)) if is_loose && number.is_finite() => {
                decimal_cell(batch, *number)
            }
            (Kind::Text | Kind::Json, Self::Integer(number)) => {
                Cell::Text(batch.keep(number.to_string().as_bytes()))
            }
            (Kind::Text | Kind::Json, Self::Real(number)) if !is_json || number.is_finite() => {
                Cell::Text(batch.keep(format!("{number:?}").as_bytes()))
            }
            (Kind::Bool, Self::Integer(truth @ (0 | 1))) => Cell::Bool(*truth == 1),
            (Kind::Integer, Self::Integer(number)) => Cell::Integer(*number),
            (Kind::Single, Self::Integer(number)) if is_whole => {
                Cell::Single(single(whole_double((*number).into())?)?)
            }
            (Kind::Double, Self::Integer(number)) if is_whole => {
                Cell::Double(whole_double((*number).into())?)
            }
            (Kind::Single, Self::Real(number)) => Cell::Single(shown_single(*number)?),
            (Kind::Double, Self::Real(number)) => Cell::Double(*number),
            (Kind::Bytes, Self::Blob(bytes)) => Cell::Bytes(batch.keep(bytes)),
            // As some frameworks write no bytes, and truth.
            (Kind::Bytes, Self::Text(text)) if column.is_bytes_in_text() => {
                Cell::Bytes(batch.keep(text.as_bytes()))
            }
            (Kind::Bytes, Self::Text("")) => Cell::Bytes(batch.keep(&[])),
            (Kind::Integer, Self::Text(truth @ ("t" | "f"))) if column.own == Type::Flag => {
                Cell::Integer((*truth == "t").into())
            }
            (Kind::Uuid, Self::Blob(bytes)) => sixteen_cell(batch, bytes)?,
            (Kind::Single | Kind::Double | Kind::Bytes, _) => {
                return Err(self.refused(column).into());
            }
            // SQLite's own columns make numbers of texts with zeros before them, too.
            (Kind::Integer, Self::Text(text)) => text_cell(batch, kind, text)?,
            (_, Self::Text(text)) => value_in_text(batch, column, kind, text)?,
            _ => return Err(self.refused(column).into()),
        })
    }

    fn id(self, batch: &mut Batch, column: &ColumnSide) -> Result<Cell, NoCell> {
        let found = match self {
            Self::Null => return Ok(Cell::Null),
            Self::Integer(number) => StoredRef::Integer(number.into()),
            Self::Text(text) => StoredRef::Text(text),
            Self::Blob(bytes) => StoredRef::Bytes(bytes),
            Self::Real(_) | Self::Garbled(_) => return Err(self.refused(column).into()),
        };
        Ok(id_cell(batch, column, found)?)
    }

    /// Says what a value is in a column that is declared for others.
    fn refused(&self, column: &ColumnSide) -> String {
        let found = match self {
            Self::Null => "NULL".to_owned(),
            Self::Integer(number) => format!("the integer {number}"),
            Self::Real(number) => format!("the real number {number:?}"),
            Self::Text(text) => format!("the text \"{}\"", shortened(text)),
            Self::Garbled(bytes) => {
                return format!("a value is a text of {} bytes {NO_UTF_8}", bytes.len());
            }
            Self::Blob(bytes) if column.content == Content::Values(Kind::Text) => {
                format!("a blob of {} bytes, which has no text", bytes.len())
            }
            Self::Blob(bytes) => format!("a blob of {} bytes", bytes.len()),
        };
        match column.sql_type.as_str() {
            "" => format!("a value is {found}, and the column has no type"),
            sql_type => format!("a value is {found}, and the type is {sql_type}"),
        }
    }
}

/// A number of 32 bits that is the same, or that people see with the same digits.
fn shown_single(number: f64) -> Result<f32, String> {
    let shown = number as f32;
    match shown.to_string().parse() == Ok(number) {
        true => Ok(shown),
        false => single(number),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_lose_digits_are_no_numbers_of_32_bits() {
        for number in [0.0, -0.5, 19.99, 1e-3, 16_777_216.0, f64::INFINITY] {
            assert!(shown_single(number).is_ok(), "{number}");
        }
        for number in [16_777_217.0, 1e300, 0.123_456_789_012_345, 1e-300] {
            assert!(shown_single(number).is_err(), "{number}");
        }
    }
}
