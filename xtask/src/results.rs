//! How tests ended: their sum, and those of each database.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use anyhow::{Context, Result};
use rowkey_testkit::{Backend, Outcome, TestResult};
use serde_json::Value;

/// How many tests ended in which way, and why one of them was skipped.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) passed: usize,
    pub(crate) failed: usize,
    pub(crate) skipped: usize,
    pub(crate) reason: Option<String>,
    /// The versions of the servers.
    pub(crate) versions: BTreeSet<String>,
}

impl Counts {
    #[cfg(test)]
    pub(crate) fn new(passed: usize, failed: usize, skipped: usize) -> Self {
        Self {
            passed,
            failed,
            skipped,
            ..Self::default()
        }
    }

    /// How many tests ran at all.
    pub(crate) fn ran(&self) -> usize {
        self.passed + self.failed
    }
}

/// The tests of each database, as the test kit has written them down. Of the ignored ones only
/// those count that were chosen, if their names are known.
pub(crate) fn of_backends(
    file: &Path,
    chosen: Option<&Vec<String>>,
) -> Result<BTreeMap<Backend, Counts>> {
    let results = TestResult::read_all(file).context("could not read the results of the tests")?;
    let mut backends = BTreeMap::new();
    for result in results {
        let backend = result.backend();
        let backend = backend.with_context(|| format!("`{}` has no database", result.test))?;
        if result.outcome == Outcome::Ignored
            && chosen.is_some_and(|chosen| !chosen.contains(&result.test))
        {
            continue;
        }
        let counts: &mut Counts = backends.entry(backend).or_default();
        counts.versions.extend(result.version);
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

/// The tests that nextest finds.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Listed {
    /// How many will run.
    pub(crate) to_run: usize,
    /// The names of the ignored ones.
    pub(crate) ignored: Vec<String>,
    /// How many a filter has left out.
    filtered_out: usize,
}

impl Listed {
    /// Reads the answer of `cargo nextest list --run-ignored=all --message-format=json`.
    pub(crate) fn read(answer: &str) -> Result<Self> {
        let answer: Value = serde_json::from_str(answer).context("nextest lists no tests")?;
        let binaries = answer["rust-suites"].as_object();
        let binaries = binaries.context("nextest lists no test binaries")?.values();
        let mut listed = Self::default();
        for tests in binaries.filter_map(|binary| binary["testcases"].as_object()) {
            for (name, test) in tests {
                if test["filter-match"]["status"] != "matches" {
                    listed.filtered_out += 1;
                } else if test["ignored"] == true {
                    listed.ignored.push(name.clone());
                } else {
                    listed.to_run += 1;
                }
            }
        }
        Ok(listed)
    }
}

/// The sum of all test binaries, those without a database and documentation included, as each says
/// at its end.
#[derive(Debug, Default)]
pub(crate) struct Totals {
    pub(crate) counts: Counts,
    /// How many tests a filter has left out.
    filtered_out: usize,
    /// Whether the lines are what failed tests have written.
    is_quoted: bool,
}

impl Totals {
    /// Whether there are tests, but a filter has left out all of them.
    pub(crate) fn is_all_filtered_out(&self) -> bool {
        self.filtered_out > 0 && self.counts == Counts::default()
    }

    /// Takes what nextest finds but does not run.
    pub(crate) fn add_left_out(&mut self, listed: &Listed) {
        self.counts.skipped += listed.ignored.len();
        self.filtered_out += listed.filtered_out;
    }

    /// Takes the next line of the output of `cargo nextest run`.
    pub(crate) fn read_line_of_nextest(&mut self, line: &str) {
        if let Some([run, passed]) = nextest_summary(line) {
            self.counts.passed += passed;
            self.counts.failed += run - passed;
        }
    }

    /// Takes the next line of the output of `cargo test`.
    pub(crate) fn read_line(&mut self, line: &str) {
        // The output of tests is between two such lines.
        self.is_quoted ^= line.trim_end() == "failures:";
        let summary = summary(line).filter(|_| !self.is_quoted);
        if let Some([passed, failed, ignored, _, filtered_out]) = summary {
            self.counts.passed += passed;
            self.counts.failed += failed;
            self.counts.skipped += ignored;
            self.filtered_out += filtered_out;
        }
    }
}

/// Reads `Summary [   0.230s] 6 tests run: 5 passed, 1 failed, 3 skipped`. Whatever has not passed
/// has failed: it may have been killed, too.
fn nextest_summary(line: &str) -> Option<[usize; 2]> {
    // What tests have written is indented by four.
    let rest = line.strip_prefix("     Summary [")?;
    let (run, ends) = rest.split_once("] ")?.1.split_once(" run: ")?;
    // Of a run that was interrupted, `6/7 tests run`.
    let run = run.split(['/', ' ']).next()?.parse().ok()?;
    let passed = ends
        .split_once(" passed")
        .map_or(Some(0), |(passed, _)| passed.parse().ok())?;
    (passed <= run).then_some([run, passed])
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

failures:

---- postgres::round_trip stdout ----
test result: ok. 77 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.42s

failures:
    postgres::round_trip

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
    fn what_nextest_runs_is_counted_and_so_is_what_it_leaves_out() {
        let test = |is_ignored, status: &str| serde_json::json!({"ignored": is_ignored, "filter-match": {"status": status}});
        let answer = serde_json::json!({"rust-suites": {
            "a::it": {"testcases": {"one": test(false, "matches"), "two": test(false, "mismatch")}},
            "b::databases": {"testcases": {"mysql::one": test(true, "matches")}},
            "c": {"status": "skipped"},
        }});
        let listed = Listed::read(&answer.to_string()).unwrap();
        let expected = Listed {
            to_run: 1,
            ignored: vec!["mysql::one".to_owned()],
            filtered_out: 1,
        };
        assert_eq!(listed, expected);
        assert!(Listed::read("{}").is_err());

        let mut totals = Totals::default();
        totals.add_left_out(&listed);
        totals.read_line_of_nextest(
            "     Summary [   0.230s] 6 tests run: 4 passed (1 leaky), 2 failed, 3 skipped",
        );
        totals.read_line_of_nextest(
            "     Summary [   0.1s] 2/3 tests run: 1 failed, 1 timed out, 0 skipped",
        );
        totals.read_line_of_nextest("     Summary [1s] 1 test run: 1 passed, 0 skipped");
        totals.read_line_of_nextest("    Summary [1s] 100 tests run: 100 passed");
        assert_eq!(totals.counts, Counts::new(5, 4, 1));
        assert!(!totals.is_all_filtered_out());
    }

    #[test]
    fn tests_of_databases_are_counted_by_backend() {
        let file = env::temp_dir().join(format!("rowkey-xtask-results-{}", process::id()));
        assert!(of_backends(&file, None).unwrap().is_empty());
        let lines = "\
{\"test\":\"postgres::insert\",\"outcome\":\"passed\",\"version\":\"18.6\"}
{\"test\":\"postgres::round_trip\",\"outcome\":\"failed\"}
{\"test\":\"mysql::insert\",\"outcome\":\"ignored\",\"reason\":\"why\"}
{\"test\":\"sqlserver::insert (order unverified)\",\"outcome\":\"ignored\"}
";
        fs::write(&file, lines).unwrap();
        let found = of_backends(&file, None);
        let chosen = of_backends(&file, Some(&Vec::new()));
        fs::write(&file, "{\"test\":\"nothing\",\"outcome\":\"passed\"}").unwrap();
        let unknown = of_backends(&file, None);
        fs::remove_file(&file).unwrap();
        let mut mysql = Counts::new(0, 0, 1);
        mysql.reason = Some("why".to_owned());
        let mut postgres = Counts::new(1, 1, 0);
        postgres.versions.insert("18.6".to_owned());
        let only_chosen = BTreeMap::from([(Backend::Postgres, postgres.clone())]);
        assert_eq!(chosen.unwrap(), only_chosen);
        let expected = [
            (Backend::Postgres, postgres),
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
