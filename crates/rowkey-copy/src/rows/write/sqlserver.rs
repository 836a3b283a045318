//! SQL Server: rows as the driver loads them in bulk; statements that insert many rows, for the
//! types that it does not load.

use rowkey_core::storage::{Stored, quote_identifier};
use rowkey_tables::Error;
use rowkey_tables::connection::shortened;
use rowkey_tables::connection::sqlserver::{Client, Socket};
use rowkey_tables::text_literal::text_literal;
use rowkey_tables::types::{Type, clock};
use tiberius::numeric::Numeric;
use tiberius::time::{Date, DateTime2, DateTimeOffset, Time};
use tiberius::{BulkLoadRequest, ColumnData, SqlBulkCopyOption, TokenRow};

use super::encoded::{Payload, Statement};
use super::literal::uuid_text;
use super::transaction::{TransactionBatches, check_count};
use super::{fit, literal};
use crate::batch::{Batch, Cell, as_double};
use crate::rows::shown::wrong_value;
use crate::tables::table_side::{ColumnSide, Content, TableSide};

/// How many bytes of a value the driver loads; a character of text has two, or two of its four.
const LOADED: usize = u16::MAX as usize;
/// How many characters of two bytes a type has at most whose name the driver gets right.
const LONGEST_NAMED: u32 = 2_000;
/// How many rows a statement has; the server accepts 1,000.
const ROWS: u64 = 500;
/// The length of a statement after which the next one begins.
const STATEMENT: usize = 1 << 20;
/// The days from the first of year 1 to the first of 2000.
const SINCE_YEAR_1: i64 = 730_119;

pub(super) async fn write(
    client: &mut Client,
    side: &TableSide,
    transaction: &mut TransactionBatches<'_>,
) -> Result<(), Error> {
    let doing = format!("writing {}", side.name);
    let mut next = transaction.next().await?;
    while let Some(payload) = next {
        next = match payload {
            Payload::Rows(rows) => load(client, side, rows, transaction, &doing).await?,
            Payload::Statements(statements) => {
                insert(client, side, statements, &doing).await?;
                transaction.next().await?
            }
            _ => return Err(Error::NoDriver(side.backend)),
        };
    }
    Ok(())
}

/// Whether the driver says the type of each column to the server as it is. It does not for a
/// fraction of a second with fewer digits, for times in minutes, and for money.
fn is_loaded(side: &TableSide) -> bool {
    side.columns.iter().all(|column| {
        match column.sql_type.name() {
            "time" | "datetimeoffset" => column.sql_type.has_tenths(),
            // The driver says their length in bytes, and calls them longer than they can be.
            "nchar" | "nvarchar" => match column.own {
                Type::Text(length) => length.is_none_or(|length| length <= LONGEST_NAMED),
                Type::PaddedText(length) => length <= LONGEST_NAMED,
                _ => true,
            },
            "smalldatetime" | "datetime" | "money" | "smallmoney" | "text" | "ntext" | "image" => {
                false
            }
            _ => true,
        }
    })
}

/// Loads rows and those that follow, and returns the first payload that cannot be loaded as rows.
async fn load(
    client: &mut Client,
    side: &TableSide,
    rows: Vec<TokenRow<'static>>,
    transaction: &mut TransactionBatches<'_>,
    doing: &str,
) -> Result<Option<Payload>, Error> {
    let table = side.quoted()?;
    let names = side.columns.iter();
    let names: Vec<String> = names
        .map(|column| quote_identifier(side.backend, &column.name))
        .collect::<Result<_, _>>()?;
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let options = SqlBulkCopyOption::KeepIdentity
        | SqlBulkCopyOption::KeepNulls
        | SqlBulkCopyOption::CheckConstraints
        | SqlBulkCopyOption::FireTriggers;
    let mut request = client
        .bulk_insert_with_options(&table, &names, options, &[])
        .await
        .map_err(Error::database(doing))?;
    let mut count = 0;
    let sent = send(&mut request, rows, transaction, &mut count, doing).await;
    // What was sent has to end, even if it is rolled back then: nothing else could be said before.
    let done = request.finalize().await;
    let next = sent?;
    // The rows of triggers are counted before those of the load.
    let done = done.map_err(Error::database(doing))?;
    let written = done.rows_affected().last().copied();
    check_count(side, count, written.ok_or_else(|| uncounted(side))?)?;
    Ok(next)
}

