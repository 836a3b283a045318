//! What drivers of SQLite send and receive: BLOB and TEXT.

use super::{Backend, BinaryLength, BytesOrText, Column, StoragePlan, StoredBytes, TextForm, Wire};

/// The column of a key in SQLite.
#[derive(Clone, Copy, Debug)]
pub struct SqliteColumn(Column);

/// What a driver sends and receives for a column in SQLite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SqliteWire {
    /// BLOB.
    Bytes(BinaryLength),
    /// TEXT.
    Text(TextForm),
}

impl SqliteWire {
    /// SQLite has neither a uuid nor an exact decimal type: sixteen bytes and text of a fixed
    /// number of digits replace them.
    #[inline]
    pub(super) const fn of(planned: Wire) -> Self {
        match planned {
            Wire::Uuid | Wire::NativeUuid => Self::Bytes(BinaryLength::Bytes16),
            Wire::Bytes(length) => Self::Bytes(length),
            Wire::Decimal(precision) => Self::Text(precision.padded()),
            Wire::Text(form) => Self::Text(form),
        }
    }

    #[inline]
    pub(super) const fn general(self) -> Wire {
        match self {
            Self::Bytes(length) => Wire::Bytes(length),
            Self::Text(form) => Wire::Text(form),
        }
    }
}

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
    pub fn encode(self, value: u128) -> BytesOrText {
        let stored = self.0.permutation().apply(value);
        match self.wire() {
            SqliteWire::Bytes(length) => BytesOrText::Bytes(StoredBytes::of(stored, length)),
            SqliteWire::Text(form) => BytesOrText::Text(form.write(stored)),
        }
    }
}
