//! SeaORM's connections.
//!
//! Calls do not use SeaORM's own transactions: a pool can lose track of one that is dropped while
//! it begins, and its connection cannot be closed. Calls use connections of SeaORM's sqlx pool.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use async_trait::async_trait;
use futures_util::lock::Mutex;
use sea_orm::{
    AccessMode, ConnectionTrait, DatabaseConnection, DatabaseConnectionType, DatabaseTransaction,
    DbBackend, DbErr, ExecResult, IsolationLevel, QueryResult, RuntimeErr, Statement,
    TransactionError, TransactionOptions, TransactionSession, TransactionTrait,
};
use sea_query_sqlx::SqlxValues;
use sqlx::{AssertSqlSafe, Database, Executor, Pool};
use sqlx_core::transaction::TransactionManager;

use crate::Error;
use crate::failure::FailureKind;
use crate::pooled_connection::PooledConnection;
use crate::session::{Identifier, Session, Source, Store, Value, sealed};
use crate::statements::{self, Statements};

fn failed(error: DbErr) -> Error {
    Error::Database(Box::new(error))
}

fn of_execution(error: sqlx::Error) -> DbErr {
    DbErr::Exec(RuntimeErr::SqlxError(error.into()))
}

fn of_query(error: sqlx::Error) -> DbErr {
    DbErr::Query(RuntimeErr::SqlxError(error.into()))
}

enum Connection {
    #[cfg(feature = "sea-orm-postgres")]
    Postgres(PooledConnection<sqlx::Postgres>),
    #[cfg(feature = "sea-orm-mysql")]
    MySql(PooledConnection<sqlx::MySql>),
    #[cfg(feature = "sea-orm-sqlite")]
    Sqlite(PooledConnection<sqlx::Sqlite>),
}

/// The pool below SeaORM's connection.
#[derive(Clone)]
#[doc(hidden)]
pub enum ConnectionPool {
    #[cfg(feature = "sea-orm-postgres")]
    Postgres(Pool<sqlx::Postgres>),
    #[cfg(feature = "sea-orm-mysql")]
    MySql(Pool<sqlx::MySql>),
    #[cfg(feature = "sea-orm-sqlite")]
    Sqlite(Pool<sqlx::Sqlite>),
    /// SeaORM's connection is not sqlx's, or the feature of its driver is off in this crate.
    None,
}

/// Evaluates an expression for the connection of each database.
macro_rules! on_connection {
    ($connection:expr, |$inner:ident| $body:expr) => {
        match $connection {
            #[cfg(feature = "sea-orm-postgres")]
            Connection::Postgres($inner) => $body,
            #[cfg(feature = "sea-orm-mysql")]
            Connection::MySql($inner) => $body,
            #[cfg(feature = "sea-orm-sqlite")]
            Connection::Sqlite($inner) => $body,
        }
    };
}

/// Evaluates an expression for the pool of each database, and makes one type of the results.
macro_rules! on_pool {
    ($pool:expr, |$inner:ident| $body:expr) => {
        match $pool {
            #[cfg(feature = "sea-orm-postgres")]
            ConnectionPool::Postgres($inner) => Ok(Box::new(SeaOrmConnection::new(
                Connection::Postgres($body),
                DbBackend::Postgres,
            ))),
            #[cfg(feature = "sea-orm-mysql")]
            ConnectionPool::MySql($inner) => Ok(Box::new(SeaOrmConnection::new(
                Connection::MySql($body),
                DbBackend::MySql,
            ))),
            #[cfg(feature = "sea-orm-sqlite")]
            ConnectionPool::Sqlite($inner) => Ok(Box::new(SeaOrmConnection::new(
                Connection::Sqlite($body),
                DbBackend::Sqlite,
            ))),
            ConnectionPool::None => Err(failed(DbErr::Custom(
                "SeaORM's connection has no pool of sqlx, or rowkey-stores lacks the feature of its \
                 database".to_owned(),
            ))),
        }
    };
}

/// Evaluates an expression for a connection and its pool.
macro_rules! on_both {
    ($pool:expr, $connection:expr, |$inner:ident, $connected:ident| $body:expr, else $else:expr) => {
        match ($pool, $connection) {
            #[cfg(feature = "sea-orm-postgres")]
            (ConnectionPool::Postgres($inner), Ok(Connection::Postgres($connected))) => $body,
            #[cfg(feature = "sea-orm-mysql")]
            (ConnectionPool::MySql($inner), Ok(Connection::MySql($connected))) => $body,
            #[cfg(feature = "sea-orm-sqlite")]
            (ConnectionPool::Sqlite($inner), Ok(Connection::Sqlite($connected))) => $body,
            _ => $else,
        }
    };
}

