//! A time-ordered 93-bit number that fits `DECIMAL(28,0)`.
//!
//! ```text
//! bit of the number   127 .. 93    92 .. 48                      47 .. 0
//!                    +-----------+-----------------------------+----------+
//!                    | 0         | milliseconds since 1900 UTC | random   |
//!                    +-----------+-----------------------------+----------+
//! bits                 35          45                            48
//! byte                 0 .. 4      4 (low 5 bits) .. 9           10 .. 15
//! ```

use super::spec::{FormatSpec, Leading, TimeRange};
use super::traits::{TimeOrdered, impl_format};
use crate::bits::{BitField, FieldKind};
use crate::error::Error;
use crate::kind::FormatKind;
use crate::text::Width;
use crate::time::UnixMillis;

/// 1900-01-01T00:00:00Z, as unix time.
pub(crate) const EPOCH: i64 = -2_208_988_800_000;

/// How far the embedded time of a new id is behind the clock, so that a burst can use the
/// milliseconds in between.
pub const LEEWAY_MS: u64 = 1_000;

const FIELDS: [BitField; 3] = BitField::consecutive([
    ("zero", FieldKind::Constant(0), 35),
    (
        "milliseconds since 1900",
        FieldKind::millis_since(EPOCH),
        45,
    ),
    ("random", FieldKind::Random, 48),
]);

pub(crate) const SPEC: FormatSpec = FormatSpec {
    width: Width::Decimal28,
    decimal_digits: Some(28),
    ..FormatSpec::new(&FIELDS, Leading::Plain)
};

pub(crate) const TIME: TimeRange = SPEC.instants();

const RANDOM_BITS: u32 = 48;
/// The random bits of the step from an id to the next one within a millisecond.
pub(crate) const STEP_BITS: u32 = 41;
pub(crate) const MAX_RANDOM: u64 = (1 << RANDOM_BITS) - 1;

/// A number of at most 28 decimal digits: 45 bits of time and 48 random bits.
///
/// As 128 bits the number is big-endian with 35 leading zero bits. The public text is the decimal
/// digits without padding. From 2012-07-31 to the last instant, 3014-12-13T12:41:28.831Z, generated
/// ids have exactly 28 digits. Every number from 0 to 10^28-1 is a valid id, because replaced
/// generators and old data produce them; [`looks_generated`](Self::looks_generated) is stricter.
///
/// The embedded time counts milliseconds since 1900-01-01T00:00:00Z and is the clock's time **minus
/// one second**: a burst can use the milliseconds of that second before it must wait. Under load
/// the difference shrinks to one millisecond.
///
/// Order: one generator's ids increase strictly unless its clock is set back by more than a second.
/// Ids of several generators are ordered by their time, and differ with high probability.
///
/// ```
/// use rowkey_core::DistributedId;
///
/// let id: DistributedId = "1088824355131185736905670087".parse()?;
/// assert_eq!(id.time().unwrap().get(), 1_659_292_380_285); // 2022-07-31T18:33:00.285Z
/// assert_eq!(id.random(), 196_458_289_053_127);
/// # Ok::<(), rowkey_core::Error>(())
/// ```
///
/// Source: the DistributedId of Architect.Identities (The Architect), version 2.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct DistributedId(pub(crate) u128);

impl_format!(DistributedId, FormatKind::DistributedId);

impl TimeOrdered for DistributedId {}

impl DistributedId {
    /// The id of an embedded time and 48 random bits. Nothing is subtracted from `time`.
    ///
    /// # Errors
    ///
    /// `ErrorKind::OutOfRange` before 1900 or after 3014-12-13T12:41:28.831Z, and when `random` has
    /// more than 48 bits.
    pub fn from_parts(time: UnixMillis, random: u64) -> Result<Self, Error> {
        let timestamp = timestamp(time)?;
        if random > MAX_RANDOM {
            let (format, valid) = (FormatKind::DistributedId, 0..=MAX_RANDOM.into());
            return Err(Error::field(format, "random", random, valid));
        }
        Ok(Self::of(timestamp, random))
    }

    /// The embedded time: one second to one millisecond before the id was made. `None` for numbers
    /// above 2^93-1, which carry no time.
    pub const fn time(self) -> Option<UnixMillis> {
        SPEC.time_of(self.0)
    }

    /// The random part: the lowest 48 bits.
    pub const fn random(self) -> u64 {
        self.0 as u64 & MAX_RANDOM
    }

    /// Whether a generator could have made this id since 2012-07-31: it has exactly 28 digits, a
    /// time, and a random part that is not zero.
    pub const fn looks_generated(self) -> bool {
        self.0 >= 10u128.pow(27) && self.time().is_some() && self.random() != 0
    }

    /// Milliseconds since 1900; above 2^45-1 for the numbers that carry no time.
    pub(crate) const fn field(self) -> u64 {
        (self.0 >> RANDOM_BITS) as u64
    }

    pub(crate) const fn of(timestamp: u64, random: u64) -> Self {
        Self((timestamp as u128) << RANDOM_BITS | random as u128)
    }
}

/// Milliseconds from 1900 to an embedded time.
pub(crate) fn timestamp(time: UnixMillis) -> Result<u64, Error> {
    Ok((TIME.check(FormatKind::DistributedId, time)?.get() - EPOCH) as u64)
}
