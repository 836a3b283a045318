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

use core::time::Duration;

use super::TimeOrdered;
use super::spec::{FormatSpec, Leading, TimeRange};
use crate::bits::{BitField, FieldKind};
use crate::format::FormatKind;
use crate::generate::{Entropy, Generate, GeneratorState};
#[cfg(feature = "std")]
use crate::generate::{StateGenerator, SystemClock};
use crate::{Error, UnixMillis};

/// 1700-01-01T00:00:00Z, as unix time.
const EPOCH: i64 = -8_520_336_000_000;

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

/// The times that ids can carry.
const TIME: TimeRange = SPEC.instants();

const TIME_SHIFT: u32 = 80;
/// The nibble 7 that parts time and random bits.
const VERSION: u128 = 7 << 76;
const VERSION_MASK: u128 = 0xf << 76;
/// The bit within the random part that is always 0.
const ZERO_BIT: u128 = 1 << 63;

/// Random bits below [`ZERO_BIT`]; the other 12 are above it.
const LOW_RANDOM_BITS: u32 = 63;
const LOW_RANDOM: u128 = (1 << LOW_RANDOM_BITS) - 1;
const MAX_RANDOM: u128 = (1 << 75) - 1;

/// A clock that went back by less than this is waited for, one that went further is believed.
const MAX_REWIND_MS: u64 = 1_000;
/// Ids of one millisecond are up to 2^58-1 apart.
const STEP_MASK: u128 = (1 << 58) - 1;

/// 128 bits: 48 bits of time and 75 random bits.
///
/// The embedded time counts milliseconds since 1700-01-01T00:00:00Z and ends with the year 10619.
/// It is the clock's time; nothing is subtracted. From 1962-02-15 to 4321-03-26 an id has exactly
/// 38 decimal digits, and until the year 6159 its first bit is 0, so that it [splits](Self::split)
/// into two non-negative `i64`.
///
/// Any 128 bits are a valid id, because replaced generators and old data produce them;
/// [`looks_generated`](Self::looks_generated) is stricter. It is **not** a version-7 UUID of RFC
/// 9562, although it has the same nibble: the variant bit is 0 and the epoch is 1700.
///
/// Order: one generator's ids increase strictly unless its clock is set back by a second or more.
/// Numbers, texts of one kind and the pairs of `i64` are all ordered by time, then random part.
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
    /// [`Error::Time`] before 1700 or after the 48-bit field's end in the year 10619,
    /// [`Error::Field`] when `random` has more than 75 bits.
    pub fn from_parts(time: UnixMillis, random: u128) -> Result<Self, Error> {
        let timestamp = timestamp(time)?;
        if random > MAX_RANDOM {
            return Err(Error::Field {
                format: FormatKind::DistributedId128,
                field: "random",
                // A value beyond the message's range is as wrong as the largest one in it.
                value: if random > i128::MAX as u128 {
                    i128::MAX
                } else {
                    random as i128
                },
                min: 0,
                max: MAX_RANDOM as i128,
            });
        }
        Ok(Self::of(timestamp, random))
    }

    /// When the id was made. Only meaningful if the id [looks
    /// generated](Self::looks_generated).
    pub const fn time(self) -> UnixMillis {
        SPEC.instant_of(self.0)
    }

    /// The 75 random bits: the id without its time, the nibble 7 and the zero bit.
    pub const fn random(self) -> u128 {
        let high = self.0 >> 64 & 0xfff;
        high << LOW_RANDOM_BITS | (self.0 & LOW_RANDOM)
    }

    /// Whether a generator can have made this id: its version nibble is 7 and the bit after its
    /// eighth byte is 0.
    pub const fn looks_generated(self) -> bool {
        self.0 & (VERSION_MASK | ZERO_BIT) == VERSION
    }

    /// The upper and the lower eight bytes as signed integers. Pairs of non-negative integers are
    /// ordered like the ids.
    ///
    /// # Errors
    ///
    /// [`Error::Field`] when a half would be negative: bit 0 (from the year 6159 on) or bit 64 is
    /// set.
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
    pub const fn split(self) -> Result<(i64, i64), Error> {
        let (upper, lower) = ((self.0 >> 64) as u64, self.0 as u64);
        if upper > i64::MAX as u64 {
            return Err(half_error("upper half", upper as i128));
        }
        if lower > i64::MAX as u64 {
            return Err(half_error("lower half", lower as i128));
        }
        Ok((upper as i64, lower as i64))
    }

    /// The id whose halves these are: see [`split`](Self::split).
    ///
    /// # Errors
    ///
    /// [`Error::Field`] when a half is negative.
    pub const fn join(upper: i64, lower: i64) -> Result<Self, Error> {
        if upper < 0 {
            return Err(half_error("upper half", upper as i128));
        }
        if lower < 0 {
            return Err(half_error("lower half", lower as i128));
        }
        Ok(Self((upper as u128) << 64 | lower as u128))
    }

    /// Milliseconds since 1700.
    const fn field(self) -> u64 {
        (self.0 >> TIME_SHIFT) as u64
    }

    const fn of(timestamp: u64, random: u128) -> Self {
        let high = random >> LOW_RANDOM_BITS;
        Self((timestamp as u128) << TIME_SHIFT | VERSION | high << 64 | (random & LOW_RANDOM))
    }
}

