//! Servers in containers start when tests need them, and are gone when the tests have ended.

use std::process::{self, Command, ExitCode, Output, Stdio};
use std::{env, thread};

use anyhow::{Result, ensure};
use rowkey_testkit::libtest_mimic::{Arguments, Trial, run};
use rowkey_testkit::{Backend, REQUIRE_VARIABLE, RESULTS_VARIABLE, Suite, url_variable};

/// Makes this binary a suite whose only test ends in this way.
const END: &str = "ROWKEY_TEST_END";

fn main() -> Result<ExitCode> {
    if let Ok(end) = env::var(END) {
        return suite(end);
    }
    let ends = [("well", 0), ("panic", 101), ("INT", 130), ("TERM", 130)];
    let ends = ends.map(|(end, code)| {
        let trial = Trial::test(format!("docker::{end}"), move || {
            Ok(leaves_nothing(end, code)?)
        });
        // For those who ask for it: without PostgreSQL's image, Docker would download it.
        trial.with_ignored_flag(true)
    });
    let without = Trial::test("without_docker", || Ok(without_docker()?));
    let trials = ends.into_iter().chain([without]).collect();
    Ok(run(&Arguments::from_args(), trials).exit_code())
}

fn suite(end: String) -> Result<ExitCode> {
    let mut suite = Suite::from_env()?.or_containers();
    suite.test_on(Backend::Postgres, "ends", move |_| match &*end {
        "well" => anyhow::Ok(()),
        "panic" => panic!("as the test wants"),
        signal => {
            let pid = process::id().to_string();
            Command::new("kill").args(["-s", signal, &pid]).status()?;
            loop {
                thread::park();
            }
        }
    });
    Ok(suite.run())
}

/// Runs this binary as a suite, and returns its process id and what it wrote.
fn run_suite(end: &str, variables: &[(&str, &str)]) -> Result<(u32, Output)> {
    let mut suite = Command::new(env::current_exe()?);
    let url = url_variable(Backend::Postgres).unwrap_or_default();
    for variable in [url, REQUIRE_VARIABLE, RESULTS_VARIABLE] {
        suite.env_remove(variable);
    }
    suite.env(END, end).envs(variables.iter().copied());
    let suite = suite.stdout(Stdio::piped()).stderr(Stdio::piped());
    let suite = suite.spawn()?;
    Ok((suite.id(), suite.wait_with_output()?))
}

fn leaves_nothing(end: &str, code: i32) -> Result<()> {
    let (pid, output) = run_suite(end, &[])?;
    ensure!(output.status.code() == Some(code), "{output:?}");
    let mut docker = Command::new("docker");
    docker.args(["ps", "--all", "--format={{.Labels}}"]);
    let left = docker.output()?;
    ensure!(left.status.success(), "{left:?}");
    let left = String::from_utf8(left.stdout)?;
    ensure!(!left.contains(&format!("rowkey.run={pid}-")), "{left}");
    Ok(())
}

fn without_docker() -> Result<()> {
    let nowhere = ("DOCKER_HOST", "unix:///nowhere/docker.sock");
    let is_said = |text: Vec<u8>| String::from_utf8_lossy(&text).contains("Docker does not answer");
    let (_, ignored) = run_suite("well", &[nowhere])?;
    ensure!(
        ignored.status.success() && is_said(ignored.stderr),
        "not ignored"
    );
    let summary = String::from_utf8_lossy(&ignored.stdout);
    ensure!(summary.contains("1 ignored"), "{summary}");
    let (_, required) = run_suite("well", &[nowhere, (REQUIRE_VARIABLE, "postgres")])?;
    ensure!(
        !required.status.success() && is_said(required.stdout),
        "not failed"
    );
    Ok(())
}
