//! Compares copies from MySQL and MariaDB to PostgreSQL, and back to MariaDB, with other ways to
//! do it.
//!
//! ```console
//! $ export ROWKEY_TEST_MYSQL_URL=mysql://root@127.0.0.1:3307/test
//! $ export ROWKEY_TEST_MARIADB_URL=mysql://root@127.0.0.1:3306/test
//! $ export ROWKEY_TEST_POSTGRES_URL=postgres://postgres@127.0.0.1:5432/test
//! $ cargo run --release -p rowkey-copy --all-features --example copy_bench -- 500000 --ten-times
//! ```
//!
//! The other ways are: a program that was written for the table, with the same drivers; pgloader;
//! and the databases' own clients in a pipe, which convert nothing. Those that are not installed
//! are left out. rowkey copies with two jobs too, and after it was killed in the middle. Each copy
//! is a process of its own, and makes its table. The ways take turns, the first one in turns too,
//! and a ratio is one of two copies of the same round.

mod by_hand;
mod rivals;
mod rows;

use std::env;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, ensure};
use rowkey_copy::Choices;
use rowkey_copy::CopyPlan;
use rowkey_doctor::stored_ids;
use rowkey_tables::{Address, Connection, Silent};
use rowkey_testkit::{Backend, Search, Server};

use self::rivals::Outcome;

const ROUNDS: usize = 5;
/// Of the large tables.
const FEW_ROUNDS: usize = 3;

const WAY: &str = "ROWKEY_COPY_BENCH_WAY";
const JOBS: &str = "ROWKEY_COPY_BENCH_JOBS";
const SOURCE: &str = "ROWKEY_COPY_BENCH_SOURCE";
const TARGET: &str = "ROWKEY_COPY_BENCH_TARGET";
const PLAN: &str = "ROWKEY_COPY_BENCH_PLAN";

/// A way to copy the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Rowkey,
    TwoJobs,
    /// Killed once, and repeated; the time is that of both processes.
    Killed,
    ByHand,
    Pgloader,
    Pipe,
}

impl Way {
    const ALL: [Self; 6] = [
        Self::Rowkey,
        Self::TwoJobs,
        Self::Killed,
        Self::ByHand,
        Self::Pgloader,
        Self::Pipe,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Rowkey => "rowkey",
            Self::TwoJobs => "rowkey, two jobs",
            Self::Killed => "rowkey, killed once",
            Self::ByHand => "by hand",
            Self::Pgloader => "pgloader",
            Self::Pipe => "clients in a pipe",
        }
    }

    /// Whether it goes this way, and is installed.
    fn is_there(self, source: Backend) -> bool {
        let programs: &[&str] = match self {
            Self::Rowkey | Self::TwoJobs | Self::Killed | Self::ByHand => return true,
            // It reads MariaDB and MySQL, and the latter only without `caching_sha2_password`.
            Self::Pgloader if source == Backend::MariaDb => &["pgloader"],
            Self::Pgloader => return false,
            Self::Pipe => &["mariadb", "psql"],
        };
        let missing = programs.iter().find(|name| !rivals::is_installed(name));
        if let Some(name) = missing {
            println!("{} is left out: {name} is not installed", self.name());
        }
        missing.is_none()
    }
}

fn main() -> Result<()> {
    if let Ok(way) = env::var(WAY) {
        return run_alone(&way);
    }
    let (mut rows, mut is_large) = (500_000, false);
    let mut chosen: Option<Backend> = None;
    let mut arguments = env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--ten-times" => is_large = true,
            "--from" => {
                let source = arguments.next().context("the source's backend")?;
                chosen = Some(source.parse()?);
            }
            number => {
                let usage = "copy_bench [ROWS] [--ten-times] [--from BACKEND]";
                rows = number.parse().context(usage)?;
            }
        }
    }
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').next().unwrap_or_default();
    println!(
        "{} processors, load average before the run {load}",
        std::thread::available_parallelism()?
    );
    let pairs = [
        (Backend::MariaDb, Backend::Postgres),
        (Backend::MySql, Backend::Postgres),
        (Backend::Postgres, Backend::MariaDb),
    ];
    let is_chosen = |source| chosen.is_none_or(|chosen| chosen == source);
    for (source, target) in pairs.into_iter().filter(|(source, _)| is_chosen(*source)) {
        let small = Pair::measure(source, target, rows, ROUNDS)?;
        if is_large {
            let large = Pair::measure(source, target, rows * 10, FEW_ROUNDS)?;
            println!(
                "{source} to {target}: ten times the rows took rowkey {:.1} times as long",
                large.seconds(Way::Rowkey)? / small.seconds(Way::Rowkey)?
            );
        }
    }
    Ok(())
}

