//! Tables that keys need: which command has created which entity, and which numbers of LUUID keys
//! are reserved. For sqlx, SeaORM, Diesel and diesel-async (PostgreSQL, MySQL, MariaDB, SQLite) and
//! tiberius (SQL Server).
//!
//! | for | use | table |
//! |---|---|---|
//! | entities whose ids the server makes | [`create_once`], [`forget`], [`prune`] | `creation_identifiers` |
//! | entities whose ids clients make | [`find_or_create`] | your own |
//! | later commands of an entity | [`in_transaction`], [`CommandLog`](command_log::CommandLog) | your own |
//! | numbers of LUUID keys for several processes | [`NumberBlocks`], [`create_numbered`] | `key_blocks` |
//!
//! The tables are in the folder `migrations` of this package. Its README lists the guarantees and
//! the limits; the book explains connections, locks and errors, in `docs/src/stores.md`.
//!
//! # Connections
//!
//! Functions that begin transactions take a [`Store`], and lend each closure a connection of the
//! driver as [`Borrowed`]: `&mut *borrowed`. [`forget`] runs in your own transaction. Diesel's own
//! connections block: their functions are in `blocking`.
//!
//! # Calls that are dropped
//!
//! A call that is dropped before its end leaves nothing half done in the database, but it may cost
//! the pool a connection. If the caller may be dropped, by a timeout or because a client hangs up,
//! run the call in a separate task:
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
//! A whole call has no time limit. It makes up to ten attempts, and each may wait for locks as long
//! as the database allows. Calls inside each other's closures multiply.
//!
//! # Errors
//!
//! A closure's error is returned unchanged in [`CreateError::Closure`]. To decide whether to try
//! again, a call searches for the driver's error along [`source`](std::error::Error::source), so
//! return that error from the closure. [`is_unavailable`] says whether the same command may succeed
//! later: status 503.

#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod attempts;
#[cfg(feature = "_diesel-blocking")]
pub mod blocking;
mod borrowed;
pub mod command_log;
mod created;
mod creation_identifiers;
#[cfg(feature = "_diesel")]
mod diesel;
mod error;
mod failure;
#[cfg(test)]
mod fake_store;
mod find_or_create;
mod number_blocks;
#[cfg(any(
    feature = "sqlx-postgres",
    feature = "sqlx-mysql",
    feature = "sqlx-sqlite"
))]
mod pooled_connection;
#[cfg(feature = "_sea-orm")]
mod sea_orm;
mod session;
#[cfg(any(
    feature = "sqlx-postgres",
    feature = "sqlx-mysql",
    feature = "sqlx-sqlite"
))]
mod sqlx;
#[allow(dead_code, reason = "each driver uses those of its databases")]
mod statements;
#[cfg(feature = "tiberius")]
mod tiberius;
mod transaction;

#[cfg(feature = "_diesel")]
pub use crate::diesel::{DieselTransaction, LentConnection};
#[cfg(feature = "_sea-orm")]
pub use crate::sea_orm::SeaOrmConnection;
#[cfg(feature = "tiberius")]
pub use crate::tiberius::ClientTransaction;
pub use borrowed::Borrowed;
pub use created::{Created, CreatedBy};
pub use creation_identifiers::{create_once, forget, prune, prune_name};
pub use error::{Conflict, CreateError, Error};
pub use failure::is_unavailable;
pub use find_or_create::{
    FindOrCreate, FindOrCreateWithFind, FindOrCreateWithValidate, Origin, find_or_create,
};
pub use number_blocks::{NumberBlocks, create_numbered, reserve_block};
#[cfg(any(
    feature = "sqlx-postgres",
    feature = "sqlx-mysql",
    feature = "sqlx-sqlite"
))]
pub use pooled_connection::PooledConnection;
pub use session::{Session, Store};
pub use transaction::in_transaction;

#[cfg(all(doctest, feature = "sqlx-postgres"))]
#[doc = include_str!("../README.md")]
struct Readme;
