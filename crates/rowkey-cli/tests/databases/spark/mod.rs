//! A Spark job copies tables from PostgreSQL to MariaDB and back, on several workers, of which one
//! is killed.
//!
//! `cargo xtask test --spark` runs it, by `ROWKEY_SPARK=1`: then everything that is missing is an
//! error. The commands are those of the book's page.

mod cluster;
mod events;
mod shop;

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use rowkey_testkit::{Backend, Search, Server, Suite, TestDatabase};

use self::cluster::{Cluster, WORKERS, Worker};
use self::events::Events;

const PAGE: &str = include_str!("../../../../../docs/src/cluster.md");

pub(crate) fn add_tests(suite: &mut Suite) -> Result<()> {
    let name = "there_and_back_by_spark";
    if std::env::var_os("ROWKEY_SPARK").is_none_or(|value| value != "1") {
        let why = "`cargo xtask test --spark` runs it";
        suite.ignore_on(Backend::Postgres, name, why);
        return Ok(());
    }
    let cluster = Cluster::from_env()?;
    let [postgres, mariadb] = [server(Backend::Postgres)?, server(Backend::MariaDb)?];
    suite.test_on_server(Backend::Postgres, name, move |_| {
        there_and_back(&cluster, &postgres, &mariadb)
    });
    Ok(())
}

fn server(backend: Backend) -> Result<Server> {
    match Server::find(backend)? {
        Search::Found(server) => Ok(server),
        Search::Missing(why) | Search::Required(why) => bail!("{why}, and --spark needs {backend}"),
    }
}

fn there_and_back(cluster: &Cluster, postgres: &Server, mariadb: &Server) -> Result<()> {
    let source = postgres.create_database()?;
    let rows = shop::rows()?;
    shop::create(&source, rows)?;
    for is_killed in [false, true] {
        let (there, back) = (mariadb.create_database()?, postgres.create_database()?);
        for (from, to) in [(&source, &there), (&there, &back)] {
            copy(cluster, from, to, is_killed).with_context(|| {
                let killed = if is_killed { ", a worker killed" } else { "" };
                format!("from {} to {}{killed}", from.backend(), to.backend())
            })?;
            shop::check(to, rows)?;
        }
    }
    Ok(())
}

/// Runs the commands of the page.
fn copy(cluster: &Cluster, from: &TestDatabase, to: &TestDatabase, is_killed: bool) -> Result<()> {
    let folder = tempfile::tempdir()?;
    cluster.prepare(folder.path())?;
    for command in PAGE.lines().filter_map(|line| line.strip_prefix("$ ")) {
        let (command, output) = match command.split_once(" > ") {
            Some((command, output)) => (command, output),
            None => (command, "output"),
        };
        match command.split_once(' ') {
            Some(("rowkey", arguments)) => {
                rowkey((from, to), folder.path(), arguments, output)?;
                if arguments.starts_with("plan ") {
                    shop::exchange_bytes(&folder.path().join("plan.toml"), to.backend())?;
                }
            }
            Some(("spark-submit", arguments)) => {
                let workers = spark(cluster, (from, to), folder.path(), arguments, is_killed)?;
                Events::read(folder.path())?.check(&workers, is_killed)?;
            }
            Some(("export", _)) => {}
            _ => bail!("the page has the command {command}"),
        }
    }
    Ok(())
}

/// Runs the job, and returns its workers; the first of them is killed in the middle, if one is to
/// be.
fn spark(
    cluster: &Cluster,
    (from, to): (&TestDatabase, &TestDatabase),
    folder: &Path,
    arguments: &str,
    is_killed: bool,
) -> Result<Vec<Worker>> {
    let staging = shop::staging(&fs::read_to_string(folder.join("job.py"))?)?;
    let mut job = cluster.submit((from, to), folder, arguments)?;
    // Some ranges are committed now, and others are not.
    shop::wait_for_rows(to, &staging, || job.is_running())?;
    let workers = job.workers()?;
    ensure!(
        workers.len() == WORKERS,
        "{} of {WORKERS} workers run",
        workers.len()
    );
    if let Some(worker) = workers.first().filter(|_| is_killed) {
        worker.kill()?;
    }
    job.finish()?;
    workers[0].clean_job();
    Ok(workers)
}

fn rowkey(
    (from, to): (&TestDatabase, &TestDatabase),
    folder: &Path,
    arguments: &str,
    output: &str,
) -> Result<()> {
    let finished = Command::new(env!("CARGO_BIN_EXE_rowkey"))
        .args(arguments.split(' '))
        .env("ROWKEY_URL", from.url())
        .env("ROWKEY_TARGET_URL", to.url())
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(File::create(folder.join(output))?)
        .output()?;
    ensure!(
        finished.status.success(),
        "rowkey {arguments}: {}{}",
        String::from_utf8_lossy(&finished.stderr),
        fs::read_to_string(folder.join(output))?
    );
    Ok(())
}
