//! A PostgreSQL server of a test's own, which may crash.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use tempfile::TempDir;

/// Where Debian's packages have the programs of the server.
fn programs() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").ok()?;
    let folders = versions.filter_map(|entry| Some(entry.ok()?.path().join("bin")));
    folders
        .filter(|folder| folder.join("initdb").exists())
        .max()
}

/// Whether there is one to start.
pub(crate) fn is_installed() -> bool {
    programs().is_some() && account().is_ok()
}

/// The user and the group of the server, which refuses to run as root.
fn account() -> Result<(u32, u32)> {
    let number = |arguments: &[&str]| -> Result<u32> {
        let output = Command::new("id").args(arguments).output()?;
        let text = String::from_utf8(output.stdout)?;
        text.trim().parse().context("no such user")
    };
    match number(&["-u"])? {
        0 => Ok((number(&["-u", "postgres"])?, number(&["-g", "postgres"])?)),
        user => Ok((user, number(&["-g"])?)),
    }
}

/// The server; it ends with the value.
pub(crate) struct PostgresServer {
    programs: PathBuf,
    account: (u32, u32),
    folder: TempDir,
    port: u16,
}

impl PostgresServer {
    pub(crate) fn start() -> Result<Self> {
        let server = Self {
            programs: programs().context("no server is installed")?,
            account: account()?,
            folder: tempfile::tempdir()?,
            port: TcpListener::bind("127.0.0.1:0")?.local_addr()?.port(),
        };
        let (user, group) = server.account;
        chown(server.folder.path(), Some(user), Some(group))?;
        server.run(
            "initdb",
            &["--auth=trust", "--username=postgres", "--no-sync"],
        )?;
        server.start_again()?;
        Ok(server)
    }

    pub(crate) fn url(&self) -> String {
        format!("postgres://postgres@127.0.0.1:{}/postgres", self.port)
    }

    /// Waits until it answers.
    pub(crate) fn start_again(&self) -> Result<()> {
        let options = format!(
            "-c listen_addresses=127.0.0.1 -c port={} -c fsync=off -c unix_socket_directories=''",
            self.port
        );
        self.run(
            "pg_ctl",
            &["start", "--wait", "--silent", "--options", &options],
        )
    }

    /// Ends it at once, without a checkpoint.
    pub(crate) fn crash(&self) -> Result<()> {
        self.run("pg_ctl", &["stop", "--mode=immediate", "--silent"])
    }

    fn run(&self, program: &str, arguments: &[&str]) -> Result<()> {
        let log = fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(self.folder.path().join("log"))?;
        let status = Command::new(self.programs.join(program))
            .args(arguments)
            .arg("--pgdata")
            .arg(self.folder.path().join("data"))
            .current_dir(self.folder.path())
            .uid(self.account.0)
            .gid(self.account.1)
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log)
            .status()?;
        ensure!(
            status.success(),
            "{program}: {}",
            fs::read_to_string(self.folder.path().join("log"))?
        );
        Ok(())
    }
}

impl Drop for PostgresServer {
    fn drop(&mut self) {
        // Perhaps it has ended already.
        let _ = self.crash();
    }
}
