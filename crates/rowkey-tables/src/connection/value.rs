//! Values of any database.

use std::borrow::Cow;
use std::fmt;

use crate::error::Error;

/// A value of a row, or for a placeholder.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// NULL.
    Null,
    /// A whole number, or a truth value as 0 or 1.
    Integer(i64),
    /// Text, and every value that only text holds exactly, such as a number of 28 digits.
    Text(String),
    /// Bytes, and PostgreSQL's `uuid` as its sixteen bytes.
    Bytes(Vec<u8>),
}

/// A value of a row that its driver still holds.
#[derive(Clone, Debug)]
pub enum Held<'r> {
    Null,
    Integer(i64),
    /// A number that SQLite stores as floating-point number.
    Real(f64),
    Text(Cow<'r, str>),
    Bytes(Cow<'r, [u8]>),
}

impl Held<'_> {
    /// None of the values of a scanned row.
    pub const NONE: [Self; SCANNED] = [const { Self::Null }; SCANNED];
}

/// How many columns a scanned row has at most.
pub const SCANNED: usize = 2;

/// What is done with each row of a scan.
pub type Take<'t> = dyn FnMut(&[Held<'_>; SCANNED]) -> Result<(), Error> + Send + 't;

impl From<Held<'_>> for Value {
    fn from(held: Held<'_>) -> Self {
        match held {
            Held::Null => Self::Null,
            Held::Integer(number) => Self::Integer(number),
            Held::Real(number) => Self::Text(number.to_string()),
            Held::Text(text) => Self::Text(text.into_owned()),
            Held::Bytes(bytes) => Self::Bytes(bytes.into_owned()),
        }
    }
}

/// For people: bytes in hexadecimal.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("NULL"),
            Self::Integer(number) => number.fmt(f),
            Self::Text(text) => f.write_str(text),
            Self::Bytes(bytes) => bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}")),
        }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Integer(number)
    }
}

/// A row of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row(pub Vec<Value>);

impl Row {
    fn value(&self, index: usize) -> &Value {
        self.0.get(index).unwrap_or(&Value::Null)
    }

    /// The text in a column; empty for NULL.
    ///
    /// # Errors
    ///
    /// [`Error::Differs`] for a value of another type.
    pub fn text(&self, index: usize) -> Result<&str, Error> {
        Ok(self.optional_text(index)?.unwrap_or_default())
    }

    /// The text in a column, if it is not NULL.
    ///
    /// # Errors
    ///
    /// [`Error::Differs`] for a value of another type.
    pub fn optional_text(&self, index: usize) -> Result<Option<&str>, Error> {
        match self.value(index) {
            Value::Null => Ok(None),
            Value::Text(text) => Ok(Some(text)),
            // Some names in MySQL's catalogue are bytes.
            Value::Bytes(bytes) => match std::str::from_utf8(bytes) {
                Ok(text) => Ok(Some(text)),
                Err(_) => Err(self.differs(index, "text")),
            },
            Value::Integer(_) => Err(self.differs(index, "text")),
        }
    }

    /// The number in a column; 0 for NULL.
    ///
    /// # Errors
    ///
    /// [`Error::Differs`] for a value of another type.
    pub fn integer(&self, index: usize) -> Result<i64, Error> {
        match self.value(index) {
            Value::Null => Ok(0),
            Value::Integer(number) => Ok(*number),
            Value::Text(text) => text.parse().map_err(|_| self.differs(index, "a number")),
            Value::Bytes(_) => Err(self.differs(index, "a number")),
        }
    }

    /// Whether a column is neither 0 nor NULL.
    ///
    /// # Errors
    ///
    /// [`Error::Differs`] for a value of another type.
    pub fn is(&self, index: usize) -> Result<bool, Error> {
        Ok(self.integer(index)? != 0)
    }

    fn differs(&self, index: usize, expected: &str) -> Error {
        Error::Differs {
            what: format!("column {} of a query", index + 1),
            found: format!("{:?} instead of {expected}", self.value(index)),
        }
    }
}
