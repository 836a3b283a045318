//! The connections of Diesel and diesel-async, alone and in pools.

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use diesel::backend::Backend;
use diesel::query_builder::{BoxedSqlQuery, SqlQuery};
use diesel::result::Error as DieselError;
use diesel::serialize::ToSql;
use diesel::sql_types::{BigInt, HasSqlType, Text};
use diesel::{OptionalExtension, QueryResult, QueryableByName};
#[cfg(feature = "_diesel-blocking")]
use futures_util::FutureExt;
use futures_util::lock::{Mutex, OwnedMutexGuard};
use rowkey::driver::diesel::Key;

use crate::Error;
#[cfg(feature = "_diesel-blocking")]
use crate::blocking::BlockingStore;
use crate::failure::{Failure, FailureKind};
use crate::session::{Identifier, PublicForm, Session, Source, Store, Value, sealed};
use crate::statements::{self, Statements};

/// What a database needs besides the statements.
///
/// Diesel does not always notice that a closure or the database has ended a transaction. But then
/// the transaction's first savepoint is gone.
#[derive(Debug)]
#[doc(hidden)]
pub struct Dialect {
    statements: &'static Statements,
    begin: &'static str,
    /// Begins a transaction whose updates see the latest committed rows.
    begin_update: &'static str,
    /// Ends a transaction that a connection was left in.
    end_open_transaction: Option<&'static str>,
    /// The number after an update, where an update returns no rows.
    updated_number: Option<&'static str>,
    /// How long a connection waits for a lock, in milliseconds, and what makes it wait.
    lock_timeout: Option<[&'static str; 2]>,
}

const RELEASE_SAVEPOINT: &str = "RELEASE SAVEPOINT rowkey_stores";

#[cfg(any(feature = "diesel-postgres", feature = "diesel-async-postgres"))]
const POSTGRES: Dialect = Dialect {
    statements: &statements::POSTGRES_AND_SQLITE,
    begin: "BEGIN; SAVEPOINT rowkey_stores",
    // With a snapshot for the whole transaction, an update that has waited for another one fails.
    begin_update: "BEGIN ISOLATION LEVEL READ COMMITTED; SAVEPOINT rowkey_stores",
    end_open_transaction: None,
    updated_number: None,
    lock_timeout: None,
};

#[cfg(any(feature = "diesel-mysql", feature = "diesel-async-mysql"))]
const MYSQL: Dialect = Dialect {
    statements: &statements::MYSQL,
    begin: "BEGIN; SAVEPOINT rowkey_stores",
    // An update reads the latest committed rows at any isolation level.
    begin_update: "BEGIN; SAVEPOINT rowkey_stores",
    // Without autocommit, a transaction stays open from one look-up to the next, and shows its
    // first snapshot.
    end_open_transaction: Some("ROLLBACK"),
    updated_number: Some("SELECT CAST(LAST_INSERT_ID() AS SIGNED) AS next_key"),
    lock_timeout: None,
};

#[cfg(any(feature = "diesel-sqlite", feature = "diesel-async-sqlite"))]
const SQLITE: Dialect = Dialect {
    statements: &statements::POSTGRES_AND_SQLITE,
    // A transaction that reads first fails when it writes if another one has written meanwhile, and
    // SQLite does not wait then.
    begin: "BEGIN IMMEDIATE; SAVEPOINT rowkey_stores",
    begin_update: "BEGIN IMMEDIATE; SAVEPOINT rowkey_stores",
    end_open_transaction: None,
    updated_number: None,
    // Diesel's connections wait for no lock at first; sqlx's wait for five seconds.
    lock_timeout: Some([
        "SELECT timeout AS next_key FROM pragma_busy_timeout",
        "PRAGMA busy_timeout = 5000",
    ]),
};

fn failed(error: DieselError) -> Error {
    Error::Database(Box::new(error))
}

#[derive(Debug, QueryableByName)]
#[doc(hidden)]
pub struct IdentifierRow {
    #[diesel(sql_type = Key<PublicForm>)]
    entity_id: PublicForm,
    #[diesel(sql_type = Text)]
    command_name: String,
}

#[derive(Debug, QueryableByName)]
#[doc(hidden)]
pub struct NumberRow {
    #[diesel(sql_type = BigInt)]
    next_key: i64,
}

fn bound<'v, DB>(statement: &'static str, values: &[Value<'v>]) -> BoxedSqlQuery<'v, DB, SqlQuery>
where
    DB: Backend + HasSqlType<Key<PublicForm>> + HasSqlType<Text> + HasSqlType<BigInt>,
    PublicForm: ToSql<Key<PublicForm>, DB>,
    str: ToSql<Text, DB>,
    i64: ToSql<BigInt, DB>,
{
    let mut query = diesel::sql_query(statement).into_boxed();
    for value in values {
        query = match *value {
            Value::Id(id) => query.bind::<Key<PublicForm>, _>(id),
            Value::Name(name) => query.bind::<Text, _>(name),
            Value::Number(number) => query.bind::<BigInt, _>(number),
        };
    }
    query
}

/// A connection of Diesel or diesel-async. Diesel's futures never wait.
#[doc(hidden)]
pub trait DieselConnection: sealed::Sealed + Send + 'static {
    const DIALECT: &'static Dialect;

    fn batch(&mut self, sql: &'static str) -> impl Future<Output = QueryResult<()>> + Send;

    fn execute(
        &mut self,
        statement: &'static str,
        values: &[Value<'_>],
    ) -> impl Future<Output = QueryResult<usize>> + Send;

    fn identifier(
        &mut self,
        statement: &'static str,
        values: &[Value<'_>],
    ) -> impl Future<Output = QueryResult<Option<IdentifierRow>>> + Send;

    fn number(
        &mut self,
        statement: &'static str,
        values: &[Value<'_>],
    ) -> impl Future<Output = QueryResult<Option<NumberRow>>> + Send;

    fn begin(&mut self, sql: &'static str) -> impl Future<Output = QueryResult<()>> + Send;

    fn commit(&mut self) -> impl Future<Output = QueryResult<()>> + Send;

    fn roll_back(&mut self) -> impl Future<Output = QueryResult<()>> + Send;

    /// Rolls back where that is possible without waiting.
    fn roll_back_now(&mut self);
}

/// The traits of Diesel, by the names that the traits of diesel-async have here.
#[cfg(feature = "_diesel-blocking")]
mod waiting {
    pub(super) use diesel::RunQueryDsl;
    pub(super) use diesel::connection::{Connection, SimpleConnection, TransactionManager};
}

#[cfg(feature = "_diesel-async")]
mod asynchronous {
    pub(super) use diesel_async::{
        AsyncConnection as Connection, RunQueryDsl, SimpleAsyncConnection as SimpleConnection,
        TransactionManager,
    };
}

/// The impls of a connection, with the traits of `$driver`. `$begin` begins a transaction by a
/// statement; `await` is there for diesel-async.
macro_rules! impl_connection {
    (
        $feature:literal, $Connection:ty, $dialect:expr, $driver:ident $(. $await:ident)?,
        begin: $begin:expr,
        roll_back_now: $roll_back_now:expr $(,)?
    ) => {
        #[cfg(feature = $feature)]
        impl DieselConnection for $Connection {
            const DIALECT: &'static Dialect = &$dialect;

            async fn batch(&mut self, sql: &'static str) -> QueryResult<()> {
                $driver::SimpleConnection::batch_execute(self, sql) $(. $await)?
            }

            async fn execute(
                &mut self,
                statement: &'static str,
                values: &[Value<'_>],
            ) -> QueryResult<usize> {
                $driver::RunQueryDsl::execute(bound(statement, values), self) $(. $await)?
            }

            async fn identifier(
                &mut self,
                statement: &'static str,
                values: &[Value<'_>],
            ) -> QueryResult<Option<IdentifierRow>> {
                let query = bound(statement, values);
                $driver::RunQueryDsl::get_result(query, self) $(. $await)? .optional()
            }

            async fn number(
                &mut self,
                statement: &'static str,
                values: &[Value<'_>],
            ) -> QueryResult<Option<NumberRow>> {
                let query = bound(statement, values);
                $driver::RunQueryDsl::get_result(query, self) $(. $await)? .optional()
            }

            async fn begin(&mut self, sql: &'static str) -> QueryResult<()> {
                $begin(self, sql) $(. $await)?
            }

            async fn commit(&mut self) -> QueryResult<()> {
                use $driver::{Connection, TransactionManager};
                <Self as Connection>::TransactionManager::commit_transaction(self) $(. $await)?
            }

            async fn roll_back(&mut self) -> QueryResult<()> {
                use $driver::{Connection, TransactionManager};
                <Self as Connection>::TransactionManager::rollback_transaction(self) $(. $await)?
            }

            fn roll_back_now(&mut self) {
                $roll_back_now(self)
            }
        }

        #[cfg(feature = $feature)]
        impl sealed::Sealed for $Connection {}

        #[cfg(feature = $feature)]
        impl sealed::Sealed for &mut $Connection {}

        #[cfg(feature = $feature)]
        impl<'c> Store for &'c mut $Connection {
            type Session = $Connection;
            type Connection = LentConnection<'c, $Connection>;
            type Transaction = DieselTransaction<Self::Connection>;
            type Source = Connections<LentOnce<'c, $Connection>>;

            fn into_source(self) -> Self::Source {
                Connections(LentOnce(Arc::new(Mutex::new(self))))
            }
        }
    };
}

/// Runs a future of Diesel, which never waits.
#[cfg(feature = "_diesel-blocking")]
fn roll_back_now<C: DieselConnection>(connection: &mut C) {
    let _ = connection.roll_back().now_or_never();
}

/// Nothing can be awaited while a transaction is dropped. Diesel still counts the transaction then,
/// and the connection begins no other one.
#[cfg(feature = "_diesel-async")]
fn leave_open<C>(_: &mut C) {}

impl_connection! {
    "diesel-postgres", diesel::PgConnection, POSTGRES, waiting,
    begin: diesel::connection::AnsiTransactionManager::begin_transaction_sql,
    roll_back_now: roll_back_now,
}
impl_connection! {
    "diesel-mysql", diesel::MysqlConnection, MYSQL, waiting,
    begin: diesel::connection::AnsiTransactionManager::begin_transaction_sql,
    roll_back_now: roll_back_now,
}
impl_connection! {
    "diesel-sqlite", diesel::SqliteConnection, SQLITE, waiting,
    begin: diesel::connection::AnsiTransactionManager::begin_transaction_sql,
    roll_back_now: roll_back_now,
}
impl_connection! {
    "diesel-async-postgres", diesel_async::AsyncPgConnection, POSTGRES, asynchronous.await,
    begin: diesel_async::AnsiTransactionManager::begin_transaction_sql,
    roll_back_now: leave_open,
}
impl_connection! {
    "diesel-async-mysql", diesel_async::AsyncMysqlConnection, MYSQL, asynchronous.await,
    begin: diesel_async::AnsiTransactionManager::begin_transaction_sql,
    roll_back_now: leave_open,
}
impl_connection! {
    "diesel-async-sqlite", AsyncSqliteConnection, SQLITE, asynchronous.await,
    begin: |connection: &mut AsyncSqliteConnection, sql| {
        connection.spawn_blocking(move |inner| {
            diesel::connection::AnsiTransactionManager::begin_transaction_sql(inner, sql)
        })
    },
    roll_back_now: leave_open,
}

#[cfg(feature = "diesel-postgres")]
impl BlockingStore for &mut diesel::PgConnection {}
#[cfg(feature = "diesel-mysql")]
impl BlockingStore for &mut diesel::MysqlConnection {}
#[cfg(feature = "diesel-sqlite")]
impl BlockingStore for &mut diesel::SqliteConnection {}

#[cfg(feature = "diesel-async-sqlite")]
type AsyncSqliteConnection =
    diesel_async::sync_connection_wrapper::SyncConnectionWrapper<diesel::SqliteConnection>;

impl<C: DieselConnection> Session for C {
    fn statements(&self) -> &'static Statements {
        C::DIALECT.statements
    }

    async fn run_statement(
        &mut self,
        statement: &'static str,
        values: &[Value<'_>],
    ) -> Result<u64, Error> {
        let changed = self.execute(statement, values).await.map_err(failed)?;
        Ok(u64::try_from(changed).unwrap_or(u64::MAX))
    }

    async fn query_identifier(
        &mut self,
        statement: &'static str,
        values: &[Value<'_>],
    ) -> Result<Option<Identifier>, Error> {
        let row = self.identifier(statement, values).await.map_err(failed)?;
        Ok(row.map(|row| Identifier {
            entity: row.entity_id,
            command_name: row.command_name,
        }))
    }

    async fn run_update(
        &mut self,
        statement: &'static str,
        values: &[Value<'_>],
    ) -> Result<Option<i64>, Error> {
        let row = match C::DIALECT.updated_number {
            None => self.number(statement, values).await,
            Some(number) => match self.execute(statement, values).await {
                Ok(0) => Ok(None),
                Ok(_) => self.number(number, &[]).await,
                Err(error) => Err(error),
            },
        };
        Ok(row.map_err(failed)?.map(|row| row.next_key))
    }
}

/// A connection during a call.
#[doc(hidden)]
pub trait CallConnection: DerefMut<Target: DieselConnection> + Send + Sized {
    /// Ends the transaction of a call that was dropped.
    fn abandon(mut self) {
        self.roll_back_now();
    }
}

impl<C: DieselConnection> CallConnection for LentConnection<'_, C> {}

/// Where the connections of a call come from.
#[doc(hidden)]
pub trait ConnectionSource: Clone + Send {
    type Target: DieselConnection;
    type Connection: CallConnection<Target = Self::Target>;

    /// Whether another connection is there when one is lost.
    const RECONNECTS: bool;

    fn connection(&self) -> impl Future<Output = Result<Self::Connection, Error>> + Send;
}

/// One connection, which the parts of a call use one after the other.
#[doc(hidden)]
pub struct LentOnce<'c, C>(Arc<Mutex<&'c mut C>>);

impl<C> Clone for LentOnce<'_, C> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<'c, C: DieselConnection> ConnectionSource for LentOnce<'c, C> {
    type Target = C;
    type Connection = LentConnection<'c, C>;

    const RECONNECTS: bool = false;

    async fn connection(&self) -> Result<Self::Connection, Error> {
        // Locked if a closure has kept the connection.
        let connection = self.0.try_lock_owned();
        connection
            .map(LentConnection)
            .ok_or(Error::TransactionEnded)
    }
}

/// A connection that is lent for one part of a call.
pub struct LentConnection<'c, C>(OwnedMutexGuard<&'c mut C>);

impl<C> Deref for LentConnection<'_, C> {
    type Target = C;

    fn deref(&self) -> &C {
        &self.0
    }
}

impl<C> DerefMut for LentConnection<'_, C> {
    fn deref_mut(&mut self) -> &mut C {
        &mut self.0
    }
}

impl<C> fmt::Debug for LentConnection<'_, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LentConnection").finish_non_exhaustive()
    }
}

macro_rules! impl_pool {
    ([$($generics:tt)*] $Connection:ty, $Pool:ty) => {
        impl_pool! { [$($generics)*] $Connection, $Pool, for $Pool }
        impl_pool! { [$($generics)*] $Connection, $Pool, for &$Pool }
    };
    ([$($generics:tt)*] $Connection:ty, $Pool:ty, for $Store:ty) => {
        impl<$($generics)*> sealed::Sealed for $Store {}

        impl<$($generics)*> Store for $Store {
            type Session = $Connection;
            type Connection = <$Pool as ConnectionSource>::Connection;
            type Transaction = DieselTransaction<Self::Connection>;
            type Source = Connections<$Pool>;

            fn into_source(self) -> Self::Source {
                Connections(self.clone())
            }
        }
    };
}

#[cfg(feature = "_diesel-blocking")]
mod r2d2 {
    use diesel::r2d2::{ConnectionManager, Pool, PooledConnection, R2D2Connection};

    use super::{
        BlockingStore, CallConnection, ConnectionSource, Connections, DieselConnection,
        DieselTransaction, Error, Store, sealed,
    };

    impl<C: DieselConnection + R2D2Connection> ConnectionSource for Pool<ConnectionManager<C>> {
        type Target = C;
        type Connection = PooledConnection<ConnectionManager<C>>;

        const RECONNECTS: bool = true;

        async fn connection(&self) -> Result<Self::Connection, Error> {
            self.get().map_err(|error| Error::Database(Box::new(error)))
        }
    }

    impl<C: DieselConnection + R2D2Connection> CallConnection
        for PooledConnection<ConnectionManager<C>>
    {
    }

    impl_pool! { [C: DieselConnection + R2D2Connection] C, Pool<ConnectionManager<C>> }

    impl<C: DieselConnection + R2D2Connection> BlockingStore for Pool<ConnectionManager<C>> {}
    impl<C: DieselConnection + R2D2Connection> BlockingStore for &Pool<ConnectionManager<C>> {}
}

#[cfg(feature = "_diesel-async")]
mod deadpool {
    use deadpool::managed::Manager;
    use diesel_async::pooled_connection::deadpool::{Object, Pool};
    use diesel_async::pooled_connection::{AsyncDieselConnectionManager, PoolError};

    use super::{
        CallConnection, ConnectionSource, Connections, DieselConnection, DieselTransaction, Error,
        Store, sealed,
    };

    impl<C: DieselConnection> ConnectionSource for Pool<C>
    where
        AsyncDieselConnectionManager<C>: Manager<Type = C, Error = PoolError>,
    {
        type Target = C;
        type Connection = Object<C>;

        const RECONNECTS: bool = true;

        async fn connection(&self) -> Result<Self::Connection, Error> {
            let connection = self.get().await;
            connection.map_err(|error| Error::Database(Box::new(error)))
        }
    }

    impl<C: DieselConnection> CallConnection for Object<C>
    where
        AsyncDieselConnectionManager<C>: Manager<Type = C, Error = PoolError>,
    {
        /// Closes the connection now. In the pool it would be closed when it is needed again, and
        /// keep its locks until then.
        fn abandon(self) {
            drop(Object::take(self));
        }
    }

    #[cfg(feature = "diesel-async-postgres")]
    impl_pool! { [] diesel_async::AsyncPgConnection, Pool<diesel_async::AsyncPgConnection> }
    #[cfg(feature = "diesel-async-mysql")]
    impl_pool! { [] diesel_async::AsyncMysqlConnection, Pool<diesel_async::AsyncMysqlConnection> }
    #[cfg(feature = "diesel-async-sqlite")]
    impl_pool! { [] super::AsyncSqliteConnection, Pool<super::AsyncSqliteConnection> }
}

/// A transaction on a connection of Diesel. If a call is dropped, its transaction is rolled back,
/// or a pool of diesel-async has one connection less until it opens another one.
pub struct DieselTransaction<P: CallConnection> {
    /// `None` only in `drop`.
    connection: Option<P>,
    is_open: bool,
}

impl<P: CallConnection> Deref for DieselTransaction<P> {
    type Target = P::Target;

    fn deref(&self) -> &P::Target {
        self.connection.as_ref().expect("it is not dropped yet")
    }
}

impl<P: CallConnection> DerefMut for DieselTransaction<P> {
    fn deref_mut(&mut self) -> &mut P::Target {
        self.connection.as_mut().expect("it is not dropped yet")
    }
}

impl<P: CallConnection> Drop for DieselTransaction<P> {
    fn drop(&mut self) {
        if let Some(connection) = self.connection.take().filter(|_| self.is_open) {
            connection.abandon();
        }
    }
}

impl<P: CallConnection> fmt::Debug for DieselTransaction<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DieselTransaction").finish_non_exhaustive()
    }
}

#[derive(Debug)]
#[doc(hidden)]
pub struct Connections<P>(P);

impl<P: ConnectionSource> Connections<P> {
    async fn connection(&mut self) -> Result<P::Connection, Error> {
        let mut connection = self.0.connection().await?;
        if let Some([read, set]) = P::Target::DIALECT.lock_timeout {
            let timeout = connection.number(read, &[]).await.map_err(failed)?;
            if timeout.is_none_or(|row| row.next_key == 0) {
                connection.batch(set).await.map_err(failed)?;
            }
        }
        Ok(connection)
    }

    async fn begin_by(
        &mut self,
        statement: &'static str,
    ) -> Result<DieselTransaction<P::Connection>, Error> {
        // Made before `BEGIN`, because the call may be dropped meanwhile.
        let mut transaction = DieselTransaction {
            connection: Some(self.connection().await?),
            is_open: true,
        };
        let Err(error) = DieselConnection::begin(&mut *transaction, statement).await else {
            return Ok(transaction);
        };
        transaction.is_open = false;
        Err(match error {
            DieselError::AlreadyInTransaction => Error::OpenTransaction,
            error => failed(error),
        })
    }
}

impl<P: ConnectionSource> Source for Connections<P> {
    type Session = P::Target;
    type Connection = P::Connection;
    type Transaction = DieselTransaction<P::Connection>;

    const RECONNECTS: bool = P::RECONNECTS;

    async fn connect(&mut self) -> Result<Self::Connection, Error> {
        self.connection().await
    }

    async fn connect_afresh(&mut self) -> Result<Self::Connection, Error> {
        let mut connection = self.connection().await?;
        if let Some(statement) = P::Target::DIALECT.end_open_transaction {
            connection.batch(statement).await.map_err(failed)?;
        }
        Ok(connection)
    }

    fn release(&mut self, connection: Self::Connection, _: Option<FailureKind>) {
        drop(connection);
    }

    async fn begin(&mut self) -> Result<Self::Transaction, Error> {
        self.begin_by(P::Target::DIALECT.begin).await
    }

    async fn begin_update(&mut self) -> Result<Self::Transaction, Error> {
        self.begin_by(P::Target::DIALECT.begin_update).await
    }

    async fn commit(&mut self, mut transaction: Self::Transaction) -> Result<(), Error> {
        if let Err(error) = transaction.batch(RELEASE_SAVEPOINT).await {
            let error = failed(error);
            let kind = error.kind();
            self.roll_back(transaction, kind).await;
            return Err(match kind {
                FailureKind::Permanent | FailureKind::TransactionAborted => Error::TransactionEnded,
                _ => error,
            });
        }
        // After a failure, Diesel has rolled back, or considers the connection broken.
        transaction.is_open = false;
        DieselConnection::commit(&mut *transaction)
            .await
            .map_err(failed)
    }

    async fn roll_back(&mut self, mut transaction: Self::Transaction, reason: FailureKind) {
        // A pool closes a connection that is in a transaction.
        if reason != FailureKind::ReadOnly || !P::RECONNECTS {
            let _ = DieselConnection::roll_back(&mut *transaction).await;
        }
        transaction.is_open = false;
    }
}
