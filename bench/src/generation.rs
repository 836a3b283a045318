//! Making ids.

use std::cell::Cell;
#[cfg(feature = "coarse-clock")]
use std::sync::atomic::{AtomicU32, Ordering};

#[cfg(feature = "coarse-clock")]
use rowkey_core::generate::CoarseClock;
use rowkey_core::generate::{Clock, Entropy, Generate, SystemClock, SystemEntropy};
use rowkey_core::generate::{
    DistributedId128Generator, DistributedIdGenerator, DistributedIdState,
};
use rowkey_core::routing::IuidContext;
use rowkey_core::{HotGuid, Iuid, PrefixComb, ShortPrefixComb, UnixMillis, UuidV4, UuidV7};
use uuid::{NoContext, Timestamp, Uuid};

use crate::operation::{Operation, operation, repeat};
use crate::storage::uuid_of;

/// Ids per batch.
const BATCH: u64 = 256;

const CONTEXT: IuidContext = IuidContext {
    country: 49,
    service_entity: 3,
};

type Comb = ShortPrefixComb<60_000>;

pub(crate) const OPERATIONS: &[Operation] = &[
    operation!(plain "short-prefix-comb-system-clock", || made_with::<Comb>(&SystemClock))
        .of_system_clock(),
    #[cfg(feature = "coarse-clock")]
    operation!(plain "short-prefix-comb-coarse-clock", || made_with::<Comb>(&CoarseClock)),
    operation!(plain "short-prefix-comb-generate", Comb::generate).of_system_clock(),
    operation!(plain "short-prefix-comb-generate-coarse", Comb::generate),
    operation!(plain "short-prefix-comb-batch", || Comb::generate_batch(BATCH as usize))
        .per_round(BATCH),
    operation!(plain "floor-short-prefix-comb-batch", combs_by_hand).per_round(BATCH),
    operation!(plain "prefix-comb-generate", PrefixComb::generate),
    operation!(plain "uuid-v4-generate", UuidV4::generate),
    operation!(plain "uuid-v7-generate", UuidV7::generate),
    operation!(plain "uuid-v7-stateless", || made_with::<UuidV7>(&SystemClock)),
    operation!(plain "uuid-v7-batch", || UuidV7::generate_batch(BATCH as usize)).per_round(BATCH),
    operation!(plain "iuid-generate", || Iuid::generate_for(&CONTEXT)),
    Operation::new("distributed-id-state", "baseline-plain", |rounds| {
        let mut state = DistributedIdState::new();
        let mut entropy = SystemEntropy::new();
        let mut now = 1_780_000_000_000;
        repeat(rounds, || {
            now += 1;
            state.next(UnixMillis::new(now), entropy.next_u64())
        })
    }),
    Operation::new("distributed-id-generator", "baseline-plain", |rounds| {
        let generator = DistributedIdGenerator::new().with_clock(HurriedClock::default());
        repeat(rounds, || generator.generate())
    }),
    Operation::new("distributed-id128-generator", "baseline-plain", |rounds| {
        let generator = DistributedId128Generator::new().with_clock(HurriedClock::default());
        repeat(rounds, || generator.generate())
    }),
    operation!(plain "hot-guid-generate", || HotGuid::generate_for(&7)).of_system_clock(),
    operation!(plain "hot-guid-generate-coarse", || HotGuid::generate_for(&7)),
    #[cfg(feature = "coarse-clock")]
    operation!(plain "floor-hot-guid-coarse", || hot_guid_by_hand(7)),
    operation!(plain "clock-system", || SystemClock.now()),
    #[cfg(feature = "coarse-clock")]
    operation!(plain "clock-coarse", || CoarseClock.now()),
    operation!(plain "peer-uuid-v4-fast-rng", Uuid::new_v4),
    // What `Uuid::new_v4` does without the feature `fast-rng`; one build cannot have both.
    operation!(plain "peer-uuid-v4-plain", || {
        let mut random = [0; 16];
        getrandom::fill(&mut random).expect("the operating system has random bytes");
        uuid::Builder::from_random_bytes(random).into_uuid()
    }),
    operation!(plain "peer-uuid-v7-fast-rng", Uuid::now_v7),
    operation!(plain "peer-uuid-v7-no-context", || Uuid::new_v7(Timestamp::now(NoContext))),
    operation!(plain "peer-ulid", ulid::Ulid::generate).of_system_clock(),
    operation!(plain "peer-ferroid-ulid", ferroid::generator::thread_local::Ulid::new_ulid),
];

/// What `generate` does outside of scopes, with a clock of choice.
#[inline(always)]
fn made_with<F: Generate<Context = ()>>(clock: &impl Clock) -> F {
    match F::generate_with(&(), clock, &mut SystemEntropy::new()) {
        Ok(id) => id,
        Err(error) => panic!("{error}"),
    }
}

/// A batch of short COMBs by hand: one reading of the clock, and for each id random bits out of a
/// large block and a few operations on them. Two random words for each id take more.
fn combs_by_hand() -> Vec<u128> {
    let interval = UnixMillis::now().get() / 60_000;
    let time = ((interval & 0xffff) as u128) << 112;
    let mut random = [0; 16 * BATCH as usize];
    SystemEntropy::new().fill(&mut random);
    let (blocks, _) = random.as_chunks::<16>();
    let blocks = blocks.iter().map(|block| u128::from_be_bytes(*block));
    blocks.map(|bits| uuid_of(4, bits >> 16 | time)).collect()
}

/// A HotGuid by hand: a reading of the clock, and a counter that is shared.
#[cfg(feature = "coarse-clock")]
fn hot_guid_by_hand(shard_key: u32) -> u128 {
    static COUNTER: AtomicU32 = AtomicU32::new(0);
    const MACHINE: u128 = 0x12_3456_789a << 24;
    #[cfg(target_os = "linux")]
    let second = rustix::time::clock_gettime(rustix::time::ClockId::RealtimeCoarse).tv_sec as u32;
    #[cfg(not(target_os = "linux"))]
    let second = (CoarseClock.now().get() / 1_000) as u32;
    let counter = COUNTER.fetch_add(1, Ordering::Relaxed) & 0xff_ffff;
    u128::from(second) << 96 | MACHINE << 32 | u128::from(counter) << 32 | u128::from(shard_key)
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
