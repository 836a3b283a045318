//! Bits that are not random: they are mostly the same, or count from row to row.

use rowkey_core::storage::Permutation;

use crate::values::chance::{self, NEVER};
use crate::values::window::Kept;

const WORDS: u32 = 8;

/// Fewer rows than these show nothing.
const FEWEST: usize = 3;

/// Rows that are looked at together, for whether they are sorted.
const RUN: usize = 32;

/// The bits of a mask that random bits would not be like. `independent` are rows from all over the
/// table, and `linked` windows of neighbours.
pub(crate) fn not_random(independent: &[Kept], linked: &[Kept], mask: u128) -> u128 {
    let values: Vec<u128> = independent.iter().map(|row| row.stored & mask).collect();
    if values.len() < FEWEST {
        return 0;
    }
    repeated_words(&values, mask) | uneven(&values, mask) | counting(linked, mask)
}

/// Words of sixteen bits that come back, together far more often than random ones.
fn repeated_words(values: &[u128], mask: u128) -> u128 {
    let (mut total, mut found) = (0.0, 0);
    for word in 0..WORDS {
        let shift = word * 16;
        let bits = mask >> shift & 0xffff;
        let mut words: Vec<u16> = values.iter().map(|value| (value >> shift) as u16).collect();
        words.sort_unstable();
        let most = words.chunk_by(|a, b| a == b).map(<[u16]>::len).max();
        let probability = 0.5_f64.powi(bits.count_ones() as i32);
        let others = values.len() as u64 - 1;
        let most = most.unwrap_or(1) as u64 - 1;
        // Any of the words may be the most frequent one.
        let ways = (values.len() as f64).ln();
        let chance = (chance::at_least(most, others, probability) + ways).min(0.0);
        if chance < NEVER / 2.0 {
            found |= bits << shift;
        }
        total += chance;
    }
    // Eight words are judged together.
    if total < NEVER * 1.5 { found } else { 0 }
}

/// Bits that are far more often ones, or zeros.
fn uneven(values: &[u128], mask: u128) -> u128 {
    let number = values.len() as u64;
    let (mut found, mut constant) = (0, 0);
    let ways = 256_f64.ln();
    let ones = Ones::of(values.iter().copied());
    for bit in (0..128).filter(|bit| mask >> bit & 1 == 1) {
        let ones = ones.at(bit);
        let most = ones.max(number - ones);
        if chance::at_least(most, number, 0.5) + ways < NEVER {
            found |= 1 << bit;
        }
        if most == number {
            constant |= 1_u128 << bit;
        }
    }
    let by_chance = 0.5_f64.powi(values.len() as i32 - 1);
    let are_many = chance::at_least(
        constant.count_ones().into(),
        mask.count_ones().into(),
        by_chance,
    );
    if are_many < NEVER {
        found | constant
    } else {
        found
    }
}

/// Bits that are seldom or nearly always other ones in the next row that was inserted. In rows that
/// are sorted by their ids, the first bits of random ones are so as well: these do not count.
pub(crate) fn counting(linked: &[Kept], mask: u128) -> u128 {
    let pairs = unsorted_runs(linked).flat_map(|run| run.windows(2));
    let changes = Ones::of(pairs.map(|pair| (pair[0].stored ^ pair[1].stored) & mask));
    let ways = 256_f64.ln();
    let mut found = 0;
    for bit in (0..128).filter(|bit| mask >> bit & 1 == 1) {
        let changed = changes.at(bit);
        let most = changed.max(changes.number - changed);
        if chance::at_least(most, changes.number, 0.5) + ways < NEVER {
            found |= 1 << bit;
        }
    }
    found
}

/// Runs of rows that follow each other and are not in the order of an index of their ids.
pub(crate) fn unsorted_runs(linked: &[Kept]) -> impl Iterator<Item = &[Kept]> {
    runs(linked).filter(|run| !is_sorted(run))
}

