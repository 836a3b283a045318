//! Counters that are near to those of their neighbours in the order of insertion.

use super::points::{Counted, Evidence, Point, RING};
use crate::values::chance;

/// Pairs of rows with the same counter, from which on their order is judged.
const TIES: u64 = 12;

/// A step from a point to the next one that was inserted.
#[derive(Clone, Copy)]
struct Step {
    /// From counter to counter, forward on the ring.
    forward: u32,
    /// Whether the counters are the same, but the bits behind them descend.
    is_inverted_tie: bool,
}

fn steps(points: &[Point]) -> Vec<Step> {
    let pairs = points.windows(2).filter(|pair| pair[1].follows);
    pairs
        .map(|pair| {
            let forward = u32::from(pair[1].counter.wrapping_sub(pair[0].counter));
            Step {
                forward,
                is_inverted_tie: forward == 0 && pair[1].behind < pair[0].behind,
            }
        })
        .collect()
}

/// Whether the points are in the ascending or descending order of their counters, without any that
/// go around the ring: the order of an index says nothing about the order of insertion.
pub(super) fn is_sorted(points: &[Point]) -> bool {
    let key = |point: &Point| (point.counter, point.behind);
    points.len() > 2 && (points.is_sorted_by_key(key) || points.iter().rev().is_sorted_by_key(key))
}

/// Whether neighbours are near to each other, and not because the rows are sorted by their ids.
///
/// `is_complete` is whether the points are the whole table, and `is_unsorted` whether something
/// else shows that they are not random ids in their order.
pub(super) fn examine(points: &[Point], is_complete: bool, is_unsorted: bool) -> Option<Counted> {
    let steps = steps(points);
    let (width, chance) = nearest(&steps)?;
    if chance > chance::NEVER {
        return None;
    }
    let counted = segments(&steps, width);
    let sorted = match is_unsorted {
        true => f64::NEG_INFINITY,
        false => chance_of_sorted(points, &steps, &counted, width, is_complete),
    };
    Some(Counted {
        evidence: Evidence::Order,
        // Neither random nor sorted rows may look like this.
        chance: chance.max(sorted),
        share: counted.iter().filter(|counted| **counted).count() as f64 / counted.len() as f64,
        is_contradicted: false,
    })
}

/// The width with the most surprising number of steps below it.
fn nearest(steps: &[Step]) -> Option<(u32, f64)> {
    const POWERS: u32 = 16;
    let widths = (0..POWERS).map(|power| 1_u32 << power);
    let judged = widths.map(|width| {
        let near = steps.iter().filter(|step| step.forward < width).count();
        let probability = f64::from(width) / f64::from(RING);
        let chance = chance::at_least(near as u64, steps.len() as u64, probability);
        (width, chance + f64::from(POWERS).ln())
    });
    judged.min_by(|(_, a), (_, b)| a.total_cmp(b))
}

/// Which steps are within a part of the table that has the counter: the most likely course of a
/// table whose ids seldom change from random ones to a counter or back.
fn segments(steps: &[Step], width: u32) -> Vec<bool> {
    const CHANGE: f64 = -9.2;
    let random = (f64::from(width) / f64::from(RING)).min(0.5);
    // Of a counter, one step in ten may be larger: after a pause, or by another process.
    let emission = |step: &Step| match step.forward < width {
        true => [random.ln(), 0.9_f64.ln()],
        false => [(1.0 - random).ln(), 0.1_f64.ln()],
    };
    let mut score = [0.0_f64, 0.0];
    let mut origins = Vec::with_capacity(steps.len());
    for step in steps {
        let stays = [score[0] >= score[1] + CHANGE, score[1] >= score[0] + CHANGE];
        let before = [
            score[0].max(score[1] + CHANGE),
            score[1].max(score[0] + CHANGE),
        ];
        let emitted = emission(step);
        score = [before[0] + emitted[0], before[1] + emitted[1]];
        origins.push(stays);
    }
    let mut state = usize::from(score[1] >= score[0]);
    let mut counted = vec![false; steps.len()];
    for (index, stays) in origins.iter().enumerate().rev() {
        counted[index] = state == 1;
        if !stays[state] {
            state = 1 - state;
        }
    }
    counted
}

/// The logarithm of the probability that rows which were sorted by random ids look like this.
///
/// Sorted rows with the same counter are sorted by what is behind it, those of a counter are not.
/// Sorted ids begin near one end of the ring and end near the other one. And they are apart by
/// random distances, many of them much smaller than the mean one, whereas ids that are made at a
/// steady rate are not.
fn chance_of_sorted(
    points: &[Point],
    steps: &[Step],
    counted: &[bool],
    width: u32,
    is_complete: bool,
) -> f64 {
    let near = || {
        let inside = steps.iter().zip(counted).filter(|(_, counted)| **counted);
        inside
            .map(|(step, _)| step)
            .filter(|step| step.forward < width)
    };
    let ties = near().filter(|step| step.forward == 0).count() as u64;
    if ties >= TIES {
        let inverted = near().filter(|step| step.is_inverted_tie).count() as u64;
        // Sorted rows ascend or descend, except for those that an update has moved: one in twenty.
        return chance::at_least(inverted.min(ties - inverted), ties, 0.05);
    }
    let by_ends = match is_complete && counted.iter().all(|counted| *counted) {
        true => chance_of_ends(points),
        false => 0.0,
    };
    let distances: Vec<u32> = near().map(|step| step.forward).collect();
    let mean = distances
        .iter()
        .map(|distance| f64::from(*distance))
        .sum::<f64>()
        / distances.len().max(1) as f64;
    let small = distances
        .iter()
        .filter(|distance| f64::from(**distance) < mean / 4.0);
    // Of random distances, a share of 1 - e^(-1/4) is that small.
    const SMALL: f64 = 0.22;
    let by_rate = chance::at_most(small.count() as u64, distances.len() as u64, SMALL);
    by_ends.min(by_rate) + 2_f64.ln()
}

/// The probability that sorted runs of random counters leave as much of the ring empty before the
/// first and behind the last one.
fn chance_of_ends(points: &[Point]) -> f64 {
    let is_descent = |pair: &[Point]| pair[1].counter < pair[0].counter;
    let descents: Vec<usize> = points
        .windows(2)
        .enumerate()
        .filter(|(_, pair)| is_descent(pair))
        .map(|(index, _)| index)
        .collect();
    let (Some(first), Some(last), Some(begin), Some(end)) = (
        descents.first(),
        descents.last(),
        points.first(),
        points.last(),
    ) else {
        return 0.0;
    };
    let ring = f64::from(RING);
    let before = (ring - f64::from(begin.counter)) / ring;
    let behind = (f64::from(end.counter) + 1.0) / ring;
    let of_first = (first + 1) as f64;
    let of_last = (points.len() - last - 1) as f64;
    of_first * before.ln() + of_last * behind.ln()
}
