//! Database servers in containers, which Docker's own command starts, checks and removes.

use std::{
    env, io,
    process::{self, Child, Command, Stdio},
    sync::atomic::{AtomicBool, AtomicI32, Ordering},
    thread,
    time::Duration,
};

use anyhow::{Context, Result, bail, ensure};
use rowkey_testkit::{Backend, REQUIRE_VARIABLE, test_name, url_variable};

use crate::command;

/// Marks the containers of a run. Those of a run that was killed can be found by it.
const LABEL: &str = "rowkey.run";

/// How often to look whether a server is ready.
const PAUSE: Duration = Duration::from_millis(500);

/// How the image of a server is run.
#[derive(Debug)]
struct Image {
    backend: Backend,
    default: &'static str,
    port: u16,
    /// Lets its administrator in, and creates the database of the address if the image can.
    environment: &'static [&'static str],
    /// Logs in from within the container: over TCP, on which an image that is still setting up its
    /// data does not listen.
    login: &'static str,
    /// The address at a port of this machine, with a password where the image asks for one.
    address: fn(u16, &str) -> String,
}

/// Every server that can run in a container.
///
/// Where it can be done without, there is no password, which MySQL would only take over an encrypted
/// connection. The ports are open to this machine alone.
const IMAGES: [Image; 4] = [
    Image {
        backend: Backend::Postgres,
        default: "postgres:18",
        port: 5432,
        environment: &["POSTGRES_HOST_AUTH_METHOD=trust", "POSTGRES_DB=test"],
        login: "psql --host=127.0.0.1 --username=postgres --command='SELECT 1' test",
        address: |port, _| format!("postgres://postgres@127.0.0.1:{port}/test"),
    },
    Image {
        backend: Backend::MySql,
        default: "mysql:9",
        port: 3306,
        environment: &["MYSQL_ALLOW_EMPTY_PASSWORD=yes", "MYSQL_DATABASE=test"],
        login: "mysql --host=127.0.0.1 --user=root --execute='SELECT 1' test",
        address: |port, _| format!("mysql://root@127.0.0.1:{port}/test"),
    },
    Image {
        backend: Backend::MariaDb,
        default: "mariadb:12",
        port: 3306,
        environment: &[
            "MARIADB_ALLOW_EMPTY_ROOT_PASSWORD=yes",
            "MARIADB_DATABASE=test",
        ],
        login: "mariadb --host=127.0.0.1 --user=root --execute='SELECT 1' test",
        address: |port, _| format!("mysql://root@127.0.0.1:{port}/test"),
    },
    Image {
        backend: Backend::SqlServer,
        default: "mcr.microsoft.com/mssql/server:2022-latest",
        port: 1433,
        // Without a value: taken from Docker's environment, and so on no command line.
        environment: &["ACCEPT_EULA=Y", SQLSERVER_PASSWORD],
        login: "SQLCMDPASSWORD=\"$MSSQL_SA_PASSWORD\" \
                PATH=\"$PATH:/opt/mssql-tools18/bin:/opt/mssql-tools/bin\" \
                sqlcmd -b -C -S 127.0.0.1 -U sa -Q 'SELECT 1'",
        // Without a database: the image makes none, and each test its own.
        address: |port, password| format!("server=127.0.0.1,{port};user=sa;password={password}"),
    },
];

/// The image's variable for the administrator's password. The others have none.
const SQLSERVER_PASSWORD: &str = "MSSQL_SA_PASSWORD";

/// Accepts the terms of SQL Server if it is `Y`.
const EULA_VARIABLE: &str = "ROWKEY_TEST_SQLSERVER_ACCEPT_EULA";

