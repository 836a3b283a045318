//! The impls that the expansion of `#[entity_key]` puts next to a key.
//!
//! All paths begin with `$crate`, because the user's crate may not depend on Diesel, and its module
//! may have no prelude. The impls are generic over the SQL type and the backend: a few impls that
//! are checked once cost less to compile than one for each column type of each backend.

#[cfg(any(feature = "postgres", feature = "mysql", feature = "sqlite"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __impl_key_column {
    ($Key:ty) => {
        #[automatically_derived]
        impl $crate::__private::StockColumns for $Key {
            type Stock = $crate::__private::Stock<{ $crate::__private::stock_of::<Self>() }>;
        }

        $crate::__impl_as_expression! { $Key, [], $Key }
        $crate::__impl_as_expression! { $Key, ['a], &'a $Key }
        $crate::__impl_as_expression! { $Key, ['a, 'b], &'a &'b $Key }

        #[automatically_derived]
        impl<__ST, __DB> $crate::__private::diesel::serialize::ToSql<__ST, __DB> for $Key
        where
            __ST: $crate::KeyColumn<Self>,
            __DB: $crate::WriteKey<Self, __ST>,
        {
            fn to_sql<'b>(
                &'b self,
                __rowkey_out: &mut $crate::__private::diesel::serialize::Output<'b, '_, __DB>,
            ) -> $crate::__private::diesel::serialize::Result {
                <__DB as $crate::WriteKey<Self, __ST>>::write(self, __rowkey_out)
            }
        }

        #[automatically_derived]
        impl<__ST, __DB> $crate::__private::diesel::deserialize::FromSql<__ST, __DB> for $Key
        where
            __ST: $crate::KeyColumn<Self, IsNull = $crate::__private::NotNull>,
            __DB: $crate::ReadKey<Self, __ST>,
        {
            fn from_sql(
                __rowkey_found: <__DB as $crate::__private::diesel::backend::Backend>::RawValue<'_>,
            ) -> $crate::__private::diesel::deserialize::Result<Self> {
                <__DB as $crate::ReadKey<Self, __ST>>::read(__rowkey_found)
            }
        }

        #[automatically_derived]
        impl<__ST, __DB> $crate::__private::diesel::deserialize::Queryable<__ST, __DB> for $Key
        where
            __DB: $crate::__private::diesel::backend::Backend,
            __ST: $crate::__private::diesel::sql_types::SingleValue,
            Self: $crate::__private::diesel::deserialize::FromSql<__ST, __DB>,
        {
            type Row = Self;

            fn build(__rowkey_key: Self) -> $crate::__private::diesel::deserialize::Result<Self> {
                $crate::__private::Ok(__rowkey_key)
            }
        }
    };
}

/// Emits the conversion of a key, or of a reference to one, into a parameter.
#[doc(hidden)]
#[macro_export]
macro_rules! __impl_as_expression {
    ($Key:ty, [$($lifetime:lifetime),*], $Value:ty) => {
        #[automatically_derived]
        impl<$($lifetime,)* __ST> $crate::__private::diesel::expression::AsExpression<__ST> for $Value
        where
            __ST: $crate::KeyColumn<$Key>,
        {
            type Expression = $crate::__private::ParameterOf<$Key, __ST, Self>;

            fn as_expression(self) -> Self::Expression {
                $crate::__private::parameter_of::<$Key, __ST, Self>(self)
            }
        }
    };
}

/// The items that the emitted impls refer to. Not public API.
#[doc(hidden)]
pub mod private {
    pub use core::convert::Into;
    pub use core::default::Default;
    pub use core::result::Result::Ok;
    pub use diesel;
    pub use diesel::sql_types::is_nullable::NotNull;
    pub use rowkey_core::EntityKey;

    pub use crate::backend::KeyValue;
    pub use crate::multi::{Buffer, LoadedKey};
    pub use crate::stock::{ParameterOf, Stock, StockColumns, parameter_of, stock_of};
}
