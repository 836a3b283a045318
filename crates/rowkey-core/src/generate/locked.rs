//! The common part of generators that remember their last id.

use core::time::Duration;
use std::sync::Mutex;

use super::{Clock, PerProcess, State, SystemClock, SystemEntropy, lock, wait, wait_async};
use crate::error::Error;

/// A [`State`] behind a lock, with a clock and the threads' own [`SystemEntropy`].
///
/// A draw that had to wait is kept for the next attempt, so that waiting never favours small steps.
#[derive(Debug)]
pub(super) struct Locked<S: State, C = SystemClock> {
    clock: C,
    shared: PerProcess<Mutex<Shared<S, S::Draw>>>,
}

#[derive(Debug)]
struct Shared<S, D> {
    state: S,
    /// The draw of the last attempt if that was throttled.
    waiting: Option<D>,
}

impl<S: State> Shared<S, S::Draw> {
    fn initial() -> Mutex<Self> {
        Mutex::new(Self {
            state: S::INITIAL,
            waiting: None,
        })
    }
}

impl<S: State> Locked<S> {
    pub(super) const fn new() -> Self {
        Self {
            clock: SystemClock,
            shared: PerProcess::new(),
        }
    }
}

impl<S: State, C> Locked<S, C> {
    pub(super) fn with_clock<D: Clock>(self, clock: D) -> Locked<S, D> {
        Locked {
            clock,
            shared: self.shared,
        }
    }
}

impl<S: State, C: Clock> Locked<S, C> {
    pub(super) fn try_generate(&self) -> Result<S::Id, Error> {
        // Before the lock, so that threads draw in parallel.
        let draw = S::draw(&mut SystemEntropy::new());
        let shared = &mut *lock(self.shared.get_or_make(Shared::initial));
        let now = self.clock.now();
        let draw = shared.waiting.take().unwrap_or(draw);
        let result = shared.state.next(now, draw);
        if matches!(result, Err(Error::Throttled { .. })) {
            shared.waiting = Some(draw);
        }
        result
    }

    pub(super) fn generate(&self) -> Result<S::Id, Error> {
        wait(|| self.try_generate())
    }

    pub(super) async fn generate_async(
        &self,
        sleep: impl AsyncFn(Duration),
    ) -> Result<S::Id, Error> {
        wait_async(|| self.try_generate(), sleep).await
    }
}

/// Declares the generator of a format that has a [`State`].
macro_rules! declare_generator {
    ($generator:ident, $format:ident, $state:ident) => {
        #[doc = concat!("Makes [`", stringify!($format), "`]s for any number of threads: a")]
        #[doc = concat!("[`", stringify!($state), "`] behind a lock, with a clock.")]
        ///
        /// One per process is enough; [`Generate::generate`] uses one. A draw that had to wait is
        /// kept for the next attempt, so that waiting never favours small steps. A forked child
        /// starts with a new state: see [forks](super#forks).
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
        #[derive(Debug)]
        pub struct $generator<C = SystemClock>(Locked<$state, C>);

        impl $generator {
            /// A generator with the system's clock.
            pub const fn new() -> Self {
                Self(Locked::new())
            }
        }

        impl Default for $generator {
            fn default() -> Self {
                Self::new()
            }
        }

        impl<C> $generator<C> {
            /// The same generator with another clock.
            #[must_use]
            pub fn with_clock<D: Clock>(self, clock: D) -> $generator<D> {
                $generator(self.0.with_clock(clock))
            }
        }

        impl<C: Clock> $generator<C> {
            /// A new id, in one attempt that never sleeps.
            ///
            /// # Errors
            ///
            /// [`Error::Throttled`] when all ids that the clock allows are used, [`Error::Time`]
            /// when the clock is outside the format's range. The generator works again as soon as
            /// its clock does.
            pub fn try_generate(&self) -> Result<$format, Error> {
                self.0.try_generate()
            }

            /// A new id. Sleeps while the generator is throttled.
            ///
            /// # Errors
            ///
            /// [`Error::Time`] when the clock is outside the format's range.
            pub fn generate(&self) -> Result<$format, Error> {
                self.0.generate()
            }

            /// A new id. Awaits `sleep` while the generator is throttled, for example
            /// `tokio::time::sleep`.
            ///
            /// # Errors
            ///
            /// [`Error::Time`] when the clock is outside the format's range.
            pub async fn generate_async(
                &self,
                sleep: impl AsyncFn(Duration),
            ) -> Result<$format, Error> {
                self.0.generate_async(sleep).await
            }
        }

        impl<C: Clock + Send + Sync> Generator<$format> for $generator<C> {
            fn try_generate_for(&self, (): &()) -> Result<$format, Error> {
                self.try_generate()
            }
        }
    };
}

pub(super) use declare_generator;
