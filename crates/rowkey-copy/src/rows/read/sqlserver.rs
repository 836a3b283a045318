//! SQL Server: a query, whose values come as the server stores them.

use futures_util::TryStreamExt;
use rowkey_core::storage::StoredRef;
use rowkey_tables::Error;
use rowkey_tables::connection::sqlserver::Client;
use rowkey_tables::types::{Kind, clock};
use tiberius::time::{DateTime, DateTime2, SmallDateTime, Time};
use tiberius::{ColumnData, QueryItem};

use super::batch_sender::BatchSender;
use super::cells::{
    NoCell, decimal_cell, id_cell, integer_cell, planned_cell, single, sixteen_cell, text_cell,
    utf8, value_in_text, whole_cell, whole_double,
};
use crate::batch::{Batch, Cell, pointed};
use crate::tables::table_side::{ColumnSide, Content, TableSide};

/// The days from the first of a server's type to the first of 2000.
const SINCE_YEAR_1: i64 = 730_119;
const SINCE_1900: i64 = 36_524;
const MINUTE: i64 = 60_000_000;

pub(super) async fn read(
    client: &mut Client,
    side: &TableSide,
    query: &str,
    sender: &mut BatchSender,
) -> Result<(), Error> {
    let doing = format!("reading {}", side.name);
    let mut rows = client
        .simple_query(query)
        .await
        .map_err(Error::database(&doing))?;
    while let Some(item) = rows.try_next().await.map_err(Error::database(&doing))? {
        let QueryItem::Row(row) = item else {
            continue;
        };
        if row.len() != side.columns.len() {
            return Err(Error::Differs {
                what: doing,
                found: format!(
                    "a row has {} values, and {} were selected",
                    row.len(),
                    side.columns.len()
                ),
            });
        }
        for (column, value) in side.columns.iter().zip(row) {
            let cell =
                cell(&mut sender.batch, column, value).map_err(|why| side.wrong(column, &why))?;
            sender.batch.push(cell);
        }
        if sender.end_row(side).await.is_err() {
            return Ok(());
        }
    }
    Ok(())
}

fn cell(batch: &mut Batch, column: &ColumnSide, value: ColumnData<'_>) -> Result<Cell, String> {
    let read = match Found::of(value) {
        Err(why) => Err(why),
        Ok(None) => return Ok(Cell::Null),
        Ok(Some(found)) => found.cell_of(batch, column),
    };
    planned_cell(batch, column, read)
}