/// The copies of all rounds.
struct Pair {
    rows: u64,
    rounds: Vec<Vec<(Way, Outcome)>>,
}

impl Pair {
    fn measure(from: Backend, to: Backend, rows: u64, rounds: usize) -> Result<Self> {
        let find = |backend| match Server::find(backend)? {
            Search::Found(server) => Ok(server),
            Search::Missing(why) | Search::Required(why) => Err(anyhow!(why)),
        };
        let (from_server, to_server) = (find(from)?, find(to)?);
        let source = from_server.create_database()?;
        block_on(rows::create(source.url(), rows))?;
        let ways = Way::ALL.into_iter().filter(|way| way.is_there(from));
        let mut ways: Vec<Way> = ways.collect();
        let mut pair = Self {
            rows,
            rounds: Vec::new(),
        };
        // Where a copy is killed: about in the middle.
        let mut half = Duration::ZERO;
        for _ in 0..rounds {
            let mut outcomes = Vec::new();
            for way in &ways {
                let target = to_server.create_database()?;
                let outcome = start(*way, source.url(), target.url(), half)?;
                if *way != Way::Pgloader {
                    let copied = block_on(rows::count(target.url()))?;
                    ensure!(copied == rows, "{} has copied {copied} rows", way.name());
                }
                println!(
                    "{from} to {to}, {rows} rows, {}: {:.2} s",
                    way.name(),
                    outcome.seconds
                );
                if *way == Way::Rowkey {
                    half = Duration::from_secs_f64(outcome.seconds / 2.0);
                }
                outcomes.push((*way, outcome));
            }
            pair.rounds.push(outcomes);
            ways.rotate_left(1);
        }
        pair.print(from, to)?;
        Ok(pair)
    }

    fn print(&self, from: Backend, to: Backend) -> Result<()> {
        println!(
            "\n| {from} to {to} | rows | rows/s | rowkey's speed | its processor s | peak memory, MiB |"
        );
        println!("|---|--:|--:|--:|--:|--:|");
        for way in self.ways() {
            let ratios = self.rounds.iter().map(|round| {
                let of = |way| seconds_of(round, way);
                Ok(of(way)? / of(Way::Rowkey)?)
            });
            let ratio = median(ratios.collect::<Result<_>>()?);
            let peaks = self.outcomes(way).filter_map(|outcome| outcome.peak_kib);
            let figure = |figure: Option<String>| figure.unwrap_or_default();
            println!(
                "| {} | {} | {:.0} | {ratio:.2} | {} | {} |",
                way.name(),
                self.rows,
                self.rows as f64 / self.seconds(way)?,
                figure(self.processor_seconds(way).map(|time| format!("{time:.2}"))),
                figure(
                    peaks
                        .max()
                        .map(|kib| format!("{:.1}", kib as f64 / 1_024.0))
                ),
            );
        }
        println!();
        Ok(())
    }

    /// Those that have run.
    fn ways(&self) -> impl Iterator<Item = Way> {
        let has_run = |way: &Way| self.outcomes(*way).next().is_some();
        Way::ALL.into_iter().filter(has_run)
    }

    fn outcomes(&self, way: Way) -> impl Iterator<Item = &Outcome> {
        let all = self.rounds.iter().flatten();
        all.filter(move |(known, _)| *known == way)
            .map(|(_, outcome)| outcome)
    }

    fn processor_seconds(&self, way: Way) -> Option<f64> {
        let all = self.outcomes(way).map(|outcome| outcome.processor_seconds);
        all.collect::<Option<_>>().map(median)
    }

    fn seconds(&self, way: Way) -> Result<f64> {
        let seconds: Vec<f64> = self.outcomes(way).map(|outcome| outcome.seconds).collect();
        ensure!(!seconds.is_empty(), "{} has not run", way.name());
        Ok(median(seconds))
    }
}

fn seconds_of(round: &[(Way, Outcome)], way: Way) -> Result<f64> {
    let mut outcomes = round.iter();
    let found = outcomes.find(|(known, _)| *known == way);
    Ok(found.context("a way that has not run")?.1.seconds)
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or_default()
}

