//! Keys on the backend that `#[derive(MultiConnection)]` generates.

use diesel::backend::Backend;
use diesel::deserialize::{self, FromSql};
use diesel::query_builder::BindCollector;
use diesel::sql_types::is_nullable::NotNull;
use rowkey_core::EntityKey;

use crate::{KeyColumn, ReadKey};

/// Implements keys, bounds and columns of keys for a `MultiBackend`: write it once next to the
/// connection type.
///
/// The backend that `#[derive(MultiConnection)]` generates is a type of your crate, so only a macro
/// can do this. Enable the features of `rowkey` for all its databases.
///
/// ```
/// # mod connection {
/// use rowkey::driver::diesel::multi_backend;
///
/// #[derive(diesel::MultiConnection)]
/// pub enum AnyConnection {
///     Sqlite(diesel::SqliteConnection),
/// }
///
/// multi_backend!(MultiBackend);
/// # }
/// # fn main() {}
/// ```
#[macro_export]
macro_rules! multi_backend {
    ($MultiBackend:ty) => {
        impl<K> $crate::__private::diesel::sql_types::HasSqlType<$crate::Key<K>> for $MultiBackend
        where
            K: $crate::__private::EntityKey,
        {
            fn metadata(
                lookup: &mut <Self as $crate::__private::diesel::sql_types::TypeMetadata>::MetadataLookup,
            ) -> <Self as $crate::__private::diesel::sql_types::TypeMetadata>::TypeMetadata {
                Self::lookup_sql_type::<$crate::Key<K>>(lookup)
            }
        }

        impl<V, ST> $crate::WriteKey<V, ST> for $MultiBackend
        where
            V: $crate::__private::KeyValue,
            ST: $crate::KeyColumn<V::Key>
                + $crate::__private::diesel::sql_types::IntoNotNullable<
                    NotNullable: $crate::__private::Default,
                >,
            for<'b> (ST::NotNullable, &'b V):
                $crate::__private::Into<$crate::__private::Buffer<'b, Self>>,
        {
            fn write<'b>(
                value: &'b V,
                out: &mut $crate::__private::diesel::serialize::Output<'b, '_, Self>,
            ) -> $crate::__private::diesel::serialize::Result {
                let column: ST::NotNullable = $crate::__private::Default::default();
                out.set_value((column, value));
                $crate::__private::Ok($crate::__private::diesel::serialize::IsNull::No)
            }
        }

        impl<K, ST> $crate::ReadKey<K, ST> for $MultiBackend
        where
            K: $crate::__private::EntityKey,
            ST: $crate::KeyColumn<K, IsNull = $crate::__private::NotNull>,
        {
            fn read(
                found: <Self as $crate::__private::diesel::backend::Backend>::RawValue<'_>,
            ) -> $crate::__private::diesel::deserialize::Result<K> {
                let $crate::__private::LoadedKey(key) =
                    found.from_sql::<$crate::__private::LoadedKey<K>, ST>()?;
                $crate::__private::Ok(key)
            }
        }
    };
}

/// The buffer for a parameter.
pub type Buffer<'b, DB> = <<DB as Backend>::BindCollector<'b> as BindCollector<'b, DB>>::Buffer;

/// A key of any type, as `MultiRawValue` reads it on each backend: for a type parameter, the
/// compiler cannot know that the key is readable there.
#[derive(Debug)]
pub struct LoadedKey<K>(pub K);

impl<K, ST, DB> FromSql<ST, DB> for LoadedKey<K>
where
    K: EntityKey,
    ST: KeyColumn<K, IsNull = NotNull>,
    DB: ReadKey<K, ST>,
{
    fn from_sql(found: DB::RawValue<'_>) -> deserialize::Result<Self> {
        DB::read(found).map(Self)
    }
}
