//! The column of a routing number beside a key's column.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;

use super::part::RoutingPart;
use crate::error::Error;
use crate::key::EntityKey;
use crate::storage::{Backend, ColumnName, TableName, quote_identifier};

/// A plain column beside a key's column, with a number that the key's ids contain: their shard key,
/// country or service entity.
///
/// No database partitions a table by an expression of its primary key. So the number is stored once
/// more, in a column that is part of the primary key, and a CHECK keeps it equal to the one in the id.
/// The id alone is then still unique. [`RoutedPartitions`](super::RoutedPartitions) writes the
/// partitions.
///
/// ```
/// use rowkey_core::routing::{RoutingColumn, ShardKey};
/// use rowkey_core::{Backend, EntityKey, Error, HotGuid};
///
/// fn shard_of<K: EntityKey<Format = HotGuid>>(mission: K) -> i64 {
///     RoutingColumn::<K, ShardKey>::new("id", "shard").value(mission)
/// }
///
/// fn columns<K: EntityKey<Format = HotGuid>>() -> Result<String, Error> {
///     let shard = RoutingColumn::<K, ShardKey>::new("id", "shard");
///     shard.definition(Backend::Postgres) // "shard" bigint NOT NULL
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
    /// The column of this name beside the key's column. The functions that write SQL refuse the name
    /// of the key's column.
    pub const fn new(key_column: &'static str, name: &'static str) -> Self {
        Self {
            table: None,
            key: key_column,
            name,
            types: PhantomData,
        }
    }

    /// The same with the name or alias of the table, for conditions of queries of several tables.
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

    /// The definition of the column: `bigint` or `smallint`, in SQLite `INTEGER`, and NOT NULL. MySQL's
    /// unsigned types would be other types in Rust than those of the other databases.
    ///
    /// # Errors
    ///
    /// [`Error::Identifier`] for a name that is not valid on the backend.
    pub fn definition(self, backend: Backend) -> Result<String, Error> {
        let [_, name] = self.quoted_names(backend)?;
        Ok(format!("{name} {} NOT NULL", P::SIZE.sql_type(backend)))
    }

    /// The constraint that the column has the number of the row's id, to be written after the columns
    /// of the table.
    ///
    /// MySQL before 8.0.16 parses a CHECK and ignores it: run the statements of
    /// [`triggers`](Self::triggers) there.
    ///
    /// # Errors
    ///
    /// [`Error::Identifier`] for a name that is not valid on the backend, and [`Error::Refused`] if
    /// the plan stores the key in MariaDB's own `UUID` type and the backend is MySQL.
    pub fn check(self, backend: Backend) -> Result<String, Error> {
        let [key, name] = self.quoted_names(backend)?;
        Ok(format!("CHECK ({})", Self::is_equal(backend, &key, &name)?))
    }

    /// The primary key of key column and column, in this order: with the id first, its index serves
    /// queries by the id alone as well.
    ///
    /// # Errors
    ///
    /// [`Error::Identifier`] for a name that is not valid on the backend.
    pub fn primary_key(self, backend: Backend) -> Result<String, Error> {
        let [key, name] = self.quoted_names(backend)?;
        Ok(format!("PRIMARY KEY ({key}, {name})"))
    }

    /// The statements that make MySQL before 8.0.16 refuse rows with another number than that of their
    /// id: two triggers, named after the table and the column. None for other databases, where the
    /// [`check`](Self::check) does it.
    ///
    /// Beside a CHECK that is enforced they are superfluous and do no harm. A server with a binary log
    /// lets only users with the privilege `SUPER` create them, unless
    /// `log_bin_trust_function_creators` is on. MySQL before 5.7.2 takes one trigger for each event, so a
    /// table has one such column there.
    ///
    /// # Errors
    ///
    /// As [`check`](Self::check).
    pub fn triggers<'t>(
        self,
        backend: Backend,
        table: impl Into<TableName<'t>>,
    ) -> Result<Vec<String>, Error> {
        if backend != Backend::MySql {
            return Ok(Vec::new());
        }
        let TableName { schema, table } = table.into();
        let on = TableName { schema, table }.quoted(backend)?;
        let [key, name] = self
            .quoted_names(backend)?
            .map(|column| format!("NEW.{column}"));
        let condition = Self::is_equal(backend, &key, &name)?;
        let trigger = |event: &str| {
            let name = format!("{table}_{}_{}", self.name, event.to_ascii_lowercase());
            let trigger = TableName {
                schema,
                table: &name,
            };
            let trigger = trigger.quoted(backend)?;
            Ok(format!(
                "CREATE TRIGGER {trigger} BEFORE {event} ON {on} FOR EACH ROW IF NOT ({condition}) \
                 THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'a row has another number than its \
                 id'; END IF"
            ))
        };
        ["INSERT", "UPDATE"].into_iter().map(trigger).collect()
    }

    /// The SQL expression of the number in the key's column, which is what the CHECK compares: to fill
    /// the column of a table that exists, as in `INSERT INTO … SELECT`.
    ///
    /// # Errors
    ///
    /// As [`check`](Self::check).
    pub fn expression(self, backend: Backend) -> Result<String, Error> {
        Self::number(backend, &self.key_name(backend)?)
    }

    /// The name of the key's column as written in SQL, with its table if there is one.
    ///
    /// # Errors
    ///
    /// [`Error::Identifier`] for a name that is not valid on the backend.
    pub fn key_name(self, backend: Backend) -> Result<String, Error> {
        self.qualified(self.key).quoted(backend)
    }

    /// The name of the column as written in SQL, with its table if there is one.
    ///
    /// # Errors
    ///
    /// [`Error::Identifier`] for a name that is not valid on the backend.
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

    /// The plain name of the column.
    pub(super) const fn plain_name(self) -> &'static str {
        self.name
    }

    fn qualified(self, column: &'static str) -> ColumnName<'static> {
        ColumnName::new(self.table, column)
    }

    /// The quoted names of the key's column and of this column.
    fn quoted_names(self, backend: Backend) -> Result<[String; 2], Error> {
        // No database tells columns apart by case alone when their names are not quoted.
        if self.key.eq_ignore_ascii_case(self.name) {
            return Err(Error::Refused(
                "the number in a key has a column of its own, with another name than the key's column",
            ));
        }
        Ok([
            quote_identifier(backend, self.key)?,
            quote_identifier(backend, self.name)?,
        ])
    }

    /// The condition that a column has the number of a stored id.
    fn is_equal(backend: Backend, key: &str, column: &str) -> Result<String, Error> {
        let number = Self::number(backend, key)?;
        let equals = match backend {
            // The number of text with other digits is NULL, with which `=` is not false.
            Backend::MySql | Backend::MariaDb => "<=>",
            _ => "=",
        };
        Ok(format!("{column} {equals} {number}"))
    }

    /// The number of a stored id.
    fn number(backend: Backend, key: &str) -> Result<String, Error> {
        // Rejects a type that MySQL does not have. So far, no format with such a number fits it.
        K::PLAN.column_type(backend)?;
        let column = K::PLAN.column(backend);
        column.number_expression(backend, P::FIELD, key)
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
