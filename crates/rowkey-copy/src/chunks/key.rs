//! The columns of a key: how their values are read, and written as literals that mean the same in
//! every session.

use rowkey_core::Backend;
use rowkey_core::storage::quote_identifier;
use rowkey_tables::catalog::{Column, Table};
use rowkey_tables::text_literal::text_literal;
use rowkey_tables::types::{self, Type};
use rowkey_tables::{Error, Value};

use crate::write::literal::push_hex;

/// A column of a key.
#[derive(Clone, Debug)]
pub(super) struct KeyColumn {
    backend: Backend,
    /// The column's table and name, for people.
    place: String,
    pub(super) quoted: String,
    pub(super) is_nullable: bool,
    form: Form,
}

/// How the values of a column are written.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Form {
    /// Digits.
    Number,
    /// Text in the order of a collation.
    Text,
    /// Text of SQL Server in the code page of a collation. A literal of another type would be what
    /// the column is converted to, and no index is in that order.
    CodePage {
        sql_type: String,
        collation: Option<String>,
    },
    Bytes,
    /// Text that the server reads as a value of the column: an id, a date.
    Quoted,
    /// Any type of PostgreSQL, each of which has text that is read as the same value.
    Cast(String),
    /// Any value of SQLite, which says itself how to write it.
    Any,
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
        let form = form(backend, column).map_err(|why| {
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
        let column = &self.quoted;
        match (&self.form, self.backend) {
            (Form::Text | Form::CodePage { .. } | Form::Bytes, _) => column.clone(),
            (Form::Cast(_), _) => format!("{column}::text"),
            (Form::Any, _) => format!(
                "CASE typeof({column}) WHEN 'text' THEN CAST({column} AS BLOB) ELSE quote({column}) END"
            ),
            (Form::Number | Form::Quoted, Backend::SqlServer) => {
                format!("CONVERT(varchar(40), {column})")
            }
            (Form::Number | Form::Quoted, _) => format!("CAST({column} AS CHAR)"),
        }
    }

    /// The literal of a value that was [`shown`](Self::shown). It is one line.
    pub(super) fn literal(&self, value: &Value) -> Result<String, Error> {
        match (&self.form, value) {
            (Form::Number, Value::Text(digits)) if is_number(digits) => Ok(digits.clone()),
            (Form::Number, Value::Integer(number)) => Ok(number.to_string()),
            (Form::Quoted, Value::Text(text)) if is_plain(text) => Ok(format!("'{text}'")),
            (Form::Text, Value::Text(text)) => self.text(text),
            (
                Form::CodePage {
                    sql_type,
                    collation,
                },
                Value::Text(text),
            ) => self.in_code_page(text, sql_type, collation.as_deref()),
            (Form::Bytes, Value::Bytes(bytes)) => Ok(self.bytes(bytes)),
            (Form::Cast(sql_type), Value::Text(text)) => {
                Ok(format!("{}::{sql_type}", escaped(text)))
            }
            (Form::Any, Value::Text(literal)) => Ok(literal.clone()),
            (Form::Any, Value::Bytes(text)) => Ok(match std::str::from_utf8(text) {
                Ok(text) if is_plain(text) => format!("'{text}'"),
                // An operation gives a value that does not convert those of the column, as CAST
                // would.
                _ => format!("('' || CAST(X'{}' AS TEXT))", hex(text)),
            }),
            _ => Err(Error::Differs {
                what: self.place.clone(),
                found: format!("the value {value} is not of the column's type"),
            }),
        }
    }

    fn text(&self, text: &str) -> Result<String, Error> {
        match self.backend {
            Backend::SqlServer => Ok(text_literal(self.backend, self.printable(text)?)),
            _ if is_plain(text) => Ok(format!("'{text}'")),
            // Neither the character set of a session nor its meaning of a backslash matters.
            Backend::MySql | Backend::MariaDb => {
                Ok(format!("_utf8mb4 X'{}'", hex(text.as_bytes())))
            }
            backend => Ok(text_literal(backend, self.printable(text)?)),
        }
    }

    /// A plain literal would be in the code page of the database, which may be another one.
    fn in_code_page(
        &self,
        text: &str,
        sql_type: &str,
        collation: Option<&str>,
    ) -> Result<String, Error> {
        let unicode = text_literal(self.backend, self.printable(text)?);
        let is_name = |name: &&str| {
            name.chars()
                .all(|one| one == '_' || one.is_ascii_alphanumeric())
        };
        if text.is_ascii() {
            Ok(unicode.trim_start_matches('N').to_owned())
        } else if let Some(collation) = collation.filter(is_name) {
            Ok(format!("CAST({unicode} COLLATE {collation} AS {sql_type})"))
        } else {
            Err(self.refused("a value is not ASCII, and the code page is not known"))
        }
    }

    /// The text, if it has one line.
    fn printable<'t>(&self, text: &'t str) -> Result<&'t str, Error> {
        if text.chars().any(char::is_control) {
            return Err(self.refused("a value has control characters"));
        }
        Ok(text)
    }

    fn refused(&self, why: &str) -> Error {
        Error::refused(&self.place, why, "name another column with --column")
    }

    fn bytes(&self, bytes: &[u8]) -> String {
        match self.backend {
            Backend::SqlServer => format!("0x{}", hex(bytes)),
            _ => format!("X'{}'", hex(bytes)),
        }
    }
}

