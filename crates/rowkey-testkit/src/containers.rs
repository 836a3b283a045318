#![doc = include_str!("containers.md")]

use std::collections::HashMap;
use std::sync::{OnceLock, mpsc};
use std::time::{Duration, SystemTime};
use std::{env, process};

use rowkey_core::Backend;
use testcontainers::bollard::errors::Error::DockerResponseServerError;
use testcontainers::bollard::models::PortBinding;
use testcontainers::bollard::query_parameters::{
    ListContainersOptionsBuilder, RemoveContainerOptionsBuilder,
};
use testcontainers::core::client::docker_client_instance;
use testcontainers::core::logs::LogFrame;
use testcontainers::core::{Healthcheck, IntoContainerPort, WaitFor};
use testcontainers::runners::AsyncRunner;
use testcontainers::{ContainerAsync, ContainerRequest, GenericImage, ImageExt};
use tokio::time::timeout;

use crate::backend::url_variable;
use crate::blocking::{BoxedError, on_own_thread};
use crate::error::{Error, with_causes};

/// The label of every container. The value names the process that has started it.
pub const LABEL: &str = "rowkey.run";

/// Accepts the terms of SQL Server if it is `Y`.
const EULA_VARIABLE: &str = "ROWKEY_TEST_SQLSERVER_ACCEPT_EULA";

/// How long a server may take to set up its data, which is slow on a slow disk, and to let us in.
const PATIENCE: Duration = Duration::from_secs(180);

/// How long Docker may take to answer.
const DOCKER_PATIENCE: Duration = Duration::from_secs(10);

struct Image {
    default: &'static str,
    port: u16,
    /// Lets the administrator in, and creates the database of the address if the image can.
    environment: &'static [(&'static str, &'static str)],
    /// The variable for the password, if the image requires one.
    password: Option<&'static str>,
    /// Logs in from within: over TCP, on which an image that is still setting up does not listen.
    login: &'static str,
    /// The address at a port of this machine, with a password.
    address: fn(u16, &str) -> String,
}

impl Image {
    fn of(backend: Backend) -> Option<Self> {
        Some(match backend {
            Backend::Postgres => Self {
                default: "postgres:18",
                port: 5432,
                environment: &[
                    ("POSTGRES_HOST_AUTH_METHOD", "trust"),
                    ("POSTGRES_DB", "test"),
                ],
                password: None,
                login: "psql --host=127.0.0.1 --username=postgres --command='SELECT 1' test",
                address: |port, _| format!("postgres://postgres@127.0.0.1:{port}/test"),
            },
            Backend::MySql => Self {
                default: "mysql:9",
                port: 3306,
                environment: &[
                    ("MYSQL_ALLOW_EMPTY_PASSWORD", "yes"),
                    ("MYSQL_DATABASE", "test"),
                ],
                password: None,
                login: "mysql --host=127.0.0.1 --user=root --execute='SELECT 1' test",
                address: |port, _| format!("mysql://root@127.0.0.1:{port}/test"),
            },
            Backend::MariaDb => Self {
                default: "mariadb:12",
                environment: &[
                    ("MARIADB_ALLOW_EMPTY_ROOT_PASSWORD", "yes"),
                    ("MARIADB_DATABASE", "test"),
                ],
                login: "mariadb --host=127.0.0.1 --user=root --execute='SELECT 1' test",
                ..Self::of(Backend::MySql)?
            },
            Backend::SqlServer => Self {
                default: "mcr.microsoft.com/mssql/server:2022-latest",
                port: 1433,
                environment: &[("ACCEPT_EULA", "Y")],
                password: Some("MSSQL_SA_PASSWORD"),
                login: "SQLCMDPASSWORD=\"$MSSQL_SA_PASSWORD\" \
                        PATH=\"$PATH:/opt/mssql-tools18/bin:/opt/mssql-tools/bin\" \
                        sqlcmd -b -C -S 127.0.0.1 -U sa -Q 'SELECT 1'",
                // Each test makes a database. Without TLS, because the image's certificate is its
                // own.
                address: |port, word| {
                    format!("server=127.0.0.1,{port};uid=sa;pwd={word};encrypt=DANGER_PLAINTEXT")
                },
            },
            Backend::Sqlite => return None,
        })
    }

