//! The databases that the integration tests run against.

use std::{fmt, str::FromStr};

use anyhow::{Context, Error, Result, bail};

/// Names the databases whose tests have to run, separated by commas.
pub(crate) const REQUIRE_VARIABLE: &str = "ROWKEY_TEST_REQUIRE";

/// A database that the integration tests run against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Backend {
    Postgres,
    Mysql,
    Mariadb,
    Sqlite,
    Sqlserver,
}

impl Backend {
    /// Every database, in the order they are reported.
    pub(crate) const ALL: [Self; 5] = [
        Self::Postgres,
        Self::Mysql,
        Self::Mariadb,
        Self::Sqlite,
        Self::Sqlserver,
    ];

    /// The name that its tests start with, and that [`REQUIRE_VARIABLE`] takes.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Postgres => "postgres",
            Self::Mysql => "mysql",
            Self::Mariadb => "mariadb",
            Self::Sqlite => "sqlite",
            Self::Sqlserver => "sqlserver",
        }
    }

    /// The environment variable with its address; SQLite needs none.
    pub(crate) fn url_variable(self) -> Option<&'static str> {
        match self {
            Self::Postgres => Some("ROWKEY_TEST_POSTGRES_URL"),
            Self::Mysql => Some("ROWKEY_TEST_MYSQL_URL"),
            Self::Mariadb => Some("ROWKEY_TEST_MARIADB_URL"),
            Self::Sqlite => None,
            Self::Sqlserver => Some("ROWKEY_TEST_SQLSERVER_URL"),
        }
    }

    /// Whether there is an image to run it from. The package that does so is built only for one
    /// that there is.
    fn has_container(self) -> bool {
        !matches!(self, Self::Sqlite)
    }

    /// The database with this name.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|backend| backend.name() == name)
    }

    /// Reads the value of [`REQUIRE_VARIABLE`].
    pub(crate) fn parse_list(list: &str) -> Result<Vec<Self>> {
        list.split(',')
            .map(str::trim)
            .filter(|name| !name.is_empty())
            .map(|name| name.parse().context(REQUIRE_VARIABLE))
            .collect()
    }

    /// Reads the name of a database that can run in a container.
    pub(crate) fn parse_with_container(name: &str) -> Result<Self> {
        let backend: Self = name.parse()?;
        if !backend.has_container() {
            let known = Self::ALL.into_iter().filter(|known| known.has_container());
            let known: Vec<&str> = known.map(Self::name).collect();
            bail!(
                "no container is known for `{name}`; there are {}",
                known.join(", ")
            );
        }
        Ok(backend)
    }
}

impl FromStr for Backend {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        Self::from_name(name).with_context(|| {
            let known = Self::ALL.map(Self::name).join(", ");
            format!("`{name}` is no database; known are {known}")
        })
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_names_is_read() {
        let list = Backend::parse_list("postgres, sqlite,").unwrap();
        assert_eq!(list, [Backend::Postgres, Backend::Sqlite]);
        assert!(Backend::parse_list("").unwrap().is_empty());
    }

    #[test]
    fn an_unknown_name_is_an_error() {
        let error = Backend::parse_list("postgres,oracle").unwrap_err();
        let error = format!("{error:#}");
        assert!(
            error.starts_with("ROWKEY_TEST_REQUIRE: `oracle`"),
            "{error}"
        );
    }

    #[test]
    fn the_package_with_the_containers_has_the_same_ones() {
        let servers = include_str!("../containers/src/server.rs");
        for backend in Backend::ALL {
            let name = backend.name();
            let image_variable = format!("ROWKEY_TEST_{}_IMAGE", name.to_uppercase());
            assert_eq!(
                Backend::parse_with_container(name).is_ok(),
                servers.contains(&image_variable),
                "{name}"
            );
        }
    }
}
