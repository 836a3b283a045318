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

use core::time::Duration;

use super::TimeOrdered;
use super::spec::{FormatSpec, Leading, TimeRange};
use crate::bits::{BitField, FieldKind};
use crate::format::FormatKind;
use crate::generate::{Entropy, Generate, GeneratorState};
#[cfg(feature = "std")]
use crate::generate::{StateGenerator, SystemClock};
use crate::text::Width;
use crate::{Error, UnixMillis};

/// 1900-01-01T00:00:00Z, as unix time.
const EPOCH: i64 = -2_208_988_800_000;

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

/// The times that ids can carry.
const TIME: TimeRange = SPEC.instants();

const RANDOM_BITS: u32 = 48;
const MAX_RANDOM: u64 = (1 << RANDOM_BITS) - 1;

/// How far behind the clock new timestamps are, so that a burst can use the milliseconds between.
const LEEWAY_MS: u64 = 1_000;
/// A clock that went further back than this, seen from the state, is believed.
const MAX_REWIND_MS: u64 = 1_000;
/// Ids of one millisecond are up to 2^41-1 apart.
const STEP_MASK: u64 = (1 << 41) - 1;

/// A number of at most 28 decimal digits: 45 bits of time and 48 random bits.
///
/// As 128 bits it is big-endian with 35 leading zero bits. Its public text is its decimal digits
/// without padding. From 2012-07-31 to the last instant, 3014-12-13T12:41:28.831Z, generated ids
/// have exactly 28 digits. Every number from 0 to 10^28-1 is a valid id, because replaced
/// generators and old data produce them; [`looks_generated`](Self::looks_generated) is stricter.
///
/// The embedded time counts milliseconds since 1900-01-01T00:00:00Z and is the clock's time **minus
/// one second**: a burst then has a second's worth of milliseconds to use up before it must wait.
/// Under load the difference shrinks down to one millisecond.
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
    /// [`Error::Time`] before 1900 or after 3014-12-13T12:41:28.831Z, [`Error::Field`] when
    /// `random` has more than 48 bits.
    pub fn from_parts(time: UnixMillis, random: u64) -> Result<Self, Error> {
        let timestamp = timestamp(time)?;
        if random > MAX_RANDOM {
            return Err(Error::Field {
                format: FormatKind::DistributedId,
                field: "random",
                value: random as i128,
                min: 0,
                max: MAX_RANDOM as i128,
            });
        }
        Ok(Self::of(timestamp, random))
    }

    /// The embedded time: one second to one millisecond before the id was made. `None` for the
    /// numbers above 2^93-1, which carry no time.
    pub const fn time(self) -> Option<UnixMillis> {
        SPEC.time_of(self.0)
    }

    /// The random part: the lowest 48 bits.
    pub const fn random(self) -> u64 {
        self.0 as u64 & MAX_RANDOM
    }

    /// Whether a generator can have made this id since 2012-07-31: it has exactly 28 digits, a time
    /// and a random part that is not zero.
    pub const fn looks_generated(self) -> bool {
        self.0 >= 10u128.pow(27) && self.time().is_some() && self.random() != 0
    }

    /// Milliseconds since 1900; above 2^45-1 for the numbers that carry no time.
    const fn field(self) -> u64 {
        (self.0 >> RANDOM_BITS) as u64
    }

    const fn of(timestamp: u64, random: u64) -> Self {
        Self((timestamp as u128) << RANDOM_BITS | random as u128)
    }
}

/// Milliseconds from 1900 to an embedded time.
fn timestamp(time: UnixMillis) -> Result<u64, Error> {
    Ok((TIME.check(FormatKind::DistributedId, time)?.get() - EPOCH) as u64)
}

/// Milliseconds from 1900 to the time that a clock reading is embedded as.
#[inline]
fn timestamp_of_clock(now: UnixMillis) -> Result<u64, Error> {
    let leeway = LEEWAY_MS as i64;
    // In terms of the clock, because that is what the caller knows.
    let readings = TimeRange {
        min: UnixMillis::new(TIME.min.get() + leeway),
        max: UnixMillis::new(TIME.max.get() + leeway),
    };
    let now = readings.check(FormatKind::DistributedId, now)?;
    Ok((now.get() - leeway - EPOCH) as u64)
}