/// A connection that the functions of this crate lend to closures of SeaORM, usually in a
/// transaction.
///
/// `&*borrowed` is used where a `&DatabaseTransaction` would be: it is a `ConnectionTrait`, and its
/// `begin` nests a transaction by a savepoint. It is not a `StreamTrait`: read many rows in pages.
pub struct SeaOrmConnection {
    connection: Arc<Mutex<Connection>>,
    backend: DbBackend,
    nested: Nested,
}

/// A nested transaction that has not ended. Dropping this rolls it back.
struct Nested(Option<Arc<Mutex<Connection>>>);

impl Drop for Nested {
    fn drop(&mut self) {
        let connection = self.0.as_ref().and_then(|connection| connection.try_lock());
        if let Some(mut connection) = connection {
            on_connection!(&mut *connection, |inner| start_rollback(inner));
        }
    }
}

fn start_rollback<DB: Database>(connection: &mut PooledConnection<DB>) {
    DB::TransactionManager::start_rollback(connection);
}

async fn begin<DB: Database>(connection: &mut PooledConnection<DB>) -> sqlx::Result<()> {
    DB::TransactionManager::begin(connection, None).await
}

async fn commit<DB: Database>(connection: &mut PooledConnection<DB>) -> sqlx::Result<()> {
    DB::TransactionManager::commit(connection).await
}

async fn roll_back<DB: Database>(connection: &mut PooledConnection<DB>) -> sqlx::Result<()> {
    DB::TransactionManager::rollback(connection).await
}

impl SeaOrmConnection {
    fn new(connection: Connection, backend: DbBackend) -> Self {
        Self {
            connection: Arc::new(Mutex::new(connection)),
            backend,
            nested: Nested(None),
        }
    }

    /// A connection of the pool, outside any transaction.
    ///
    /// # Errors
    ///
    /// [`Error::Database`] if there is none, or `database` is not connected by sqlx.
    pub async fn acquire(database: &DatabaseConnection) -> Result<Self, Error> {
        Ok(*database.into_source().connect().await?)
    }

    fn into_inner(self) -> Result<Connection, Error> {
        let connection = Arc::into_inner(self.connection).map(Mutex::into_inner);
        // `None` if a closure has kept a nested transaction.
        connection.ok_or(Error::TransactionEnded)
    }
}

#[async_trait]
impl ConnectionTrait for SeaOrmConnection {
    fn get_database_backend(&self) -> DbBackend {
        self.backend
    }

    async fn execute_raw(&self, statement: Statement) -> Result<ExecResult, DbErr> {
        let (sql, values) = parts(statement);
        let result = on_connection!(&mut *self.connection.lock().await, |inner| {
            let query = sqlx::query_with(sql, values);
            query.execute(&mut **inner).await.map(ExecResult::from)
        });
        result.map_err(of_execution)
    }

    async fn execute_unprepared(&self, sql: &str) -> Result<ExecResult, DbErr> {
        let sql = AssertSqlSafe(sql.to_owned());
        let result = on_connection!(&mut *self.connection.lock().await, |inner| {
            inner.execute(sql).await.map(ExecResult::from)
        });
        result.map_err(of_execution)
    }

    async fn query_one_raw(&self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
        let (sql, values) = parts(statement);
        let row = on_connection!(&mut *self.connection.lock().await, |inner| {
            let query = sqlx::query_with(sql, values);
            let row = query.fetch_optional(&mut **inner).await;
            row.map(|row| row.map(QueryResult::from))
        });
        row.map_err(of_query)
    }

    async fn query_all_raw(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        let (sql, values) = parts(statement);
        let rows = on_connection!(&mut *self.connection.lock().await, |inner| {
            let query = sqlx::query_with(sql, values);
            let rows = query.fetch_all(&mut **inner).await;
            rows.map(|rows| rows.into_iter().map(QueryResult::from).collect())
        });
        rows.map_err(of_query)
    }
}

fn parts(statement: Statement) -> (AssertSqlSafe<String>, SqlxValues) {
    let values = statement
        .values
        .unwrap_or_else(|| sea_orm::Values(Vec::new()));
    (AssertSqlSafe(statement.sql), SqlxValues(values))
}

#[async_trait]
impl TransactionTrait for SeaOrmConnection {
    type Transaction = Self;

    async fn begin(&self) -> Result<Self, DbErr> {
        // Rolled back if the call is dropped meanwhile.
        let nested = Nested(Some(Arc::clone(&self.connection)));
        let begun = on_connection!(&mut *self.connection.lock().await, |inner| begin(inner)
            .await);
        begun.map_err(of_query)?;
        Ok(Self {
            connection: Arc::clone(&self.connection),
            backend: self.backend,
            nested,
        })
    }

