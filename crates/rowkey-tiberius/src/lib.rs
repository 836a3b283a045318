//! Typed keys of rowkey in SQL Server with tiberius: as parameters, in rows, in bulk inserts, and
//! as bounds of a time range.
//!
//! A key declared with `#[entity_key]` implements tiberius' `ToSql`, `IntoSql`, `FromSql` and
//! `FromSqlOwned`.
//!
//! ```no_run
//! use futures_util::{AsyncRead, AsyncWrite};
//! use rowkey::driver::tiberius::{RowKeys, ToParam};
//! use rowkey::{ShortPrefixComb, entity_key};
//! use tiberius::Client;
//!
//! #[entity_key]
//! struct OfferId(ShortPrefixComb);
//!
//! async fn copy<S>(
//!     client: &mut Client<S>,
//!     original: OfferId,
//! ) -> Result<OfferId, Box<dyn std::error::Error>>
//! where
//!     S: AsyncRead + AsyncWrite + Unpin + Send,
//! {
//!     let sql = "SELECT parent FROM offer WHERE id = @P1";
//!     let row = client.query(sql, &[&original]).await?.into_row().await?;
//!     let parent: Option<OfferId> = row.ok_or("no such offer")?.try_optional_key("parent")?;
//!
//!     let copy = OfferId::generate();
//!     let sql = "INSERT INTO offer (id, parent) VALUES (@P1, @P2)";
//!     client.execute(sql, &[&copy, &parent.to_param()]).await?;
//!     Ok(copy)
//! }
//! ```
//!
//! This crate adds what is not part of the key types:
//!
//! * [`RowKeys`] reads keys from a row, with errors that name the column;
//! * [`ToParam::to_param`] makes an optional key or a
//!   [`KeyBound`](rowkey_core::time_range::KeyBound) a parameter, [`ToBulkValue::to_bulk_value`] an
//!   optional key a value of a bulk row;
//! * [`Condition::within`] is the condition of a time range, [`Condition::in_keys`] the condition
//!   of a list of keys.
//!
//! This crate does not enable the tiberius features that encrypt connections. Depend on tiberius
//! 0.13 yourself and enable `native-tls` or `rustls`.
//!
//! A key that is declared with `sqlserver = "uuid:public-unordered"` is bound and read like any
//! other, but its bounds cannot be a condition: see [`OrderedKey`].
//!
//! Numbers, text, bytes and errors are in the book, in `docs/src/drivers/tiberius.md`.

#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod condition;
mod emit;
mod error;
mod nullable;
mod order;
mod row;

pub mod column_data;

pub use condition::Condition;
#[doc(hidden)]
pub use emit::private as __private;
pub use error::Error;
pub use nullable::{ToBulkValue, ToParam};
pub use order::{ColumnOrder, Comparable, KeptOrder, OrderedKey};
pub use row::RowKeys;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct PackageReadme;
