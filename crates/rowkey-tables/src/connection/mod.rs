//! Connections, whichever driver they have.

#[cfg(feature = "postgres")]
pub mod copy_out;
#[cfg(feature = "mysql")]
mod mysql;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(feature = "sqlite")]
mod sqlite;
#[cfg(feature = "sqlserver")]
pub mod sqlserver;
#[cfg(any(feature = "mysql", feature = "postgres", feature = "sqlite"))]
mod statements;
#[cfg(any(feature = "mysql", feature = "postgres", feature = "sqlserver"))]
mod tls;
mod value;

use std::fmt;

use rowkey_core::Backend;

pub use self::value::{Held, SCANNED, Take};
pub use self::value::{Row, Value, on_one_line, shortened};
use crate::address::Address;
use crate::dialect::{Asked, Dialect, Protocol};
use crate::error::Error;

/// A connection to a database, with statements as text and rows of plain values.
///
/// Numbers of more than 64 bits, times and types of a database's own are read as text: cast them in
/// the query.
pub struct Connection {
    address: Address,
    backend: Backend,
    version: String,
    /// How long a statement may be, if the server says so.
    statement_limit: Option<u64>,
    pub driver: Driver,
}

/// One variant per driver.
pub enum Driver {
    #[cfg(feature = "postgres")]
    Postgres(sqlx::PgConnection),
    #[cfg(feature = "mysql")]
    MySql(sqlx::MySqlConnection),
    #[cfg(feature = "sqlite")]
    Sqlite(sqlx::SqliteConnection),
    #[cfg(feature = "sqlserver")]
    SqlServer(Box<sqlserver::Client>),
    /// So that the crate compiles without any driver.
    #[allow(dead_code, reason = "it has no value")]
    Missing(std::convert::Infallible),
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection")
            .field("backend", &self.backend)
            .field("version", &self.version)
            .finish_non_exhaustive()
    }
}

/// Calls the function of a driver's module.
macro_rules! with_driver {
    ($self:ident, $function:ident($($argument:expr),*)) => {
        match &mut $self.driver {
            #[cfg(feature = "postgres")]
            Driver::Postgres(driver) => postgres::$function(driver, $($argument),*).await,
            #[cfg(feature = "mysql")]
            Driver::MySql(driver) => mysql::$function(driver, $($argument),*).await,
            #[cfg(feature = "sqlite")]
            Driver::Sqlite(driver) => sqlite::$function(driver, $($argument),*).await,
            #[cfg(feature = "sqlserver")]
            Driver::SqlServer(driver) => sqlserver::$function(driver, $($argument),*).await,
            Driver::Missing(never) => {
                let _ = ($($argument),*);
                match *never {}
            }
        }
    };
}

impl Connection {
    /// Connects, and asks the server for its version.
    ///
    /// # Errors
    ///
    /// [`Error::NoDriver`] if the feature of the database is off, [`Error::Unreachable`] if the
    /// server cannot be reached or refuses the login.
    pub async fn open(address: &Address) -> Result<Self, Error> {
        let backend = address.protocol().backend();
        let driver = connect(address, backend).await?;
        let mut connection = Self {
            address: address.clone(),
            backend,
            version: String::new(),
            statement_limit: None,
            driver,
        };
        let doing = "the version of the server";
        let row = connection.one_row(doing, backend.version(), &[]).await?;
        connection.version = row.text(0)?.to_owned();
        if let Some(Value::Integer(bytes)) = row.0.get(1) {
            connection.statement_limit = u64::try_from(*bytes).ok();
        }
        connection.backend = backend.by_version(&connection.version);
        Ok(connection)
    }

    /// Another connection with the same address.
    pub async fn another(&self) -> Result<Self, Error> {
        Self::open(&self.address).await
    }

    /// Lets the session write, for commands that do. Others keep what its address, its role or its
    /// database says.
    pub async fn allow_writing(&mut self) -> Result<(), Error> {
        let doing = "the settings of a session that writes";
        with_driver!(self, allow_writing(doing))
    }

    /// The database's product.
    pub fn backend(&self) -> Backend {
        self.backend
    }

    /// The version, as the server writes it.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// How many bytes a statement may have; more than all, unless the server says so.
    pub fn statement_limit(&self) -> u64 {
        self.statement_limit.unwrap_or(u64::MAX)
    }

