//! Connections of sqlx's pools, for the time of one call.

use std::fmt;
use std::ops::{Deref, DerefMut};

use sqlx::pool::PoolConnection;
use sqlx::{Database, SqlStr};
// sqlx's own `Transaction` keeps its connection to itself, so that it could not be closed.
use sqlx_core::transaction::TransactionManager;

/// A connection of a pool for the time of one call, and the transaction on it.
///
/// When it is dropped because the call is, the transaction is rolled back. The connection goes back to
/// its pool then only if sqlx still knows what state it is in; otherwise it is closed, and the pool
/// makes another one when it is asked to.
pub struct Leased<DB: Database> {
    connection: PoolConnection<DB>,
    /// Whether a transaction has begun, or may have, and has not come to its end.
    has_transaction: bool,
    fragile: Fragile,
    /// Whether it is closed when it is dropped.
    closes: bool,
}

/// Where a call cannot be dropped without sqlx losing track of its connection. Each includes those
/// before it.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
#[allow(dead_code, reason = "each is that of one driver")]
pub(crate) enum Fragile {
    /// SQLite has a thread for each connection, which ends what it has begun. The connection may be the
    /// only one to a database in memory, so it must not be closed.
    Nowhere,
    /// PostgreSQL: sqlx counts a transaction once `BEGIN` is answered. The server has begun it before.
    InBegin,
    /// MySQL and MariaDB: sqlx may go on to wait for an answer that does not come, and the pool has one
    /// connection less for ever.
    Anywhere,
}

impl<DB: Database> Leased<DB> {
    pub(crate) fn new(connection: PoolConnection<DB>, fragile: Fragile) -> Self {
        Self {
            connection,
            has_transaction: false,
            fragile,
            closes: fragile >= Fragile::Anywhere,
        }
    }

    pub(crate) async fn begin(&mut self, statement: Option<SqlStr>) -> sqlx::Result<()> {
        self.has_transaction = true;
        self.closes = self.fragile >= Fragile::InBegin;
        let outcome = DB::TransactionManager::begin(&mut self.connection, statement).await;
        self.closes = self.fragile >= Fragile::Anywhere;
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

    /// Gives it back to the pool.
    pub(crate) fn give_back(mut self) {
        self.closes = false;
    }

    /// Has it closed, so that the pool makes another one.
    pub(crate) fn let_go(mut self) {
        self.closes = self.fragile >= Fragile::InBegin;
    }
}

impl<DB: Database> Drop for Leased<DB> {
    fn drop(&mut self) {
        if self.closes {
            self.connection.close_on_drop();
        } else if self.has_transaction {
            DB::TransactionManager::start_rollback(&mut self.connection);
        }
    }
}

impl<DB: Database> Deref for Leased<DB> {
    type Target = DB::Connection;

    fn deref(&self) -> &DB::Connection {
        &self.connection
    }
}

impl<DB: Database> DerefMut for Leased<DB> {
    fn deref_mut(&mut self) -> &mut DB::Connection {
        &mut self.connection
    }
}

impl<DB: Database> fmt::Debug for Leased<DB> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Leased").finish_non_exhaustive()
    }
}
