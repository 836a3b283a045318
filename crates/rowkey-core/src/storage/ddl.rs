//! Column definitions and identifier quoting.

use alloc::format;
use alloc::string::String;
use core::fmt;

use super::backend::Backend;
use super::column::Column;
use super::column_type::Storage;
use super::plan::StoragePlan;
use super::wire::Wire;
use crate::error::{Error, ErrorKind};
use crate::kind::FormatKind;

/// Whether a column allows NULL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nullability {
    /// `NOT NULL`.
    NotNull,
    /// `NULL`.
    Nullable,
}

impl fmt::Display for Nullability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::NotNull => "NOT NULL",
            Self::Nullable => "NULL",
        })
    }
}

impl StoragePlan {
    /// The definition of a key's column in a CREATE TABLE statement: quoted name, type, collation
    /// where the order needs one, NULL or NOT NULL, and for `text-upper`, `text-hex` and
    /// `text-hex-upper` a CHECK of length and letter case.
    ///
    /// In MySQL and MariaDB nothing may follow a CHECK. Write the primary key as a separate clause
    /// there, `PRIMARY KEY (id)`, which works for every key and backend.
    ///
    /// # Errors
    ///
    /// `ErrorKind::Name` for a name that is not valid on the backend, `ErrorKind::Declaration` if
    /// the plan uses MariaDB's own `UUID` type and the backend is MySQL.
    ///
    /// ```
    /// use rowkey_core::format::FormatKind;
    /// use rowkey_core::storage::{Nullability, StoragePlan};
    /// use rowkey_core::Backend;
    ///
    /// let plan = StoragePlan::default_for(FormatKind::ShortPrefixComb);
    /// let column = plan.column_definition(Backend::MariaDb, "id", Nullability::NotNull)?;
    /// assert_eq!(column, "`id` BINARY(16) NOT NULL");
    /// # Ok::<(), rowkey_core::Error>(())
    /// ```
    pub fn column_definition(
        &self,
        backend: Backend,
        name: &str,
        nullability: Nullability,
    ) -> Result<String, Error> {
        let sql_type = self.column_type(backend)?;
        let column = self.column(backend);
        column_definition(column, backend, name, &format!("{sql_type} {nullability}"))
    }

    /// The definition of the primary key that the database counts, from 1 on: quoted name, type,
    /// and how the database counts. Insert rows without this column.
    ///
    /// A deleted row's number is not reused, except by InnoDB before MySQL 8.0 and MariaDB 10.2.4
    /// after a restart. PostgreSQL and SQL Server refuse a number from the program; MySQL, MariaDB
    /// and SQLite take it and continue after it.
    ///
    /// # Errors
    ///
    /// `ErrorKind::Name` for a name that is not valid on the backend, `ErrorKind::Declaration` for
    /// another format than [`DatabaseNumber`](crate::DatabaseNumber).
    ///
    /// ```
    /// use rowkey_core::format::FormatKind;
    /// use rowkey_core::storage::StoragePlan;
    /// use rowkey_core::Backend;
    ///
    /// let plan = StoragePlan::default_for(FormatKind::DatabaseNumber);
    /// assert_eq!(
    ///     plan.counted_column_definition(Backend::Postgres, "id")?,
    ///     "\"id\" bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
    /// );
    /// assert_eq!(
    ///     plan.counted_column_definition(Backend::Sqlite, "id")?,
    ///     "`id` INTEGER PRIMARY KEY AUTOINCREMENT",
    /// );
    /// # Ok::<(), rowkey_core::Error>(())
    /// ```
    pub fn counted_column_definition(&self, backend: Backend, name: &str) -> Result<String, Error> {
        let name = quote_identifier(backend, name)?;
        Ok(format!("{name} {}", self.counted_column_type(backend)?))
    }

