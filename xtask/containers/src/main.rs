//! Runs a command with database servers in containers, and removes them afterwards.
//!
//! `cargo xtask test --containers` calls this with itself as the command.

mod command;
mod container;
mod image;
mod server;
mod signal;

#[cfg(unix)]
use std::os::unix::process::ExitStatusExt;
use std::{
    env,
    ffi::OsString,
    process::{ExitCode, ExitStatus},
    time::Duration,
};

use anyhow::{Context, Result};
use clap::Parser;
use rowkey_testkit::{REQUIRE_VARIABLE, url_variable};
use tokio::runtime::Runtime;

use crate::{
    command::RunningCommand,
    container::{Choice, Run},
    server::ContainerServer,
    signal::{Interruption, Signals},
};

/// How long an interrupted command may take to end by itself.
const END_PATIENCE: Duration = Duration::from_secs(5);

/// Runs a command with database servers in containers, and removes them afterwards.
///
/// The command finds the servers where tests look for them, in variables such as
/// ROWKEY_TEST_POSTGRES_URL, and ROWKEY_TEST_REQUIRE names them.
#[derive(Debug, Parser)]
struct Cli {
    /// Start only these servers, for example `postgres,mariadb`.
    #[arg(long, value_delimiter = ',')]
    servers: Vec<String>,
    /// The command and its arguments.
    #[arg(last = true, required = true)]
    command: Vec<OsString>,
}

fn main() -> ExitCode {
    match run(&Cli::parse()) {
        Ok(status) => exit_code(status),
        Err(error) => {
            eprintln!("error: {error:#}");
            error
                .downcast_ref()
                .map_or(ExitCode::FAILURE, |interruption: &Interruption| {
                    interruption.exit_code()
                })
        }
    }
}

fn run(cli: &Cli) -> Result<ExitStatus> {
    let choices = ContainerServer::choose(&cli.servers, |name| env::var(name).ok())?
        .into_iter()
        .map(|server| {
            let image = server.image(|name| env::var(name).ok())?;
            Ok(Choice { server, image })
        })
        .collect::<Result<Vec<_>>>()?;

    let runtime = Runtime::new().context("could not start a runtime")?;
    let outcome = runtime.block_on(run_with_containers(&choices, &cli.command));
    // A login that nobody waits for any more would go on for minutes.
    runtime.shutdown_background();
    outcome
}

/// Runs the command with all servers, and removes the containers whatever comes.
async fn run_with_containers(choices: &[Choice], command: &[OsString]) -> Result<ExitStatus> {
    let mut signals = Signals::new().context("could not listen for signals")?;
    let run = signals.unless_interrupted(Run::new()).await?;
    for choice in choices {
        signals
            .unless_interrupted(run.provide_image(choice))
            .await?;
    }

    let outcome = run_with_servers(&run, choices, command, &mut signals).await;
    let removed = run.remove_containers().await;
    match outcome {
        Ok(status) => removed.map(|()| status),
        Err(error) => {
            // Besides what went wrong first.
            if let Err(removal) = removed {
                eprintln!("error: {removal:#}");
            }
            Err(error)
        }
    }
}

async fn run_with_servers(
    run: &Run,
    choices: &[Choice],
    command: &[OsString],
    signals: &mut Signals,
) -> Result<ExitStatus> {
    let mut started = Vec::new();
    for choice in choices {
        started.push(run.start(choice).await?);
    }
    // All of them get ready meanwhile: waiting takes as long as the slowest.
    let mut addresses = Vec::new();
    for one in &started {
        let url = signals.unless_interrupted(one.url_when_ready()).await?;
        addresses.push((one.server(), url));
    }

    let mut running = RunningCommand::start(command, &variables(&addresses))?;
    let status = signals.unless_interrupted(running.wait()).await;
    if let Err(error) = &status
        && let Some(interruption) = error.downcast_ref::<Interruption>()
    {
        running.end(*interruption, END_PATIENCE).await?;
    }
    status
}

/// What tells tests where the servers are, and that they must not be missing.
fn variables(addresses: &[(&ContainerServer, String)]) -> Vec<(&'static str, String)> {
    let mut variables = Vec::new();
    let mut names = Vec::new();
    for (server, url) in addresses {
        names.push(server.name());
        if let Some(variable) = url_variable(server.backend) {
            if env::var_os(variable).is_some_and(|url| !url.is_empty()) {
                println!("{}: the container comes before {variable}", server.name());
            }
            variables.push((variable, url.clone()));
        }
    }
    let required = env::var(REQUIRE_VARIABLE).unwrap_or_default();
    variables.push((REQUIRE_VARIABLE, with_names(&required, &names)));
    variables
}

/// A list of names with further ones, each once.
fn with_names(list: &str, further: &[&str]) -> String {
    let mut names: Vec<&str> = Vec::new();
    for name in list
        .split(',')
        .map(str::trim)
        .chain(further.iter().copied())
    {
        if !name.is_empty() && !names.contains(&name) {
            names.push(name);
        }
    }
    names.join(",")
}

/// The exit code of the command, or the one that shells make out of the signal that ended it.
fn exit_code(status: ExitStatus) -> ExitCode {
    let code = status.code();
    #[cfg(unix)]
    let code = code.or_else(|| status.signal().map(|number| 128 + number));
    match code.map(u8::try_from) {
        Some(Ok(code)) => code.into(),
        _ => ExitCode::FAILURE,
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn servers_and_the_command_are_told_apart() {
        let words = [
            "xtask-containers",
            "--servers=postgres,mysql",
            "--",
            "cargo",
            "--list",
        ];
        let cli = Cli::parse_from(words);
        assert_eq!(cli.servers, ["postgres", "mysql"]);
        assert_eq!(cli.command, ["cargo", "--list"]);
        assert!(Cli::try_parse_from(["xtask-containers"]).is_err());
    }

    #[test]
    fn what_is_required_already_stays_required() {
        assert_eq!(with_names("", &["postgres"]), "postgres");
        assert_eq!(
            with_names("sqlite, postgres,", &["postgres", "mysql"]),
            "sqlite,postgres,mysql"
        );
    }
}