/// A value that is not NULL.
enum Found<'r> {
    Bool(bool),
    Integer(i64),
    Single(f32),
    Double(f64),
    /// Digits with a sign and a point.
    Decimal(String),
    Text(std::borrow::Cow<'r, str>),
    Bytes(std::borrow::Cow<'r, [u8]>),
    /// In the order of its text.
    Uuid([u8; 16]),
    Date(i64),
    /// Tenths of a microsecond since midnight.
    Time(i64),
    /// Tenths of a microsecond since the first of 2000.
    Timestamp(i64),
}

impl<'r> Found<'r> {
    fn of(value: ColumnData<'r>) -> Result<Option<Self>, NoCell> {
        use ColumnData as D;
        Ok(match value {
            D::Bit(value) => value.map(Self::Bool),
            D::U8(value) => value.map(|value| Self::Integer(value.into())),
            D::I16(value) => value.map(|value| Self::Integer(value.into())),
            D::I32(value) => value.map(|value| Self::Integer(value.into())),
            D::I64(value) => value.map(Self::Integer),
            D::F32(value) => value.map(Self::Single),
            D::F64(value) => value.map(Self::Double),
            D::Numeric(value) => value.map(|number| {
                Self::Decimal(pointed(&number.value().to_string(), number.scale().into()))
            }),
            D::String(value) => value.map(Self::Text),
            D::Binary(value) => value.map(Self::Bytes),
            D::Guid(value) => value.map(|guid| Self::Uuid(*guid.as_bytes())),
            D::Date(value) => value.map(|date| Self::Date(i64::from(date.days()) - SINCE_YEAR_1)),
            D::Time(value) => value.map(tenths).transpose()?.map(Self::Time),
            D::DateTime(value) => value.map(|value| Self::Timestamp(of_datetime(value))),
            D::SmallDateTime(value) => value.map(|value| Self::Timestamp(of_smalldatetime(value))),
            D::DateTime2(value) => value.map(of_datetime2).transpose()?.map(Self::Timestamp),
            // In UTC, whatever its offset is.
            D::DateTimeOffset(value) => {
                let moment = value.map(|value| of_datetime2(value.datetime2()));
                moment.transpose()?.map(Self::Timestamp)
            }
            D::Xml(_) => return Err(NoCell::fault("the server has sent XML instead of text")),
        })
    }

    fn cell_of(self, batch: &mut Batch, column: &ColumnSide) -> Result<Cell, NoCell> {
        let kind = match column.content {
            Content::Ids(_) => return self.id(batch, column),
            Content::Values(kind) => kind,
        };
        Ok(match (kind, &self) {
            (Kind::Bool, Self::Bool(value)) => Cell::Bool(*value),
            (Kind::Bool, Self::Integer(truth @ (0 | 1))) => Cell::Bool(*truth == 1),
            (Kind::Integer, Self::Integer(number)) => integer_cell((*number).into())?,
            (Kind::Integer, Self::Decimal(digits)) => whole_cell(digits)?,
            (Kind::Decimal, Self::Decimal(digits)) => text_cell(batch, kind, digits)?,
            (Kind::Decimal, Self::Double(number)) => decimal_cell(batch, *number),
            (Kind::Single, Self::Integer(number)) => {
                Cell::Single(single(whole_double((*number).into())?)?)
            }
            (Kind::Double, Self::Integer(number)) => Cell::Double(whole_double((*number).into())?),
            (Kind::Single, Self::Single(number)) => Cell::Single(*number),
            (Kind::Single, Self::Double(number)) => Cell::Single(single(*number)?),
            (Kind::Double, Self::Double(number)) => Cell::Double(*number),
            (Kind::Text | Kind::Json, Self::Text(text)) => Cell::Text(batch.keep(text.as_bytes())),
            (_, Self::Text(text)) => value_in_text(batch, column, kind, text)?,
            (Kind::Text, Self::Bytes(bytes)) => text_cell(batch, kind, utf8(bytes)?)?,
            (Kind::Bytes, Self::Bytes(bytes)) => Cell::Bytes(batch.keep(bytes)),
            (Kind::Uuid, Self::Uuid(bytes)) => Cell::Sixteen(batch.keep(bytes)),
            (Kind::Uuid, Self::Bytes(bytes)) => sixteen_cell(batch, bytes)?,
            (Kind::Date, Self::Date(days)) => {
                Cell::Date(i32::try_from(*days).map_err(|_| clock::OUTSIDE)?)
            }
            (Kind::Timestamp, Self::Date(days)) => Cell::Timestamp(days * clock::DAY),
            (Kind::Time, Self::Time(tenths)) => Cell::Time(micros(column, *tenths)?),
            (Kind::Timestamp, Self::Timestamp(tenths)) => Cell::Timestamp(micros(column, *tenths)?),
            _ => {
                return Err(NoCell::fault(format!(
                    "the server has sent another value than one of {}",
                    column.sql_type
                )));
            }
        })
    }

    fn id(self, batch: &mut Batch, column: &ColumnSide) -> Result<Cell, NoCell> {
        let found = match &self {
            Self::Integer(number) => StoredRef::Integer((*number).into()),
            Self::Decimal(digits) => StoredRef::Text(digits),
            Self::Text(text) => StoredRef::Text(text),
            Self::Bytes(bytes) => StoredRef::Bytes(bytes),
            Self::Uuid(bytes) => StoredRef::Bytes(bytes),
            _ => return Err(NoCell::fault("it contains no ids")),
        };
        Ok(id_cell(batch, column, found)?)
    }
}

fn tenths(time: Time) -> Result<i64, NoCell> {
    let wrong = || NoCell::fault("the server has sent a time with too many digits");
    let missing = 7_u32.checked_sub(time.scale().into()).ok_or_else(wrong)?;
    let tenths = i64::try_from(time.increments()).map_err(|_| wrong())?;
    tenths.checked_mul(10_i64.pow(missing)).ok_or_else(wrong)
}

fn of_datetime2(value: DateTime2) -> Result<i64, NoCell> {
    let days = i64::from(value.date().days()) - SINCE_YEAR_1;
    Ok(days * clock::DAY * 10 + tenths(value.time())?)
}

/// A `datetime` counts 300 parts of a second, which the server shows as milliseconds.
fn of_datetime(value: DateTime) -> i64 {
    let millis = (i64::from(value.seconds_fragments()) * 10 + 1) / 3;
    ((i64::from(value.days()) - SINCE_1900) * clock::DAY + millis * 1_000) * 10
}

/// A `smalldatetime` counts the minutes of a day.
fn of_smalldatetime(value: SmallDateTime) -> i64 {
    let minutes = i64::from(value.seconds_fragments());
    ((i64::from(value.days()) - SINCE_1900) * clock::DAY + minutes * MINUTE) * 10
}

fn micros(column: &ColumnSide, tenths: i64) -> Result<i64, String> {
    match tenths.rem_euclid(10) {
        0 => Ok(tenths / 10),
        _ if column.instead.tenths.is_some() => Ok(tenths.div_euclid(10)),
        digit => {
            let micros = tenths.div_euclid(10);
            let text = match column.content {
                Content::Values(Kind::Time) => clock::time_text(micros),
                _ => clock::timestamp_text(micros)?,
            };
            Err(format!(
                "a value is {text}{digit}, which has a seventh digit behind the second"
            ))
        }
    }
}

#[cfg(test)]
mod tests {
    use tiberius::time::Date;

    use super::*;

    #[test]
    fn numbers_keep_their_digits() {
        for (value, scale, expected) in [
            (0, 0, "0"),
            (-5, 3, "-0.005"),
            (i128::MAX, 0, "170141183460469231731687303715884105727"),
            (12_345, 2, "123.45"),
            (10, 1, "1.0"),
        ] {
            assert_eq!(pointed(&value.to_string(), scale), expected);
        }
    }

    #[test]
    fn times_begin_where_the_server_begins_them() {
        let shown = |tenths: i64| clock::timestamp_text(tenths / 10).unwrap();
        let first = DateTime2::new(Date::new(0), Time::new(0, 0));
        let last = DateTime2::new(Date::new(3_652_058), Time::new(86_399_999_999, 6));
        assert_eq!(
            shown(of_datetime2(first).unwrap()),
            "0001-01-01 00:00:00.000000"
        );
        assert_eq!(
            shown(of_datetime2(last).unwrap()),
            "9999-12-31 23:59:59.999999"
        );
        let third = |parts| shown(of_datetime(DateTime::new(0, parts)));
        assert_eq!(third(0), "1900-01-01 00:00:00.000000");
        assert_eq!(third(1), "1900-01-01 00:00:00.003000");
        assert_eq!(third(2), "1900-01-01 00:00:00.007000");
        assert_eq!(third(25_919_999), "1900-01-01 23:59:59.997000");
        assert_eq!(
            shown(of_smalldatetime(SmallDateTime::new(36_524, 61))),
            "2000-01-01 01:01:00.000000"
        );
        assert!(tenths(Time::new(1, 8)).is_err());
    }
}