    /// What follows the name in [`counted_column_definition`](Self::counted_column_definition).
    ///
    /// # Errors
    ///
    /// `ErrorKind::Declaration` for another format than [`DatabaseNumber`](crate::DatabaseNumber).
    pub fn counted_column_type(&self, backend: Backend) -> Result<String, Error> {
        let column = self.column(backend);
        if column.format() != FormatKind::DatabaseNumber {
            return Err(Error::new(
                ErrorKind::Declaration,
                "a database counts only keys over DatabaseNumber",
            ));
        }
        let sql_type = column.sql_type(backend);
        let counted = match backend {
            Backend::Postgres => "GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
            Backend::MySql | Backend::MariaDb => "NOT NULL AUTO_INCREMENT PRIMARY KEY",
            Backend::Sqlite => "PRIMARY KEY AUTOINCREMENT",
            Backend::SqlServer => "IDENTITY NOT NULL PRIMARY KEY",
        };
        Ok(format!("{sql_type} {counted}"))
    }

    /// The condition of a column's CHECK in [`column_definition`](Self::column_definition), if it
    /// has one: the text has the length and letter case of `text-upper`, `text-hex` or
    /// `text-hex-upper`. A key would not find the same id in the other case.
    ///
    /// Servers before MySQL 8.0.16 and MariaDB 10.2.1 parse a CHECK and ignore it.
    ///
    /// # Errors
    ///
    /// `ErrorKind::Name` for a name that is not valid on the backend.
    ///
    /// ```
    /// use rowkey_core::format::FormatKind;
    /// use rowkey_core::storage::StoragePlan;
    /// use rowkey_core::Backend;
    ///
    /// let plan = StoragePlan::default_for(FormatKind::UuidV4).with(Backend::Sqlite, "text-upper");
    /// assert_eq!(
    ///     plan.column_check(Backend::Sqlite, "id")?.as_deref(),
    ///     Some("length(`id`) = 36 AND `id` = upper(`id`)"),
    /// );
    /// assert_eq!(plan.column_check(Backend::Postgres, "id")?, None);
    /// # Ok::<(), rowkey_core::Error>(())
    /// ```
    pub fn column_check(&self, backend: Backend, name: &str) -> Result<Option<String>, Error> {
        column_check(self.column(backend), backend, name)
    }

    /// The column's SQL type, with the binary collation that text needs for its order.
    ///
    /// # Errors
    ///
    /// `ErrorKind::Declaration` if the plan uses MariaDB's own `UUID` type and the backend is
    /// MySQL.
    pub fn column_type(&self, backend: Backend) -> Result<String, Error> {
        let column = self.column(backend);
        if column.storage() == Storage::NativeUuid && backend == Backend::MySql {
            return Err(Error::new(
                ErrorKind::Declaration,
                "the plan stores this key in MariaDB's own UUID type, which MySQL does not have",
            ));
        }
        Ok(column.sql_type(backend))
    }
}

impl Column {
    /// The SQL type on the column's own backend or, of MySQL and MariaDB, the other.
    #[doc(hidden)]
    pub fn sql_type(self, backend: Backend) -> String {
        match (self.wire(), backend) {
            (Wire::Uuid, Backend::SqlServer) => "uniqueidentifier".into(),
            (Wire::Uuid, _) => "uuid".into(),
            (Wire::NativeUuid, _) => "UUID".into(),
            (Wire::Bytes(_), Backend::Postgres) => "bytea".into(),
            (Wire::Bytes(_), Backend::Sqlite) => "BLOB".into(),
            (Wire::Bytes(length), Backend::SqlServer) => format!("binary({})", length.bytes()),
            (Wire::Bytes(length), Backend::MySql | Backend::MariaDb) => {
                format!("BINARY({})", length.bytes())
            }
            (Wire::Decimal(precision), Backend::Postgres) => {
                format!("numeric({},0)", precision.digits())
            }
            (Wire::Decimal(precision), Backend::SqlServer) => {
                format!("decimal({},0)", precision.digits())
            }
            (Wire::Decimal(precision), _) => {
                format!("DECIMAL({},0)", precision.digits())
            }
            (Wire::Text(form), _) => text_type(backend, form.width()),
            // Only a primary key of exactly this type counts.
            (Wire::Integer, Backend::Sqlite) => "INTEGER".into(),
            (Wire::Integer, Backend::MySql | Backend::MariaDb) => "BIGINT".into(),
            (Wire::Integer, Backend::Postgres | Backend::SqlServer) => "bigint".into(),
        }
    }
}

