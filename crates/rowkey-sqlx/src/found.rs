//! From what a column held to a key, or to the error that says why it is none.

use std::fmt::Display;

use rowkey_core::{Column, EntityKey, Error, StoredRef};
use sqlx::error::BoxDynError;

/// The key of what a column held.
pub(crate) fn key_of<K: EntityKey>(column: Column, found: StoredRef<'_>) -> Result<K, BoxDynError> {
    let value = column.decode(found)?;
    Ok(K::try_from(value)?)
}

/// The error for a value of another type than the column's plan stores.
#[cold]
pub(crate) fn refusal(column: Column, found: impl Display) -> BoxDynError {
    Box::new(Error::Stored {
        format: column.format(),
        expected: column.wire().describe(),
        found: found.to_string(),
    })
}
