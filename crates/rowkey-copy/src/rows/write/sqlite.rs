//! SQLite: prepared statements that insert some rows each.

use rowkey_core::Backend;
use rowkey_core::storage::Stored;
use rowkey_tables::Error;
use rowkey_tables::types::{Type, clock};
use sqlx::query::Query;
use sqlx::sqlite::SqliteArguments;
use sqlx::{AssertSqlSafe, Sqlite, SqliteConnection};

use super::encoded::Payload;
use super::fit;
use super::literal::{has_uuid_text, uuid_text};
use super::transaction::{TransactionBatches, check_count};
use crate::batch::{Batch, Cell, as_double};
use crate::rows::shown::wrong_value;
use crate::tables::table_side::{ColumnSide, Content, TableSide};

/// How many rows a statement has; more do not make it faster.
const ROWS: usize = 50;
/// How many values a statement can have.
const VALUES: usize = 32_766;

pub(super) async fn write(
    connection: &mut SqliteConnection,
    side: &TableSide,
    transaction: &mut TransactionBatches<'_>,
) -> Result<(), Error> {
    let doing = format!("writing {}", side.name);
    let columns = side.columns.len();
    let rows = ROWS.min(VALUES / columns.max(1)).max(1);
    while let Some(payload) = transaction.next().await? {
        let Payload::Batch(batch) = payload else {
            return Err(Error::NoDriver(side.backend));
        };
        let all: Vec<&[Cell]> = batch.rows().collect();
        for part in all.chunks(rows) {
            let statement = insertion(side, part.len())?;
            let mut query = sqlx::query(AssertSqlSafe(statement));
            for row in part {
                for (column, cell) in side.columns.iter().zip(*row) {
                    query = bind(query, column, &batch, *cell)
                        .map_err(|why| wrong_value(side, column, &batch, row, &why))?;
                }
            }
            let done = query.execute(&mut *connection).await;
            let written = done.map_err(Error::database(&doing))?.rows_affected();
            check_count(side, part.len() as u64, written)?;
        }
    }
    Ok(())
}

fn insertion(side: &TableSide, rows: usize) -> Result<String, Error> {
    let row = format!("({})", vec!["?"; side.columns.len()].join(","));
    Ok(format!(
        "INSERT INTO {} ({}) VALUES {}",
        side.quoted()?,
        side.column_list()?,
        vec![row; rows].join(",")
    ))
}

type Bound<'q> = Query<'q, Sqlite, SqliteArguments>;

fn bind<'q>(
    query: Bound<'q>,
    column: &ColumnSide,
    batch: &Batch,
    cell: Cell,
) -> Result<Bound<'q>, String> {
    fit::check(Backend::Sqlite, column, batch, cell)?;
    Ok(match cell {
        Cell::Null => query.bind(None::<i64>),
        Cell::Bool(value) => query.bind(i64::from(value)),
        Cell::Integer(number) if matches!(column.own, Type::Decimal(_)) => {
            query.bind(number.to_string())
        }
        Cell::Integer(number) => query.bind(number),
        Cell::Large(number) if matches!(column.own, Type::Decimal(_)) => {
            query.bind(number.to_string())
        }
        Cell::Large(number) => query.bind(number.cast_signed()),
        Cell::Single(number) => query.bind(f64::from(number)),
        Cell::Double(number) => query.bind(number),
        Cell::Decimal(span) => {
            // Its own reading of digits may be another number.
            let is_number = column.stores_floats();
            let digits = batch.text(span);
            let whole = fit::scaled(digits, 0).and_then(|number| i64::try_from(number).ok());
            match (is_number, whole, as_double(digits)) {
                (true, Some(number), _) => query.bind(number),
                (true, None, Some(number)) if !number.is_nan() => query.bind(number),
                _ => query.bind(digits.to_owned()),
            }
        }
        Cell::Text(span) => query.bind(batch.text(span).to_owned()),
        Cell::Bytes(span) => query.bind(batch.bytes(span).to_vec()),
        Cell::Date(days) => query.bind(clock::date_text(days)?),
        Cell::Time(micros) => query.bind(clock::time_text(micros)),
        Cell::Timestamp(micros) => {
            let mut text = clock::timestamp_text(micros)?;
            if column.own == Type::Instant {
                text += "+00:00";
            }
            query.bind(text)
        }
        Cell::Sixteen(span) => match column.content {
            Content::Ids(form) => match form.encode(batch.sixteen(span)) {
                Stored::Uuid(bytes) => query.bind(bytes.to_vec()),
                Stored::Bytes(bytes) => query.bind(bytes.as_slice().to_vec()),
                Stored::Text(text) => query.bind(text.as_str().to_owned()),
                Stored::Decimal(number) => query.bind(number.to_string()),
                Stored::Integer(number) => query.bind(number),
            },
            Content::Values(_) if has_uuid_text(Backend::Sqlite, column) => {
                query.bind(uuid_text(column.own, batch.bytes(span)))
            }
            Content::Values(_) => query.bind(batch.bytes(span).to_vec()),
        },
        Cell::Refused(span) => return Err(batch.text(span).to_owned()),
    })
}
