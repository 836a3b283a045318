//! What a row of a table says about its id.

use rowkey_core::UnixMillis;

/// A value of the column, as the database stores it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoredValue<'a> {
    /// NULL.
    Null,
    /// Bytes: of a binary column, or of a uuid in the order of its text.
    Bytes(&'a [u8]),
    /// Text.
    Text(&'a str),
    /// A whole number.
    Integer(i64),
    /// A decimal number, as text.
    Decimal(&'a str),
    /// A number that SQLite stores as floating-point number, as text.
    Real(&'a str),
}

/// A row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Observation<'a> {
    /// The value of the column.
    pub value: StoredValue<'a>,
    /// Whether this row was inserted next after the one that was observed before, as far as the
    /// table knows. False for the first row of each part of the table, and where the order of the
    /// rows is the order of the ids.
    pub follows: bool,
    /// When the row was made, by a column of the table. A time without a zone counts as UTC.
    pub created: Option<UnixMillis>,
}

impl<'a> Observation<'a> {
    /// A row without any order or time.
    pub fn of(value: StoredValue<'a>) -> Self {
        Self {
            value,
            follows: false,
            created: None,
        }
    }

    /// This row, inserted next after the one before.
    #[must_use]
    pub fn following(self) -> Self {
        Self {
            follows: true,
            ..self
        }
    }

    /// This row, made at a time.
    #[must_use]
    pub fn created(self, time: UnixMillis) -> Self {
        Self {
            created: Some(time),
            ..self
        }
    }
}
