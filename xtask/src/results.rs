//! Reading the results of `cargo test` from what it writes.
//!
//! The output of cargo and of the test binaries is read as one stream, because
//! only cargo's own lines tell which binary the results after them belong to.
//! A unit test may well be called `postgres::...` without ever meeting a
//! database.

use std::path::Path;

use crate::backend::Backend;

/// How many tests ended in which way.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) passed: usize,
    pub(crate) failed: usize,
    pub(crate) skipped: usize,
}

impl Counts {
    /// How many tests ran at all.
    pub(crate) fn ran(self) -> usize {
        self.passed + self.failed
    }

    fn add(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Passed => self.passed += 1,
            Outcome::Failed => self.failed += 1,
            Outcome::Skipped => self.skipped += 1,
        }
    }

    fn add_all(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }
}

#[derive(Debug, Clone, Copy)]
enum Outcome {
    Passed,
    Failed,
    Skipped,
}

impl Outcome {
    /// Reads what follows the name of a test, where a reason may come after
    /// the word.
    fn parse(text: &str) -> Option<Self> {
        let word = text.trim().split([' ', ',']).next()?;
        match word {
            "ok" => Some(Self::Passed),
            "FAILED" => Some(Self::Failed),
            "ignored" => Some(Self::Skipped),
            _ => None,
        }
    }
}

/// The results of one or more runs of `cargo test`.
#[derive(Debug)]
pub(crate) struct Results {
    /// The test targets whose tests are called `<backend>::<scenario>`.
    database_targets: Vec<String>,
    totals: Counts,
    backends: [Counts; Backend::ALL.len()],
    /// How many tests a filter has left out.
    filtered_out: usize,
    /// Whether the lines come from one of the database targets.
    in_database_target: bool,
    /// A database test whose name was read but not yet how it ended: something
    /// else was written in between.
    pending: Option<Backend>,
}

impl Results {
    /// No results yet. The test targets are named as in their manifest.
    pub(crate) fn new(database_targets: impl IntoIterator<Item = String>) -> Self {
        Self {
            // The names of executables have no hyphens.
            database_targets: database_targets
                .into_iter()
                .map(|target| target.replace('-', "_"))
                .collect(),
            totals: Counts::default(),
            backends: Default::default(),
            filtered_out: 0,
            in_database_target: false,
            pending: None,
        }
    }

    /// The sum of all test binaries.
    pub(crate) fn totals(&self) -> Counts {
        self.totals
    }

    /// Whether there are tests, but a filter has left out all of them.
    pub(crate) fn is_all_filtered_out(&self) -> bool {
        self.filtered_out > 0 && self.totals == Counts::default()
    }

    /// The integration tests of one database.
    pub(crate) fn backend(&self, backend: Backend) -> Counts {
        self.backends[backend as usize]
    }

    /// Takes the next line of the output.
    pub(crate) fn read_line(&mut self, line: &str) {
        if let Some(target) = started_target(line) {
            self.in_database_target = self.database_targets.iter().any(|known| known == target);
            self.pending = None;
        } else if line.trim_start().starts_with("Doc-tests ") {
            self.in_database_target = false;
            self.pending = None;
        } else if let Some((counts, filtered_out)) = summary(line) {
            self.totals.add_all(counts);
            self.filtered_out += filtered_out;
            self.pending = None;
        } else if self.in_database_target {
            self.read_database_line(line);
        }
    }

    fn read_database_line(&mut self, line: &str) {
        let outcome = match database_test(line) {
            Some((backend, outcome)) => {
                self.pending = Some(backend);
                outcome
            }
            None => line,
        };
        if let (Some(backend), Some(outcome)) = (self.pending, Outcome::parse(outcome)) {
            self.backends[backend as usize].add(outcome);
            self.pending = None;
        }
    }
}

/// Reads `     Running tests/name.rs (target/debug/deps/name-0123456789abcdef)`.
fn started_target(line: &str) -> Option<&str> {
    let (_, path) = line.trim().strip_prefix("Running ")?.rsplit_once('(')?;
    let stem = Path::new(path.strip_suffix(')')?).file_stem()?.to_str()?;
    let (name, hash) = stem.rsplit_once('-')?;
    let is_hash = hash.len() == 16 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hash.then_some(name)
}

