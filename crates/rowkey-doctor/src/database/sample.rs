//! Windows of neighbours from all over a large table.

use rowkey_tables::Error;
use rowkey_tables::connection::{Connection, Value};
use rowkey_tables::dialect::Dialect;

use crate::database::source::{Order, Source};

/// Rows of a sample. A table that is not larger is read in full.
pub(crate) const SAMPLE: u64 = 10_000;

/// How many windows there are.
const WINDOWS: u64 = 40;

/// Rows of a window.
const ROWS: usize = (SAMPLE / WINDOWS) as usize;

/// Rows that a block of PostgreSQL has at most, for the usual size of blocks.
const ROWS_OF_BLOCK: u64 = 300;

/// A part of the table.
#[derive(Clone, Debug)]
pub(crate) struct Window {
    /// What comes after FROM.
    pub(crate) clause: String,
    pub(crate) limit: Option<usize>,
    /// Whether the rows come in the order of their insertion.
    pub(crate) is_ordered: bool,
}

impl Window {
    /// Rows in the order of their insertion.
    fn of(clause: String) -> Self {
        Self {
            clause,
            limit: Some(ROWS),
            is_ordered: true,
        }
    }
}

/// Evenly spaced windows of a table with so many rows.
pub(crate) async fn windows(
    connection: &mut Connection,
    source: &Source,
    rows: u64,
) -> Result<Vec<Window>, Error> {
    let windows = match &source.order {
        Order::Place => by_place(connection, source).await?,
        Order::Number(number) => by_number(connection, source, number).await?,
        Order::Unknown => Vec::new(),
    };
    Ok(match windows.is_empty() {
        true => vec![thinned(source, rows)],
        false => windows,
    })
}

/// PostgreSQL: rows of consecutive blocks.
async fn by_place(connection: &mut Connection, source: &Source) -> Result<Vec<Window>, Error> {
    let query = "SELECT pg_relation_size($1::text::regclass) / \
                 current_setting('block_size')::bigint";
    let values = [Value::Text(source.table.clone())];
    let blocks = connection
        .count("the size of the table", query, &values)
        .await?;
    if blocks < WINDOWS {
        // A partitioned table has no blocks of its own, and rows of a few bytes need few.
        return Ok(Vec::new());
    }
    let between = blocks / WINDOWS;
    // Rows of a few hundred bytes are a dozen to a block.
    let length = between.clamp(1, 24);
    let windows = (0..WINDOWS).map(|window| {
        let first = window * blocks / WINDOWS;
        let last = first + length - 1;
        let places = format!(
            " WHERE ctid = ANY (ARRAY(SELECT format('(%s,%s)', block, item)::tid \
             FROM generate_series({first}::bigint, {last}::bigint) AS block, \
             generate_series(1, {ROWS_OF_BLOCK}) AS item))"
        );
        Window::of(places)
    });
    Ok(windows.collect())
}

/// Rows with consecutive numbers that the database counts.
async fn by_number(
    connection: &mut Connection,
    source: &Source,
    number: &str,
) -> Result<Vec<Window>, Error> {
    let query = format!("SELECT min({number}), max({number}) FROM {}", source.table);
    let rows = connection
        .query("the first and last number", &query, &[])
        .await?;
    let Some(row) = rows.first() else {
        return Ok(Vec::new());
    };
    // A table that has lost its rows since they were counted has neither.
    let (Some(first), Some(last)) = (row.optional_integer(0)?, row.optional_integer(1)?) else {
        return Ok(Vec::new());
    };
    let (first, last) = (i128::from(first), i128::from(last));
    let at = |window: u64| first + (last - first) * i128::from(window) / i128::from(WINDOWS);
    let windows = (0..WINDOWS).map(|window| {
        let clause = format!(
            " WHERE {number} >= {} AND {number} < {} ORDER BY {number}",
            at(window),
            match window + 1 {
                WINDOWS => last + 1,
                next => at(next),
            }
        );
        Window::of(clause)
    });
    Ok(windows.collect())
}

/// One row in so many, in no order: the server reads all rows, but sends few.
fn thinned(source: &Source, rows: u64) -> Window {
    let column = &source.column;
    let every = rows.div_ceil(SAMPLE);
    let number = source.backend.number_of_row(column);
    Window {
        clause: format!(" WHERE {number} % {every} = 0"),
        // If the table has more rows than the database thinks, the first ones in the order of the
        // key would not be a sample of it.
        limit: None,
        is_ordered: false,
    }
}
