//! From a column's value to a key, or to the error that says why it is not one.

use std::fmt::Display;

use rowkey_core::storage::Column;
use rowkey_core::{EntityKey, Error};
use sqlx::error::BoxDynError;

/// The key of a public value read from a column.
///
/// Takes a closure that reads the value, because a `Result` argument would be copied.
// Always inlined: callers have constant columns, so only one arm remains, and the key's format
// check merges with the column's. The compiler ignores a mere hint.
#[inline(always)]
pub(crate) fn key_of<K: EntityKey>(
    read: impl FnOnce() -> Result<u128, Error>,
) -> Result<K, BoxDynError> {
    match read().and_then(K::try_from) {
        Ok(key) => Ok(key),
        Err(error) => Err(boxed(error)),
    }
}

#[cold]
fn boxed(error: Error) -> BoxDynError {
    Box::new(error)
}

/// The error for a value of another type than the column's plan stores.
#[cold]
pub(crate) fn refusal(column: Column, found: impl Display) -> BoxDynError {
    Box::new(column.refusal(found))
}