/// A column's name, what follows it, and the CHECK that the column needs.
pub fn column_definition(
    column: Column,
    backend: Backend,
    name: &str,
    definition: &str,
) -> Result<String, Error> {
    let check = column_check(column, backend, name)?;
    let name = quote_identifier(backend, name)?;
    let check = check.map_or(String::new(), |check| format!(" CHECK ({check})"));
    Ok(format!("{name} {definition}{check}"))
}

fn column_check(column: Column, backend: Backend, name: &str) -> Result<Option<String>, Error> {
    let name = quote_identifier(backend, name)?;
    Ok(match column.wire() {
        Wire::Text(form) => form.check(backend, &name),
        _ => None,
    })
}

/// The type of a column of ASCII text with a fixed length, in the order of its bytes.
pub fn text_type(backend: Backend, width: u8) -> String {
    match backend {
        // Not char(n), which pads and ignores the padding in comparisons.
        Backend::Postgres => format!("varchar({width}) COLLATE \"C\""),
        Backend::MySql | Backend::MariaDb => {
            format!("CHAR({width}) CHARACTER SET ascii COLLATE ascii_bin")
        }
        // A type name with DECIMAL, NUMERIC or UUID in it would turn digits into a REAL.
        Backend::Sqlite => "TEXT COLLATE BINARY".into(),
        Backend::SqlServer => format!("char({width}) COLLATE Latin1_General_100_BIN2"),
    }
}

/// The name of a table, optionally with its schema, which MySQL and MariaDB call a database. Made
/// from `"offer"`, from a `&String`, or from `("sales", "offer")`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableName<'a> {
    /// The schema, which MySQL and MariaDB call a database.
    pub schema: Option<&'a str>,
    /// The plain name of the table.
    pub table: &'a str,
}

impl<'a> From<&'a str> for TableName<'a> {
    fn from(table: &'a str) -> Self {
        Self {
            schema: None,
            table,
        }
    }
}

/// For a name that a program composes.
impl<'a> From<&'a String> for TableName<'a> {
    fn from(table: &'a String) -> Self {
        table.as_str().into()
    }
}

impl<'a> From<(&'a str, &'a str)> for TableName<'a> {
    fn from((schema, table): (&'a str, &'a str)) -> Self {
        Self {
            schema: Some(schema),
            table,
        }
    }
}

impl TableName<'_> {
    /// The name as written in SQL.
    ///
    /// # Errors
    ///
    /// `ErrorKind::Name` for a name that is not valid on the backend.
    ///
    /// ```
    /// use rowkey_core::storage::TableName;
    /// use rowkey_core::Backend;
    ///
    /// let name = TableName::from(("sales", "offer"));
    /// assert_eq!(name.quoted(Backend::MariaDb)?, "`sales`.`offer`");
    /// let year = format!("offer_{}", 2026);
    /// assert_eq!(TableName::from(&year).quoted(Backend::MariaDb)?, "`offer_2026`");
    /// # Ok::<(), rowkey_core::Error>(())
    /// ```
    pub fn quoted(self, backend: Backend) -> Result<String, Error> {
        let table = quote_identifier(backend, self.table)?;
        Ok(match self.schema {
            Some(schema) => format!("{}.{table}", quote_identifier(backend, schema)?),
            None => table,
        })
    }
}

/// The name of a column, optionally with its table's name or alias. Made from `"id"` or from
/// `("offer", "id")`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColumnName<'a> {
    table: Option<&'a str>,
    column: &'a str,
}

impl<'a> From<&'a str> for ColumnName<'a> {
    fn from(column: &'a str) -> Self {
        Self::new(None, column)
    }
}

impl<'a> From<(&'a str, &'a str)> for ColumnName<'a> {
    fn from((table, column): (&'a str, &'a str)) -> Self {
        Self::new(Some(table), column)
    }
}

