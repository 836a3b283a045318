//! Batches into a table.

mod encode;
pub(crate) mod fit;
pub(crate) mod literal;
#[cfg(feature = "mysql")]
mod mysql;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(feature = "sqlite")]
mod sqlite;
#[cfg(feature = "sqlserver")]
mod sqlserver;

use self::encode::Payload;
pub(crate) use self::encode::{Encoded, Encoder};
use crate::connection::{Connection, Driver};
use crate::copy::side::Side;
use crate::error::Error;

/// After how much a transaction ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limit {
    pub(crate) rows: u64,
    /// Of values whose lengths vary.
    pub(crate) bytes: u64,
}

impl Limit {
    /// For all rows together.
    pub(crate) const NONE: Self = Self {
        rows: u64::MAX,
        bytes: u64::MAX,
    };
}

/// Writes a batch and those that follow, within a transaction of the caller's, until it reaches a
/// limit.
pub(crate) async fn write(
    connection: &mut Connection,
    side: &Side,
    first: Encoded,
    encoder: &mut Encoder,
    limit: Limit,
    tally: &mut Tally,
) -> Result<(), Error> {
    let mut inlet = Inlet {
        next: Some(first),
        encoder,
        left: limit,
        tally,
    };
    #[cfg(feature = "mysql")]
    let statement_limit = connection.statement_limit();
    match &mut connection.driver {
        #[cfg(feature = "postgres")]
        Driver::Postgres(driver) => postgres::write(driver, side, &mut inlet).await,
        #[cfg(feature = "mysql")]
        Driver::MySql(driver) => mysql::write(driver, statement_limit, side, &mut inlet).await,
        #[cfg(feature = "sqlite")]
        Driver::Sqlite(driver) => sqlite::write(driver, side, &mut inlet).await,
        #[cfg(feature = "sqlserver")]
        Driver::SqlServer(driver) => sqlserver::write(driver, side, &mut inlet).await,
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
}

impl Tally {
    fn add(&mut self, batch: &Encoded) {
        self.rows += batch.rows;
        self.sum = self.sum.wrapping_add(batch.sum);
        self.last_key.clone_from(&batch.last_key);
    }
}

/// Where rows come from.
struct Inlet<'w> {
    next: Option<Encoded>,
    encoder: &'w mut Encoder,
    /// What the transaction still takes.
    left: Limit,
    tally: &'w mut Tally,
}

impl Inlet<'_> {
    /// The next batch of the transaction.
    async fn next(&mut self) -> Result<Option<Payload>, Error> {
        let batch = match self.next.take() {
            Some(first) => Some(first),
            None if self.left.rows == 0 || self.left.bytes == 0 => None,
            None => self.encoder.next().await?,
        };
        Ok(batch.map(|batch| {
            self.left.rows = self.left.rows.saturating_sub(batch.rows);
            self.left.bytes = self.left.bytes.saturating_sub(batch.bytes);
            self.tally.add(&batch);
            batch.payload
        }))
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
