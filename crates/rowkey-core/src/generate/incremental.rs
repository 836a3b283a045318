//! A generator for tests that counts.

use std::sync::Mutex;

use super::{Generate, Generator, lock};
use crate::error::Error;
use crate::format::Format;
use crate::format::traits::sealed::Admitted;

/// A generator for tests that counts in the bits that a format does not fix: the next id is the next
/// larger one of the format. It ignores the context, so ids of a format with a context need a first one
/// that has it.
///
/// Each instance counts for itself; threads that share one get different values. After the
/// format's largest value it returns [`Error::Exhausted`].
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
#[derive(Debug)]
pub struct Incremental<F> {
    /// `None` after the largest value.
    next: Mutex<Option<F>>,
}

impl<F: Format> Incremental<F> {
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

impl<F: Format> Default for Incremental<F> {
    fn default() -> Self {
        Self::new()
    }
}

impl<F: Generate> Generator<F> for Incremental<F> {
    fn try_generate_for(&self, _: &F::Context) -> Result<F, Error> {
        let mut next = lock(&self.next);
        let id = next.ok_or(Error::Exhausted { format: F::KIND })?;
        let larger = F::KIND.spec().fixed.larger(id.to_u128());
        *next = larger.and_then(|value| F::try_from(value).ok());
        Ok(id)
    }
}

#[cfg(test)]
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
        assert!(matches!(none, Err(Error::Exhausted { .. })), "{none:?}");
    }
}