/// Whether most rows follow each other in the order of an index of their ids.
pub(crate) fn are_sorted(linked: &[Kept]) -> bool {
    let rows: usize = runs(linked).map(<[Kept]>::len).sum();
    let unsorted: usize = unsorted_runs(linked).map(<[Kept]>::len).sum();
    unsorted * 2 < rows
}

/// Rows that follow each other, as many as are looked at together.
fn runs(linked: &[Kept]) -> impl Iterator<Item = &[Kept]> {
    let parts = linked.chunk_by(|_, next| next.follows);
    let runs = parts.flat_map(|part| part.chunks(RUN));
    runs.filter(|run| run.len() > 8)
}

/// How many of the values have each bit.
struct Ones {
    /// The digits of 128 binary numbers, the lowest first.
    digits: [u128; 32],
    number: u64,
}

impl Ones {
    fn of(values: impl Iterator<Item = u128>) -> Self {
        let mut ones = Self {
            digits: [0; 32],
            number: 0,
        };
        for value in values {
            ones.number += 1;
            let mut carried = value;
            for digit in &mut ones.digits {
                (*digit, carried) = (*digit ^ carried, *digit & carried);
                if carried == 0 {
                    break;
                }
            }
        }
        ones
    }

    fn at(&self, bit: u32) -> u64 {
        let digits = self.digits.iter().rev();
        digits.fold(0, |number, digit| number << 1 | (digit >> bit & 1) as u64)
    }
}

/// Whether most rows are in the order of an index of their ids.
fn is_sorted(run: &[Kept]) -> bool {
    let keys: [fn(u128) -> u128; 2] = [
        |stored| stored,
        |stored| Permutation::SqlServer.invert(stored),
    ];
    keys.into_iter().any(|key| {
        let pairs = run.windows(2);
        let ascents = pairs.filter(|pair| key(pair[0].stored) < key(pair[1].stored));
        let share = ascents.count() as f64 / (run.len() - 1) as f64;
        !(0.2..0.8).contains(&share)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::chance::Draws;

    /// All bits but the version and the variant of RFC 9562.
    const FREE: u128 = !(0xf << 76 | 0b11 << 62);

    fn rows(number: u64, seed: u64, change: impl Fn(u64, u128) -> u128) -> Vec<Kept> {
        let mut draws = Draws::new(seed);
        let mut half = || u128::from(draws.below(u64::MAX));
        let rows = (0..number).map(|row| Kept {
            stored: change(row, half() << 64 | half()),
            created: None,
            follows: row > 0,
        });
        rows.collect()
    }

    #[test]
    fn random_bits_are_random() {
        for seed in 0..300 {
            let random = rows(3 + seed * seed / 20, seed, |_, random| random);
            assert_eq!(not_random(&random, &random, FREE), 0, "{seed}");
            let mut sorted = random.clone();
            let middle = sorted.len() / 2;
            sorted[middle..].sort_unstable_by_key(|row| row.stored);
            let independent = &random;
            assert_eq!(not_random(independent, &sorted, FREE), 0, "{seed}");
        }
    }

    #[test]
    fn bits_that_count_or_are_the_same_are_not() {
        let wrapped =
            |row: u64, random: u128| random & !(0xffff << 96) | u128::from(row * 77 % 65_536) << 96;
        let counting = rows(3_000, 1, wrapped);
        let found = not_random(&counting, &counting, FREE);
        assert!(
            found & (0xff00 << 96) != 0 && found & !(0xffff << 96) == 0,
            "{found:032x}"
        );
        for number in [3, 4, 10, 100] {
            let same = rows(number, 2, |_, random| {
                random & u128::from(u64::MAX) << 64 | 0x8f01_0203_0405_0607
            });
            let found = not_random(&same, &same, FREE);
            assert!(found.count_ones() > 40, "{number}: {found:032x}");
        }
        let small = rows(100, 3, |_, random| random >> 6);
        let found = not_random(&small, &small, FREE);
        assert_eq!(found, 0x3f << 122, "{found:032x}");
    }
}
