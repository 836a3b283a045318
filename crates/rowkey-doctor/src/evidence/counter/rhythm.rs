//! Counters that are more frequent at some hours of the day than at others.

use std::f64::consts::TAU;

use super::clock::SECONDS;
use super::points::{Counted, Evidence, Point, RING};

/// How many waves a day may have: working hours are not a single wave.
const WAVES: [i64; 3] = [1, 2, 3];

const DAY_SECONDS: i64 = 86_400;

/// With fewer waves to a turn of the ring, a table younger than one turn would look the same.
const FEWEST_WAVES: f64 = 8.0;

/// Whether the counters have a rhythm of days.
pub(super) fn examine(points: &[Point]) -> Option<Counted> {
    // Half the interval with twice the waves is the same.
    let mut tried: Vec<i64> = SECONDS
        .iter()
        .flat_map(|seconds| WAVES.map(|waves| seconds * waves))
        .filter(|seconds| (FEWEST_WAVES..f64::from(RING / 4)).contains(&waves_of_ring(*seconds)))
        .collect();
    tried.sort_unstable();
    tried.dedup();
    let wave = wave();
    let chances = tried
        .iter()
        .map(|seconds| chance_of_wave(points, *seconds, &wave));
    let best = chances.min_by(f64::total_cmp)?;
    Some(Counted {
        evidence: Evidence::Rhythm,
        chance: best + (tried.len() as f64).ln(),
        share: 1.0,
        is_contradicted: false,
    })
}

/// How many waves go around the ring, if so many seconds are one part in 86,400 of a wave.
fn waves_of_ring(seconds: i64) -> f64 {
    f64::from(RING) * seconds as f64 / DAY_SECONDS as f64
}

/// Parts of a wave that are told apart.
const PARTS: i64 = 1_440;

/// The sine and the cosine of each part.
fn wave() -> Vec<(f64, f64)> {
    let parts = (0..PARTS).map(|part| TAU * part as f64 / PARTS as f64);
    parts.map(f64::sin_cos).collect()
}

/// Rayleigh's test: the logarithm of the probability that random counters gather as much at one
/// part of the wave.
fn chance_of_wave(points: &[Point], seconds: i64, wave: &[(f64, f64)]) -> f64 {
    let part =
        |point: &Point| i64::from(point.counter) * seconds % DAY_SECONDS * PARTS / DAY_SECONDS;
    let turned = points
        .iter()
        .filter_map(|point| wave.get(part(point) as usize));
    let (sines, cosines) = turned.fold((0.0, 0.0), |sum, (sine, cosine)| {
        (sum.0 + sine, sum.1 + cosine)
    });
    let number = points.len() as f64;
    let length = f64::hypot(sines, cosines) / number;
    // Waves that do not end where the ring ends make even counters uneven by this at most.
    let waves = waves_of_ring(seconds);
    let uneven = 1.0 / (f64::from(RING) * (TAU * waves / f64::from(RING) / 2.0).sin());
    -number * (length - uneven).max(0.0).powi(2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::chance::{self, Draws};

    fn points(counters: impl Iterator<Item = u64>) -> Vec<Point> {
        let point = |counter| Point {
            counter: counter as u16,
            behind: 0,
            created: None,
            follows: false,
        };
        counters.map(point).collect()
    }

    #[test]
    fn even_counters_have_no_rhythm() {
        for seed in 0..200 {
            let mut draws = Draws::new(seed);
            let rows = 1 + draws.below(10_000);
            let random = points((0..rows).map(|_| draws.below(RING.into())));
            let chance = examine(&random).map_or(0.0, |counted| counted.chance);
            assert!(chance > chance::NEVER, "{seed}: {chance}");
        }
        let all = points((0..u64::from(RING)).step_by(7));
        assert!(examine(&all).unwrap().chance > chance::NEVER);
    }

    #[test]
    fn working_hours_are_a_rhythm_for_years() {
        for (seconds, days) in [(60, 365), (60, 1_000), (30, 300), (300, 2_000)] {
            let mut draws = Draws::new(days);
            let times = (0..10_000).map(|_| draws.below(days) * 86_400 + draws.below(36_000));
            let made = points(times.map(|time| time / seconds));
            let chance = examine(&made).unwrap().chance;
            assert!(chance < chance::NEVER, "{seconds} {days}: {chance}");
        }
    }
}
