//! Points on the ring, what they are evidence of, and how near to each other they are.

use crate::values::chance;
use crate::values::hypothesis::Hypothesis;
use crate::values::reservoir::independent;
use crate::values::window::Kept;

/// The number of values of the counter.
pub(super) const RING: u32 = 1 << 16;

/// A row, seen as a counter with something behind it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Point {
    pub(crate) counter: u16,
    /// The 32 bits behind the counter, by which rows with the same counter are sorted in an index.
    pub(crate) behind: u32,
    pub(crate) created: Option<i64>,
    /// Whether it was inserted next after the point before it.
    pub(crate) follows: bool,
}

impl Point {
    /// The point of a row, if the hypothesis has a counter.
    pub(crate) fn of(row: &Kept, hypothesis: &Hypothesis) -> Option<Self> {
        let end = hypothesis.time_bits().trailing_zeros();
        let behind = row.stored.checked_shl(128 - end).unwrap_or_default() >> 96;
        Some(Self {
            counter: hypothesis.counter(row.stored)?,
            behind: behind as u32,
            created: row.created,
            follows: row.follows,
        })
    }
}

/// The points of a table.
#[derive(Clone, Debug)]
pub(crate) struct Points {
    /// Windows of neighbours.
    pub(super) linked: Vec<Point>,
    /// Points that do not depend on each other.
    pub(super) spread: Vec<Point>,
    /// Whether the linked ones are the whole table.
    pub(super) is_complete: bool,
}

impl Points {
    /// Of windows of neighbours, and of rows from all over the table.
    pub(crate) fn new(linked: Vec<Point>, spread: &[Point], is_complete: bool) -> Self {
        let key = |point: &Point| (point.counter, point.behind);
        Self {
            linked,
            spread: independent(spread, |point| point.follows, key),
            is_complete,
        }
    }
}

/// Why points are those of a counter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Evidence {
    /// The counters are in one part of the ring.
    Near,
    /// Neighbours in the order of insertion are near to each other.
    Order,
    /// The counters keep step with the times of a column.
    Clock(Clock),
    /// There are more counters at some hours of the day than at others.
    Rhythm,
}

/// The interval of a counter and the distance of its clock from the times of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Clock {
    /// Milliseconds.
    pub(crate) interval_ms: i64,
    /// The counter's clock minus the column's, in milliseconds, to the interval.
    pub(crate) ahead_ms: i64,
    /// Whether the times exclude other intervals.
    pub(crate) is_told: bool,
}

/// What points are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Counted {
    pub(crate) evidence: Evidence,
    /// The logarithm of the probability that it is chance.
    pub(crate) chance: f64,
    /// How many of the points have a counter.
    pub(crate) share: f64,
    /// Whether there are times that the counters do not keep step with: they count something else.
    pub(crate) is_contradicted: bool,
}

/// Arcs of at most `2^widest` of the ring's values with surprisingly many of the sorted counters:
/// the logarithm of the probability that random counters have one like the most surprising, and the
/// largest share in one that is not chance.
pub(super) fn densest(counters: &[u16], widest: u32) -> Option<(f64, f64)> {
    if counters.len() < 2 {
        return None;
    }
    let number = counters.len();
    let (mut best, mut largest) = (0.0_f64, 0.0_f64);
    for power in 0..=widest {
        let width = 1_u32 << power;
        let most = most_within(counters, width);
        let probability = f64::from(width) / f64::from(RING);
        // Any of the points may begin the arc, and any width may be the best.
        let ways = (number as f64 * f64::from(widest + 1)).ln();
        let others = number as u64 - 1;
        let chance = chance::at_least(most as u64 - 1, others, probability) + ways;
        best = best.min(chance);
        if chance < chance::NEVER {
            largest = largest.max(share_in_arc(most, number, probability));
        }
    }
    Some((best, largest))
}

/// The share of the counters that are in an arc for another reason than chance. The arc was chosen
/// for having many, so those that chance brings into the fullest arc do not count.
fn share_in_arc(most: usize, number: usize, probability: f64) -> f64 {
    if most == number {
        return 1.0;
    }
    let spread = (number as f64 * probability * (1.0 - probability)).sqrt();
    let sure = (most as f64 - 3.0 * spread).max(0.0);
    chance::excess(sure as u64, number as u64, probability)
}

/// How many sorted counters an arc of a width has at most.
fn most_within(sorted: &[u16], width: u32) -> usize {
    let number = sorted.len();
    let at = |index: usize| match sorted.get(index) {
        Some(counter) => u32::from(*counter),
        None => u32::from(sorted[index - number]) + RING,
    };
    let (mut most, mut end) = (0, 0);
    for begin in 0..number {
        end = end.max(begin);
        while end < begin + number && at(end) < at(begin) + width {
            end += 1;
        }
        most = most.max(end - begin);
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arcs_go_around_the_ring() {
        assert_eq!(most_within(&[0, 1, 2, 40_000, 65_535], 4), 4);
        assert_eq!(most_within(&[5; 7], 1), 7);
        assert_eq!(most_within(&[0, 30_000, 60_000], 1), 1);
    }

    #[test]
    fn counters_of_an_hour_are_near_to_each_other() {
        let near: Vec<u16> = (0..24).chain(65_500..=65_535).collect();
        let (chance, share) = densest(&near, 15).unwrap();
        assert!(chance < -200.0 && share > 0.99, "{chance} {share}");
        let mut spread: Vec<u16> = (0..60_u32).map(|step| (step * 40_503) as u16).collect();
        spread.sort_unstable();
        let (chance, _) = densest(&spread, 15).unwrap();
        assert!(chance > -5.0, "{chance}");
    }
}
