//! The test names of backends, and their environment variables.

use rowkey_core::Backend;

use crate::error::Error;

/// Names the backends whose tests have to run, separated by commas.
pub const REQUIRE_VARIABLE: &str = "ROWKEY_TEST_REQUIRE";

/// The name that a backend's tests begin with, and that [`REQUIRE_VARIABLE`] uses.
pub fn test_name(backend: Backend) -> &'static str {
    match backend {
        Backend::SqlServer => "sqlserver",
        other => other.name(),
    }
}

/// The variable with a backend's address; SQLite needs none.
pub fn url_variable(backend: Backend) -> Option<&'static str> {
    match backend {
        Backend::Postgres => Some("ROWKEY_TEST_POSTGRES_URL"),
        Backend::MySql => Some("ROWKEY_TEST_MYSQL_URL"),
        Backend::MariaDb => Some("ROWKEY_TEST_MARIADB_URL"),
        Backend::Sqlite => None,
        Backend::SqlServer => Some("ROWKEY_TEST_SQLSERVER_URL"),
    }
}

/// The backends in a value of [`REQUIRE_VARIABLE`].
///
/// # Errors
///
/// If one of the names is not a backend's.
pub fn required_backends(list: &str) -> Result<Vec<Backend>, Error> {
    let names = list.split(',').map(str::trim);
    names
        .filter(|name| !name.is_empty())
        .map(|name| {
            with_test_name(name).ok_or_else(|| Error::UnknownBackend {
                name: name.to_owned(),
                known: Backend::ALL.map(test_name).join(", "),
            })
        })
        .collect()
}

/// The backend whose tests begin with this name.
pub(crate) fn with_test_name(name: &str) -> Option<Backend> {
    Backend::ALL
        .into_iter()
        .find(|backend| test_name(*backend) == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_names_is_read_and_an_unknown_name_is_an_error() {
        let list = required_backends("postgres, sqlserver,").unwrap();
        assert_eq!(list, [Backend::Postgres, Backend::SqlServer]);
        assert!(required_backends("").unwrap().is_empty());
        let error = required_backends("postgres,oracle")
            .unwrap_err()
            .to_string();
        let known = "known are postgres, mysql, mariadb, sqlite, sqlserver";
        assert_eq!(
            error,
            format!("ROWKEY_TEST_REQUIRE names `oracle`; {known}")
        );
    }
}
