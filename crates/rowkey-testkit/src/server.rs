use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime};
use std::{env, fmt, fs, process, thread};

use rowkey_core::Backend;
use sqlx::{
    AssertSqlSafe, Connection, Database, Executor, MySql, MySqlConnection, PgConnection, Postgres,
};
use tokio::time::{Instant, sleep, timeout};

use crate::backend::{REQUIRE_VARIABLE, required_backends, test_name, url_variable};
use crate::error::Error;
#[cfg(feature = "sqlserver")]
use crate::sqlserver;

type Result<T> = std::result::Result<T, Error>;

type BoxedError = Box<dyn std::error::Error + Send + Sync>;

/// What a server said, before it is known what for.
type Outcome = std::result::Result<(), BoxedError>;

/// How long one login may take while a server starts: some accept connections that they do not
/// answer yet.
const LOGIN_TIMEOUT: Duration = Duration::from_secs(5);

/// How long a server may take to create or drop a database.
const STATEMENT_PATIENCE: Duration = Duration::from_secs(60);

/// How long to wait after a login that failed.
const LOGIN_PAUSE: Duration = Duration::from_millis(200);

/// What a search for a backend ended with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Search {
    /// The backend is there: its tests run.
    Found(Server),
    /// There is none, and nobody insists: its tests are ignored.
    Missing(String),
    /// There is none, although there has to be: its tests fail.
    Required(String),
}

/// A backend that tests can use.
#[derive(Clone, PartialEq, Eq)]
pub struct Server {
    backend: Backend,
    url: String,
}

impl fmt::Debug for Server {
    /// Without the address: it can have a password in it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server")
            .field("backend", &self.backend)
            .finish_non_exhaustive()
    }
}

