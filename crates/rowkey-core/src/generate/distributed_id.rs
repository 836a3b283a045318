//! How [`DistributedId`]s are made.

#[cfg(feature = "std")]
use alloc::vec::Vec;
use core::time::Duration;

#[cfg(feature = "std")]
use super::locked::{Locked, declare_generator};
use super::{Clock, Entropy, Generate};
#[cfg(feature = "std")]
use super::{Generator, SystemClock};
use crate::error::Error;
use crate::format::DistributedId;
use crate::format::TimeRange;
use crate::format::distributed_id::{
    EPOCH, LEEWAY_MS, MAX_RANDOM, STEP_BITS, TIME, timestamp as timestamp_of,
};
use crate::kind::FormatKind;
use crate::time::UnixMillis;

/// A clock that is further than this behind the state is followed.
const MAX_REWIND_MS: u64 = 1_000;
/// Ids of one millisecond are up to 2^41-1 apart.
const STEP_MASK: u64 = (1 << STEP_BITS) - 1;

/// Milliseconds from 1900 to the embedded time of a clock reading.
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

/// The state machine that makes [`DistributedId`]s. Its state is the last id.
///
/// It reads no clock, draws no randomness and never sleeps, so it suits tests and targets without
/// an operating system. On servers, use [`DistributedIdGenerator`].
///
/// In a new millisecond an id gets 48 fresh random bits. In the same one, or while the clock is
/// behind, the random part grows by the draw's low 41 bits. When it overflows, the next millisecond
/// is borrowed if it is in the past; that allows about 128 ids per millisecond and a burst of about
/// 128,000. If there is none to borrow, the id has to wait. If the clock has been set back by more
/// than a second, the state follows it.
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
    /// The initial state, before the first id.
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

    /// Replaces the random part of the last id.
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
    // The millisecond before the clock's: ids are never dated into the future.
    let latest = timestamp + LEEWAY_MS - 1;
    if previous.field() < latest {
        let borrowed = previous.field() + 1;
        // Only in the format's last second can this one be out of range.
        timestamp_of(UnixMillis::new(EPOCH + borrowed as i64))?;
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

#[cfg(feature = "std")]
impl super::State for DistributedIdState {
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

#[cfg(feature = "std")]
declare_generator!(DistributedIdGenerator, DistributedId, DistributedIdState);

impl Generate for DistributedId {
    type Context = ();

    fn generate_with(
        (): &(),
        clock: &impl Clock,
        entropy: &mut impl Entropy,
    ) -> Result<Self, Error> {
        DistributedIdState::new().next(clock.now(), entropy.next_u64())
    }

    #[cfg(feature = "std")]
    fn generate_by_default((): &()) -> Result<Self, Error> {
        static DEFAULT: DistributedIdGenerator = DistributedIdGenerator::new();
        DEFAULT.try_generate()
    }

    #[cfg(feature = "std")]
    fn generate_batch_by_default((): &(), count: usize) -> Vec<Self> {
        super::one_by_one(&(), count)
    }
}
