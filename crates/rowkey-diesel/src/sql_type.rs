//! The SQL type of a column of keys.

use std::fmt;
use std::marker::PhantomData;

use diesel::query_builder::QueryId;
use diesel::sql_types::is_nullable::NotNull;
use diesel::sql_types::{SingleValue, SqlOrd, SqlType};
use rowkey_core::EntityKey;

/// The SQL type of a column that holds keys of one type, on every backend.
///
/// The column's type in a database follows from the key's
/// [`StoragePlan`](rowkey_core::storage::StoragePlan). Two keys with the same plan still have
/// different types, so their columns neither compare nor join.
///
/// ```
/// use rowkey::driver::diesel::Key;
/// use rowkey::{ShortPrefixComb, entity_key};
///
/// #[entity_key]
/// pub struct OfferId(ShortPrefixComb);
///
/// diesel::table! {
///     use super::{Key, OfferId};
///     use diesel::sql_types::{Nullable, Text};
///
///     offers {
///         id -> Key<OfferId>,
///         replaces -> Nullable<Key<OfferId>>,
///         title -> Text,
///     }
/// }
/// # fn main() {}
/// ```
pub struct Key<K: EntityKey>(PhantomData<fn() -> K>);

// Derives would require the same traits of K.
impl<K: EntityKey> Clone for Key<K> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K: EntityKey> Copy for Key<K> {}

impl<K: EntityKey> Default for Key<K> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<K: EntityKey> fmt::Debug for Key<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Key<{}>", K::NAME)
    }
}

impl<K: EntityKey> SqlType for Key<K> {
    type IsNull = NotNull;
}

impl<K: EntityKey> SingleValue for Key<K> {}

// `max` and `min`, which PostgreSQL 15 lacks only for uuid and bytea.
impl<K: EntityKey> SqlOrd for Key<K> {}

impl<K: EntityKey> QueryId for Key<K> {
    type QueryId = Self;

    const HAS_STATIC_QUERY_ID: bool = true;
}
