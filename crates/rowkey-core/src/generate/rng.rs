//! Random bits of any generator of the crate `rand`, such as a seeded one.

use rand_core::Rng;

use super::Entropy;
#[cfg(feature = "std")]
use super::{Clock, Generate, Generator, SystemClock, lock};
#[cfg(feature = "std")]
use crate::error::Error;
#[cfg(feature = "std")]
use std::sync::Mutex;

/// A generator of the crate `rand` as [`Entropy`], for [`Generate::generate_with`] of any format.
///
/// The contract of [`Entropy`] applies: outside of tests, use one that is a `CryptoRng`.
///
/// ```
/// use rand::{SeedableRng, rngs::StdRng};
/// use rowkey_core::generate::{EntropyRng, Generate};
/// use rowkey_core::{HotGuid, UnixMillis};
///
/// let (shard_key, time) = (7, UnixMillis::new(1_700_000_000_000));
/// let id = |seed| {
///     let mut entropy = EntropyRng(StdRng::seed_from_u64(seed));
///     HotGuid::generate_with(&shard_key, &time, &mut entropy)
/// };
/// assert_eq!(id(1)?, id(1)?);
/// assert_ne!(id(1)?, id(2)?);
/// # Ok::<(), rowkey_core::Error>(())
/// ```
///
/// [`Generate::generate_with`]: super::Generate::generate_with
#[derive(Clone, Debug)]
pub struct EntropyRng<R>(
    /// The generator, or a mutable reference to it.
    pub R,
);

impl<R: Rng> Entropy for EntropyRng<R> {
    fn fill(&mut self, bytes: &mut [u8]) {
        self.0.fill_bytes(bytes);
    }

    fn next_u64(&mut self) -> u64 {
        self.0.next_u64()
    }
}

/// Makes ids of every format with the random bits of a generator of the crate `rand`, for a
/// [`scope`](super::scope).
///
/// With a seeded generator and a clock of its own, a test gets the same ids each time. As with
/// [`Generate::generate_with`], ids are ordered by time, and ids of the same time are in no order.
/// A test that sorts by ids needs a clock that advances.
///
/// ```
/// use core::sync::atomic::{AtomicI64, Ordering};
/// use rand::{SeedableRng, rngs::StdRng};
/// use rowkey_core::generate::{Generate, RngGenerator, scope};
/// use rowkey_core::{UnixMillis, UuidV7};
///
/// fn ids() -> [UuidV7; 2] {
///     let now = AtomicI64::new(1_700_000_000_000);
///     let clock = move || UnixMillis::new(now.fetch_add(1, Ordering::Relaxed));
///     let seeded = RngGenerator::new(StdRng::seed_from_u64(1)).with_clock(clock);
///     let _scope = scope::enter::<UuidV7>(seeded);
///     [UuidV7::generate(), UuidV7::generate()]
/// }
///
/// assert_eq!(ids(), ids());
/// assert!(ids().is_sorted());
/// ```
///
/// In an `Arc`, one generator serves the scopes of several formats, threads and tasks.
#[cfg(feature = "std")]
#[derive(Debug)]
pub struct RngGenerator<R, C = SystemClock> {
    clock: C,
    rng: Mutex<R>,
}

#[cfg(feature = "std")]
impl<R: Rng> RngGenerator<R> {
    /// A generator with the system's clock.
    pub const fn new(rng: R) -> Self {
        Self {
            clock: SystemClock,
            rng: Mutex::new(rng),
        }
    }
}

#[cfg(feature = "std")]
impl<R: Rng, C> RngGenerator<R, C> {
    /// The same generator with another clock.
    #[must_use]
    pub fn with_clock<D: Clock>(self, clock: D) -> RngGenerator<R, D> {
        RngGenerator {
            clock,
            rng: self.rng,
        }
    }
}

#[cfg(feature = "std")]
impl<F: Generate, R: Rng + Send, C: Clock + Send + Sync> Generator<F> for RngGenerator<R, C> {
    fn try_generate_for(&self, context: &F::Context) -> Result<F, Error> {
        let mut entropy = EntropyRng(&mut *lock(&self.rng));
        F::generate_with(context, &self.clock, &mut entropy)
    }
}
