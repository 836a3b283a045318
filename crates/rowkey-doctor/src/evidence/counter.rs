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
mod points;
mod rhythm;

pub(crate) use self::clock::SECONDS;
use self::points::densest;
pub(crate) use self::points::{Counted, Evidence, Point, Points};
use crate::values::chance;

impl Points {
    /// Whether the bits behind the counters count as well. Then the ids have a finer clock, which
    /// is longer than a counter, and whose first bits grow like one.
    pub(crate) fn are_longer(&self) -> bool {
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
            spread: behind(&self.spread),
            is_complete: self.is_complete,
        };
        examine(&longer).is_some()
    }
}

/// Whether there is a counter in the points.
pub(crate) fn examine(points: &Points) -> Option<Counted> {
    let by_clock = clock::examine(&points.spread);
    let near = concentration(&points.spread);
    let is_surprising =
        |counted: Option<Counted>| counted.is_some_and(|counted| counted.chance < chance::NEVER);
    // Sorted random ids are not near to each other on the ring, nor do they keep step with times.
    let is_unsorted = is_surprising(by_clock) || is_surprising(near);
    let by_order = order::examine(&points.linked, points.is_complete, is_unsorted);
    let by_rhythm = rhythm::examine(&points.spread);
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
        None => best.is_contradicted = clock::are_dated(&points.spread),
    }
    Some(best)
}

/// Whether the points of windows of neighbours are in the order of their counters.
pub(crate) fn are_sorted(points: &Points) -> bool {
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
