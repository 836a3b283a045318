//! `cargo xtask test`: every test, and which databases took part.

use std::{
    env, fs,
    io::{self, BufRead, BufReader, Write},
    num::NonZero,
    process::{self, Child, Command, ExitCode, ExitStatus, Stdio},
    thread,
};

use anyhow::{Context, Result, ensure};
use cargo_metadata::Metadata;
use rowkey_testkit::{Backend, REQUIRE_VARIABLE, RESULTS_VARIABLE, required_backends, test_name};

use crate::{
    client_library::{self, ClientLibrary},
    command,
    containers::{self, Servers},
    results::{self, Counts, Listed, Totals},
    tool, workspace,
};

/// Arguments of `cargo xtask test`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Run database servers in containers for these tests, and remove them afterwards.
    ///
    /// Which ones can be chosen, as in `--containers=postgres,mariadb`; all that there is an image
    /// for without a choice. Variables such as ROWKEY_TEST_POSTGRES_IMAGE name other images. SQL
    /// Server takes part for those who accept its licence, by ROWKEY_TEST_SQLSERVER_ACCEPT_EULA=Y.
    #[arg(
        long,
        value_name = "DATABASES",
        value_delimiter = ',',
        value_parser = ["postgres", "mysql", "mariadb", "sqlserver"],
        num_args = 0..,
        require_equals = true
    )]
    containers: Option<Vec<String>>,
    /// Run only the long tests of tables that change, are copied or move: many rows, and programs
    /// that are killed.
    #[arg(long)]
    chaos: bool,
    /// Run only the copies by a Spark job, for which variables name Spark and its JDBC drivers.
    #[arg(long, conflicts_with = "chaos")]
    spark: bool,
    /// Further arguments of `cargo nextest run`, or of `cargo test` where nextest is not installed,
    /// such as a filter or `-p <package>`.
    #[arg(last = true)]
    test_args: Vec<String>,
}

