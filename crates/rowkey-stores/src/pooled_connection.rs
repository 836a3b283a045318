//! Connections of sqlx's pools during a call.

use std::fmt;
use std::ops::{Deref, DerefMut};

use sqlx::pool::PoolConnection;
use sqlx::{Database, SqlStr};
// sqlx's own `Transaction` does not expose its connection, so it could not be closed.
use sqlx_core::transaction::TransactionManager;

/// A connection of a pool during a call, and the transaction on it.
///
/// If a call is dropped, its transaction is rolled back. The connection returns to its pool only if
/// sqlx still knows its state; otherwise it is closed, and the pool opens another one when needed.
pub struct PooledConnection<DB: Database> {
    connection: PoolConnection<DB>,
    /// Whether a transaction has begun, or may have, and has not ended.
    has_transaction: bool,
    cancel_safety: CancelSafety,
    /// Whether dropping this closes the connection.
    closes: bool,
}

/// When a call can be dropped without sqlx losing track of its connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(dead_code, reason = "each is that of one driver")]
pub(crate) enum CancelSafety {
    /// SQLite has a thread for each connection, which ends what it has begun. The connection may be
    /// the only one to a database in memory, so it must not be closed.
    Always,
    /// PostgreSQL: sqlx counts a transaction only once `BEGIN` is answered.
    ExceptDuringBegin,
    /// MySQL and MariaDB: sqlx may wait for an answer that never comes, and the pool then loses the
    /// connection for good.
    Never,
}

impl<DB: Database> PooledConnection<DB> {
    pub(crate) fn new(connection: PoolConnection<DB>, cancel_safety: CancelSafety) -> Self {
        Self {
            connection,
            has_transaction: false,
            cancel_safety,
            closes: cancel_safety == CancelSafety::Never,
        }
    }

    pub(crate) async fn begin(&mut self, statement: Option<SqlStr>) -> sqlx::Result<()> {
        self.has_transaction = true;
        self.closes = self.cancel_safety != CancelSafety::Always;
        let outcome = DB::TransactionManager::begin(&mut self.connection, statement).await;
        self.closes = self.cancel_safety == CancelSafety::Never;
        outcome
    }

    pub(crate) async fn commit(&mut self) -> sqlx::Result<()> {
        DB::TransactionManager::commit(&mut self.connection).await?;
        self.has_transaction = false;
        Ok(())
    }

    pub(crate) async fn roll_back(&mut self) -> sqlx::Result<()> {
        DB::TransactionManager::rollback(&mut self.connection).await?;
        self.has_transaction = false;
        Ok(())
    }

    pub(crate) fn return_to_pool(mut self) {
        self.closes = false;
    }

    /// The pool then opens another connection.
    pub(crate) fn close(mut self) {
        self.closes = self.cancel_safety != CancelSafety::Always;
    }
}

impl<DB: Database> Drop for PooledConnection<DB> {
    fn drop(&mut self) {
        if self.closes {
            self.connection.close_on_drop();
        } else if self.has_transaction {
            DB::TransactionManager::start_rollback(&mut self.connection);
        }
    }
}

impl<DB: Database> Deref for PooledConnection<DB> {
    type Target = DB::Connection;

    fn deref(&self) -> &DB::Connection {
        &self.connection
    }
}

impl<DB: Database> DerefMut for PooledConnection<DB> {
    fn deref_mut(&mut self) -> &mut DB::Connection {
        &mut self.connection
    }
}

impl<DB: Database> fmt::Debug for PooledConnection<DB> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PooledConnection").finish_non_exhaustive()
    }
}
