//! The impls that the expansion of `#[entity_key]` puts next to a key.
//!
//! All paths begin with `$crate`, because the user's crate may not depend on tiberius, and its
//! module may have no prelude.

#[doc(hidden)]
#[macro_export]
macro_rules! __impl_sql_server {
    ($Key:ty) => {
        #[automatically_derived]
        impl $crate::__private::tiberius::ToSql for $Key {
            #[inline]
            fn to_sql(&self) -> $crate::__private::tiberius::ColumnData<'_> {
                $crate::column_data::encode(*self)
            }
        }

        // The bound mentions a lifetime on purpose: an unmet bound without one would be an error in
        // the declaration of the key, not where a span is used.
        #[automatically_derived]
        impl $crate::OrderedKey for $Key where
            for<'a> $crate::ColumnOrder<$Key, { $crate::__private::is_ordered::<$Key>() }>:
                $crate::KeptOrder<'a, $Key>
        {
        }

        #[automatically_derived]
        impl<'a> $crate::__private::tiberius::IntoSql<'a> for $Key {
            #[inline]
            fn into_sql(self) -> $crate::__private::tiberius::ColumnData<'a> {
                $crate::column_data::encode(self)
            }
        }

        #[automatically_derived]
        impl<'a> $crate::__private::tiberius::FromSql<'a> for $Key {
            #[inline]
            fn from_sql(
                __rowkey_value: &'a $crate::__private::tiberius::ColumnData<'static>,
            ) -> $crate::__private::Decoded<Self> {
                $crate::__private::from_sql(__rowkey_value)
            }
        }

        #[automatically_derived]
        impl $crate::__private::tiberius::FromSqlOwned for $Key {
            #[inline]
            fn from_sql_owned(
                __rowkey_value: $crate::__private::tiberius::ColumnData<'static>,
            ) -> $crate::__private::Decoded<Self> {
                $crate::__private::from_sql(&__rowkey_value)
            }
        }
    };
}

/// The items that the emitted impls refer to. Not public API.
#[doc(hidden)]
pub mod private {
    pub use tiberius;

    pub use crate::order::is_ordered;

    use rowkey_core::EntityKey;
    use tiberius::ColumnData;
    use tiberius::error::Error;

    pub type Decoded<K> = tiberius::Result<Option<K>>;

    /// tiberius has no error with a source.
    pub fn from_sql<K: EntityKey>(value: &ColumnData<'static>) -> Decoded<K> {
        crate::column_data::decode(value)
            .map_err(|refused| Error::Conversion(refused.to_string().into()))
    }
}
