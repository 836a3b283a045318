//! Rows between a reader and a writer, and what makes two rows equal.

mod digits;
pub(crate) mod json;
mod row_sum;

#[cfg(any(feature = "parquet", feature = "sqlserver"))]
pub(crate) use self::digits::pointed;
pub(crate) use self::digits::{Normal, as_double, normal};
pub(crate) use self::json::{DEEPEST, Lost, Tree, depth, is_double, is_numeric, is_unicode};
pub(crate) use self::row_sum::RowSum;

/// After how many bytes a batch ends, however few rows it has.
const BYTES: usize = 4 << 20;

/// Where a value is in the arena of its batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    start: u32,
    length: u32,
}

/// A value of a row. Times count from the beginning of 2000, as in PostgreSQL.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Cell {
    Null,
    Bool(bool),
    Integer(i64),
    /// A whole number above those of [`Integer`](Self::Integer).
    Large(u64),
    Single(f32),
    Double(f64),
    /// Digits with an optional sign and point, or `NaN`, `Infinity`, `-Infinity`.
    Decimal(Span),
    /// UTF-8, of JSON too.
    Text(Span),
    Bytes(Span),
    /// Days. The ends of the type are PostgreSQL's infinities.
    Date(i32),
    /// Microseconds since midnight.
    Time(i64),
    /// Microseconds, of a clock on a wall or of UTC. The ends of the type are infinities.
    Timestamp(i64),
    /// Sixteen bytes: a UUID as it is, or the public value of an id.
    Sixteen(Span),
    /// Why a value has no cell, as text. Only a reader that is asked to go on has these.
    Refused(Span),
}

/// Some rows of a table. Values of any length are in one arena, so that a row costs no allocation.
#[derive(Debug)]
pub(crate) struct Batch {
    columns: usize,
    /// How many cells it has at most.
    most: usize,
    arena: Vec<u8>,
    cells: Vec<Cell>,
}

impl Batch {
    /// A batch of at most some rows with some columns, at least one of each.
    pub(crate) fn new(columns: usize, rows: usize) -> Self {
        Self {
            columns,
            most: columns * rows,
            arena: Vec::new(),
            cells: Vec::with_capacity(columns * rows),
        }
    }

    pub(crate) fn push(&mut self, cell: Cell) {
        self.cells.push(cell);
    }

    /// Keeps the bytes of a value.
    pub(crate) fn keep(&mut self, bytes: &[u8]) -> Span {
        let start = self.arena.len();
        self.arena.extend_from_slice(bytes);
        self.span_from(start)
    }

    /// No database has a value of 4 GiB, and a batch ends long before that.
    fn span_from(&self, start: usize) -> Span {
        let offset = |place: usize| u32::try_from(place).expect("a batch has less than 4 GiB");
        Span {
            start: offset(start),
            length: offset(self.arena.len()) - offset(start),
        }
    }

    /// Panics for a span of another batch, as do `text` and `sixteen`: both sides of a copy would
    /// hash a default alike, and no comparison would see it.
    pub(crate) fn bytes(&self, span: Span) -> &[u8] {
        let start = span.start as usize;
        let bytes = self.arena.get(start..start + span.length as usize);
        bytes.expect("a span is of its own batch")
    }

    pub(crate) fn text(&self, span: Span) -> &str {
        str::from_utf8(self.bytes(span)).expect("a reader has checked that text is UTF-8")
    }

    pub(crate) fn sixteen(&self, span: Span) -> u128 {
        let bytes = self.bytes(span).try_into();
        u128::from_be_bytes(bytes.expect("an id has sixteen bytes"))
    }

    pub(crate) fn rows(&self) -> impl DoubleEndedIterator<Item = &[Cell]> + ExactSizeIterator {
        let rows = self.cells.chunks_exact(self.columns);
        assert!(rows.remainder().is_empty(), "a row has all its cells");
        rows
    }

    /// Keeps only the rows that fulfil a condition.
    pub(crate) fn retain(&mut self, is_kept: impl Fn(&Self, &[Cell]) -> bool) {
        let rows = self.rows().filter(|row| is_kept(self, row));
        self.cells = rows.flatten().copied().collect();
    }

    /// Gives it other cells, with so many columns.
    pub(crate) fn replace(&mut self, columns: usize, cells: Vec<Cell>) {
        self.columns = columns;
        self.cells = cells;
    }

    /// How many bytes its values of any length have.
    pub(crate) fn arena_bytes(&self) -> u64 {
        self.arena.len() as u64
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    pub(crate) fn is_full(&self) -> bool {
        self.cells.len() >= self.most || self.arena.len() >= BYTES
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROWS: usize = 1_000;

    #[test]
    fn a_cell_is_small_and_a_batch_ends() {
        assert!(size_of::<Cell>() <= 16);
        let mut batch = Batch::new(2, ROWS);
        assert!(batch.is_empty());
        for number in 0..ROWS {
            assert!(!batch.is_full(), "{number}");
            batch.push(Cell::Integer(number as i64));
            let text = batch.keep(b"text");
            batch.push(Cell::Text(text));
        }
        assert!(batch.is_full());
        assert_eq!(batch.rows().len(), ROWS);
        let [_, Cell::Text(text)] = batch.rows().next_back().unwrap() else {
            panic!("a row has other cells");
        };
        assert_eq!(batch.text(*text), "text");

        let mut wide = Batch::new(1, ROWS);
        let long = wide.keep(&vec![0; BYTES]);
        wide.push(Cell::Bytes(long));
        assert!(wide.is_full());
    }

    #[test]
    #[should_panic(expected = "a span is of its own batch")]
    fn a_span_of_another_batch_is_not_empty() {
        let span = Batch::new(1, 1).keep(b"a");
        Batch::new(1, 1).bytes(span);
    }

    #[test]
    #[should_panic(expected = "a reader has checked that text is UTF-8")]
    fn other_bytes_than_utf_8_are_not_an_empty_text() {
        let mut batch = Batch::new(1, 1);
        let span = batch.keep(&[0xff]);
        batch.text(span);
    }

    #[test]
    #[should_panic(expected = "an id has sixteen bytes")]
    fn fifteen_bytes_are_not_the_id_0() {
        let mut batch = Batch::new(1, 1);
        let span = batch.keep(&[7; 15]);
        batch.sixteen(span);
    }

    #[test]
    #[should_panic(expected = "a row has all its cells")]
    fn half_a_row_is_not_left_out() {
        let mut batch = Batch::new(2, 1);
        batch.push(Cell::Null);
        let _ = batch.rows();
    }
}
