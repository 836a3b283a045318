//! Batches as writers take them, and the thread that they come from.

use std::thread::JoinHandle;

use rowkey_tables::Error;
use tokio::sync::mpsc::Receiver;

use crate::batch::{Batch, RowSum};

/// A batch as a target takes it, and what is written down about it.
pub(crate) struct EncodedBatch {
    pub(super) total: RowSum,
    /// Of values whose lengths vary.
    pub(super) bytes: u64,
    /// The last key, in canonical form.
    pub(super) last_key: Vec<u8>,
    pub(super) payload: Payload,
}

/// What a writer sends.
#[allow(dead_code, reason = "without a driver, its variant is not made")]
pub(super) enum Payload {
    /// PostgreSQL's binary rows.
    Binary(Vec<u8>),
    Statements(Vec<Statement>),
    /// SQL Server's rows.
    #[cfg(feature = "sqlserver")]
    Rows(Vec<tiberius::TokenRow<'static>>),
    Batch(Batch),
}

/// A statement that inserts some rows.
pub(super) struct Statement {
    pub(super) sql: String,
    pub(super) rows: u64,
}

/// The thread, and what comes out of it.
pub(crate) struct Encoder {
    pub(super) encoded: Receiver<Result<EncodedBatch, Error>>,
    /// Until it has ended.
    pub(super) thread: Option<JoinHandle<()>>,
}

impl Encoder {
    /// The next batch; nothing behind the last one.
    pub(crate) async fn next(&mut self) -> Result<Option<EncodedBatch>, Error> {
        if let Some(encoded) = self.encoded.recv().await {
            return encoded.map(Some);
        }
        // If the thread has panicked, this is not the end of the rows.
        match self.thread.take().map(JoinHandle::join) {
            None | Some(Ok(())) => Ok(None),
            Some(Err(_)) => Err(Error::Differs {
                what: "the rows between the reader and the writer".into(),
                found: "the thread that converts them has ended by a defect of this program".into(),
            }),
        }
    }
}
