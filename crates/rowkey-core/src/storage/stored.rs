//! Conversion between public values and column values.

use alloc::format;
use alloc::string::String;
use core::{fmt, str};

use super::backend::Backend;
use super::column::Column;
use super::column_type::Storage;
use super::text_form::TextForm;
use super::wire::{BinaryLength, Precision, Wire};
use crate::driver::numeric;
use crate::error::{Error, ErrorKind, Problem};
use crate::layout::{Layout, Permutation};
use crate::text::{Encoding, ShortText, hyphenated};

/// What a driver binds for a key. Bytes and text are already in the column's layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stored {
    /// A uuid's bytes in the order of its text.
    Uuid([u8; 16]),
    /// Bytes.
    Bytes(StoredBytes),
    /// A whole number of at most 28 or 38 digits.
    Decimal(u128),
    /// ASCII text.
    Text(ShortText),
    /// A whole number from 0 to 2^63-1.
    Integer(i64),
}

/// What a driver binds for a key if the protocol has no uuids and sends decimal numbers as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// Bytes.
    Bytes(StoredBytes),
    /// ASCII text.
    Text(ShortText),
    /// A whole number from 0 to 2^63-1.
    Integer(i64),
}

/// Twelve or sixteen bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct StoredBytes {
    bytes: [u8; 16],
    start: u8,
}

impl StoredBytes {
    /// The last bytes of a number.
    #[inline]
    pub(super) const fn of(stored: u128, length: BinaryLength) -> Self {
        Self {
            bytes: stored.to_be_bytes(),
            start: 16 - length.bytes(),
        }
    }

    /// The bytes.
    #[inline]
    pub fn as_slice(&self) -> &[u8] {
        &self.bytes[usize::from(self.start)..]
    }
}

impl fmt::Debug for StoredBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_slice().fmt(f)
    }
}

/// A value that a driver has read from a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoredRef<'a> {
    /// Bytes, of a binary column or a uuid.
    Bytes(&'a [u8]),
    /// Text, of a text column or of any column in a text protocol.
    Text(&'a str),
    /// A whole number.
    Decimal(u128),
    /// An integer of any width, with or without a sign.
    Integer(i128),
}

impl fmt::Display for StoredRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bytes([_]) => f.write_str("1 byte"),
            Self::Bytes(bytes) => write!(f, "{} bytes", bytes.len()),
            Self::Text(text) => match text.chars().count() {
                1 => f.write_str("text of 1 character"),
                count => write!(f, "text of {count} characters"),
            },
            Self::Decimal(value) => write!(f, "the number {value}"),
            Self::Integer(value @ ..0) => write!(f, "the negative number {value}"),
            Self::Integer(value) => write!(f, "the number {value}"),
        }
    }
}

impl Column {
    /// What to bind for a public value.
    ///
    /// Never fails: a value that passed the key's constructors fits its plan.
    // Always inlined, here and in `decode`: keys have constant columns, so only one arm remains.
    // The compiler ignores a mere hint, because the whole function looks too large.
    #[inline(always)]
    pub fn encode(self, value: u128) -> Stored {
        let stored = self.permutation().apply(value);
        match self.wire() {
            Wire::Uuid => Stored::Uuid(stored.to_be_bytes()),
            Wire::NativeUuid => Stored::Text(hyphenated::write(stored)),
            Wire::Bytes(length) => Stored::Bytes(StoredBytes::of(stored, length)),
            Wire::Decimal(_) => Stored::Decimal(stored),
            Wire::Text(form) => Stored::Text(form.write(stored)),
            Wire::Integer => Stored::Integer(stored as i64),
        }
    }

    /// The public value of a column's value.
    ///
    /// MariaDB's own `UUID` may come as 16 bytes or as 36 characters, and a PostgreSQL uuid as text
    /// in the text protocol; the layout is always the declared one. A plan of `BINARY(16)` does not
    /// read such a `UUID`, which is sorted differently: time ranges would miss rows.
    ///
    /// # Errors
    ///
    /// `ErrorKind::Stored` for another type, length or letter case than the plan stores,
    /// `ErrorKind::Text` for text of another alphabet, `ErrorKind::Format` for a value of another
    /// format, and for one that is not of the format in the column's layout.
    #[inline(always)]
    pub fn decode(self, found: StoredRef<'_>) -> Result<u128, Error> {
        let stored = match (self.wire(), found) {
            (
                Wire::Uuid | Wire::NativeUuid | Wire::Bytes(BinaryLength::Bytes16),
                StoredRef::Bytes(bytes),
            ) => match <[u8; 16]>::try_from(bytes) {
                Ok(bytes) => u128::from_be_bytes(bytes),
                Err(_) => return Err(self.wrong_length(bytes)),
            },
            (Wire::Bytes(BinaryLength::Bytes12), StoredRef::Bytes(bytes)) => {
                match number_of_12_bytes(bytes) {
                    Some(number) => number,
                    None => return Err(self.wrong_length(bytes)),
                }
            }
            (Wire::Uuid | Wire::NativeUuid, StoredRef::Text(text)) => {
                // Not `parse`, whose result would go through memory.
                match hyphenated::read(text) {
                    Some(value) => value,
                    None => return Err(hyphenated::refusal(text)),
                }
            }
            (Wire::Decimal(_), StoredRef::Decimal(value)) => value,
            (Wire::Decimal(_), StoredRef::Text(text)) => {
                match self.format().width().decode(Encoding::Decimal, text) {
                    Ok(value) => value,
                    Err(_) => return Err(self.refuse_number(text)),
                }
            }
            (Wire::Text(form), StoredRef::Text(text)) => match form.read(text) {
                Some(value) => value,
                None => return Err(self.refuse_text(form, text)),
            },
            (Wire::Integer, StoredRef::Integer(number @ 0..)) => number as u128,
            _ => return Err(self.refusal(found)),
        };
        let value = self.permutation().invert(stored);
        if value > self.max_value() {
            return Err(match self.permutation() {
                Permutation::Identity => self.refuse_too_large(value, found),
                _ => self.refuse_value(stored),
            });
        }
        if self.format().admits(value) {
            Ok(value)
        } else {
            Err(self.refuse_value(stored))
        }
    }

