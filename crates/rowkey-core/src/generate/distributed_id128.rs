//! How [`DistributedId128`]s are made.

#[cfg(feature = "std")]
use alloc::vec::Vec;
use core::time::Duration;

#[cfg(feature = "std")]
use super::locked::{Locked, declare_generator};
use super::{Clock, Entropy, Generate};
#[cfg(feature = "std")]
use super::{Generator, SystemClock};
use crate::error::Error;
use crate::format::DistributedId128;
use crate::format::distributed_id128::{MAX_RANDOM, STEP_BITS, timestamp as timestamp_of};
use crate::kind::FormatKind;
use crate::time::UnixMillis;

/// If the clock goes back by less than this, ids wait for it; if it goes back further, the state
/// follows it.
const MAX_REWIND_MS: u64 = 1_000;
/// Ids of one millisecond are up to 2^58-1 apart.
const STEP_MASK: u128 = (1 << STEP_BITS) - 1;

/// The state machine that makes [`DistributedId128`]s. Its state is the last id.
///
/// It reads no clock, draws no randomness and never sleeps, so it suits tests and targets without
/// an operating system. On servers, use [`DistributedId128Generator`].
///
/// In a new millisecond an id gets 75 fresh random bits. In the same one, or while the clock is
/// behind, the random part grows by the draw's low 58 bits: about 131,072 ids fit a millisecond.
/// When it overflows, the id has to wait. If the clock has been set back by a second or more, the
/// state follows it.
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
    /// The initial state, before the first id.
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
        let timestamp = timestamp_of(now)?;
        let id = match self.previous {
            Some(previous) if timestamp <= previous.field() => {
                following(previous, timestamp, draw)?
            }
            _ => DistributedId128::of(timestamp, draw),
        };
        self.previous = Some(id);
        Ok(id)
    }

    /// Replaces the random part of the last id.
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

#[cfg(feature = "std")]
impl super::State for DistributedId128State {
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

#[cfg(feature = "std")]
declare_generator!(
    DistributedId128Generator,
    DistributedId128,
    DistributedId128State
);

impl Generate for DistributedId128 {
    type Context = ();

    fn generate_with(
        (): &(),
        clock: &impl Clock,
        entropy: &mut impl Entropy,
    ) -> Result<Self, Error> {
        DistributedId128State::new().next(clock.now(), entropy.next_u128())
    }

    #[cfg(feature = "std")]
    fn generate_by_default((): &()) -> Result<Self, Error> {
        static DEFAULT: DistributedId128Generator = DistributedId128Generator::new();
        DEFAULT.try_generate()
    }

    #[cfg(feature = "std")]
    fn generate_batch_by_default((): &(), count: usize) -> Vec<Self> {
        super::one_by_one(&(), count)
    }
}