/// The name of a column in SQL.
fn quoted(backend: Backend, column: &Column) -> Result<String, Error> {
    Ok(quote_identifier(backend, &column.name)?)
}

/// How the values of a column are written, or why they are not.
fn form(backend: Backend, column: &Column) -> Result<Form, &'static str> {
    match backend {
        Backend::Postgres => Ok(Form::Cast(column.sql_type.clone())),
        Backend::Sqlite => Ok(Form::Any),
        Backend::MySql | Backend::MariaDb => match types::parse(backend, &column.sql_type) {
            Some(Type::Integer { .. } | Type::Flag | Type::Decimal(_)) => Ok(Form::Number),
            Some(Type::Text(_) | Type::PaddedText(_)) => Ok(Form::Text),
            Some(Type::FixedBytes(_) | Type::Bytes(_)) => Ok(Form::Bytes),
            Some(Type::Uuid | Type::Date | Type::Time | Type::Timestamp) => Ok(Form::Quoted),
            Some(Type::Instant) => {
                Err("what its values mean depends on the time zone of a session")
            }
            Some(Type::Single | Type::Double) => {
                Err("its values are shown with fewer digits than they have")
            }
            _ => Err("its values are not in the order of their text"),
        },
        Backend::SqlServer => sql_server(column),
    }
}

/// The types of SQL Server that keys have. It has not run there.
fn sql_server(column: &Column) -> Result<Form, &'static str> {
    let name = column.sql_type.split('(').next().unwrap_or_default();
    match name {
        "uniqueidentifier" | "date" => Ok(Form::Quoted),
        "tinyint" | "smallint" | "int" | "bigint" | "decimal" | "numeric" => Ok(Form::Number),
        "binary" | "varbinary" => Ok(Form::Bytes),
        "nchar" | "nvarchar" => Ok(Form::Text),
        "char" | "varchar" => Ok(Form::CodePage {
            sql_type: column.sql_type.clone(),
            collation: column.collation.clone(),
        }),
        _ => Err("its values have no literal that means the same in every session"),
    }
}

/// Whether a text means itself between quotes, on every server and in every session.
fn is_plain(text: &str) -> bool {
    let is_plain = |one: char| one == ' ' || one.is_ascii_graphic() && one != '\'' && one != '\\';
    text.chars().all(is_plain)
}

/// A text of PostgreSQL on one line, in which a backslash means the same in every session.
fn escaped(text: &str) -> String {
    let is_special = |one: char| one == '\\' || one.is_control();
    if !text.contains(is_special) {
        return text_literal(Backend::Postgres, text);
    }
    let mut literal = String::from("E'");
    for one in text.chars() {
        match one {
            '\'' | '\\' => literal.extend([one, one]),
            one if one.is_control() => literal += &format!("\\u{:04x}", u32::from(one)),
            one => literal.push(one),
        }
    }
    literal.push('\'');
    literal
}

fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty() && digits.chars().all(|one| one == '.' || one.is_ascii_digit())
}

