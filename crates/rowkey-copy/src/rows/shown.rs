//! Values and rows for people.

use rowkey_tables::Error;
use rowkey_tables::connection::on_one_line;
use rowkey_tables::types::clock;

use crate::batch::{Batch, Cell};
use crate::rows::write::literal::hyphenated;
use crate::tables::table_side::{ColumnSide, TableSide};

/// How many characters of the key of a row are shown.
const KEY: usize = 80;

/// The error for a value of a row that has no place in the column.
pub(crate) fn wrong_value(
    side: &TableSide,
    column: &ColumnSide,
    batch: &Batch,
    row: &[Cell],
    why: &str,
) -> Error {
    // What is refused has no text but the reason.
    let is_shown = |place: &usize| !matches!(row.get(*place), Some(Cell::Refused(_)));
    let has_key = !side.key.is_empty() && side.key.iter().all(is_shown);
    let key = has_key.then(|| row_key(batch, row, &side.key));
    side.wrong(column, &in_row(why, key.as_deref()))
}

/// What is said about a value, with the key of its row, if it has one.
pub(crate) fn in_row(why: &str, key: Option<&str>) -> String {
    match key {
        Some(key) => format!("{why}, in the row {key}"),
        None => why.to_owned(),
    }
}

/// The beginning of the key of a row.
pub(crate) fn row_key(batch: &Batch, row: &[Cell], key: &[usize]) -> String {
    key_text(batch, row, key).chars().take(KEY).collect()
}

/// A key for people; the whole row if there is none.
pub(crate) fn key_text(batch: &Batch, cells: &[Cell], key: &[usize]) -> String {
    let shown: Vec<&Cell> = match key {
        [] => cells.iter().collect(),
        key => key.iter().map(|place| &cells[*place]).collect(),
    };
    let texts: Vec<String> = shown
        .into_iter()
        .map(|cell| cell_text(batch, *cell))
        .collect();
    texts.join("/")
}

fn cell_text(batch: &Batch, cell: Cell) -> String {
    match cell {
        Cell::Null => "NULL".into(),
        Cell::Bool(value) => value.to_string(),
        Cell::Integer(number) => number.to_string(),
        Cell::Large(number) => number.to_string(),
        Cell::Single(number) => number.to_string(),
        Cell::Double(number) => number.to_string(),
        Cell::Decimal(span) => batch.text(span).to_owned(),
        Cell::Text(span) | Cell::Refused(span) => on_one_line(batch.text(span)),
        Cell::Bytes(span) => hex::encode(batch.bytes(span)),
        Cell::Date(days) => clock::date_text(days).unwrap_or_else(|_| format!("day {days}")),
        Cell::Time(micros) => clock::time_text(micros),
        Cell::Timestamp(micros) => {
            clock::timestamp_text(micros).unwrap_or_else(|_| format!("microsecond {micros}"))
        }
        Cell::Sixteen(span) => hyphenated(batch.bytes(span)),
    }
}
