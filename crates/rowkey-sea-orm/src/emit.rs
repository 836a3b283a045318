//! The impls that the expansion of `#[entity_key]` puts next to a key.
//!
//! All paths begin with `$crate`, because the user's crate may not depend on SeaORM, and its module
//! may have no prelude.
//!
//! Impls that write a key require, in their bounds, a plan that SeaORM can store. The bounds
//! mention a lifetime on purpose: an unmet bound without one would be an error in the declaration
//! of the key, which may never be used with SeaORM, not in the entity that uses it.

/// Emits the impls of a key for the columns of entities.
#[doc(hidden)]
#[macro_export]
macro_rules! __impl_entity_column {
    ($Key:ty) => {
        #[automatically_derived]
        impl $crate::__private::Checked for $Key {
            type Fits = $crate::Fits<Self, { $crate::__private::fits::<Self>() }>;
        }

        #[automatically_derived]
        impl $crate::__private::From<$Key> for $crate::__private::sea_orm::Value
        where
            for<'a> <$Key as $crate::__private::Checked>::Fits: $crate::SeaOrmStorage<'a, $Key>,
        {
            #[inline]
            fn from(__rowkey_key: $Key) -> Self {
                $crate::value::encode(__rowkey_key)
            }
        }

        #[automatically_derived]
        impl $crate::__private::sea_query::Nullable for $Key
        where
            for<'a> <$Key as $crate::__private::Checked>::Fits: $crate::SeaOrmStorage<'a, $Key>,
        {
            #[inline]
            fn null() -> $crate::__private::sea_orm::Value {
                $crate::value::null::<Self>()
            }
        }

        #[automatically_derived]
        impl $crate::__private::sea_query::ValueType for $Key
        where
            for<'a> <$Key as $crate::__private::Checked>::Fits: $crate::SeaOrmStorage<'a, $Key>,
        {
            #[inline]
            fn try_from(
                __rowkey_value: $crate::__private::sea_orm::Value,
            ) -> $crate::__private::FromValue<Self> {
                $crate::__private::from_value(__rowkey_value)
            }

            #[inline]
            fn type_name() -> $crate::__private::String {
                $crate::__private::type_name::<Self>()
            }

            #[inline]
            fn array_type() -> $crate::__private::sea_query::ArrayType {
                $crate::value::array_type::<Self>()
            }

            #[inline]
            fn column_type() -> $crate::__private::sea_query::ColumnType {
                $crate::value::column_type::<Self>()
            }
        }

        #[automatically_derived]
        impl $crate::__private::sea_orm::IntoActiveValue<$Key> for $Key
        where
            // As the trait requires. With the bound above, an invalid declaration, whose constants
            // have no values, would also cause an error about SeaORM.
            for<'a> $crate::__private::sea_orm::Value: $crate::__private::From<$Key>,
        {
            #[inline]
            fn into_active_value(self) -> $crate::__private::sea_orm::ActiveValue<$Key> {
                $crate::__private::sea_orm::ActiveValue::Set(self)
            }
        }

        #[automatically_derived]
        impl $crate::ToParam for $Key
        where
            for<'a> $crate::__private::sea_orm::Value: $crate::__private::From<$Key>,
        {
            #[inline]
            fn to_param(
                self,
                __rowkey_backend: $crate::__private::sea_orm::DbBackend,
            ) -> $crate::__private::sea_orm::Value {
                $crate::value::encode_for(self, __rowkey_backend)
            }
        }

        #[automatically_derived]
        impl $crate::__private::sea_orm::TryGetable for $Key {
            fn try_get_by<I: $crate::__private::sea_orm::ColIdx>(
                __rowkey_row: &$crate::__private::sea_orm::QueryResult,
                __rowkey_index: I,
            ) -> $crate::__private::Got<Self> {
                $crate::row::try_get_by(__rowkey_row, __rowkey_index)
            }
        }

        #[automatically_derived]
        impl $crate::__private::sea_orm::TryFromU64 for $Key {
            #[inline]
            fn try_from_u64(
                __rowkey_number: $crate::__private::primitive::u64,
            ) -> $crate::__private::Made<Self> {
                $crate::__private::from_u64(__rowkey_number)
            }
        }

        $crate::__impl_array_element! { $Key }
    };
}

/// Emits the impls for keys as elements of PostgreSQL arrays.
#[cfg(feature = "postgres")]
#[doc(hidden)]
#[macro_export]
macro_rules! __impl_array_element {
    ($Key:ty) => {
        #[automatically_derived]
        impl $crate::__private::sea_query::postgres_array::NotU8 for $Key {}
    };
}

/// Only PostgreSQL has arrays.
#[cfg(not(feature = "postgres"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __impl_array_element {
    ($Key:ty) => {};
}

/// The items that the emitted impls refer to. Not public API.
#[doc(hidden)]
pub mod private {
    pub use core::convert::From;
    pub use core::primitive;
    pub use sea_orm::{self, sea_query};
    pub use std::string::String;

    use rowkey_core::EntityKey;
    use rowkey_core::format::{Format, FormatKind};
    use sea_orm::sea_query::ValueTypeErr;
    use sea_orm::{DbErr, TryGetError, Value};

    pub use crate::storage::{Checked, fits};

    pub type FromValue<K> = Result<K, ValueTypeErr>;
    pub type Got<K> = Result<K, TryGetError>;
    pub type Made<K> = Result<K, DbErr>;

    /// SeaORM's error has no room for a reason.
    pub fn from_value<K: EntityKey>(value: Value) -> FromValue<K> {
        crate::value::decode(&value).map_err(|_| ValueTypeErr)
    }

    pub fn type_name<K: EntityKey>() -> String {
        K::NAME.to_owned()
    }

    /// The key with the last insert id. Only a DatabaseNumber is an auto-increment number.
    pub fn from_u64<K: EntityKey>(number: u64) -> Made<K> {
        let key = match K::Format::KIND {
            FormatKind::DatabaseNumber => K::try_from(u128::from(number)).ok(),
            _ => None,
        };
        key.ok_or(DbErr::ConvertFromU64(K::NAME))
    }
}
