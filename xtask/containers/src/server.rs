//! The database servers that can run in a container.

use anyhow::{Context, Result, bail};
use rowkey_testkit::{Backend, test_name};

use crate::image::ImageName;

/// How the image of one database server is run.
#[derive(Debug)]
pub(crate) struct ContainerServer {
    pub(crate) backend: Backend,
    /// Names another image.
    pub(crate) image_variable: &'static str,
    default_image: &'static str,
    /// Where the server listens within the container.
    pub(crate) port: u16,
    /// Makes the image let its administrator in, and create the database of the address.
    pub(crate) environment: &'static [(&'static str, &'static str)],
    /// In front of the host and port of an address.
    url_start: &'static str,
}

/// Every server that can run in a container.
///
/// None has a password, which MySQL would only take over an encrypted connection. The ports are open
/// to this machine alone.
pub(crate) const SERVERS: &[ContainerServer] = &[
    ContainerServer {
        backend: Backend::Postgres,
        image_variable: "ROWKEY_TEST_POSTGRES_IMAGE",
        default_image: "postgres:18",
        port: 5432,
        environment: &[
            ("POSTGRES_HOST_AUTH_METHOD", "trust"),
            ("POSTGRES_DB", "test"),
        ],
        url_start: "postgres://postgres@",
    },
    ContainerServer {
        backend: Backend::MySql,
        image_variable: "ROWKEY_TEST_MYSQL_IMAGE",
        default_image: "mysql:9",
        port: 3306,
        environment: &[
            ("MYSQL_ALLOW_EMPTY_PASSWORD", "yes"),
            ("MYSQL_DATABASE", "test"),
        ],
        url_start: "mysql://root@",
    },
    ContainerServer {
        backend: Backend::MariaDb,
        image_variable: "ROWKEY_TEST_MARIADB_IMAGE",
        default_image: "mariadb:12",
        port: 3306,
        environment: &[
            ("MARIADB_ALLOW_EMPTY_ROOT_PASSWORD", "yes"),
            ("MARIADB_DATABASE", "test"),
        ],
        url_start: "mysql://root@",
    },
];

impl ContainerServer {
    /// The servers with these names, in the order of the table; all of them without any name.
    pub(crate) fn choose(names: &[String]) -> Result<Vec<&'static Self>> {
        let known = || {
            SERVERS
                .iter()
                .map(Self::name)
                .collect::<Vec<_>>()
                .join(", ")
        };
        for name in names {
            if !SERVERS.iter().any(|server| server.name() == name) {
                bail!("no container is known for `{name}`; there are {}", known());
            }
        }
        Ok(SERVERS
            .iter()
            .filter(|server| names.is_empty() || names.iter().any(|name| name == server.name()))
            .collect())
    }

    /// The name that the tests of its backend begin with.
    pub(crate) fn name(&self) -> &'static str {
        test_name(self.backend)
    }

    /// The image to run.
    pub(crate) fn image(&self, variable: impl Fn(&str) -> Option<String>) -> Result<ImageName> {
        match variable(self.image_variable).filter(|name| !name.is_empty()) {
            Some(name) => name.parse().context(self.image_variable),
            None => self.default_image.parse(),
        }
    }

    /// The address of the server at a port of this machine.
    pub(crate) fn url(&self, port: u16) -> String {
        format!("{}127.0.0.1:{port}/test", self.url_start)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use rowkey_testkit::url_variable;

    use super::*;

    fn names(chosen: &[&str]) -> Vec<&'static str> {
        let chosen: Vec<String> = chosen.iter().map(|name| (*name).to_owned()).collect();
        let servers = ContainerServer::choose(&chosen).unwrap();
        servers.into_iter().map(ContainerServer::name).collect()
    }

    #[test]
    fn all_servers_run_unless_some_are_named() {
        assert_eq!(names(&[]), ["postgres", "mysql", "mariadb"]);
        assert_eq!(names(&["mariadb", "postgres"]), ["postgres", "mariadb"]);
        assert_eq!(names(&["mysql", "mysql"]), ["mysql"]);
    }

    #[test]
    fn a_backend_without_a_container_is_an_error() {
        let error = ContainerServer::choose(&["sqlite".to_owned()]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "no container is known for `sqlite`; there are postgres, mysql, mariadb"
        );
    }

    #[test]
    fn the_environment_names_another_image() {
        let postgres = &SERVERS[0];
        let image = |value: Option<&str>| {
            postgres
                .image(|name| {
                    assert_eq!(name, "ROWKEY_TEST_POSTGRES_IMAGE");
                    value.map(str::to_owned)
                })
                .map(|image| image.to_string())
        };
        assert_eq!(image(None).unwrap(), "postgres:18");
        assert_eq!(image(Some("")).unwrap(), "postgres:18");
        assert_eq!(
            image(Some("local/postgres:15")).unwrap(),
            "local/postgres:15"
        );
        let error = format!("{:#}", image(Some("postgres:")).unwrap_err());
        assert!(
            error.starts_with("ROWKEY_TEST_POSTGRES_IMAGE: `postgres:`"),
            "{error}"
        );
    }

    #[test]
    fn every_server_is_whole() {
        let mut variables = HashSet::new();
        for server in SERVERS {
            let url_variable = url_variable(server.backend).unwrap();
            // The two variables of a backend go together by their names.
            assert_eq!(
                url_variable.replace("_URL", "_IMAGE"),
                server.image_variable
            );
            assert!(variables.insert(server.image_variable));
            let image = server.image(|_| None).unwrap();
            assert_ne!(image.version(), "latest", "{image} could become anything");
        }
        assert_eq!(
            SERVERS[0].url(32768),
            "postgres://postgres@127.0.0.1:32768/test"
        );
    }
}