async fn send(
    request: &mut BulkLoadRequest<'_, Socket>,
    mut rows: Vec<TokenRow<'static>>,
    transaction: &mut TransactionBatches<'_>,
    count: &mut u64,
    doing: &str,
) -> Result<Option<Payload>, Error> {
    loop {
        for row in rows {
            request.send(row).await.map_err(Error::database(doing))?;
            *count += 1;
        }
        rows = match transaction.next().await? {
            Some(Payload::Rows(rows)) => rows,
            next => return Ok(next),
        };
    }
}

async fn insert(
    client: &mut Client,
    side: &TableSide,
    statements: Vec<Statement>,
    doing: &str,
) -> Result<(), Error> {
    for Statement { sql, rows } in statements {
        let done = client.simple_query(sql).await;
        let counted = done.map_err(Error::database(doing))?.into_row().await;
        let counted = counted.map_err(Error::database(doing))?;
        let written = counted.and_then(|row| row.get::<i64, _>(0));
        let written = written.and_then(|written| written.try_into().ok());
        check_count(side, rows, written.ok_or_else(|| uncounted(side))?)?;
    }
    Ok(())
}

fn uncounted(side: &TableSide) -> Error {
    Error::Differs {
        what: format!("writing {}", side.name),
        found: "the server has not said how many rows it has written".into(),
    }
}

/// Whether a value is longer than those that the driver loads.
fn has_long_values(batch: &Batch) -> bool {
    let is_long = |cell: &Cell| match *cell {
        Cell::Text(span) => batch.text(span).len() > LOADED / 2,
        Cell::Bytes(span) => batch.bytes(span).len() > LOADED,
        _ => false,
    };
    batch.rows().flatten().any(is_long)
}

/// The rows of a batch.
pub(super) fn encode(side: &TableSide, batch: &Batch) -> Result<Payload, Error> {
    if !is_loaded(side) || has_long_values(batch) {
        return Ok(Payload::Statements(statements(side, batch)?));
    }
    let mut rows = Vec::with_capacity(batch.rows().len());
    for cells in batch.rows() {
        let mut row = TokenRow::with_capacity(cells.len());
        for (column, cell) in side.columns.iter().zip(cells) {
            let value = value(column, batch, *cell);
            row.push(value.map_err(|why| wrong_value(side, column, batch, cells, &why))?);
        }
        rows.push(row);
    }
    Ok(Payload::Rows(rows))
}

/// A value of the variant that the column's type needs.
fn value(column: &ColumnSide, batch: &Batch, cell: Cell) -> Result<ColumnData<'static>, String> {
    use ColumnData as D;
    fit::check(rowkey_core::Backend::SqlServer, column, batch, cell)?;
    Ok(match cell {
        Cell::Null => null(column),
        Cell::Bool(value) if matches!(column.own, Type::Integer { .. }) => {
            integer(column, value.into())?
        }
        Cell::Bool(value) => D::Bit(Some(value)),
        Cell::Integer(number) => integer(column, number)?,
        Cell::Large(number) => numeric(column, &number.to_string())?,
        Cell::Single(number) if column.own == Type::Double => D::F64(Some(number.into())),
        Cell::Single(number) => D::F32(Some(number)),
        Cell::Double(number) => D::F64(Some(number)),
        Cell::Decimal(span) if column.own == Type::Double => {
            let number = as_double(batch.text(span)).ok_or("a value would be rounded")?;
            D::F64(Some(number))
        }
        Cell::Decimal(span) => numeric(column, batch.text(span))?,
        Cell::Text(span) => D::String(Some(batch.text(span).to_owned().into())),
        Cell::Bytes(span) => D::Binary(Some(batch.bytes(span).to_vec().into())),
        Cell::Date(days) => D::Date(Some(date(days.into())?)),
        Cell::Time(micros) => D::Time(Some(time(column, micros)?)),
        Cell::Timestamp(micros) => {
            let value = DateTime2::new(
                date(micros.div_euclid(clock::DAY))?,
                time(column, micros.rem_euclid(clock::DAY))?,
            );
            match column.own {
                Type::Instant => D::DateTimeOffset(Some(DateTimeOffset::new(value, 0))),
                _ => D::DateTime2(Some(value)),
            }
        }
        Cell::Sixteen(span) => match (column.content, column.own) {
            (Content::Ids(form), _) => stored(form.encode(batch.sixteen(span)))?,
            (_, Type::Text(_) | Type::PaddedText(_)) => {
                D::String(Some(uuid_text(column.own, batch.bytes(span)).into()))
            }
            (_, Type::Uuid) => guid(batch.sixteen(span).to_be_bytes()),
            _ => D::Binary(Some(batch.bytes(span).to_vec().into())),
        },
        Cell::Refused(span) => return Err(batch.text(span).to_owned()),
    })
}