/// Copies in another process.
fn start(way: Way, source: &str, target: &str, half: Duration) -> Result<Outcome> {
    match way {
        Way::Pgloader => return rivals::pgloader(source, target),
        Way::Pipe => return rivals::pipe(source, target),
        Way::Rowkey | Way::TwoJobs | Way::Killed | Way::ByHand => {}
    }
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("plan.toml");
    fs::write(&path, block_on(plan(source, target))?)?;
    let mut program = rivals::program(env::current_exe()?);
    program
        .env(WAY, way.name())
        .env(SOURCE, source)
        .env(TARGET, target)
        .env(PLAN, path)
        .env(JOBS, if way == Way::TwoJobs { "2" } else { "1" })
        .stderr(Stdio::inherit());
    let mut outcome = Outcome::default();
    if way == Way::Killed {
        outcome.seconds = killed_after(&mut program, half)?;
    }
    let output = program.output()?;
    let text = String::from_utf8(output.stdout)?;
    let mut figures = text.split_whitespace();
    let mut figure = || figures.next().context("it has failed");
    outcome.seconds += figure()?.parse::<f64>()?;
    outcome.processor_seconds = Some(figure()?.parse()?);
    outcome.peak_kib = Some(figure()?.parse()?);
    Ok(outcome)
}

/// Starts a copy that does not reach its end, and tells for how long it ran.
fn killed_after(program: &mut Command, time: Duration) -> Result<f64> {
    let started = Instant::now();
    let mut child = program.stdout(Stdio::null()).spawn()?;
    thread::sleep(time);
    child.kill()?;
    child.wait()?;
    program.stdout(Stdio::piped());
    Ok(started.elapsed().as_secs_f64())
}

/// A plan that exchanges the bytes of the ids.
async fn plan(source: &str, target: &str) -> Result<String> {
    let mut connection = Connection::open(&source.parse()?).await?;
    let mut target = Connection::open(&target.parse()?).await?;
    let choices = Choices::default();
    let planned = rowkey_copy::plan(
        &mut connection,
        &mut target,
        choices,
        &mut Silent,
        stored_ids,
    )
    .await?;
    let (target, mut plan) = (target.backend(), planned.plan);
    let columns = plan.tables.iter_mut().flat_map(|table| &mut table.columns);
    for column in columns.filter(|column| rows::IDS.contains(&column.name.as_str())) {
        column.to = None;
        column.format = Some(rows::FORMAT.into());
        column.stored_from = Some(rows::form_name(connection.backend()).into());
        column.stored_to = Some(rows::form_name(target).into());
    }
    Ok(plan.to_toml()?)
}

/// In the other process: copies, and prints the time, the processors' time and the most memory.
fn run_alone(way: &str) -> Result<()> {
    let (source, target) = (env::var(SOURCE)?, env::var(TARGET)?);
    let started = Instant::now();
    if way == Way::ByHand.name() {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()?;
        runtime.block_on(async {
            match target.starts_with("postgres") {
                true => by_hand::to_postgres(&source, &target).await,
                false => by_hand::to_mariadb(&source, &target).await,
            }
        })?;
    } else {
        let plan = fs::read_to_string(env::var(PLAN)?)?;
        block_on(by_rowkey(&source, &target, &plan, env::var(JOBS)?.parse()?))?;
    }
    let seconds = started.elapsed().as_secs_f64();
    let processor = rivals::processor_seconds().context("the processors' time")?;
    let peak = rivals::peak_kib(Path::new("/proc/self/status"));
    println!("{seconds} {processor} {}", peak.context("the peak memory")?);
    Ok(())
}

/// As the command does it.
async fn by_rowkey(source: &str, target: &str, plan: &str, jobs: u32) -> Result<()> {
    let (source, target): (Address, Address) = (source.parse()?, target.parse()?);
    let plan = CopyPlan::from_toml(plan)?;
    let mut source = Connection::open(&source).await?;
    let mut target = Connection::open(&target).await?;
    let request = rowkey_copy::Request {
        create: true,
        jobs,
        ..rowkey_copy::Request::default()
    };
    rowkey_copy::copy(&mut source, &mut target, &plan, &request, &mut Silent).await?;
    Ok(())
}

fn block_on<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(work)
}
