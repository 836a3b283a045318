//! Making new ids.
//!
//! Formats that need nothing are made with [`Generate::generate`]; formats that need arguments
//! take them as a context:
//!
//! ```
//! use rowkey_core::generate::Generate;
//! use rowkey_core::{DistributedId, HotGuid};
//!
//! let id = DistributedId::generate();
//! let shard_key = 7;
//! let routed = HotGuid::generate_for(&shard_key);
//! assert!(id.looks_generated());
//! assert_eq!(routed.shard_key(), 7);
//! ```
//!
//! Time comes from a [`Clock`] and randomness from an [`Entropy`]. Most formats keep nothing
//! between two ids and can be made with any pair of them through [`GenerateWith`]. DistributedId,
//! DistributedId128 and HotGuid keep state, in a [`DistributedIdGenerator`], a
//! [`DistributedId128Generator`] and a [`HotGuidGenerator`]. Every format has a default generator
//! for the process, which a [`scope`] replaces for a while.
//!
//! # Forks
//!
//! A process may fork without `exec`, also while its other threads make ids. The child notices it at
//! its next id, without a system call for each: [`SystemEntropy`] takes a new seed, and the default
//! generators of all formats, every [`DistributedIdGenerator`] and every
//! [`DistributedId128Generator`] start anew. None of them waits for a thread that only the parent has.
//!
//! What is not noticed:
//!
//! * Children that are not made by the C library's `fork`, but by `clone` or `_Fork`, and restored
//!   snapshots of a machine. There, call [`SystemEntropy::reseed`] on each thread, and make HotGuids
//!   with a new [`HotGuidGenerator`].
//! * What a program has made itself and copies: a [`HotGuidGenerator`], an [`Incremental`] one, an
//!   [`Entropy`] of its own, and numbers that were reserved for LUUIDs. Make new ones in the child.
//!
//! [`DistributedIdGenerator`]: crate::generate::DistributedIdGenerator
//! [`DistributedId128Generator`]: crate::generate::DistributedId128Generator
//! [`HotGuidGenerator`]: crate::generate::HotGuidGenerator

use alloc::boxed::Box;
use alloc::sync::Arc;
use core::fmt;
#[cfg(feature = "std")]
use {alloc::vec::Vec, core::time::Duration, std::sync::Mutex};

use crate::format::Format;
use crate::{AnyUuid, DistributedId, DistributedId128, Error, HotGuid};

mod clock;
mod entropy;
#[cfg(feature = "std")]
mod fork;
#[cfg(feature = "std")]
pub mod scope;
mod state;
#[cfg(feature = "std")]
mod system_entropy;

#[cfg(feature = "std")]
pub use crate::format::{DistributedId128Generator, DistributedIdGenerator, HotGuidGenerator};
pub use crate::format::{DistributedId128State, DistributedIdState};
pub use clock::Clock;
#[cfg(feature = "coarse-clock")]
pub use clock::CoarseClock;
#[cfg(feature = "std")]
pub use clock::SystemClock;
pub use entropy::{Entropy, EntropyFn};
#[cfg(feature = "std")]
pub(crate) use fork::PerProcess;
pub use state::GeneratorState;
#[cfg(feature = "std")]
pub use state::StateGenerator;
#[cfg(feature = "std")]
pub use system_entropy::SystemEntropy;

/// A format of which new ids can be made.
///
/// Each call asks the generator of the innermost [`scope`] of this thread or task, else the
/// default generator of the process. (Without the feature `std` there is no default: use
/// [`GenerateWith`] and the state machines of the formats.)
pub trait Generate: Format {
    /// What an id is made for: `()` where nothing is needed.
    type Context;

    /// A new id, in one attempt that never sleeps.
    ///
    /// # Errors
    ///
    /// [`Error::Time`] when the clock is outside the format's range, [`Error::Throttled`] when the
    /// generator is ahead of its clock, and whatever the generator of a scope returns.
    #[cfg(feature = "std")]
    #[inline]
    fn try_generate_for(context: &Self::Context) -> Result<Self, Error> {
        match scope::current::<Self>() {
            Some(generator) => generator.try_generate_for(context),
            None => Self::default_generate(context),
        }
    }

