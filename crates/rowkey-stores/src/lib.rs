#![doc = include_str!("../README.md")]
//!
//! # Connections
//!
//! Functions that begin transactions take a [`Store`]: a pool of sqlx or a reference to one, or
//! `&mut client` of tiberius, where pools are a matter of other crates. A client is refused in the
//! middle of a transaction ([`Error::OpenTransaction`]), also in that of a call that was dropped;
//! pools of clients end it when the client comes back. A transaction of sqlx is no store, as nothing
//! can be begun or committed in it; [`forget`], which belongs into the caller's transaction, takes
//! it as `&mut *transaction`.
//!
//! # Calls that are dropped
//!
//! A call that is dropped before its end, by a timeout or a client that hangs up, leaves nothing half
//! done in the database. A pool's connection is closed if sqlx cannot go on with it, which it cannot in
//! MySQL and MariaDB, nor in PostgreSQL while a transaction begins; the pool makes another one when it
//! needs one. A tiberius client may have to be replaced.
//!
//! A program's own statements have no such help. A connection to PostgreSQL whose `pool.begin()` was
//! dropped can go back to the pool in the middle of that transaction, and what is written on it next is
//! not committed. A connection to MySQL or MariaDB can be lost to its pool for good when any statement
//! is dropped: the pool neither gets it back nor makes another one, and after a few hundred such
//! statements it has none left. And a connection that is closed is not free on the server before the
//! server has ended its statement, which may be waiting for a lock.
//!
//! The same goes for a closure that drops one of its own statements, by a timeout around it. In MySQL and
//! MariaDB the rollback or commit that follows can wait for ever, and the call with it. Have the server
//! end what takes too long, or put the timeout around a handler that waits for the task.
//!
//! So a call runs in a task of its own, and what may be dropped waits for the task:
//!
//! ```
//! # use rowkey_stores::Error;
//! # async fn call() -> Result<(), Error> { Ok(()) }
//! # async fn handler() -> anyhow::Result<()> {
//! tokio::spawn(call()).await??;
//! # Ok(())
//! # }
//! ```
//!
//! # How long a call may take
//!
//! There is no time limit for a whole call. Up to ten attempts each may wait for locks as long as the
//! database is told to: MySQL's `innodb_lock_wait_timeout` (50 s unless set), SQLite's
//! `busy_timeout` (5 s in sqlx), for ever in PostgreSQL (`lock_timeout`) and SQL Server. Calls within
//! each other's closures multiply: ten attempts of the outer one with ten of the inner one each, and
//! the inner one needs another connection while the outer one holds its own. So take keys out of
//! [`KeyBlocks`] before, and set the database's timeouts to what the program can bear.
//!
//! Connections that are broken are found out one by one, each at the cost of an attempt, if the pool
//! does not test them (`test_before_acquire(false)`): with ten of them or more, a call may fail.
//!
//! # Closures
//!
//! Closures get what they need as [`Lent`]: `&mut *lent` is a connection of the driver. They are
//! written as `async |mut lent| { … }`, within the call, so that the compiler knows the parameter. One
//! that owns what it needs, or that changes something outside, has to be
//! `|mut lent| { …; async move { … } }`.
//!
//! # Servers that do not serve
//!
//! [`is_unavailable`] tells a database that cannot be reached, has no connection left or has become
//! read-only from a defect of the program: status 503, and the same command may be sent again. A pool's
//! connection to a server that has become read-only is closed, because after a failover it is one to
//! the former primary; the next one goes where the server's name leads by then.
//!
//! # Errors of closures
//!
//! A closure's error comes back as it is in [`CreateError::Closure`]. It is a
//! [`std::error::Error`], which `anyhow::Error` is not. Whether it was a collision, a broken
//! connection or a duplicate is seen by the driver's own error, which is looked for along
//! [`source`](std::error::Error::source). An error that hands on its source's source as its own
//! (`#[error(transparent)]`) hides tiberius' error and sqlx's broken connections: then nothing is
//! tried again.
//!
//! An error of the driver has to be handed on. PostgreSQL gives a transaction up at the first one, and
//! a deadlock ends it in MySQL and SQL Server: what a closure does afterwards is lost, or committed
//! without the rest. [`find_or_create`] and [`in_transaction`] notice that and answer with
//! [`Error::TransactionEnded`] or [`Error::Database`], never with success.
//!
//! # An example
//!
//! ```
//! use rowkey::{EntityKey, ShortPrefixComb, UuidV7, entity_key};
//! use rowkey_stores::{By, create_once, forget};
//! use sqlx::SqlitePool;
//! use sqlx::sqlite::SqlitePoolOptions;
//!
//! #[entity_key]
//! struct OfferId(ShortPrefixComb);
//!
//! #[entity_key]
//! struct CommandId(UuidV7);
//!
//! async fn book(pool: &SqlitePool, command: CommandId) -> anyhow::Result<(OfferId, By)> {
//!     let created = create_once(pool, command, "book-offer", async |mut transaction| {
//!         let offer = OfferId::generate();
//!         sqlx::query("INSERT INTO offers (id) VALUES (?)")
//!             .bind(offer)
//!             .execute(&mut *transaction)
//!             .await?;
//!         Ok::<_, sqlx::Error>(offer)
//!     });
//!     let created = created.await?;
//!     Ok((created.id, created.by))
//! }
//!
//! /// Handles a request, in a task that goes on to its end if the client hangs up.
//! async fn handle(pool: &SqlitePool, command: CommandId) -> anyhow::Result<(OfferId, By)> {
//!     let pool = pool.clone();
//!     tokio::spawn(async move { book(&pool, command).await }).await?
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> anyhow::Result<()> {
//! // The database goes with its only connection.
//! let pool = SqlitePoolOptions::new().max_connections(1).connect("sqlite::memory:").await?;
//! sqlx::raw_sql(include_str!("../migrations/sqlite/creation_identifiers.sql")).execute(&pool).await?;
//! sqlx::raw_sql("CREATE TABLE offers (id BLOB PRIMARY KEY, title TEXT) STRICT").execute(&pool).await?;
//! let command = CommandId::generate();
//! let (offer, by) = handle(&pool, command).await?;
//! assert_eq!(by, By::This);
//! assert_eq!(handle(&pool, command).await?, (offer, By::Earlier));
//!
//! // The first command that comes with the entity's id.
//! let mut transaction = pool.begin().await?;
//! sqlx::query("UPDATE offers SET title = 'Fjords' WHERE id = ?")
//!     .bind(offer)
//!     .execute(&mut *transaction)
//!     .await?;
//! forget(&mut *transaction, offer).await?;
//! transaction.commit().await?;
//! # Ok(())
//! # }
//! ```

#![forbid(unsafe_code)]

mod attempts;
mod client_made;
mod creation_identifiers;
mod error;
mod failure;
#[cfg(test)]
mod fake_store;
mod key_blocks;
#[cfg(any(
    feature = "sqlx-postgres",
    feature = "sqlx-mysql",
    feature = "sqlx-sqlite"
))]
mod leased;
mod lent;
mod session;
#[cfg(any(
    feature = "sqlx-postgres",
    feature = "sqlx-mysql",
    feature = "sqlx-sqlite"
))]
mod sqlx;
mod statements;
#[cfg(feature = "tiberius")]
mod tiberius;
mod transaction;

