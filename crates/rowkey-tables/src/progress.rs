//! What a caller hears while a long operation runs.

use std::fmt;

/// A step of an operation, as it begins or goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Step {
    /// Something begins: a phase, or a statement that may take long.
    Begins(String),
    /// Rows of a table were read or written.
    Rows {
        /// The table.
        table: String,
        /// How many so far.
        done: u64,
        /// How many there are, as far as the database's statistics know.
        expected: Option<u64>,
    },
    /// Something that a person should know, although nothing failed.
    Note(String),
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Begins(what) | Self::Note(what) => f.write_str(what),
            Self::Rows {
                table,
                done,
                expected: Some(expected),
            } if done <= expected => write!(f, "{table}: {done} of about {expected} rows"),
            Self::Rows { table, done, .. } => write!(f, "{table}: {done} rows"),
        }
    }
}

/// Receives the steps of an operation: a progress bar, a log, a test.
pub trait Progress: Send {
    /// Takes a step. It should return quickly: the operation waits for it.
    fn report(&mut self, step: Step);
}

/// Reports nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Progress for Silent {
    fn report(&mut self, _: Step) {}
}

/// A closure.
impl<F: FnMut(Step) + Send> Progress for F {
    fn report(&mut self, step: Step) {
        self(step);
    }
}
