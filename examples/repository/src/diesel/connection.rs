//! A connection to any of the databases, and a pool of them.

use std::error::Error as StdError;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

use diesel::connection::SimpleConnection;
use diesel::r2d2::{self, ManageConnection, R2D2Connection};
use diesel::{Connection, ConnectionError, ConnectionResult, SqliteConnection};
use rowkey::driver::diesel::multi_backend;

use crate::Error;
use crate::database::DatabaseUrl;

/// One type for all connections, so that the queries are written once.
#[derive(diesel::MultiConnection)]
pub(super) enum AnyConnection {
    #[cfg(feature = "diesel-postgres")]
    Postgres(diesel::PgConnection),
    #[cfg(feature = "diesel-mysql")]
    Mysql(diesel::MysqlConnection),
    Sqlite(SqliteConnection),
}

multi_backend!(MultiBackend);

/// Evaluates a call with Diesel's own connection, as `rowkey-stores` takes it.
macro_rules! on_connection {
    ($any:expr, |$connection:ident| $call:expr) => {
        match $any {
            #[cfg(feature = "diesel-postgres")]
            AnyConnection::Postgres($connection) => $call,
            #[cfg(feature = "diesel-mysql")]
            AnyConnection::Mysql($connection) => $call,
            AnyConnection::Sqlite($connection) => $call,
        }
    };
}
pub(super) use on_connection;

/// A pool of connections.
pub(super) type Pool = r2d2::Pool<Connector>;

/// Connects to one database. `AnyConnection::establish` would try all kinds of databases in turn.
pub(super) struct Connector {
    address: String,
    establish: fn(&str) -> ConnectionResult<AnyConnection>,
}

impl Connector {
    /// Refuses a database whose client library this was built without.
    pub(super) fn new(url: &DatabaseUrl) -> Result<Self, Error> {
        match url {
            #[cfg(feature = "diesel-postgres")]
            DatabaseUrl::Postgres(url) => Ok(Self {
                address: url.clone(),
                establish: |address| Connection::establish(address).map(AnyConnection::Postgres),
            }),
            #[cfg(feature = "diesel-mysql")]
            DatabaseUrl::MySql(url) => Ok(Self {
                address: mysql_address(url),
                establish: |address| Connection::establish(address).map(AnyConnection::Mysql),
            }),
            DatabaseUrl::Sqlite(url) => Ok(Self {
                address: sqlite_address(url),
                establish: establish_sqlite,
            }),
            #[allow(unreachable_patterns, reason = "not with all features")]
            _ => Err(Error::Url(format!(
                "this program was built without Diesel's connection to {}",
                url.name()
            ))),
        }
    }

    /// Makes a pool, and waits for its first connection.
    pub(super) fn into_pool(self) -> Result<Pool, Box<dyn StdError + Send + Sync>> {
        // A pool would retry until its time limit, and then not report the reason.
        self.connect()?;
        let mut pool = Pool::builder().min_idle(Some(1));
        if self.address.contains(IN_MEMORY) {
            // It is dropped with its last connection, and another connection fails on a lock at
            // once.
            pool = pool.max_size(1).idle_timeout(None).max_lifetime(None);
        }
        Ok(pool.build(self)?)
    }
}

impl ManageConnection for Connector {
    type Connection = AnyConnection;
    type Error = r2d2::Error;

    fn connect(&self) -> Result<AnyConnection, r2d2::Error> {
        Ok((self.establish)(&self.address)?)
    }

    fn is_valid(&self, connection: &mut AnyConnection) -> Result<(), r2d2::Error> {
        Ok(connection.ping()?)
    }

    fn has_broken(&self, connection: &mut AnyConnection) -> bool {
        thread::panicking() || connection.is_broken()
    }
}

/// Turns on foreign keys, and lets writers wait for each other, like sqlx.
fn establish_sqlite(address: &str) -> ConnectionResult<AnyConnection> {
    let mut connection = SqliteConnection::establish(address)?;
    connection
        .batch_execute("PRAGMA foreign_keys = ON; PRAGMA busy_timeout = 5000")
        .map_err(ConnectionError::CouldntSetupConfiguration)?;
    Ok(AnyConnection::Sqlite(connection))
}

/// The URL with Diesel's names for the parameters.
#[cfg(feature = "diesel-mysql")]
fn mysql_address(url: &str) -> String {
    let Some((server, parameters)) = url.split_once('?') else {
        return url.to_owned();
    };
    let parameters = parameters.split('&').map(|parameter| {
        let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
        let name = match name {
            "ssl-mode" | "sslmode" => "ssl_mode",
            "ssl-ca" | "sslca" => "ssl_ca",
            "ssl-cert" | "sslcert" => "ssl_cert",
            "ssl-key" | "sslkey" => "ssl_key",
            "socket" => "unix_socket",
            other => other,
        };
        format!("{name}={value}")
    });
    format!("{server}?{}", parameters.collect::<Vec<_>>().join("&"))
}

/// The URL in SQLite's own form, with the same parameters.
fn sqlite_address(url: &str) -> String {
    let (path, parameters) = sqlite_parts(url);
    let path = path.replace('#', "%23");
    if parameters.contains("mode=") {
        format!("file:{path}?{parameters}")
    } else {
        // Like sqlx, makes no new file unless the URL asks for it.
        format!("file:{path}?mode=rw&{parameters}")
    }
}

/// The path and the parameters of a URL.
fn sqlite_parts(url: &str) -> (&str, &str) {
    let path = url
        .trim_start_matches("sqlite://")
        .trim_start_matches("sqlite:")
        .trim_start_matches("file:");
    path.split_once('?').unwrap_or((path, ""))
}

const IN_MEMORY: &str = "mode=memory&cache=shared";

/// The URL with a name for a database in memory, by which both sqlx and Diesel find it.
pub(super) fn with_name(url: DatabaseUrl) -> DatabaseUrl {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    match url {
        DatabaseUrl::Sqlite(url) if sqlite_parts(&url).0 == ":memory:" => {
            let count = COUNT.fetch_add(1, Ordering::Relaxed);
            DatabaseUrl::Sqlite(format!("sqlite:file:repository-{count}?{IN_MEMORY}"))
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_of_sqlite_mean_the_same() {
        for (url, expected) in [
            ("sqlite:customers.db", "file:customers.db?mode=rw&"),
            (
                "sqlite:///var/a%3F#1.db?mode=ro",
                "file:/var/a%3F%231.db?mode=ro",
            ),
            ("sqlite:a.db?cache=shared", "file:a.db?mode=rw&cache=shared"),
            ("sqlite:file:a.db?mode=ro", "file:a.db?mode=ro"),
        ] {
            assert_eq!(sqlite_address(url), expected);
        }
    }

    #[test]
    #[cfg(feature = "diesel-mysql")]
    fn parameters_of_mysql_get_the_names_that_diesel_knows() {
        for (url, expected) in [
            ("mysql://root@db-1/shop", "mysql://root@db-1/shop"),
            (
                "mysql://root@db-1/shop?ssl-mode=VERIFY_CA&sslca=/etc/db-ca.pem&charset=utf8mb4",
                "mysql://root@db-1/shop?ssl_mode=VERIFY_CA&ssl_ca=/etc/db-ca.pem&charset=utf8mb4",
            ),
            (
                "mysql:///shop?socket=/run/db.sock",
                "mysql:///shop?unix_socket=/run/db.sock",
            ),
        ] {
            assert_eq!(mysql_address(url), expected);
        }
    }
}
