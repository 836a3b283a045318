use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};
use std::{env, fmt, fs, process};

use rowkey_core::Backend;
use sqlx::{
    AssertSqlSafe, Connection, Database, Executor, MySql, MySqlConnection, PgConnection, Postgres,
};
use tokio::time::timeout;

use crate::backend::{REQUIRE_VARIABLE, required_backends, test_name, url_variable};
use crate::blocking::{BoxedError, on_own_thread};
#[cfg(feature = "containers")]
use crate::containers;
use crate::error::Error;
#[cfg(feature = "sqlserver")]
use crate::sqlserver;

type Result<T> = std::result::Result<T, Error>;

/// The result of a statement on a server. The error does not name the backend yet.
type Outcome = std::result::Result<(), BoxedError>;

/// How long a server may take to create or drop a database.
const STATEMENT_PATIENCE: Duration = Duration::from_secs(60);

/// The versions of the servers on which this process has made databases.
static VERSIONS: Mutex<BTreeMap<Backend, String>> = Mutex::new(BTreeMap::new());

/// The version of the server on which this process has made databases of a backend.
pub(crate) fn version(backend: Backend) -> Option<String> {
    let versions = VERSIONS.lock().unwrap_or_else(PoisonError::into_inner);
    versions.get(&backend).cloned()
}

/// The result of a search for a backend.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Search {
    /// The backend is available: its tests run.
    Found(Server),
    /// The backend is missing and not required: its tests are ignored.
    Missing(String),
    /// The backend is missing although it is required: its tests fail.
    Required(String),
}

/// An address, which is not shown because it may contain a password.
#[derive(Clone, PartialEq, Eq)]
struct Address(String);

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("…")
    }
}

/// A backend that tests can use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Server {
    backend: Backend,
    /// Without an address, the server is in a container, which starts when it is needed.
    url: Option<Address>,
}

impl Server {
    /// Looks for a backend at its address in the environment.
    ///
    /// # Errors
    ///
    /// [`REQUIRE_VARIABLE`] names an unknown backend.
    pub fn find(backend: Backend) -> Result<Search> {
        Self::find_with(backend, |name| {
            // A value that is not UTF-8 is reported as a wrong name or address.
            env::var_os(name).map(|value| value.to_string_lossy().into_owned())
        })
    }

    fn find_with(backend: Backend, variable: impl Fn(&str) -> Option<String>) -> Result<Search> {
        let required = required_backends(&variable(REQUIRE_VARIABLE).unwrap_or_default())?;
        let url = match url_variable(backend) {
            None => String::new(),
            Some(name) => match variable(name).filter(|url| !url.is_empty()) {
                Some(url) => url,
                None if required.contains(&backend) => {
                    return Ok(Search::Required(format!(
                        "{REQUIRE_VARIABLE} names {}, but {name} is not set",
                        test_name(backend),
                    )));
                }
                None => return Ok(Search::Missing(format!("{name} is not set"))),
            },
        };
        Ok(Search::Found(Self::at(backend, url)))
    }

    /// A server at an address.
    pub fn at(backend: Backend, url: impl Into<String>) -> Self {
        Self {
            backend,
            url: Some(Address(url.into())),
        }
    }

    #[cfg(feature = "containers")]
    pub(crate) fn in_container(backend: Backend) -> Self {
        Self { backend, url: None }
    }

    fn url(&self) -> Result<&str> {
        match &self.url {
            Some(Address(url)) => Ok(url),
            #[cfg(feature = "containers")]
            None => containers::start(self.backend),
            #[cfg(not(feature = "containers"))]
            None => Ok(""),
        }
    }

    /// The backend.
    pub fn backend(&self) -> Backend {
        self.backend
    }

    /// Makes a database of the backend for one test: a schema in PostgreSQL, a file in SQLite.
    ///
    /// # Errors
    ///
    /// The error of the server.
    pub fn create_database(&self) -> Result<TestDatabase> {
        // First, because the server may have to start, and the work on it has a time limit.
        let address = self.url()?;
        let name = unique_name();
        let (url, removal) = match self.backend {
            Backend::Postgres => {
                self.administer(format!("CREATE SCHEMA {name}"))?;
                let url = with_parameter(address, &format!("options=-csearch_path%3D{name}"));
                let drop = format!("DROP SCHEMA {name} CASCADE");
                (url, Removal::Statement(drop))
            }
            Backend::MySql | Backend::MariaDb => {
                self.administer(format!("CREATE DATABASE {name}"))?;
                let backend = self.backend;
                let url = with_path(address, &name).ok_or(Error::Address { backend })?;
                (url, Removal::Statement(format!("DROP DATABASE {name}")))
            }
            Backend::Sqlite => {
                let path = env::temp_dir().join(format!("{name}.sqlite"));
                let path = path.to_str().ok_or(Error::TemporaryDirectory)?;
                let url = format!("sqlite://{path}?mode=rwc");
                (url, Removal::Files(path.to_owned()))
            }
            #[cfg(feature = "sqlserver")]
            Backend::SqlServer => {
                self.finish(sqlserver::create_database(address, &name))?;
                let url = sqlserver::with_database(address, &name);
                (url, Removal::SqlServer(name))
            }
            #[cfg(not(feature = "sqlserver"))]
            backend => return Err(Error::Unsupported { backend }),
        };
        Ok(TestDatabase {
            server: self.clone(),
            url: Address(url),
            removal,
        })
    }

