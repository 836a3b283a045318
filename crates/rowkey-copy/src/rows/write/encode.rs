//! Rows as a target takes them. They are made in a thread of their own, so that neither the reader
//! nor the writer waits for hashes.

use std::thread::Builder;

use rowkey_core::Backend;
use rowkey_tables::Error;
use tokio::sync::mpsc::{Receiver, Sender, channel};

use super::encoded::{EncodedBatch, Encoder, Payload};
use super::fit;
use crate::batch::{Batch, Cell, RowSum};
use crate::rows::canonical::{Canonical, key_of};
use crate::rows::shown::wrong_value;
use crate::tables::table_side::{ColumnSide, TableSide};

/// How many batches wait for the writer.
const WAITING: usize = 2;

impl Encoder {
    /// Begins to take batches for a side, whose statements have a limit of bytes. The thread ends
    /// with them, or when nobody takes what it makes.
    pub(crate) fn start(
        side: &TableSide,
        statement_limit: u64,
        batches: Receiver<Batch>,
    ) -> Result<Self, Error> {
        let (sender, encoded) = channel(WAITING);
        let side = side.clone();
        let thread = Builder::new()
            .name("rowkey-encoder".into())
            .spawn(move || run(&side, statement_limit, batches, &sender))
            .map_err(Error::database("starting a thread"))?;
        Ok(Self {
            encoded,
            thread: Some(thread),
        })
    }
}

fn run(
    side: &TableSide,
    statement_limit: u64,
    mut batches: Receiver<Batch>,
    encoded: &Sender<Result<EncodedBatch, Error>>,
) {
    let mut canonical = Canonical::of(side);
    while let Some(batch) = batches.blocking_recv() {
        let made = encode(side, statement_limit, batch, &mut canonical);
        let is_last = made.is_err();
        if encoded.blocking_send(made).is_err() || is_last {
            return;
        }
    }
}

fn encode(
    side: &TableSide,
    statement_limit: u64,
    mut batch: Batch,
    canonical: &mut Canonical,
) -> Result<EncodedBatch, Error> {
    #[cfg(not(feature = "mysql"))]
    let _ = statement_limit;
    let mut total = RowSum::default();
    for row in batch.rows() {
        total.add(canonical.hash(&batch, row));
    }
    let bytes = batch.arena_bytes();
    let last = batch.rows().next_back();
    let last_key = last.map_or_else(Vec::new, |row| key_of(&batch, row, &side.key));
    if side.columns.iter().any(ColumnSide::is_text_of_others) {
        write_texts(side, &mut batch)?;
    }
    let payload = match side.backend {
        #[cfg(feature = "postgres")]
        Backend::Postgres => Payload::Binary(super::postgres::encode(side, &batch)?),
        #[cfg(feature = "mysql")]
        Backend::MySql | Backend::MariaDb => {
            Payload::Statements(super::mysql::encode(side, &batch, statement_limit)?)
        }
        #[cfg(feature = "sqlite")]
        Backend::Sqlite => Payload::Batch(batch),
        #[cfg(feature = "sqlserver")]
        Backend::SqlServer => super::sqlserver::encode(side, &batch)?,
        #[allow(unreachable_patterns, reason = "with some drivers, none is missing")]
        _ => return Err(Error::NoDriver(side.backend)),
    };
    Ok(EncodedBatch {
        total,
        bytes,
        last_key,
        payload,
    })
}

/// Makes texts of other values where the columns are text.
fn write_texts(side: &TableSide, batch: &mut Batch) -> Result<(), Error> {
    let mut texts = Vec::new();
    for row in batch.rows() {
        for (column, cell) in side.columns.iter().zip(row) {
            let text = fit::as_text(column, *cell);
            texts.push(text.map_err(|why| wrong_value(side, column, batch, row, &why))?);
        }
    }
    let mut cells: Vec<Cell> = batch.rows().flatten().copied().collect();
    for (cell, text) in cells.iter_mut().zip(texts) {
        if let Some(text) = text {
            *cell = Cell::Text(batch.keep(text.as_bytes()));
        }
    }
    batch.replace(side.columns.len(), cells);
    Ok(())
}