fn hex(bytes: &[u8]) -> String {
    let mut text = String::new();
    push_hex(&mut text, bytes);
    text
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in crate::chunks) fn key_column(
        backend: Backend,
        name: &str,
        sql_type: &str,
        is_nullable: bool,
    ) -> KeyColumn {
        try_column(backend, name, sql_type, is_nullable).unwrap()
    }

    fn try_column(
        backend: Backend,
        name: &str,
        sql_type: &str,
        is_nullable: bool,
    ) -> Result<KeyColumn, Error> {
        let column = Column {
            name: name.into(),
            sql_type: sql_type.into(),
            is_nullable,
            default: None,
            generated: String::new(),
            collation: None,
            comment: None,
        };
        let table = Table {
            name: "offer".into(),
            columns: Vec::new(),
            keys: Vec::new(),
            indexes: Vec::new(),
            foreign_keys: Vec::new(),
            dependents: Vec::new(),
            options: String::new(),
            estimated_rows: None,
        };
        KeyColumn::new(backend, &table, &column)
    }

    #[test]
    fn literals_are_one_line_and_mean_the_same_in_every_session() {
        let text = |text: &str| Value::Text(text.into());
        let uuid = "018e5f3b-ff48-7bff-8000-0123456789ab";
        for (backend, sql_type, value, expected) in [
            (
                Backend::Postgres,
                "uuid",
                text(uuid),
                format!("'{uuid}'::uuid"),
            ),
            (
                Backend::Postgres,
                "text",
                text("it's\\"),
                r"E'it''s\\'::text".into(),
            ),
            (
                Backend::Postgres,
                "text",
                text("a\n"),
                r"E'a\u000a'::text".into(),
            ),
            (Backend::MariaDb, "uuid", text(uuid), format!("'{uuid}'")),
            (
                Backend::MySql,
                "binary(2)",
                Value::Bytes(vec![0, 255]),
                "X'00ff'".into(),
            ),
            (
                Backend::MySql,
                "bigint(20) unsigned",
                text("18446744073709551615"),
                "18446744073709551615".into(),
            ),
            (Backend::MySql, "varchar(9)", text("a b"), "'a b'".into()),
            (
                Backend::MySql,
                "varchar(9)",
                text("a\\"),
                "_utf8mb4 X'615c'".into(),
            ),
            (
                Backend::Sqlite,
                "TEXT",
                Value::Bytes(b"a".into()),
                "'a'".into(),
            ),
            (
                Backend::Sqlite,
                "TEXT",
                Value::Bytes(b"a\n".into()),
                "('' || CAST(X'610a' AS TEXT))".into(),
            ),
            (
                Backend::SqlServer,
                "uniqueidentifier",
                text(uuid),
                format!("'{uuid}'"),
            ),
            (
                Backend::SqlServer,
                "binary(2)",
                Value::Bytes(vec![0, 255]),
                "0x00ff".into(),
            ),
            (Backend::SqlServer, "decimal(28,0)", text("-1"), "-1".into()),
            (Backend::SqlServer, "nvarchar(9)", text("ä"), "N'ä'".into()),
        ] {
            let column = key_column(backend, "id", sql_type, false);
            assert_eq!(
                column.literal(&value).unwrap(),
                expected,
                "{backend} {sql_type}"
            );
        }
    }

    #[test]
    fn literals_of_sql_server_have_the_type_of_their_column() {
        let (plain, quote, accent) = ("a\\ b", "it's", "Ünder");
        let national = key_column(Backend::SqlServer, "id", "nvarchar(9)", false);
        let mut code_page = key_column(Backend::SqlServer, "id", "varchar(9)", false);
        let literal = |column: &KeyColumn, text: &str| column.literal(&Value::Text(text.into()));
        for (text, expected) in [
            (plain, "N'a\\ b'"),
            (quote, "N'it''s'"),
            (accent, "N'Ünder'"),
        ] {
            assert_eq!(literal(&national, text).unwrap(), expected);
        }
        for (text, expected) in [(plain, "'a\\ b'"), (quote, "'it''s'"), ("N", "'N'")] {
            assert_eq!(literal(&code_page, text).unwrap(), expected);
        }
        let error = literal(&code_page, accent).unwrap_err().to_string();
        assert!(error.contains("the code page is not known"), "{error}");
        for (name, expected) in [
            (
                "Latin1_General_CI_AS",
                Some("CAST(N'Ünder' COLLATE Latin1_General_CI_AS AS varchar(9))"),
            ),
            ("a; DROP", None),
        ] {
            code_page.form = Form::CodePage {
                sql_type: "varchar(9)".into(),
                collation: Some(name.into()),
            };
            assert_eq!(literal(&code_page, accent).ok().as_deref(), expected);
        }
    }

    #[test]
    fn other_columns_and_values_are_refused() {
        for (backend, sql_type) in [
            (Backend::MySql, "timestamp(6)"),
            (Backend::MySql, "enum('a')"),
            (Backend::MariaDb, "double"),
            (Backend::SqlServer, "sql_variant"),
        ] {
            let error = try_column(backend, "id", sql_type, false)
                .unwrap_err()
                .to_string();
            assert!(
                error.contains("offer.id") && error.contains("--column"),
                "{error}"
            );
        }
        let number = key_column(Backend::MySql, "id", "bigint(20)", false);
        let value = Value::Text("1 OR 1".into());
        assert!(
            number
                .literal(&value)
                .unwrap_err()
                .to_string()
                .contains("offer.id")
        );
        for sql_type in ["varchar(9)", "nvarchar(9)"] {
            let text = key_column(Backend::SqlServer, "id", sql_type, false);
            assert!(text.literal(&Value::Text("a\n".into())).is_err());
        }
    }
}
