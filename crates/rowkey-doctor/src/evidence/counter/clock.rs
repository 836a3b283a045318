//! Counters that keep step with a column of times.

use super::points::{Clock, Counted, Evidence, Point, RING, densest};
use crate::values::chance;

/// The intervals that are tried, the most common first.
pub(crate) const SECONDS: [i64; 14] = [
    60, 1, 30, 10, 5, 2, 15, 20, 120, 300, 600, 900, 1_800, 3_600,
];

/// Counters whose distances from the time differ by more than `2^WIDEST` do not keep step.
const WIDEST: u32 = 3;

/// The same for times that are only dates, and over how many intervals these must extend: in two
/// and a half turns of the ring, clocks of different units drift apart completely.
const WIDEST_OF_DATES: u32 = 12;
const LONG_OF_DATES: i64 = RING as i64 * 5 / 2;

/// Counters that keep step for so many intervals, and are this near to where the times say, have no
/// other interval: a counter of 1,024 ms is six seconds away from one of a second after so many.
const LONG: i64 = 256;
const NARROW: u16 = 4;

/// Times that are nearer to each other than this say nothing about the step of a counter: they may
/// be those of a copy of the table.
const APART_MS: i64 = 60_000;

/// The counters that have a time, if most have one.
fn dated(points: &[Point]) -> Option<Vec<(u16, i64)>> {
    let dated: Vec<(u16, i64)> = points
        .iter()
        .filter_map(|point| Some((point.counter, point.created?)))
        .collect();
    (dated.len() * 2 > points.len()).then_some(dated)
}

/// Whether the points have times that could contradict a counter: those of most are not the same.
pub(super) fn are_dated(points: &[Point]) -> bool {
    dated(points).is_some_and(|dated| {
        let mut times: Vec<i64> = dated.iter().map(|(_, created)| *created).collect();
        times.sort_unstable();
        let at = |tenth: usize| times.get(times.len() * tenth / 10).copied().unwrap_or(0);
        at(9) - at(1) > APART_MS
    })
}

/// Whether the counters keep step with the times, with any of the intervals.
pub(super) fn examine(points: &[Point]) -> Option<Counted> {
    let dated = dated(points)?;
    let is_sorted = are_sorted_by_time(points);
    let times = dated.iter().map(|(_, created)| *created);
    let length = times.clone().max()? - times.min()?;
    let tried = SECONDS.into_iter().filter_map(|seconds| {
        let interval_ms = seconds * 1_000;
        let mut phases: Vec<u16> = dated
            .iter()
            .map(|(counter, created)| phase(*counter, *created, interval_ms))
            .collect();
        phases.sort_unstable();
        let typical = most_frequent(&phases);
        let exact = densest(&phases, WIDEST)?;
        let is_long = length / interval_ms > LONG_OF_DATES;
        let by_date = is_long.then(|| densest(&phases, WIDEST_OF_DATES)).flatten();
        let by_date = by_date.filter(|(_, share)| *share > 2.0 * exact.1);
        let is_exact = by_date.is_none();
        let (chance, share) = by_date.unwrap_or(exact);
        let is_near = |counter: u16, created: i64| {
            let phase = phase(counter, created, interval_ms).wrapping_sub(typical as u16);
            phase.wrapping_add(NARROW / 2) <= NARROW
        };
        let near = dated
            .iter()
            .filter(|(counter, created)| is_near(*counter, *created));
        let times: Vec<i64> = near.map(|(_, created)| *created).collect();
        let span = times.iter().max().zip(times.iter().min());
        let span = span.map_or(0, |(last, first)| last - first);
        let are_most = times.len() as f64 > 0.9 * share * dated.len() as f64;
        let clock = Clock {
            interval_ms,
            ahead_ms: if is_exact {
                i64::from(typical) * interval_ms
            } else {
                0
            },
            is_told: is_exact && are_most && span / interval_ms > LONG,
        };
        Some(Counted {
            evidence: Evidence::Clock(clock),
            chance: chance + (SECONDS.len() as f64).ln(),
            share,
            is_contradicted: false,
        })
    });
    // With times that are near to each other several intervals fit; clocks in another time zone are
    // at most half a day away.
    let distance = |counted: &Counted| match counted.evidence {
        Evidence::Clock(clock) if clock.ahead_ms.abs() < 15 * 3_600_000 => 0,
        _ => 1,
    };
    // Ids in the order of the times grow with them at some rate, but by random steps.
    let credible = tried
        .filter(|counted| counted.chance < chance::NEVER && (!is_sorted || counted.share > 0.5));
    credible.min_by(|a, b| {
        distance(a)
            .cmp(&distance(b))
            .then(rounded(a.chance).total_cmp(&rounded(b.chance)))
    })
}

/// Whether ids that are made later are larger far more often than not. It is so for slow counters,
/// and where times were given to ids in the order of the ids.
fn are_sorted_by_time(points: &[Point]) -> bool {
    let mut dated: Vec<(i64, u16, u32)> = points
        .iter()
        .filter_map(|point| Some((point.created?, point.counter, point.behind)))
        .collect();
    dated.sort_by_key(|(created, ..)| *created);
    let ascents = dated
        .windows(2)
        .filter(|pair| (pair[0].1, pair[0].2) < (pair[1].1, pair[1].2))
        .count();
    ascents * 10 > dated.len() * 7
}

/// Evidence that is hardly better is not better.
fn rounded(chance: f64) -> f64 {
    (chance / 10.0).round()
}

/// How far a counter is from where the time says.
fn phase(counter: u16, created: i64, interval_ms: i64) -> u16 {
    let expected = created.div_euclid(interval_ms).rem_euclid(i64::from(RING));
    counter.wrapping_sub(expected as u16)
}

/// The most frequent of sorted phases, as a signed number.
fn most_frequent(sorted: &[u16]) -> i16 {
    let runs = sorted.chunk_by(|a, b| a == b);
    let longest = runs.max_by_key(|run| run.len());
    longest
        .and_then(|run| run.first())
        .map_or(0, |phase| *phase as i16)
}