    /// The version that a server of PostgreSQL, MySQL or MariaDB says of itself, such as `8.0.36`;
    /// nothing for other backends.
    ///
    /// # Errors
    ///
    /// The error of the server.
    pub fn version(&self) -> Result<Option<String>> {
        self.administer("SELECT 1".into())?;
        Ok(version(self.backend))
    }

    fn administer(&self, statement: String) -> Result<()> {
        self.finish(self.execute(statement))
    }

    fn finish<E: Into<BoxedError>>(
        &self,
        work: impl Future<Output = std::result::Result<(), E>> + Send,
    ) -> Result<()> {
        let work = async {
            match timeout(STATEMENT_PATIENCE, work).await {
                Ok(outcome) => outcome.map_err(Into::into),
                Err(_) => Err(format!(
                    "no answer within {STATEMENT_PATIENCE:?}; to drop what a test has made waits \
                     for its transactions that are still open"
                )
                .into()),
            }
        };
        on_own_thread(work).map_err(|source| Error::Server {
            backend: self.backend,
            source,
        })
    }

    async fn execute(&self, statement: String) -> Outcome {
        match self.backend {
            Backend::Postgres => {
                self.check_scheme(Postgres::URL_SCHEMES)?;
                let mut server = PgConnection::connect(self.url()?).await?;
                let version = sqlx::query_scalar("SHOW server_version");
                self.note_version(version.fetch_one(&mut server).await?);
                server.execute(AssertSqlSafe(statement)).await?;
                server.close().await?;
            }
            Backend::MySql | Backend::MariaDb => {
                self.check_scheme(MySql::URL_SCHEMES)?;
                let mut server = MySqlConnection::connect(self.url()?).await?;
                let version = sqlx::query_scalar("SELECT VERSION()");
                let version: String = version.fetch_one(&mut server).await?;
                self.check_version(&version)?;
                self.note_version(version);
                server.execute(AssertSqlSafe(statement)).await?;
                server.close().await?;
            }
            #[cfg(feature = "sqlserver")]
            Backend::SqlServer => sqlserver::execute(self.url()?, statement).await?,
            _ => {}
        }
        Ok(())
    }

    /// A driver may wait forever for a server of another protocol.
    fn check_scheme(&self, known: &[&str]) -> Outcome {
        let scheme = self.url()?.split_once(':').map(|(scheme, _)| scheme);
        let scheme = scheme.unwrap_or_default().to_ascii_lowercase();
        if known.contains(&scheme.as_str()) {
            return Ok(());
        }
        Err(format!("the address does not begin with {}:", known.join(": or ")).into())
    }

    /// MySQL and MariaDB speak the same protocol, so a driver does not notice a swapped address.
    fn check_version(&self, version: &str) -> Outcome {
        if version.contains("MariaDB") == (self.backend == Backend::MariaDb) {
            return Ok(());
        }
        Err(format!("the server is another one, of version {version}").into())
    }

    /// Leaves out what packagers have added.
    fn note_version(&self, version: String) {
        let number = version.split([' ', '-']).next().unwrap_or_default();
        let mut versions = VERSIONS.lock().unwrap_or_else(PoisonError::into_inner);
        versions.insert(self.backend, number.to_owned());
    }
}

/// A database that belongs to one test, and is dropped with this value.
#[derive(Debug)]
pub struct TestDatabase {
    server: Server,
    url: Address,
    removal: Removal,
}

#[derive(Debug)]
enum Removal {
    Statement(String),
    Files(String),
    #[cfg(feature = "sqlserver")]
    SqlServer(String),
}

impl TestDatabase {
    /// The backend.
    pub fn backend(&self) -> Backend {
        self.server.backend
    }

    /// The address of the database itself, for any driver of the backend.
    pub fn url(&self) -> &str {
        &self.url.0
    }
}

impl Drop for TestDatabase {
    fn drop(&mut self) {
        let server = &self.server;
        let outcome = match &self.removal {
            Removal::Statement(statement) => server.administer(statement.clone()),
            Removal::Files(path) => {
                for suffix in ["", "-journal", "-wal", "-shm"] {
                    // Most of these files never existed.
                    let _ = fs::remove_file(format!("{path}{suffix}"));
                }
                Ok(())
            }
            #[cfg(feature = "sqlserver")]
            Removal::SqlServer(name) => {
                let url = server.url();
                url.and_then(|url| server.finish(sqlserver::drop_database(url, name)))
            }
        };
        if let Err(Error::Server { backend, source }) = outcome {
            // A panic here would end the process if the test has panicked.
            eprintln!("could not clean up {backend}: {source}");
        }
    }
}

