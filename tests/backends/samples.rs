//! Ids of every format: chosen times, reproducible randomness.

use std::collections::HashSet;

use rowkey::format::{FormatKind, interval_counter};
use rowkey::luuid::LuuidGroup;
use rowkey::routing::IuidContext;
use rowkey::{
    AnyUuid, DatabaseNumber, DistributedId, DistributedId128, HotGuid, Iuid, Luuid, PrefixComb,
    ShortPrefixComb, ShortSuffixComb, SuffixComb, UnixMillis, UuidV4, UuidV7,
};

use crate::keys::GROUP;

/// The default interval of the short COMBs.
pub(crate) const INTERVAL_MS: i64 = 60_000;

/// 2022-03-18T03:44:00Z, where the ring counter of the short COMBs returns to 0.
pub(crate) const WRAP: i64 = 1_647_575_040_000;

/// The length of the ring.
pub(crate) const RING_MS: i64 = INTERVAL_MS << 16;

/// Where the random bits of samples come from.
pub(crate) enum Random {
    /// Numbers that look random and are the same in every run (SplitMix64).
    Seeded(u64),
    /// Always the same bits.
    Constant(u64),
}

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        let state = match self {
            Self::Constant(bits) => return *bits,
            Self::Seeded(state) => state,
        };
        *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn next_u128(&mut self) -> u128 {
        u128::from(self.next()) << 64 | u128::from(self.next())
    }

    fn bytes<const N: usize>(&mut self) -> [u8; N] {
        std::array::from_fn(|_| self.next() as u8)
    }

    /// The same elements in another order.
    pub(crate) fn shuffled<T: Clone>(&mut self, elements: &[T]) -> Vec<T> {
        let mut elements = elements.to_vec();
        for index in (1..elements.len()).rev() {
            elements.swap(index, (self.next() % (index as u64 + 1)) as usize);
        }
        elements
    }
}

/// Instants around each other in milliseconds, seconds, intervals, days and years, and around the
/// end of the short COMBs' ring.
fn times() -> Vec<i64> {
    let steps = [1, 1_000, INTERVAL_MS, 86_400_000, 31_557_600_000];
    let near = steps
        .iter()
        .flat_map(|step| (-9..=9).map(move |count| WRAP + count * step));
    let within = [-1, 1, 30_000, 59_999].map(|ms| WRAP + ms);
    let in_ring =
        [1, 255, 256, 10_000, 32_767, 32_768, 65_535].map(|count| WRAP + count * INTERVAL_MS);
    near.chain(within).chain(in_ring).collect()
}

/// A few hundred different ids of a format that the plan has room for: for each time the smallest
/// one, the largest one and others.
pub(crate) fn samples(format: FormatKind) -> Vec<u128> {
    let mut random = Random::Seeded(format as u64);
    let mut values = Vec::new();
    for time in times().into_iter().map(UnixMillis::new) {
        values.push(made_at(format, time, &mut Random::Constant(0)));
        values.push(made_at(format, time, &mut Random::Constant(u64::MAX)));
        values.push(made_at(format, time, &mut random));
        values.push(made_at(format, time, &mut random));
    }
    values.sort_unstable();
    values.dedup();
    random.shuffled(&values)
}

/// An id as it is made at an instant.
fn made_at(format: FormatKind, time: UnixMillis, random: &mut Random) -> u128 {
    let in_range = "the sample times are within every format's range";
    match format {
        FormatKind::ShortPrefixComb => {
            let counter = ShortPrefixComb::<60_000>::counter_at(time);
            ShortPrefixComb::<60_000>::from_parts(counter, random.bytes()).to_u128()
        }
        FormatKind::ShortSuffixComb => {
            let counter = ShortSuffixComb::<60_000>::counter_at(time);
            ShortSuffixComb::<60_000>::from_parts(counter, random.bytes()).to_u128()
        }
        FormatKind::PrefixComb => PrefixComb::from_parts(time, random.bytes())
            .expect(in_range)
            .to_u128(),
        FormatKind::SuffixComb => SuffixComb::from_parts(time, random.bytes())
            .expect(in_range)
            .to_u128(),
        FormatKind::UuidV7 => UuidV7::from_parts(time, random.bytes())
            .expect(in_range)
            .to_u128(),
        FormatKind::Iuid => {
            let context = IuidContext {
                country: random.next() as u8,
                service_entity: random.next() as u8,
            };
            Iuid::from_parts(time, context, random.next() >> 10)
                .expect(in_range)
                .to_u128()
        }
        FormatKind::HotGuid => {
            let seconds = u32::try_from(time.get() / 1_000).expect(in_range);
            let (counter, shard) = (random.next() as u32 >> 8, random.next() as u32);
            HotGuid::from_parts(seconds, random.bytes(), counter, shard)
                .expect(in_range)
                .to_u128()
        }
        FormatKind::DistributedId => DistributedId::from_parts(time, random.next() >> 16)
            .expect(in_range)
            .to_u128(),
        FormatKind::DistributedId128 => {
            DistributedId128::from_parts(time, random.next_u128() >> 53)
                .expect(in_range)
                .to_u128()
        }
        FormatKind::Luuid => luuid(random.next() >> 16, random.next() >> 4),
        FormatKind::UuidV4 => UuidV4::from_random(random.bytes()).to_u128(),
        FormatKind::AnyUuid => AnyUuid::from_u128(random.next_u128()).to_u128(),
        // No time is in it; the time makes the numbers of constant bits differ.
        FormatKind::DatabaseNumber => {
            DatabaseNumber::try_from(random.next() >> 1 ^ time.get() as u64)
                .expect("63 bits")
                .to_u128()
        }
    }
}

