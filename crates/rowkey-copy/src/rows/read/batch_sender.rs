//! The batches in which readers send their rows.

use tokio::sync::mpsc::Sender;

use crate::batch::Batch;
use crate::tables::table_side::TableSide;

/// Collects the rows of a reader, and sends full batches.
pub(super) struct BatchSender {
    pub(super) batch: Batch,
    /// How many rows a batch has at most.
    pub(super) rows: usize,
    pub(super) batches: Sender<Batch>,
}

/// Nobody takes the rows any more.
pub(super) struct Closed;

impl BatchSender {
    /// After each row: sends the batch if it is full.
    pub(super) async fn end_row(&mut self, side: &TableSide) -> Result<(), Closed> {
        if !self.batch.is_full() {
            return Ok(());
        }
        let next = Batch::new(side.columns.len(), self.rows);
        let full = std::mem::replace(&mut self.batch, next);
        self.batches.send(full).await.map_err(|_| Closed)
    }

    pub(super) async fn finish(self) {
        if !self.batch.is_empty() {
            // Whoever has stopped taking rows says why.
            let _ = self.batches.send(self.batch).await;
        }
    }
}
