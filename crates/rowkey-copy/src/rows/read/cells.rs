//! The cells that readers make of values.

use rowkey_core::storage::StoredRef;
use rowkey_tables::connection::shortened;
use rowkey_tables::types::{Kind, clock};

use crate::batch::{Batch, Cell, normal};
use crate::rows::write::fit::scaled;
use crate::tables::table_side::{ColumnSide, Content};

/// How the reason of a text ends that no type holds.
pub(crate) const NO_UTF_8: &str = "that is no UTF-8";
/// Why a time with digits that no target has a place for has no cell, unless the plan cuts them off.
pub(crate) const NANOSECONDS: &str = "which has more than six digits behind the second";

/// Why a value has no cell.
#[derive(Debug)]
pub(super) enum NoCell {
    /// It is none of those that the column is for, which a plan may replace.
    Misfit(String),
    /// It is none at all: the server has sent something else.
    Fault(String),
}

impl NoCell {
    pub(super) fn fault(why: impl Into<String>) -> Self {
        Self::Fault(why.into())
    }
}

impl From<String> for NoCell {
    fn from(why: String) -> Self {
        Self::Misfit(why)
    }
}

impl From<&str> for NoCell {
    fn from(why: &str) -> Self {
        Self::Misfit(why.to_owned())
    }
}

/// The cell that the plan wants, whatever was read.
pub(super) fn planned_cell(
    batch: &mut Batch,
    column: &ColumnSide,
    read: Result<Cell, NoCell>,
) -> Result<Cell, String> {
    match read {
        Ok(Cell::Text(span)) if column.trims => {
            let text = batch.text(span).trim_end_matches(' ').to_owned();
            let cell = Cell::Text(batch.keep(text.as_bytes()));
            Ok(column.instead.apply(batch, cell))
        }
        Ok(cell) => Ok(column.instead.apply(batch, column.cut(cell))),
        Err(NoCell::Misfit(_)) if column.instead.other_type.is_some() => Ok(Cell::Null),
        Err(NoCell::Misfit(why)) if column.keeps_refused => {
            Ok(Cell::Refused(batch.keep(why.as_bytes())))
        }
        Err(NoCell::Misfit(why) | NoCell::Fault(why)) => Err(why),
    }
}

/// The cell of an id in the form of a side.
pub(crate) fn id_cell(
    batch: &mut Batch,
    column: &ColumnSide,
    found: StoredRef<'_>,
) -> Result<Cell, String> {
    let Content::Ids(form) = column.content else {
        return Err("it contains no ids".into());
    };
    let id = form.decode(found).map_err(|error| error.to_string())?;
    Ok(Cell::Sixteen(batch.keep(&id.to_be_bytes())))
}

/// The cell of a value in a column of text, or in SQLite.
pub(super) fn value_in_text(
    batch: &mut Batch,
    column: &ColumnSide,
    kind: Kind,
    text: &str,
) -> Result<Cell, String> {
    let shown = || shortened(text);
    match kind {
        Kind::Timestamp if !column.takes_offsets && clock::has_other_offset(text) => Err(format!(
            "a value is \"{}\", whose offset from UTC the target does not have",
            shown()
        )),
        Kind::Time | Kind::Timestamp => time_cell(batch, column, kind, text),
        // A number would lose these.
        Kind::Integer if is_padded(text) && column.is_number_or_time_in_text() => Err(format!(
            "a value is \"{}\", which is no whole number without zeros or a sign before it",
            shown()
        )),
        _ => text_cell(batch, kind, text),
    }
}

fn is_padded(digits: &str) -> bool {
    let number: Result<i128, _> = digits.parse();
    number.is_ok_and(|number| number.to_string() != digits)
}

/// The cell of a time in text, of which a plan may cut digits off.
fn time_cell(
    batch: &mut Batch,
    column: &ColumnSide,
    kind: Kind,
    text: &str,
) -> Result<Cell, String> {
    let cell = text_cell(batch, kind, text);
    match clock::without_nanos(text).filter(|_| cell.is_err()) {
        Some(cut) if column.instead.fraction.is_some() => text_cell(batch, kind, &cut),
        Some(cut) if text_cell(batch, kind, &cut).is_ok() => {
            Err(format!("a value is \"{}\", {NANOSECONDS}", shortened(text)))
        }
        _ => cell,
    }
}

