//! When rows were made, as far as a column of times and the order of insertion tell: only in such
//! an order can a counter of more than one turn be told from random bits.

use crate::evidence::bits;
use crate::evidence::counter::SECONDS;
use crate::values::chance::{self, CERTAIN, Draws, NEVER};
use crate::values::reservoir;
use crate::values::window::Kept;

const MINUTE_MS: i64 = 60_000;
const DAY_MS: i64 = 86_400_000;

/// A time that one row in so many has is that of an import, or of a date.
const CROWD: usize = 10;

/// Rows in such crowds, one in so many, are too few to be a part of a mixture.
const FEW_IN_CROWDS: usize = 20;

/// Rows that are looked at for clocks: enough for one in twenty that has one.
const ROWS: usize = 2_048;

/// The seed of the choice among rows of the same time, so that the same table gives the same
/// answer.
const SEED: u64 = 0x7469_6d65;

/// What shows the order in which rows were made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    Unknown,
    /// The order of insertion, which is another one where a table was filled from elsewhere.
    Insertion,
    /// Times with which the ids grow, as after a load in the order of the ids, or for a counter
    /// that goes around its ring slowly.
    Growing,
    /// The times of a column, or an order of insertion in which they grow.
    Times,
}

/// What shows the order of a table, of which `linked` are windows of neighbours, and `spread` rows
/// from all over. `is_sorted` is whether it is in the order of its ids.
pub(crate) fn order(linked: &[Kept], spread: &[Kept], is_sorted: bool) -> Order {
    let following = linked.iter().filter(|row| row.follows).count();
    let is_inserted = following * 2 > linked.len() && !is_sorted;
    match () {
        () if grow_with_times(spread) => Order::Growing,
        () if are_exact(spread) || is_inserted && grow(linked) => Order::Times,
        () if is_inserted => Order::Insertion,
        () => Order::Unknown,
    }
}

/// Whether most rows are in the order of their ids, if they are in that of exact times.
fn grow_with_times(spread: &[Kept]) -> bool {
    let rows = reservoir::independent_in_any_order(spread);
    are_exact(&rows) && bits::are_sorted(&in_order_of_times(rows))
}

/// Whether nearly every row has a time that few others have, to the minute, and that isn't a date:
/// the fastest counters go around their ring within a day.
fn are_exact(rows: &[Kept]) -> bool {
    let minutes = |time: i64| time.div_euclid(MINUTE_MS);
    let within_days = |time: i64| time.rem_euclid(DAY_MS);
    are_spread(rows, minutes) && are_spread(rows, within_days)
}

/// Whether the order of the rows is that of their times, such as dates.
fn grow(rows: &[Kept]) -> bool {
    let pairs = rows.windows(2);
    let steps: Vec<i64> = pairs
        .filter_map(|pair| Some(pair[1].created? - pair[0].created?))
        .filter(|step| *step != 0)
        .collect();
    let forward = steps.iter().filter(|step| **step > 0).count();
    are_spread(rows, |time| time)
        && forward * 10 > steps.len() * 9
        && chance::at_least(forward as u64, steps.len() as u64, 0.5) < CERTAIN
}

/// Whether few rows have no time, or one whose `part` many others have.
fn are_spread(rows: &[Kept], part: impl Fn(i64) -> i64) -> bool {
    let times = rows.iter().filter_map(|row| row.created);
    let mut parts: Vec<i64> = times.map(part).collect();
    parts.sort_unstable();
    let groups = parts.chunk_by(|a, b| a == b);
    let spread = groups.filter(|group| group.len() * CROWD <= rows.len());
    let spread: usize = spread.map(<[i64]>::len).sum();
    !rows.is_empty() && (rows.len() - spread) * FEW_IN_CROWDS <= rows.len()
}

/// Whether bits of a mask that should be random count with exact times, in whatever unit and place.
pub(crate) fn count(spread: &[Kept], mask: u128) -> bool {
    let rows = reservoir::independent_in_any_order(spread);
    if !are_exact(&rows) {
        return false;
    }
    let rows = in_order_of_times(rows);
    if bits::counting(&rows, mask) != 0 {
        return true;
    }
    let unsorted: Vec<Kept> = bits::unsorted_runs(&rows).flatten().copied().collect();
    let every = unsorted.len().div_ceil(ROWS).max(1);
    let timed = unsorted.iter().step_by(every);
    let (stored, times): (Vec<u128>, Vec<f64>) = timed
        .filter_map(|row| Some((row.stored, row.created? as f64)))
        .unzip();
    let words = words(&stored, mask);
    let units = units();
    let ways = ((words.len() * units.len() * PARTS * WIDTHS.len()) as f64).ln();
    units.into_iter().any(|unit| {
        let turned = |time: &f64| (time / unit).rem_euclid(f64::from(RING)) as u16;
        let expected: Vec<u16> = times.iter().map(turned).collect();
        let mut words = words.iter();
        words.any(|word| chance_of_steps(word, &expected) + ways < NEVER)
    })
}

