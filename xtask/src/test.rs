//! `cargo xtask test`: every test, and which databases took part.

use std::{
    env,
    io::{self, BufRead, BufReader, Write},
    process::{Command, ExitCode, ExitStatus, Stdio},
};

use anyhow::{Context, Result};

use crate::{
    backend::{Backend, REQUIRE_VARIABLE},
    client_library::{self, ClientLibrary},
    command,
    results::{Counts, Results},
    workspace::{CONTAINERS_PACKAGE, Metadata, TESTKIT_PACKAGE},
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
        num_args = 0..,
        require_equals = true,
        value_parser = Backend::parse_with_container
    )]
    containers: Option<Vec<Backend>>,
    /// Further arguments of `cargo test`, such as a filter or `-p <package>`.
    #[arg(last = true)]
    cargo_test_args: Vec<String>,
}

/// Runs the tests. Failures are part of the answer, not an error: the totals
/// are the last line in any case.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    if let Some(backends) = &args.containers {
        return run_with_containers(backends, &args.cargo_test_args);
    }
    let required = Backend::parse_list(&env::var(REQUIRE_VARIABLE).unwrap_or_default())?;
    let metadata = Metadata::load()?;
    let missing = ClientLibrary::missing();
    let mut results = Results::new(database_targets(&metadata));
    let mut problems = Vec::new();

    let mut cargo_test = cargo_test(&metadata, &missing, &args.cargo_test_args);
    let status = stream(&mut cargo_test, &mut results)?;
    if !status.success() {
        problems.push(format!(
            "`{}` failed with {status}",
            command::shown(&cargo_test)
        ));
    }

    if results.is_all_filtered_out() {
        problems.push("no test has a name that the filter matches".to_owned());
    }
    for backend in required {
        if results.backend(backend).ran() == 0 {
            problems.push(format!(
                "{REQUIRE_VARIABLE} names {backend}, but none of its tests ran"
            ));
        }
    }

    println!();
    for backend in Backend::ALL {
        let counts = results.backend(backend);
        let is_choice = !args.cargo_test_args.is_empty();
        let line = backend_line(backend, counts, is_choice, |name| env::var(name).ok());
        println!("{line}");
    }
    for library in missing {
        println!("ignored: {library}");
    }
    for problem in &problems {
        eprintln!("error: {problem}");
    }
    let totals = results.totals();
    println!(
        "{} passed, {} failed, {} skipped",
        totals.passed, totals.failed, totals.skipped
    );

    let good = problems.is_empty() && totals.failed == 0;
    Ok(if good {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Runs this task once more, with servers in containers around it.
fn run_with_containers(backends: &[Backend], cargo_test_args: &[String]) -> Result<ExitCode> {
    let mut containers = command::cargo(&["run", "--package", CONTAINERS_PACKAGE, "--"]);
    if !backends.is_empty() {
        let names: Vec<&str> = backends.iter().map(|backend| backend.name()).collect();
        containers.arg(format!("--servers={}", names.join(",")));
    }
    let cargo = containers.get_program().to_owned();
    containers
        .arg("--")
        // Through cargo: its variables, such as where the workspace is, are of the other package.
        .arg(cargo)
        .args(["xtask", "test", "--"])
        .args(cargo_test_args);
    command::replace(&mut containers)
}

/// The run of `cargo test` that makes up all tests, as far as the client libraries are there that
/// some of them link.
fn cargo_test(metadata: &Metadata, missing: &[ClientLibrary], extra: &[String]) -> Command {
    let mut all = command::cargo(&["test", "--no-fail-fast"]);
    // Colours would be in the way of reading the results. The second variable
    // is for test binaries, which cargo does not tell about colours.
    all.env("CARGO_TERM_COLOR", "never")
        .env_remove("CLICOLOR_FORCE");
    // Cargo would ignore the choice of a package next to --workspace.
    if selects_packages(extra) {
        let is_selected = |name: &str| selects_package(extra, name);
        all.args(client_library::feature_args(metadata, is_selected, missing));
    } else {
        all.args(client_library::feature_args(metadata, |_| true, missing));
        all.arg("--workspace");
    }
    all.args(extra);
    all
}

fn selects_packages(cargo_test_args: &[String]) -> bool {
    cargo_test_args
        .iter()
        .take_while(|arg| *arg != "--")
        .any(|arg| arg.starts_with("--package") || arg.starts_with("-p"))
}

/// Whether the package of this name is one of those that are chosen.
fn selects_package(cargo_test_args: &[String], name: &str) -> bool {
    let mut args = cargo_test_args.iter().take_while(|arg| *arg != "--");
    args.any(|arg| {
        arg.trim_start_matches("--package=")
            .trim_start_matches("-p")
            == name
    })
}

/// The test targets whose tests run against databases: those of the packages
/// that use the testkit.
fn database_targets(metadata: &Metadata) -> Vec<String> {
    metadata
        .members()
        .filter(|package| package.name == TESTKIT_PACKAGE || package.depends_on(TESTKIT_PACKAGE))
        .flat_map(|package| package.targets_of_kind("test"))
        .map(str::to_owned)
        .collect()
}

/// Runs a command and passes its output on line by line, reading results from
/// each.
fn stream(command: &mut Command, results: &mut Results) -> Result<ExitStatus> {
    let shown = command::shown(command);
    println!("$ {shown}");

    let (reader, writer) = io::pipe().context("could not create a pipe")?;
    command
        // Both into one pipe, which keeps the order that results are read by.
        .stdout(writer.try_clone().context("could not create a pipe")?)
        .stderr(writer);
    let mut child = command
        .spawn()
        .with_context(|| format!("could not start `{shown}`"))?;
    // The command holds ends of the pipe, which would never close otherwise.
    command.stdout(Stdio::inherit()).stderr(Stdio::inherit());

    let mut reader = BufReader::new(reader);
    let mut line = Vec::new();
    let mut stdout = io::stdout().lock();
    while reader
        .read_until(b'\n', &mut line)
        .context("could not read the output of the tests")?
        > 0
    {
        stdout.write_all(&line).context("could not write")?;
        results.read_line(String::from_utf8_lossy(&line).trim_end_matches(['\r', '\n']));
        line.clear();
    }
    stdout.flush().context("could not write")?;
    child
        .wait()
        .with_context(|| format!("could not wait for `{shown}`"))
}

/// What to say about one database, going by the results of its tests. The
/// environment is only asked for the reason why none of them met it.
fn backend_line(
    backend: Backend,
    counts: Counts,
    is_choice: bool,
    variable: impl Fn(&str) -> Option<String>,
) -> String {
    let missing_url = backend
        .url_variable()
        .filter(|name| variable(name).is_none_or(|value| value.is_empty()));
    let message = match (counts, missing_url) {
        // Tests of a required database fail without its address.
        (
            Counts {
                passed: 0,
                failed: 1..,
                ..
            },
            Some(name),
        ) => {
            format!(
                "did not run ({} failed): {name} is not set",
                tests(counts.failed)
            )
        }
        (
            Counts {
                passed,
                failed,
                skipped,
            },
            _,
        ) if counts.ran() > 0 => {
            let mut details = tests(passed + failed);
            if failed > 0 {
                details += &format!(", {failed} failed");
            }
            if skipped > 0 {
                details += &format!(", {skipped} more ignored");
            }
            format!("ran ({details})")
        }
        (Counts { skipped: 1.., .. }, Some(name)) => format!("ignored: {name} is not set"),
        (
            Counts {
                skipped: skipped @ 1..,
                ..
            },
            None,
        ) => match backend.url_variable() {
            Some(name) => format!("ignored: {}, although {name} is set", tests(skipped)),
            None => format!("ignored: {}", tests(skipped)),
        },
        _ if is_choice => "no tests among those chosen".to_owned(),
        _ => "no tests for this backend yet".to_owned(),
    };
    format!("{backend:<10} {message}")
}

fn tests(count: usize) -> String {
    format!("{count} {}", if count == 1 { "test" } else { "tests" })
}

#[cfg(test)]
mod tests {
    use std::iter;

    use clap::Parser;

    use super::*;

    fn line(passed: usize, failed: usize, skipped: usize, url: Option<&str>) -> String {
        let counts = Counts {
            passed,
            failed,
            skipped,
        };
        backend_line(Backend::Mysql, counts, false, |name| {
            assert_eq!(name, "ROWKEY_TEST_MYSQL_URL");
            url.map(str::to_owned)
        })
    }

    #[test]
    fn a_backend_that_ran_is_told_by_its_results() {
        assert_eq!(line(14, 0, 0, None), "mysql      ran (14 tests)");
        assert_eq!(line(1, 0, 0, None), "mysql      ran (1 test)");
        assert_eq!(
            line(12, 2, 1, None),
            "mysql      ran (14 tests, 2 failed, 1 more ignored)"
        );
        assert_eq!(
            line(0, 2, 0, Some("mysql://somewhere")),
            "mysql      ran (2 tests, 2 failed)"
        );
    }

    #[test]
    fn a_required_backend_without_an_address_did_not_run() {
        let did_not_run =
            "mysql      did not run (18 tests failed): ROWKEY_TEST_MYSQL_URL is not set";
        assert_eq!(line(0, 18, 0, None), did_not_run);
        assert_eq!(line(0, 18, 1, Some("")), did_not_run);
    }

    #[test]
    fn an_ignored_backend_comes_with_the_reason() {
        let not_set = "mysql      ignored: ROWKEY_TEST_MYSQL_URL is not set";
        assert_eq!(line(0, 0, 3, None), not_set);
        assert_eq!(line(0, 0, 3, Some("")), not_set);
        assert_eq!(
            line(0, 0, 3, Some("mysql://somewhere")),
            "mysql      ignored: 3 tests, although ROWKEY_TEST_MYSQL_URL is set"
        );
        let ignored = Counts {
            skipped: 1,
            ..Counts::default()
        };
        assert_eq!(
            backend_line(Backend::Sqlite, ignored, false, |_| None),
            "sqlite     ignored: 1 test"
        );
    }

    #[test]
    fn a_backend_without_results_has_no_tests_unless_some_were_chosen() {
        assert_eq!(
            line(0, 0, 0, Some("set")),
            "mysql      no tests for this backend yet"
        );
        assert_eq!(
            backend_line(Backend::Mysql, Counts::default(), true, |_| None),
            "mysql      no tests among those chosen"
        );
    }

    #[test]
    fn containers_are_asked_for_with_or_without_a_choice() {
        #[derive(Debug, clap::Parser)]
        struct Test {
            #[command(flatten)]
            args: Args,
        }
        let args = |words: &str| {
            let words = words.split(' ').filter(|word| !word.is_empty());
            Test::try_parse_from(iter::once("test").chain(words)).map(|test| test.args)
        };

        assert_eq!(args("").unwrap().containers, None);
        let all = args("--containers -- -p rowkey-tests").unwrap();
        assert_eq!(all.containers, Some(Vec::new()));
        assert_eq!(all.cargo_test_args, ["-p", "rowkey-tests"]);
        let chosen = args("--containers=postgres,mariadb").unwrap().containers;
        assert_eq!(chosen, Some(vec![Backend::Postgres, Backend::Mariadb]));

        let error = args("--containers=sqlite").unwrap_err().to_string();
        assert!(
            error.contains(
                "no container is known for `sqlite`; there are postgres, mysql, mariadb, sqlserver"
            ),
            "{error}"
        );
        let error = args("--containers=oracle").unwrap_err().to_string();
        assert!(error.contains("`oracle` is no database"), "{error}");
        // Not taken for a choice: nor is it a filter of tests, which follows `--`.
        assert!(args("--containers postgres").is_err());
    }

    #[test]
    fn a_choice_of_packages_is_seen_before_the_arguments_of_the_test_binaries() {
        let args = |words: &str| words.split(' ').map(str::to_owned).collect::<Vec<_>>();
        assert!(selects_packages(&args("-p rowkey-core")));
        assert!(selects_packages(&args("--package=rowkey-core")));
        assert!(!selects_packages(&args("round_trip -- -p")));
        assert!(!selects_packages(&args("--profile release")));

        for words in ["-p rowkey-core", "-prowkey-core", "--package=rowkey-core"] {
            assert!(selects_package(&args(words), "rowkey-core"));
            assert!(!selects_package(&args(words), "rowkey"));
        }
        assert!(!selects_package(
            &args("-p rowkey -- rowkey-core"),
            "rowkey-core"
        ));
    }
}
