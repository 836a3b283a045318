//! The batches of a transaction, as writers take them, and what was written of them.

use super::encoded::{EncodedBatch, Encoder, Payload};
use crate::batch::RowSum;
use crate::tables::table_side::TableSide;
use rowkey_tables::Error;

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

/// What was written.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) total: RowSum,
    /// The last key, in canonical form.
    pub(crate) last_key: Vec<u8>,
}

impl Tally {
    fn add(&mut self, batch: &EncodedBatch) {
        self.total.append(batch.total);
        self.last_key.clone_from(&batch.last_key);
    }
}

/// Where rows come from.
pub(super) struct TransactionBatches<'w> {
    pub(super) next: Option<EncodedBatch>,
    pub(super) encoder: &'w mut Encoder,
    /// What the transaction still takes.
    pub(super) left: Limit,
    pub(super) tally: &'w mut Tally,
}

impl TransactionBatches<'_> {
    /// The next batch of the transaction.
    pub(super) async fn next(&mut self) -> Result<Option<Payload>, Error> {
        let batch = match self.next.take() {
            Some(first) => Some(first),
            None if self.left.rows == 0 || self.left.bytes == 0 => None,
            None => self.encoder.next().await?,
        };
        Ok(batch.map(|batch| {
            self.left.rows = self.left.rows.saturating_sub(batch.total.rows);
            self.left.bytes = self.left.bytes.saturating_sub(batch.bytes);
            self.tally.add(&batch);
            batch.payload
        }))
    }
}

/// The error for rows that a server has not counted.
pub(super) fn check_count(side: &TableSide, sent: u64, written: u64) -> Result<(), Error> {
    match sent == written {
        true => Ok(()),
        false => Err(Error::Differs {
            what: format!("writing {}", side.name),
            found: format!("{sent} rows were sent, and the server has written {written}"),
        }),
    }
}
