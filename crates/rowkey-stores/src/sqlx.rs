//! sqlx's pools and connections.

use sqlx::error::DatabaseError;
use sqlx::{Connection, Database, Executor, Pool, Row, SqlSafeStr};

use crate::Error;
use crate::failure::sqlx::LeftInTransaction;
use crate::failure::{Failure, FailureKind};
use crate::pooled_connection::{CancelSafety, PooledConnection};
use crate::session::{Identifier, PublicForm, Session, Source, Store, Value, sealed};
use crate::statements::{self, Statements};

fn failed(error: sqlx::Error) -> Error {
    Error::Database(Box::new(error))
}

/// The error of a statement outside the transactions of this crate.
fn failed_outside(error: sqlx::Error) -> Error {
    match FailureKind::of(&error) {
        FailureKind::TransactionAborted => Error::Database(Box::new(LeftInTransaction(error))),
        _ => failed(error),
    }
}

/// Fails if there is no transaction to commit: then a savepoint cannot be set.
async fn check_open<C: Connection>(connection: &mut C) -> Result<(), Error> {
    match connection.begin().await {
        Ok(savepoint) => savepoint.rollback().await.map_err(failed),
        Err(sqlx::Error::BeginFailed) => Err(Error::TransactionEnded),
        Err(sqlx::Error::Database(error)) if is_of_no_transaction(&*error) => {
            Err(Error::TransactionEnded)
        }
        Err(error) => Err(failed(error)),
    }
}

/// Begins a transaction. A connection that was left in another transaction is closed, so that the
/// next attempt has another connection.
async fn begin<DB: Database>(
    mut connection: PooledConnection<DB>,
    statement: Option<&'static str>,
) -> Result<PooledConnection<DB>, Error> {
    let statement = statement.map(SqlSafeStr::into_sql_str);
    let Err(error) = connection.begin(statement).await else {
        return Ok(connection);
    };
    let error = failed_outside(error);
    match error.kind() {
        FailureKind::ConnectionLost | FailureKind::LeftInTransaction => connection.close(),
        _ => connection.return_to_pool(),
    }
    Err(error)
}

/// Begins a transaction if the closure has ended its own. SQLite refuses to end a transaction that
/// does not exist, and sqlx would count it for the life of the connection.
#[cfg(feature = "sqlx-sqlite")]
async fn begin_if_ended(connection: &mut sqlx::SqliteConnection) -> Result<(), Error> {
    match sqlx::raw_sql("BEGIN").execute(connection).await {
        Ok(_) => Err(Error::TransactionEnded),
        // A transaction is still open.
        Err(_) => Ok(()),
    }
}

/// The other databases accept `COMMIT` and `ROLLBACK` without a transaction.
#[cfg(any(feature = "sqlx-postgres", feature = "sqlx-mysql"))]
async fn leave_as_it_is<C>(_: &mut C) -> Result<(), Error> {
    Ok(())
}

/// PostgreSQL's no_active_sql_transaction and in_failed_sql_transaction.
fn is_of_no_transaction(error: &dyn DatabaseError) -> bool {
    matches!(error.code().as_deref(), Some("25P01" | "25P02"))
}

macro_rules! bound {
    ($statement:expr, $values:expr) => {{
        let mut query = sqlx::query($statement);
        for value in $values {
            query = match *value {
                Value::Id(id) => query.bind(id),
                Value::Name(name) => query.bind(name),
                Value::Number(number) => query.bind(number),
            };
        }
        query
    }};
}