fn guid(bytes: [u8; 16]) -> ColumnData<'static> {
    ColumnData::Guid(Some(tiberius::Uuid::from_bytes(bytes)))
}

fn stored(stored: Stored) -> Result<ColumnData<'static>, String> {
    use ColumnData as D;
    Ok(match stored {
        Stored::Uuid(bytes) => guid(bytes),
        Stored::Bytes(bytes) => D::Binary(Some(bytes.as_slice().to_vec().into())),
        Stored::Text(text) => D::String(Some(text.as_str().to_owned().into())),
        Stored::Integer(number) => D::I64(Some(number)),
        Stored::Decimal(number) => {
            let number = i128::try_from(number).map_err(|_| "an id has more than 38 digits")?;
            D::Numeric(Some(Numeric::new_with_scale(number, 0)))
        }
    })
}

fn null(column: &ColumnSide) -> ColumnData<'static> {
    use ColumnData as D;
    match column.own {
        Type::Bool | Type::Flag => D::Bit(None),
        Type::Integer { bytes: 1, .. } => D::U8(None),
        Type::Integer { bytes: 2, .. } => D::I16(None),
        Type::Integer { bytes: 4, .. } => D::I32(None),
        Type::Integer { .. } => D::I64(None),
        Type::Single => D::F32(None),
        Type::Double => D::F64(None),
        Type::Decimal(_) => D::Numeric(None),
        Type::Bytes(_) | Type::FixedBytes(_) => D::Binary(None),
        Type::Date => D::Date(None),
        Type::Time => D::Time(None),
        Type::Timestamp => D::DateTime2(None),
        Type::Instant => D::DateTimeOffset(None),
        Type::Uuid => D::Guid(None),
        _ => D::String(None),
    }
}

fn integer(column: &ColumnSide, number: i64) -> Result<ColumnData<'static>, String> {
    use ColumnData as D;
    let outside = |_| format!("a value is {number}, outside of {}", column.sql_type);
    Ok(match column.own {
        Type::Decimal(_) => numeric(column, &number.to_string())?,
        Type::Integer { bytes: 1, .. } => D::U8(Some(u8::try_from(number).map_err(outside)?)),
        Type::Integer { bytes: 2, .. } => D::I16(Some(i16::try_from(number).map_err(outside)?)),
        Type::Integer { bytes: 4, .. } => D::I32(Some(i32::try_from(number).map_err(outside)?)),
        _ => D::I64(Some(number)),
    })
}

/// A number with all digits of the column.
fn numeric(column: &ColumnSide, digits: &str) -> Result<ColumnData<'static>, String> {
    let Type::Decimal(Some((_, scale))) = column.own else {
        return Err(format!(
            "a value is {}, outside of {}",
            shortened(digits),
            column.sql_type
        ));
    };
    let number = fit::scaled(digits, scale);
    let number = number
        .zip(u8::try_from(scale).ok())
        .filter(|(_, scale)| *scale <= 38);
    let (number, scale) = number.ok_or_else(|| {
        let shown = shortened(digits);
        format!("a value is {shown}, which is no {}", column.sql_type)
    })?;
    Ok(ColumnData::Numeric(Some(Numeric::new_with_scale(
        number, scale,
    ))))
}

fn date(days: i64) -> Result<Date, String> {
    let days = u32::try_from(days + SINCE_YEAR_1).ok();
    let days = days.filter(|days| days >> 24 == 0).ok_or(clock::OUTSIDE)?;
    Ok(Date::new(days))
}

