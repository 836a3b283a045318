//! Making new ids.
//!
//! Ids of formats without a context are made with [`Generate::generate`]. Other formats take their
//! arguments as a context:
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
//! `generate` sleeps while a generator is ahead of its clock; `try_generate` returns an error that
//! says [how long to wait](Error::wait). Each has a form that ends in `_for` and takes a context.
//! There are also `generate_async`, which awaits instead, `generate_batch` and
//! [`generate_with`](Generate::generate_with).
//!
//! Time comes from a [`Clock`] and randomness from an [`Entropy`]. Most formats keep no state
//! between ids. DistributedId, DistributedId128 and HotGuid keep state, in a
//! [`DistributedIdGenerator`], a [`DistributedId128Generator`] and a [`HotGuidGenerator`]; UUIDv7
//! and iUID in an [`OrderedGenerator`]. Every format that programs generate has a default generator
//! for the process, which a [`scope`] can replace temporarily with any [`Generator`].
//!
//! # Order
//!
//! The ids of one process increase strictly, across its threads, if they are DistributedIds,
//! DistributedId128s, UUIDv7s or, for each country and service entity, iUIDs: an id is larger than
//! every id that was returned before its generation began. The exceptions are
//! [`generate_with`](Generate::generate_with) and a clock that is set back a long way, which each
//! generator describes. HotGuids of one generator increase until its counter returns to 0, and
//! LUUIDs are in the order of their numbers. COMBs are in random order within their unit of time.
//!
//! # Forks
//!
//! A process may fork without `exec`, even while its other threads make ids. The child detects the
//! fork at its next id, without a system call per id: [`SystemEntropy`] takes a new seed, and every
//! generator starts again, except that an [`OrderedGenerator`] continues after its parent's last
//! id, with other random bits. None of them waits for a thread that exists only in the parent.
//!
//! What is not detected:
//!
//! * Children that are not made by the C library's `fork`, but by `clone` or `_Fork`, and restored
//!   snapshots of a machine. There, call [`SystemEntropy::reseed`] on each thread, and make
//!   HotGuids with a new [`HotGuidGenerator`].
//! * Copies of what a program has made itself: a [`HotGuidGenerator`], an [`Incremental`] one, its
//!   own [`Entropy`], and numbers reserved for LUUIDs. Make new ones in the child.
//!
//! [`DistributedIdGenerator`]: crate::generate::DistributedIdGenerator
//! [`DistributedId128Generator`]: crate::generate::DistributedId128Generator
//! [`HotGuidGenerator`]: crate::generate::HotGuidGenerator
//! [`OrderedGenerator`]: crate::generate::OrderedGenerator

use alloc::sync::Arc;
#[cfg(feature = "std")]
use {alloc::vec::Vec, core::time::Duration, std::sync::Mutex};

use crate::error::Error;
use crate::format::Format;

#[cfg(feature = "std")]
mod active;
mod clock;
mod counted;
mod distributed;
mod drawn;
mod entropy;
mod for_tests;
#[cfg(feature = "std")]
mod fork;
mod hot_guid;
pub(crate) mod luuid;
pub(crate) mod number_source;
#[cfg(feature = "rand")]
mod rng;
#[cfg(feature = "std")]
pub mod scope;
#[cfg(feature = "std")]
mod sequence;
#[cfg(feature = "std")]
mod system_entropy;

pub use crate::format::Counted;
pub use clock::Clock;
#[cfg(feature = "coarse-clock")]
pub use clock::CoarseClock;
#[cfg(feature = "std")]
pub use clock::SystemClock;
#[cfg(feature = "std")]
pub use counted::OrderedGenerator;
#[cfg(feature = "std")]
pub use distributed::{DistributedId128Generator, DistributedIdGenerator};
pub use distributed::{DistributedId128State, DistributedIdState};
pub use entropy::{Entropy, EntropyFn};
pub use for_tests::Custom;
#[cfg(feature = "std")]
pub use for_tests::Incremental;
#[cfg(feature = "std")]
use fork::PerProcess;
#[cfg(feature = "std")]
pub use hot_guid::HotGuidGenerator;
#[cfg(feature = "rand")]
pub use rng::EntropyRng;
#[cfg(all(feature = "rand", feature = "std"))]
pub use rng::RngGenerator;
#[cfg(feature = "std")]
pub use system_entropy::SystemEntropy;

