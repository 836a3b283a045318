//! What drivers of SQLite send and receive: BLOB, TEXT and INTEGER.

use super::backend::Backend;
use super::column::Column;
use super::plan::StoragePlan;
use super::stored::{SimplyStored, StoredBytes};
pub use super::wire::SqliteWire;

/// The column of a key in SQLite.
#[derive(Clone, Copy, Debug)]
pub struct SqliteColumn(Column);

impl StoragePlan {
    /// The column in SQLite.
    #[doc(hidden)]
    #[inline]
    pub const fn sqlite(&self) -> SqliteColumn {
        SqliteColumn(self.column(Backend::Sqlite))
    }
}

impl SqliteColumn {
    /// The column among those of other backends.
    #[inline]
    pub const fn column(self) -> Column {
        self.0
    }

    /// What is sent and received.
    #[inline]
    pub const fn wire(self) -> SqliteWire {
        SqliteWire::of(self.0.planned())
    }

    /// What to bind for a public value; see [`Column::encode`].
    #[inline(always)]
    pub fn encode(self, value: u128) -> SimplyStored {
        let stored = self.0.permutation().apply(value);
        match self.wire() {
            SqliteWire::Bytes(length) => SimplyStored::Bytes(StoredBytes::of(stored, length)),
            SqliteWire::Text(form) => SimplyStored::Text(form.write(stored)),
            SqliteWire::Integer => SimplyStored::Integer(stored as i64),
        }
    }
}
