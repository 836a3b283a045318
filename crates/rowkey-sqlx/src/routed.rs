//! Keys together with their routing numbers as conditions of a query.

use rowkey_core::routing::{RoutedConditionPart, RoutingColumn, RoutingPart};
use rowkey_core::{Backend, EntityKey, Error};
use sqlx::encode::Encode;
use sqlx::{Database, QueryBuilder, Type};

/// Keys of partitioned tables as conditions of a [`QueryBuilder`].
pub trait PushRouted {
    /// The database of the query.
    type Database: Database;

    /// Appends the condition that a row has a key and its routing number, in parentheses, so it can
    /// follow `WHERE` or `AND`. The number selects the partition; without it, the database searches
    /// all of them.
    ///
    /// # Errors
    ///
    /// `ErrorKind::Name` for a name that is not valid on the backend; nothing is appended then.
    ///
    /// ```
    /// use rowkey::driver::sqlx::PushRouted;
    /// use rowkey::routing::{RoutingColumn, ShardKey};
    /// use rowkey::{EntityKey, HotGuid, entity_key};
    /// use sqlx::{Postgres, QueryBuilder};
    ///
    /// #[entity_key]
    /// struct MissionId(HotGuid);
    ///
    /// const SHARD: RoutingColumn<MissionId, ShardKey> = RoutingColumn::new("id", "shard");
    ///
    /// let mission = MissionId::generate_for(&17);
    /// let mut query = QueryBuilder::<Postgres>::new("SELECT title FROM mission WHERE ");
    /// query.push_routed(SHARD, mission)?;
    /// assert_eq!(
    ///     query.sql().as_str(),
    ///     r#"SELECT title FROM mission WHERE ("id" = $1 AND "shard" = $2)"#,
    /// );
    /// # Ok::<(), rowkey::Error>(())
    /// ```
    fn push_routed<K, P>(
        &mut self,
        column: RoutingColumn<K, P>,
        key: K,
    ) -> Result<&mut Self, Error>
    where
        P: RoutingPart,
        K: EntityKey<Format = P::Format>
            + for<'q> Encode<'q, Self::Database>
            + Type<Self::Database>;
}

macro_rules! impl_routed {
    ($feature:literal, $DB:ident, $backend:expr) => {
        #[cfg(feature = $feature)]
        impl PushRouted for QueryBuilder<sqlx::$DB> {
            type Database = sqlx::$DB;

            fn push_routed<K, P>(
                &mut self,
                column: RoutingColumn<K, P>,
                key: K,
            ) -> Result<&mut Self, Error>
            where
                P: RoutingPart,
                K: EntityKey<Format = P::Format> + for<'q> Encode<'q, sqlx::$DB> + Type<sqlx::$DB>,
            {
                let (key_name, name) = (column.key_name($backend)?, column.name($backend)?);
                column.write_condition(key, |part| {
                    match part {
                        RoutedConditionPart::Sql(sql) => self.push(sql),
                        RoutedConditionPart::KeyColumn => self.push(&key_name),
                        RoutedConditionPart::Key(key) => self.push_bind(key),
                        RoutedConditionPart::Column => self.push(&name),
                        RoutedConditionPart::Number(number) => self.push_bind(number),
                    };
                });
                Ok(self)
            }
        }
    };
}

impl_routed!("postgres", Postgres, Backend::Postgres);
impl_routed!("mysql", MySql, Backend::MySql);
impl_routed!("sqlite", Sqlite, Backend::Sqlite);
