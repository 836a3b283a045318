//! Many rows of SQLite in one: its driver hands each row from one thread to another, which takes
//! longer than to read an id.
//!
//! ```text
//! t 30313865      text, its bytes in hexadecimal
//! b 0189a0        bytes
//! i 42:1700000    a number, and the time of its row
//! r 1.5  n        a floating-point number, NULL
//! ```

use crate::database::source::Source;
use rowkey_tables::Error;
use rowkey_tables::connection::{Connection, Held, SCANNED};

/// Rows in one.
const ROWS: u32 = 2_000;

/// Bytes of a value that are read: none that is longer is an id.
const LONGEST: usize = 200;

const DOING: &str = "reading rows by their places";

/// Whether the file's text is in UTF-8, so that its bytes can be read.
pub(crate) async fn is_possible(connection: &mut Connection) -> Result<bool, Error> {
    let row = connection.one_row(DOING, "PRAGMA encoding", &[]).await?;
    Ok(row.text(0)? == "UTF-8")
}

/// Calls a function with each row of the table, in the order of a column with unique whole numbers.
pub(crate) async fn scan(
    connection: &mut Connection,
    source: &Source,
    place: &str,
    mut take: impl FnMut(&[Held<'_>; SCANNED]) -> Result<(), Error>,
) -> Result<(), Error> {
    let query = source.group_query(place, &encoded(source.value()), ROWS);
    let mut first = i64::MIN;
    loop {
        let rows = connection.query(DOING, &query, &[first.into()]).await?;
        let Some(row) = rows.first() else {
            return Ok(());
        };
        let Some(last) = row.optional_integer(0)? else {
            return Ok(());
        };
        for row in row.text(1)?.split(',') {
            take(&decoded(row).ok_or_else(|| Error::Differs {
                what: DOING.into(),
                found: format!("{row:?}"),
            })?)?;
        }
        let Some(next) = last.checked_add(1) else {
            return Ok(());
        };
        first = next;
    }
}

/// The expression of a value in the form of this module.
fn encoded(value: &str) -> String {
    format!(
        "CASE typeof({value}) WHEN 'text' THEN 't' || {hexadecimal} WHEN 'blob' THEN 'b' || {hexadecimal} \
         WHEN 'integer' THEN 'i' || {value} WHEN 'real' THEN 'r' || {value} ELSE 'n' END",
        hexadecimal = format_args!(
            "CASE WHEN octet_length({value}) <= {LONGEST} THEN hex({value}) \
             ELSE hex(substr(CAST({value} AS blob), 1, {LONGEST})) END"
        )
    )
}

fn decoded(row: &str) -> Option<[Held<'static>; SCANNED]> {
    let (value, created) = row.split_once(':').unwrap_or((row, ""));
    let (kind, value) = value.split_at_checked(1)?;
    let value = match kind {
        "n" => Held::Null,
        "i" => Held::Integer(value.parse().ok()?),
        "r" => Held::Real(value.parse().ok()?),
        "b" => Held::Bytes(hex::decode(value).ok()?.into()),
        // A file may hold text that isn't UTF-8.
        "t" => {
            let text = String::from_utf8(hex::decode(value).ok()?);
            let lossy = |error: std::string::FromUtf8Error| {
                String::from_utf8_lossy(error.as_bytes()).into_owned()
            };
            Held::Text(text.unwrap_or_else(lossy).into())
        }
        _ => return None,
    };
    let created = created.parse().map_or(Held::Null, Held::Integer);
    Some([value, created])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_every_type_are_decoded() {
        let shown = |row| decoded(row).map(|[value, created]| format!("{value:?} {created:?}"));
        for (row, expected) in [
            ("n", "Null Null"),
            ("i-42:1700", "Integer(-42) Integer(1700)"),
            ("i7:", "Integer(7) Null"),
            ("r1.5e+20", "Real(1.5e20) Null"),
            ("b", "Bytes([]) Null"),
            ("b00FF", "Bytes([0, 255]) Null"),
            ("t61002C", "Text(\"a\\0,\") Null"),
            ("tFF61", "Text(\"\u{fffd}a\") Null"),
        ] {
            assert_eq!(shown(row).as_deref(), Some(expected), "{row}");
        }
        for row in ["", "x", "ü", "i", "i1.5", "b0", "bxx"] {
            assert_eq!(shown(row), None, "{row}");
        }
    }
}
