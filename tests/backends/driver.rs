//! What a scenario needs of a driver, so that it is written once for all of them.

use std::error::Error;

use anyhow::{Context, Result};
use rowkey::routing::{RoutedConditionPart, RoutingColumn, RoutingPart};
use rowkey::storage::{Column, Storage, quote_identifier};
use rowkey::time_range::Bounds;
use rowkey::{Backend, EntityKey};
use rowkey_testkit::Server;

use crate::query::{Parameters, Query};

/// The name of the column of a routing number.
pub(crate) const ROUTING_COLUMN: &str = "lives_in";

/// A driver, together with the kind of database that it talks to.
pub(crate) trait Driver: Parameters + 'static {
    /// Stands in the names of its tests.
    const NAME: &str;

    type Connection;
    type Row<'r>;
    type Error: Error + Send + Sync + 'static;

    async fn connect(url: &str, backend: Backend) -> Result<Self::Connection>;

    /// Runs a query as a prepared statement and reads each of its rows.
    async fn fetch<T>(
        connection: &mut Self::Connection,
        query: Query<Self>,
        read: impl FnMut(&Self::Row<'_>) -> Result<T, Self::Error>,
    ) -> Result<Vec<T>, Self::Error>;

    /// Runs a query without rows as a prepared statement.
    async fn run(connection: &mut Self::Connection, query: Query<Self>) -> Result<(), Self::Error>;

    /// Runs SQL text without parameters, without preparing it if the driver can, and reads each of
    /// its rows.
    async fn fetch_text<T>(
        connection: &mut Self::Connection,
        sql: &str,
        read: impl FnMut(&Self::Row<'_>) -> Result<T, Self::Error>,
    ) -> Result<Vec<T>, Self::Error>;

    /// Runs SQL text that gives no rows.
    async fn execute(connection: &mut Self::Connection, sql: &str) -> Result<(), Self::Error>;

    fn integer(value: i64) -> Self::Param;

    fn get_integer(row: &Self::Row<'_>, column: &str) -> Result<i64, Self::Error>;

    fn get_text(row: &Self::Row<'_>, column: &str) -> Result<Option<String>, Self::Error>;

    /// The constraint that an error reports as violated.
    fn violation(error: &Self::Error) -> Option<Violation>;

    /// Whether rowkey has found something in this column that isn't a key.
    fn is_refusal(error: &Self::Error, column: &str) -> bool;

    /// Whether there was NULL in this column instead of a key.
    fn is_unexpected_null(error: &Self::Error, column: &str) -> bool;

    /// Whether the driver can do this on a backend.
    fn can(ability: Ability, backend: Backend) -> bool {
        let _ = (ability, backend);
        true
    }

    /// Whether the driver writes keys of a column that rowkey has.
    fn stores(column: Column) -> bool {
        let _ = column;
        true
    }

    /// What to say of an assumption that does not hold for a server, which may be another than the
    /// backend's own.
    fn unmet(assumption: Assumption, server: &Server) -> Option<&'static str> {
        let _ = (assumption, server);
        None
    }
}

/// What some driver cannot do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ability {
    /// Reads the rows of an `EXPLAIN`.
    Explain,
    /// Reads the rows of an `INSERT … RETURNING`, in SQL Server `OUTPUT`.
    Return,
    /// Tells text from as many bytes.
    TellTextFromBytes,
}

/// What a scenario takes for granted of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Assumption {
    /// Columns of a storage are sorted as `Column::compare` says.
    OrderOf(Storage),
    /// Columns of a storage can refer to others.
    ForeignKeysOf(Storage),
    /// NULL without a type can be a parameter.
    UntypedNull,
    /// A closing bracket can be in a name.
    BracketsInNames,
    /// Numbers of 38 digits can be parameters.
    LongNumbers,
    /// Numbers can be in bulk inserts and tables.
    NumbersInRows,
    /// The server shows the plan that it has run, in XML.
    Plans,
    /// The server knows `MERGE`.
    Merge,
    /// The server has a function for UUIDs of version 7.
    UuidV7,
    /// The server has partition functions, and sorts guids as `Column::compare` says.
    Partitions,
}

