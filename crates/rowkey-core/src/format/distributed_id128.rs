//! A time-ordered 128-bit number that fits `DECIMAL(38,0)` and two non-negative `i64`.
//!
//! ```text
//! byte   0 .. 5                       6       7     8    8 .. 15
//!      +-----------------------------+-+-----------+-+------------------+
//!      | milliseconds since 1700 UTC |7| random    |0| random           |
//!      +-----------------------------+-+-----------+-+------------------+
//! bits   48                            4 12          1 63
//!                                        (74..63)      (62..0)
//! ```

use super::spec::{FormatSpec, Leading, TimeRange};
use super::traits::{TimeOrdered, impl_format};
use crate::bits::{BitField, FieldKind};
use crate::error::Error;
use crate::kind::FormatKind;
use crate::time::UnixMillis;

/// 1700-01-01T00:00:00Z, as unix time.
pub(crate) const EPOCH: i64 = -8_520_336_000_000;

const FIELDS: [BitField; 5] = BitField::consecutive([
    (
        "milliseconds since 1700",
        FieldKind::millis_since(EPOCH),
        48,
    ),
    ("version", FieldKind::Constant(7), 4),
    ("random", FieldKind::Random, 12),
    ("zero", FieldKind::Constant(0), 1),
    ("random", FieldKind::Random, 63),
]);

pub(crate) const SPEC: FormatSpec = FormatSpec {
    decimal_digits: Some(38),
    ..FormatSpec::new(&FIELDS, Leading::Plain)
};

pub(crate) const TIME: TimeRange = SPEC.instants();

const TIME_SHIFT: u32 = 80;
/// The random bits of the step from an id to the next one within a millisecond.
pub(crate) const STEP_BITS: u32 = 58;
/// The nibble 7 between time and random bits.
const VERSION: u128 = 7 << 76;
const VERSION_MASK: u128 = 0xf << 76;
/// The bit within the random part that is always 0.
const ZERO_BIT: u128 = 1 << 63;

/// Random bits below [`ZERO_BIT`]; the other 12 are above it.
const LOW_RANDOM_BITS: u32 = 63;
const LOW_RANDOM: u128 = (1 << LOW_RANDOM_BITS) - 1;
pub(crate) const MAX_RANDOM: u128 = (1 << 75) - 1;

/// 128 bits: 48 bits of time and 75 random bits.
///
/// The embedded time counts milliseconds since 1700-01-01T00:00:00Z and ends with the year 10619.
/// Nothing is subtracted from the clock's time, and a clock that is set back is not followed at
/// once: see [`DistributedId128State`](crate::generate::DistributedId128State). From 1962-02-15 to
/// 4321-03-26 an id has exactly 38 decimal digits, and until the year 6159 its first bit is 0, so
/// that it [splits](Self::split) into two non-negative `i64`.
///
/// Any 128 bits are a valid id, because replaced generators and old data produce them;
/// [`looks_generated`](Self::looks_generated) is stricter. It is **not** a version-7 UUID of RFC
/// 9562, although it has the same nibble: the variant bit is 0 and the epoch is 1700.
///
/// Order: one generator's ids increase strictly unless its clock is set back by a second or more.
/// Numbers, text of one encoding, and pairs of `i64` are all ordered by time, then random part.
///
/// ```
/// use rowkey_core::DistributedId128;
///
/// let id: DistributedId128 = "094954a8-622c-76ad-1b93-cdefcbdf0888".parse()?;
/// assert_eq!(id.time().get(), 1_690_221_583_916); // 2023-07-24T17:59:43.916Z
/// assert!(id.looks_generated());
/// # Ok::<(), rowkey_core::Error>(())
/// ```
///
/// Source: the DistributedId128 of Architect.Identities (The Architect), version 2.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct DistributedId128(pub(crate) u128);

impl_format!(DistributedId128, FormatKind::DistributedId128);

impl TimeOrdered for DistributedId128 {}

