//! Connections to the database of one test.

use anyhow::{Context, Result};
use diesel::connection::SimpleConnection;
use rowkey::storage::Nullability;
use rowkey::{Backend, EntityKey};
use rowkey_testkit::TestDatabase;

/// A connection of diesel-async, which sends the parameters of MySQL and MariaDB in its own way,
/// where Diesel's is expected.
#[cfg(feature = "diesel-mysql")]
pub(crate) type AsyncMysqlConnection =
    diesel_async::async_connection_wrapper::AsyncConnectionWrapper<
        diesel_async::AsyncMysqlConnection,
    >;

/// Connects with Diesel, whose addresses differ from those of sqlx.
pub(crate) fn connect<C: diesel::Connection>(database: &TestDatabase) -> Result<C> {
    let url = address(database);
    C::establish(&url).with_context(|| format!("could not connect to {url}"))
}

/// Connects with diesel-async, which takes no parameter of others in an address, and does not
/// encrypt unless it is asked to.
#[cfg(feature = "diesel-mysql")]
pub(crate) fn connect_async(database: &TestDatabase) -> Result<AsyncMysqlConnection> {
    let url = database.url().split('?').next().unwrap_or_default();
    let connection = diesel::Connection::establish(url);
    connection.with_context(|| format!("could not connect to {url}"))
}

/// The database's address as Diesel takes it.
pub(crate) fn address(database: &TestDatabase) -> String {
    let url = database.url();
    match database.backend() {
        Backend::Sqlite => url
            .trim_start_matches("sqlite://")
            .trim_end_matches("?mode=rwc")
            .to_owned(),
        Backend::MySql | Backend::MariaDb => url.replace("ssl-mode=", "ssl_mode="),
        _ => url.to_owned(),
    }
}

/// A column definition for a key's plan.
pub(crate) fn column<K: EntityKey>(
    backend: Backend,
    name: &str,
    nullability: Nullability,
) -> Result<String> {
    Ok(K::PLAN.column_definition(backend, name, nullability)?)
}

/// Runs statements.
pub(crate) fn execute(connection: &mut impl SimpleConnection, sql: &str) -> Result<()> {
    connection
        .batch_execute(sql)
        .with_context(|| sql.to_owned())
}