impl Image {
    fn name(&self) -> &'static str {
        test_name(self.backend)
    }

    /// Names the address, and with another end another image.
    fn variable(&self) -> &'static str {
        url_variable(self.backend).unwrap_or_default()
    }

    fn image_variable(&self) -> String {
        self.variable().replace("_URL", "_IMAGE")
    }

    /// The images with these names, in the order of the table; without any name all of them whose
    /// licences are accepted.
    fn choose(
        names: &[String],
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Vec<&'static Self>> {
        for name in names {
            let known = IMAGES.each_ref().map(Self::name);
            ensure!(
                known.contains(&name.as_str()),
                "no container is known for `{name}`; there are {}",
                known.join(", ")
            );
        }
        let accepted = variable(EULA_VARIABLE).is_some_and(|answer| answer == "Y");
        let mut chosen: Vec<&Self> = IMAGES.iter().collect();
        chosen.retain(|image| names.is_empty() || names.iter().any(|name| name == image.name()));
        let needs_licence = |image: &Self| image.backend == Backend::SqlServer;
        if !accepted && chosen.iter().any(|image| needs_licence(image)) {
            let refusal = format!(
                "sqlserver is not started: its image runs for those who accept the terms at \
                 https://go.microsoft.com/fwlink/?linkid=857698, which only you can do, by \
                 {EULA_VARIABLE}=Y"
            );
            ensure!(names.is_empty(), refusal);
            println!("{refusal}");
            chosen.retain(|image| !needs_licence(image));
        }
        Ok(chosen)
    }

    /// What Docker is to run.
    fn command(&self, run: &str, password: &str) -> Command {
        let name = env::var(self.image_variable()).unwrap_or_default();
        let mut docker = docker(&["run", "--detach"]);
        docker
            .arg(format!("--label={LABEL}={run}"))
            // A free port of the loopback interface.
            .arg(format!("--publish=127.0.0.1::{}", self.port))
            .arg(format!("--health-cmd={}", self.login))
            // The first start of an image sets up its data, which takes long where the disk or the
            // processor is slow.
            .args(["--health-start-period=180s", "--health-interval=1s"])
            .args(["--health-timeout=5s", "--health-retries=1"])
            .args(self.environment.iter().flat_map(|one| ["--env", one]))
            .arg(if name.is_empty() { self.default } else { &name })
            .env(SQLSERVER_PASSWORD, password)
            // Where the progress of a pull is shown.
            .stderr(Stdio::inherit());
        docker
    }
}

/// Containers of this run, which go when this is dropped.
#[derive(Debug)]
pub(crate) struct Servers {
    run: String,
    /// What leads tests to the servers, and says that they must not be missing.
    pub(crate) variables: Vec<(&'static str, String)>,
}

impl Servers {
    /// Starts the servers of these databases, or all that there are, and waits until each lets its
    /// administrator in.
    pub(crate) fn start(names: &[String]) -> Result<Self> {
        let images = Image::choose(names, |name| env::var(name).ok())?;
        let password = random_password()?;
        // From here on, a signal ends the tests and this goes on: to remove the containers.
        ctrlc::set_handler(interrupt).context("could not listen for signals")?;
        let mut servers = Self {
            run: process::id().to_string(),
            variables: Vec::new(),
        };
        let mut started = Vec::new();
        for image in images {
            let outcome = command::output(&mut image.command(&servers.run, &password));
            let failed = || {
                format!(
                    "{} ({} names another image)",
                    image.name(),
                    image.image_variable()
                )
            };
            started.push((image, outcome.with_context(failed)?));
            ensure!(!INTERRUPTED.load(Ordering::SeqCst), "interrupted");
        }
        // All of them get ready meanwhile: waiting takes as long as the slowest.
        for (image, id) in &started {
            let id = id.trim();
            wait_until_healthy(id).with_context(|| image.name())?;
            let port = command::output(&mut docker(&["port", id, &format!("{}/tcp", image.port)]))?;
            let url = (image.address)(mapped_port(&port)?, &password);
            println!("{}: {}", image.name(), url.replace(&password, "…"));
            let variable = image.variable();
            if env::var_os(variable).is_some_and(|url| !url.is_empty()) {
                println!("{}: the container comes before {variable}", image.name());
            }
            servers.variables.push((variable, url));
        }
        let mut required = env::var(REQUIRE_VARIABLE).unwrap_or_default();
        for (image, _) in started {
            required = format!("{required},{}", image.name());
        }
        servers.variables.push((REQUIRE_VARIABLE, required));
        Ok(servers)
    }
}

impl Drop for Servers {
    fn drop(&mut self) {
        let filter = format!("--filter=label={LABEL}={}", self.run);
        // By the label, which is also that of a container whose start was interrupted.
        let removed =
            command::output(&mut docker(&["ps", "--all", "--quiet", &filter])).and_then(|ids| {
                match ids.split_whitespace().collect::<Vec<_>>() {
                    ids if ids.is_empty() => Ok(String::new()),
                    ids => command::output(docker(&["rm", "--force", "--volumes"]).args(ids)),
                }
            });
        if let Err(error) = removed {
            eprintln!("error: could not remove the containers: {error:#}");
        }
    }
}

/// Waits until the server lets its administrator in. If it does not, shows what it wrote.
fn wait_until_healthy(id: &str) -> Result<()> {
    let format = "--format={{.State.Status}} {{.State.Health.Status}}";
    loop {
        let state = command::output(&mut docker(&["inspect", format, id]))?;
        match state.trim() {
            "running healthy" => return Ok(()),
            "running starting" | "created starting" => {}
            state => {
                let _ = docker(&["logs", "--tail=20", id]).status();
                bail!("the container wrote this, and then was `{state}`");
            }
        }
        ensure!(!INTERRUPTED.load(Ordering::SeqCst), "interrupted");
        thread::sleep(PAUSE);
    }
}

fn docker(args: &[&str]) -> Command {
    let mut docker = Command::new("docker");
    docker.args(args);
    docker
}

/// Reads `127.0.0.1:49153`.
fn mapped_port(answer: &str) -> Result<u16> {
    let port = answer.trim().rsplit(':').next().unwrap_or_default();
    let port = port.parse();
    port.with_context(|| format!("`docker port` answers `{answer}`"))
}

/// 128 random bits, with all the kinds of characters that some server wants to see.
fn random_password() -> Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).context("could not make a password")?;
    Ok(format!("Rk-{:032x}", u128::from_ne_bytes(bytes)))
}

