//! The bytes of a row that are the same wherever it is stored.

use sha2::{Digest as _, Sha256};

use rowkey_tables::types::Kind;

use crate::batch::{Batch, Cell, Normal, json, normal};
use crate::tables::table_side::{ColumnSide, Content, TableSide};

const NULL: u8 = 0;
const BOOL: u8 = 1;
const INTEGER: u8 = 2;
const SINGLE: u8 = 3;
const DOUBLE: u8 = 4;
const DECIMAL: u8 = 5;
const TEXT: u8 = 6;
const BYTES: u8 = 7;
const DATE: u8 = 8;
const TIME: u8 = 9;
const TIMESTAMP: u8 = 10;
const SIXTEEN: u8 = 11;
const REFUSED: u8 = 12;

/// Writes rows in their canonical form, and hashes them.
#[derive(Debug, Default)]
pub(crate) struct Canonical {
    bytes: Vec<u8>,
    /// The places of the columns whose texts are the same if their JSON is.
    json: Vec<usize>,
}

impl Canonical {
    /// For the rows of a table.
    pub(crate) fn of(side: &TableSide) -> Self {
        let is_json = |column: &ColumnSide| column.content == Content::Values(Kind::Json);
        let places = side.columns.iter().enumerate();
        let places = places.filter(|(_, column)| is_json(column));
        Self {
            bytes: Vec::new(),
            json: places.map(|(place, _)| place).collect(),
        }
    }

    /// The hash of some cells.
    pub(crate) fn hash(&mut self, batch: &Batch, cells: &[Cell]) -> u128 {
        self.bytes.clear();
        for (place, cell) in cells.iter().enumerate() {
            self.append(batch, place, *cell);
        }
        first_half(&self.bytes)
    }

    /// The hash of the cells in some places of a row.
    pub(crate) fn hash_of(&mut self, batch: &Batch, row: &[Cell], places: &[usize]) -> u128 {
        self.bytes.clear();
        for place in places {
            self.append(batch, *place, row[*place]);
        }
        first_half(&self.bytes)
    }

    fn append(&mut self, batch: &Batch, place: usize, cell: Cell) {
        match cell {
            // A text that isn't JSON is like no other.
            Cell::Text(span) if self.json.contains(&place) => {
                let start = self.bytes.len();
                self.bytes.push(TEXT);
                if json::append(&mut self.bytes, batch.text(span)).is_err() {
                    self.bytes.truncate(start);
                    append(&mut self.bytes, batch, cell);
                }
                self.bytes.push(NULL);
            }
            _ => append(&mut self.bytes, batch, cell),
        }
    }
}

fn first_half(bytes: &[u8]) -> u128 {
    let hash = Sha256::digest(bytes);
    let first = hash.first_chunk().expect("a hash has 32 bytes");
    u128::from_be_bytes(*first)
}

/// The canonical form of a key, which [`read_key`] reads. Decimal numbers stay as they are: where
/// they are text, they are compared as text.
pub(crate) fn key_of(batch: &Batch, row: &[Cell], places: &[usize]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for place in places {
        match row[*place] {
            Cell::Decimal(span) => counted(&mut bytes, DECIMAL, batch.bytes(span)),
            cell => append(&mut bytes, batch, cell),
        }
    }
    bytes
}

/// A tag, and bytes of a fixed length or with their length.
fn append(bytes: &mut Vec<u8>, batch: &Batch, cell: Cell) {
    match cell {
        Cell::Null => bytes.push(NULL),
        Cell::Bool(value) => bytes.extend([BOOL, u8::from(value)]),
        Cell::Integer(value) => fixed(bytes, INTEGER, i128::from(value).to_be_bytes()),
        Cell::Large(value) => fixed(bytes, INTEGER, i128::from(value).to_be_bytes()),
        Cell::Single(value) => fixed(bytes, SINGLE, value.to_bits().to_be_bytes()),
        Cell::Double(value) => fixed(bytes, DOUBLE, value.to_bits().to_be_bytes()),
        Cell::Decimal(span) => decimal(bytes, batch.text(span)),
        Cell::Text(span) => counted(bytes, TEXT, batch.bytes(span)),
        Cell::Bytes(span) => counted(bytes, BYTES, batch.bytes(span)),
        Cell::Date(days) => fixed(bytes, DATE, days.to_be_bytes()),
        Cell::Time(micros) => fixed(bytes, TIME, micros.to_be_bytes()),
        Cell::Timestamp(micros) => fixed(bytes, TIMESTAMP, micros.to_be_bytes()),
        Cell::Sixteen(span) => fixed(bytes, SIXTEEN, batch.sixteen(span).to_be_bytes()),
        Cell::Refused(span) => counted(bytes, REFUSED, batch.bytes(span)),
    }
}

fn fixed<const N: usize>(bytes: &mut Vec<u8>, tag: u8, value: [u8; N]) {
    bytes.push(tag);
    bytes.extend(value);
}

fn counted(bytes: &mut Vec<u8>, tag: u8, value: &[u8]) {
    bytes.push(tag);
    bytes.extend((value.len() as u64).to_be_bytes());
    bytes.extend(value);
}

/// Without the zeros that only tell the scale of a column.
fn decimal(bytes: &mut Vec<u8>, text: &str) {
    let Some(Normal::Number {
        is_negative,
        whole,
        fraction,
    }) = normal(text)
    else {
        return counted(bytes, DECIMAL, text.as_bytes());
    };
    let sign = if is_negative { "-" } else { "" };
    let point = if fraction.is_empty() { "" } else { "." };
    let parts = [sign, whole, point, fraction];
    bytes.push(DECIMAL);
    let length: usize = parts.iter().map(|part| part.len()).sum();
    bytes.extend((length as u64).to_be_bytes());
    parts.iter().for_each(|part| bytes.extend(part.as_bytes()));
}

