//! The implementations of the repository, and their backends.

use std::pin::Pin;

use anyhow::{Context, Result};
use repository::{CustomerRepository, Error};
use rowkey_testkit::{Backend, Suite, TestDatabase};

/// An implementation of the repository.
#[derive(Clone, Copy)]
pub(crate) struct Driver {
    pub(crate) name: &'static str,
    backends: &'static [Backend],
    connect: for<'u> fn(&'u str) -> Connecting<'u>,
    /// The reason why this binary was built without the driver for a backend, if any.
    left_out: fn(Backend) -> Option<&'static str>,
}

type Connecting<'u> =
    Pin<Box<dyn Future<Output = Result<Box<dyn CustomerRepository>, Error>> + Send + 'u>>;

pub(crate) const ALL_BUT_SQL_SERVER: [Backend; 4] = [
    Backend::Postgres,
    Backend::MySql,
    Backend::MariaDb,
    Backend::Sqlite,
];

pub(crate) const SQLX: Driver = Driver {
    name: "sqlx",
    backends: &ALL_BUT_SQL_SERVER,
    connect: |url| Box::pin(repository::sqlx::connect(url)),
    left_out: |_| None,
};

const DIESEL: Driver = Driver {
    name: "diesel",
    backends: &ALL_BUT_SQL_SERVER,
    connect: |url| Box::pin(repository::diesel::connect(url)),
    left_out: |backend| match backend {
        Backend::Postgres if !cfg!(feature = "diesel-postgres") => {
            Some("built without the feature diesel-postgres, which needs libpq")
        }
        Backend::MySql | Backend::MariaDb if !cfg!(feature = "diesel-mysql") => {
            Some("built without the feature diesel-mysql, which needs libmariadb or libmysqlclient")
        }
        _ => None,
    },
};

const SEA_ORM: Driver = Driver {
    name: "sea_orm",
    backends: &ALL_BUT_SQL_SERVER,
    connect: |url| Box::pin(repository::sea_orm::connect(url)),
    left_out: |_| None,
};

const TIBERIUS: Driver = Driver {
    name: "tiberius",
    backends: &[Backend::SqlServer],
    connect: |url| Box::pin(repository::tiberius::connect(url)),
    left_out: |_| None,
};

pub(crate) const ALL: [Driver; 4] = [SQLX, DIESEL, SEA_ORM, TIBERIUS];

/// A driver for a backend.
pub(crate) fn one_for(backend: Backend) -> Result<Driver> {
    let driver = ALL.into_iter().find(|driver| driver.is_for(backend));
    driver.with_context(|| format!("there is no driver for {backend}"))
}

impl Driver {
    /// Whether it is for a backend.
    pub(crate) fn is_for(self, backend: Backend) -> bool {
        self.backends.contains(&backend)
    }

    /// Opens the repository.
    pub(crate) async fn connect(self, url: &str) -> Result<Box<dyn CustomerRepository>, Error> {
        (self.connect)(url).await
    }

    /// Adds a test called `<backend>::<driver>::<name>` for each of the driver's backends.
    pub(crate) fn test(
        self,
        suite: &mut Suite,
        name: &str,
        run: impl Fn(Driver, &TestDatabase) -> Result<()> + Clone + Send + 'static,
    ) {
        self.test_with(self, suite, name, move |driver, _, database| {
            run(driver, database)
        });
    }

    /// Adds the same for a test with another driver, on the backends of both.
    pub(crate) fn test_with(
        self,
        other: Driver,
        suite: &mut Suite,
        name: &str,
        run: impl Fn(Driver, Driver, &TestDatabase) -> Result<()> + Clone + Send + 'static,
    ) {
        let name = format!("{}::{name}", self.name);
        for &backend in self.backends {
            if !other.backends.contains(&backend) {
                continue;
            }
            let left_out = (self.left_out)(backend).or_else(|| (other.left_out)(backend));
            if let Some(reason) = left_out {
                suite.left_out(&name, [backend], reason);
            } else {
                let run = run.clone();
                suite.test_on(backend, &name, move |database| run(self, other, database));
            }
        }
    }
}