impl DistributedId128 {
    /// The id of a time and 75 random bits.
    ///
    /// # Errors
    ///
    /// `ErrorKind::OutOfRange` before 1700 or after the 48-bit field's end in the year 10619, and
    /// when `random` has more than 75 bits.
    pub fn from_parts(time: UnixMillis, random: u128) -> Result<Self, Error> {
        let timestamp = timestamp(time)?;
        if random > MAX_RANDOM {
            let (format, valid) = (FormatKind::DistributedId128, 0..=MAX_RANDOM);
            return Err(Error::field(format, "random", random, valid));
        }
        Ok(Self::of(timestamp, random))
    }

    /// When the id was made. Only meaningful if it [looks generated](Self::looks_generated).
    pub const fn time(self) -> UnixMillis {
        SPEC.instant_of(self.0)
    }

    /// The 75 random bits: the id without its time, the nibble 7 and the zero bit.
    pub const fn random(self) -> u128 {
        let high = self.0 >> 64 & 0xfff;
        high << LOW_RANDOM_BITS | (self.0 & LOW_RANDOM)
    }

    /// Whether a generator could have made this id: its version nibble is 7 and the bit after its
    /// eighth byte is 0.
    pub const fn looks_generated(self) -> bool {
        self.0 & (VERSION_MASK | ZERO_BIT) == VERSION
    }

    /// The upper and the lower eight bytes as signed integers. Pairs of non-negative integers are
    /// ordered like the ids.
    ///
    /// # Errors
    ///
    /// `ErrorKind::OutOfRange` when a half would be negative: bit 0 (from the year 6159 on) or bit
    /// 64 is set.
    ///
    /// ```
    /// use rowkey_core::DistributedId128;
    ///
    /// let id: DistributedId128 = "094954a8-622c-76ad-1b93-cdefcbdf0888".parse()?;
    /// let (upper, lower) = id.split()?;
    /// assert_eq!((upper, lower), (0x094954a8622c76ad, 0x1b93cdefcbdf0888));
    /// assert_eq!(DistributedId128::join(upper, lower)?, id);
    /// # Ok::<(), rowkey_core::Error>(())
    /// ```
    pub fn split(self) -> Result<(i64, i64), Error> {
        let (upper, lower) = ((self.0 >> 64) as u64, self.0 as u64);
        if upper > i64::MAX as u64 {
            return Err(half_error("upper half", upper as i128));
        }
        if lower > i64::MAX as u64 {
            return Err(half_error("lower half", lower as i128));
        }
        Ok((upper as i64, lower as i64))
    }

    /// The id of these halves: see [`split`](Self::split).
    ///
    /// # Errors
    ///
    /// `ErrorKind::OutOfRange` when a half is negative.
    pub fn join(upper: i64, lower: i64) -> Result<Self, Error> {
        if upper < 0 {
            return Err(half_error("upper half", upper as i128));
        }
        if lower < 0 {
            return Err(half_error("lower half", lower as i128));
        }
        Ok(Self((upper as u128) << 64 | lower as u128))
    }

    /// Milliseconds since 1700.
    pub(crate) const fn field(self) -> u64 {
        (self.0 >> TIME_SHIFT) as u64
    }

    pub(crate) const fn of(timestamp: u64, random: u128) -> Self {
        let high = random >> LOW_RANDOM_BITS;
        Self((timestamp as u128) << TIME_SHIFT | VERSION | high << 64 | (random & LOW_RANDOM))
    }
}

/// Milliseconds from 1700 to a time.
pub(crate) fn timestamp(time: UnixMillis) -> Result<u64, Error> {
    Ok((TIME.check(FormatKind::DistributedId128, time)?.get() - EPOCH) as u64)
}

#[cold]
fn half_error(field: &str, value: i128) -> Error {
    let valid = 0..=i64::MAX as u128;
    Error::field(FormatKind::DistributedId128, field, value, valid)
}
