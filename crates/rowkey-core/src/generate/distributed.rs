//! How [`DistributedId`]s and [`DistributedId128`]s are made.

use core::time::Duration;
#[cfg(feature = "std")]
use {alloc::vec::Vec, std::sync::Mutex};

use super::{Clock, Entropy, Generate};
#[cfg(feature = "std")]
use super::{Generator, PerProcess, SystemClock, SystemEntropy, lock, wait};
use crate::error::Error;
use crate::format::{
    DistributedId, DistributedId128, TimeRange, distributed_id, distributed_id128,
};
use crate::time::UnixMillis;

/// If the clock goes back by more than this, ids don't wait for it, but follow it.
const MAX_REWIND_MS: u64 = 1_000;

/// A format whose ids of one millisecond follow each other at random distances.
trait Stepped: Generate<Context = ()> + Send {
    const MAX_RANDOM: u128;

    /// The largest distance of two consecutive ids in a millisecond.
    const MAX_STEP: u128;

    /// How far the embedded time of a new id is behind the clock. A burst borrows the milliseconds
    /// in between.
    const LEEWAY_MS: u64 = 0;

    fn draw(entropy: &mut impl Entropy) -> u128;

    /// The id of an embedded time, in milliseconds since the format's epoch, and a random part.
    fn of(timestamp: u64, random: u128) -> Self;

    /// The inverse of [`of`](Self::of).
    fn parts(self) -> (u64, u128);

    /// The id after `previous`. If it has to wait, pass the same draw again.
    #[inline]
    fn after(previous: Option<Self>, now: UnixMillis, draw: u128) -> Result<Self, Error> {
        let random = (draw & Self::MAX_RANDOM).max(1);
        let times = const { Self::KIND.spec().instants() };
        let leeway = Self::LEEWAY_MS as i64;
        // In terms of the clock, because that is what the caller knows.
        let readings = TimeRange {
            min: UnixMillis::new(times.min.get() + leeway),
            max: UnixMillis::new(times.max.get() + leeway),
        };
        let now = readings.check(Self::KIND, now)?;
        let timestamp = (now.get() - readings.min.get()) as u64;
        let (last, last_random) = match previous.map(Self::parts) {
            Some(parts) if timestamp <= parts.0 => parts,
            _ => return Ok(Self::of(timestamp, random)),
        };
        let next_random = last_random + (draw & Self::MAX_STEP).max(1);
        if next_random <= Self::MAX_RANDOM {
            return Ok(Self::of(last, next_random));
        }
        let (borrowed, limit) = (last + 1, timestamp + Self::LEEWAY_MS);
        // Ids are never dated into the future.
        if borrowed < limit {
            // Only in the format's last second can this one be out of range.
            let time = UnixMillis::new(times.min.get() + borrowed as i64);
            times.check(Self::KIND, time)?;
            Ok(Self::of(borrowed, random))
        } else if borrowed - limit <= MAX_REWIND_MS {
            Err(Error::throttled(Self::KIND, Duration::from_millis(1)))
        } else {
            Ok(Self::of(timestamp, random))
        }
    }
}

impl Stepped for DistributedId {
    const MAX_RANDOM: u128 = distributed_id::MAX_RANDOM as u128;
    const MAX_STEP: u128 = (1 << distributed_id::STEP_BITS) - 1;
    const LEEWAY_MS: u64 = distributed_id::LEEWAY_MS;

    #[inline]
    fn draw(entropy: &mut impl Entropy) -> u128 {
        entropy.next_u64().into()
    }

    #[inline]
    fn of(timestamp: u64, random: u128) -> Self {
        Self::of(timestamp, random as u64)
    }

    #[inline]
    fn parts(self) -> (u64, u128) {
        (self.field(), self.random().into())
    }
}

impl Stepped for DistributedId128 {
    const MAX_RANDOM: u128 = distributed_id128::MAX_RANDOM;
    const MAX_STEP: u128 = (1 << distributed_id128::STEP_BITS) - 1;

    #[inline]
    fn draw(entropy: &mut impl Entropy) -> u128 {
        entropy.next_u128()
    }

    #[inline]
    fn of(timestamp: u64, random: u128) -> Self {
        Self::of(timestamp, random)
    }

    #[inline]
    fn parts(self) -> (u64, u128) {
        (self.field(), self.random())
    }
}

/// The last id and, if the next one had to wait, its draw: waiting never favours small steps.
#[cfg(feature = "std")]
#[derive(Debug)]
struct Shared<F> {
    previous: Option<F>,
    waiting: Option<u128>,
}

/// One attempt to make the next id after the last one of all threads.
#[cfg(feature = "std")]
fn attempt<F: Stepped>(
    shared: &PerProcess<Mutex<Shared<F>>>,
    clock: &impl Clock,
) -> Result<F, Error> {
    // Before the lock, so that threads draw in parallel.
    let draw = F::draw(&mut SystemEntropy::new());
    let initial = || {
        Mutex::new(Shared {
            previous: None,
            waiting: None,
        })
    };
    let shared = &mut *lock(shared.get_or_make(initial));
    let now = clock.now();
    let draw = shared.waiting.take().unwrap_or(draw);
    let result = F::after(shared.previous, now, draw);
    match &result {
        Ok(id) => shared.previous = Some(*id),
        Err(error) if error.is_throttled() => shared.waiting = Some(draw),
        Err(_) => {}
    }
    result
}

