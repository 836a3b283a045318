//! A generator for tests that returns given values.

use alloc::boxed::Box;
use core::fmt;

use super::{Generate, Generator};
use crate::error::Error;

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

/// The function that a [`Custom`] generator calls.
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