/// One row of each time, chosen by chance, in the order of the times.
fn in_order_of_times(mut rows: Vec<Kept>) -> Vec<Kept> {
    rows.retain(|row| row.created.is_some());
    rows.sort_by_key(|row| row.created);
    let mut draws = Draws::new(SEED);
    let groups = rows.chunk_by(|a, b| a.created == b.created);
    let chosen = groups.map(|group| Kept {
        follows: true,
        ..group[draws.below(group.len() as u64) as usize]
    });
    chosen.collect()
}

/// The values of two bytes.
const RING: u32 = 1 << 16;

/// What two bytes of each value hold, whose first bits may be those of a version or a variant.
#[derive(Clone, Debug)]
struct Words {
    found: Vec<u16>,
    /// How many of the bits are others.
    width: u32,
}

/// Fewer bits than these cannot hold a clock.
const NARROWEST: u32 = 12;

/// The words of values in which a clock may be, with the first byte first, and with the last one.
fn words(values: &[u128], mask: u128) -> Vec<Words> {
    let shifts = (0..15).map(|byte| byte * 8);
    let words = shifts.flat_map(|shift| {
        let width = ((mask >> shift) as u16).trailing_ones();
        let found: Vec<u16> = values.iter().map(|value| (value >> shift) as u16).collect();
        let reversed = found.iter().map(|word| word.swap_bytes()).collect();
        let reversed = Words {
            found: reversed,
            width: if width == 16 { width } else { 0 },
        };
        [Words { found, width }, reversed]
    });
    words.filter(|words| words.width >= NARROWEST).collect()
}

/// The units of clocks in milliseconds: those of short COMBs, and those of the bytes of clocks that
/// count nanoseconds, .NET's ticks, microseconds, and so on.
fn units() -> Vec<f64> {
    const CLOCKS: [f64; 10] = [
        1e-6,
        1e-4,
        1e-3,
        1e-2,
        1.0,
        10.0 / 3.0,
        10.0,
        100.0,
        1e3,
        6e4,
    ];
    // Times have seconds, which faster counters go around in, and slower ones hardly move.
    const FASTEST: f64 = 0.06;
    const SLOWEST: f64 = 4e6;
    let bytes = |clock: f64| std::iter::successors(Some(clock), |unit| Some(unit * 256.0));
    let of_clocks = CLOCKS.into_iter().flat_map(|clock| {
        bytes(clock)
            .skip_while(|unit| *unit < FASTEST)
            .take_while(|unit| *unit < SLOWEST)
    });
    let of_combs = SECONDS.into_iter().map(|seconds| seconds as f64 * 1e3);
    let mut units: Vec<f64> = of_clocks.chain(of_combs).collect();
    units.sort_by(f64::total_cmp);
    units.dedup();
    units
}

/// Parts of the ring that are told apart.
const PARTS: usize = 64;

/// How many parts side by side may have surprisingly many words.
const WIDTHS: [usize; 5] = [2, 4, 8, 16, 32];

/// The logarithm of the probability that random words are as near to those of a clock.
fn chance_of_steps(words: &Words, expected: &[u16]) -> f64 {
    let mut parts = [0_u64; PARTS];
    for (found, expected) in words.found.iter().zip(expected) {
        let ahead = found.wrapping_sub(*expected) << (16 - words.width);
        parts[usize::from(ahead) * PARTS / RING as usize] += 1;
    }
    let chances = WIDTHS.into_iter().map(|width| {
        let sums = (0..PARTS).map(|first| {
            let side_by_side = (first..first + width).map(|part| parts[part % PARTS]);
            side_by_side.sum::<u64>()
        });
        let share = width as f64 / PARTS as f64;
        chance::at_least(sums.max().unwrap_or(0), expected.len() as u64, share)
    });
    chances.fold(0.0, f64::min)
}