    async fn begin_with_config(
        &self,
        isolation_level: Option<IsolationLevel>,
        access_mode: Option<AccessMode>,
    ) -> Result<Self, DbErr> {
        if isolation_level.is_some() || access_mode.is_some() {
            let message =
                "a nested transaction has the isolation level and access mode of the outer one";
            return Err(DbErr::Custom(message.to_owned()));
        }
        self.begin().await
    }

    async fn begin_with_options(&self, options: TransactionOptions) -> Result<Self, DbErr> {
        self.begin_with_config(options.isolation_level, options.access_mode)
            .await
    }

    async fn transaction<F, T, E>(&self, callback: F) -> Result<T, TransactionError<E>>
    where
        F: for<'c> FnOnce(&'c Self) -> Pin<Box<dyn Future<Output = Result<T, E>> + Send + 'c>>
            + Send,
        T: Send,
        E: fmt::Display + fmt::Debug + Send,
    {
        self.transaction_with_config(callback, None, None).await
    }

    async fn transaction_with_config<F, T, E>(
        &self,
        callback: F,
        isolation_level: Option<IsolationLevel>,
        access_mode: Option<AccessMode>,
    ) -> Result<T, TransactionError<E>>
    where
        F: for<'c> FnOnce(&'c Self) -> Pin<Box<dyn Future<Output = Result<T, E>> + Send + 'c>>
            + Send,
        T: Send,
        E: fmt::Display + fmt::Debug + Send,
    {
        let begun = self.begin_with_config(isolation_level, access_mode).await;
        let nested = begun.map_err(TransactionError::Connection)?;
        let outcome = callback(&nested).await;
        let ended = match outcome {
            Ok(_) => nested.commit().await,
            Err(_) => nested.rollback().await,
        };
        ended.map_err(TransactionError::Connection)?;
        outcome.map_err(TransactionError::Transaction)
    }
}

/// Ends a nested transaction. A closure cannot end the transaction that it is called in.
#[async_trait]
impl TransactionSession for SeaOrmConnection {
    async fn commit(mut self) -> Result<(), DbErr> {
        let ended = on_connection!(&mut *self.connection.lock().await, |inner| commit(inner)
            .await);
        ended.map_err(of_query)?;
        self.nested.0 = None;
        Ok(())
    }

    async fn rollback(mut self) -> Result<(), DbErr> {
        let ended = on_connection!(&mut *self.connection.lock().await, |inner| roll_back(inner)
            .await);
        ended.map_err(of_query)?;
        self.nested.0 = None;
        Ok(())
    }
}

impl fmt::Debug for SeaOrmConnection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SeaOrmConnection").finish_non_exhaustive()
    }
}

impl sealed::Sealed for SeaOrmConnection {}

