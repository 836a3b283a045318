//! What a database says about its tables.

#[doc(hidden)]
pub mod creation_time;
mod declared;
mod model;
#[cfg(feature = "mysql")]
#[doc(hidden)]
pub mod mysql;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(feature = "sqlite")]
#[doc(hidden)]
pub mod sqlite;
#[cfg(feature = "sqlserver")]
mod sqlserver;

use rowkey_core::Backend;

pub use self::declared::{Generated, KeyDefinition, ReferentialAction, TableOptions};
pub use self::model::{
    Catalog, Column, Dependent, DependentKind, ForeignKey, Index, IndexTerm, Key, QualifiedName,
    Table,
};
use crate::connection::Connection;
use crate::error::Error;
use crate::types::layout::Layout;

impl Catalog {
    /// Reads the tables of the connection's default schema or database, and those of other schemas
    /// that refer to them or that they refer to.
    ///
    /// # Errors
    ///
    /// [`Error::Database`] if a query on the catalogue fails.
    pub async fn read(connection: &mut Connection) -> Result<Self, Error> {
        match connection.backend() {
            #[cfg(feature = "postgres")]
            Backend::Postgres => postgres::read(connection).await,
            #[cfg(feature = "mysql")]
            Backend::MySql | Backend::MariaDb => mysql::read(connection).await,
            #[cfg(feature = "sqlite")]
            Backend::Sqlite => sqlite::read(connection).await,
            #[cfg(feature = "sqlserver")]
            Backend::SqlServer => sqlserver::read(connection).await,
            #[allow(unreachable_patterns, reason = "with all drivers, none is missing")]
            backend => Err(Error::NoDriver(backend)),
        }
    }
}

/// What the values of a user's type consist of, by its name in PostgreSQL; nothing for other types
/// and in other databases.
///
/// # Errors
///
/// [`Error::Database`] if a query on the catalogue fails.
pub async fn layout_of(
    connection: &mut Connection,
    type_name: &str,
) -> Result<Option<Layout>, Error> {
    match connection.backend() {
        #[cfg(feature = "postgres")]
        Backend::Postgres => postgres::layout(connection, type_name).await,
        _ => {
            let _ = type_name;
            Ok(None)
        }
    }
}