/// The impls of a driver. `$begin` begins a transaction, if sqlx's own statement is not enough, and
/// `$begin_update` one whose updates see the latest committed rows. `$end_open_transaction` ends a
/// transaction that a connection was left in. `$updated_number` runs a statement on a connection
/// and reads the number from the result. `$commit_is_silent` is set if a commit without a
/// transaction is not an error. `$before_end` runs before commits and rollbacks.
macro_rules! impl_driver {
    (
        $feature:literal, $Driver:ident, $Connection:ident, $statements:expr,
        cancel_safety: $cancel_safety:expr,
        begin: $begin:expr,
        begin_update: $begin_update:expr,
        end_open_transaction: $end_open_transaction:expr,
        commit_is_silent: $commit_is_silent:expr,
        before_end: $before_end:expr,
        updated_number: |$connection:ident, $query:ident| $updated_number:expr,
    ) => {
        #[cfg(feature = $feature)]
        impl sealed::Sealed for sqlx::$Connection {}

        #[cfg(feature = $feature)]
        impl Session for sqlx::$Connection {
            fn statements(&self) -> &'static Statements {
                &$statements
            }

            async fn run_statement(
                &mut self,
                statement: &'static str,
                values: &[Value<'_>],
            ) -> Result<u64, Error> {
                let query = bound!(statement, values);
                let result = Executor::execute(self, query).await.map_err(failed)?;
                Ok(result.rows_affected())
            }

            async fn query_identifier(
                &mut self,
                statement: &'static str,
                values: &[Value<'_>],
            ) -> Result<Option<Identifier>, Error> {
                let query = bound!(statement, values);
                let row = query.fetch_optional(self).await.map_err(failed_outside)?;
                row.map(|row| {
                    Ok(Identifier {
                        entity: row.try_get::<PublicForm, _>(0)?,
                        command_name: row.try_get(1)?,
                    })
                })
                .transpose()
                .map_err(failed)
            }

            async fn run_update(
                &mut self,
                statement: &'static str,
                values: &[Value<'_>],
            ) -> Result<Option<i64>, Error> {
                let ($connection, $query) = (self, bound!(statement, values));
                $updated_number.await.map_err(failed)
            }
        }

        #[cfg(feature = $feature)]
        impl Source for Pool<sqlx::$Driver> {
            type Session = sqlx::$Connection;
            type Connection = PooledConnection<sqlx::$Driver>;
            type Transaction = PooledConnection<sqlx::$Driver>;

            const RECONNECTS: bool = true;

            async fn connect(&mut self) -> Result<Self::Connection, Error> {
                let connection = self.acquire().await.map_err(failed)?;
                Ok(PooledConnection::new(connection, $cancel_safety))
            }

            async fn connect_afresh(&mut self) -> Result<Self::Connection, Error> {
                let mut connection = self.connect().await?;
                if let Some(statement) = $end_open_transaction {
                    let ended = sqlx::raw_sql(statement).execute(&mut *connection).await;
                    ended.map_err(failed)?;
                }
                Ok(connection)
            }

            fn release(&mut self, connection: Self::Connection, failure: Option<FailureKind>) {
                match failure {
                    Some(
                        FailureKind::TransactionAborted
                        | FailureKind::ConnectionLost
                        | FailureKind::LeftInTransaction
                        | FailureKind::ReadOnly,
                    ) => connection.close(),
                    _ => connection.return_to_pool(),
                }
            }

            async fn begin(&mut self) -> Result<Self::Transaction, Error> {
                let connection = self.connect().await?;
                begin(connection, $begin).await
            }

            async fn begin_update(&mut self) -> Result<Self::Transaction, Error> {
                let connection = self.connect().await?;
                begin(connection, $begin_update).await
            }

            async fn check_open(
                &mut self,
                transaction: &mut Self::Transaction,
            ) -> Result<(), Error> {
                match $commit_is_silent {
                    true => check_open(&mut **transaction).await,
                    false => Ok(()),
                }
            }

            async fn commit(&mut self, mut transaction: Self::Transaction) -> Result<(), Error> {
                if let Err(error) = $before_end(&mut *transaction).await {
                    self.roll_back(transaction, error.kind()).await;
                    return Err(error);
                }
                let outcome = transaction.commit().await.map_err(failed);
                let failure = outcome.as_ref().err().map(Error::kind);
                self.release(transaction, failure);
                outcome
            }

            async fn roll_back(&mut self, mut transaction: Self::Transaction, reason: FailureKind) {
                if reason == FailureKind::ReadOnly {
                    return transaction.close();
                }
                let _ = $before_end(&mut *transaction).await;
                let outcome = transaction.roll_back().await.map_err(failed);
                let failure = outcome.err().map(|error| error.kind());
                self.release(transaction, failure);
            }
        }

        impl_store! { $feature, $Driver, Pool<sqlx::$Driver> }
        impl_store! { $feature, $Driver, &Pool<sqlx::$Driver> }
    };
}

macro_rules! impl_store {
    ($feature:literal, $Driver:ident, $Store:ty) => {
        #[cfg(feature = $feature)]
        impl sealed::Sealed for $Store {}

        #[cfg(feature = $feature)]
        impl Store for $Store {
            type Session = <sqlx::$Driver as Database>::Connection;
            type Connection = PooledConnection<sqlx::$Driver>;
            type Transaction = PooledConnection<sqlx::$Driver>;
            type Source = Pool<sqlx::$Driver>;

            fn into_source(self) -> Self::Source {
                self.clone()
            }
        }
    };
}

impl_driver! {
    "sqlx-postgres", Postgres, PgConnection, statements::POSTGRES_AND_SQLITE,
    cancel_safety: CancelSafety::ExceptDuringBegin,
    begin: None,
    // With a snapshot for the whole transaction, an update that has waited for another one fails.
    begin_update: Some("BEGIN ISOLATION LEVEL READ COMMITTED"),
    end_open_transaction: None::<&'static str>,
    // The commit of an aborted transaction rolls back, and is not an error.
    commit_is_silent: true,
    before_end: leave_as_it_is,
    updated_number: |connection, query| async {
        let row = query.fetch_optional(connection).await?;
        row.map(|row| row.try_get(0)).transpose()
    },
}

impl_driver! {
    "sqlx-mysql", MySql, MySqlConnection, statements::MYSQL,
    cancel_safety: CancelSafety::Never,
    begin: None,
    // An update reads the latest committed rows at any isolation level.
    begin_update: None,
    // Without autocommit, a transaction stays open from one look-up to the next, and shows its
    // first snapshot.
    end_open_transaction: Some("ROLLBACK"),
    // A deadlock ends the transaction, and the statements after it are committed at once.
    commit_is_silent: true,
    before_end: leave_as_it_is,
    updated_number: |connection, query| async {
        let result = query.execute(connection).await?;
        let found = result.rows_affected() > 0;
        Ok(found.then(|| result.last_insert_id().cast_signed()))
    },
}

impl_driver! {
    "sqlx-sqlite", Sqlite, SqliteConnection, statements::POSTGRES_AND_SQLITE,
    cancel_safety: CancelSafety::Always,
    // A transaction that reads first fails when it writes if another one has written meanwhile, and
    // SQLite does not wait then.
    begin: Some("BEGIN IMMEDIATE"),
    begin_update: Some("BEGIN IMMEDIATE"),
    end_open_transaction: None::<&'static str>,
    commit_is_silent: false,
    before_end: begin_if_ended,
    updated_number: |connection, query| async {
        let row = query.fetch_optional(connection).await?;
        row.map(|row| row.try_get(0)).transpose()
    },
}