impl Session for SeaOrmConnection {
    fn statements(&self) -> &'static Statements {
        statements_of(self.backend)
    }

    async fn run_statement(
        &mut self,
        statement: &'static str,
        values: &[Value<'_>],
    ) -> Result<u64, Error> {
        on_connection!(&mut *self.connection.lock().await, |inner| {
            inner.run_statement(statement, values).await
        })
    }

    async fn query_identifier(
        &mut self,
        statement: &'static str,
        values: &[Value<'_>],
    ) -> Result<Option<Identifier>, Error> {
        on_connection!(&mut *self.connection.lock().await, |inner| {
            inner.query_identifier(statement, values).await
        })
    }

    async fn run_update(
        &mut self,
        statement: &'static str,
        values: &[Value<'_>],
    ) -> Result<Option<i64>, Error> {
        on_connection!(&mut *self.connection.lock().await, |inner| {
            inner.run_update(statement, values).await
        })
    }
}

fn statements_of(backend: DbBackend) -> &'static Statements {
    match backend {
        #[cfg(feature = "sea-orm-mysql")]
        DbBackend::MySql => &statements::MYSQL,
        _ => &statements::POSTGRES_AND_SQLITE,
    }
}

impl Source for ConnectionPool {
    type Session = SeaOrmConnection;
    type Connection = Box<SeaOrmConnection>;
    type Transaction = Box<SeaOrmConnection>;

    const RECONNECTS: bool = true;

    async fn connect(&mut self) -> Result<Box<SeaOrmConnection>, Error> {
        on_pool!(self, |pool| pool.connect().await?)
    }

    async fn connect_afresh(&mut self) -> Result<Box<SeaOrmConnection>, Error> {
        on_pool!(self, |pool| pool.connect_afresh().await?)
    }

    fn release(&mut self, connection: Box<SeaOrmConnection>, failure: Option<FailureKind>) {
        on_both!(self, connection.into_inner(), |pool, connection| {
            pool.release(connection, failure)
        }, else ())
    }

    async fn begin(&mut self) -> Result<Box<SeaOrmConnection>, Error> {
        on_pool!(self, |pool| Source::begin(pool).await?)
    }

    async fn begin_update(&mut self) -> Result<Box<SeaOrmConnection>, Error> {
        on_pool!(self, |pool| pool.begin_update().await?)
    }

    async fn check_open(&mut self, transaction: &mut Box<SeaOrmConnection>) -> Result<(), Error> {
        let mut connection = transaction.connection.lock().await;
        on_both!(self, Ok::<_, Error>(&mut *connection), |pool, connection| {
            pool.check_open(connection).await
        }, else Err(Error::TransactionEnded))
    }

    async fn commit(&mut self, transaction: Box<SeaOrmConnection>) -> Result<(), Error> {
        on_both!(self, transaction.into_inner(), |pool, connection| {
            pool.commit(connection).await
        }, else Err(Error::TransactionEnded))
    }

    async fn roll_back(&mut self, transaction: Box<SeaOrmConnection>, reason: FailureKind) {
        on_both!(self, transaction.into_inner(), |pool, connection| {
            pool.roll_back(connection, reason).await
        }, else ())
    }
}

macro_rules! impl_store {
    ($Store:ty) => {
        impl sealed::Sealed for $Store {}

        impl Store for $Store {
            type Session = SeaOrmConnection;
            type Connection = Box<SeaOrmConnection>;
            type Transaction = Box<SeaOrmConnection>;
            type Source = ConnectionPool;

            fn into_source(self) -> ConnectionPool {
                match &self.inner {
                    #[cfg(feature = "sea-orm-postgres")]
                    DatabaseConnectionType::SqlxPostgresPoolConnection(_) => {
                        ConnectionPool::Postgres(self.get_postgres_connection_pool().clone())
                    }
                    #[cfg(feature = "sea-orm-mysql")]
                    DatabaseConnectionType::SqlxMySqlPoolConnection(_) => {
                        ConnectionPool::MySql(self.get_mysql_connection_pool().clone())
                    }
                    #[cfg(feature = "sea-orm-sqlite")]
                    DatabaseConnectionType::SqlxSqlitePoolConnection(_) => {
                        ConnectionPool::Sqlite(self.get_sqlite_connection_pool().clone())
                    }
                    _ => ConnectionPool::None,
                }
            }
        }
    };
}

impl_store! { DatabaseConnection }
impl_store! { &DatabaseConnection }

impl sealed::Sealed for DatabaseTransaction {}

/// For [`forget`](crate::forget), which runs in the caller's transaction.
impl Session for DatabaseTransaction {
    fn statements(&self) -> &'static Statements {
        statements_of(self.get_database_backend())
    }

    async fn run_statement(
        &mut self,
        statement: &'static str,
        values: &[Value<'_>],
    ) -> Result<u64, Error> {
        let statement = of_sea_orm(self.get_database_backend(), statement, values);
        let result = self.execute_raw(statement).await.map_err(failed)?;
        Ok(result.rows_affected())
    }

    async fn query_identifier(
        &mut self,
        statement: &'static str,
        values: &[Value<'_>],
    ) -> Result<Option<Identifier>, Error> {
        let statement = of_sea_orm(self.get_database_backend(), statement, values);
        let Some(row) = self.query_one_raw(statement).await.map_err(failed)? else {
            return Ok(None);
        };
        Ok(Some(Identifier {
            entity: row.try_get_by_index(0).map_err(failed)?,
            command_name: row.try_get_by_index(1).map_err(failed)?,
        }))
    }

    async fn run_update(
        &mut self,
        statement: &'static str,
        values: &[Value<'_>],
    ) -> Result<Option<i64>, Error> {
        let statement = of_sea_orm(self.get_database_backend(), statement, values);
        if self.get_database_backend() == DbBackend::MySql {
            let result = self.execute_raw(statement).await.map_err(failed)?;
            let found = result.rows_affected() > 0;
            return Ok(found.then(|| result.last_insert_id().cast_signed()));
        }
        let row = self.query_one_raw(statement).await.map_err(failed)?;
        row.map(|row| row.try_get_by_index(0))
            .transpose()
            .map_err(failed)
    }
}

fn of_sea_orm(backend: DbBackend, statement: &str, values: &[Value<'_>]) -> Statement {
    let values = values.iter().map(|value| match *value {
        Value::Id(id) => id.into(),
        Value::Name(name) => name.into(),
        Value::Number(number) => number.into(),
    });
    Statement::from_sql_and_values(backend, statement, values)
}
