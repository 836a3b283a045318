//! Batches into a table.

pub(crate) mod literal;
#[cfg(feature = "mysql")]
mod mysql;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(feature = "sqlite")]
mod sqlite;

use tokio::sync::mpsc::Receiver;

use crate::batch::{Batch, Canonical, key_of};
use crate::connection::{Connection, Driver};
use crate::copy::side::Side;
use crate::error::Error;

/// Writes a batch and those that follow, within a transaction of the caller's, until it has some rows.
pub(crate) async fn write(
    connection: &mut Connection,
    side: &Side,
    first: Batch,
    batches: &mut Receiver<Batch>,
    rows: u64,
    tally: &mut Tally,
) -> Result<(), Error> {
    let mut inlet = Inlet {
        next: Some(first),
        batches,
        until: tally.rows.saturating_add(rows),
        tally,
    };
    match &mut connection.driver {
        #[cfg(feature = "postgres")]
        Driver::Postgres(driver) => postgres::write(driver, side, &mut inlet).await,
        #[cfg(feature = "mysql")]
        Driver::MySql(driver) => mysql::write(driver, side, &mut inlet).await,
        #[cfg(feature = "sqlite")]
        Driver::Sqlite(driver) => sqlite::write(driver, side, &mut inlet).await,
        #[allow(unreachable_patterns, reason = "with some drivers, none is missing")]
        _ => Err(Error::NoDriver(side.backend)),
    }
}

/// What was written.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) rows: u64,
    /// The sum of the hashes of the rows.
    pub(crate) sum: u128,
    /// The last key, in canonical form.
    pub(crate) last_key: Vec<u8>,
    canonical: Canonical,
}

impl Tally {
    pub(crate) fn resumed(rows: u64, sum: u128, last_key: Vec<u8>) -> Self {
        Self {
            rows,
            sum,
            last_key,
            canonical: Canonical::default(),
        }
    }

    fn add(&mut self, batch: &Batch, key: &[usize]) {
        for row in batch.rows() {
            self.rows += 1;
            self.sum = self.sum.wrapping_add(self.canonical.hash(batch, row));
        }
        if let Some(row) = batch.rows().next_back() {
            self.last_key = key_of(batch, row, key);
        }
    }
}

/// Where rows come from.
struct Inlet<'w> {
    next: Option<Batch>,
    batches: &'w mut Receiver<Batch>,
    until: u64,
    tally: &'w mut Tally,
}

impl Inlet<'_> {
    /// The next batch of the transaction.
    async fn next(&mut self, side: &Side) -> Option<Batch> {
        let batch = match self.next.take() {
            Some(first) => first,
            None if self.tally.rows >= self.until => return None,
            None => self.batches.recv().await?,
        };
        self.tally.add(&batch, &side.key);
        Some(batch)
    }
}

/// The error for rows that a server has not counted.
fn check_count(side: &Side, sent: u64, written: u64) -> Result<(), Error> {
    match sent == written {
        true => Ok(()),
        false => Err(Error::Differs {
            what: format!("writing {}", side.name),
            found: format!("{sent} rows were sent, and the server has written {written}"),
        }),
    }
}