/// The cell of text that a side stores for a kind.
pub(super) fn text_cell(batch: &mut Batch, kind: Kind, text: &str) -> Result<Cell, String> {
    let no = |what: &str| format!("a value is \"{}\", which is no {what}", shortened(text));
    Ok(match kind {
        Kind::Text | Kind::Json => Cell::Text(batch.keep(text.as_bytes())),
        Kind::Bytes => Cell::Bytes(batch.keep(text.as_bytes())),
        Kind::Decimal if normal(text).is_some() => Cell::Decimal(batch.keep(text.as_bytes())),
        Kind::Bool => match text.trim_end_matches(' ').to_ascii_lowercase().as_str() {
            "1" | "t" | "true" | "y" | "yes" => Cell::Bool(true),
            "0" | "f" | "false" | "n" | "no" => Cell::Bool(false),
            _ => return Err(no("truth value")),
        },
        Kind::Integer => integer_cell(text.parse().map_err(|_| no("whole number"))?)?,
        Kind::Date => Cell::Date(clock::read_date(text).ok_or_else(|| no("date"))?),
        Kind::Time => {
            let time = clock::read_time(text).or_else(|| clock::read_span(text));
            Cell::Time(time.ok_or_else(|| no("time of day"))?)
        }
        Kind::Timestamp => {
            Cell::Timestamp(clock::read_timestamp(text).ok_or_else(|| no("date and time"))?)
        }
        Kind::Uuid => {
            let sixteen = sixteen_of(text).ok_or_else(|| no("UUID"))?;
            Cell::Sixteen(batch.keep(&sixteen))
        }
        Kind::Decimal => return Err(no("decimal number")),
        Kind::Single | Kind::Double | Kind::Own => return Err(no("such value")),
    })
}

pub(super) fn integer_cell(number: i128) -> Result<Cell, String> {
    match (i64::try_from(number), u64::try_from(number)) {
        (Ok(number), _) => Ok(Cell::Integer(number)),
        (_, Ok(number)) => Ok(Cell::Large(number)),
        _ => Err(format!("a value is {number}, which has more than 64 bits")),
    }
}

/// A floating-point number that is the same.
pub(super) fn whole_double(number: i128) -> Result<f64, String> {
    let double = number as f64;
    match double as i128 == number {
        true => Ok(double),
        false => Err(format!("a value is {number}, which would be rounded")),
    }
}

/// A number of 32 bits that is the same.
pub(super) fn single(number: f64) -> Result<f32, String> {
    let single = number as f32;
    match f64::from(single) == number || number.is_nan() {
        true => Ok(single),
        false => Err(format!(
            "a value is {number:?}, which has more digits than a number of 32 bits"
        )),
    }
}

/// The shortest digits that are the number.
pub(super) fn decimal_cell(batch: &mut Batch, number: f64) -> Cell {
    let digits = number.to_string().replace("inf", "Infinity");
    Cell::Decimal(batch.keep(digits.as_bytes()))
}

/// The whole number that some digits are.
pub(super) fn whole_cell(digits: &str) -> Result<Cell, String> {
    let wrong = || {
        let shown = shortened(digits);
        format!("a value is {shown}, which is no whole number of 64 bits")
    };
    integer_cell(scaled(digits, 0).ok_or_else(wrong)?)
}

/// The bytes of a UUID in text.
pub(crate) fn sixteen_of(text: &str) -> Option<[u8; 16]> {
    let is_hyphen = |place: usize| matches!(place, 8 | 13 | 18 | 23);
    let is_hex = text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_shaped = text.len() == 36
        && text
            .bytes()
            .enumerate()
            .all(|(place, byte)| match is_hyphen(place) {
                true => byte == b'-',
                false => byte.is_ascii_hexdigit(),
            });
    if !is_shaped && !is_hex {
        return None;
    }
    let number = u128::from_str_radix(&text.replace('-', ""), 16).ok()?;
    Some(number.to_be_bytes())
}

/// Text from a driver.
pub(super) fn utf8(bytes: &[u8]) -> Result<&str, String> {
    str::from_utf8(bytes).map_err(|_| "a text is not UTF-8".into())
}

/// Sixteen bytes of a UUID.
pub(super) fn sixteen_cell(batch: &mut Batch, bytes: &[u8]) -> Result<Cell, String> {
    match bytes.len() {
        16 => Ok(Cell::Sixteen(batch.keep(bytes))),
        length => Err(format!("a value has {length} bytes, and a UUID has 16")),
    }
}

/// The bytes of a value of a fixed length.
pub(super) fn exactly<const N: usize>(value: &[u8]) -> Result<[u8; N], NoCell> {
    let length = value.len();
    let wrong = |_| NoCell::fault(format!("the server has sent {length} bytes instead of {N}"));
    value.try_into().map_err(wrong)
}

#[cfg(test)]
mod tests {
    use rowkey_core::Backend;
    use rowkey_tables::types::{ColumnType, Type};

    use super::*;
    use crate::plans::replacements::{Null, Replacements};

    #[test]
    fn only_a_value_of_the_server_is_replaced_or_refused() {
        let sql_type = ColumnType::parse(Backend::Sqlite, "text");
        let mut column =
            ColumnSide::new("a", sql_type, Type::Text(None), Content::Values(Kind::Text));
        let mut batch = Batch::new(1, 1);
        let mut planned = |column: &ColumnSide| {
            let misfit = planned_cell(&mut batch, column, Err("a blob".into()));
            let fault = planned_cell(&mut batch, column, Err(NoCell::fault("three bytes")));
            assert_eq!(fault, Err("three bytes".into()));
            misfit
        };
        assert_eq!(planned(&column), Err("a blob".into()));
        column.keeps_refused = true;
        assert!(matches!(planned(&column), Ok(Cell::Refused(_))));
        column.instead = Replacements {
            other_type: Some(Null::Null),
            ..Replacements::default()
        };
        assert_eq!(planned(&column), Ok(Cell::Null));
    }
}
