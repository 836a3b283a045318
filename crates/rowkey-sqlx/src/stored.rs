//! From what a column held to a key, or to the error that says why it is none.

use std::fmt::Display;

use rowkey_core::storage::Column;
use rowkey_core::{EntityKey, Error};
use sqlx::error::BoxDynError;

/// The key of the public value that a column held.
///
/// Takes the reading of it: a result that is handed over would be copied.
// Always: callers have constant columns, of which one arm remains, and the key's own check of its
// format then is the column's. A hint is not taken.
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