#[cfg(feature = "tiberius")]
pub use crate::tiberius::ClientTransaction;
pub use client_made::{Found, Origin, find_or_create};
pub use creation_identifiers::{Created, create_once, forget, prune, prune_name};
pub use error::{Conflict, CreateError, Error};
pub use failure::is_unavailable;
pub use key_blocks::{KeyBlocks, create_numbered, reserve_block};
#[cfg(any(
    feature = "sqlx-postgres",
    feature = "sqlx-mysql",
    feature = "sqlx-sqlite"
))]
pub use leased::Leased;
pub use lent::Lent;
pub use session::{Session, Store};
pub use transaction::in_transaction;

/// Who has created an entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// This call.
    This,
    /// An earlier call, or one at the same time that was faster.
    Earlier,
}

/// Compiles and runs the examples of the chapter about ids that clients make.
#[cfg(all(doctest, feature = "sqlx-sqlite"))]
#[doc = include_str!("../../../docs/src/clients-make-the-ids.md")]
struct ClientsMakeTheIds;

/// Compiles and runs the examples of the chapter about retries.
#[cfg(all(doctest, feature = "sqlx-sqlite"))]
#[doc = include_str!("../../../docs/src/retries-are-safe.md")]
struct RetriesAreSafe;

/// Compiles and runs the examples of the chapter about support.
#[cfg(all(doctest, feature = "sqlx-sqlite"))]
#[doc = include_str!("../../../docs/src/support-has-an-id.md")]
struct SupportHasAnId;
