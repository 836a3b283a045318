//! Shared by the four COMBs: valid version-4 UUIDs with a time field in front (prefix) or in the
//! bytes that SQL Server compares first (suffix).

use crate::bits::FixedBits;
use crate::error::{Error, ErrorKind};
use crate::time::UnixMillis;

pub(crate) const FIXED: FixedBits = FixedBits::rfc(4);

/// The number of values of the short COMBs' counter.
pub(crate) const RING: i64 = 1 << 16;

/// The default tolerance, in intervals, between the clocks that make short COMBs.
pub(crate) const CLOCKS_APART: u64 = 10;

/// The lowest bit of B10 B11.
const SHORT_SUFFIX_SHIFT: u32 = 32;

/// B10..B15.
const FULL_FIELD: u128 = (1 << 48) - 1;

/// The counter of a short COMB at `time`: `floor(time / interval) mod 65536`.
///
/// `interval_ms` is in milliseconds. Division and remainder are Euclidean, so the counter also
/// steps evenly before 1970.
///
/// # Errors
///
/// `ErrorKind::Declaration` for an interval of 0.
///
/// ```
/// use rowkey_core::format::interval_counter;
/// use rowkey_core::UnixMillis;
///
/// assert_eq!(interval_counter(UnixMillis::new(1_647_575_040_000), 60_000)?, 0);
/// assert_eq!(interval_counter(UnixMillis::new(-1), 60_000)?, 65_535);
/// # Ok::<(), rowkey_core::Error>(())
/// ```
pub fn interval_counter(time: UnixMillis, interval_ms: u64) -> Result<u16, Error> {
    if interval_ms == 0 {
        return Err(Error::new(ErrorKind::Declaration, ZERO_INTERVAL));
    }
    Ok(interval_number(time, interval_ms).rem_euclid(RING) as u16)
}

/// `floor(time / interval)` for an interval that is not 0.
// Inlined, because the interval is a constant: a division by it is a multiplication.
#[inline]
pub(crate) const fn interval_number(time: UnixMillis, interval_ms: u64) -> i64 {
    if interval_ms > i64::MAX as u64 {
        return if time.get() < 0 { -1 } else { 0 };
    }
    time.get().div_euclid(interval_ms as i64)
}

const ZERO_INTERVAL: &str = "the interval of a short COMB is at least one millisecond";

/// Rejects a zero interval when a short COMB type is used with one.
pub(crate) const fn checked_interval(interval_ms: u64) -> u64 {
    assert!(interval_ms > 0, "{}", ZERO_INTERVAL);
    interval_ms
}

/// Puts `counter` into B0 B1 of `random` and stamps version and variant.
pub(crate) const fn short_prefix(counter: u16, random: u128) -> u128 {
    FIXED.stamp((counter as u128) << 112 | (random & (u128::MAX >> 16)))
}

/// Puts `counter` into B10 B11 of `random` and stamps version and variant.
pub(crate) const fn short_suffix(counter: u16, random: u128) -> u128 {
    let field = 0xffff << SHORT_SUFFIX_SHIFT;
    FIXED.stamp((counter as u128) << SHORT_SUFFIX_SHIFT | (random & !field))
}

/// B0 B1.
pub(crate) const fn short_prefix_field(value: u128) -> u16 {
    (value >> 112) as u16
}

/// B10 B11.
pub(crate) const fn short_suffix_field(value: u128) -> u16 {
    (value >> SHORT_SUFFIX_SHIFT) as u16
}

/// Puts `millis` into B0..B5 of `random` and stamps version and variant.
pub(crate) const fn full_prefix(millis: u64, random: u128) -> u128 {
    FIXED.stamp((millis as u128) << 80 | (random & (u128::MAX >> 48)))
}

/// Puts `millis` into B10..B15 of `random` and stamps version and variant.
pub(crate) const fn full_suffix(millis: u64, random: u128) -> u128 {
    FIXED.stamp((millis as u128) | (random & !FULL_FIELD))
}

/// Spreads random bytes over the sixteen positions except those of the time, from `field` on,
/// lowest first.
pub(crate) const fn around_field<const RANDOM: usize>(random: [u8; RANDOM], field: usize) -> u128 {
    let mut bytes = [0; 16];
    let mut index = 0;
    while index < RANDOM {
        let position = if index < field {
            index
        } else {
            index + 16 - RANDOM
        };
        bytes[position] = random[index];
        index += 1;
    }
    u128::from_be_bytes(bytes)
}
