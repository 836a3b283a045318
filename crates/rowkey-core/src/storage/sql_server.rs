//! What drivers of SQL Server send and receive: `uniqueidentifier`, `binary`, `decimal`, `char` and
//! `bigint`.

use super::backend::Backend;
use super::column::Column;
use super::plan::StoragePlan;
use super::stored::Stored;
pub use super::wire::SqlServerWire;

/// The column of a key in SQL Server.
#[derive(Clone, Copy, Debug)]
pub struct SqlServerColumn(Column);

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
