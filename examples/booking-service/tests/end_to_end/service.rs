//! The service as a separate process, as in production.

use std::net::SocketAddr;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;
use std::{fs, thread};

use anyhow::{Context, Result, anyhow, bail, ensure};
use rowkey_testkit::TestDatabase;
use rustix::process::{Pid, Signal, kill_process};
use tempfile::NamedTempFile;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};
use tokio::net::TcpStream;
use tokio::process::ChildStdout;
use tokio::time::timeout;

use crate::client::Client;

/// How long a step may take before the test fails.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// The default key of the public ids.
pub(crate) const PUBLIC_ID_KEY: &str = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

/// A running service. A test that ends well stops it; otherwise it is killed and its log is shown.
pub(crate) struct Service {
    process: Child,
    /// The output after the line with the address. It ends with the process.
    output: BufReader<ChildStdout>,
    address: SocketAddr,
    client: Client,
    /// A file, because it needs no reader while the process runs.
    log: NamedTempFile,
    is_over: bool,
}

impl Service {
    /// Starts the service and waits for the line with its address.
    pub(crate) async fn start(database: &TestDatabase) -> Result<Self> {
        Self::start_with(database, |_| {}).await
    }

    pub(crate) async fn start_with(
        database: &TestDatabase,
        change: impl FnOnce(&mut Command),
    ) -> Result<Self> {
        let mut command = command(database.url());
        change(&mut command);
        let log = NamedTempFile::new()?;
        let mut process = command.stderr(log.reopen()?).spawn()?;
        let output = process.stdout.take().context("no standard output")?;
        let mut output = BufReader::new(ChildStdout::from_std(output)?);
        match first_line(&mut output).await {
            Ok(address) => Ok(Self {
                process,
                output,
                address,
                client: Client::new(address),
                log,
                is_over: false,
            }),
            Err(error) => {
                process.kill()?;
                process.wait()?;
                let log = fs::read_to_string(&log)?;
                Err(error.context(format!("the service did not start; its log:\n{log}")))
            }
        }
    }

    pub(crate) fn client(&self) -> &Client {
        &self.client
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// The standard error of the process so far.
    pub(crate) fn log(&self) -> Result<String> {
        Ok(fs::read_to_string(&self.log)?)
    }

    /// Asks the process to end.
    pub(crate) fn terminate(&self, signal: Signal) -> Result<()> {
        Ok(kill_process(Pid::from_child(&self.process), signal)?)
    }

    /// Waits until the process does not listen any more.
    pub(crate) async fn refuses_connections(&self) -> Result<()> {
        let refused = async {
            while TcpStream::connect(self.address).await.is_ok() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        timeout(PATIENCE, refused)
            .await
            .context("the service is still listening")
    }

    /// Waits for the end of the process, which has to succeed.
    pub(crate) async fn ended(&mut self) -> Result<()> {
        let status = self.wait().await?;
        ensure!(status.success(), "the service ended with {status}");
        Ok(())
    }

    /// Ends the process as a supervisor does.
    pub(crate) async fn stop(mut self) -> Result<()> {
        self.terminate(Signal::TERM)?;
        self.ended().await
    }

    /// Kills the process.
    pub(crate) fn kill(&self) -> Result<()> {
        self.terminate(Signal::KILL)
    }

    /// Waits for the end of a process that was killed.
    pub(crate) async fn killed(mut self) -> Result<()> {
        let status = self.wait().await?;
        ensure!(!status.success(), "the service ended before it was killed");
        Ok(())
    }

    async fn wait(&mut self) -> Result<ExitStatus> {
        let mut rest = String::new();
        timeout(PATIENCE, self.output.read_to_string(&mut rest))
            .await
            .context("the service does not end")??;
        let status = self.process.wait()?;
        self.is_over = true;
        ensure!(
            rest.is_empty(),
            "standard output has more than the address: {rest}"
        );
        Ok(status)
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        if self.is_over && !thread::panicking() {
            return;
        }
        // Both fail only if the process is gone already.
        let _ = self.process.kill();
        let _ = self.process.wait();
        match self.log() {
            Ok(log) => eprintln!("--- log of the service at {}\n{log}---", self.address),
            Err(error) => eprintln!("the log of the service cannot be read: {error}"),
        }
    }
}

/// The service on some database, on a free port, and with a key for public ids.
pub(crate) fn command(database_url: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_booking-service"));
    command
        .env("DATABASE_URL", database_url)
        .env("BOOKING_LISTEN", "127.0.0.1:0")
        .env("BOOKING_PUBLIC_ID_KEY", PUBLIC_ID_KEY)
        .env_remove("RUST_LOG")
        .stdin(Stdio::null())
        .stdout(Stdio::piped());
    command
}

async fn first_line(output: &mut BufReader<ChildStdout>) -> Result<SocketAddr> {
    let mut line = String::new();
    timeout(PATIENCE, output.read_line(&mut line))
        .await
        .context("no line with an address")??;
    if line.is_empty() {
        bail!("the service ended at once");
    }
    let address = line
        .trim_end()
        .strip_prefix("listening on http://")
        .ok_or_else(|| anyhow!("the first line is {line:?}"))?;
    Ok(address.parse()?)
}
