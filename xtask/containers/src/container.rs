//! The containers of one run.

use std::{
    collections::HashMap,
    process,
    time::{Duration, Instant, SystemTime},
};

use anyhow::{Context, Error, Result, anyhow};
use rowkey_testkit::Server;
use testcontainers::{
    ContainerAsync, GenericImage, ImageExt,
    bollard::{
        Docker,
        errors::Error as DockerError,
        models::{HostConfig, PortBinding},
        query_parameters::{ListContainersOptionsBuilder, RemoveContainerOptionsBuilder},
    },
    core::{ContainerPort, IntoContainerPort, client::docker_client_instance},
    runners::AsyncRunner,
};
use tokio::{task, time::sleep};

use crate::{image::ImageName, server::ContainerServer};

/// How long a server may take from its start to the first login. The first start of an image sets
/// up its data, which takes long where the disk or the processor is slow.
const LOGIN_PATIENCE: Duration = Duration::from_secs(180);

/// How often to look whether a container still runs.
const STATE_INTERVAL: Duration = Duration::from_millis(500);

/// How much to show of what a container wrote when nobody can log in.
const LOG_LINES: usize = 20;

/// Marks the containers of a run. Those of a run that was killed can be found by it.
const RUN_LABEL: &str = "rowkey.run";

/// A server and the image that it runs from.
#[derive(Debug, Clone)]
pub(crate) struct Choice {
    pub(crate) server: &'static ContainerServer,
    pub(crate) image: ImageName,
}

impl Choice {
    /// What an error is about.
    fn shown(&self) -> String {
        let Self { server, image } = self;
        format!(
            "{} from the image {image} ({} names another)",
            server.name(),
            server.image_variable
        )
    }
}

/// The containers of one run, by their label.
pub(crate) struct Run {
    docker: Docker,
    label: String,
    /// For the administrators of servers that ask for a password.
    password: String,
}

/// A server in a container, which is removed when this is dropped.
pub(crate) struct Started {
    choice: Choice,
    container: ContainerAsync<GenericImage>,
    password: String,
    since: Instant,
}

impl Run {
    /// Reaches Docker, or says that it cannot be.
    pub(crate) async fn new() -> Result<Self> {
        let failed = "Docker does not answer; DOCKER_HOST says where it is";
        let docker = docker_client_instance().await.context(failed)?;
        docker.version().await.context(failed)?;
        let started = SystemTime::now()
            .duration_since(SystemTime::UNIX_EPOCH)
            .map_or(0, |since| since.as_millis());
        Ok(Self {
            docker,
            label: format!("{started}-{}", process::id()),
            password: random_password()?,
        })
    }

    /// Pulls an image unless it is there. Can be given up at any time.
    pub(crate) async fn provide_image(&self, choice: &Choice) -> Result<()> {
        let image = choice.image.to_string();
        match self.docker.inspect_image(&image).await {
            Ok(_) => return Ok(()),
            Err(DockerError::DockerResponseServerError {
                status_code: 404, ..
            }) => {}
            Err(error) => {
                return Err(error)
                    .with_context(|| format!("could not look for {}", choice.shown()));
            }
        }
        println!("{}: pulling {image}", choice.server.name());
        let pulled = generic_image(choice).pull_image().await;
        pulled
            .map(drop)
            .with_context(|| format!("could not get {}", choice.shown()))
    }

    /// Starts a container, without waiting for its server. Not to be given up half-way: Docker
    /// could create the container afterwards.
    pub(crate) async fn start(&self, choice: &Choice) -> Result<Started> {
        let since = Instant::now();
        let port = choice.server.port.tcp();
        let mut request = generic_image(choice)
            .with_exposed_port(port)
            .with_label(RUN_LABEL, &self.label)
            .with_host_config_modifier(move |config| publish_to_this_machine(config, port));
        for (name, value) in choice.server.environment(&self.password) {
            request = request.with_env_var(name, value);
        }
        let container = request.start().await;
        Ok(Started {
            choice: choice.clone(),
            container: container.with_context(|| format!("could not start {}", choice.shown()))?,
            password: self.password.clone(),
            since,
        })
    }

