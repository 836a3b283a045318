//! What can go wrong.

use std::borrow::Cow;
use std::error::Error as StdError;

use rowkey_core::Backend;

/// Why an operation on existing tables was not done, or stopped.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The address of a database is not one. The message never contains the address.
    #[error("the address of the database: {problem}")]
    Address {
        /// What is wrong with it.
        problem: String,
    },
    /// The crate was built without the driver of the database.
    #[error("this program was built without the driver of {0}")]
    NoDriver(Backend),
    /// The database refused a statement, or the connection was lost while it ran.
    #[error("{doing}: {}", said(source.as_ref()))]
    Database {
        /// What the statement was for.
        doing: String,
        /// The driver's error.
        source: Box<dyn StdError + Send + Sync>,
    },
    /// The database cannot be reached, or refuses the login.
    #[error("{doing}: {}", said(source.as_ref()))]
    Unreachable {
        /// Which one.
        doing: String,
        /// The driver's error.
        source: Box<dyn StdError + Send + Sync>,
    },
    /// Nothing was done, because something in the database or the plan does not allow it.
    #[error("{what}: {why}; {instead}")]
    Refused {
        /// The table, the column or the entry of the plan.
        what: String,
        /// Why not.
        why: String,
        /// What to do instead.
        instead: String,
    },
    /// A table or a column does not exist, or the account may not see it.
    #[error("{what} does not exist in the database, or the account may not see it")]
    Missing {
        /// The table or the column.
        what: String,
    },
    /// A plan cannot be read.
    #[error("the plan: {0}")]
    Plan(String),
    /// The data is not as the plan says. What was done before can be undone.
    #[error("{what}: {found}")]
    Differs {
        /// Where.
        what: String,
        /// What was found there.
        found: String,
    },
    /// A value, a name or a combination that the core refuses.
    #[error(transparent)]
    Core(#[from] rowkey_core::Error),
}

impl Error {
    /// The refusal of `what`, for a reason, with what a person can do instead.
    pub fn refused(
        what: impl Into<String>,
        why: impl Into<String>,
        instead: impl Into<String>,
    ) -> Self {
        Self::Refused {
            what: what.into(),
            why: why.into(),
            instead: instead.into(),
        }
    }

    /// Wraps the error of a driver, with what the statement was for.
    pub fn database<E: StdError + Send + Sync + 'static>(doing: &str) -> impl FnOnce(E) -> Self {
        let doing = doing.to_owned();
        move |source| Self::Database {
            doing,
            source: Box::new(source),
        }
    }

    /// Wraps the error of connecting.
    pub(crate) fn unreachable<E: StdError + Send + Sync + 'static>(
        doing: &str,
    ) -> impl FnOnce(E) -> Self {
        let doing = doing.to_owned();
        move |source| Self::Unreachable {
            doing,
            source: Box::new(source),
        }
    }

    /// Whether the server refused a statement because the account lacks a privilege.
    pub fn is_denied(&self) -> bool {
        #[cfg(feature = "sqlserver")]
        if let Self::Database { source, .. } = self
            && let Some(tiberius::error::Error::Server(token)) = source.downcast_ref()
        {
            return matches!(token.code(), 229 | 230 | 262);
        }
        // 1044: on a database, 1142: on a table, 1143: on a column, 1227: on the server.
        self.sql_state().as_deref() == Some("42501")
            || matches!(self.mysql_number(), Some(1044 | 1142 | 1143 | 1227))
    }

    /// The SQLSTATE of an error of PostgreSQL, MySQL or MariaDB; the number of one of SQLite.
    pub fn sql_state(&self) -> Option<Cow<'_, str>> {
        let Self::Database { source, .. } = self else {
            return None;
        };
        let error = source.downcast_ref::<sqlx::Error>()?;
        error.as_database_error()?.code()
    }

    /// The number of an error of MySQL or MariaDB.
    #[cfg(feature = "mysql")]
    pub fn mysql_number(&self) -> Option<u16> {
        let Self::Database { source, .. } = self else {
            return None;
        };
        let error = source.downcast_ref::<sqlx::Error>()?.as_database_error()?;
        let error = error.try_downcast_ref::<sqlx::mysql::MySqlDatabaseError>()?;
        Some(error.number())
    }

    #[cfg(not(feature = "mysql"))]
    fn mysql_number(&self) -> Option<u16> {
        None
    }

    /// What the database itself said, if it did; otherwise the whole message.
    pub fn reason(&self) -> String {
        match self {
            Self::Database { source, .. } => said(source.as_ref()),
            other => other.to_string(),
        }
    }
}

/// The words of a driver. Behind PostgreSQL's, sqlx writes a line of the server's own source, and
/// leaves out the detail that names what is in the way.
fn said(error: &(dyn StdError + Send + Sync + 'static)) -> String {
    #[cfg(feature = "postgres")]
    if let Some(sqlx::Error::Database(database)) = error.downcast_ref()
        && let Some(error) = database.try_downcast_ref::<sqlx::postgres::PgDatabaseError>()
    {
        let detail = error.detail().map(|detail| detail.replace('\n', "; "));
        let detail = detail.map_or_else(String::new, |detail| format!(" ({detail})"));
        return format!("error returned from database: {}{detail}", error.message());
    }
    error.to_string()
}