fn luuid(key: u64, random: u64) -> u128 {
    Luuid::from_parts(LuuidGroup::of(GROUP), key, random)
        .expect("48 and 60 bits")
        .to_u128()
}

/// The smallest and the largest id of a format, in public order or in that of its time.
pub(crate) fn extremes(format: FormatKind) -> [u128; 2] {
    match format {
        FormatKind::ShortPrefixComb => [
            ShortPrefixComb::<60_000>::from_parts(0, [0; 14]).to_u128(),
            ShortPrefixComb::<60_000>::from_parts(u16::MAX, [0xff; 14]).to_u128(),
        ],
        FormatKind::ShortSuffixComb => [
            ShortSuffixComb::<60_000>::from_parts(0, [0; 14]).to_u128(),
            ShortSuffixComb::<60_000>::from_parts(u16::MAX, [0xff; 14]).to_u128(),
        ],
        FormatKind::PrefixComb | FormatKind::SuffixComb | FormatKind::UuidV4 => [
            UuidV4::from_random([0; 16]).to_u128(),
            UuidV4::from_random([0xff; 16]).to_u128(),
        ],
        FormatKind::UuidV7 => {
            let end = UnixMillis::new((1 << 48) - 1);
            [(UnixMillis::EPOCH, [0; 10]), (end, [0xff; 10])]
                .map(|(time, random)| UuidV7::from_parts(time, random).expect("48 bits").to_u128())
        }
        FormatKind::Iuid => {
            let end = UnixMillis::new((1 << 48) - 1);
            [(UnixMillis::EPOCH, 0, 0), (end, 0xff, (1 << 54) - 1)].map(|(time, byte, random)| {
                let context = IuidContext {
                    country: byte,
                    service_entity: byte,
                };
                Iuid::from_parts(time, context, random)
                    .expect("48 and 54 bits")
                    .to_u128()
            })
        }
        FormatKind::Luuid => [luuid(0, 0), luuid((1 << 48) - 1, (1 << 60) - 1)],
        FormatKind::DistributedId => [0, 10_u128.pow(28) - 1],
        FormatKind::DatabaseNumber => [0, i64::MAX as u128],
        FormatKind::HotGuid | FormatKind::DistributedId128 | FormatKind::AnyUuid => [0, u128::MAX],
    }
}

/// The place of an id in its format's order of time (of keys, for a LUUID), if it has one.
pub(crate) fn position(format: FormatKind, value: u128) -> Option<i64> {
    match format {
        FormatKind::ShortPrefixComb | FormatKind::ShortSuffixComb => {
            Some(i64::from(counter(format, value)))
        }
        FormatKind::Luuid => Luuid::try_from(value).ok().map(|id| id.number() as i64),
        _ => format.time_of(value).map(UnixMillis::get),
    }
}

/// The ring counter of a short COMB.
fn counter(format: FormatKind, value: u128) -> u16 {
    let sample = "a sample belongs to its format";
    match format {
        FormatKind::ShortPrefixComb => ShortPrefixComb::<60_000>::try_from(value)
            .expect(sample)
            .counter(),
        _ => ShortSuffixComb::<60_000>::try_from(value)
            .expect(sample)
            .counter(),
    }
}

/// Selects the ids that may have been made in a span, by the time they carry.
pub(crate) fn made_within(
    format: FormatKind,
    from: Option<i64>,
    to: Option<i64>,
) -> Box<dyn Fn(u128) -> bool> {
    if from.zip(to).is_some_and(|(from, to)| from >= to) {
        return Box::new(|_| false);
    }
    if matches!(
        format,
        FormatKind::ShortPrefixComb | FormatKind::ShortSuffixComb
    ) {
        let Some((from, to)) = from.zip(to) else {
            return Box::new(|_| true);
        };
        if to.saturating_sub(from) >= RING_MS {
            return Box::new(|_| true);
        }
        // Every interval that the span touches, one after the other.
        let first = from.div_euclid(INTERVAL_MS) * INTERVAL_MS;
        let counters: HashSet<u16> = (first..to)
            .step_by(INTERVAL_MS as usize)
            .map(|time| interval_counter(UnixMillis::new(time), INTERVAL_MS as u64))
            .collect::<Result<_, _>>()
            .expect("the interval is not zero");
        return Box::new(move |value| counters.contains(&counter(format, value)));
    }
    let resolution = if format == FormatKind::HotGuid {
        1_000
    } else {
        1
    };
    Box::new(move |value| {
        let first = position(format, value).expect("a format with time");
        from.is_none_or(|from| first + resolution > from) && to.is_none_or(|to| first < to)
    })
}