    #[inline]
    pub(super) fn text(self, bytes: &[u8]) -> Result<StoredRef<'_>, Error> {
        match str::from_utf8(bytes) {
            Ok(text) => Ok(StoredRef::Text(text)),
            Err(_) => Err(self.refusal("text that is not UTF-8")),
        }
    }

    /// The error for text that is not of the column's form: it names the storage with that form, or
    /// else says what is wrong.
    #[cold]
    #[inline(never)]
    fn refuse_text(self, form: TextForm, text: &str) -> Error {
        let other = Storage::ALL.into_iter().find_map(|storage| {
            let other = Self::new(self.format(), self.backend(), storage, Some(self.layout()));
            match other.ok()?.wire() {
                Wire::Text(other) if other.read(text).is_some() => Some((other, storage)),
                _ => None,
            }
        });
        if let Some((other, storage)) = other {
            let found = other.describe();
            return self.refusal(format_args!("{found}: declare `{storage}`"));
        }
        if text.chars().count() != usize::from(form.width()) {
            return self.refusal(StoredRef::Text(text));
        }
        match form.read_any_case(text) {
            Ok(_) => self.refusal("letters of both cases, which no storage reads"),
            Err(error) => error,
        }
    }

    #[cold]
    #[inline(never)]
    fn refuse_value(self, stored: u128) -> Error {
        let (format, permutation) = (self.format(), self.permutation());
        let value = permutation.invert(stored);
        if permutation == Permutation::Identity {
            return Problem::Format { format, value }.into();
        }
        let is_unswapped = self.backend() == Backend::SqlServer && format.admits(stored);
        let unswapped = [Layout::PublicUnordered, Layout::Public].into_iter();
        let unswapped = unswapped.filter(|_| is_unswapped).find(|&layout| {
            Self::new(format, self.backend(), self.storage(), Some(layout)).is_ok()
        });
        let advice = match unswapped {
            Some(layout) => format!(
                "it is valid in the public layout: for guids that were stored unswapped, declare \
                 `storage(sqlserver = \"uuid:{layout}\")`"
            ),
            None => "for a column of ids of several formats, declare the key over AnyUuid".into(),
        };
        let (stored, layout) = (hyphenated::write(stored), self.layout());
        let problem = format.problem(value, permutation);
        Error::new(
            ErrorKind::Format,
            format!("`{stored}` is not a {format} in the `{layout}` layout: {problem}; {advice}"),
        )
    }

    #[cold]
    #[inline(never)]
    fn refuse_too_large(self, value: u128, found: StoredRef<'_>) -> Error {
        if let Wire::Decimal(_) | Wire::Integer = self.wire() {
            return self.refuse_number(&format!("{value}"));
        }
        self.refusal(format_args!(
            "{found} of too large a number: {value}, where {} is the largest",
            self.max_value()
        ))
    }

    /// The error for the text of a number that is not a key: with a sign, a scale, or NaN.
    #[cold]
    #[inline(never)]
    fn refuse_number(self, text: &str) -> Error {
        // Show the number rather than its length, unless it would flood the log.
        if text.len() <= 40 {
            self.refusal(format_args!("the number {text}"))
        } else {
            self.refusal(StoredRef::Text(text))
        }
    }

    /// The error for a binary `numeric` of PostgreSQL that is not a key, in the same words as for
    /// the text protocol.
    #[cold]
    pub fn refusal_of_numeric(self, bytes: &[u8]) -> Error {
        match numeric::text(bytes) {
            Some(text) => self.refuse_number(&text),
            None => self.refusal("bytes that are not a numeric"),
        }
    }

    // Takes no `StoredRef`, which would be written to memory even on success.
    #[cold]
    #[inline(never)]
    pub(super) fn wrong_length(self, bytes: &[u8]) -> Error {
        self.refusal(StoredRef::Bytes(bytes))
    }

    /// The error for a value of another type or length than the plan stores, in words.
    #[cold]
    pub fn refusal(self, found: impl fmt::Display) -> Error {
        Problem::Stored {
            format: self.format(),
            expected: self.wire().describe(),
            found: format!("{found}"),
        }
        .into()
    }

    /// The error for a value that SQLite stores as a number of this type.
    ///
    /// SQLite converts values according to a column's declared type: digits stored in a column
    /// declared as DECIMAL, NUMERIC, UUID or STRING become a floating-point number.
    #[cold]
    pub fn refusal_of_sqlite_number(self, type_name: &str) -> Error {
        match self.required_type() {
            Some(sql_type) => self.refusal(format_args!(
                "a number ({type_name}): the column's declared type damages digits, declare it \
                 as {sql_type}"
            )),
            None => self.refusal(format_args!("a number ({type_name})")),
        }
    }

    /// The type that the column must have in the database, if a numeric column would accept or
    /// compare these values silently as floating-point numbers.
    ///
    /// Neighbouring keys would then be equal, and a statement for one would change the rows of
    /// both. This concerns columns declared as DECIMAL, NUMERIC, UUID or STRING in SQLite, and
    /// DECIMAL columns in MySQL and MariaDB.
    ///
    /// ```
    /// use rowkey_core::format::FormatKind;
    /// use rowkey_core::storage::StoragePlan;
    /// use rowkey_core::Backend;
    ///
    /// let plan = StoragePlan::default_for(FormatKind::DistributedId);
    /// assert_eq!(plan.column(Backend::Sqlite).required_type(), Some("TEXT"));
    /// assert_eq!(plan.column(Backend::MySql).required_type(), None);
    /// ```
    pub const fn required_type(self) -> Option<&'static str> {
        match (self.wire(), self.backend()) {
            (Wire::Text(_), Backend::Sqlite) => Some("TEXT"),
            (Wire::Text(_), Backend::MySql | Backend::MariaDb) => Some("CHAR"),
            _ => None,
        }
    }

    /// The type that a query must convert a parameter of this column to (`CAST(? AS …)`), if
    /// drivers may send numbers as text: MySQL and MariaDB compare a DECIMAL column with text as
    /// floating-point numbers, and would find the rows of neighbouring keys.
    ///
    /// ```
    /// use rowkey_core::format::FormatKind;
    /// use rowkey_core::storage::StoragePlan;
    /// use rowkey_core::Backend;
    ///
    /// let plan = StoragePlan::default_for(FormatKind::DistributedId);
    /// assert_eq!(plan.column(Backend::MySql).parameter_cast(), Some("DECIMAL(28,0)"));
    /// assert_eq!(plan.column(Backend::Postgres).parameter_cast(), None);
    /// ```
    pub const fn parameter_cast(self) -> Option<&'static str> {
        match (self.wire(), self.backend()) {
            (Wire::Decimal(Precision::Digits28), Backend::MySql | Backend::MariaDb) => {
                Some("DECIMAL(28,0)")
            }
            (Wire::Decimal(Precision::Digits38), Backend::MySql | Backend::MariaDb) => {
                Some("DECIMAL(38,0)")
            }
            _ => None,
        }
    }

    /// The SQL literal of a public value, to paste into a WHERE clause on this column's backend.
    ///
    /// ```
    /// use rowkey_core::format::FormatKind;
    /// use rowkey_core::storage::StoragePlan;
    /// use rowkey_core::Backend;
    ///
    /// let plan = StoragePlan::default_for(FormatKind::DistributedId);
    /// let literal = |backend| plan.column(backend).literal(1_088_824_355_131_185_736_905_670_087);
    /// assert_eq!(literal(Backend::Postgres), "1088824355131185736905670087");
    /// assert_eq!(literal(Backend::Sqlite), "'1088824355131185736905670087'");
    /// ```
    pub fn literal(self, value: u128) -> String {
        match self.encode(value) {
            Stored::Uuid(bytes) => format!("'{}'", hyphenated::write(u128::from_be_bytes(bytes))),
            Stored::Decimal(value) => format!("{value}"),
            Stored::Text(text) => format!("'{text}'"),
            Stored::Integer(value) => format!("{value}"),
            Stored::Bytes(bytes) => {
                let mut literal = String::from(match self.backend() {
                    Backend::Postgres => "'\\x",
                    Backend::SqlServer => "0x",
                    Backend::MySql | Backend::MariaDb | Backend::Sqlite => "X'",
                });
                let pair = |byte: &u8| hyphenated::DIGIT_PAIRS[usize::from(*byte)];
                literal.extend(bytes.as_slice().iter().flat_map(pair).map(char::from));
                if !matches!(self.backend(), Backend::SqlServer) {
                    literal.push('\'');
                }
                literal
            }
        }
    }
}

/// The number of exactly twelve bytes, in two reads.
#[inline]
fn number_of_12_bytes(bytes: &[u8]) -> Option<u128> {
    let (high, low) = bytes.split_first_chunk()?;
    let low = u64::from_be_bytes(low.try_into().ok()?);
    Some(u128::from(u32::from_be_bytes(*high)) << 64 | u128::from(low))
}
