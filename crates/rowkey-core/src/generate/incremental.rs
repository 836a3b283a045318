//! A generator for tests that counts.

use std::sync::Mutex;

use super::{Generate, Generator, lock};
use crate::error::Error;
use crate::format::Contiguous;
use crate::format::traits::sealed::Admitted;

/// A generator for tests that counts: `first`, `first` + 1, and so on. It ignores the context.
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
#[derive(Debug)]
pub struct Incremental<F> {
    /// `None` after the largest value.
    next: Mutex<Option<F>>,
}

impl<F: Contiguous> Incremental<F> {
    /// Counts from 1.
    pub fn new() -> Self {
        Self::starting_at(F::from_admitted(Admitted::new(1)))
    }

    /// Counts from `first`.
    pub fn starting_at(first: F) -> Self {
        Self {
            next: Mutex::new(Some(first)),
        }
    }
}

impl<F: Contiguous> Default for Incremental<F> {
    fn default() -> Self {
        Self::new()
    }
}

impl<F: Contiguous + Generate> Generator<F> for Incremental<F> {
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
