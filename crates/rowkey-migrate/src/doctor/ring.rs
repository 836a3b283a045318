//! Short COMBs: sixteen bits that count intervals on a ring, told from random bits by many rows.
//!
//! Four kinds of evidence, each with the probability that random bits look the same:
//!
//! * the counters are near to each other on the ring, in whatever order the rows are;
//! * neighbours in the order of insertion have counters near to each other;
//! * the counters keep step with a column of times;
//! * the counters have a rhythm of days.
//!
//! The order is worth nothing if the rows are in the order of their ids, as after `CLUSTER` or a
//! sorted load: then random ids have near neighbours as well. See [`order`].

mod clock;
mod order;
mod rhythm;

use super::chance;
use super::even::independent;
use super::hypothesis::Hypothesis;
use super::window::Kept;

pub(super) use clock::{Clock, SECONDS};

/// The number of values of the counter.
const RING: u32 = 1 << 16;

/// A row, seen as a counter with something behind it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Point {
    pub(super) counter: u16,
    /// The 32 bits behind the counter, by which rows with the same counter are sorted in an index.
    pub(super) behind: u32,
    pub(super) created: Option<i64>,
    /// Whether it was inserted next after the point before it.
    pub(super) follows: bool,
}

impl Point {
    /// The point of a row, if the hypothesis has a counter.
    pub(super) fn of(row: &Kept, hypothesis: &Hypothesis) -> Option<Self> {
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
pub(super) struct Points {
    /// Windows of neighbours.
    linked: Vec<Point>,
    /// Points that do not depend on each other.
    even: Vec<Point>,
    /// Whether the linked ones are the whole table.
    is_complete: bool,
}

impl Points {
    /// Of windows of neighbours, and of rows from all over the table.
    pub(super) fn new(linked: Vec<Point>, even: &[Point], is_complete: bool) -> Self {
        let key = |point: &Point| (point.counter, point.behind);
        Self {
            linked,
            even: independent(even, |point| point.follows, key),
            is_complete,
        }
    }

    /// Whether the bits behind the counters count as well: then a clock of a finer unit is longer
    /// than the counter, and the first bits of any clock grow like a counter.
    pub(super) fn are_longer(&self) -> bool {
        let behind = |points: &[Point]| -> Vec<Point> {
            let behind = points.iter().map(|point| Point {
                counter: (point.behind >> 16) as u16,
                behind: point.behind << 16,
                ..*point
            });
            behind.collect()
        };
        let longer = Self {
            linked: behind(&self.linked),
            even: behind(&self.even),
            is_complete: self.is_complete,
        };
        examine(&longer).is_some()
    }
}

/// Why points are those of a counter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Evidence {
    /// The counters are in one part of the ring.
    Near,
    /// Neighbours in the order of insertion are near to each other.
    Order,
    /// The counters keep step with the times of a column.
    Clock(Clock),
    /// There are more counters at some hours of the day than at others.
    Rhythm,
}

/// What points are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Counted {
    pub(super) evidence: Evidence,
    /// The logarithm of the probability that it is chance.
    pub(super) chance: f64,
    /// How many of the points have a counter.
    pub(super) share: f64,
    /// Whether there are times that the counters do not keep step with: they count something else.
    pub(super) is_contradicted: bool,
}

/// Whether there is a counter in the points.
pub(super) fn examine(points: &Points) -> Option<Counted> {
    let by_clock = clock::examine(&points.even);
    let near = concentration(&points.even);
    let is_surprising =
        |counted: Option<Counted>| counted.is_some_and(|counted| counted.chance < chance::NEVER);
    // Sorted random ids are not near to each other on the ring, nor do they keep step with times.
    let is_unsorted = is_surprising(by_clock) || is_surprising(near);
    let by_order = order::examine(&points.linked, points.is_complete, is_unsorted);
    let by_rhythm = rhythm::examine(&points.even);
    let found = [by_clock, near, by_order, by_rhythm];
    let mut found: Vec<Counted> = found
        .into_iter()
        .flatten()
        .filter(|counted| counted.chance < chance::NEVER)
        .collect();
    found.sort_by(|a, b| b.share.total_cmp(&a.share));
    // A rhythm does not say how many there are.
    found.sort_by_key(|counted| counted.evidence == Evidence::Rhythm);
    let mut best = found.first().copied()?;
    // Times say more than the order, and the order says how many there are as well.
    match by_clock.filter(|clock| clock.chance < chance::NEVER && clock.share * 2.0 > best.share) {
        Some(clock) => best.evidence = clock.evidence,
        None => best.is_contradicted = clock::are_dated(&points.even),
    }
    Some(best)
}

/// Whether the points of windows of neighbours are in the order of their counters.
pub(super) fn are_sorted(points: &Points) -> bool {
    order::is_sorted(&points.linked)
}

/// The counters in one part of the ring, whatever their order.
fn concentration(points: &[Point]) -> Option<Counted> {
    let mut counters: Vec<u16> = points.iter().map(|point| point.counter).collect();
    counters.sort_unstable();
    densest(&counters, 15).map(|(chance, share)| Counted {
        evidence: Evidence::Near,
        chance,
        share,
        is_contradicted: false,
    })
}

/// Arcs of at most `2^widest` of the ring's values with surprisingly many of the sorted counters:
/// the logarithm of the probability that random counters have one like the most surprising, and the
/// largest share in one that is not chance.
fn densest(counters: &[u16], widest: u32) -> Option<(f64, f64)> {
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
