//! What PostgreSQL drivers need of its protocol: the OIDs of the types that store keys, and the
//! wire form of `numeric`.

use super::backend::Backend;
use super::column::Column;
pub use super::numeric;
use super::plan::StoragePlan;
use super::stored::{Stored, StoredRef};
pub use super::wire::PostgresWire;
use crate::error::Error;

/// The column of a key in PostgreSQL.
#[derive(Clone, Copy, Debug)]
pub struct PostgresColumn(Column);

impl StoragePlan {
    /// The column in PostgreSQL.
    #[doc(hidden)]
    #[inline]
    pub const fn postgres(&self) -> PostgresColumn {
        PostgresColumn(self.column(Backend::Postgres))
    }
}

impl PostgresColumn {
    /// The column among those of other backends.
    #[inline]
    pub const fn column(self) -> Column {
        self.0
    }

    /// What is sent and received.
    #[inline]
    pub const fn wire(self) -> PostgresWire {
        PostgresWire::of(self.0.planned())
    }

    /// What to bind for a public value; see [`Column::encode`].
    #[inline(always)]
    pub fn encode(self, value: u128) -> Stored {
        self.0.encode(value)
    }

    /// The public value of what a column held, from its binary form.
    ///
    /// # Errors
    ///
    /// As [`Column::decode`].
    #[inline(always)]
    pub fn decode_binary(self, bytes: &[u8]) -> Result<u128, Error> {
        let found = match self.wire() {
            PostgresWire::Uuid | PostgresWire::Bytes(_) => StoredRef::Bytes(bytes),
            PostgresWire::Decimal(_) => match numeric::read(bytes) {
                Ok(number) => StoredRef::Decimal(number),
                Err(_) => return Err(self.0.refusal_of_numeric(bytes)),
            },
            PostgresWire::Text(_) => self.0.text(bytes)?,
            PostgresWire::Integer => match <[u8; 8]>::try_from(bytes) {
                Ok(bytes) => StoredRef::Integer(i64::from_be_bytes(bytes).into()),
                Err(_) => return Err(self.0.wrong_length(bytes)),
            },
        };
        self.0.decode(found)
    }

    /// The public value of what a column held, in the text protocol.
    ///
    /// # Errors
    ///
    /// As [`Column::decode`].
    #[inline(always)]
    pub fn decode_text(self, text: &str) -> Result<u128, Error> {
        if let PostgresWire::Integer = self.wire()
            && let Ok(number) = text.parse::<i64>()
        {
            return self.0.decode(StoredRef::Integer(number.into()));
        }
        self.0.decode(StoredRef::Text(text))
    }
}

/// The OIDs of a type and its array type in `pg_type`, the same on every server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TypeOids {
    /// The type itself.
    pub element: u32,
    /// Arrays of it.
    pub array: u32,
}

const VARCHAR: TypeOids = TypeOids {
    element: 1043,
    array: 1015,
};
const CHAR: TypeOids = TypeOids {
    element: 1042,
    array: 1014,
};

impl TypeOids {
    /// What a key's parameters are: `uuid`, `numeric`, `bytea`, `text` or `bigint`.
    pub const fn of_parameters(wire: PostgresWire) -> Self {
        match wire {
            PostgresWire::Uuid => Self {
                element: 2950,
                array: 2951,
            },
            PostgresWire::Decimal(_) => Self {
                element: 1700,
                array: 1231,
            },
            PostgresWire::Bytes(_) => Self {
                element: 17,
                array: 1001,
            },
            PostgresWire::Text(_) => Self {
                element: 25,
                array: 1009,
            },
            PostgresWire::Integer => Self {
                element: 20,
                array: 1016,
            },
        }
    }

    /// The types of columns that store a key: the parameter type, and for text all text types.
    pub fn of_columns(wire: PostgresWire) -> impl Iterator<Item = Self> {
        let kinds_of_text: &[Self] = match wire {
            PostgresWire::Text(_) => &[VARCHAR, CHAR],
            _ => &[],
        };
        core::iter::once(Self::of_parameters(wire)).chain(kinds_of_text.iter().copied())
    }
}