impl Server {
    /// Looks for a backend where the environment says it is.
    ///
    /// # Errors
    ///
    /// [`REQUIRE_VARIABLE`] names something that is no backend.
    pub fn find(backend: Backend) -> Result<Search> {
        Self::find_with(backend, |name| {
            // What is not UTF-8 is no name and no address, and is told as such.
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
        Ok(Search::Found(Self { backend, url }))
    }

    /// A server at an address, such as one that was just started in a container.
    pub fn at(backend: Backend, url: impl Into<String>) -> Self {
        Self {
            backend,
            url: url.into(),
        }
    }

    /// The backend.
    pub fn backend(&self) -> Backend {
        self.backend
    }

    /// Waits until the server lets the account of the address in and answers a statement.
    ///
    /// A server in a container can listen, and even write that it is ready, before it lets
    /// anybody in: images start one to set up accounts and databases, and then another.
    ///
    /// # Errors
    ///
    /// The last login failed, after as much time as `patience` says.
    pub fn wait_until_ready(&self, patience: Duration) -> Result<()> {
        match self.backend {
            Backend::Postgres | Backend::MySql | Backend::MariaDb => {}
            Backend::Sqlite => return Ok(()),
            #[cfg(feature = "sqlserver")]
            Backend::SqlServer => {}
            #[cfg(not(feature = "sqlserver"))]
            backend => return Err(Error::Unsupported { backend }),
        }
        Self::on_own_thread(self.log_in(patience)).map_err(|source| Error::NotReady {
            backend: self.backend,
            patience,
            source,
        })
    }

    async fn log_in(&self, patience: Duration) -> Outcome {
        let start = Instant::now();
        loop {
            let failure: BoxedError =
                match timeout(LOGIN_TIMEOUT, self.execute("SELECT 1".to_owned())).await {
                    Ok(Ok(())) => return Ok(()),
                    Ok(Err(error)) => error,
                    Err(_) => format!("no answer within {LOGIN_TIMEOUT:?}").into(),
                };
            if start.elapsed() + LOGIN_PAUSE >= patience {
                return Err(failure);
            }
            sleep(LOGIN_PAUSE).await;
        }
    }

    /// Makes a database of the backend for one test: a schema in PostgreSQL, a file in SQLite.
    ///
    /// # Errors
    ///
    /// What the server says.
    pub fn create_database(&self) -> Result<TestDatabase> {
        let name = unique_name();
        let (url, removal) = match self.backend {
            Backend::Postgres => {
                self.administer(format!("CREATE SCHEMA {name}"))?;
                let url = with_parameter(&self.url, &format!("options=-csearch_path%3D{name}"));
                (
                    url,
                    Removal::Statement(format!("DROP SCHEMA {name} CASCADE")),
                )
            }
            Backend::MySql | Backend::MariaDb => {
                self.administer(format!("CREATE DATABASE {name}"))?;
                let url = with_path(&self.url, &name).ok_or(Error::Address {
                    backend: self.backend,
                })?;
                (url, Removal::Statement(format!("DROP DATABASE {name}")))
            }
            Backend::Sqlite => {
                let path = env::temp_dir().join(format!("{name}.sqlite"));
                let path = path.to_str().ok_or(Error::TemporaryDirectory)?;
                (
                    format!("sqlite://{path}?mode=rwc"),
                    Removal::Files(path.to_owned()),
                )
            }
            #[cfg(feature = "sqlserver")]
            Backend::SqlServer => {
                self.finish(sqlserver::create_database(&self.url, &name))?;
                let url = sqlserver::with_database(&self.url, &name);
                (url, Removal::SqlServer(name))
            }
            #[cfg(not(feature = "sqlserver"))]
            backend => return Err(Error::Unsupported { backend }),
        };
        Ok(TestDatabase {
            server: self.clone(),
            url,
            removal,
        })
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
        Self::on_own_thread(work).map_err(|source| Error::Server {
            backend: self.backend,
            source,
        })
    }

    /// Runs a statement in a connection of its own.
    async fn execute(&self, statement: String) -> Outcome {
        match self.backend {
            Backend::Postgres => {
                self.check_scheme(Postgres::URL_SCHEMES)?;
                let mut server = PgConnection::connect(&self.url).await?;
                server.execute(AssertSqlSafe(statement)).await?;
                server.close().await?;
            }
            Backend::MySql | Backend::MariaDb => {
                self.check_scheme(MySql::URL_SCHEMES)?;
                let mut server = MySqlConnection::connect(&self.url).await?;
                let version = sqlx::query_scalar("SELECT VERSION()");
                self.check_version(version.fetch_one(&mut server).await?)?;
                server.execute(AssertSqlSafe(statement)).await?;
                server.close().await?;
            }
            #[cfg(feature = "sqlserver")]
            Backend::SqlServer => sqlserver::execute(&self.url, statement).await?,
            _ => {}
        }
        Ok(())
    }

    /// A driver may wait forever for a server of another protocol.
    fn check_scheme(&self, known: &[&str]) -> sqlx::Result<()> {
        match self.url.split_once(':') {
            Some((scheme, _)) if known.contains(&scheme.to_ascii_lowercase().as_str()) => Ok(()),
            _ => Err(sqlx::Error::Configuration(
                format!("the address does not begin with {}:", known.join(": or ")).into(),
            )),
        }
    }

    /// MySQL and MariaDB speak the same protocol, and only tests can tell that they are not the
    /// same.
    fn check_version(&self, version: String) -> sqlx::Result<()> {
        if version.contains("MariaDB") == (self.backend == Backend::MariaDb) {
            return Ok(());
        }
        Err(sqlx::Error::Configuration(
            format!("the server is another one, of version {version}").into(),
        ))
    }

    /// Runs to the end on a thread of its own: it can be called from within a runtime and while a
    /// panic unwinds.
    fn on_own_thread(work: impl Future<Output = Outcome> + Send) -> Outcome {
        thread::scope(|scope| {
            let worker = scope.spawn(|| {
                let runtime = tokio::runtime::Builder::new_current_thread()
                    .enable_all()
                    .build()?;
                runtime.block_on(work)
            });
            match worker.join() {
                Ok(outcome) => outcome,
                Err(_) => Err("the administrating thread panicked".into()),
            }
        })
    }
}

/// A database that belongs to one test, and goes when this is dropped.
pub struct TestDatabase {
    server: Server,
    url: String,
    removal: Removal,
}

impl fmt::Debug for TestDatabase {
    /// Without the address: it can have a password in it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TestDatabase")
            .field("server", &self.server)
            .field("removal", &self.removal)
            .finish_non_exhaustive()
    }
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
        &self.url
    }
}

impl Drop for TestDatabase {
    fn drop(&mut self) {
        let server = &self.server;
        let outcome = match &self.removal {
            Removal::Statement(statement) => server.administer(statement.clone()),
            Removal::Files(path) => {
                for suffix in ["", "-journal", "-wal", "-shm"] {
                    // Most of them never existed.
                    let _ = fs::remove_file(format!("{path}{suffix}"));
                }
                Ok(())
            }
            #[cfg(feature = "sqlserver")]
            Removal::SqlServer(name) => server.finish(sqlserver::drop_database(&server.url, name)),
        };
        if let Err(Error::Server { backend, source }) = outcome {
            // A panic here would end the process if the test has panicked.
            eprintln!("could not clean up {backend}: {source}");
        }
    }
}

/// A name that neither another test nor another run uses.
fn unique_name() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let started = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .map_or(0, |since| since.as_millis());
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    format!("rowkey_test_{started}_{}_{count}", process::id())
}

/// The address with one more parameter.
fn with_parameter(url: &str, parameter: &str) -> String {
    let separator = if url.contains('?') { '&' } else { '?' };
    format!("{url}{separator}{parameter}")
}

