//! A PostgreSQL of its own, with a small cache that is the same everywhere.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::{env, fs, process};

use anyhow::{Context, Result, ensure};
use sqlx::{Connection, PgConnection};

/// What the server is started with. Checkpoints come when they are asked for, so that the volume of
/// the log is the same in each run.
pub(crate) const SETTINGS: &[&str] = &[
    "shared_buffers=8MB",
    "max_wal_size=16GB",
    "checkpoint_timeout=1h",
    "fsync=off",
    "synchronous_commit=off",
    "autovacuum=off",
    "max_parallel_workers_per_gather=0",
];

/// A server that listens on a socket in its own folder, and goes with this.
#[derive(Debug)]
pub(crate) struct Server {
    programs: PathBuf,
    folder: PathBuf,
}

impl Server {
    pub(crate) fn start() -> Result<Self> {
        let folder = env::temp_dir().join(format!("rowkey_growth_{}", process::id()));
        fs::create_dir(&folder).context("could not create the folder of the server")?;
        let server = Self {
            programs: programs()?,
            folder,
        };
        if is_root() {
            let mut chown = Command::new("chown");
            let status = chown.arg("postgres").arg(&server.folder).status()?;
            ensure!(status.success(), "there is no user postgres");
        }
        let data = server.data();
        let data = data.to_string_lossy();
        let auth = ["-D", &data, "-U", "postgres", "-A", "trust", "-N"];
        server.run(
            "initdb",
            &[&auth[..], &["-E", "UTF8", "--locale=C"]].concat(),
        )?;
        server.control("start")?;
        Ok(server)
    }

    pub(crate) async fn connect(&self) -> Result<PgConnection> {
        let socket = self.folder.display();
        let url = format!("postgres://postgres@localhost/postgres?host={socket}");
        Ok(PgConnection::connect(&url).await?)
    }

    /// Starts it again with nothing in its cache.
    pub(crate) fn restart(&self) -> Result<()> {
        self.control("restart")
    }

    fn control(&self, action: &str) -> Result<()> {
        let mut options = format!("-c listen_addresses= -k {}", self.folder.display());
        for setting in SETTINGS {
            options += &format!(" -c {setting}");
        }
        let data = self.data();
        let log = self.folder.join("log");
        let [data, log] = [&data, &log].map(|path| path.to_string_lossy());
        let common = [action, "-w", "-m", "fast", "-D", &data, "-l", &log];
        match action {
            "start" => self.run(
                "pg_ctl",
                &["start", "-w", "-D", &data, "-l", &log, "-o", &options],
            ),
            "stop" => self.run("pg_ctl", &["stop", "-m", "immediate", "-D", &data]),
            _ => self.run("pg_ctl", &[&common[..], &["-o", &options]].concat()),
        }
    }

    fn data(&self) -> PathBuf {
        self.folder.join("data")
    }

    /// Runs a program of PostgreSQL, which refuses to be root.
    fn run(&self, program: &str, arguments: &[&str]) -> Result<()> {
        let path = self.programs.join(program);
        let mut command = match is_root() {
            true => {
                let mut command = Command::new("setpriv");
                command.args(["--reuid=postgres", "--regid=postgres", "--init-groups"]);
                command.arg(path);
                command
            }
            false => Command::new(path),
        };
        command.args(arguments).current_dir(&self.folder);
        let status = command.stdout(Stdio::null()).status()?;
        ensure!(status.success(), "{program} failed");
        Ok(())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.control("stop");
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn is_root() -> bool {
    nix::unistd::geteuid().is_root()
}

/// Where the newest `initdb` and `pg_ctl` are: Debian keeps them out of the search path.
fn programs() -> Result<PathBuf> {
    let installed = fs::read_dir("/usr/lib/postgresql").into_iter().flatten();
    let versions = installed.filter_map(|entry| {
        let entry = entry.ok()?;
        // 9.6 or 15.
        let version: f64 = entry.file_name().to_str()?.parse().ok()?;
        Some((version, entry.path().join("bin")))
    });
    let mut versions: Vec<_> = versions.collect();
    versions.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    let newest_first = versions.into_iter().map(|(_, folder)| folder);
    let path = env::var_os("PATH").unwrap_or_default();
    newest_first
        .chain(env::split_paths(&path))
        .find(|folder| folder.join("initdb").exists())
        .context("PostgreSQL's `initdb` is not installed")
}