/// A constraint that a statement has violated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Violation {
    Unique,
    ForeignKey,
}

/// A key type that a driver binds and reads.
pub(crate) trait KeyOf<D: Driver>: EntityKey {
    fn param(self) -> D::Param;

    fn param_of(key: Option<Self>) -> D::Param;

    fn get(row: &D::Row<'_>, column: &str) -> Result<Self, D::Error>;

    fn get_optional(row: &D::Row<'_>, column: &str) -> Result<Option<Self>, D::Error>;

    /// Appends the condition that a column holds one of some keys, or none of them.
    fn push_list(query: &mut Query<D>, column: &'static str, list: KeyList<Self>);

    /// Appends the condition that a row has the key and its routing number.
    fn push_routed<P>(self, query: &mut Query<D>, column: RoutingColumn<Self, P>)
    where
        P: RoutingPart,
        Self: EntityKey<Format = P::Format>,
    {
        use RoutedConditionPart::{Column, Key, KeyColumn, Number, Sql};

        column.write_condition(self, |part| {
            match part {
                Sql(sql) => query.push(sql),
                KeyColumn => query.push("id"),
                Key(key) => query.push_param(key.param()),
                Column => query.push(ROUTING_COLUMN),
                Number(number) => query.push_param(D::integer(number)),
            };
        });
    }
}

/// A list of keys for a condition.
pub(crate) enum KeyList<K> {
    In(Vec<K>),
    NotIn(Vec<K>),
}

impl<K> KeyList<K> {
    pub(crate) fn map<T>(self, of: impl FnMut(K) -> T) -> KeyList<T> {
        match self {
            Self::In(keys) => KeyList::In(keys.into_iter().map(of).collect()),
            Self::NotIn(keys) => KeyList::NotIn(keys.into_iter().map(of).collect()),
        }
    }
}

/// A key type whose bounds are in the order of its column.
pub(crate) trait BoundsOf<D: Driver>: KeyOf<D> {
    /// Appends the condition that a column holds a key within bounds.
    fn push_within(query: &mut Query<D>, column: &'static str, bounds: Bounds<Self>);
}

/// A connection to the database of one test.
pub(crate) struct Session<D: Driver> {
    backend: Backend,
    connection: D::Connection,
}

impl<D: Driver> Session<D> {
    pub(crate) async fn open(url: &str, backend: Backend) -> Result<Self> {
        let connection = D::connect(url, backend)
            .await
            .with_context(|| format!("could not connect to {url}"))?;
        Ok(Self {
            backend,
            connection,
        })
    }

    pub(crate) fn backend(&self) -> Backend {
        self.backend
    }

    /// The driver's own connection, for what only it can do.
    pub(crate) fn connection(&mut self) -> &mut D::Connection {
        &mut self.connection
    }

    /// A name as written in SQL.
    pub(crate) fn quoted(&self, name: &str) -> String {
        quote_identifier(self.backend, name).expect("the tests have plain names")
    }

    /// Runs a query as a prepared statement.
    pub(crate) async fn fetch<T>(
        &mut self,
        query: Query<D>,
        read: impl FnMut(&D::Row<'_>) -> Result<T, D::Error>,
    ) -> Result<Vec<T>, D::Error> {
        D::fetch(&mut self.connection, query, read).await
    }

    /// Runs a query without rows as a prepared statement.
    pub(crate) async fn run(&mut self, query: Query<D>) -> Result<(), D::Error> {
        D::run(&mut self.connection, query).await
    }

    /// Runs SQL text as it is, without parameters.
    pub(crate) async fn fetch_text<T>(
        &mut self,
        sql: impl AsRef<str>,
        read: impl FnMut(&D::Row<'_>) -> Result<T, D::Error>,
    ) -> Result<Vec<T>, D::Error> {
        D::fetch_text(&mut self.connection, sql.as_ref(), read).await
    }

    /// Runs SQL text that gives no rows.
    pub(crate) async fn execute(&mut self, sql: impl AsRef<str>) -> Result<()> {
        let sql = sql.as_ref();
        let outcome = D::execute(&mut self.connection, sql).await;
        outcome.with_context(|| sql.to_owned())
    }
}