/// Milliseconds from 1700 to a time.
fn timestamp(time: UnixMillis) -> Result<u64, Error> {
    Ok((TIME.check(FormatKind::DistributedId128, time)?.get() - EPOCH) as u64)
}

const fn half_error(field: &'static str, value: i128) -> Error {
    let format = FormatKind::DistributedId128;
    Error::Field {
        format,
        field,
        value,
        min: 0,
        max: i64::MAX as i128,
    }
}

/// The state machine that makes [`DistributedId128`]s: the id made last, and nothing else.
///
/// It reads no clock, draws no randomness and never sleeps, so it fits tests and targets without
/// an operating system; [`DistributedId128Generator`] is the one for servers.
///
/// In a new millisecond an id gets 75 fresh random bits. In the same one, or while the clock is
/// behind, the random part grows by the draw's low 58 bits: about 131,072 ids fit a millisecond.
/// When it has no room left the id has to wait, and if the clock went back by a second or more
/// meanwhile, the state follows it.
///
/// ```
/// use rowkey_core::generate::DistributedId128State;
/// use rowkey_core::UnixMillis;
///
/// let mut state = DistributedId128State::new();
/// let now = UnixMillis::new(1_577_836_800_000);
/// let first = state.next(now, 1 << 70)?;
/// assert_eq!(first.time(), now);
/// assert_eq!(state.next(now, 5)?.random(), (1 << 70) + 5);
/// # Ok::<(), rowkey_core::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct DistributedId128State {
    previous: Option<DistributedId128>,
}

impl DistributedId128State {
    /// The state of a generator that has made nothing yet.
    pub const fn new() -> Self {
        Self { previous: None }
    }

    /// The id for a clock reading and the low 75 bits of `draw`, which must be random.
    ///
    /// # Errors
    ///
    /// [`Error::Throttled`]: wait, and try again with a new reading and the *same* draw (a fresh one
    /// would favour small steps). [`Error::Time`] when `now` is before 1700 or after the format's
    /// last instant. No error changes the state.
    #[inline]
    pub fn next(&mut self, now: UnixMillis, draw: u128) -> Result<DistributedId128, Error> {
        let draw = at_least_one(draw & MAX_RANDOM);
        let timestamp = timestamp(now)?;
        let id = match self.previous {
            Some(previous) if timestamp <= previous.field() => {
                following(previous, timestamp, draw)?
            }
            _ => DistributedId128::of(timestamp, draw),
        };
        self.previous = Some(id);
        Ok(id)
    }

    /// Replaces the random part of the id made last.
    #[doc(hidden)]
    pub fn set_previous_random(&mut self, random: u128) {
        self.previous = self
            .previous
            .map(|id| DistributedId128::of(id.field(), random));
    }
}

/// The id after `previous` when `timestamp` is not later.
#[inline]
fn following(
    previous: DistributedId128,
    timestamp: u64,
    draw: u128,
) -> Result<DistributedId128, Error> {
    let random = previous.random() + at_least_one(draw & STEP_MASK);
    if random <= MAX_RANDOM {
        return Ok(DistributedId128::of(previous.field(), random));
    }
    if timestamp + MAX_REWIND_MS > previous.field() {
        let wait = Duration::from_millis(1);
        return Err(Error::Throttled {
            format: FormatKind::DistributedId128,
            wait,
        });
    }
    Ok(DistributedId128::of(timestamp, draw))
}

const fn at_least_one(value: u128) -> u128 {
    if value == 0 { 1 } else { value }
}

impl GeneratorState for DistributedId128State {
    type Id = DistributedId128;
    type Draw = u128;

    const INITIAL: Self = Self::new();

    fn draw(entropy: &mut impl Entropy) -> u128 {
        entropy.next_u128()
    }

    #[inline]
    fn next(&mut self, now: UnixMillis, draw: u128) -> Result<DistributedId128, Error> {
        Self::next(self, now, draw)
    }
}

/// Makes [`DistributedId128`]s for any number of threads.
#[cfg(feature = "std")]
pub type DistributedId128Generator<C = SystemClock> = StateGenerator<DistributedId128State, C>;

impl Generate for DistributedId128 {
    type Context = ();

    #[cfg(feature = "std")]
    fn default_generate((): &()) -> Result<Self, Error> {
        static DEFAULT: DistributedId128Generator = DistributedId128Generator::new();
        DEFAULT.try_generate()
    }
}