    /// What Docker is to run, from the image with this name.
    fn request(&self, name: &str, password: &str) -> ContainerRequest<GenericImage> {
        // The colon of a registry's port is followed by the rest of the name, and the colon of a
        // digest by the digest.
        let tagged = name.rsplit_once(':').filter(|(_, tag)| !tag.contains('/'));
        let (name, tag) = tagged.unwrap_or((name, "latest"));
        let port = self.port.tcp();
        let health = Healthcheck::cmd_shell(self.login)
            .with_start_period(PATIENCE)
            .with_interval(Duration::from_secs(1))
            .with_timeout(Duration::from_secs(5))
            .with_retries(1);
        let request = GenericImage::new(name, tag)
            .with_exposed_port(port)
            .with_wait_for(WaitFor::healthcheck())
            .with_health_check(health)
            .with_startup_timeout(PATIENCE)
            .with_label(LABEL, run())
            .with_host_config_modifier(move |host| {
                let binding = PortBinding {
                    host_ip: Some("127.0.0.1".to_owned()),
                    host_port: None,
                };
                host.port_bindings = Some([(port.to_string(), Some(vec![binding]))].into());
                host.publish_all_ports = None;
            });
        let password = self.password.map(|variable| (variable, password));
        let environment = self.environment.iter().copied().chain(password);
        environment.fold(request, |request, (variable, value)| {
            request.with_env_var(variable, value)
        })
    }

    async fn start(&self, backend: Backend) -> Result<Running, BoxedError> {
        let variable = url_variable(backend).unwrap_or_default();
        let name = env::var(variable.replace("_URL", "_IMAGE")).unwrap_or_default();
        let name = if name.is_empty() { self.default } else { &name };
        eprintln!("starting {name} in a container, which Docker first downloads if it is new");
        let password = random_password()?;
        let (writer, log) = mpsc::channel();
        let request = self.request(name, &password);
        let request = request.with_log_consumer(move |frame: &LogFrame| {
            // Nobody reads once the server has started.
            let _ = writer.send(frame.bytes().clone());
        });
        let container = request.start().await.map_err(|error| {
            let log: Vec<u8> = log.try_iter().flatten().collect();
            let log = String::from_utf8_lossy(&log);
            let mut lines: Vec<_> = log.lines().rev().take(20).collect();
            let error = format!("{name}: {}", with_causes(&error));
            lines.push(&error);
            lines.reverse();
            lines.join("\n")
        })?;
        let port = container.get_host_port_ipv4(self.port).await?;
        Ok(((self.address)(port, &password), container))
    }
}

/// The address of a server, and its container, which is removed when this is dropped.
type Running = (String, ContainerAsync<GenericImage>);

/// Finds out whether Docker, or a licence that is not accepted, prevents a server.
///
/// # Errors
///
/// [`Error::Licence`] or [`Error::Container`].
pub fn check(backend: Backend) -> Result<(), Error> {
    check_licence(backend, env::var(EULA_VARIABLE).ok().as_deref())?;
    // Once for all backends: a Docker that hangs takes the whole time.
    static ANSWER: OnceLock<Result<(), String>> = OnceLock::new();
    let ping = async { Ok::<_, BoxedError>(docker_client_instance().await?.ping().await?) };
    let ping = async { timeout(DOCKER_PATIENCE, ping).await?.map(drop) };
    let answer = ANSWER.get_or_init(|| on_own_thread(ping).map_err(|error| with_causes(&*error)));
    answer.clone().map_err(|reason| Error::Container {
        backend,
        reason: format!("Docker does not answer: {reason}"),
    })
}

fn check_licence(backend: Backend, answer: Option<&str>) -> Result<(), Error> {
    match (backend, answer) {
        (Backend::SqlServer, answer) if answer != Some("Y") => Err(Error::Licence),
        _ => Ok(()),
    }
}