impl<'a> ColumnName<'a> {
    /// A column, with its table if the statement has several.
    pub const fn new(table: Option<&'a str>, column: &'a str) -> Self {
        Self { table, column }
    }

    /// The name as written in SQL.
    ///
    /// # Errors
    ///
    /// `ErrorKind::Name` for a name that is not valid on the backend, and for a single name with a
    /// dot, which would be a column's name rather than a table's and a column's.
    ///
    /// ```
    /// use rowkey_core::storage::ColumnName;
    /// use rowkey_core::Backend;
    ///
    /// let name = ColumnName::from(("offer", "id"));
    /// assert_eq!(name.quoted(Backend::SqlServer)?, "[offer].[id]");
    /// assert!(ColumnName::from("offer.id").quoted(Backend::SqlServer).is_err());
    /// # Ok::<(), rowkey_core::Error>(())
    /// ```
    pub fn quoted(self, backend: Backend) -> Result<String, Error> {
        let column = quote_identifier(backend, self.column)?;
        match (self.table, self.column.rsplit_once('.')) {
            (Some(table), _) => Ok(format!("{}.{column}", quote_identifier(backend, table)?)),
            (None, None) => Ok(column),
            (None, Some((table, name))) => Err(not_an_identifier(&format!(
                "`{}` is one name; write the pair ({table:?}, {name:?})",
                self.column
            ))),
        }
    }
}

/// Quotes the name of a schema, table or column for a backend, so that an unknown column is an
/// error everywhere. This is the only function that puts names into SQL.
///
/// # Errors
///
/// `ErrorKind::Name` for an empty name, one with a NUL character, or one longer than the backend
/// allows (63 bytes in PostgreSQL, 64 characters in MySQL and MariaDB, 128 in SQL Server).
///
/// ```
/// use rowkey_core::storage::quote_identifier;
/// use rowkey_core::Backend;
///
/// assert_eq!(quote_identifier(Backend::Postgres, "my \"id\"")?, "\"my \"\"id\"\"\"");
/// assert_eq!(quote_identifier(Backend::SqlServer, "a]b")?, "[a]]b]");
/// # Ok::<(), rowkey_core::Error>(())
/// ```
pub fn quote_identifier(backend: Backend, name: &str) -> Result<String, Error> {
    if name.is_empty() {
        return Err(not_an_identifier("the name is empty"));
    }
    if name.contains('\0') {
        return Err(not_an_identifier("the name has a NUL character"));
    }
    let too_long = match backend {
        Backend::Postgres => name.len() > 63,
        Backend::MySql | Backend::MariaDb => name.chars().count() > 64,
        Backend::SqlServer => name.encode_utf16().count() > 128,
        Backend::Sqlite => false,
    };
    if too_long {
        return Err(not_an_identifier(
            "the name is longer than the database takes",
        ));
    }
    if matches!(backend, Backend::MySql | Backend::MariaDb)
        && (name.ends_with(' ') || name.chars().any(|character| character > '\u{ffff}'))
    {
        return Err(not_an_identifier(
            "MySQL and MariaDB names neither end in a blank nor have characters beyond U+FFFF",
        ));
    }
    let (open, close) = match backend {
        Backend::Postgres => ('"', '"'),
        // SQLite takes a name in double quotes for a text where there is no such column.
        Backend::Sqlite | Backend::MySql | Backend::MariaDb => ('`', '`'),
        Backend::SqlServer => ('[', ']'),
    };
    let mut quoted = String::with_capacity(name.len() + 2);
    quoted.push(open);
    for character in name.chars() {
        quoted.push(character);
        if character == close {
            quoted.push(close);
        }
    }
    quoted.push(close);
    Ok(quoted)
}

/// The error for a name that can't be one in SQL.
#[doc(hidden)]
#[cold]
pub fn not_an_identifier(problem: &str) -> Error {
    Error::new(ErrorKind::Name, format!("not an SQL identifier: {problem}"))
}
