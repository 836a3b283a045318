//! Rows from all over the table, each with the same probability, whatever their order.
//!
//! Windows of neighbours aren't such a sample: in a table that is sorted by its ids, the ids of a
//! window are near to each other.

use rowkey_core::storage::Permutation;

use crate::values::chance::Draws;
use crate::values::window::Kept;

/// Rows that are kept.
const ROWS: usize = 10_240;

/// The seed of the choice, so that the same table gives the same answer.
const SEED: u64 = 0x6576_656e;

/// Some of the rows that came, by reservoir sampling. Li's algorithm L draws how many rows to leave
/// out, so that most rows cost a comparison:
/// [doi:10.1145/198429.198435](https://doi.org/10.1145/198429.198435).
#[derive(Clone, Debug)]
pub(crate) struct Reservoir {
    rows: Vec<Kept>,
    seen: u64,
    /// The number of the next row that takes the place of another.
    next: u64,
    /// The largest of the random numbers of the rows that are kept, if each row had one between 0
    /// and 1, and those with the smallest were kept.
    largest: f64,
    draws: Draws,
}

impl Reservoir {
    pub(crate) fn new() -> Self {
        Self {
            rows: Vec::new(),
            seen: 0,
            next: 0,
            largest: 1.0,
            draws: Draws::new(SEED),
        }
    }

    pub(crate) fn add(&mut self, row: Kept) {
        self.seen += 1;
        if self.rows.len() < ROWS {
            self.rows.push(row);
            if self.rows.len() == ROWS {
                self.choose_next();
            }
        } else if self.seen == self.next {
            let place = self.draws.below(ROWS as u64) as usize;
            self.rows[place] = row;
            self.choose_next();
        }
    }

    fn choose_next(&mut self) {
        self.largest *= (self.draws.share().ln() / ROWS as f64).exp();
        let left_out = self.draws.share().ln() / (-self.largest).ln_1p();
        self.next = self.seen.saturating_add(left_out as u64).saturating_add(1);
    }

    /// The rows. They are in the order in which they came if none was left out, and follow none
    /// otherwise.
    pub(crate) fn rows(&self) -> Vec<Kept> {
        let is_complete = self.seen as usize == self.rows.len();
        let rows = self.rows.iter().map(|row| Kept {
            follows: row.follows && is_complete,
            ..*row
        });
        rows.collect()
    }
}

/// Rows that do not depend on each other: of each part of the table that is in the order of a key,
/// one. A table that is there as a whole has no parts.
pub(crate) fn independent<T: Copy, K: Ord>(
    rows: &[T],
    follows: impl Fn(&T) -> bool,
    key: impl Fn(&T) -> K,
) -> Vec<T> {
    let parts: Vec<&[T]> = rows.chunk_by(|_, next| follows(next)).collect();
    let kept = parts.iter().flat_map(|part| match part {
        [first, _, ..] if parts.len() > 1 && are_in_order(part, &key) => {
            std::slice::from_ref(first)
        }
        part => part,
    });
    kept.copied().collect()
}

/// The same for rows that may be in the order of any index of their ids.
pub(crate) fn independent_in_any_order(rows: &[Kept]) -> Vec<Kept> {
    let follows = |row: &Kept| row.follows;
    let keys: [fn(&Kept) -> u128; 2] = [
        |row| row.stored,
        |row| Permutation::SqlServer.invert(row.stored),
    ];
    keys.into_iter()
        .fold(rows.to_vec(), |rows, key| independent(&rows, follows, key))
}

/// Whether most keys are larger than the one before, or most are smaller. Of random ones, half are.
fn are_in_order<T, K: Ord>(rows: &[T], key: impl Fn(&T) -> K) -> bool {
    let pairs = rows.windows(2);
    let ascents = pairs.filter(|pair| key(&pair[0]) < key(&pair[1])).count();
    let share = ascents as f64 / (rows.len() - 1) as f64;
    !(0.35..0.65).contains(&share)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(rows: u64) -> Vec<Kept> {
        let mut reservoir = Reservoir::new();
        for number in 0..rows {
            reservoir.add(Kept {
                stored: number.into(),
                created: None,
                follows: true,
            });
        }
        reservoir.rows()
    }

    #[test]
    fn small_tables_are_kept_in_their_order() {
        for rows in [0, 1, ROWS as u64] {
            let kept = of(rows);
            assert!(kept.iter().map(|row| row.stored).eq(0..rows.into()));
            assert!(kept.iter().all(|row| row.follows));
        }
    }

    #[test]
    fn parts_in_the_order_of_their_keys_count_once() {
        let kept = |rows: &[(bool, u32)]| independent(rows, |row| row.0, |row| row.1).len();
        let sorted = |first: u32| (0..100).map(move |key| (key > 0, first + key));
        let random = (0..100_u64).map(|row| (row > 0, Draws::new(row).below(1_000) as u32));
        let both: Vec<(bool, u32)> = sorted(0).chain(sorted(500)).collect();
        assert_eq!(kept(&both), 2);
        let mixed: Vec<(bool, u32)> = sorted(0).chain(random).collect();
        assert_eq!(kept(&mixed), 101);
        assert_eq!(kept(&both[..100]), 100, "the whole table");
        let alone: Vec<(bool, u32)> = both.iter().map(|row| (false, row.1)).collect();
        assert_eq!(kept(&alone), 200);
        assert_eq!(kept(&[]), 0);
    }

    #[test]
    fn every_part_of_a_large_table_has_its_share() {
        let kept = of(200_000);
        assert_eq!(kept.len(), ROWS);
        assert!(kept.iter().all(|row| !row.follows));
        for part in 0..10 {
            let inside = kept.iter().filter(|row| row.stored / 20_000 == part);
            let count = inside.count();
            assert!((850..1_200).contains(&count), "{part}: {count}");
        }
    }
}