/// Runs the tests. Failures are part of the answer: the totals are the last line in any case.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let servers = Servers::start(args.containers.as_deref())?;
    let required = required_backends(&servers.required)?;
    let metadata = workspace::metadata()?;
    let missing = ClientLibrary::missing();

    let long = match (args.chaos, args.spark) {
        (true, _) => {
            "--release -p rowkey-copy -p rowkey-relayout --test databases -p mesh --test mesh -- chaos"
        }
        (_, true) => "-p rowkey-cli --test databases -- there_and_back_by_spark",
        _ => "",
    };
    let mut chosen = args.test_args.clone();
    chosen.splice(..0, long.split_whitespace().map(str::to_owned));
    let results = format!("test-results-{}.jsonl", process::id());
    let results = metadata.target_directory.join(results);
    let cargo_with = |words: &[&str], chosen: &[String]| {
        let mut cargo = cargo(words, &metadata, &missing, chosen);
        cargo.env(REQUIRE_VARIABLE, &servers.required);
        cargo.envs(servers.urls.iter().copied());
        cargo.envs(args.chaos.then_some(("ROWKEY_CHAOS", "1")));
        cargo.envs(args.spark.then_some(("ROWKEY_SPARK", "1")));
        cargo
    };

    let cargo = |words: &[&str]| cargo_with(words, &chosen);

    let mut problems = Vec::new();
    let mut missing_note = None;
    let mut totals = Totals::default();
    let mut commands = Vec::new();
    let mut listed = None;
    let mut by_nextest = !chosen.iter().any(|arg| arg == "--doc");
    if by_nextest && !tool::NEXTEST.is_installed() {
        by_nextest = false;
        missing_note = Some("cargo-nextest is not installed");
    }
    if by_nextest {
        let list_args = without_run_options(&chosen);
        let lists = || cargo_with(&LIST, &list_args);
        match list(lists()) {
            Ok(Some(list)) => {
                totals.add_left_out(&list);
                if list.to_run == 0 {
                    // Only what lists the tests writes down why they are ignored.
                    let mut again = lists();
                    command::output(again.env(RESULTS_VARIABLE, &results))?;
                } else {
                    let mut tests = cargo(&NEXTEST);
                    if env::var_os(THREADS).is_none() {
                        // The tests wait for servers about half of the time.
                        let processors = thread::available_parallelism().map_or(1, NonZero::get);
                        tests.env(THREADS, (2 * processors).to_string());
                    }
                    commands.push((tests, Totals::read_line_of_nextest as ReadLine));
                }
                listed = Some(list.ignored);
            }
            Ok(None) => {
                by_nextest = false;
                missing_note = Some("nextest stops at a test binary that does not list its tests");
            }
            Err(error) => problems.push(format!("{error:#}")),
        }
    }
    if !by_nextest {
        commands.push((cargo(&["test", "--no-fail-fast"]), Totals::read_line));
    } else if is_choice_of_packages(&chosen) {
        // A filter of tests would be one of examples, too, but other arguments are not.
        let examples = cargo(&["test", "--doc", "--no-fail-fast"]);
        commands.push((examples, Totals::read_line));
    }
    let spawn = match args.containers {
        Some(_) => containers::spawn_tests,
        None => Command::spawn,
    };
    for (mut command, read_line) in commands {
        let shown = command::shown(&command);
        command.env(RESULTS_VARIABLE, &results);
        let read_line = |line: &str| read_line(&mut totals, line);
        let status = stream(command, spawn, &shown, read_line)?;
        if !status.success() {
            problems.push(format!("`{shown}` failed with {status}"));
        }
    }
    let backends = results::of_backends(results.as_std_path(), listed.as_ref())?;
    if results.exists() {
        fs::remove_file(&results).context("could not remove the results")?;
    }
    let counts = |backend| backends.get(&backend).cloned().unwrap_or_default();

    if totals.is_all_filtered_out() {
        problems.push("no test has a name that the filter matches".to_owned());
    }
    for backend in required.into_iter().filter(|one| counts(*one).ran() == 0) {
        let (name, why) = (test_name(backend), "none of its tests ran");
        problems.push(format!("{REQUIRE_VARIABLE} names {name}, but {why}"));
    }

    println!();
    for backend in Backend::ALL {
        let is_choice = !chosen.is_empty();
        println!("{}", backend_line(backend, &counts(backend), is_choice));
    }
    for library in missing {
        println!("ignored: {library}");
    }
    if let Some(why) = missing_note {
        println!("{why}: `cargo test` took its place, and longer");
    }
    for problem in &problems {
        eprintln!("error: {problem}");
    }
    let (passed, failed) = (totals.counts.passed, totals.counts.failed);
    let skipped = totals.counts.skipped;
    println!("{passed} passed, {failed} failed, {skipped} skipped");
    Ok(match problems.is_empty() && failed == 0 {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
}

/// Finds the tests, the ignored ones included, which nextest counts together with those that a
/// filter leaves out.
const LIST: [&str; 4] = [
    "nextest",
    "list",
    "--run-ignored=all",
    "--message-format=json",
];

/// Runs each test in a separate process, so that tests of all binaries run side by side.
const NEXTEST: [&str; 4] = ["nextest", "run", "--no-fail-fast", "--no-tests=pass"];

/// nextest's exit code where a test binary does not list its tests.
const NOT_LISTED: i32 = 104;

/// The tests; nothing if a test binary does not list its own.
fn list(mut list: Command) -> Result<Option<Listed>> {
    let shown = command::shown(&list);
    println!("$ {shown}");
    // Building takes most of the time, and should be seen.
    let output = list.stderr(Stdio::inherit()).output();
    let output = output.with_context(|| format!("could not start `{shown}`"))?;
    if output.status.code() == Some(NOT_LISTED) {
        return Ok(None);
    }
    ensure!(
        output.status.success(),
        "`{shown}` failed with {}",
        output.status
    );
    Listed::read(&String::from_utf8_lossy(&output.stdout)).map(Some)
}

/// Options of `cargo nextest run` that `cargo nextest list` refuses, and whether a value follows.
const RUN_OPTIONS: [(&str, bool); 18] = [
    ("--no-capture", false),
    ("--nocapture", false),
    ("--no-fail-fast", false),
    ("--nff", false),
    ("--fail-fast", false),
    ("--ff", false),
    ("--no-run", false),
    ("--hide-progress-bar", false),
    ("--no-output-indent", false),
    ("-j", true),
    ("--jobs", true),
    ("--test-threads", true),
    ("--retries", true),
    ("--max-fail", true),
    ("--status-level", true),
    ("--final-status-level", true),
    ("--success-output", true),
    ("--failure-output", true),
];

/// The arguments that choose tests, without those that say how to run them.
fn without_run_options(args: &[String]) -> Vec<String> {
    let mut choosing = Vec::new();
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let name = arg.split('=').next().unwrap_or_default();
        match RUN_OPTIONS.iter().find(|(option, _)| *option == name) {
            Some((_, true)) if !arg.contains('=') => drop(args.next()),
            Some(_) => {}
            None => choosing.push(arg.clone()),
        }
        if arg == "--" {
            choosing.extend(args.by_ref().cloned());
        }
    }
    choosing
}

