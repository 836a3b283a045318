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
    /// Makes the image let its administrator in, and create the database of the address if it can.
    environment: &'static [(&'static str, &'static str)],
    /// The image's variable for the administrator's password. The others have none.
    password_variable: Option<&'static str>,
    /// What has to be accepted before the image may run.
    licence: Option<Licence>,
    /// The address of the server at a port of this machine, with a password.
    address: fn(u16, &str) -> String,
}

/// Terms that only the one who starts the server can accept.
#[derive(Debug)]
struct Licence {
    terms: &'static str,
    /// Accepts them if it is `Y`.
    variable: &'static str,
    /// The image's own variable for that.
    image_variable: &'static str,
}

/// Every server that can run in a container.
///
/// Where it can be done without, there is no password, which MySQL would only take over an encrypted
/// connection. The ports are open to this machine alone.
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
        password_variable: None,
        licence: None,
        address: |port, _| format!("postgres://postgres@127.0.0.1:{port}/test"),
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
        password_variable: None,
        licence: None,
        address: mysql_address,
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
        password_variable: None,
        licence: None,
        address: mysql_address,
    },
    ContainerServer {
        backend: Backend::SqlServer,
        image_variable: "ROWKEY_TEST_SQLSERVER_IMAGE",
        default_image: "mcr.microsoft.com/mssql/server:2022-latest",
        port: 1433,
        environment: &[],
        password_variable: Some("MSSQL_SA_PASSWORD"),
        licence: Some(Licence {
            terms: "https://go.microsoft.com/fwlink/?linkid=857698",
            variable: "ROWKEY_TEST_SQLSERVER_ACCEPT_EULA",
            image_variable: "ACCEPT_EULA",
        }),
        // Without a database: the image makes none, and each test its own.
        address: |port, password| format!("server=127.0.0.1,{port};user=sa;password={password}"),
    },
];

fn mysql_address(port: u16, _: &str) -> String {
    format!("mysql://root@127.0.0.1:{port}/test")
}

impl ContainerServer {
    /// The servers with these names, in the order of the table; without any name all of them whose
    /// licences are accepted.
    pub(crate) fn choose(
        names: &[String],
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Vec<&'static Self>> {
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
        let mut chosen = Vec::new();
        for server in SERVERS {
            let is_named = names.iter().any(|name| name == server.name());
            if !is_named && !names.is_empty() {
                continue;
            }
            match server.refusal(&variable) {
                None => chosen.push(server),
                Some(refusal) if is_named => bail!("{refusal}"),
                Some(refusal) => println!("{refusal}"),
            }
        }
        Ok(chosen)
    }

    /// Why the server may not be started, if its licence is not accepted.
    fn refusal(&self, variable: impl Fn(&str) -> Option<String>) -> Option<String> {
        let licence = self.licence.as_ref()?;
        let accepted = variable(licence.variable).is_some_and(|answer| answer == "Y");
        (!accepted).then(|| {
            format!(
                "{} is not started: its image runs for those who accept the terms at {}, which only \
                 you can do, by {}=Y",
                self.name(),
                licence.terms,
                licence.variable,
            )
        })
    }

    /// The variables of the image, for a run whose servers have this password.
    pub(crate) fn environment(&self, password: &str) -> Vec<(&'static str, String)> {
        let constant = self.environment.iter();
        let mut environment: Vec<_> = constant
            .map(|&(name, value)| (name, value.to_owned()))
            .collect();
        // Whoever has not accepted it does not get here.
        let licence = self.licence.as_ref();
        environment.extend(licence.map(|licence| (licence.image_variable, "Y".to_owned())));
        environment.extend(
            self.password_variable
                .map(|name| (name, password.to_owned())),
        );
        environment
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
    pub(crate) fn url(&self, port: u16, password: &str) -> String {
        (self.address)(port, password)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use rowkey_testkit::url_variable;

    use super::*;

    /// The names of the servers chosen by names, with an answer to the question of the licence.
    fn names(chosen: &[&str], accepted: Option<&str>) -> Result<Vec<&'static str>> {
        let chosen: Vec<String> = chosen.iter().map(|name| (*name).to_owned()).collect();
        let servers = ContainerServer::choose(&chosen, |name| {
            assert_eq!(name, "ROWKEY_TEST_SQLSERVER_ACCEPT_EULA");
            accepted.map(str::to_owned)
        })?;
        Ok(servers.into_iter().map(ContainerServer::name).collect())
    }

    #[test]
    fn all_servers_run_unless_some_are_named() {
        let names = |chosen| names(chosen, Some("Y")).unwrap();
        assert_eq!(names(&[]), ["postgres", "mysql", "mariadb", "sqlserver"]);
        assert_eq!(names(&["mariadb", "postgres"]), ["postgres", "mariadb"]);
        assert_eq!(names(&["mysql", "mysql"]), ["mysql"]);
    }

    #[test]
    fn a_backend_without_a_container_is_an_error() {
        let error = names(&["sqlite"], None).unwrap_err();
        assert_eq!(
            error.to_string(),
            "no container is known for `sqlite`; there are postgres, mysql, mariadb, sqlserver"
        );
    }

    #[test]
    fn a_licence_is_accepted_by_its_user_alone() {
        for answer in [None, Some(""), Some("N"), Some("yes")] {
            let without = names(&[], answer).unwrap();
            assert_eq!(without, ["postgres", "mysql", "mariadb"]);
            let error = names(&["mysql", "sqlserver"], answer)
                .unwrap_err()
                .to_string();
            let start =
                "sqlserver is not started: its image runs for those who accept the terms at";
            assert!(error.starts_with(start), "{error}");
            let end = "by ROWKEY_TEST_SQLSERVER_ACCEPT_EULA=Y";
            assert!(error.ends_with(end), "{error}");
            assert_eq!(names(&["mysql"], answer).unwrap(), ["mysql"]);
        }
        assert_eq!(names(&["sqlserver"], Some("Y")).unwrap(), ["sqlserver"]);
    }

    #[test]
    fn only_what_asks_for_a_password_gets_one() {
        for server in SERVERS {
            let environment = server.environment("Secret-1");
            let has_password = environment.iter().any(|(_, value)| value == "Secret-1");
            let is_sql_server = server.backend == Backend::SqlServer;
            assert_eq!(has_password, is_sql_server, "{environment:?}");
            assert_eq!(
                server.url(32768, "Secret-1").contains("Secret-1"),
                is_sql_server
            );
        }
        assert_eq!(
            SERVERS[3].environment("Secret-1"),
            [
                ("ACCEPT_EULA", "Y".to_owned()),
                ("MSSQL_SA_PASSWORD", "Secret-1".to_owned())
            ]
        );
        assert_eq!(
            SERVERS[3].url(32768, "Secret-1"),
            "server=127.0.0.1,32768;user=sa;password=Secret-1"
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
            SERVERS[0].url(32768, "unused"),
            "postgres://postgres@127.0.0.1:32768/test"
        );
    }
}