    /// A new id. Sleeps while the generator is throttled.
    ///
    /// # Panics
    ///
    /// If the clock is outside the format's range, a field of the context does not fit, or the
    /// generator of a scope fails (an [`Incremental`] one after its last value).
    #[cfg(feature = "std")]
    #[inline]
    #[track_caller]
    fn generate_for(context: &Self::Context) -> Self {
        match Self::try_generate_for(context) {
            Ok(id) => id,
            Err(error) => insist(wait_after(error, || Self::try_generate_for(context))),
        }
    }

    /// A new id. Awaits `sleep` while the generator is throttled, for example `tokio::time::sleep`.
    ///
    /// # Panics
    ///
    /// As [`generate_for`](Self::generate_for).
    #[cfg(feature = "std")]
    fn generate_async_for(
        context: &Self::Context,
        sleep: impl AsyncFn(Duration),
    ) -> impl Future<Output = Self> {
        async move { insist(wait_async(|| Self::try_generate_for(context), sleep).await) }
    }

    /// `count` new ids.
    ///
    /// The default generators of formats without state read the clock once for the batch. The ids
    /// are in no particular order.
    ///
    /// # Panics
    ///
    /// As [`generate_for`](Self::generate_for).
    #[cfg(feature = "std")]
    #[track_caller]
    fn generate_batch_for(context: &Self::Context, count: usize) -> Vec<Self> {
        match scope::current::<Self>() {
            Some(_) => one_by_one(context, count),
            None => Self::default_batch(context, count),
        }
    }

    /// A new id, in one attempt that never sleeps.
    ///
    /// # Errors
    ///
    /// As [`try_generate_for`](Self::try_generate_for).
    #[cfg(feature = "std")]
    #[inline]
    fn try_generate() -> Result<Self, Error>
    where
        Self: Generate<Context = ()>,
    {
        Self::try_generate_for(&())
    }

    /// A new id. Sleeps while the generator is throttled.
    ///
    /// # Panics
    ///
    /// As [`generate_for`](Self::generate_for).
    #[cfg(feature = "std")]
    #[inline]
    #[track_caller]
    fn generate() -> Self
    where
        Self: Generate<Context = ()>,
    {
        Self::generate_for(&())
    }

    /// A new id. Awaits `sleep` while the generator is throttled, for example `tokio::time::sleep`.
    ///
    /// # Panics
    ///
    /// As [`generate_for`](Self::generate_for).
    #[cfg(feature = "std")]
    fn generate_async(sleep: impl AsyncFn(Duration)) -> impl Future<Output = Self>
    where
        Self: Generate<Context = ()>,
    {
        Self::generate_async_for(&(), sleep)
    }

    /// `count` new ids: see [`generate_batch_for`](Self::generate_batch_for).
    ///
    /// # Panics
    ///
    /// As [`generate_for`](Self::generate_for).
    #[cfg(feature = "std")]
    #[track_caller]
    fn generate_batch(count: usize) -> Vec<Self>
    where
        Self: Generate<Context = ()>,
    {
        Self::generate_batch_for(&(), count)
    }

    /// One attempt of the process's default generator, whatever the scopes.
    #[cfg(feature = "std")]
    #[doc(hidden)]
    fn default_generate(context: &Self::Context) -> Result<Self, Error>;

    /// A batch of the process's default generator.
    #[cfg(feature = "std")]
    #[doc(hidden)]
    #[track_caller]
    fn default_batch(context: &Self::Context, count: usize) -> Vec<Self> {
        one_by_one(context, count)
    }
}

