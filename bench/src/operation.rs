//! What is measured, and the loops that repeat it.

use std::env;
use std::hint::black_box;

use crate::inputs;

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
            rounds,
        }
    }

    /// The same for a round that does it more than once.
    pub(crate) const fn per_round(self, per_round: u64) -> Self {
        Self { per_round, ..self }
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

    /// How many rounds make at least so many operations.
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
            $crate::operation::on_each(rounds, $inputs, $function)
        })
    };
    (text $name:literal, $inputs:expr, $function:expr) => {
        $crate::Operation::new($name, "baseline-slice", |rounds| {
            $crate::operation::on_each_text(rounds, $inputs, $function)
        })
    };
    (bytes $name:literal, $inputs:expr, $function:expr) => {
        $crate::Operation::new($name, "baseline-slice", |rounds| {
            $crate::operation::on_each_bytes(rounds, $inputs, $function)
        })
    };
}
pub(crate) use operation;

/// The loops with nothing in them.
pub(crate) const BASELINES: &[Operation] = &[
    operation!(plain "baseline-plain", || ()),
    operation!(number "baseline-number", inputs::wide(), |_| ()),
    operation!(text "baseline-slice", &inputs::texts().hyphenated, |_| ()),
];

/// Calls `operation` so many times.
#[inline(always)]
pub(crate) fn repeat<T>(rounds: u64, mut operation: impl FnMut() -> T) {
    for _ in 0..rounds {
        black_box(operation());
    }
}

/// Calls `operation` so many times, with one number after the other.
#[inline(always)]
pub(crate) fn on_each<T>(
    rounds: u64,
    numbers: &[u128; inputs::COUNT],
    mut operation: impl FnMut(u128) -> T,
) {
    for round in 0..rounds {
        let number = numbers[round as usize % inputs::COUNT];
        black_box(operation(black_box(number)));
    }
}

/// Calls `operation` so many times, with one text after the other.
#[inline(always)]
pub(crate) fn on_each_text<T>(
    rounds: u64,
    texts: &'static [String; inputs::COUNT],
    mut operation: impl FnMut(&'static str) -> T,
) {
    for round in 0..rounds {
        let text = texts[round as usize % inputs::COUNT].as_str();
        black_box(operation(black_box(text)));
    }
}

/// Calls `operation` so many times, with one byte string after the other.
#[inline(always)]
pub(crate) fn on_each_bytes<T, const N: usize>(
    rounds: u64,
    strings: &'static [[u8; N]; inputs::COUNT],
    mut operation: impl FnMut(&'static [u8]) -> T,
) {
    for round in 0..rounds {
        let bytes = strings[round as usize % inputs::COUNT].as_slice();
        black_box(operation(black_box(bytes)));
    }
}
