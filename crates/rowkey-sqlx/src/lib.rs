//! Typed keys of rowkey in sqlx: as parameters, in rows, and as bounds of a range.
//!
//! A key declared with `#[entity_key]` implements sqlx's `Type`, `Encode` and `Decode` for each
//! driver that is turned on, and so do `Option` of it and, in PostgreSQL, arrays. Nothing has to be
//! called for that.
//!
//! ```
//! use rowkey::{Backend, EntityKey, Nullability, ShortPrefixComb, entity_key};
//! use sqlx::{AssertSqlSafe, Connection, SqliteConnection};
//!
//! #[entity_key]
//! struct OfferId(ShortPrefixComb);
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut db = SqliteConnection::connect("sqlite::memory:").await?;
//! let id = OfferId::PLAN.column_definition(Backend::Sqlite, "id", Nullability::NotNull)?;
//! let table = format!("CREATE TABLE offer ({id} PRIMARY KEY, title TEXT) STRICT");
//! sqlx::query(AssertSqlSafe(table)).execute(&mut db).await?;
//!
//! let offer = OfferId::generate();
//! sqlx::query("INSERT INTO offer (id, title) VALUES (?, ?)")
//!     .bind(offer)
//!     .bind("Fjords in winter")
//!     .execute(&mut db)
//!     .await?;
//! let found: OfferId = sqlx::query_scalar("SELECT id FROM offer WHERE id = ?")
//!     .bind(offer)
//!     .fetch_one(&mut db)
//!     .await?;
//! assert_eq!(found, offer);
//!
//! // What is no key of the plan is an error that names the column.
//! let error = sqlx::query_scalar::<_, OfferId>("SELECT title FROM offer")
//!     .fetch_one(&mut db)
//!     .await
//!     .unwrap_err();
//! assert_eq!(
//!     error.to_string(),
//!     "error occurred while decoding column 0: \
//!      stored ShortPrefixComb: expected 16 bytes, found text of 16 characters",
//! );
//! # Ok(())
//! # }
//! ```
//!
//! This crate adds what keys cannot carry themselves:
//!
//! * [`ToSqlx::to_sqlx`] makes a [`KeyBound`](rowkey_core::KeyBound) a parameter;
//! * [`PushBounds::push_bounds`] writes the whole condition of a time range into a query.
//!
//! # What a driver does here
//!
//! It moves bytes and knows no rule. The key's [`StoragePlan`](rowkey_core::StoragePlan) says what
//! a column holds, `rowkey-core` turns a key into that and back, and one module a driver
//! ([`postgres`], [`mysql`], [`sqlite`]) puts it on the wire. PostgreSQL's `numeric` is written and
//! read in the binary protocol, group by group; a DECIMAL parameter goes to MySQL and MariaDB as
//! one, because they would compare its text as a floating-point number.
//!
//! # Errors
//!
//! A value that the plan does not store in that column is
//! [`sqlx::Error::ColumnDecode`], which names the column. Its source is a
//! [`rowkey_core::Error`], which names what was expected and what was found. `Type::compatible` of
//! a key therefore lets every column through: sqlx would only name two types.
//!
//! # Why the impls are emitted by a macro
//!
//! The traits are sqlx's and the key is the user's, so neither this crate nor any other can
//! implement one for the other. A wrapper around each key would work, and would show up in every
//! struct and every query. So the declaration emits a few thin impls next to the key, and they call
//! the generic functions of the driver modules, which are also there for other layers over sqlx.

#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(any(feature = "postgres", feature = "mysql", feature = "sqlite"))]
mod bound;
mod emit;
#[cfg(any(feature = "postgres", feature = "mysql", feature = "sqlite"))]
mod found;

#[cfg(feature = "mysql")]
pub mod mysql;
#[cfg(feature = "postgres")]
pub mod postgres;
#[cfg(feature = "sqlite")]
pub mod sqlite;

#[cfg(any(feature = "postgres", feature = "mysql", feature = "sqlite"))]
pub use bound::{BoundParam, ColumnName, PushBounds, ToSqlx};
#[doc(hidden)]
pub use emit::private as __private;