/// Declares the state machine and the generator of a format.
macro_rules! declare_generator {
    (
        $(#[$doc:meta])*
        $state:ident($draw:ty) of $format:ident, $generator:ident
    ) => {
        #[doc = concat!("The state machine that makes [`", stringify!($format), "`]s. Its state is")]
        /// the last id.
        ///
        /// It reads no clock, draws no randomness and never sleeps, so it suits tests and targets
        #[doc = concat!("without an operating system. On servers, use [`", stringify!($generator), "`].")]
        ///
        $(#[$doc])*
        #[derive(Clone, Debug, Default)]
        pub struct $state {
            previous: Option<$format>,
        }

        impl $state {
            /// The initial state, before the first id.
            pub const fn new() -> Self {
                Self { previous: None }
            }

            /// The id for a clock reading and the low bits of `draw`, which must be random.
            ///
            /// # Errors
            ///
            /// `ErrorKind::Throttled`: wait, and try again with a new reading and the *same* draw
            /// (a fresh one would favour small steps). `ErrorKind::OutOfRange` when `now` is
            /// outside the format's range. No error changes the state.
            #[inline]
            pub fn next(&mut self, now: UnixMillis, draw: $draw) -> Result<$format, Error> {
                let id = <$format as Stepped>::after(self.previous, now, draw.into())?;
                self.previous = Some(id);
                Ok(id)
            }

            /// Replaces the random part of the last id.
            #[doc(hidden)]
            pub fn set_previous_random(&mut self, random: $draw) {
                self.previous = self.previous.map(|id| $format::of(id.field(), random));
            }
        }

        #[doc = concat!("Makes [`", stringify!($format), "`]s for any number of threads: a")]
        #[doc = concat!("[`", stringify!($state), "`] behind a lock, with a clock.")]
        ///
        /// One generator per process is enough; [`Generate::generate`] uses one. A draw that had to
        /// wait is kept for the next attempt, so that waiting never favours small steps. A forked
        /// child starts with a new state: see [forks](super#forks).
        ///
        /// ```
        #[doc = concat!("use rowkey_core::generate::", stringify!($generator), ";")]
        /// use rowkey_core::UnixMillis;
        ///
        #[doc = concat!("let ids = ", stringify!($generator), "::new()")]
        ///     .with_clock(UnixMillis::new(1_577_836_800_000));
        /// let first = ids.try_generate()?;
        /// assert!(first < ids.try_generate()?);
        /// # Ok::<(), rowkey_core::Error>(())
        /// ```
        #[cfg(feature = "std")]
        #[derive(Debug)]
        pub struct $generator<C = SystemClock> {
            clock: C,
            shared: PerProcess<Mutex<Shared<$format>>>,
        }

        #[cfg(feature = "std")]
        impl $generator {
            /// A generator with the system's clock.
            pub const fn new() -> Self {
                Self {
                    clock: SystemClock,
                    shared: PerProcess::new(),
                }
            }
        }

        #[cfg(feature = "std")]
        impl Default for $generator {
            fn default() -> Self {
                Self::new()
            }
        }

        #[cfg(feature = "std")]
        impl<C> $generator<C> {
            /// The same generator with another clock.
            #[must_use]
            pub fn with_clock<D: Clock>(self, clock: D) -> $generator<D> {
                $generator {
                    clock,
                    shared: self.shared,
                }
            }
        }

        #[cfg(feature = "std")]
        impl<C: Clock> $generator<C> {
            /// A new id, in one attempt that never sleeps.
            ///
            /// # Errors
            ///
            /// `ErrorKind::Throttled` when all ids that the clock allows are used,
            /// `ErrorKind::OutOfRange` when the clock is outside the format's range. The generator
            /// works again as soon as its clock does.
            pub fn try_generate(&self) -> Result<$format, Error> {
                attempt(&self.shared, &self.clock)
            }

            /// A new id. Sleeps while the generator is throttled.
            ///
            /// # Errors
            ///
            /// `ErrorKind::OutOfRange` when the clock is outside the format's range.
            pub fn generate(&self) -> Result<$format, Error> {
                wait(|| self.try_generate())
            }
        }

        #[cfg(feature = "std")]
        impl<C: Clock + Send + Sync> Generator<$format> for $generator<C> {
            fn try_generate_for(&self, (): &()) -> Result<$format, Error> {
                self.try_generate()
            }
        }

        impl Generate for $format {
            type Context = ();

            fn generate_with(
                (): &(),
                clock: &impl Clock,
                entropy: &mut impl Entropy,
            ) -> Result<Self, Error> {
                let now = clock.now();
                Self::after(None, now, Self::draw(entropy))
            }

            #[cfg(feature = "std")]
            fn generate_by_default((): &()) -> Result<Self, Error> {
                static DEFAULT: $generator = $generator::new();
                DEFAULT.try_generate()
            }

            #[cfg(feature = "std")]
            fn generate_batch_by_default((): &(), count: usize) -> Vec<Self> {
                super::one_by_one(count)
            }
        }
    };
}

declare_generator! {
    /// In a new millisecond an id gets 48 fresh random bits. In the same one, or while the clock is
    /// behind, the random part grows by the draw's low 41 bits. When it overflows, the next
    /// millisecond is borrowed if it is in the past; that allows about 128 ids per millisecond and
    /// a burst of about 128,000. If there is none to borrow, the id has to wait; if the clock has
    /// been set back by more than a second by then, the state follows it.
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
    DistributedIdState(u64) of DistributedId, DistributedIdGenerator
}

declare_generator! {
    /// In a new millisecond an id gets 75 fresh random bits. In the same one, or while the clock is
    /// behind, the random part grows by the draw's low 58 bits: about 131,072 ids fit a
    /// millisecond. When it overflows, the id has to wait; if the clock has been set back by a
    /// second or more by then, the state follows it.
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
    DistributedId128State(u128) of DistributedId128, DistributedId128Generator
}