/// A format that keeps nothing between two ids: each needs only a time and random bits.
///
/// ```
/// use rowkey_core::generate::{EntropyFn, GenerateWith};
/// use rowkey_core::{PrefixComb, UnixMillis};
///
/// let recorded = UnixMillis::new(1_700_000_000_000);
/// let mut zeros = EntropyFn(|bytes: &mut [u8]| bytes.fill(0));
/// let id = PrefixComb::generate_with(&(), &recorded, &mut zeros)?;
/// assert_eq!(id.to_string(), "018bcfe5-6800-4000-8000-000000000000");
/// # Ok::<(), rowkey_core::Error>(())
/// ```
pub trait GenerateWith: Format {
    /// What an id is made for: `()` where nothing is needed.
    type Context;

    /// Whether ids are as good with a clock that is some milliseconds late.
    #[doc(hidden)]
    const COARSE_CLOCK_SUFFICES: bool = false;

    /// A new id of this clock's time and this entropy's bits.
    ///
    /// # Errors
    ///
    /// [`Error::Time`] when the clock is outside the format's range, [`Error::Field`] when a part
    /// of the context does not fit.
    fn generate_with(
        context: &Self::Context,
        clock: &impl Clock,
        entropy: &mut impl Entropy,
    ) -> Result<Self, Error>;
}

impl<F: GenerateWith> Generate for F {
    type Context = <F as GenerateWith>::Context;

    #[cfg(feature = "std")]
    #[inline]
    fn default_generate(context: &Self::Context) -> Result<Self, Error> {
        let mut entropy = SystemEntropy::new();
        #[cfg(feature = "coarse-clock")]
        if F::COARSE_CLOCK_SUFFICES {
            return F::generate_with(context, &CoarseClock, &mut entropy);
        }
        F::generate_with(context, &SystemClock, &mut entropy)
    }

    #[cfg(feature = "std")]
    fn default_batch(context: &Self::Context, count: usize) -> Vec<Self> {
        let now = SystemClock.now();
        let mut entropy = SystemEntropy::for_batch();
        (0..count)
            .map(|_| insist(F::generate_with(context, &now, &mut entropy)))
            .collect()
    }
}

/// Makes ids of the format `F`, for a [`scope`] or on its own.
pub trait Generator<F: Generate>: Send + Sync {
    /// A new id, in one attempt that never sleeps.
    ///
    /// # Errors
    ///
    /// [`Error::Throttled`] when a later attempt can succeed, any other error when not.
    fn try_generate_for(&self, context: &F::Context) -> Result<F, Error>;
}

impl<F: Generate, G: Generator<F> + ?Sized> Generator<F> for Arc<G> {
    fn try_generate_for(&self, context: &F::Context) -> Result<F, Error> {
        (**self).try_generate_for(context)
    }
}

/// A generator for tests that returns what it is told, as is.
///
/// ```
/// use rowkey_core::generate::{Custom, Generate, scope};
/// use rowkey_core::{Error, HotGuid};
///
/// let fixed = scope::enter(Custom::value(HotGuid::constant(1)));
/// assert_eq!(HotGuid::generate_for(&0), HotGuid::constant(1));
/// drop(fixed);
///
/// let _computed = scope::enter(Custom::new(|shard_key: &u32| {
///     HotGuid::from_parts(0, [0; 5], 0, *shard_key)
/// }));
/// assert_eq!(HotGuid::generate_for(&7).shard_key(), 7);
/// ```
pub struct Custom<F: Generate> {
    make: Box<Make<F>>,
}

/// What a [`Custom`] generator calls.
type Make<F> = dyn Fn(&<F as Generate>::Context) -> Result<F, Error> + Send + Sync;

impl<F: Generate> Custom<F> {
    /// Calls `make` for every id.
    pub fn new(make: impl Fn(&F::Context) -> Result<F, Error> + Send + Sync + 'static) -> Self {
        Self {
            make: Box::new(make),
        }
    }

    /// Returns `id` every time.
    pub fn value(id: F) -> Self {
        Self::new(move |_| Ok(id))
    }
}

impl<F: Generate> Generator<F> for Custom<F> {
    fn try_generate_for(&self, context: &F::Context) -> Result<F, Error> {
        (self.make)(context)
    }
}

impl<F: Generate> fmt::Debug for Custom<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Custom")
            .field("format", &F::KIND)
            .finish_non_exhaustive()
    }
}