    /// Removes what is left of this run. A container goes when [`Started`] does, but Docker may have
    /// failed to remove it, or have created one that then did not start.
    pub(crate) async fn remove_containers(&self) -> Result<()> {
        let label = HashMap::from([("label", vec![format!("{RUN_LABEL}={}", self.label)])]);
        let options = ListContainersOptionsBuilder::new()
            .all(true)
            .filters(&label);
        let containers = self
            .docker
            .list_containers(Some(options.build()))
            .await
            .context("could not look for the containers to remove")?;
        let mut outcome = Ok(());
        for id in containers.into_iter().filter_map(|container| container.id) {
            // With the volume that the data is in.
            let options = RemoveContainerOptionsBuilder::new().force(true).v(true);
            let removed = self
                .docker
                .remove_container(&id, Some(options.build()))
                .await
                .with_context(|| format!("could not remove the container {id}"));
            outcome = outcome.and(removed);
        }
        outcome
    }
}

/// 128 random bits, with all the kinds of characters that some server wants to see.
fn random_password() -> Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).context("could not make a password")?;
    Ok(format!("Rk-{:032x}", u128::from_ne_bytes(bytes)))
}

fn generic_image(choice: &Choice) -> GenericImage {
    GenericImage::new(choice.image.repository(), choice.image.version())
}

/// Takes a free port of the loopback interface. Without this, Docker would open the port to the
/// network.
fn publish_to_this_machine(config: &mut HostConfig, port: ContainerPort) {
    let binding = PortBinding {
        host_ip: Some("127.0.0.1".to_owned()),
        host_port: None,
    };
    config.publish_all_ports = Some(false);
    config.port_bindings = Some(HashMap::from([(port.to_string(), Some(vec![binding]))]));
}

impl Started {
    pub(crate) fn server(&self) -> &'static ContainerServer {
        self.choice.server
    }

    /// The address of the server, as soon as it lets its administrator in.
    pub(crate) async fn url_when_ready(&self) -> Result<String> {
        let name = self.server().name();
        let outcome = tokio::select! {
            outcome = self.url_after_login() => outcome,
            error = self.until_stopped() => Err(error),
        };
        let url = match outcome {
            Ok(url) => url,
            Err(error) => {
                eprintln!("{name}: the container wrote at last");
                for line in self.last_log_lines().await {
                    eprintln!("    {line}");
                }
                // Explains every other error.
                let error = self.stopped().await.unwrap_or(error);
                return Err(error.context(format!("could not use {}", self.choice.shown())));
            }
        };
        let Self { choice, since, .. } = self;
        let seconds = since.elapsed().as_secs_f64();
        println!(
            "{name}: {} at {}, ready after {seconds:.1} s",
            choice.image,
            self.without_password(&url)
        );
        Ok(url)
    }

    async fn url_after_login(&self) -> Result<String> {
        let definition = self.server();
        let port = self.container.get_host_port_ipv4(definition.port).await?;
        let url = definition.url(port, &self.password);
        let server = Server::at(definition.backend, &url);
        task::spawn_blocking(move || server.wait_until_ready(LOGIN_PATIENCE))
            .await?
            .with_context(|| format!("no login at {}", self.without_password(&url)))?;
        Ok(url)
    }

    /// An address as it may be shown.
    fn without_password(&self, url: &str) -> String {
        url.replace(&self.password, "…")
    }

    /// Returns when the container does not run any more.
    async fn until_stopped(&self) -> Error {
        loop {
            sleep(STATE_INTERVAL).await;
            if let Some(error) = self.stopped().await {
                return error;
            }
        }
    }

    /// What to say of a container that does not run any more.
    async fn stopped(&self) -> Option<Error> {
        match self.container.is_running().await {
            Ok(true) => None,
            Ok(false) => match self.container.exit_code().await {
                Ok(Some(code)) => Some(anyhow!("the container stopped with code {code}")),
                _ => Some(anyhow!("the container stopped")),
            },
            Err(error) => Some(error.into()),
        }
    }

    /// The end of the log, errors last.
    async fn last_log_lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for log in [
            self.container.stdout_to_vec().await,
            self.container.stderr_to_vec().await,
        ] {
            // There is something else to report: a log that cannot be read does not matter.
            let log = log.unwrap_or_default();
            lines.extend(String::from_utf8_lossy(&log).lines().map(str::to_owned));
        }
        lines.split_off(lines.len().saturating_sub(LOG_LINES))
    }
}
