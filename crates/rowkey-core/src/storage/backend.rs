//! The databases.

use core::fmt;
use core::str::FromStr;

use crate::error::{Error, by_name};

/// A database product.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Backend {
    /// PostgreSQL.
    Postgres,
    /// MySQL.
    MySql,
    /// MariaDB: MySQL's protocol, but with a `UUID` type of its own.
    MariaDb,
    /// SQLite.
    Sqlite,
    /// Microsoft SQL Server.
    SqlServer,
}

impl Backend {
    /// Every backend, in the order of the documentation.
    pub const ALL: [Self; 5] = [
        Self::Postgres,
        Self::MySql,
        Self::MariaDb,
        Self::Sqlite,
        Self::SqlServer,
    ];

    /// The name in declarations and on the command line: `postgres`, `mysql`, `mariadb`, `sqlite`
    /// or `sql-server`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Postgres => "postgres",
            Self::MySql => "mysql",
            Self::MariaDb => "mariadb",
            Self::Sqlite => "sqlite",
            Self::SqlServer => "sql-server",
        }
    }
}

/// The product's own spelling, such as `PostgreSQL`.
impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Postgres => "PostgreSQL",
            Self::MySql => "MySQL",
            Self::MariaDb => "MariaDB",
            Self::Sqlite => "SQLite",
            Self::SqlServer => "SQL Server",
        })
    }
}

/// The [`name`](Backend::name); `sqlserver` and `postgresql` are understood too.
impl FromStr for Backend {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        match name {
            "postgresql" => Ok(Self::Postgres),
            "sqlserver" => Ok(Self::SqlServer),
            _ => by_name("backend", name, &Self::ALL, Self::name),
        }
    }
}
