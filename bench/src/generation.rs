//! Making ids.

use std::cell::Cell;
use std::time::SystemTime;

use rowkey_core::generate::{
    Clock, CoarseClock, Entropy, Generate, GenerateWith, SystemClock, SystemEntropy,
};
use rowkey_core::generate::{
    DistributedId128Generator, DistributedIdGenerator, DistributedIdState,
};
use rowkey_core::{HotGuid, PrefixComb, ShortPrefixComb, UnixMillis, UuidV7};
use uuid::Uuid;

use crate::operation::{Operation, repeat};

/// Ids per batch.
const BATCH: u64 = 256;

pub(crate) const OPERATIONS: &[Operation] = &[
    Operation::plain("short-prefix-comb-system-clock", |rounds| {
        repeat(rounds, || made_with::<ShortPrefixComb>(&SystemClock))
    }),
    Operation::plain("short-prefix-comb-coarse-clock", |rounds| {
        repeat(rounds, || made_with::<ShortPrefixComb>(&CoarseClock))
    }),
    Operation::plain("short-prefix-comb-generate", |rounds| {
        repeat(rounds, ShortPrefixComb::<60_000>::generate)
    }),
    Operation::batch("short-prefix-comb-batch", BATCH, |rounds| {
        repeat(rounds, || {
            ShortPrefixComb::<60_000>::generate_batch(BATCH as usize)
        })
    }),
    Operation::plain("prefix-comb-generate", |rounds| {
        repeat(rounds, PrefixComb::generate)
    }),
    Operation::plain("uuid-v7-generate", |rounds| {
        repeat(rounds, UuidV7::generate)
    }),
    Operation::plain("distributed-id-state", |rounds| {
        let mut state = DistributedIdState::new();
        let mut entropy = SystemEntropy::new();
        let mut now = 1_780_000_000_000;
        repeat(rounds, || {
            now += 1;
            state.next(UnixMillis::new(now), entropy.next_u64())
        })
    }),
    Operation::plain("distributed-id-generator", |rounds| {
        let generator = DistributedIdGenerator::new().with_clock(HurriedClock::default());
        repeat(rounds, || generator.generate())
    }),
    Operation::plain("distributed-id128-generator", |rounds| {
        let generator = DistributedId128Generator::new().with_clock(HurriedClock::default());
        repeat(rounds, || generator.generate())
    }),
    Operation::plain("hot-guid-generate", |rounds| {
        repeat(rounds, || HotGuid::generate_for(&7))
    }),
    // What every generator with a clock pays at least.
    Operation::plain("clock-system", |rounds| repeat(rounds, SystemTime::now)),
    Operation::plain("clock-coarse", |rounds| {
        repeat(rounds, || CoarseClock.now())
    }),
    Operation::plain("peer-uuid-v4-fast-rng", |rounds| {
        repeat(rounds, Uuid::new_v4)
    }),
    // What `Uuid::new_v4` does without the feature `fast-rng`; one build cannot have both.
    Operation::plain("peer-uuid-v4-plain", |rounds| {
        repeat(rounds, || {
            let mut random = [0; 16];
            getrandom::fill(&mut random).expect("the operating system has random bytes");
            uuid::Builder::from_random_bytes(random).into_uuid()
        })
    }),
    Operation::plain("peer-uuid-v7-fast-rng", |rounds| {
        repeat(rounds, Uuid::now_v7)
    }),
    Operation::plain("peer-ulid", |rounds| repeat(rounds, ulid::Ulid::generate)),
    Operation::plain("peer-ferroid-ulid", |rounds| {
        repeat(rounds, ferroid::generator::thread_local::Ulid::new_ulid)
    }),
];

/// What `generate` does outside of scopes, with a clock of choice.
#[inline(always)]
fn made_with<F: GenerateWith<Context = ()>>(clock: &impl Clock) -> F {
    match F::generate_with(&(), clock, &mut SystemEntropy::new()) {
        Ok(id) => id,
        Err(error) => panic!("{error}"),
    }
}

/// The system's clock, and a millisecond more every 64 readings: without it the rate cap of the
/// formats with state would be measured instead of their generators.
#[derive(Debug, Default)]
struct HurriedClock {
    readings: Cell<i64>,
}

impl Clock for HurriedClock {
    fn now(&self) -> UnixMillis {
        let readings = self.readings.get();
        self.readings.set(readings + 1);
        UnixMillis::new(UnixMillis::now().get() + readings / 64)
    }
}
