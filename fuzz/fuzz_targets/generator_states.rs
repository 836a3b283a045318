//! The state machines of the generators, under any clock and any draws.

#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use rowkey_core::error::ErrorKind;
use rowkey_core::generate::{DistributedId128State, DistributedIdState};
use rowkey_core::{DistributedId, DistributedId128, UnixMillis};

#[derive(Arbitrary, Debug)]
struct Input {
    start: Start,
    steps: Vec<Step>,
}

#[derive(Arbitrary, Debug)]
enum Start {
    Any(i64),
    OfOurs(u32),
    EndOf45Bits(i16),
    EndOf48Bits(i16),
}

#[derive(Arbitrary, Debug)]
struct Step {
    clock: ClockStep,
    draw: u128,
    /// Puts the random part of the id made last here, which random draws alone rarely do.
    random: Option<Random>,
    /// How often once more: a burst needs a thousand ids to use up the second that is kept back.
    repeats: Option<u16>,
}

#[derive(Arbitrary, Debug)]
enum ClockStep {
    Still,
    By(i16),
    ByMore(i64),
}

#[derive(Arbitrary, Debug)]
enum Random {
    Any(u128),
    FromEnd(u16),
}

/// Enough for two bursts, and no more: long runs find little and cost much.
const MAX_ROUNDS: usize = 2_500;

fuzz_target!(|input: Input| {
    let mut now = match input.start {
        Start::Any(millis) => millis,
        Start::OfOurs(seconds) => i64::from(seconds) * 1_000,
        Start::EndOf45Bits(offset) => -2_208_988_800_000 + (1 << 45) + i64::from(offset),
        Start::EndOf48Bits(offset) => -8_520_336_000_000 + (1 << 48) + i64::from(offset),
    };
    let mut narrow = Narrow::default();
    let mut wide = Wide::default();
    let mut rounds = MAX_ROUNDS;
    for step in &input.steps {
        now = match step.clock {
            ClockStep::Still => now,
            ClockStep::By(millis) => now.saturating_add(millis.into()),
            ClockStep::ByMore(millis) => now.saturating_add(millis),
        };
        let times = 1 + usize::from(step.repeats.unwrap_or_default() % 1_024);
        for _ in 0..times.min(rounds) {
            narrow.step(now, step);
            wide.step(now, step);
        }
        rounds = rounds.saturating_sub(times);
    }
});

/// A generator, the id it made last, and the latest clock reading it made one at.
#[derive(Default)]
struct Narrow {
    state: DistributedIdState,
    previous: Option<DistributedId>,
    latest: Option<i64>,
}

impl Narrow {
    fn step(&mut self, now: i64, step: &Step) {
        if let (Some(random), Some(previous)) = (&step.random, self.previous) {
            let random = match random {
                Random::Any(random) => (*random as u64 >> 16).max(1),
                Random::FromEnd(offset) => (1 << 48) - 1 - u64::from(*offset),
            };
            self.state.set_previous_random(random);
            self.previous = previous
                .time()
                .and_then(|time| DistributedId::from_parts(time, random).ok());
        }
        let before = self.state.clone();
        let id = match self.state.next(UnixMillis::new(now), step.draw as u64) {
            Ok(id) => id,
            Err(error) => {
                assert!(matches!(
                    error.kind(),
                    ErrorKind::Throttled | ErrorKind::OutOfRange
                ));
                return assert_eq!(format!("{:?}", self.state), format!("{before:?}"));
            }
        };
        let time = id.time().expect("generated ids carry a time").get();
        assert!(id.random() != 0);
        let latest = self.latest.map_or(now, |latest| latest.max(now));
        // Nothing is dated into the future, as far as the clock has ever been.
        assert!(time < latest);
        let mut latest_of_sequence = latest;
        if let Some(previous) = self.previous
            && id <= previous
        {
            assert!(latest - now > 1_000, "the clock did not go back that far");
            latest_of_sequence = now;
        }
        self.previous = Some(id);
        self.latest = Some(latest_of_sequence);
    }
}

#[derive(Default)]
struct Wide {
    state: DistributedId128State,
    previous: Option<DistributedId128>,
    latest: Option<i64>,
}

impl Wide {
    fn step(&mut self, now: i64, step: &Step) {
        if let (Some(random), Some(previous)) = (&step.random, self.previous) {
            let random = match random {
                Random::Any(random) => (random >> 53).max(1),
                Random::FromEnd(offset) => (1 << 75) - 1 - u128::from(*offset),
            };
            self.state.set_previous_random(random);
            // The same time with the other random bits.
            let high = (random >> 63) << 64;
            let low = random & ((1 << 63) - 1);
            let time = previous.to_u128() >> 76 << 76;
            self.previous = Some(DistributedId128::constant(time | high | low));
        }
        let before = self.state.clone();
        let id = match self.state.next(UnixMillis::new(now), step.draw) {
            Ok(id) => id,
            Err(error) => {
                assert!(matches!(
                    error.kind(),
                    ErrorKind::Throttled | ErrorKind::OutOfRange
                ));
                return assert_eq!(format!("{:?}", self.state), format!("{before:?}"));
            }
        };
        assert!(id.looks_generated());
        let latest = self.latest.map_or(now, |latest| latest.max(now));
        assert!(id.time().get() <= latest);
        let mut latest_of_sequence = latest;
        if let Some(previous) = self.previous
            && id <= previous
        {
            assert!(latest - now >= 1_000, "the clock did not go back that far");
            latest_of_sequence = now;
        }
        self.previous = Some(id);
        self.latest = Some(latest_of_sequence);
    }
}
