//! The rows that are kept: windows of neighbours from all over the table.

use crate::values::chance::Draws;

/// Rows of a window.
const LENGTH: usize = 256;

/// Windows that are kept: at most 10,240 rows.
const WINDOWS: usize = 40;

/// The seed of the choice of windows, so that the same table gives the same answer.
const SEED: u64 = 0x726f_776b_6579;

/// A row that is kept.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kept {
    pub(crate) stored: u128,
    pub(crate) created: Option<i64>,
    /// Whether it was inserted next after the row before it among those that are kept.
    pub(crate) follows: bool,
}

/// Windows of consecutive rows, each with the same probability, in bounded memory.
#[derive(Clone, Debug)]
pub(crate) struct Windows {
    kept: Vec<Window>,
    current: Window,
    /// How many rows came in the current window.
    came: usize,
    /// Where the current window is kept, if it is.
    place: Option<usize>,
    finished: u64,
    draws: Draws,
}

#[derive(Clone, Debug, Default)]
struct Window {
    number: u64,
    rows: Vec<Kept>,
}

impl Windows {
    pub(crate) fn new() -> Self {
        Self {
            kept: Vec::new(),
            current: Window::starting(0),
            came: 0,
            place: Some(0),
            finished: 0,
            draws: Draws::new(SEED),
        }
    }

    pub(crate) fn add(&mut self, row: Kept) {
        // Until the first window is left out, all rows are there.
        if self.place.is_some() || self.are_complete() {
            self.current.rows.push(row);
        }
        self.came += 1;
        if self.came == LENGTH {
            self.finish();
        }
    }

    fn finish(&mut self) {
        self.finished += 1;
        let next = Window::starting(self.finished);
        let finished = std::mem::replace(&mut self.current, next);
        match self.place.and_then(|place| self.kept.get_mut(place)) {
            Some(kept) => *kept = finished,
            None if self.place.is_some() => self.kept.push(finished),
            None => {}
        }
        self.came = 0;
        // Windows stay with the same probability, whenever they come.
        self.place = match self.kept.len() {
            kept if kept < WINDOWS => Some(kept),
            _ => {
                Some(self.draws.below(self.finished + 1) as usize).filter(|place| *place < WINDOWS)
            }
        };
    }

    /// Whether no row was left out.
    pub(crate) fn are_complete(&self) -> bool {
        self.finished as usize == self.kept.len()
    }

    /// The rows in the order in which they came.
    pub(crate) fn rows(&self) -> Vec<Kept> {
        let mut windows: Vec<&Window> = self.kept.iter().collect();
        if self.are_complete() {
            windows.push(&self.current);
        }
        windows.sort_by_key(|window| window.number);
        let mut rows: Vec<Kept> = Vec::with_capacity(windows.len() * LENGTH);
        let mut expected = None;
        for window in windows {
            let first = rows.len();
            rows.extend_from_slice(&window.rows);
            if expected != Some(window.number)
                && let Some(row) = rows.get_mut(first)
            {
                row.follows = false;
            }
            expected = Some(window.number + 1);
        }
        rows
    }
}

impl Window {
    fn starting(number: u64) -> Self {
        Self {
            number,
            rows: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(rows: u128) -> Windows {
        let mut windows = Windows::new();
        for stored in 0..rows {
            windows.add(Kept {
                stored,
                created: None,
                follows: true,
            });
        }
        windows
    }

    #[test]
    fn small_tables_are_kept_in_their_order() {
        for rows in [0, 1, 255, 256, 257, 10_000, 10_239] {
            let windows = of(rows);
            assert!(windows.are_complete(), "{rows}");
            let kept: Vec<u128> = windows.rows().iter().map(|row| row.stored).collect();
            assert_eq!(kept, (0..rows).collect::<Vec<_>>());
        }
    }

    #[test]
    fn of_large_tables_windows_from_all_over_are_kept() {
        let windows = of(200_000);
        assert!(!windows.are_complete());
        let rows = windows.rows();
        assert_eq!(rows.len(), LENGTH * WINDOWS);
        assert!(rows.is_sorted_by_key(|row| row.stored));
        for pair in rows.windows(2) {
            let is_next = pair[1].stored == pair[0].stored + 1;
            assert_eq!(pair[1].follows, is_next);
        }
        let last_half = rows.iter().filter(|row| row.stored >= 100_000).count();
        assert!(
            (rows.len() / 4..rows.len() * 3 / 4).contains(&last_half),
            "{last_half}"
        );
    }
}
