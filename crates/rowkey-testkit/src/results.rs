//! Outcomes of tests, for tools that run several test binaries.

use std::fs;
#[cfg(feature = "suite")]
use std::fs::OpenOptions;
use std::io;
#[cfg(feature = "suite")]
use std::io::Write;
use std::path::Path;

use rowkey_core::Backend;
use serde::{Deserialize, Serialize};

use crate::backend::with_test_name;

/// Names a file to which a suite adds a line of JSON for each test:
/// `{"test":"postgres::round_trip","outcome":"passed","version":"18.6"}`.
///
/// Ignored tests are added when they are left out of a run. A harness that runs each test in a
/// separate process, such as nextest, never runs ignored tests, but lists them before: then they
/// are added when they are listed (`--list --ignored`).
pub const RESULTS_VARIABLE: &str = "ROWKEY_TEST_RESULTS";

/// How a test ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// The test ran and succeeded.
    Passed,
    /// The test returned an error or panicked, or its backend is required and missing.
    Failed,
    /// The test did not run.
    Ignored,
}

/// A line of the file that [`RESULTS_VARIABLE`] names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestResult {
    /// The name of the test, `<backend>::<test>`.
    pub test: String,
    /// How the test ended.
    pub outcome: Outcome,
    /// Why the test was ignored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The version of the server on which the test made a database, such as `18.6`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

impl TestResult {
    /// The backend that the test was for.
    pub fn backend(&self) -> Option<Backend> {
        with_test_name(self.test.split_once("::")?.0)
    }

    /// Reads all lines of a file. A missing file has none.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or a line of it is not a result.
    pub fn read_all(file: &Path) -> io::Result<Vec<Self>> {
        let lines = match fs::read_to_string(file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            lines => lines?,
        };
        let results = lines.lines().map(|line| Ok(serde_json::from_str(line)?));
        results.collect()
    }

    /// Other threads and processes may append to the file at the same time.
    #[cfg(feature = "suite")]
    pub(crate) fn append_to(&self, file: &Path) -> io::Result<()> {
        let line = serde_json::to_string(self)? + "\n";
        let mut file = OpenOptions::new().create(true).append(true).open(file)?;
        file.write_all(line.as_bytes())
    }
}
