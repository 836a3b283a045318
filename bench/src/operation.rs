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
    /// An operation without input.
    pub(crate) const fn plain(name: &'static str, rounds: fn(u64)) -> Self {
        Self {
            name,
            per_round: 1,
            baseline: "baseline-plain",
            database: None,
            rounds,
        }
    }

    /// An operation on one of the numbers of [`inputs`].
    pub(crate) const fn on_number(name: &'static str, rounds: fn(u64)) -> Self {
        Self {
            baseline: "baseline-number",
            ..Self::plain(name, rounds)
        }
    }

    /// An operation on one of the texts or byte strings of [`inputs`].
    pub(crate) const fn on_slice(name: &'static str, rounds: fn(u64)) -> Self {
        Self {
            baseline: "baseline-slice",
            ..Self::plain(name, rounds)
        }
    }

    /// An operation that a round does more than once.
    pub(crate) const fn batch(name: &'static str, per_round: u64, rounds: fn(u64)) -> Self {
        Self {
            per_round,
            ..Self::plain(name, rounds)
        }
    }

    /// An operation on a value that a driver has read.
    #[cfg(feature = "drivers")]
    pub(crate) const fn on_value(
        name: &'static str,
        database: Option<&'static str>,
        rounds: fn(u64),
    ) -> Self {
        Self {
            baseline: "baseline-value",
            database,
            ..Self::plain(name, rounds)
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

/// The loops with nothing in them.
pub(crate) const BASELINES: &[Operation] = &[
    Operation::plain("baseline-plain", |rounds| repeat(rounds, || ())),
    Operation::on_number("baseline-number", |rounds| {
        on_each(rounds, inputs::wide(), |_| ())
    }),
    Operation::on_slice("baseline-slice", |rounds| {
        on_each_text(rounds, &inputs::texts().hyphenated, |_| ())
    }),
    #[cfg(feature = "drivers")]
    crate::drivers::BASELINE,
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
