//! One move: the tables of both sides, the rows, the copy, and the application on it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::{env, fmt, fs};

use anyhow::{Context, Result, bail, ensure};
use rowkey_testkit::{Backend, url_variable};
use sqlx::{AssertSqlSafe, Connection, Executor, MySqlConnection, PgConnection};

use crate::framework::Program;
use crate::moves::Move;

/// What a move has shown.
#[derive(Default)]
pub(crate) struct Report {
    tables: usize,
    rows: u64,
    /// Plans until a preflight had nothing to refuse.
    rounds: usize,
    /// Lines of the last plan that the first does not have, and statements by a person.
    edited: usize,
    /// Rows of the application that are equal through its framework.
    compared: Option<usize>,
    is_written: bool,
}

impl Report {
    pub(crate) const HEADER: &str = "tables  rows    rounds  edits   compared  written";
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let compared = self
            .compared
            .map_or("no".to_owned(), |rows| rows.to_string());
        let written = if self.is_written { "yes" } else { "no" };
        let Self {
            tables,
            rows,
            rounds,
            edited,
            ..
        } = self;
        write!(
            f,
            "{tables:<8}{rows:<8}{rounds:<8}{edited:<8}{compared:<10}{written:<9}"
        )
    }
}

/// Moves the data of an application, which then reads and writes it.
pub(crate) async fn run(program: &Program, step: &Move, report: &mut Report) -> Result<()> {
    let folder = env::temp_dir().join("rowkey_applications");
    fs::create_dir_all(&folder)?;
    let source = Database::create(step.source, "rowkey_application_source", &folder).await?;
    let target = Database::create(step.target, "rowkey_application_target", &folder).await?;
    let outcome = moved(program, step, &source.url, &target, &folder, report).await;
    source.drop().await?;
    target.drop().await?;
    fs::remove_dir_all(&folder)?;
    outcome
}

async fn moved(
    program: &Program,
    step: &Move,
    source: &str,
    database: &Database,
    folder: &Path,
    report: &mut Report,
) -> Result<()> {
    let target = database.url.as_str();
    for (name, url) in [("migrate", source), ("fill", source), ("migrate", target)] {
        succeed(&mut program.step(name, url))?;
    }
    let plan = folder.join("plan.toml");
    let rowkey = |words: &[&str]| {
        let mut command =
            Command::new(env::var_os("ROWKEY_TEST_COMMAND").unwrap_or("rowkey".into()));
        command
            .args(words)
            .env("ROWKEY_URL", source)
            .env("ROWKEY_TARGET_URL", target);
        command
    };
    let on_plan = |command| rowkey(&[command, &plan.to_string_lossy()]);
    let first = succeed(&mut rowkey(&["plan"]))?;
    fs::write(&plan, &first)?;
    report.rounds = 1;
    let refused = output(&mut on_plan("preflight"))?;
    if !refused.status.success() {
        println!("{}", text(&refused));
        let second = succeed(rowkey(&["plan"]).args(step.options))?;
        fs::write(&plan, &second)?;
        report.rounds = 2;
        let first: Vec<&str> = first.lines().collect();
        report.edited = second.lines().filter(|line| !first.contains(line)).count();
        succeed(&mut on_plan("preflight"))?;
    }
    succeed(&mut on_plan("copy"))?;
    for line in succeed(&mut on_plan("verify"))?.lines() {
        let (_, rows) = line.split_once(": ").with_context(|| line.to_owned())?;
        let rows = rows
            .strip_suffix(" rows, equal")
            .with_context(|| line.to_owned())?;
        report.tables += 1;
        report.rows += rows.parse::<u64>()?;
    }
    let read = |url| {
        let rows = succeed(&mut program.step("read", url))?;
        let mut rows: Vec<String> = rows.lines().map(str::to_owned).collect();
        rows.sort();
        anyhow::Ok(rows)
    };
    let (before, after) = (read(source)?, read(target)?);
    for (before, after) in before.iter().zip(&after) {
        ensure!(
            before == after,
            "not the same row any more:\n  {before}\n  {after}"
        );
    }
    ensure!(
        before.len() == after.len(),
        "{} rows, then {}",
        before.len(),
        after.len()
    );
    report.compared = Some(before.len());
    succeed(&mut program.step("write", target))?;
    report.is_written = true;
    Ok(())
}

fn output(command: &mut Command) -> Result<Output> {
    let output = command.output();
    output.with_context(|| format!("could not start {:?}", command.get_program()))
}

fn text(output: &Output) -> String {
    let [stdout, stderr] =
        [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
    format!("{}\n{}", stdout.trim(), stderr.trim())
}

/// What the command wrote, unless it fails.
fn succeed(command: &mut Command) -> Result<String> {
    let output = output(command)?;
    if !output.status.success() {
        let words: Vec<_> = command
            .get_args()
            .map(|word| word.to_string_lossy())
            .collect();
        bail!(
            "{} failed with {}:\n{}",
            words.join(" "),
            output.status,
            text(&output)
        );
    }
    Ok(String::from_utf8(output.stdout)?)
}

/// A database of its own: an application has tables in the schema that its framework expects.
struct Database {
    backend: Backend,
    /// The address of the server.
    server: String,
    name: &'static str,
    url: String,
}

impl Database {
    async fn create(backend: Backend, name: &'static str, folder: &Path) -> Result<Self> {
        let Some(variable) = url_variable(backend) else {
            let file: PathBuf = folder.join(name);
            let url = format!("sqlite://{}", file.display());
            fs::File::create(file)?;
            return Ok(Self {
                backend,
                server: String::new(),
                name,
                url,
            });
        };
        let server = env::var(variable).with_context(|| format!("{variable} is not set"))?;
        let (address, _) = server
            .rsplit_once('/')
            .with_context(|| format!("{variable} has no path"))?;
        let database = Self {
            backend,
            url: format!("{address}/{name}"),
            server,
            name,
        };
        database.drop().await?;
        let create = format!("CREATE DATABASE {name}");
        database.execute(&database.server, &create).await?;
        Ok(database)
    }

    async fn drop(&self) -> Result<()> {
        let force = if self.backend == Backend::Postgres {
            " WITH (FORCE)"
        } else {
            ""
        };
        let drop = format!("DROP DATABASE IF EXISTS {}{force}", self.name);
        self.execute(&self.server, &drop).await
    }

    async fn execute(&self, url: &str, statement: &str) -> Result<()> {
        let statement = AssertSqlSafe(statement);
        match self.backend {
            Backend::Postgres => {
                let mut server = PgConnection::connect(url).await?;
                server.execute(statement).await?;
            }
            Backend::MySql | Backend::MariaDb => {
                let mut server = MySqlConnection::connect(url).await?;
                server.execute(statement).await?;
            }
            _ => {}
        }
        Ok(())
    }
}