/// The address with another path.
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
    use std::net::TcpListener;

    use super::*;

    fn search(backend: Backend, variables: &[(&str, &str)]) -> Search {
        let variable = |name: &str| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        Server::find_with(backend, variable).unwrap()
    }

    #[test]
    fn sqlite_is_always_there() {
        assert!(matches!(search(Backend::Sqlite, &[]), Search::Found(_)));
    }

    #[test]
    fn a_server_is_missing_without_an_address_or_with_an_empty_one() {
        let missing = Search::Missing("ROWKEY_TEST_MYSQL_URL is not set".to_owned());
        assert_eq!(search(Backend::MySql, &[]), missing);
        assert_eq!(
            search(Backend::MySql, &[("ROWKEY_TEST_MYSQL_URL", "")]),
            missing
        );
    }

    #[test]
    fn a_required_server_has_to_be_there() {
        let require = (REQUIRE_VARIABLE, "postgres, sqlserver,");
        assert_eq!(
            search(Backend::Postgres, &[require]),
            Search::Required(
                "ROWKEY_TEST_REQUIRE names postgres, but ROWKEY_TEST_POSTGRES_URL is not set"
                    .to_owned()
            )
        );
        assert!(matches!(
            search(Backend::MySql, &[require]),
            Search::Missing(_)
        ));
        let url = ("ROWKEY_TEST_POSTGRES_URL", "postgres://somewhere");
        assert!(matches!(
            search(Backend::Postgres, &[require, url]),
            Search::Found(_)
        ));
    }

    #[test]
    fn waiting_ends_with_what_the_last_login_failed_of() {
        // Dropped at once: nothing listens there.
        let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr();
        let address = address.unwrap();
        for (backend, url) in [
            (Backend::Postgres, format!("postgres://root@{address}/test")),
            (Backend::MySql, format!("mysql://root@{address}/test")),
            #[cfg(feature = "sqlserver")]
            (
                Backend::SqlServer,
                format!("server={},{};user=sa", address.ip(), address.port()),
            ),
        ] {
            let server = Server::at(backend, url);
            let patience = Duration::from_millis(300);
            let error = server.wait_until_ready(patience).unwrap_err();
            let text = format!("{backend} lets nobody in after 300ms");
            assert_eq!(error.to_string(), text);
            let cause = error.source().unwrap().to_string();
            assert!(cause.contains("refused"), "{cause}");
        }
    }

    #[test]
    fn an_address_of_another_backend_is_refused_at_once() {
        for (backend, url, schemes) in [
            (
                Backend::MySql,
                "postgres://root@127.0.0.1/test",
                "mysql: or mariadb:",
            ),
            (
                Backend::Postgres,
                "mysql://root@127.0.0.1/test",
                "postgres: or postgresql:",
            ),
            (Backend::MariaDb, "nonsense", "mysql: or mariadb:"),
            #[cfg(feature = "sqlserver")]
            (
                Backend::SqlServer,
                "postgres://root@127.0.0.1/test",
                "key-value pairs",
            ),
        ] {
            let error = Server::at(backend, url).create_database().unwrap_err();
            let cause = error.source().unwrap().to_string();
            assert!(cause.contains(schemes), "{cause}");
        }
    }

    #[test]
    fn mysql_and_mariadb_are_not_taken_for_each_other() {
        for (backend, version, is_right) in [
            (Backend::MySql, "8.4.2", true),
            (Backend::MySql, "10.11.19-MariaDB-0+deb12u1", false),
            (Backend::MariaDb, "5.6.24", false),
            (Backend::MariaDb, "12.0.2-MariaDB", true),
        ] {
            let outcome = Server::at(backend, "").check_version(version.to_owned());
            assert_eq!(outcome.is_ok(), is_right, "{backend}: {version}");
        }
    }

    #[test]
    fn sqlite_is_ready_at_once() {
        let server = Server::at(Backend::Sqlite, "");
        server.wait_until_ready(Duration::ZERO).unwrap();
    }

    #[cfg(not(feature = "sqlserver"))]
    #[test]
    fn the_missing_feature_is_told() {
        let server = Server::at(Backend::SqlServer, "server=127.0.0.1;user=sa");
        for error in [
            server.create_database().unwrap_err(),
            server.wait_until_ready(Duration::ZERO).unwrap_err(),
        ] {
            assert_eq!(
                error.to_string(),
                "for SQL Server, turn on the feature `sqlserver` of rowkey-testkit"
            );
        }
    }

    #[test]
    fn nobody_learns_a_password_from_debug_output() {
        let server = Server::at(Backend::Sqlite, "hunter2");
        let database = server.create_database().unwrap();
        let shown = format!(
            "{server:?} {database:?} {:?}",
            Search::Found(server.clone())
        );
        assert!(!shown.contains("hunter2"), "{shown}");
    }

    #[test]
    fn addresses_lead_to_the_part_of_the_test() {
        let url = with_path("mysql://root@127.0.0.1:3306/test?ssl-mode=disabled", "mine").unwrap();
        assert_eq!(url, "mysql://root@127.0.0.1:3306/mine?ssl-mode=disabled");
        assert_eq!(
            with_path("mysql://localhost", "mine").unwrap(),
            "mysql://localhost/mine"
        );
        assert_eq!(
            with_parameter("postgres://h/db?a=b", "c=d"),
            "postgres://h/db?a=b&c=d"
        );
    }
}
