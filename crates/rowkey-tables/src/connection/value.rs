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

/// A text for people, with escapes for what would end its line or move the cursor.
pub fn on_one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for one in text.chars() {
        match one.is_control() {
            true => line.extend(one.escape_debug()),
            false => line.push(one),
        }
    }
    line
}

/// The beginning of a value for people, on one line.
pub fn shortened(text: &str) -> String {
    const SHOWN: usize = 40;
    let rest = if text.chars().nth(SHOWN).is_some() {
        "…"
    } else {
        ""
    };
    on_one_line(&text.chars().take(SHOWN).collect::<String>()) + rest
}

/// For people: text on one line, bytes in hexadecimal.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("NULL"),
            Self::Integer(number) => number.fmt(f),
            Self::Text(text) => f.write_str(&on_one_line(text)),
            Self::Bytes(bytes) => f.write_str(&hex::encode(bytes)),
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
    fn value(&self, index: usize) -> Result<&Value, Error> {
        self.0.get(index).ok_or_else(|| Error::Differs {
            what: place(index),
            found: format!("a row has {} columns", self.0.len()),
        })
    }

    /// The text in a column.
    ///
    /// # Errors
    ///
    /// As [`optional_text`](Self::optional_text), and for NULL.
    pub fn text(&self, index: usize) -> Result<&str, Error> {
        let text = self.optional_text(index)?;
        text.ok_or_else(|| differs(index, &Value::Null, "text"))
    }

    /// The text in a column, if it is not NULL.
    ///
    /// # Errors
    ///
    /// [`Error::Differs`] for a value of another type, and for a column that the row does not have.
    pub fn optional_text(&self, index: usize) -> Result<Option<&str>, Error> {
        let value = self.value(index)?;
        match value {
            Value::Null => Ok(None),
            Value::Text(text) => Ok(Some(text)),
            // Some names in MySQL's catalogue are bytes.
            Value::Bytes(bytes) => match std::str::from_utf8(bytes) {
                Ok(text) => Ok(Some(text)),
                Err(_) => Err(differs(index, value, "text")),
            },
            Value::Integer(_) => Err(differs(index, value, "text")),
        }
    }

    /// The number in a column.
    ///
    /// # Errors
    ///
    /// As [`optional_integer`](Self::optional_integer), and for NULL.
    pub fn integer(&self, index: usize) -> Result<i64, Error> {
        let number = self.optional_integer(index)?;
        number.ok_or_else(|| differs(index, &Value::Null, "a number"))
    }

    /// The number in a column, if it is not NULL.
    ///
    /// # Errors
    ///
    /// As [`optional_text`](Self::optional_text).
    pub fn optional_integer(&self, index: usize) -> Result<Option<i64>, Error> {
        let value = self.value(index)?;
        let wrong = || differs(index, value, "a number");
        match value {
            Value::Null => Ok(None),
            Value::Integer(number) => Ok(Some(*number)),
            Value::Text(text) => text.parse().map(Some).map_err(|_| wrong()),
            Value::Bytes(_) => Err(wrong()),
        }
    }

    /// How many there are of something, which is never NULL or negative.
    pub fn count(&self, index: usize) -> Result<u64, Error> {
        let number = self.integer(index)?;
        u64::try_from(number).map_err(|_| differs(index, &number.into(), "a count"))
    }

    /// How many rows a database thinks that a table has; none if it does not know.
    pub fn estimate(&self, index: usize) -> Result<Option<u64>, Error> {
        let number = self.optional_integer(index)?;
        Ok(number.and_then(|number| u64::try_from(number).ok()))
    }

    /// Whether a column is neither 0 nor NULL.
    ///
    /// # Errors
    ///
    /// As [`optional_integer`](Self::optional_integer).
    pub fn is(&self, index: usize) -> Result<bool, Error> {
        Ok(self
            .optional_integer(index)?
            .is_some_and(|number| number != 0))
    }
}

fn place(index: usize) -> String {
    format!("column {} of a query", index + 1)
}

fn differs(index: usize, found: &Value, expected: &str) -> Error {
    Error::Differs {
        what: place(index),
        found: format!("{found:?} instead of {expected}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_stays_on_its_line() {
        let text = Value::from("é\u{1b}[31m\n\"\0").to_string();
        assert_eq!(text, r#"é\u{1b}[31m\n"\0"#);
    }

    #[test]
    fn no_value_is_made_up() {
        let found = |value: Value| Row(vec![value]).count(0).map_err(|error| error.to_string());
        assert_eq!(found(7.into()), Ok(7));
        assert_eq!(found("7".into()), Ok(7));
        for value in [
            Value::Null,
            (-1).into(),
            "7.5".into(),
            "".into(),
            Value::Bytes(vec![7]),
        ] {
            let error = found(value.clone()).unwrap_err();
            assert!(
                error.starts_with("column 1 of a query: "),
                "{value:?}: {error}"
            );
        }
        let null = Row(vec![Value::Null]);
        let error = null.text(0).unwrap_err().to_string();
        assert_eq!(error, "column 1 of a query: Null instead of text");
        let none = Row(Vec::new());
        assert!(none.count(0).is_err() && none.optional_text(0).is_err() && none.is(0).is_err());
    }
}