/// Whether a signal has asked for the end.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// The process group of the tests, if they run.
static TESTS: AtomicI32 = AtomicI32::new(0);

/// Starts the tests, which a signal to this process ends with all that they start: cargo does not
/// pass it on. A console that is not Unix's tells all processes by itself.
pub(crate) fn spawn_tests(command: &mut Command) -> io::Result<Child> {
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt;

        // A terminal would stop processes of another group that read from it.
        command.process_group(0).stdin(Stdio::null());
    }
    let tests = command.spawn()?;
    TESTS.store(tests.id().cast_signed(), Ordering::SeqCst);
    if INTERRUPTED.load(Ordering::SeqCst) {
        interrupt();
    }
    Ok(tests)
}

fn interrupt() {
    INTERRUPTED.store(true, Ordering::SeqCst);
    let group = TESTS.load(Ordering::SeqCst);
    #[cfg(unix)]
    if group != 0 {
        use nix::{sys::signal, unistd::Pid};

        // They may have ended meanwhile.
        let _ = signal::killpg(Pid::from_raw(group), signal::SIGTERM);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The images chosen by names, with an answer to the question of the licence.
    fn names(chosen: &[&str], accepted: Option<&str>) -> Result<Vec<&'static str>> {
        let chosen: Vec<String> = chosen.iter().map(|name| (*name).to_owned()).collect();
        let images = Image::choose(&chosen, |name| {
            assert_eq!(name, "ROWKEY_TEST_SQLSERVER_ACCEPT_EULA");
            accepted.map(str::to_owned)
        })?;
        Ok(images.into_iter().map(Image::name).collect())
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
        for name in ["sqlite", "oracle"] {
            let error = names(&[name], None).unwrap_err().to_string();
            let end = "there are postgres, mysql, mariadb, sqlserver";
            assert_eq!(error, format!("no container is known for `{name}`; {end}"));
        }
    }

    #[test]
    fn a_licence_is_accepted_by_its_user_alone() {
        for answer in [None, Some(""), Some("N"), Some("yes")] {
            let without = names(&[], answer).unwrap();
            assert_eq!(without, ["postgres", "mysql", "mariadb"]);
            let error = names(&["mysql", "sqlserver"], answer).unwrap_err();
            let error = error.to_string();
            assert!(error.starts_with("sqlserver is not started"), "{error}");
            assert!(error.ends_with("by ROWKEY_TEST_SQLSERVER_ACCEPT_EULA=Y"));
            assert_eq!(names(&["mysql"], answer).unwrap(), ["mysql"]);
        }
        assert_eq!(names(&["sqlserver"], Some("Y")).unwrap(), ["sqlserver"]);
    }

    #[test]
    fn every_server_is_whole_and_its_password_is_not_shown() {
        for image in &IMAGES {
            assert!(image.image_variable().ends_with("_IMAGE"), "{image:?}");
            let tag = image.default.rsplit_once(':').unwrap().1;
            assert_ne!(tag, "latest", "{image:?} could become anything");

            let command = command::shown(&image.command("1", "Secret-1"));
            assert!(!command.contains("Secret-1"), "{command}");
            let loopback = format!("--publish=127.0.0.1::{} ", image.port);
            assert!(command.contains(&loopback), "{command}");
            let url = (image.address)(32768, "Secret-1");
            assert!(url.contains("127.0.0.1") && url.contains("32768"), "{url}");
            let is_sql_server = image.backend == Backend::SqlServer;
            assert_eq!(url.contains("Secret-1"), is_sql_server, "{url}");
            let asks = image.environment.contains(&SQLSERVER_PASSWORD);
            assert_eq!(asks, is_sql_server);
        }
    }

    #[test]
    fn the_port_is_read_from_dockers_answer() {
        assert_eq!(mapped_port("127.0.0.1:49153\n").unwrap(), 49153);
        assert!(mapped_port("").is_err());
    }
}
