//! Typed keys of rowkey in Diesel: as columns, parameters and bounds of a time range.
//!
//! A column of keys has the SQL type [`Key<OfferId>`](Key). One `table!` and one set of entities
//! then work with PostgreSQL, MySQL, MariaDB and SQLite: each column type follows from the key's
//! [`StoragePlan`](rowkey_core::storage::StoragePlan).
//!
//! ```
//! use diesel::connection::SimpleConnection;
//! use diesel::prelude::*;
//! use rowkey::driver::diesel::Key;
//! use rowkey::storage::Nullability;
//! use rowkey::{Backend, EntityKey, ShortPrefixComb, entity_key};
//!
//! /// Public, because `table!` names it in public types.
//! #[entity_key]
//! pub struct OfferId(ShortPrefixComb);
//!
//! diesel::table! {
//!     use super::{Key, OfferId};
//!     offers { id -> Key<OfferId>, }
//! }
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let db = &mut SqliteConnection::establish(":memory:")?;
//!     let id = OfferId::PLAN.column_definition(Backend::Sqlite, "id", Nullability::NotNull)?;
//!     db.batch_execute(&format!("CREATE TABLE offers ({id} PRIMARY KEY) STRICT"))?;
//!
//!     let offer = OfferId::generate();
//!     diesel::insert_into(offers::table).values(offers::id.eq(offer)).execute(db)?;
//!     let found: OfferId = offers::table.find(offer).select(offers::id).first(db)?;
//!     assert_eq!(found, offer);
//!     Ok(())
//! }
//! ```
//!
//! This crate adds what is not part of the key types:
//!
//! * [`KeyColumnMethods::within`] is the condition that a column holds a key of a time span;
//! * [`KeyColumnMethods::in_keys`] and `not_in_keys` are `eq_any` and `ne_all` for every
//!   connection, including `diesel-async`'s;
//! * [`ToParam::to_param`] makes a single [`KeyBound`](rowkey_core::time_range::KeyBound) a
//!   parameter;
//! * [`multi_backend!`] implements keys for the backend of `#[derive(MultiConnection)]`.
//!
//! The features enable Diesel's backends, but no client library for SQLite: enable the connection
//! in your crate with Diesel's own features.
//!
//! A value that is not a key of the plan causes Diesel's `DeserializationError`, whose last source
//! is a [`rowkey_core::Error`].
//!
//! Existing schemas, `diesel-async` and limits are in the book, in `docs/src/drivers/diesel.md`.

#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod backend;
mod bound;
mod column;
mod emit;
mod error;
mod multi;
mod parameter;
mod sql_type;
mod stock;
#[cfg(any(feature = "postgres", feature = "mysql", feature = "sqlite"))]
mod stored;

#[cfg(feature = "mysql")]
mod mysql;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(feature = "sqlite")]
mod sqlite;

pub use backend::{ReadKey, WriteKey};
pub use bound::{BoundParam, KeyColumnMethods, ToParam, Within};
pub use column::KeyColumn;
#[doc(hidden)]
pub use emit::private as __private;
pub use error::Error;
pub use parameter::{KeyList, Parameter};
pub use sql_type::Key;

#[cfg(all(doctest, feature = "sqlite"))]
#[doc = include_str!("../README.md")]
struct PackageReadme;
