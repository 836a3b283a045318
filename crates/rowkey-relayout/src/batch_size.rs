//! How many rows a batch of the backfill has.

use std::time::Duration;

use crate::plan::Policy;

/// How long a batch is to take, because programs wait for its rows.
const AIM: Duration = Duration::from_millis(250);

/// The rows of the first batch, from which the size grows.
const FIRST: u32 = 2_000;

/// A batch that waited for locks says little about its size: the next ones get no smaller than
/// this.
const LEAST: u32 = 100;

/// How much one batch may change the size.
const STEP: u32 = 4;

/// The size of the next batch, which follows from the time of the last one.
#[derive(Debug)]
pub(super) struct BatchSize {
    rows: u32,
    most: u32,
}

impl BatchSize {
    pub(super) fn new(policy: &Policy) -> Self {
        Self {
            rows: policy.batch_rows.min(FIRST),
            most: policy.batch_rows,
        }
    }

    /// The rows of the next batch.
    pub(super) fn rows(&self) -> u32 {
        self.rows
    }

    /// Notes how long a batch of that size took.
    pub(super) fn took(&mut self, time: Duration) {
        let fitting = u128::from(self.rows) * AIM.as_micros() / time.as_micros().max(1);
        let fitting = u32::try_from(fitting).unwrap_or(u32::MAX);
        let (least, most) = (self.rows / STEP, self.rows.saturating_mul(STEP));
        self.rows = fitting
            .clamp(least, most)
            .max(LEAST.min(most))
            .min(self.most);
    }

    /// Notes that a batch of that size and a program have waited for each other: fewer rows meet
    /// fewer programs.
    pub(super) fn was_locked_out(&mut self) {
        self.rows = (self.rows / STEP).max(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(batch_rows: u32, micros_a_row: u64, batches: usize) -> Vec<u32> {
        let mut size = BatchSize::new(&Policy {
            batch_rows,
            ..Policy::default()
        });
        let next = || {
            let rows = size.rows();
            size.took(Duration::from_micros(u64::from(rows) * micros_a_row));
            rows
        };
        std::iter::repeat_with(next).take(batches).collect()
    }

    #[test]
    fn quick_batches_grow_to_the_size_of_the_plan() {
        assert_eq!(sizes(50_000, 4, 5), [2_000, 8_000, 32_000, 50_000, 50_000]);
        assert_eq!(sizes(7, 4, 3), [7, 7, 7]);
        assert_eq!(sizes(u32::MAX, 0, 20).last(), Some(&u32::MAX));
    }

    #[test]
    fn slow_batches_shrink_until_they_are_quick_enough() {
        assert_eq!(sizes(50_000, 20, 4), [2_000, 8_000, 12_500, 12_500]);
        assert_eq!(sizes(50_000, 500, 4), [2_000, 500, 500, 500]);
        assert_eq!(sizes(50_000, 1_000_000, 5), [2_000, 500, 125, 100, 100]);
        assert_eq!(sizes(1, 1_000_000, 3), [1, 1, 1]);
    }

    #[test]
    fn locks_shrink_batches_to_one_row_from_which_they_grow_again() {
        let mut size = BatchSize::new(&Policy::default());
        for rows in [2_000, 500, 125, 31, 7, 1, 1] {
            assert_eq!(size.rows(), rows);
            size.was_locked_out();
        }
        for rows in [1, 4, 16, 64, 256] {
            assert_eq!(size.rows(), rows);
            size.took(Duration::from_millis(1));
        }
    }

    #[test]
    fn a_batch_that_waited_for_locks_is_soon_forgotten() {
        let mut size = BatchSize::new(&Policy::default());
        for _ in 0..10 {
            size.took(Duration::from_secs(60));
        }
        assert_eq!(size.rows(), LEAST);
        for _ in 0..5 {
            size.took(Duration::from_millis(1));
        }
        assert_eq!(size.rows(), Policy::default().batch_rows);
    }
}
