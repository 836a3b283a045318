//! Parses the URL of a database and opens it.

use std::error::Error as StdError;
use std::time::Duration;

use rowkey::Backend;
use sqlx::mysql::MySqlConnectOptions;
use sqlx::pool::PoolOptions;
use sqlx::postgres::PgConnectOptions;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{
    ConnectOptions, Connection, Database, MySql, MySqlPool, PgPool, Pool, Postgres, Sqlite,
    SqlitePool,
};
use tokio::time::timeout;

use crate::Error;
use crate::migrations::Migrated;

/// The time limit for the first connection. Later, pools wait for half a minute.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

const KNOWN_SCHEMES: &str = "use postgres:, mysql:, mariadb: or sqlite:";
const NO_DATABASE: &str = "the database URL names no database";

/// A URL of sqlx, with `postgres:`, `mysql:` or `sqlite:` for a scheme.
///
/// It has no `Debug`, because it may contain a password.
pub(crate) enum DatabaseUrl {
    Postgres(String),
    /// Or MariaDB.
    MySql(String),
    Sqlite(String),
}

impl DatabaseUrl {
    /// Reads only the scheme. [`open`](Self::open) reads the rest.
    pub(crate) fn parse(url: &str) -> Result<Self, Error> {
        let Some((scheme, rest)) = url.split_once(':') else {
            return Err(Error::Url(format!(
                "the database URL has no scheme; {KNOWN_SCHEMES}"
            )));
        };
        let scheme = &*scheme.to_ascii_lowercase();
        if Postgres::URL_SCHEMES.contains(&scheme) {
            Ok(Self::Postgres(format!("postgres:{rest}")))
        } else if MySql::URL_SCHEMES.contains(&scheme) {
            Ok(Self::MySql(format!("mysql:{rest}")))
        } else if Sqlite::URL_SCHEMES.contains(&scheme) {
            // The drivers disagree about one with a name or settings.
            if rest.contains("mode=memory") || rest.contains(":memory:?") {
                return Err(Error::Url(
                    "for a database in memory, write exactly `sqlite::memory:`".to_owned(),
                ));
            }
            Ok(Self::Sqlite(format!("sqlite:{rest}")))
        } else if is_scheme(scheme) {
            Err(Error::Url(format!(
                "unknown database scheme `{scheme}`; {KNOWN_SCHEMES}"
            )))
        } else {
            // Not shown: it may be the beginning of a connection string with a password.
            Err(Error::Url(format!(
                "the database URL does not begin with a scheme; {KNOWN_SCHEMES}"
            )))
        }
    }

    /// The name of the database for users.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Postgres(_) => "PostgreSQL",
            Self::MySql(_) => "MySQL or MariaDB",
            Self::Sqlite(_) => "SQLite",
        }
    }

    /// The backend, which is MySQL for MariaDB as well.
    pub(crate) fn backend(&self) -> Backend {
        match self {
            Self::Postgres(_) => Backend::Postgres,
            Self::MySql(_) => Backend::MySql,
            Self::Sqlite(_) => Backend::Sqlite,
        }
    }

    /// Opens the database and applies missing migrations.
    pub(crate) async fn open(&self) -> Result<MigratedPool, Error> {
        match self {
            Self::Postgres(url) => {
                let options: PgConnectOptions = parse(url)?;
                if options.get_database().is_none() {
                    return Err(Error::Url(NO_DATABASE.to_owned()));
                }
                let pool = self.open_with(options, PoolOptions::new()).await?;
                Ok(MigratedPool::Postgres(pool))
            }
            Self::MySql(url) => {
                let options: MySqlConnectOptions = parse(url)?;
                if options.get_database().is_none() {
                    return Err(Error::Url(NO_DATABASE.to_owned()));
                }
                let pool = self.open_with(options, PoolOptions::new()).await?;
                Ok(MigratedPool::MySql(pool))
            }
            Self::Sqlite(url) => {
                let options: SqliteConnectOptions = parse(url)?;
                if options.get_filename().as_os_str().is_empty() {
                    // Each connection would get its own file.
                    return Err(Error::Url(NO_DATABASE.to_owned()));
                }
                let pool = self.open_with(options, sqlite_pool()).await?;
                Ok(MigratedPool::Sqlite(pool))
            }
        }
    }

    async fn open_with<DB: Migrated>(
        &self,
        options: <DB::Connection as Connection>::Options,
        pool: PoolOptions<DB>,
    ) -> Result<Pool<DB>, Error> {
        // A pool would retry until its time limit, and then not report the reason.
        let first = match timeout(CONNECT_TIMEOUT, options.connect()).await {
            Ok(connected) => connected.map_err(|error| self.refused(error))?,
            Err(_) => return Err(self.refused("it does not answer")),
        };
        let pool = pool.connect_with(options).await;
        // Not earlier: an in-memory database would be dropped with it.
        first.close().await?;
        let pool = pool.map_err(|error| self.refused(error))?;
        DB::migrate(&pool).await.map_err(Error::Migrate)?;
        Ok(pool)
    }

    /// The error of a failed connection.
    pub(crate) fn refused(&self, reason: impl Into<Box<dyn StdError + Send + Sync>>) -> Error {
        Error::Connect {
            database: self.name(),
            reason: reason.into(),
        }
    }
}

/// A pool of sqlx to a database whose tables are up to date.
pub(crate) enum MigratedPool {
    Postgres(PgPool),
    MySql(MySqlPool),
    Sqlite(SqlitePool),
}

fn is_scheme(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
}

fn parse<O: ConnectOptions>(url: &str) -> Result<O, Error> {
    url.parse()
        .map_err(|error: sqlx::Error| Error::Url(format!("the database URL is wrong: {error}")))
}

/// Never closes connections: an in-memory database is dropped with its last one.
fn sqlite_pool() -> PoolOptions<Sqlite> {
    PoolOptions::new().idle_timeout(None).max_lifetime(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn databases_in_memory_are_kept() {
        let pool = sqlite_pool();
        assert_eq!(pool.get_idle_timeout(), None);
        assert_eq!(pool.get_max_lifetime(), None);
    }
}
