//! The columns of a key: how their values are read, and written as literals that mean the same in
//! every session.

use rowkey_core::Backend;
use rowkey_core::storage::quote_identifier;
use rowkey_tables::catalog::{Column, Table};
use rowkey_tables::text_literal::{line_literal, text_of_bytes};
use rowkey_tables::{Error, Value};

use crate::engine::{KeyLiteral, engine, of_column};
use crate::rows::write::literal::push_bytes;

/// A column of a key.
#[derive(Clone, Debug)]
pub(super) struct KeyColumn {
    backend: Backend,
    /// The column's table and name, for people.
    place: String,
    pub(super) quoted: String,
    pub(super) is_nullable: bool,
    form: KeyLiteral,
}

impl KeyColumn {
    /// A column of a table.
    ///
    /// # Errors
    ///
    /// [`Error::Refused`] for a type whose values a literal does not hold exactly or in every
    /// session.
    pub(super) fn new(backend: Backend, table: &Table, column: &Column) -> Result<Self, Error> {
        let place = format!("{}.{}", table.name, column.name);
        let sql_type = column.column_type(backend);
        let form = (engine(backend).rows.key_literal)(column, &sql_type).map_err(|why| {
            Error::refused(
                format!("{place} ({})", column.sql_type),
                why,
                "name another column with --column",
            )
        })?;
        Ok(Self {
            backend,
            place,
            quoted: quoted(backend, column)?,
            is_nullable: column.is_nullable,
            form,
        })
    }

    /// The SQL that shows a value as text or bytes.
    pub(super) fn shown(&self) -> String {
        match &self.form {
            KeyLiteral::Text | KeyLiteral::CodePage { .. } | KeyLiteral::Bytes => {
                self.quoted.clone()
            }
            KeyLiteral::Cast(_) | KeyLiteral::Any | KeyLiteral::Number | KeyLiteral::Quoted => {
                of_column(engine(self.backend).rows.shown, &self.quoted)
            }
        }
    }

    /// The literal of a value that was [`shown`](Self::shown). It is one line.
    pub(super) fn literal(&self, value: &Value) -> Result<String, Error> {
        match (&self.form, value) {
            (KeyLiteral::Number, Value::Text(digits)) if is_number(digits) => Ok(digits.clone()),
            (KeyLiteral::Number, Value::Integer(number)) => Ok(number.to_string()),
            (KeyLiteral::Quoted, Value::Text(text)) => Ok(without_prefix(&self.text(text)?)),
            (KeyLiteral::Text, Value::Text(text)) => self.text(text),
            (
                KeyLiteral::CodePage {
                    sql_type,
                    collation,
                },
                Value::Text(text),
            ) => self.in_code_page(text, sql_type, collation.as_deref()),
            (KeyLiteral::Bytes, Value::Bytes(bytes)) => Ok(self.bytes(bytes)),
            (KeyLiteral::Cast(sql_type), Value::Text(text)) => {
                Ok(format!("{}::{sql_type}", self.text(text)?))
            }
            (KeyLiteral::Any, Value::Text(literal)) => Ok(literal.clone()),
            (KeyLiteral::Any, Value::Bytes(bytes)) => match std::str::from_utf8(bytes) {
                Ok(text) => self.text(text),
                Err(_) => Ok(text_of_bytes(bytes)),
            },
            _ => Err(Error::Differs {
                what: self.place.clone(),
                found: format!("the value {value} is not of the column's type"),
            }),
        }
    }

    fn text(&self, text: &str) -> Result<String, Error> {
        let literal = line_literal(self.backend, text);
        literal.ok_or_else(|| self.refused("a value has control characters"))
    }

    /// A plain literal would be in the code page of the database, which may be another one.
    fn in_code_page(
        &self,
        text: &str,
        sql_type: &str,
        collation: Option<&str>,
    ) -> Result<String, Error> {
        let unicode = self.text(text)?;
        let is_name = |name: &&str| {
            name.chars()
                .all(|one| one == '_' || one.is_ascii_alphanumeric())
        };
        if text.is_ascii() {
            Ok(without_prefix(&unicode))
        } else if let Some(collation) = collation.filter(is_name) {
            Ok(format!("CAST({unicode} COLLATE {collation} AS {sql_type})"))
        } else {
            Err(self.refused("a value is not ASCII, and the code page is not known"))
        }
    }

    fn refused(&self, why: &str) -> Error {
        Error::refused(&self.place, why, "name another column with --column")
    }

    fn bytes(&self, bytes: &[u8]) -> String {
        let mut sql = String::new();
        push_bytes(&mut sql, self.backend, bytes);
        sql
    }
}

/// The name of a column in SQL.
fn quoted(backend: Backend, column: &Column) -> Result<String, Error> {
    Ok(quote_identifier(backend, &column.name)?)
}

/// A literal of SQL Server as one of the code page.
fn without_prefix(literal: &str) -> String {
    literal.trim_start_matches('N').to_owned()
}

fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty() && digits.chars().all(|one| one == '.' || one.is_ascii_digit())
}

#[cfg(test)]
pub(super) mod tests;
