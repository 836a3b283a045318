//! The impls that the expansion of `#[entity_key]` puts next to a key.
//!
//! All paths begin with `$crate`, because the user's crate may have no tiberius of its own and its
//! module no prelude.

/// Emits the impls of a key for SQL Server.
#[doc(hidden)]
#[macro_export]
macro_rules! __impl_sql_server {
    ($Key:ty) => {
        #[automatically_derived]
        impl $crate::__private::tiberius::ToSql for $Key {
            fn to_sql(&self) -> $crate::__private::tiberius::ColumnData<'_> {
                $crate::column_data::encode::<Self>(*self)
            }
        }

        // The bound is about a lifetime for form only: without one, a bound that does not hold would
        // be an error in the declaration of the key instead of one where a span of it is asked for.
        #[automatically_derived]
        impl $crate::OrderedKey for $Key where
            for<'a> $crate::ColumnOrder<$Key, { $crate::__private::is_ordered::<$Key>() }>:
                $crate::KeptOrder<'a, $Key>
        {
        }

        #[automatically_derived]
        impl<'a> $crate::__private::tiberius::IntoSql<'a> for $Key {
            fn into_sql(self) -> $crate::__private::tiberius::ColumnData<'a> {
                $crate::column_data::encode::<Self>(self)
            }
        }

        #[automatically_derived]
        impl<'a> $crate::__private::tiberius::FromSql<'a> for $Key {
            fn from_sql(
                __rowkey_value: &'a $crate::__private::tiberius::ColumnData<'static>,
            ) -> $crate::__private::Decoded<Self> {
                $crate::__private::from_sql::<Self>(__rowkey_value)
            }
        }

        #[automatically_derived]
        impl $crate::__private::tiberius::FromSqlOwned for $Key {
            fn from_sql_owned(
                __rowkey_value: $crate::__private::tiberius::ColumnData<'static>,
            ) -> $crate::__private::Decoded<Self> {
                $crate::__private::from_sql::<Self>(&__rowkey_value)
            }
        }
    };
}

/// What the emitted impls name. Not part of the interface.
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
