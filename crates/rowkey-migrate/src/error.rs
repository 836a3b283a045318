//! What can go wrong.

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
    /// The database refused a statement, or the connection was lost.
    #[error("{doing}: {source}")]
    Database {
        /// What the statement was for.
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
    pub(crate) fn refused(
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
    pub(crate) fn database<E: StdError + Send + Sync + 'static>(
        doing: &str,
    ) -> impl FnOnce(E) -> Self {
        let doing = doing.to_owned();
        move |source| Self::Database {
            doing,
            source: Box::new(source),
        }
    }
}
