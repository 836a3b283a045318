//! Typed keys of rowkey in sqlx: as parameters, in rows, and as bounds of a time range.
//!
//! A key declared with `#[entity_key]` implements sqlx's `Type`, `Encode` and `Decode` for each
//! enabled driver, and so do `Option`s and, in PostgreSQL, arrays of it. This crate adds what is
//! not part of the key types:
//!
//! * [`PushWithin::push_within`] writes the condition of a time range into a query;
//! * [`PushInKeys::push_in_keys`] and `push_not_in_keys` write the conditions of a list of keys;
//! * [`ToParam::to_param`] makes a single [`KeyBound`](rowkey_core::time_range::KeyBound) a
//!   parameter.
//!
//! ```
//! use rowkey::storage::Nullability;
//! use rowkey::{Backend, EntityKey, ShortPrefixComb, entity_key};
//! use sqlx::{AssertSqlSafe, Connection, SqliteConnection};
//!
//! #[entity_key]
//! struct OfferId(ShortPrefixComb);
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut db = SqliteConnection::connect("sqlite::memory:").await?;
//! let id = OfferId::PLAN.column_definition(Backend::Sqlite, "id", Nullability::NotNull)?;
//! let table = format!("CREATE TABLE offer ({id} PRIMARY KEY) STRICT");
//! sqlx::query(AssertSqlSafe(table)).execute(&mut db).await?;
//!
//! let offer = OfferId::generate();
//! sqlx::query("INSERT INTO offer (id) VALUES (?)").bind(offer).execute(&mut db).await?;
//! let found: OfferId = sqlx::query_scalar("SELECT id FROM offer").fetch_one(&mut db).await?;
//! assert_eq!(found, offer);
//! # Ok(())
//! # }
//! ```
//!
//! A value that is not a key of the plan causes [`sqlx::Error::ColumnDecode`], which names the
//! column and whose source is a [`rowkey_core::Error`]. Keys cannot be bound with `sqlx::Any`,
//! which has no type for most of them.
//!
//! Lists of keys, `query!` with keys and more are in the book, in `docs/src/drivers/sqlx.md`.

#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(any(feature = "postgres", feature = "mysql", feature = "sqlite"))]
mod bound;
mod emit;
#[cfg(any(feature = "postgres", feature = "mysql", feature = "sqlite"))]
mod list;
#[cfg(any(feature = "postgres", feature = "mysql", feature = "sqlite"))]
mod routed;
#[cfg(any(feature = "postgres", feature = "mysql", feature = "sqlite"))]
mod stored;

#[cfg(feature = "mysql")]
pub mod mysql;
#[cfg(feature = "postgres")]
pub mod postgres;
#[cfg(feature = "sqlite")]
pub mod sqlite;

#[cfg(any(feature = "postgres", feature = "mysql", feature = "sqlite"))]
pub use bound::{BoundParam, PushWithin, ToParam};
#[doc(hidden)]
pub use emit::private as __private;
#[cfg(any(feature = "postgres", feature = "mysql", feature = "sqlite"))]
pub use list::PushInKeys;
#[cfg(any(feature = "postgres", feature = "mysql", feature = "sqlite"))]
pub use routed::PushRouted;

#[cfg(all(doctest, feature = "postgres"))]
#[doc = include_str!("../README.md")]
struct PackageReadme;