/// A format that can make new ids.
///
/// Each call uses the generator of the innermost [`scope`] of this thread or task, otherwise the
/// process's default generator. (Without the feature `std` there is no default: use
/// [`generate_with`](Self::generate_with) and the state machines of the formats.)
#[diagnostic::on_unimplemented(
    message = "`{Self}` ids are assigned by the database, so they cannot be generated",
    label = "the database assigns the id",
    note = "the database counts the numbers of a DatabaseNumber: insert a row without one, and read \
            the key that the statement returns"
)]
pub trait Generate: Format {
    /// The arguments for a new id, such as a shard key; `()` if there are none.
    type Context;

    /// A new id, in one attempt that never sleeps.
    ///
    /// # Errors
    ///
    /// `ErrorKind::OutOfRange` when the clock is outside the format's range, `ErrorKind::Throttled`
    /// when the generator is ahead of its clock, and any error of the generator of a scope.
    #[cfg(feature = "std")]
    #[inline]
    fn try_generate_for(context: &Self::Context) -> Result<Self, Error> {
        if active::has_scopes() {
            return generate_in_scope(context);
        }
        Self::generate_by_default(context)
    }

    /// A new id. Sleeps while the generator is throttled.
    ///
    /// # Panics
    ///
    /// If the clock is outside the format's range, a field of the context does not fit, or the
    /// generator of a scope fails (an [`Incremental`] one after its last value).
    // Always inlined: with the rare cases out of line, it takes little more than a call would.
    #[cfg(feature = "std")]
    #[inline(always)]
    #[track_caller]
    fn generate_for(context: &Self::Context) -> Self {
        // Not by `try_generate_for`, whose result goes through memory because of scopes.
        if active::has_scopes() {
            return generate_in_scope_or_panic(context);
        }
        match Self::generate_by_default(context) {
            Ok(id) => id,
            Err(error) => wait_or_panic(error, context),
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
        async move {
            loop {
                let result = Self::try_generate_for(&());
                match result.as_ref().err().and_then(Error::wait) {
                    Some(wait) => sleep(wait).await,
                    None => return or_panic(result),
                }
            }
        }
    }

    /// `count` new ids.
    ///
    /// The default generators of formats without state read the clock once for the batch. Ids of
    /// formats with an [order](self#order) are in order, others in no particular order.
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
        let scoped = active::has_scopes().then(active::innermost::<Arc<dyn Generator<Self>>>);
        match scoped.flatten() {
            Some(_) => one_by_one(count),
            None => Self::generate_batch_by_default(&(), count),
        }
    }

    /// A new id from this clock's time and this entropy's bits, regardless of scopes: for tests,
    /// and for a recorded time.
    ///
    /// For a DistributedId, a DistributedId128 or a HotGuid, each call returns the first id of a
    /// new generator. For a UUIDv7 or an iUID, all bits that could count are random. So the ids of
    /// several calls are not in order. To make several, use a [`DistributedIdGenerator`], a
    /// [`DistributedId128Generator`], a [`HotGuidGenerator`] or an [`OrderedGenerator`] with a
    /// clock.
    ///
    /// ```
    /// use rowkey_core::generate::{EntropyFn, Generate};
    /// use rowkey_core::{PrefixComb, UnixMillis};
    ///
    /// let recorded = UnixMillis::new(1_700_000_000_000);
    /// let mut zeros = EntropyFn(|bytes: &mut [u8]| bytes.fill(0));
    /// let id = PrefixComb::generate_with(&(), &recorded, &mut zeros)?;
    /// assert_eq!(id.to_string(), "018bcfe5-6800-4000-8000-000000000000");
    /// # Ok::<(), rowkey_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// `ErrorKind::OutOfRange` when the clock is outside the format's range, and when a part of the
    /// context does not fit.
    fn generate_with(
        context: &Self::Context,
        clock: &impl Clock,
        entropy: &mut impl Entropy,
    ) -> Result<Self, Error>;

    /// Whether a clock that is some milliseconds late suffices.
    #[doc(hidden)]
    const COARSE_CLOCK_SUFFICES: bool = false;

