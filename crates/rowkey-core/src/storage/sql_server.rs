//! What drivers of SQL Server send and receive: `uniqueidentifier`, `binary`, `decimal` and `char`.

use super::{Backend, BinaryLength, Column, Precision, StoragePlan, Stored, TextForm, Wire};

/// The column of a key in SQL Server.
#[derive(Clone, Copy, Debug)]
pub struct SqlServerColumn(Column);

/// What a driver sends and receives for a column in SQL Server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SqlServerWire {
    /// `uniqueidentifier`.
    Uuid,
    /// `binary(n)`.
    Bytes(BinaryLength),
    /// `decimal(p,0)`.
    Decimal(Precision),
    /// `char(n)`.
    Text(TextForm),
}

impl SqlServerWire {
    /// MariaDB's `UUID` means uuid here.
    #[inline]
    pub(super) const fn of(planned: Wire) -> Self {
        match planned {
            Wire::Uuid | Wire::NativeUuid => Self::Uuid,
            Wire::Bytes(length) => Self::Bytes(length),
            Wire::Decimal(precision) => Self::Decimal(precision),
            Wire::Text(form) => Self::Text(form),
        }
    }

    #[inline]
    pub(super) const fn general(self) -> Wire {
        match self {
            Self::Uuid => Wire::Uuid,
            Self::Bytes(length) => Wire::Bytes(length),
            Self::Decimal(precision) => Wire::Decimal(precision),
            Self::Text(form) => Wire::Text(form),
        }
    }
}

impl StoragePlan {
    /// The column in SQL Server.
    #[doc(hidden)]
    #[inline]
    pub const fn sql_server(&self) -> SqlServerColumn {
        SqlServerColumn(self.column(Backend::SqlServer))
    }
}

impl SqlServerColumn {
    /// The column among those of other backends.
    #[inline]
    pub const fn column(self) -> Column {
        self.0
    }

    /// What is sent and received.
    #[inline]
    pub const fn wire(self) -> SqlServerWire {
        SqlServerWire::of(self.0.planned())
    }

    /// What to bind for a public value; see [`Column::encode`].
    #[inline(always)]
    pub fn encode(self, value: u128) -> Stored {
        self.0.encode(value)
    }
}
