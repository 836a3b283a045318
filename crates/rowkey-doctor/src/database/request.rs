//! Which column to look at, and how closely.

use std::time::Duration;

use crate::answers::declaration::argument;
use crate::answers::witness::Witness;
use rowkey_tables::catalog::QualifiedName;

/// How long a statement may take if a sample is read.
const SAMPLE_TIMEOUT: Duration = Duration::from_secs(60);

/// How long a statement may take if everything is read.
const FULL_TIMEOUT: Duration = Duration::from_secs(3_600);

/// Which column to look at, and how closely.
#[derive(Clone, Debug)]
pub struct Request {
    /// The table.
    pub table: QualifiedName,
    /// The column.
    pub column: String,
    /// The column with the time at which a row was made; without one, it is found by its name.
    pub created: Option<String>,
    /// Whether to read all rows instead of a sample of 10,000.
    pub full: bool,
    /// Ids whose stored and public forms are known.
    pub witnesses: Vec<Witness>,
    /// How long each statement may take; without one, a minute, and an hour to read everything.
    pub timeout: Option<Duration>,
    /// The address without a password, if commands that the report names should repeat it.
    pub url: Option<String>,
}

impl Request {
    /// Looks at a sample of a column.
    pub fn new(table: impl Into<QualifiedName>, column: impl Into<String>) -> Self {
        Self {
            table: table.into(),
            column: column.into(),
            created: None,
            full: false,
            witnesses: Vec::new(),
            timeout: None,
            url: None,
        }
    }

    pub(crate) fn timeout(&self) -> Duration {
        self.timeout.unwrap_or(match self.full {
            true => FULL_TIMEOUT,
            false => SAMPLE_TIMEOUT,
        })
    }

    /// The options of a command line that name the database.
    pub(crate) fn options(&self) -> String {
        match &self.url {
            Some(url) => format!(" --url {}", argument(url)),
            None => String::new(),
        }
    }
}
