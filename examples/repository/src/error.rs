//! The error type, which is the same for all drivers.

use std::error::Error as StdError;
use std::fmt;

use rowkey::validate::ValidationError;
use rowkey_stores::CreateError;

use crate::{CustomerId, InvoiceId};

/// An error of a repository.
///
/// No variant contains a URL, because it may contain a password.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An entity with this key exists.
    #[error("{0} exists already")]
    Duplicate(AnyKey),
    /// There is no entity with this key.
    #[error("{0} does not exist")]
    NotFound(AnyKey),
    /// The id of a command or a customer came with something else before.
    #[error("the id was used for something else")]
    Conflict,
    /// The client's id is not accepted for a new customer.
    #[error(transparent)]
    Invalid(ValidationError),
    /// The customer has invoices, or has referred other customers.
    #[error("customer {0} has invoices or has referred other customers")]
    InUse(CustomerId),
    /// Not every database can store the name.
    #[error("the name {0}")]
    Name(&'static str),
    /// The URL names no database that this driver can use.
    #[error("{0}")]
    Url(String),
    /// The database cannot be reached, or refuses the login.
    #[error("could not connect to {database}: {reason}")]
    Connect {
        /// The kind of database.
        database: &'static str,
        /// The error of the driver.
        reason: Box<dyn StdError + Send + Sync>,
    },
    /// The tables could not be brought up to date.
    #[error("could not migrate the database: {0}")]
    Migrate(Box<dyn StdError + Send + Sync>),
    /// Any other error of the database or its driver.
    // Transparent, it would hide the driver's error from rowkey-stores, which then tries nothing
    // again.
    #[error("{0}")]
    Database(#[source] Box<dyn StdError + Send + Sync>),
}

impl From<CreateError<Error>> for Error {
    fn from(error: CreateError<Error>) -> Self {
        match error {
            CreateError::Closure(error) => error,
            CreateError::Store(rowkey_stores::Error::Conflict(_)) => Self::Conflict,
            CreateError::Store(rowkey_stores::Error::Invalid(error)) => Self::Invalid(error),
            CreateError::Store(error) => Self::Database(Box::new(error)),
        }
    }
}

// A value in the database is not a valid key.
impl From<rowkey::Error> for Error {
    fn from(error: rowkey::Error) -> Self {
        Self::Database(Box::new(error))
    }
}

/// A key of any entity, for errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnyKey {
    /// The key of a customer.
    Customer(CustomerId),
    /// The key of an invoice.
    Invoice(InvoiceId),
}

impl From<CustomerId> for AnyKey {
    fn from(id: CustomerId) -> Self {
        Self::Customer(id)
    }
}

impl From<InvoiceId> for AnyKey {
    fn from(id: InvoiceId) -> Self {
        Self::Invoice(id)
    }
}

impl fmt::Display for AnyKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Customer(id) => write!(f, "customer {id}"),
            Self::Invoice(id) => write!(f, "invoice {id}"),
        }
    }
}