/// Starts the server of a backend, waits until it lets its administrator in, and returns its
/// address.
///
/// The server runs until [`remove`]. A second call in this process returns the same address, or the
/// same error.
///
/// # Errors
///
/// The errors of [`check`], and [`Error::Container`] if the server does not start, with its output.
pub fn start(backend: Backend) -> Result<&'static str, Error> {
    static SERVERS: [OnceLock<Result<Running, String>>; Backend::ALL.len()] =
        [const { OnceLock::new() }; Backend::ALL.len()];
    check(backend)?;
    let server = SERVERS[backend as usize].get_or_init(|| {
        let image = Image::of(backend).ok_or("it is not a server")?;
        on_own_thread(image.start(backend)).map_err(|error| with_causes(&*error))
    });
    match server {
        Ok((url, _)) => Ok(url),
        Err(reason) => Err(Error::Container {
            backend,
            reason: reason.clone(),
        }),
    }
}

/// Removes the containers of this process, also those that are still starting, with their data.
///
/// Errors go to the standard error.
pub fn remove() {
    let Some(run) = RUN.get() else { return };
    let removed = on_own_thread(async {
        let docker = docker_client_instance().await?;
        let filters = HashMap::from([("label", vec![format!("{LABEL}={run}")])]);
        let ours = ListContainersOptionsBuilder::new()
            .all(true)
            .filters(&filters);
        let with_data = RemoveContainerOptionsBuilder::new()
            .force(true)
            .v(true)
            .build();
        for container in docker.list_containers(Some(ours.build())).await? {
            let id = container.id.unwrap_or_default();
            match docker.remove_container(&id, Some(with_data.clone())).await {
                // The removal has already begun, such as after an error at the start.
                Err(DockerResponseServerError {
                    status_code: 404 | 409,
                    ..
                }) => {}
                removed => removed?,
            }
        }
        Ok(())
    });
    if let Err(error) = removed {
        eprintln!("could not remove the containers: {}", with_causes(&*error));
    }
}

/// The value of the label, from the first container of this process on.
static RUN: OnceLock<String> = OnceLock::new();

fn run() -> &'static str {
    RUN.get_or_init(|| {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        format!("{}-{}", process::id(), now.unwrap_or_default().as_nanos())
    })
}

/// 128 random bits, with all the kinds of characters that some server requires.
fn random_password() -> Result<String, getrandom::Error> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)?;
    Ok(format!("Rk-{:032x}", u128::from_ne_bytes(bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_licence_is_accepted_by_its_user_alone() {
        for answer in [None, Some(""), Some("N"), Some("yes")] {
            let refusal = check_licence(Backend::SqlServer, answer)
                .unwrap_err()
                .to_string();
            assert!(
                refusal.ends_with("by ROWKEY_TEST_SQLSERVER_ACCEPT_EULA=Y"),
                "{refusal}"
            );
            assert!(check_licence(Backend::MySql, answer).is_ok());
        }
        assert!(check_licence(Backend::SqlServer, Some("Y")).is_ok());
    }

    #[test]
    fn every_server_has_an_image_and_only_sql_server_a_password() {
        for backend in Backend::ALL {
            let Some(image) = Image::of(backend) else {
                continue;
            };
            let tag = image.default.rsplit_once(':').unwrap().1;
            assert_ne!(tag, "latest", "{backend} could become anything");
            let is_sql_server = backend == Backend::SqlServer;
            let url = (image.address)(32768, "Secret-1");
            assert!(url.contains("127.0.0.1") && url.contains("32768"), "{url}");
            assert_eq!(url.contains("Secret-1"), is_sql_server, "{url}");
            let request = image.request("image", "Secret-1");
            let is_there = request.env_vars().any(|(_, value)| value == "Secret-1");
            assert_eq!(is_there, is_sql_server);
        }
    }

    #[test]
    fn an_image_is_named_as_for_docker() {
        let image = Image::of(Backend::Postgres).unwrap();
        for (name, full) in [
            ("postgres", "postgres:latest"),
            ("postgres:15", "postgres:15"),
            ("localhost:5000/postgres", "localhost:5000/postgres:latest"),
            ("localhost:5000/postgres:17", "localhost:5000/postgres:17"),
            ("postgres@sha256:0123abcd", "postgres@sha256:0123abcd"),
        ] {
            assert_eq!(image.request(name, "").descriptor(), full);
        }
    }
}
