//! Lists of keys as the condition of a query.

use rowkey_core::storage::ColumnName;
use rowkey_core::{Backend, EntityKey, Error};
use sqlx::encode::{Encode, IsNull};
use sqlx::error::BoxDynError;
use sqlx::{Database, QueryBuilder, Type};

/// Lists of keys as conditions of a [`QueryBuilder`].
///
/// In PostgreSQL, a list is one parameter, an array of any length. The other databases have a
/// parameter for each key: MySQL and MariaDB at most 65,535 in a statement, SQLite at most 32,766
/// (as sqlx builds it). Beyond that, the database returns an error; split the list.
pub trait PushInKeys {
    /// Appends the condition that a column holds one of some keys. It can follow `WHERE` or `AND`.
    ///
    /// The condition is false for an empty list. A key may be in the list several times.
    ///
    /// # Errors
    ///
    /// `ErrorKind::Name` for a name that is not valid on the backend; nothing is appended then.
    ///
    /// ```
    /// use rowkey::driver::sqlx::PushInKeys;
    /// use rowkey::{ShortPrefixComb, entity_key};
    /// use sqlx::{Postgres, QueryBuilder, Sqlite};
    ///
    /// #[entity_key]
    /// struct OfferId(ShortPrefixComb);
    ///
    /// let offers = [OfferId::generate(), OfferId::generate()];
    ///
    /// let mut query = QueryBuilder::<Sqlite>::new("SELECT title FROM offer o WHERE open AND ");
    /// query.push_in_keys(("o", "id"), &offers)?;
    /// assert!(query.sql().as_str().ends_with("WHERE open AND `o`.`id` IN (?, ?)"));
    ///
    /// let mut query = QueryBuilder::<Postgres>::new("SELECT title FROM offer WHERE ");
    /// query.push_in_keys("id", &offers)?;
    /// assert!(query.sql().as_str().ends_with(r#"WHERE "id" = ANY($1)"#));
    /// # Ok::<(), rowkey::Error>(())
    /// ```
    fn push_in_keys<'a, K: EntityKey>(
        &mut self,
        column: impl Into<ColumnName<'a>>,
        keys: &[K],
    ) -> Result<&mut Self, Error>;

    /// Appends the condition that a column holds a key, but none of these.
    ///
    /// The condition is true for an empty list, even if the column is NULL.
    ///
    /// # Errors
    ///
    /// As [`push_in_keys`](Self::push_in_keys).
    fn push_not_in_keys<'a, K: EntityKey>(
        &mut self,
        column: impl Into<ColumnName<'a>>,
        keys: &[K],
    ) -> Result<&mut Self, Error>;
}

/// A key of a list as a parameter.
#[derive(Clone, Copy)]
struct Element<K>(K);

macro_rules! impl_element {
    ($feature:literal, $DB:ident, $module:ident) => {
        #[cfg(feature = $feature)]
        impl<K: EntityKey> Type<sqlx::$DB> for Element<K> {
            fn type_info() -> <sqlx::$DB as Database>::TypeInfo {
                crate::$module::type_info::<K>()
            }
        }

        #[cfg(feature = $feature)]
        impl<K: EntityKey> Encode<'_, sqlx::$DB> for Element<K> {
            fn encode_by_ref(
                &self,
                buffer: &mut <sqlx::$DB as Database>::ArgumentBuffer,
            ) -> Result<IsNull, BoxDynError> {
                crate::$module::encode(self.0, buffer)
            }
        }
    };
}

impl_element!("postgres", Postgres, postgres);
impl_element!("mysql", MySql, mysql);
impl_element!("sqlite", Sqlite, sqlite);

#[cfg(feature = "postgres")]
mod array {
    use sqlx::Postgres;
    use sqlx::postgres::{PgHasArrayType, PgTypeInfo};

    use super::{Backend, ColumnName, Element, EntityKey, Error, PushInKeys, QueryBuilder};

    impl<K: EntityKey> PgHasArrayType for Element<K> {
        fn array_type_info() -> PgTypeInfo {
            crate::postgres::array_type_info::<K>()
        }
    }

    impl PushInKeys for QueryBuilder<Postgres> {
        fn push_in_keys<'a, K: EntityKey>(
            &mut self,
            column: impl Into<ColumnName<'a>>,
            keys: &[K],
        ) -> Result<&mut Self, Error> {
            push_array(self, column.into(), " = ANY(", keys)
        }

        fn push_not_in_keys<'a, K: EntityKey>(
            &mut self,
            column: impl Into<ColumnName<'a>>,
            keys: &[K],
        ) -> Result<&mut Self, Error> {
            push_array(self, column.into(), " <> ALL(", keys)
        }
    }

    fn push_array<'q, K: EntityKey>(
        query: &'q mut QueryBuilder<Postgres>,
        column: ColumnName<'_>,
        comparison: &str,
        keys: &[K],
    ) -> Result<&'q mut QueryBuilder<Postgres>, Error> {
        query
            .push(column.quoted(Backend::Postgres)?)
            .push(comparison);
        let keys: Vec<Element<K>> = keys.iter().copied().map(Element).collect();
        Ok(query.push_bind(keys).push(")"))
    }
}

macro_rules! impl_push_in_keys {
    ($feature:literal, $DB:ident, $backend:expr) => {
        #[cfg(feature = $feature)]
        impl PushInKeys for QueryBuilder<sqlx::$DB> {
            fn push_in_keys<'a, K: EntityKey>(
                &mut self,
                column: impl Into<ColumnName<'a>>,
                keys: &[K],
            ) -> Result<&mut Self, Error> {
                let column = column.into().quoted($backend)?;
                Ok(push_list(self, &column, ["1 = 0", " IN ("], keys))
            }

            fn push_not_in_keys<'a, K: EntityKey>(
                &mut self,
                column: impl Into<ColumnName<'a>>,
                keys: &[K],
            ) -> Result<&mut Self, Error> {
                let column = column.into().quoted($backend)?;
                Ok(push_list(self, &column, ["1 = 1", " NOT IN ("], keys))
            }
        }
    };
}

impl_push_in_keys!("mysql", MySql, Backend::MySql);
impl_push_in_keys!("sqlite", Sqlite, Backend::Sqlite);

/// Appends a list, or what it means without keys: no database accepts an empty one.
#[cfg(any(feature = "mysql", feature = "sqlite"))]
fn push_list<'query, 'value, DB, K>(
    query: &'query mut QueryBuilder<DB>,
    column: &str,
    [without_keys, comparison]: [&str; 2],
    keys: &[K],
) -> &'query mut QueryBuilder<DB>
where
    DB: Database,
    K: EntityKey,
    Element<K>: Encode<'value, DB> + Type<DB>,
{
    if keys.is_empty() {
        return query.push(without_keys);
    }
    query.push(column).push(comparison);
    let mut list = query.separated(", ");
    for key in keys {
        list.push_bind(Element(*key));
    }
    list.push_unseparated(")");
    query
}