/// A name that no other test or run uses.
fn unique_name() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let started = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .map_or(0, |since| since.as_millis());
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    format!("rowkey_test_{started}_{}_{count}", process::id())
}

fn with_parameter(url: &str, parameter: &str) -> String {
    let separator = if url.contains('?') { '&' } else { '?' };
    format!("{url}{separator}{parameter}")
}

fn with_path(url: &str, path: &str) -> Option<String> {
    let (scheme, rest) = url.split_once("://")?;
    let (rest, parameters) = match rest.split_once('?') {
        Some((rest, parameters)) => (rest, format!("?{parameters}")),
        None => (rest, String::new()),
    };
    let host = rest.split('/').next().unwrap_or_default();
    Some(format!("{scheme}://{host}/{path}{parameters}"))
}

#[cfg(test)]
mod tests {
    use std::error::Error as _;

    use super::*;

    fn search(backend: Backend, variables: &[(&str, &str)]) -> Search {
        let variable = |name: &str| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        Server::find_with(backend, variable).unwrap()
    }

    #[test]
    fn servers_come_from_the_environment_and_sqlite_is_always_available() {
        let found = |search| matches!(search, Search::Found(_));
        assert!(found(search(Backend::Sqlite, &[])));

        let missing = Search::Missing("ROWKEY_TEST_MYSQL_URL is not set".to_owned());
        let empty = ("ROWKEY_TEST_MYSQL_URL", "");
        assert_eq!(search(Backend::MySql, &[]), missing);
        assert_eq!(search(Backend::MySql, &[empty]), missing);

        let require = (REQUIRE_VARIABLE, "postgres, sqlserver,");
        let required =
            "ROWKEY_TEST_REQUIRE names postgres, but ROWKEY_TEST_POSTGRES_URL is not set";
        let required = Search::Required(required.to_owned());
        assert_eq!(search(Backend::Postgres, &[require]), required);
        assert_eq!(search(Backend::MySql, &[require]), missing);
        let url = ("ROWKEY_TEST_POSTGRES_URL", "postgres://somewhere");
        assert!(found(search(Backend::Postgres, &[require, url])));
    }

    #[test]
    fn an_address_of_another_backend_is_refused_at_once() {
        let (mysql, postgres) = ("mysql: or mariadb:", "postgres: or postgresql:");
        for (backend, url, schemes) in [
            (Backend::MySql, "postgres://root@127.0.0.1/test", mysql),
            (Backend::Postgres, "mysql://root@127.0.0.1/test", postgres),
            (Backend::MariaDb, "nonsense", mysql),
            #[cfg(feature = "sqlserver")]
            (
                Backend::SqlServer,
                "postgres://127.0.0.1",
                "key-value pairs",
            ),
        ] {
            let error = Server::at(backend, url).create_database().unwrap_err();
            let cause = error.source().unwrap().to_string();
            assert!(cause.contains(schemes), "{cause}");
        }
    }

    #[test]
    fn mysql_and_mariadb_are_not_confused() {
        for (backend, version, is_right) in [
            (Backend::MySql, "8.4.2", true),
            (Backend::MySql, "10.11.19-MariaDB-0+deb12u1", false),
            (Backend::MariaDb, "5.6.24", false),
            (Backend::MariaDb, "12.0.2-MariaDB", true),
        ] {
            let outcome = Server::at(backend, "").check_version(version);
            assert_eq!(outcome.is_ok(), is_right, "{backend}: {version}");
        }
    }

    #[cfg(not(feature = "sqlserver"))]
    #[test]
    fn the_missing_feature_is_named() {
        let server = Server::at(Backend::SqlServer, "server=127.0.0.1;user=sa");
        assert_eq!(
            server.create_database().unwrap_err().to_string(),
            "for SQL Server, turn on the feature `sqlserver` of rowkey-testkit"
        );
    }

    #[test]
    fn debug_output_shows_no_password() {
        let server = Server::at(Backend::Sqlite, "hunter2");
        let database = server.create_database().unwrap();
        let search = Search::Found(server.clone());
        let shown = format!("{server:?} {database:?} {search:?}");
        assert!(!shown.contains("hunter2"), "{shown}");
    }

    #[test]
    fn addresses_lead_to_the_database_of_the_test() {
        let path = |url| with_path(url, "mine").unwrap();
        assert_eq!(
            path("mysql://root@127.0.0.1:3306/test?ssl-mode=disabled"),
            "mysql://root@127.0.0.1:3306/mine?ssl-mode=disabled"
        );
        assert_eq!(path("mysql://localhost"), "mysql://localhost/mine");
        let url = with_parameter("postgres://h/db?a=b", "c=d");
        assert_eq!(url, "postgres://h/db?a=b&c=d");
    }
}
