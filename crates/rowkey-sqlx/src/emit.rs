//! The impls that the expansion of `#[entity_key]` puts next to a key.
//!
//! All paths begin with `$crate`, because the user's crate may not depend on sqlx, and its module
//! may have no prelude.

/// Emits the impls that every driver requires of a key.
#[doc(hidden)]
#[macro_export]
macro_rules! __impl_driver {
    ($Key:ty, $Db:ident, $driver:ident) => {
        #[automatically_derived]
        impl $crate::__private::sqlx::Type<$crate::__private::sqlx::$Db> for $Key {
            #[inline]
            fn type_info() -> $crate::__private::TypeInfo<$crate::__private::sqlx::$Db> {
                $crate::$driver::type_info::<Self>()
            }

            #[inline]
            fn compatible(
                __rowkey_found: &$crate::__private::TypeInfo<$crate::__private::sqlx::$Db>,
            ) -> $crate::__private::primitive::bool {
                $crate::$driver::compatible::<Self>(__rowkey_found)
            }
        }

        #[automatically_derived]
        impl<'q> $crate::__private::sqlx::Encode<'q, $crate::__private::sqlx::$Db> for $Key {
            #[inline]
            fn encode_by_ref(
                &self,
                __rowkey_buffer: &mut $crate::__private::ArgumentBuffer<
                    $crate::__private::sqlx::$Db,
                >,
            ) -> $crate::__private::Encoded {
                $crate::$driver::encode(*self, __rowkey_buffer)
            }
        }

        #[automatically_derived]
        impl<'r> $crate::__private::sqlx::Decode<'r, $crate::__private::sqlx::$Db> for $Key {
            #[inline]
            fn decode(
                __rowkey_value: $crate::__private::ValueRef<'r, $crate::__private::sqlx::$Db>,
            ) -> $crate::__private::Decoded<Self> {
                $crate::$driver::decode(__rowkey_value)
            }
        }
    };
}

#[cfg(feature = "postgres")]
#[doc(hidden)]
#[macro_export]
macro_rules! __impl_postgres {
    ($Key:ty) => {
        $crate::__impl_driver! { $Key, Postgres, postgres }

        #[automatically_derived]
        impl $crate::__private::sqlx::postgres::PgHasArrayType for $Key {
            #[inline]
            fn array_type_info() -> $crate::__private::sqlx::postgres::PgTypeInfo {
                $crate::postgres::array_type_info::<Self>()
            }

            #[inline]
            fn array_compatible(
                __rowkey_found: &$crate::__private::sqlx::postgres::PgTypeInfo,
            ) -> $crate::__private::primitive::bool {
                $crate::postgres::array_compatible::<Self>(__rowkey_found)
            }
        }
    };
}

#[cfg(feature = "mysql")]
#[doc(hidden)]
#[macro_export]
macro_rules! __impl_mysql {
    ($Key:ty) => {
        $crate::__impl_driver! { $Key, MySql, mysql }
    };
}

#[cfg(feature = "sqlite")]
#[doc(hidden)]
#[macro_export]
macro_rules! __impl_sqlite {
    ($Key:ty) => {
        $crate::__impl_driver! { $Key, Sqlite, sqlite }
    };
}

/// The items that the emitted impls refer to. Not public API.
#[doc(hidden)]
pub mod private {
    pub use core::primitive;
    pub use sqlx;

    use sqlx::Database;
    use sqlx::encode::IsNull;
    use sqlx::error::BoxDynError;

    pub type TypeInfo<Db> = <Db as Database>::TypeInfo;
    pub type ArgumentBuffer<Db> = <Db as Database>::ArgumentBuffer;
    pub type ValueRef<'r, Db> = <Db as Database>::ValueRef<'r>;
    pub type Encoded = Result<IsNull, BoxDynError>;
    pub type Decoded<K> = Result<K, BoxDynError>;
}
