//! What PostgreSQL drivers need of the protocol: the values of a column, and the OIDs of the types
//! that store keys.

use alloc::vec;

use super::backend::Backend;
use super::column::Column;
use super::plan::StoragePlan;
use super::stored::{Stored, StoredRef};
use super::wire::{BinaryLength, UuidWire};
use crate::driver::numeric;
use crate::error::Error;
use crate::text::hexadecimal;

/// The column of a key in PostgreSQL.
#[derive(Clone, Copy, Debug)]
pub struct PostgresColumn(Column);

impl StoragePlan {
    /// The column in PostgreSQL.
    #[inline]
    pub const fn postgres(&self) -> PostgresColumn {
        PostgresColumn(self.column(Backend::Postgres))
    }
}

impl PostgresColumn {
    /// The same column in the type for all backends.
    #[inline]
    pub const fn column(self) -> Column {
        self.0
    }

    /// What is sent and received.
    #[inline]
    pub const fn wire(self) -> UuidWire {
        self.0.uuid_wire()
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
            UuidWire::Uuid | UuidWire::Bytes(_) => StoredRef::Bytes(bytes),
            UuidWire::Decimal(_) => match numeric::read(bytes) {
                Ok(number) => StoredRef::Decimal(number),
                Err(_) => return Err(self.0.refusal_of_numeric(bytes)),
            },
            UuidWire::Text(_) => self.0.text(bytes)?,
            UuidWire::Integer => match <[u8; 8]>::try_from(bytes) {
                Ok(bytes) => StoredRef::Integer(i64::from_be_bytes(bytes).into()),
                Err(_) => return Err(self.0.wrong_length(bytes)),
            },
        };
        self.0.decode(found)
    }

    /// The public value of what a column held, in the text protocol; of a `bytea`, in the `hex`
    /// format.
    ///
    /// # Errors
    ///
    /// As [`Column::decode`].
    #[inline(always)]
    pub fn decode_text(self, text: &str) -> Result<u128, Error> {
        let bytes: [u8; 16];
        let found = match (self.wire(), text.strip_prefix("\\x")) {
            (UuidWire::Integer, _) => match text.parse::<i64>() {
                Ok(number) => StoredRef::Integer(number.into()),
                Err(_) => StoredRef::Text(text),
            },
            (UuidWire::Bytes(length), Some(digits))
                if digits.len() != 2 * usize::from(length.bytes()) =>
            {
                return Err(self.0.wrong_length(&vec![0; digits.len() / 2]));
            }
            (UuidWire::Bytes(length), Some(digits)) => {
                let number = match length {
                    BinaryLength::Bytes12 => hexadecimal::decode::<24>(digits)?,
                    BinaryLength::Bytes16 => hexadecimal::decode::<32>(digits)?,
                };
                bytes = number.to_be_bytes();
                StoredRef::Bytes(&bytes[16 - usize::from(length.bytes())..])
            }
            _ => StoredRef::Text(text),
        };
        self.0.decode(found)
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

const VARCHAR: TypeOids = TypeOids::new(1043, 1015);
const CHAR: TypeOids = TypeOids::new(1042, 1014);

impl TypeOids {
    const fn new(element: u32, array: u32) -> Self {
        Self { element, array }
    }

    /// What a key's parameters are: `uuid`, `numeric`, `bytea`, `text` or `bigint`.
    pub const fn of_parameters(wire: UuidWire) -> Self {
        match wire {
            UuidWire::Uuid => Self::new(2950, 2951),
            UuidWire::Decimal(_) => Self::new(1700, 1231),
            UuidWire::Bytes(_) => Self::new(17, 1001),
            UuidWire::Text(_) => Self::new(25, 1009),
            UuidWire::Integer => Self::new(20, 1016),
        }
    }

    /// The types of columns that store a key: the parameter type, and for text all text types.
    pub fn of_columns(wire: UuidWire) -> impl Iterator<Item = Self> {
        let kinds_of_text: &[Self] = match wire {
            UuidWire::Text(_) => &[VARCHAR, CHAR],
            _ => &[],
        };
        core::iter::once(Self::of_parameters(wire)).chain(kinds_of_text.iter().copied())
    }
}
