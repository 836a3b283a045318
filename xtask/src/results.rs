//! How tests ended: their sum, and those of each database.

use std::{collections::BTreeMap, path::Path};

use anyhow::{Context, Result};
use rowkey_testkit::{Backend, Outcome, TestResult};

/// How many tests ended in which way, and why one of them was skipped.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) passed: usize,
    pub(crate) failed: usize,
    pub(crate) skipped: usize,
    pub(crate) reason: Option<String>,
}

impl Counts {
    #[cfg(test)]
    pub(crate) fn new(passed: usize, failed: usize, skipped: usize) -> Self {
        Self {
            passed,
            failed,
            skipped,
            reason: None,
        }
    }

    /// How many tests ran at all.
    pub(crate) fn ran(&self) -> usize {
        self.passed + self.failed
    }
}

/// The tests of each database, as the test kit has written them down.
pub(crate) fn of_backends(file: &Path) -> Result<BTreeMap<Backend, Counts>> {
    let results = TestResult::read_all(file).context("could not read the results of the tests")?;
    let mut backends = BTreeMap::new();
    for result in results {
        let backend = result.backend();
        let backend = backend.with_context(|| format!("`{}` has no database", result.test))?;
        let counts: &mut Counts = backends.entry(backend).or_default();
        match result.outcome {
            Outcome::Passed => counts.passed += 1,
            Outcome::Failed => counts.failed += 1,
            Outcome::Ignored => {
                counts.skipped += 1;
                counts.reason = result.reason;
            }
        }
    }
    Ok(backends)
}

/// The sum of all test binaries, those without a database and documentation included, as each says
/// at its end.
#[derive(Debug, Default)]
pub(crate) struct Totals {
    pub(crate) counts: Counts,
    /// How many tests a filter has left out.
    filtered_out: usize,
}

impl Totals {
    /// Whether there are tests, but a filter has left out all of them.
    pub(crate) fn is_all_filtered_out(&self) -> bool {
        self.filtered_out > 0 && self.counts == Counts::default()
    }

    /// Takes the next line of the output of `cargo test`.
    pub(crate) fn read_line(&mut self, line: &str) {
        if let Some([passed, failed, ignored, _, filtered_out]) = summary(line) {
            self.counts.passed += passed;
            self.counts.failed += failed;
            self.counts.skipped += ignored;
            self.filtered_out += filtered_out;
        }
    }
}

/// Reads `test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 2 filtered out; ...`.
fn summary(line: &str) -> Option<[usize; 5]> {
    let rest = line.strip_prefix("test result: ")?;
    let rest = rest
        .strip_prefix("ok. ")
        .or(rest.strip_prefix("FAILED. "))?;
    let mut words = rest.split("; ");
    let mut count = |what| words.next()?.strip_suffix(what)?.parse().ok();
    Some([
        count(" passed")?,
        count(" failed")?,
        count(" ignored")?,
        count(" measured")?,
        count(" filtered out")?,
    ])
}

#[cfg(test)]
mod tests {
    use std::{env, fs, process};

    use super::*;

    const OUTPUT: &str = "\
     Running tests/live.rs (target/debug/deps/live_databases-29c0a7a4e0ae9c9d)

running 6 tests
test mysql::insert         ... ignored
test postgres::round_trip  ... FAILED
test result: looks fine. 7 passed
test result: ok. 7 passed

test result: FAILED. 3 passed; 1 failed; 2 ignored; 0 measured; 0 filtered out; finished in 0.42s

   Doc-tests rowkey

test result: ok. 2 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.30s
";

    fn read(output: &str) -> Totals {
        let mut totals = Totals::default();
        output.lines().for_each(|line| totals.read_line(line));
        totals
    }

    #[test]
    fn summaries_of_all_binaries_add_up() {
        assert_eq!(read(OUTPUT).counts, Counts::new(5, 1, 3));
    }

    #[test]
    fn tests_of_databases_are_counted_by_backend() {
        let file = env::temp_dir().join(format!("rowkey-xtask-results-{}", process::id()));
        assert!(of_backends(&file).unwrap().is_empty());
        let lines = "\
{\"test\":\"postgres::insert\",\"outcome\":\"passed\"}
{\"test\":\"postgres::round_trip\",\"outcome\":\"failed\"}
{\"test\":\"mysql::insert\",\"outcome\":\"ignored\",\"reason\":\"why\"}
{\"test\":\"sqlserver::insert (order unverified)\",\"outcome\":\"ignored\"}
";
        fs::write(&file, lines).unwrap();
        let found = of_backends(&file);
        fs::write(&file, "{\"test\":\"nothing\",\"outcome\":\"passed\"}").unwrap();
        let unknown = of_backends(&file);
        fs::remove_file(&file).unwrap();
        let mut mysql = Counts::new(0, 0, 1);
        mysql.reason = Some("why".to_owned());
        let expected = [
            (Backend::Postgres, Counts::new(1, 1, 0)),
            (Backend::MySql, mysql),
            (Backend::SqlServer, Counts::new(0, 0, 1)),
        ];
        assert_eq!(found.unwrap(), BTreeMap::from(expected));
        let unknown = unknown.unwrap_err().to_string();
        assert_eq!(unknown, "`nothing` has no database");
    }

    #[test]
    fn a_filter_that_matches_nothing_is_noticed() {
        let nothing = "\
running 0 tests

test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
";
        let filtered_out = nothing.replace("0 filtered out", "7 filtered out");
        let one_ignored = filtered_out.replace("0 ignored", "1 ignored");
        assert!(read(&filtered_out).is_all_filtered_out());
        assert!(read(&(nothing.to_owned() + &filtered_out)).is_all_filtered_out());
        assert!(!read(&(one_ignored + &filtered_out)).is_all_filtered_out());
        assert!(!read(OUTPUT).is_all_filtered_out());
        // A package without any test, and what `--no-run` writes.
        assert!(!read(nothing).is_all_filtered_out());
        assert!(!read("").is_all_filtered_out());
    }
}