    /// One attempt of the process's default generator, ignoring scopes.
    #[cfg(feature = "std")]
    #[doc(hidden)]
    #[inline]
    fn generate_by_default(context: &Self::Context) -> Result<Self, Error> {
        let mut entropy = SystemEntropy::new();
        #[cfg(feature = "coarse-clock")]
        if Self::COARSE_CLOCK_SUFFICES {
            return Self::generate_with(context, &CoarseClock, &mut entropy);
        }
        Self::generate_with(context, &SystemClock, &mut entropy)
    }

    /// A batch of the process's default generator.
    #[cfg(feature = "std")]
    #[doc(hidden)]
    #[track_caller]
    fn generate_batch_by_default(context: &Self::Context, count: usize) -> Vec<Self> {
        let now = SystemClock.now();
        let mut entropy = SystemEntropy::for_batch();
        // Moved: if nobody else can change the time, what follows from it is computed only once.
        (0..count)
            .map(move |_| or_panic(Self::generate_with(context, &now, &mut entropy)))
            .collect()
    }
}

/// Makes ids of the format `F`, for a [`scope`] or on its own.
pub trait Generator<F: Generate>: Send + Sync {
    /// A new id, in one attempt that never sleeps.
    ///
    /// # Errors
    ///
    /// `ErrorKind::Throttled` if a later attempt can succeed, otherwise any other error.
    fn try_generate_for(&self, context: &F::Context) -> Result<F, Error>;
}

impl<F: Generate, G: Generator<F> + ?Sized> Generator<F> for Arc<G> {
    fn try_generate_for(&self, context: &F::Context) -> Result<F, Error> {
        (**self).try_generate_for(context)
    }
}

/// Locks state even if poisoned: it is consistent whenever foreign code such as a clock runs, so a
/// panic there leaves nothing half changed.
#[cfg(feature = "std")]
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// A new id where the thread has scopes, perhaps only of other formats.
#[cfg(feature = "std")]
#[cold]
#[inline(never)]
fn generate_in_scope<F: Generate>(context: &F::Context) -> Result<F, Error> {
    match active::innermost::<Arc<dyn Generator<F>>>() {
        Some(generator) => generator.try_generate_for(context),
        None => F::generate_by_default(context),
    }
}

/// [`generate_in_scope`] for functions that wait and panic.
#[cfg(feature = "std")]
#[cold]
#[inline(never)]
#[track_caller]
fn generate_in_scope_or_panic<F: Generate>(context: &F::Context) -> F {
    or_panic(wait(|| generate_in_scope(context)))
}

/// A new id of the default generator after a first attempt that ended with `error`: rare, so out of
/// line.
#[cfg(feature = "std")]
#[cold]
#[inline(never)]
#[track_caller]
fn wait_or_panic<F: Generate>(error: Error, context: &F::Context) -> F {
    or_panic(wait_after(error, || F::generate_by_default(context)))
}

/// Repeats `attempt` while it is throttled, sleeping in between.
#[cfg(feature = "std")]
fn wait<T>(mut attempt: impl FnMut() -> Result<T, Error>) -> Result<T, Error> {
    attempt().or_else(|error| wait_after(error, attempt))
}

/// [`wait`] after a first attempt that ended with `error`.
#[cfg(feature = "std")]
#[cold]
fn wait_after<T>(
    mut error: Error,
    mut attempt: impl FnMut() -> Result<T, Error>,
) -> Result<T, Error> {
    while let Some(wait) = error.wait() {
        std::thread::sleep(wait);
        match attempt() {
            Ok(value) => return Ok(value),
            Err(next) => error = next,
        }
    }
    Err(error)
}

#[cfg(feature = "std")]
#[track_caller]
fn one_by_one<F: Generate<Context = ()>>(count: usize) -> Vec<F> {
    (0..count).map(|_| F::generate()).collect()
}

/// The value, for functions that are documented to panic.
#[cfg(feature = "std")]
#[inline]
#[track_caller]
fn or_panic<T>(result: Result<T, Error>) -> T {
    match result {
        Ok(value) => value,
        Err(error) => panic!("no id could be generated: {error}"),
    }
}
