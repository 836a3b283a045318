//! What drivers of MySQL and MariaDB send and receive: BINARY, DECIMAL, CHAR, MariaDB's own UUID
//! and BIGINT.
//!
//! The protocol carries decimal numbers as digits, so everything but an integer is bytes or text.

use super::backend::Backend;
use super::column::Column;
use super::plan::StoragePlan;
use super::stored::{Parameter, StoredBytes, StoredRef};
use super::wire::MySqlWire;
use crate::error::Error;
use crate::text::{decimal, hyphenated};

/// The column of a key in MySQL and MariaDB.
#[derive(Clone, Copy, Debug)]
pub struct MySqlColumn(Column);

/// A value received from MySQL or MariaDB, with its type as far as the driver knows it.
#[derive(Clone, Copy, Debug)]
pub enum MySqlFound<'a> {
    /// A binary string.
    Bytes(&'a [u8]),
    /// A character string.
    Text(&'a [u8]),
    /// A binary or a character string.
    BytesOrText(&'a [u8]),
    /// The digits of a DECIMAL number.
    Decimal(&'a [u8]),
    /// An integer, with or without a sign.
    Integer(i128),
}

impl StoragePlan {
    /// The one column of the protocol of MySQL and MariaDB.
    #[inline]
    pub const fn mysql(&self) -> MySqlColumn {
        MySqlColumn(self.column(Backend::MySql))
    }
}

impl MySqlColumn {
    /// The same column in the type for all backends.
    #[inline]
    pub const fn column(self) -> Column {
        self.0
    }

    /// What is sent and received.
    #[inline]
    pub const fn wire(self) -> MySqlWire {
        MySqlWire::of(self.0.wire())
    }

    /// What to bind for a public value, the number of a DECIMAL in digits; see [`Column::encode`].
    #[inline(always)]
    pub fn encode(self, value: u128) -> Parameter {
        let stored = self.0.permutation().apply(value);
        match self.wire() {
            MySqlWire::Bytes(length) => Parameter::Bytes(StoredBytes::of(stored, length)),
            MySqlWire::NativeUuid => Parameter::Text(hyphenated::write(stored)),
            MySqlWire::Decimal(_) => Parameter::Text(decimal::write(stored)),
            MySqlWire::Text(form) => Parameter::Text(form.write(stored)),
            MySqlWire::Integer => Parameter::Integer(stored as i64),
        }
    }

    /// The public value of what a column held.
    ///
    /// # Errors
    ///
    /// As [`Column::decode`]; this function only chooses how to read the bytes.
    #[inline(always)]
    pub fn decode(self, found: MySqlFound<'_>) -> Result<u128, Error> {
        let column = self.0;
        match (self.wire(), found) {
            (MySqlWire::Decimal(_), MySqlFound::Decimal(bytes)) => {
                match column.decode(column.text(bytes)?) {
                    Err(refusal) => self.without_decimals(bytes, refusal),
                    decoded => decoded,
                }
            }
            // Diesel asks for types before the server knows the parameters' types.
            (MySqlWire::Decimal(_), MySqlFound::BytesOrText(bytes)) if bytes.contains(&b'.') => {
                self.without_decimals(bytes, column.refusal(column.text(bytes)?))
            }
            (_, MySqlFound::Decimal(_)) => Err(column.refusal("a DECIMAL number")),
            (_, MySqlFound::Integer(number)) => column.decode(StoredRef::Integer(number)),
            // The servers compare text of digits as floating-point numbers.
            (
                MySqlWire::Decimal(_) | MySqlWire::Integer,
                MySqlFound::Text(bytes) | MySqlFound::BytesOrText(bytes),
            ) => Err(column.refusal(column.text(bytes)?)),
            (_, MySqlFound::Text(bytes)) | (MySqlWire::Text(_), MySqlFound::BytesOrText(bytes)) => {
                column.decode(column.text(bytes)?)
            }
            // A UUID from an expression may have lost its character set, or be bytes.
            (MySqlWire::NativeUuid, MySqlFound::Bytes(bytes)) if bytes.len() == 36 => {
                column.decode(column.text(bytes)?)
            }
            (MySqlWire::NativeUuid, MySqlFound::BytesOrText(bytes)) if bytes.len() != 16 => {
                column.decode(column.text(bytes)?)
            }
            (_, MySqlFound::Bytes(bytes) | MySqlFound::BytesOrText(bytes)) => {
                column.decode(StoredRef::Bytes(bytes))
            }
        }
    }

    /// The public value of a number with decimals, which are all zero: from 8.0.22 on, an
    /// expression of a column and a parameter, such as `coalesce(id, ?)`, has thirty of them.
    #[cold]
    fn without_decimals(self, bytes: &[u8], refusal: Error) -> Result<u128, Error> {
        let Some(point) = bytes.iter().position(|byte| *byte == b'.') else {
            return Err(refusal);
        };
        let (digits, decimals) = bytes.split_at(point);
        if decimals.iter().skip(1).any(|byte| *byte != b'0') {
            return Err(self.0.refusal("a number with decimals"));
        }
        let decoded = self.0.decode(self.0.text(digits)?);
        decoded.map_err(|_| refusal)
    }
}