/// A format whose values are all the numbers from 0 to its largest, so that they can be counted.
///
/// Formats with a version or other fixed bits are not among them.
pub trait Contiguous: Generate {}

impl Contiguous for DistributedId {}
impl Contiguous for DistributedId128 {}
impl Contiguous for HotGuid {}
impl Contiguous for AnyUuid {}

/// A generator for tests that counts: `first`, `first` + 1, and so on, whatever the context.
///
/// Each instance counts for itself; threads that share one get different values. After the
/// format's largest value it returns [`Error::Exhausted`].
///
/// ```
/// use rowkey_core::DistributedId;
/// use rowkey_core::generate::{Generator, Incremental};
///
/// let ids = Incremental::starting_at(DistributedId::constant(u64::MAX as u128));
/// assert_eq!(ids.try_generate_for(&())?.to_string(), "18446744073709551615");
/// assert_eq!(ids.try_generate_for(&())?.to_string(), "18446744073709551616");
/// # Ok::<(), rowkey_core::Error>(())
/// ```
#[cfg(feature = "std")]
#[derive(Debug)]
pub struct Incremental<F> {
    /// `None` once the largest value is handed out.
    next: Mutex<Option<F>>,
}

#[cfg(feature = "std")]
impl<F: Contiguous> Incremental<F> {
    /// Counts from 1.
    pub fn new() -> Self {
        Self::starting_at(F::from_admitted(1))
    }

    /// Counts from `first`.
    pub fn starting_at(first: F) -> Self {
        Self {
            next: Mutex::new(Some(first)),
        }
    }
}

#[cfg(feature = "std")]
impl<F: Contiguous> Default for Incremental<F> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(feature = "std")]
impl<F: Contiguous> Generator<F> for Incremental<F> {
    fn try_generate_for(&self, _: &F::Context) -> Result<F, Error> {
        let mut next = lock(&self.next);
        let id = next.ok_or(Error::Exhausted { format: F::KIND })?;
        *next = id
            .to_u128()
            .checked_add(1)
            .and_then(|value| F::try_from(value).ok());
        Ok(id)
    }
}

/// Locks state that is whole whenever foreign code runs, such as a clock: a panic there has left
/// nothing half changed.
#[cfg(feature = "std")]
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Repeats `attempt` while it is throttled, sleeping in between.
#[cfg(feature = "std")]
fn wait<T>(mut attempt: impl FnMut() -> Result<T, Error>) -> Result<T, Error> {
    attempt().or_else(|error| wait_after(error, attempt))
}

/// The same after a first attempt that ended with `error`: out of line, because it is rare.
#[cfg(feature = "std")]
#[cold]
fn wait_after<T>(
    mut error: Error,
    mut attempt: impl FnMut() -> Result<T, Error>,
) -> Result<T, Error> {
    while let Error::Throttled { wait, .. } = error {
        std::thread::sleep(wait);
        match attempt() {
            Ok(value) => return Ok(value),
            Err(next) => error = next,
        }
    }
    Err(error)
}

/// Repeats `attempt` while it is throttled, awaiting `sleep` in between.
#[cfg(feature = "std")]
async fn wait_async<T>(
    attempt: impl Fn() -> Result<T, Error>,
    sleep: impl AsyncFn(Duration),
) -> Result<T, Error> {
    loop {
        match attempt() {
            Err(Error::Throttled { wait, .. }) => sleep(wait).await,
            result => return result,
        }
    }
}

#[cfg(feature = "std")]
#[track_caller]
fn one_by_one<F: Generate>(context: &F::Context, count: usize) -> Vec<F> {
    (0..count).map(|_| F::generate_for(context)).collect()
}

/// The value, for functions that are documented to panic.
#[cfg(feature = "std")]
#[inline]
#[track_caller]
fn insist<T>(result: Result<T, Error>) -> T {
    match result {
        Ok(value) => value,
        Err(error) => panic!("no id could be generated: {error}"),
    }
}
