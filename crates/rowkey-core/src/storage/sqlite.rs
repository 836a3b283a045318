//! What drivers of SQLite send and receive: BLOB, TEXT and INTEGER.

use super::backend::Backend;
use super::column::Column;
use super::plan::StoragePlan;
use super::stored::{Parameter, StoredBytes};
use super::wire::SqliteWire;

/// The column of a key in SQLite.
#[derive(Clone, Copy, Debug)]
pub struct SqliteColumn(Column);

impl StoragePlan {
    /// The column in SQLite.
    #[inline]
    pub const fn sqlite(&self) -> SqliteColumn {
        SqliteColumn(self.column(Backend::Sqlite))
    }
}

impl SqliteColumn {
    /// The same column in the type for all backends.
    #[inline]
    pub const fn column(self) -> Column {
        self.0
    }

    /// What is sent and received.
    #[inline]
    pub const fn wire(self) -> SqliteWire {
        SqliteWire::of(self.0.wire())
    }

    /// What to bind for a public value; see [`Column::encode`].
    #[inline(always)]
    pub fn encode(self, value: u128) -> Parameter {
        let stored = self.0.permutation().apply(value);
        match self.wire() {
            SqliteWire::Bytes(length) => Parameter::Bytes(StoredBytes::of(stored, length)),
            SqliteWire::Text(form) => Parameter::Text(form.write(stored)),
            SqliteWire::Integer => Parameter::Integer(stored as i64),
        }
    }
}
