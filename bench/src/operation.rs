//! What is measured, and the loops that repeat it.

use std::env;
use std::hint::black_box;

use crate::inputs::{self, COUNT};

/// A build of this crate: one cannot have the feature `coarse-clock` and not have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Build {
    /// With the feature. What does not depend on it is measured there.
    CoarseClock,
    /// Without it.
    SystemClock,
}

impl Build {
    /// What this is.
    pub const THIS: Self = match cfg!(feature = "coarse-clock") {
        true => Self::CoarseClock,
        false => Self::SystemClock,
    };
}

/// A function of rowkey or of a peer, repeated over a fixed set of inputs.
#[derive(Clone, Copy, Debug)]
pub struct Operation {
    /// The name in result files: lower case, digits and hyphens.
    pub name: &'static str,
    /// How many times one round does it; more than one for batches.
    pub per_round: u64,
    /// The operation that costs what the loop around this one costs.
    pub baseline: &'static str,
    /// The variable with the address of the database that it takes values from.
    pub database: Option<&'static str>,
    /// The build that it is measured in.
    pub build: Build,
    rounds: fn(u64),
}

impl Operation {
    /// An operation that costs as much as its loop more than the `baseline`.
    pub(crate) const fn new(name: &'static str, baseline: &'static str, rounds: fn(u64)) -> Self {
        Self {
            name,
            per_round: 1,
            baseline,
            database: None,
            build: Build::CoarseClock,
            rounds,
        }
    }

    /// The same for a round that does it more than once.
    pub(crate) const fn per_round(self, per_round: u64) -> Self {
        Self { per_round, ..self }
    }

    /// The same in the build without the feature `coarse-clock`.
    pub(crate) const fn of_system_clock(self) -> Self {
        Self {
            baseline: "baseline-system-clock",
            build: Build::SystemClock,
            ..self
        }
    }

    /// The same on values of a database, whose address is in this variable.
    #[cfg(feature = "drivers")]
    pub(crate) const fn of_database(self, variable: &'static str) -> Self {
        Self {
            database: Some(variable),
            ..self
        }
    }

    /// Whether the database that it needs is there.
    pub fn is_possible(&self) -> bool {
        self.database
            .is_none_or(|variable| env::var(variable).is_ok_and(|address| !address.is_empty()))
    }

    /// Repeats the operation.
    pub fn run(&self, rounds: u64) {
        (self.rounds)(rounds);
    }

    /// The rounds that make at least this number of operations.
    pub fn rounds_for(&self, operations: u64) -> u64 {
        operations.div_ceil(self.per_round)
    }
}

/// A row of a table of operations: what it is called with, its name, the inputs if there are any,
/// and the function.
macro_rules! operation {
    (plain $name:literal, $function:expr) => {
        $crate::Operation::new($name, "baseline-plain", |rounds| {
            $crate::operation::repeat(rounds, $function)
        })
    };
    (number $name:literal, $inputs:expr, $function:expr) => {
        $crate::Operation::new($name, "baseline-number", |rounds| {
            $crate::operation::on_each(rounds, $inputs, |number| *number, $function)
        })
    };
    (text $name:literal, $inputs:expr, $function:expr) => {
        $crate::Operation::new($name, "baseline-slice", |rounds| {
            $crate::operation::on_each(rounds, $inputs, |text| text.as_str(), $function)
        })
    };
    (bytes $name:literal, $inputs:expr, $function:expr) => {
        $crate::Operation::new($name, "baseline-slice", |rounds| {
            $crate::operation::on_each(rounds, $inputs, |bytes| bytes.as_slice(), $function)
        })
    };
}
pub(crate) use operation;

/// The loops with nothing in them.
pub(crate) const BASELINES: &[Operation] = &[
    operation!(plain "baseline-plain", || ()),
    operation!(number "baseline-number", inputs::wide(), |_| ()),
    operation!(text "baseline-slice", &inputs::texts().hyphenated, |_| ()),
    operation!(plain "baseline-system-clock", || ()).of_system_clock(),
];

/// Calls `operation` in each round.
#[inline(always)]
pub(crate) fn repeat<T>(rounds: u64, mut operation: impl FnMut() -> T) {
    for _ in 0..rounds {
        black_box(operation());
    }
}

/// Calls `operation` in each round, with what `input` sees of one value after the other.
#[inline(always)]
pub(crate) fn on_each<'a, I, P, T>(
    rounds: u64,
    values: &'a [I; COUNT],
    input: impl Fn(&'a I) -> P,
    mut operation: impl FnMut(P) -> T,
) {
    for round in 0..rounds {
        let input = input(&values[round as usize % COUNT]);
        black_box(operation(black_box(input)));
    }
}