/// A command of cargo for all tests, as far as the client libraries are there that some of them
/// link.
fn cargo(
    words: &[&str],
    metadata: &Metadata,
    missing: &[ClientLibrary],
    extra: &[String],
) -> Command {
    let mut all = command::cargo(words);
    // Colours would be in the way of reading the results. The second variable
    // is for test binaries, which cargo does not tell about colours.
    all.env("CARGO_TERM_COLOR", "never")
        .env_remove("CLICOLOR_FORCE");
    let chosen = chosen_packages(extra);
    let mut packages = metadata.workspace_packages();
    packages.retain(|package| chosen.is_empty() || chosen.contains(&package.name.as_str()));
    all.args(client_library::feature_args(&packages, missing));
    // Cargo would ignore the choice of a package next to it.
    if chosen.is_empty() {
        all.arg("--workspace");
    }
    all.args(extra);
    all
}

const THREADS: &str = "NEXTEST_TEST_THREADS";

/// Whether the arguments choose nothing smaller than a package, so that the documentation of these
/// is meant as well.
fn is_choice_of_packages(args: &[String]) -> bool {
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        match arg.strip_prefix("--package").or(arg.strip_prefix("-p")) {
            Some("") => drop(args.next()),
            Some(_) => {}
            None => return false,
        }
    }
    true
}

/// The packages that are chosen, as far as they are named in the same word as the option or in the
/// next one.
fn chosen_packages(args: &[String]) -> Vec<&str> {
    let mut args = args.iter().take_while(|arg| *arg != "--");
    let mut chosen = Vec::new();
    while let Some(arg) = args.next() {
        match arg.strip_prefix("--package").or(arg.strip_prefix("-p")) {
            Some("") => chosen.extend(args.next().map(String::as_str)),
            Some(name) => chosen.push(name.trim_start_matches('=')),
            None => {}
        }
    }
    chosen
}

/// Reads the totals from a line.
type ReadLine = fn(&mut Totals, &str);

/// Runs a command and passes its output on line by line, reading each.
fn stream(
    mut command: Command,
    spawn: fn(&mut Command) -> io::Result<Child>,
    shown: &str,
    mut read_line: impl FnMut(&str),
) -> Result<ExitStatus> {
    println!("$ {shown}");
    let (reader, writer) = io::pipe().context("could not create a pipe")?;
    command
        // Both into one pipe, which keeps their order.
        .stdout(writer.try_clone().context("could not create a pipe")?)
        .stderr(writer);
    let failed = || format!("could not run `{shown}`");
    let mut child = spawn(&mut command).with_context(failed)?;
    // It holds ends of the pipe, which would never close otherwise.
    drop(command);

    let mut reader = BufReader::new(reader);
    let mut line = Vec::new();
    let mut stdout = io::stdout().lock();
    while reader.read_until(b'\n', &mut line).with_context(failed)? > 0 {
        stdout.write_all(&line).context("could not write")?;
        read_line(&String::from_utf8_lossy(&line));
        line.clear();
    }
    stdout.flush().context("could not write")?;
    child.wait().with_context(failed)
}

/// What to say about one database, going by the results of its tests.
fn backend_line(backend: Backend, counts: &Counts, is_choice: bool) -> String {
    let (passed, failed, skipped) = (counts.passed, counts.failed, counts.skipped);
    let message = match (counts.ran(), &counts.reason) {
        (ran @ 1.., _) => {
            let mut details = tests(ran);
            if failed > 0 {
                details += &format!(", {failed} failed");
            }
            if skipped > 0 {
                details += &format!(", {skipped} more ignored");
            }
            let mut verb = String::from(if passed > 0 { "ran" } else { "none passed" });
            if !counts.versions.is_empty() {
                let versions = counts.versions.iter().map(String::as_str);
                verb += &format!(" on {}", versions.collect::<Vec<_>>().join(" and "));
            }
            format!("{verb} ({details})")
        }
        (0, Some(reason)) => format!("ignored: {reason}"),
        (0, None) if skipped > 0 => format!("ignored: {}", tests(skipped)),
        _ if is_choice => "no tests among those chosen".to_owned(),
        _ => "no tests for this backend yet".to_owned(),
    };
    format!("{:<10} {message}", test_name(backend))
}

