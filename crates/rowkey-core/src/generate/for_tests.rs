//! Generators for tests: one returns given values, one counts.

use alloc::boxed::Box;
#[cfg(feature = "std")]
use alloc::format;
use core::fmt;
#[cfg(feature = "std")]
use std::sync::Mutex;

#[cfg(feature = "std")]
use super::lock;
use super::{Generate, Generator};
use crate::error::Error;
#[cfg(feature = "std")]
use crate::error::ErrorKind;
#[cfg(feature = "std")]
use crate::format::traits::sealed::Admitted;

/// A generator for tests that returns the given values unchanged.
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

/// A generator for tests that counts in the bits that a format does not fix: the next id is the
/// next larger one of the format. It ignores the context, so ids of a format with a context need a
/// first one that has it.
///
/// Each instance counts for itself; threads that share one get different values. After the
/// format's largest value it returns `ErrorKind::Exhausted`.
///
/// ```
/// use rowkey_core::{DistributedId, UuidV7};
/// use rowkey_core::generate::{Generator, Incremental};
///
/// let ids = Incremental::starting_at(DistributedId::constant(u64::MAX as u128));
/// assert_eq!(ids.try_generate_for(&())?.to_string(), "18446744073709551615");
/// assert_eq!(ids.try_generate_for(&())?.to_string(), "18446744073709551616");
///
/// let ids = Incremental::<UuidV7>::new();
/// assert_eq!(ids.try_generate_for(&())?.to_string(), "00000000-0000-7000-8000-000000000001");
/// # Ok::<(), rowkey_core::Error>(())
/// ```
#[cfg(feature = "std")]
#[derive(Debug)]
pub struct Incremental<F> {
    /// `None` after the largest value.
    next: Mutex<Option<F>>,
}

#[cfg(feature = "std")]
impl<F: Generate> Incremental<F> {
    /// Counts from 1, with zero in all other bits that the format does not fix.
    pub fn new() -> Self {
        let first = F::KIND.spec().fixed.bits | 1;
        Self::starting_at(F::from_admitted(Admitted::new(first)))
    }

    /// Counts from `first`.
    pub fn starting_at(first: F) -> Self {
        Self {
            next: Mutex::new(Some(first)),
        }
    }
}

#[cfg(feature = "std")]
impl<F: Generate> Default for Incremental<F> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(feature = "std")]
impl<F: Generate> Generator<F> for Incremental<F> {
    fn try_generate_for(&self, _: &F::Context) -> Result<F, Error> {
        let mut next = lock(&self.next);
        let id = next.ok_or_else(|| {
            let format = F::KIND;
            Error::new(
                ErrorKind::Exhausted,
                format!("the incremental {format} generator has no value left"),
            )
        })?;
        let larger = F::KIND.spec().fixed.larger(id.to_u128());
        *next = larger.and_then(|value| F::try_from(value).ok());
        Ok(id)
    }
}

#[cfg(all(test, feature = "std"))]
mod tests {
    use alloc::string::ToString;

    use super::*;
    use crate::UuidV7;

    #[test]
    fn carries_pass_the_version_and_the_variant() {
        let texts = |first: &str| {
            let ids = Incremental::starting_at(first.parse::<UuidV7>().unwrap());
            [(); 2].map(|()| ids.try_generate_for(&()).map(|id| id.to_string()))
        };
        let first = "00000000-0000-7000-bfff-ffffffffffff";
        let [_, next] = texts(first);
        assert_eq!(next.unwrap(), "00000000-0000-7001-8000-000000000000");
        let first = "00000000-0000-7fff-bfff-ffffffffffff";
        let [_, next] = texts(first);
        assert_eq!(next.unwrap(), "00000000-0001-7000-8000-000000000000");
        let [last, none] = texts("ffffffff-ffff-7fff-bfff-ffffffffffff");
        assert!(last.is_ok());
        assert_eq!(none.unwrap_err().kind(), ErrorKind::Exhausted);
    }
}
