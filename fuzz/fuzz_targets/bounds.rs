//! Bounds of time spans: well-formed, and the ids of the span are exactly those between them.

#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use rowkey_core::format::{BitField, FieldKind, Format, FormatKind};
use rowkey_core::generate::DistributedId128State;
use rowkey_core::generate::{EntropyFn, Generate};
use rowkey_core::time_range::ValueRange;
use rowkey_core::{DistributedId, HotGuid, UnixMillis};
use rowkey_fuzz::AnyFormat;

#[derive(Arbitrary, Debug)]
struct Input {
    format: AnyFormat,
    from: Option<Time>,
    to: Option<Time>,
    made_at: Time,
    interval_ms: u64,
    entropy: [u8; 16],
}

#[derive(Arbitrary, Clone, Copy, Debug)]
enum Time {
    Any(i64),
    /// Close to one another, in the range of every format.
    OfOurs(u16),
    /// Close to the first or last instant of some format.
    Edge(Edge, i16),
}

#[derive(Arbitrary, Clone, Copy, Debug)]
enum Edge {
    Unix,
    Year1900,
    Year1700,
    EndOf45Bits,
    EndOf48Bits,
    EndOf48BitsFrom1700,
    EndOf32BitSeconds,
}

impl Time {
    fn get(self) -> UnixMillis {
        const YEAR_1900: i64 = -2_208_988_800_000;
        const YEAR_1700: i64 = -8_520_336_000_000;
        UnixMillis::new(match self {
            Self::Any(millis) => millis,
            Self::OfOurs(millis) => 1_780_000_000_000 + i64::from(millis),
            Self::Edge(edge, offset) => {
                i64::from(offset)
                    + match edge {
                        Edge::Unix => 0,
                        Edge::Year1900 => YEAR_1900,
                        Edge::Year1700 => YEAR_1700,
                        Edge::EndOf45Bits => YEAR_1900 + (1 << 45),
                        Edge::EndOf48Bits => 1 << 48,
                        Edge::EndOf48BitsFrom1700 => YEAR_1700 + (1 << 48),
                        Edge::EndOf32BitSeconds => (1 << 32) * 1_000,
                    }
            }
        })
    }
}

fuzz_target!(|input: Input| {
    let format = input.format.0;
    let (from, to) = (input.from.map(Time::get), input.to.map(Time::get));
    let Some(ranges) = format.value_ranges(from, to, input.interval_ms) else {
        return;
    };
    are_well_formed(format, &ranges);

    let made_at = input.made_at.get();
    let Some(value) = made(format, made_at, input.entropy) else {
        return;
    };
    assert!(format.admits(value));
    let has_interval = |field: &BitField| field.kind == FieldKind::Interval;
    let wraps_around = format.fields().iter().any(has_interval);
    let step_ms = match format {
        _ if wraps_around => 60_000,
        FormatKind::HotGuid => 1_000,
        _ => 1,
    };
    let Some(ranges) = format.value_ranges(from, to, step_ms) else {
        return;
    };
    are_well_formed(format, &ranges);
    let is_listed = ranges.iter().any(|range| {
        range
            .lower
            .is_none_or(|lower| order(format, value) >= order(format, lower))
            && range
                .upper
                .is_none_or(|upper| order(format, value) < order(format, upper))
    });
    let is_empty = from.zip(to).is_some_and(|(from, to)| from >= to);
    let is_between = |from_ms: Option<i64>, to_ms: Option<i64>| {
        from_ms.is_none_or(|from| made_at.get() >= from)
            && to_ms.is_none_or(|to| made_at.get() < to)
    };
    let from_ms = from.map(UnixMillis::get);
    let to_ms = to.map(UnixMillis::get);
    if is_between(from_ms, to_ms) {
        assert!(is_listed, "an id of the span is missed");
    } else if !wraps_around {
        // The counter of a short COMB comes round again; all others only list whole steps more.
        let step = step_ms as i64;
        let floored = from_ms.map(|from| from.div_euclid(step).saturating_mul(step));
        let ceiled = to_ms.map(|to| to.saturating_add((-to.rem_euclid(step)).rem_euclid(step)));
        if is_empty || !is_between(floored, ceiled) {
            assert!(!is_listed, "an id outside of the span is listed");
        }
    }
});

/// Ranges are not empty, their edges are ids of the format, and they do not overlap.
fn are_well_formed(format: FormatKind, ranges: &[ValueRange]) {
    assert!(ranges.len() <= 2);
    for range in ranges {
        for edge in [range.lower, range.upper].into_iter().flatten() {
            assert!(format.admits(edge));
        }
        if let (Some(lower), Some(upper)) = (range.lower, range.upper) {
            assert!(order(format, lower) < order(format, upper));
        }
    }
    if let [first, second] = ranges {
        let (end, start) = (first.upper.expect("an end"), second.lower.expect("a start"));
        assert!(order(format, end) <= order(format, start));
    }
}

/// What columns of the format sort by: the time of a suffix COMB is at its end.
fn order(format: FormatKind, value: u128) -> u128 {
    let time = format
        .fields()
        .iter()
        .find(|field| matches!(field.kind, FieldKind::Time { .. } | FieldKind::Interval));
    match (format.fields()[0].kind, time) {
        (FieldKind::Random, Some(time)) => value.rotate_left(time.first_bit.into()),
        _ => value,
    }
}

/// An id that carries this time, if the format can.
fn made(format: FormatKind, time: UnixMillis, random: [u8; 16]) -> Option<u128> {
    let random_word = u128::from_be_bytes(random);
    match format {
        FormatKind::DistributedId => DistributedId::from_parts(time, random_word as u64 >> 16)
            .ok()
            .map(DistributedId::to_u128),
        FormatKind::DistributedId128 => DistributedId128State::new()
            .next(time, random_word)
            .ok()
            .map(|id| id.to_u128()),
        FormatKind::HotGuid => {
            let [a, b, c, d, e, x, y, z, ..] = random;
            let seconds = u32::try_from(time.get().div_euclid(1_000)).ok()?;
            let counter = u32::from_be_bytes([0, x, y, z]);
            HotGuid::from_parts(seconds, [a, b, c, d, e], counter, random_word as u32)
                .ok()
                .map(HotGuid::to_u128)
        }
        _ => drawn(format, time, random),
    }
}

/// Declares `drawn`: an id of a format of a time and random bits alone.
macro_rules! declare_drawn {
    ([] $({
        $module:ident $format:ident $name:literal $made:ident($($context:ident)?)
        [$($generics:tt)*] [$($arguments:tt)*]
    })*) => {
        fn drawn(format: FormatKind, time: UnixMillis, random: [u8; 16]) -> Option<u128> {
            match format {
                $(FormatKind::$format => {
                    declare_drawn!($made($($context)?) $format, time, random)
                })*
            }
        }
    };
    (drawn() $format:ident, $time:ident, $random:ident) => {
        with::<rowkey_core::$format>($time, $random)
    };
    ($made:ident($($context:ident)?) $format:ident, $time:ident, $random:ident) => {
        None
    };
}

rowkey_core::__private::format_rows!(declare_drawn);

fn with<F: Generate<Context = ()>>(time: UnixMillis, random: [u8; 16]) -> Option<u128> {
    let mut entropy = EntropyFn(|bytes: &mut [u8]| {
        for (byte, random) in bytes.iter_mut().zip(random.iter().cycle()) {
            *byte = *random;
        }
    });
    let id = F::generate_with(&(), &time, &mut entropy).ok()?;
    Some(Format::to_u128(id))
}