/// Reads `test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 2 filtered out; ...`, of which
/// the last number stands apart.
fn summary(line: &str) -> Option<(Counts, usize)> {
    let (verdict, counts) = line
        .trim_end()
        .strip_prefix("test result: ")?
        .split_once(". ")?;
    if !matches!(verdict, "ok" | "FAILED") {
        return None;
    }
    let mut counts = counts.split("; ");
    let mut count = |what: &str| counts.next()?.strip_suffix(what)?.parse::<usize>().ok();
    let outcomes = Counts {
        passed: count(" passed")?,
        failed: count(" failed")?,
        skipped: count(" ignored")?,
    };
    count(" measured")?;
    Some((outcomes, count(" filtered out")?))
}

/// Reads `test postgres::round_trip ... ok`, of which the end may be missing.
fn database_test(line: &str) -> Option<(Backend, &str)> {
    let mut rest = line.strip_prefix("test ")?;
    if rest.starts_with('[') {
        // The optional kind of a test.
        rest = rest.split_once("] ")?.1;
    }
    // Names are padded with blanks to the same width.
    let (name, outcome) = rest
        .split_once(" ... ")
        .or_else(|| rest.split_once(" ..."))?;
    let (backend, _) = name.split_once("::")?;
    Some((Backend::from_name(backend)?, outcome))
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUTPUT: &str = "\
   Compiling rowkey-tests v0.1.0
    Finished `test` profile [unoptimized + debuginfo] target(s) in 0.31s
     Running unittests src/lib.rs (target/debug/deps/rowkey_sqlx-00d1f0a2b3c4d5e6)

running 2 tests
test postgres::tests::encodes ... ok
test sqlite::tests::encodes ... ignored, needs a file

test result: ok. 1 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s

     Running tests/live.rs (target/debug/deps/live_databases-29c0a7a4e0ae9c9d)

running 6 tests
test mysql::insert         ... ignored
test mysql::round_trip     ... ignored
test postgres::insert      ... ok
test postgres::round_trip  ... FAILED
test sqlite::insert        ... ok
test [slow] sqlite::bulk   ... ok

failures:

---- postgres::round_trip ----
the row is gone


failures:
    postgres::round_trip

test result: FAILED. 3 passed; 1 failed; 2 ignored; 0 measured; 0 filtered out; finished in 0.42s

   Doc-tests rowkey

running 1 test
test crates/rowkey/src/lib.rs - postgres::example (line 3) ... ok

test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.30s
";

    fn read(output: &str) -> Results {
        let mut results = Results::new(["live-databases".to_owned()]);
        output.lines().for_each(|line| results.read_line(line));
        results
    }

    fn counts(passed: usize, failed: usize, skipped: usize) -> Counts {
        Counts {
            passed,
            failed,
            skipped,
        }
    }

    #[test]
    fn summaries_of_all_binaries_add_up() {
        assert_eq!(read(OUTPUT).totals(), counts(5, 1, 3));
    }

    #[test]
    fn only_the_database_target_counts_for_a_backend() {
        let results = read(OUTPUT);
        assert_eq!(results.backend(Backend::Postgres), counts(1, 1, 0));
        assert_eq!(results.backend(Backend::Mysql), counts(0, 0, 2));
        assert_eq!(results.backend(Backend::Mariadb), counts(0, 0, 0));
        assert_eq!(results.backend(Backend::Sqlite), counts(2, 0, 0));
        assert_eq!(results.backend(Backend::Sqlserver), counts(0, 0, 0));
    }

    #[test]
    fn output_within_a_line_does_not_hide_how_the_test_ended() {
        let results = read(
            "     \
     Running tests/live.rs (/elsewhere/debug/deps/live_databases-29c0a7a4e0ae9c9d)
test sqlite::insert ... a message of the test
and a second one
ok
test sqlite::bulk   ...
FAILED
ok
",
        );
        assert_eq!(results.backend(Backend::Sqlite), counts(1, 1, 0));
    }

    #[test]
    fn what_a_test_writes_is_not_taken_for_a_line_of_cargo() {
        let results = read(
            "     \
     Running tests/live.rs (target/debug/deps/live_databases-29c0a7a4e0ae9c9d)
Running migrations (all of them)
test result: looks fine. 7 passed
test sqlite::insert ... ok
",
        );
        assert_eq!(results.totals(), counts(0, 0, 0));
        assert_eq!(results.backend(Backend::Sqlite), counts(1, 0, 0));
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