/// The cells of a key in canonical form, as a batch with one row; nothing for other bytes.
pub(crate) fn read_key(mut bytes: &[u8], columns: usize) -> Option<Batch> {
    let mut batch = Batch::new(columns.max(1), 1);
    let mut cells = 0;
    while let Some((tag, rest)) = bytes.split_first() {
        bytes = rest;
        let cell = match *tag {
            NULL => Cell::Null,
            BOOL => match take(&mut bytes)? {
                [truth @ (0 | 1)] => Cell::Bool(truth == 1),
                _ => return None,
            },
            INTEGER => {
                let number = i128::from_be_bytes(take(&mut bytes)?);
                match i64::try_from(number) {
                    Ok(number) => Cell::Integer(number),
                    Err(_) => Cell::Large(u64::try_from(number).ok()?),
                }
            }
            SINGLE => Cell::Single(f32::from_bits(u32::from_be_bytes(take(&mut bytes)?))),
            DOUBLE => Cell::Double(f64::from_bits(u64::from_be_bytes(take(&mut bytes)?))),
            DECIMAL => Cell::Decimal(batch.keep(take_text(&mut bytes)?.as_bytes())),
            TEXT => Cell::Text(batch.keep(take_text(&mut bytes)?.as_bytes())),
            BYTES => Cell::Bytes(batch.keep(take_counted(&mut bytes)?)),
            DATE => Cell::Date(i32::from_be_bytes(take(&mut bytes)?)),
            TIME => Cell::Time(i64::from_be_bytes(take(&mut bytes)?)),
            TIMESTAMP => Cell::Timestamp(i64::from_be_bytes(take(&mut bytes)?)),
            SIXTEEN => Cell::Sixteen(batch.keep(&take::<16>(&mut bytes)?)),
            _ => return None,
        };
        batch.push(cell);
        cells += 1;
    }
    (columns > 0 && cells == columns).then_some(batch)
}

fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (first, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(*first)
}

fn take_counted<'b>(bytes: &mut &'b [u8]) -> Option<&'b [u8]> {
    let length = u64::from_be_bytes(take(bytes)?);
    let (first, rest) = bytes.split_at_checked(usize::try_from(length).ok()?)?;
    *bytes = rest;
    Some(first)
}

fn take_text<'b>(bytes: &mut &'b [u8]) -> Option<&'b str> {
    str::from_utf8(take_counted(bytes)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn every_cell(batch: &mut Batch) -> Vec<Cell> {
        vec![
            Cell::Null,
            Cell::Bool(true),
            Cell::Integer(i64::MIN),
            Cell::Large(u64::MAX),
            Cell::Single(-0.0),
            Cell::Double(f64::MIN_POSITIVE),
            Cell::Decimal(batch.keep(b"-0.5")),
            Cell::Text(batch.keep("ü\0".as_bytes())),
            Cell::Bytes(batch.keep(&[0, 255])),
            Cell::Date(-1),
            Cell::Time(86_400_000_000),
            Cell::Timestamp(i64::MAX),
            Cell::Sixteen(batch.keep(&[7; 16])),
        ]
    }

    #[test]
    fn a_key_is_read_as_it_was_written() {
        let mut batch = Batch::new(13, 1);
        let cells = every_cell(&mut batch);
        let places: Vec<usize> = (0..cells.len()).collect();
        let bytes = key_of(&batch, &cells, &places);
        let read = read_key(&bytes, cells.len()).unwrap();
        let row = read.rows().next().unwrap();
        assert_eq!(key_of(&read, row, &places), bytes);
        let decimal = row.iter().find_map(|cell| match cell {
            Cell::Decimal(span) => Some(read.text(*span)),
            _ => None,
        });
        assert_eq!(decimal, Some("-0.5"));
        assert!(read_key(&bytes[..bytes.len() - 1], cells.len()).is_none());
        assert!(read_key(&bytes, cells.len() - 1).is_none());
        assert!(read_key(&[99], 1).is_none());
        assert!(read_key(&[BOOL, 2], 1).is_none());
        for tag in [DECIMAL, TEXT] {
            let mut bytes = Vec::new();
            counted(&mut bytes, tag, &[0xff]);
            assert!(read_key(&bytes, 1).is_none());
        }
    }

    #[test]
    fn only_equal_rows_have_equal_hashes() {
        let mut batch = Batch::new(1, 10);
        let cells = [
            Cell::Null,
            Cell::Text(batch.keep(b"")),
            Cell::Bytes(batch.keep(b"")),
            Cell::Integer(0),
            Cell::Bool(false),
            Cell::Double(0.0),
            Cell::Double(-0.0),
            Cell::Decimal(batch.keep(b"0")),
            Cell::Decimal(batch.keep(b"1.5")),
            Cell::Decimal(batch.keep(b"15")),
        ];
        let mut canonical = Canonical::default();
        let mut hashes: Vec<u128> = cells
            .iter()
            .map(|cell| canonical.hash(&batch, &[*cell]))
            .collect();
        let long = Cell::Decimal(batch.keep(b"01.500"));
        assert!(hashes.contains(&canonical.hash(&batch, &[long])));
        hashes.sort_unstable();
        hashes.dedup();
        assert_eq!(hashes.len(), cells.len());

        let row = [Cell::Text(batch.keep(b"ab")), Cell::Text(batch.keep(b"c"))];
        let other = [Cell::Text(batch.keep(b"a")), Cell::Text(batch.keep(b"bc"))];
        assert_ne!(canonical.hash(&batch, &row), canonical.hash(&batch, &other));
    }
}
