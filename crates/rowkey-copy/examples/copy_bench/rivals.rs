//! Other programs that copy the table.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use rowkey_tables::Connection;
use url::Url;

use crate::block_on;
use crate::rows::{COLUMNS, TABLE, definition};
use rowkey_core::Backend;

/// What a copy has taken.
#[derive(Default)]
pub(crate) struct Outcome {
    pub(crate) seconds: f64,
    /// Of its process, if that tells.
    pub(crate) processor_seconds: Option<f64>,
    /// The most memory that its process has had.
    pub(crate) peak_kib: Option<u64>,
}

pub(crate) fn is_installed(program: &str) -> bool {
    let folders = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&folders).any(|folder| folder.join(program).is_file())
}

/// A program that does not encrypt its connection to PostgreSQL, so that only the copies are
/// compared.
pub(crate) fn program(path: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(path);
    command.env("PGSSLMODE", "disable");
    command
}

/// The most memory of a process, from its file `status`.
pub(crate) fn peak_kib(status: &Path) -> Option<u64> {
    let text = fs::read_to_string(status).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.parse().ok()
}

/// How long processors have worked for this process.
pub(crate) fn processor_seconds() -> Option<f64> {
    const PER_SECOND: f64 = 100.0;
    let text = fs::read_to_string("/proc/self/stat").ok()?;
    // Behind the name, which may have any characters, `utime` and `stime` are the 12th and 13th.
    let (_, fields) = text.rsplit_once(')')?;
    let ticks = fields.split_whitespace().skip(11).take(2);
    let ticks: Option<Vec<f64>> = ticks.map(|ticks| ticks.parse().ok()).collect();
    Some(ticks?.iter().sum::<f64>() / PER_SECOND)
}

/// PostgreSQL's types as pgloader chooses them: ids become `bytea`, in the order of MariaDB's
/// bytes.
pub(crate) fn pgloader(source: &str, target: &str) -> Result<Outcome> {
    let source = Url::parse(source)?;
    let database = source.path().trim_start_matches('/');
    let schema = block_on(schema(target))?;
    let mut server = Url::parse(target)?;
    server.set_query(None);
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("booking.load");
    fs::write(
        &file,
        format!(
            "LOAD DATABASE FROM {source} INTO {}\n\
             INCLUDING ONLY TABLE NAMES MATCHING '{TABLE}'\n\
             ALTER SCHEMA '{database}' RENAME TO '{schema}';\n",
            server.as_str().replacen("postgres:", "pgsql:", 1)
        ),
    )?;
    let started = Instant::now();
    let child = program("pgloader")
        .arg("--root-dir")
        .arg(folder.path())
        .arg(&file)
        .stdout(Stdio::null())
        .spawn()?;
    let peak_kib = wait(child)?;
    let seconds = started.elapsed().as_secs_f64();
    let count = format!("SELECT COUNT(*) FROM {TABLE}");
    let copied = block_on(number(target, &count))?;
    ensure!(copied > 0, "pgloader has copied nothing");
    Ok(Outcome {
        seconds,
        peak_kib,
        ..Outcome::default()
    })
}

/// The ids go as hexadecimal digits, in the order of the source's bytes.
pub(crate) fn pipe(source: &str, target: &str) -> Result<Outcome> {
    let (from, to) = (Url::parse(source)?, Url::parse(target)?);
    let started = Instant::now();
    let mut reader = match from.scheme() {
        "postgres" => {
            let columns = COLUMNS.replace("parent_id", "encode(uuid_send(parent_id), 'hex')");
            let columns = columns.replacen("id,", "encode(uuid_send(id), 'hex'),", 1);
            let columns = columns.replace("is_open", "is_open::int");
            let query = format!("COPY (SELECT {columns} FROM {TABLE}) TO STDOUT");
            program("psql")
                .args(["--quiet", "--command", &query])
                .arg(source)
                .stdout(Stdio::piped())
                .spawn()?
        }
        _ => {
            let columns = COLUMNS.replace("parent_id", "hex(parent_id)");
            let columns = columns.replacen("id", "hex(id)", 1);
            let query = format!("SELECT {columns} FROM {TABLE}");
            mariadb(&from)?
                .args([
                    "--quick",
                    "--batch",
                    "--skip-column-names",
                    "--execute",
                    &query,
                ])
                .stdout(Stdio::piped())
                .spawn()?
        }
    };
    let rows = reader.stdout.take().context("the rows")?;
    let mut writer = match to.scheme() {
        "postgres" => {
            let definition = definition(Backend::Postgres)?;
            let copy = format!("COPY {TABLE} ({COLUMNS}) FROM STDIN");
            let mut psql = program("psql");
            psql.args(["--quiet", "--set", "ON_ERROR_STOP=1"])
                .args(["--command", &definition, "--command", &copy])
                .arg(target);
            psql
        }
        _ => {
            let columns = COLUMNS
                .replace("parent_id", "@parent")
                .replacen("id", "@id", 1);
            let load = format!(
                "{}; LOAD DATA LOCAL INFILE '/dev/stdin' INTO TABLE {TABLE} CHARACTER SET utf8mb4 \
                 ({columns}) SET id = unhex(@id), parent_id = unhex(@parent)",
                definition(Backend::MariaDb)?
            );
            let mut mariadb = mariadb(&to)?;
            mariadb.args(["--local-infile=1", "--execute", &load]);
            mariadb
        }
    };
    wait(writer.stdin(rows).spawn()?)?;
    wait(reader)?;
    Ok(Outcome {
        seconds: started.elapsed().as_secs_f64(),
        ..Outcome::default()
    })
}

/// The client of MySQL and MariaDB for a database.
fn mariadb(url: &Url) -> Result<Command> {
    let mut client = program("mariadb");
    client
        .args(["--host", url.host_str().context("a host")?])
        .args(["--port", &url.port().unwrap_or(3_306).to_string()])
        .args(["--user", url.username()])
        .args(["--database", url.path().trim_start_matches('/')])
        .env("MYSQL_PWD", url.password().unwrap_or_default());
    Ok(client)
}

/// Waits until a process ends; the most memory that it had.
fn wait(mut child: Child) -> Result<Option<u64>> {
    let status = format!("/proc/{}/status", child.id());
    let mut peak = None;
    loop {
        peak = peak_kib(Path::new(&status)).max(peak);
        if let Some(status) = child.try_wait()? {
            ensure!(status.success(), "it has ended with {status}");
            return Ok(peak);
        }
        thread::sleep(Duration::from_millis(20));
    }
}

async fn schema(target: &str) -> Result<String> {
    let mut connection = Connection::open(&target.parse()?).await?;
    let rows = connection
        .query("the schema", "SELECT current_schema()::text", &[])
        .await?;
    Ok(rows.first().context("a schema")?.text(0)?.to_owned())
}

async fn number(target: &str, query: &str) -> Result<i64> {
    let mut connection = Connection::open(&target.parse()?).await?;
    let rows = connection.query("a number", query, &[]).await?;
    Ok(rows.first().context("a number")?.integer(0)?)
}