/// With the digits of the column, because the driver's own conversion is not exact.
fn time(column: &ColumnSide, micros: i64) -> Result<Time, String> {
    let wrong = || {
        format!(
            "a value is {}, which is no time of a day",
            clock::time_text(micros)
        )
    };
    let tenths = u64::try_from(micros).map_err(|_| wrong())?.checked_mul(10);
    let scale = column.sql_type.scale();
    let unit = 10_u64.pow(7_u32.saturating_sub(scale.into()));
    match tenths.ok_or_else(wrong)? {
        tenths if tenths % unit == 0 => Ok(Time::new(tenths / unit, scale)),
        _ => Err(format!(
            "a value is {}, which has more digits than {}",
            clock::time_text(micros),
            column.sql_type
        )),
    }
}

/// Statements with literals, which count the rows that they have inserted.
fn statements(side: &TableSide, batch: &Batch) -> Result<Vec<Statement>, Error> {
    let table = side.quoted()?;
    let place = text_literal(side.backend, &table);
    let names = side.columns.iter();
    let names: Vec<String> = names
        .map(|column| text_literal(side.backend, &column.name))
        .collect();
    let is_given = format!(
        "IF EXISTS (SELECT 1 FROM sys.identity_columns \
         WHERE object_id = OBJECT_ID({place}) AND name IN ({}))",
        names.join(", ")
    );
    let beginning = format!(
        "{is_given} SET IDENTITY_INSERT {table} ON; INSERT INTO {table} ({}) VALUES ",
        side.column_list()?
    );
    let mut statements: Vec<Statement> = Vec::new();
    for row in batch.rows() {
        let is_full =
            |statement: &Statement| statement.sql.len() >= STATEMENT || statement.rows >= ROWS;
        if statements.last().is_none_or(is_full) {
            let (sql, rows) = (beginning.clone(), 0);
            statements.push(Statement { sql, rows });
        }
        if let Some(Statement { sql, rows }) = statements.last_mut() {
            sql.push_str(if *rows == 0 { "(" } else { ",(" });
            for (number, (column, cell)) in side.columns.iter().zip(row).enumerate() {
                if number > 0 {
                    sql.push(',');
                }
                literal::push(sql, side.backend, column, batch, *cell)
                    .map_err(|why| wrong_value(side, column, batch, row, &why))?;
            }
            sql.push(')');
            *rows += 1;
        }
    }
    // The next table of the session may have a counted column too.
    let end = format!("; SELECT ROWCOUNT_BIG(); {is_given} SET IDENTITY_INSERT {table} OFF");
    statements
        .iter_mut()
        .for_each(|statement| statement.sql.push_str(&end));
    Ok(statements)
}

#[cfg(test)]
mod tests {
    use rowkey_core::Backend;

    use super::*;
    use rowkey_tables::types::{ColumnType, Kind};

    fn column(sql_type: &str) -> ColumnSide {
        let sql_type = ColumnType::parse(Backend::SqlServer, sql_type);
        let own = sql_type.meaning().unwrap();
        let content = Content::Values(Kind::Time);
        ColumnSide::new("c", sql_type, own, content)
    }

    #[test]
    fn times_have_the_digits_of_their_column() {
        for (sql_type, micros, expected) in [
            ("time(7)", 86_399_999_999, Some((863_999_999_990, 7))),
            ("datetime2(6)", 86_399_999_999, Some((86_399_999_999, 6))),
            ("datetime2(3)", 86_399_999_000, Some((86_399_999, 3))),
            ("datetime2(3)", 86_399_999_999, None),
            ("datetime2(0)", 1_000_000, Some((1, 0))),
            ("datetime2", -1, None),
        ] {
            let time = time(&column(sql_type), micros).ok();
            let time = time.map(|time| (time.increments(), time.scale()));
            assert_eq!(time, expected, "{sql_type}");
        }
    }

    #[test]
    fn only_types_that_the_driver_names_are_loaded() {
        for (sql_type, expected) in [
            ("time(7)", true),
            ("time(3)", false),
            ("datetimeoffset", true),
            ("datetime2(0)", true),
            ("money", false),
            ("nvarchar(max) COLLATE Latin1_General_100_BIN2", true),
        ] {
            let columns = vec![column(sql_type)];
            let side = TableSide::new(Backend::SqlServer, "t".into(), columns);
            assert_eq!(is_loaded(&side), expected, "{sql_type}");
        }
    }
}
