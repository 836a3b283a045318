//! `cargo xtask bench`: the benchmarks of the workspace.

use std::{env, ffi::OsString, path::PathBuf, process::Command};

use anyhow::{Result, ensure};
use rowkey_testkit::{Backend, url_variable};

use crate::{command, tool, workspace};

/// Rows of each table in bench/results/databases.md.
const PAGE_ROWS: u64 = 1_000_000;

/// Rows of each case in bench/results/index-growth.md.
const GROWTH_ROWS: u64 = 1_000_000;

/// Arguments of `cargo xtask bench`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Measure databases instead: inserts and selects of typed keys next to the
    /// driver's own types, and what each format does to an index.
    ///
    /// Uses the servers in ROWKEY_TEST_POSTGRES_URL and ROWKEY_TEST_MARIADB_URL,
    /// with a database of its own, and writes bench/results/databases.md and its plot.
    /// The buffer pool of MariaDB is made small meanwhile; PostgreSQL's cache is
    /// left as it is.
    #[arg(long, group = "page")]
    databases: bool,
    /// Measure how indexes grow instead, by the rate of inserts and over turns of the
    /// ring, in a PostgreSQL that is started for it with a small cache.
    ///
    /// Needs PostgreSQL's `initdb`, and writes bench/results/index-growth.md.
    #[arg(long, group = "page")]
    growth: bool,
    /// Measure compilation instead: what a typed key costs `cargo check` and `cargo
    /// build`, next to newtypes with the drivers' own derives.
    ///
    /// Writes bench/results/compile-cost.md. Counts instructions too if valgrind is installed.
    #[arg(long, group = "page")]
    compile: bool,
    /// Measure copies of tables from MySQL and MariaDB to PostgreSQL, and back, instead.
    #[arg(long, conflicts_with = "page")]
    copy: bool,
    /// Record the ratios of instructions, which later runs may not fall behind, and
    /// write bench/results/instructions.md. Needs the servers that the tests need.
    #[arg(long, conflicts_with_all = ["page", "copy"])]
    record: bool,
    /// Rows of each table, at least 10000; another number than the default needs
    /// --output.
    #[arg(long, default_value_t = PAGE_ROWS, requires = "databases")]
    rows: u64,
    /// The folder for the page and the plot, instead of bench/results/; with
    /// --databases needed if a server is missing.
    #[arg(long, requires = "page")]
    output: Option<PathBuf>,
}

impl Args {
    fn folder(&self) -> PathBuf {
        let folder = self.output.clone();
        folder.unwrap_or_else(|| command::root().join("bench").join("results"))
    }
}

/// Runs the benchmarks one after the other; side by side they would disturb each other.
pub(crate) fn run(args: &Args) -> Result<()> {
    match (args.databases, args.compile, args.copy) {
        _ if args.growth => command::run(&mut growth(args)),
        (true, ..) => command::run(&mut databases(args)?),
        (_, true, _) => command::run(&mut compile(args)?),
        (.., true) => command::run(&mut cargo(COPY)),
        _ => {
            if args.record {
                ensure_servers(
                    "bench/results/instructions.md is about every database",
                    is_set,
                )?;
            }
            let page = args.folder().join("instructions.md");
            let record = [OsString::from("--record"), page.into()];
            let options = if args.record { &record[..] } else { &[] };
            instructions(&["bench", "plain"], " --features drivers", options)
        }
    }
}

/// Counts instructions in the profile that most users build with, and fails if a row has fallen
/// behind its recorded ratio. One profile is enough to notice most of that; `cargo xtask bench`
/// compares both. Drivers would take longer to build than all the rest.
pub(crate) fn check_instructions() -> Result<()> {
    instructions(&["plain"], "", &["--plain".into()])
}

fn instructions(profiles: &[&str], features: &str, options: &[OsString]) -> Result<()> {
    tool::GUNGRAUN.require()?;
    let valgrind = command::output(Command::new("valgrind").arg("--version"));
    ensure!(valgrind.is_ok(), "install the system's package `valgrind`");
    let target = workspace::metadata()?.target_directory;
    // The profile of `ratios` first: it takes no figures that are older than itself.
    for profile in profiles {
        // What a generator does without the feature `coarse-clock` needs a build of its own.
        let builds = [("", features), ("-system-clock", " --no-default-features")];
        for (suffix, features) in builds {
            let words = format!(
                "bench --profile {profile} -p rowkey-bench{features} --bench instructions -- \
                 --save-summary=json"
            );
            let folder = target
                .join("instructions")
                .join(format!("{profile}{suffix}"));
            command::run(cargo(&words).env("GUNGRAUN_HOME", folder))?;
        }
    }
    let mut ratios = cargo(&format!(
        "run --profile {} -p rowkey-bench{features} --bin ratios --",
        profiles[0]
    ));
    ratios.arg(command::root().join("bench").join("recorded.json"));
    command::run(ratios.args(options))
}

/// The run on the growth of indexes.
fn growth(args: &Args) -> Command {
    let run = "run --profile bench -p rowkey-bench --features drivers --bin growth --";
    let mut command = cargo(run);
    command.arg(GROWTH_ROWS.to_string()).arg(args.folder());
    command
}

/// The run on databases.
fn databases(args: &Args) -> Result<Command> {
    if args.output.is_none() {
        ensure_whole_page(args.rows, is_set)?;
    }
    let run = "run --profile bench -p rowkey-bench --features drivers --bin databases --";
    let mut command = cargo(run);
    command.arg(args.rows.to_string()).arg(args.folder());
    Ok(command)
}

/// The run on the compiler.
fn compile(args: &Args) -> Result<Command> {
    let work = workspace::metadata()?.target_directory.join("compile-cost");
    let mut command = cargo("run -p rowkey-bench --bin compile --");
    command.arg(args.folder()).arg(work);
    Ok(command)
}

/// Only a run with every figure replaces the recorded page without being told to.
fn ensure_whole_page(rows: u64, is_set: impl Fn(&str) -> bool) -> Result<()> {
    const HINT: &str = "name a folder for this run's page with --output";
    ensure!(
        rows == PAGE_ROWS,
        "bench/results/databases.md is about {PAGE_ROWS} rows, not {rows}; {HINT}"
    );
    ensure_servers(
        &format!("bench/results/databases.md is about every database; {HINT}"),
        is_set,
    )
}

/// What is `needed` by the recorded pages.
fn ensure_servers(needed: &str, is_set: impl Fn(&str) -> bool) -> Result<()> {
    let servers = [Backend::Postgres, Backend::MariaDb].into_iter();
    for variable in servers.filter_map(url_variable) {
        ensure!(is_set(variable), "{variable} is not set, and {needed}");
    }
    Ok(())
}

fn is_set(variable: &str) -> bool {
    env::var(variable).is_ok_and(|url| !url.is_empty())
}

/// Copies between databases.
const COPY: &str = "run --release -p rowkey-copy --all-features --example copy_bench";

fn cargo(words: &str) -> Command {
    command::cargo(&words.split(' ').collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_whole_run_replaces_the_page() {
        assert!(ensure_whole_page(PAGE_ROWS, |_| true).is_ok());
        let error = ensure_whole_page(20_000, |_| true).unwrap_err().to_string();
        assert!(error.contains("1000000 rows, not 20000"), "{error}");
        for missing in ["ROWKEY_TEST_POSTGRES_URL", "ROWKEY_TEST_MARIADB_URL"] {
            let error = ensure_whole_page(PAGE_ROWS, |variable| variable != missing).unwrap_err();
            assert!(error.to_string().starts_with(missing), "{error}");
        }
    }
}
