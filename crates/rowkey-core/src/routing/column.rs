//! The column of a routing number beside a key's column.

use alloc::string::String;
use core::fmt;
use core::marker::PhantomData;

use super::part::RoutingPart;
use crate::error::Error;
use crate::key::EntityKey;
use crate::storage::{Backend, ColumnName};

/// A plain column beside a key's column, with a number that the key's ids contain: their shard key,
/// country or service entity.
///
/// No database partitions a table by an expression of its primary key. So the number is stored once
/// more, in a column that is part of the primary key, and a CHECK keeps it equal to the one in the
/// id. The id alone is then still unique. `rowkey-sql` writes the definition of the column and the
/// partitions.
///
/// ```
/// use rowkey_core::routing::{RoutingColumn, ShardKey};
/// use rowkey_core::{EntityKey, HotGuid};
///
/// fn shard_of<K: EntityKey<Format = HotGuid>>(mission: K) -> i64 {
///     RoutingColumn::<K, ShardKey>::new("id", "shard").value(mission)
/// }
/// ```
pub struct RoutingColumn<K, P> {
    table: Option<&'static str>,
    key: &'static str,
    name: &'static str,
    types: PhantomData<fn() -> (K, P)>,
}

impl<K, P> RoutingColumn<K, P>
where
    P: RoutingPart,
    K: EntityKey<Format = P::Format>,
{
    /// The column of this name beside the key's column. The functions that write SQL refuse the
    /// name of the key's column.
    pub const fn new(key_column: &'static str, name: &'static str) -> Self {
        Self {
            table: None,
            key: key_column,
            name,
            types: PhantomData,
        }
    }

    /// This column with the name or alias of its table, for queries of several tables.
    #[must_use]
    pub const fn of_table(self, table: &'static str) -> Self {
        Self {
            table: Some(table),
            ..self
        }
    }

    /// The column's value in the row of a key: `i64` for shard keys, otherwise `i16`.
    pub fn value(self, key: K) -> P::Stored {
        P::Stored::from(P::of(key.into_format()))
    }

    /// The name of the key's column as written in SQL, with its table if there is one.
    ///
    /// # Errors
    ///
    /// `ErrorKind::Name` for a name that is not valid on the backend.
    pub fn key_name(self, backend: Backend) -> Result<String, Error> {
        self.qualified(self.key).quoted(backend)
    }

    /// The name of the column as written in SQL, with its table if there is one.
    ///
    /// # Errors
    ///
    /// `ErrorKind::Name` for a name that is not valid on the backend.
    pub fn name(self, backend: Backend) -> Result<String, Error> {
        self.qualified(self.name).quoted(backend)
    }

    /// Passes on, piece by piece, the condition that a row has a key and, therefore, its number, by
    /// which the database finds its partition: `(id = … AND shard = …)`.
    pub fn write_condition(self, key: K, mut push: impl FnMut(RoutedConditionPart<K>)) {
        use RoutedConditionPart::{Column, Key, KeyColumn, Number, Sql};

        push(Sql("("));
        push(KeyColumn);
        push(Sql(" = "));
        push(Key(key));
        push(Sql(" AND "));
        push(Column);
        push(Sql(" = "));
        push(Number(self.value(key).into()));
        push(Sql(")"));
    }

    /// The plain names of the key's column and of this column, for `rowkey-sql`.
    #[doc(hidden)]
    pub const fn plain_names(self) -> [&'static str; 2] {
        [self.key, self.name]
    }

    fn qualified(self, column: &'static str) -> ColumnName<'static> {
        ColumnName::new(self.table, column)
    }
}

/// A piece of a condition for one key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoutedConditionPart<K> {
    /// Literal SQL.
    Sql(&'static str),
    /// The key's column: [`RoutingColumn::key_name`].
    KeyColumn,
    /// The key as a parameter.
    Key(K),
    /// The column of the number: [`RoutingColumn::name`].
    Column,
    /// The number as a parameter.
    Number(i64),
}

impl<K, P> Clone for RoutingColumn<K, P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K, P> Copy for RoutingColumn<K, P> {}

impl<K, P> PartialEq for RoutingColumn<K, P> {
    fn eq(&self, other: &Self) -> bool {
        (self.table, self.key, self.name) == (other.table, other.key, other.name)
    }
}

impl<K, P> Eq for RoutingColumn<K, P> {}

impl<K: EntityKey, P: RoutingPart> fmt::Debug for RoutingColumn<K, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RoutingColumn")
            .field("table", &self.table)
            .field("key", &format_args!("{} {}", self.key, K::NAME))
            .field("name", &self.name)
            .field("part", &P::FIELD.bits.name)
            .finish()
    }
}