    /// Runs statements without values: definitions, locks, transactions. Returns how many rows were
    /// affected.
    ///
    /// # Errors
    ///
    /// [`Error::Database`], with what the statement was for.
    pub async fn execute(&mut self, doing: &str, statement: &str) -> Result<u64, Error> {
        with_driver!(self, execute(doing, statement))
    }

    /// Runs one statement with values, and returns how many rows were affected.
    ///
    /// # Errors
    ///
    /// As [`execute`](Self::execute).
    pub async fn update(
        &mut self,
        doing: &str,
        statement: &str,
        values: &[Value],
    ) -> Result<u64, Error> {
        with_driver!(self, update(doing, statement, values))
    }

    /// The rows of a query, which has to have few.
    ///
    /// # Errors
    ///
    /// As [`execute`](Self::execute), and [`Error::Differs`] for a value of another type.
    pub async fn query(
        &mut self,
        doing: &str,
        query: &str,
        values: &[Value],
    ) -> Result<Vec<Row>, Error> {
        let mut rows = Vec::new();
        self.for_each(doing, query, values, |row| {
            rows.push(row);
            Ok(())
        })
        .await?;
        Ok(rows)
    }

    /// The row of a query that always has one, such as one of counts.
    pub async fn one_row(
        &mut self,
        doing: &str,
        query: &str,
        values: &[Value],
    ) -> Result<Row, Error> {
        let mut rows = self.query(doing, query, values).await?;
        match (rows.pop(), rows.is_empty()) {
            (Some(row), true) => Ok(row),
            (None, _) => Err(differs(doing, "no row instead of one")),
            (Some(_), false) => Err(differs(doing, "several rows instead of one")),
        }
    }

    /// The count that is all that a query selects.
    pub async fn count(
        &mut self,
        doing: &str,
        query: &str,
        values: &[Value],
    ) -> Result<u64, Error> {
        let row = self.one_row(doing, query, values).await?;
        row.count(0).map_err(|error| differs(doing, error))
    }

    /// Whether what a query of one row selects is true.
    pub async fn is(&mut self, doing: &str, query: &str, values: &[Value]) -> Result<bool, Error> {
        self.one_row(doing, query, values).await?.is(0)
    }

    /// Whether two tables can have names that differ by the case of letters alone.
    pub async fn tells_case_of_tables(&mut self) -> Result<bool, Error> {
        match self.backend().case_of_tables() {
            Asked::Known(tells) => Ok(tells),
            Asked::Query(query) => self.is("the letter case of names", query, &[]).await,
        }
    }

    /// Calls a function with each row of a query as it arrives.
    ///
    /// # Errors
    ///
    /// As [`query`](Self::query), and those of the function, which end the query.
    pub async fn for_each(
        &mut self,
        doing: &str,
        query: &str,
        values: &[Value],
        mut take: impl FnMut(Row) -> Result<(), Error> + Send,
    ) -> Result<(), Error> {
        with_driver!(self, for_each(doing, query, values, &mut take))
    }

    /// Calls a function with each row of a query of at most [`SCANNED`] columns as it arrives, as
    /// fast as the driver can, and with values that nothing has copied. Columns that the query does
    /// not have are NULL.
    pub async fn scan(
        &mut self,
        doing: &str,
        query: &str,
        take: &mut Take<'_>,
    ) -> Result<(), Error> {
        with_driver!(self, scan(doing, query, take))
    }
}

fn differs(doing: &str, found: impl fmt::Display) -> Error {
    Error::Differs {
        what: doing.into(),
        found: found.to_string(),
    }
}

/// Connects with the driver of a protocol.
async fn connect(address: &Address, backend: Backend) -> Result<Driver, Error> {
    #[cfg(any(feature = "mysql", feature = "postgres", feature = "sqlserver"))]
    tls::choose_library();
    Ok(match address.protocol() {
        #[cfg(feature = "postgres")]
        Protocol::Postgres => Driver::Postgres(postgres::open(address).await?),
        #[cfg(feature = "mysql")]
        Protocol::MySql => Driver::MySql(mysql::open(address).await?),
        #[cfg(feature = "sqlite")]
        Protocol::Sqlite => Driver::Sqlite(sqlite::open(address).await?),
        #[cfg(feature = "sqlserver")]
        Protocol::SqlServer => Driver::SqlServer(Box::new(sqlserver::open(address).await?)),
        #[allow(unreachable_patterns, reason = "with all drivers, none is missing")]
        _ => return Err(Error::NoDriver(backend)),
    })
}