/// The state machine that makes [`DistributedId`]s: the id made last, and nothing else.
///
/// It reads no clock, draws no randomness and never sleeps, so it fits tests and targets without
/// an operating system; [`DistributedIdGenerator`] is the one for servers.
///
/// In a new millisecond an id gets 48 fresh random bits. In the same one, or while the clock is
/// behind, the random part grows by the draw's low 41 bits. When it has no room left, the next
/// millisecond is borrowed as long as it is in the past; that makes about 128 ids per millisecond
/// and a burst of about 128,000. When there is none to borrow, the id has to wait, and if the clock
/// went back by more than a second meanwhile, the state follows it.
///
/// ```
/// use rowkey_core::generate::DistributedIdState;
/// use rowkey_core::UnixMillis;
///
/// let mut state = DistributedIdState::new();
/// let now = UnixMillis::new(1_577_836_800_000);
/// let first = state.next(now, 41_611_818_664_338)?;
/// assert_eq!(first.time(), Some(UnixMillis::new(1_577_836_799_000)));
/// assert_eq!(first.random(), 41_611_818_664_338);
/// assert_eq!(state.next(now, 5)?.random(), first.random() + 5);
/// # Ok::<(), rowkey_core::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct DistributedIdState {
    previous: Option<DistributedId>,
}

impl DistributedIdState {
    /// The state of a generator that has made nothing yet.
    pub const fn new() -> Self {
        Self { previous: None }
    }

    /// The id for a clock reading and the low 48 bits of `draw`, which must be random.
    ///
    /// # Errors
    ///
    /// [`Error::Throttled`]: wait, and try again with a new reading and the *same* draw (a fresh one
    /// would favour small steps). [`Error::Time`] when `now`, minus the one second, is before 1900 or
    /// after the format's last instant. No error changes the state.
    #[inline]
    pub fn next(&mut self, now: UnixMillis, draw: u64) -> Result<DistributedId, Error> {
        let draw = at_least_one(draw & MAX_RANDOM);
        let timestamp = timestamp_of_clock(now)?;
        let id = match self.previous {
            Some(previous) if timestamp <= previous.field() => {
                following(previous, timestamp, draw)?
            }
            _ => DistributedId::of(timestamp, draw),
        };
        self.previous = Some(id);
        Ok(id)
    }

    /// Replaces the random part of the id made last.
    #[doc(hidden)]
    pub fn set_previous_random(&mut self, random: u64) {
        self.previous = self
            .previous
            .map(|id| DistributedId::of(id.field(), random));
    }
}

/// The id after `previous` when `timestamp` is not later.
#[inline]
fn following(previous: DistributedId, timestamp: u64, draw: u64) -> Result<DistributedId, Error> {
    let random = previous.random() + at_least_one(draw & STEP_MASK);
    if random <= MAX_RANDOM {
        return Ok(DistributedId::of(previous.field(), random));
    }
    // The millisecond before the clock's: nothing is ever dated into the future.
    let latest = timestamp + LEEWAY_MS - 1;
    if previous.field() < latest {
        let borrowed = previous.field() + 1;
        // Only in the format's last second can this one be out of range.
        self::timestamp(UnixMillis::new(EPOCH + borrowed as i64))?;
        Ok(DistributedId::of(borrowed, draw))
    } else if previous.field() - latest <= MAX_REWIND_MS {
        let wait = Duration::from_millis(1);
        Err(Error::Throttled {
            format: FormatKind::DistributedId,
            wait,
        })
    } else {
        Ok(DistributedId::of(timestamp, draw))
    }
}

const fn at_least_one(value: u64) -> u64 {
    if value == 0 { 1 } else { value }
}

impl GeneratorState for DistributedIdState {
    type Id = DistributedId;
    type Draw = u64;

    const INITIAL: Self = Self::new();

    fn draw(entropy: &mut impl Entropy) -> u64 {
        entropy.next_u64()
    }

    #[inline]
    fn next(&mut self, now: UnixMillis, draw: u64) -> Result<DistributedId, Error> {
        Self::next(self, now, draw)
    }
}

/// Makes [`DistributedId`]s for any number of threads.
#[cfg(feature = "std")]
pub type DistributedIdGenerator<C = SystemClock> = StateGenerator<DistributedIdState, C>;

impl Generate for DistributedId {
    type Context = ();

    #[cfg(feature = "std")]
    fn default_generate((): &()) -> Result<Self, Error> {
        static DEFAULT: DistributedIdGenerator = DistributedIdGenerator::new();
        DEFAULT.try_generate()
    }
}