fn tests(count: usize) -> String {
    format!("{count} {}", if count == 1 { "test" } else { "tests" })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use clap::Parser;

    use super::*;

    fn args(words: &str) -> Vec<String> {
        words.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn tests_are_listed_without_what_says_how_to_run_them() {
        let listed = |words| without_run_options(&args(words)).join(" ");
        let given = "-p xtask -j 1 --no-capture --retries=2 -E all() name -- --exact -j";
        assert_eq!(listed(given), "-p xtask -E all() name -- --exact -j");
    }

    #[test]
    fn the_line_of_a_backend_says_what_ran_or_why_nothing_did() {
        for (passed, failed, skipped, is_choice, expected) in [
            (14, 0, 0, false, "ran (14 tests)"),
            (1, 0, 0, false, "ran (1 test)"),
            (12, 2, 1, true, "ran (14 tests, 2 failed, 1 more ignored)"),
            (0, 2, 0, false, "none passed (2 tests, 2 failed)"),
            (0, 0, 3, false, "ignored: 3 tests"),
            (0, 0, 0, false, "no tests for this backend yet"),
            (0, 0, 0, true, "no tests among those chosen"),
        ] {
            let counts = Counts::new(passed, failed, skipped);
            let line = backend_line(Backend::MySql, &counts, is_choice);
            assert_eq!(line, format!("mysql      {expected}"));
        }
        let mut ran = Counts::new(14, 0, 0);
        ran.versions = BTreeSet::from(["9.7.4".to_owned()]);
        let line = backend_line(Backend::MySql, &ran, false);
        assert_eq!(line, "mysql      ran on 9.7.4 (14 tests)");
        let mut ignored = Counts::new(0, 0, 3);
        ignored.reason = Some("no address".to_owned());
        let line = backend_line(Backend::Sqlite, &ignored, false);
        assert_eq!(line, "sqlite     ignored: no address");
    }

    #[test]
    fn containers_are_asked_for_with_or_without_a_choice() {
        #[derive(Debug, clap::Parser)]
        struct Test {
            #[command(flatten)]
            args: Args,
        }
        let parsed = |words: &str| Test::try_parse_from(args(&format!("test {words}")));

        assert_eq!(parsed("").unwrap().args.containers, None);
        let all = parsed("--containers -- -p rowkey-tests").unwrap().args;
        assert_eq!(all.containers, Some(Vec::new()));
        assert_eq!(all.test_args, ["-p", "rowkey-tests"]);
        let chosen = parsed("--containers=postgres,mariadb").unwrap().args;
        assert_eq!(chosen.containers.unwrap(), ["postgres", "mariadb"]);
        // Not taken for a choice: nor is it a filter of tests, which follows `--`.
        assert!(parsed("--containers postgres").is_err());
        assert!(parsed("--containers=sqlite").is_err());
    }

    #[test]
    fn examples_of_the_documentation_belong_to_packages() {
        for (words, expected) in [
            ("", true),
            ("-p rowkey-core --package=rowkey", true),
            ("-prowkey round_trip", false),
            ("-p rowkey -- round_trip", false),
            ("--test databases", false),
        ] {
            assert_eq!(is_choice_of_packages(&args(words)), expected, "{words}");
        }
    }

    #[test]
    fn a_choice_of_packages_is_seen_before_the_arguments_of_the_test_binaries() {
        for (words, chosen) in [
            ("-p rowkey-core", &["rowkey-core"][..]),
            ("-prowkey-core -v", &["rowkey-core"]),
            ("--package=rowkey-core", &["rowkey-core"]),
            ("-p rowkey --package a -- rowkey-core", &["rowkey", "a"]),
            ("round_trip -- -p", &[]),
            ("--profile release", &[]),
        ] {
            assert_eq!(chosen_packages(&args(words)), chosen, "{words}");
        }
    }
}
