//! Typed keys of rowkey in SQL Server with tiberius: as parameters, in rows, in bulk inserts, and
//! as bounds of a range.
//!
//! A key declared with `#[entity_key]` implements tiberius' `ToSql`, `IntoSql`, `FromSql` and
//! `FromSqlOwned`. Nothing has to be called for that.
//!
//! ```no_run
//! use futures_util::{AsyncRead, AsyncWrite};
//! use rowkey::driver::tiberius::{RowKeys, ToMssql};
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
//!     client.execute(sql, &[&copy, &parent.to_mssql()]).await?;
//!     Ok(copy)
//! }
//! ```
//!
//! This crate adds what keys cannot carry themselves:
//!
//! * [`RowKeys`] reads keys from a row, with errors that name the column;
//! * [`ToMssql::to_mssql`] makes an optional key or a [`KeyBound`](rowkey_core::KeyBound) a
//!   parameter, [`ToBulkValue::to_bulk_value`] an optional key a value of a bulk row;
//! * [`ToCondition::to_condition`] writes the condition of a time range or a list of keys.
//!
//! No feature of tiberius that encrypts connections is turned on here. Depend on tiberius 0.13
//! yourself and turn on `native-tls` or `rustls`.
//!
//! # What a driver does here
//!
//! It moves values and knows no rule. The key's [`StoragePlan`](rowkey_core::StoragePlan) says what
//! a column holds, `rowkey-core` turns a key into that and back, and [`column_data`] puts it into
//! tiberius' terms.
//!
//! # Numbers
//!
//! tiberius declares a decimal parameter with as many digits as the number at hand has. SQL Server
//! compares it exactly with a column of more, but keeps a plan for each number of digits; generated
//! ids always have 28.
//!
//! # Text and bytes
//!
//! tiberius sends all text as `nvarchar`, and a column of a key stored as text is `char`. Where the
//! two are compared, SQL Server converts the column, not the parameter. With a Windows collation,
//! such as the one in [`column_definition`](rowkey_core::StoragePlan::column_definition), it still
//! finds a range in the index; with an `SQL_…` collation it reads the whole index. Write
//! `WHERE id = CAST(@P1 AS char(36))`, as [`ToCondition`] does.
//!
//! Bytes are sent as `varbinary` and stored as `binary`. [`ToCondition`] writes
//! `CAST(@P1 AS binary(16))`: a server that speaks TDS, but is not SQL Server, could not look for a
//! list of `varbinary` in an index of `binary`.
//!
//! A key that is declared with `sqlserver = "uuid:public-unordered"` is bound and read as every other,
//! but its bounds make no condition here: see [`OrderedKey`].
//!
//! # What has been run
//!
//! The statements that this crate writes or tells to write have run on a server that speaks TDS.
//! That was not SQL Server itself: it sorts `uniqueidentifier` in another order, so SQL Server's is
//! pinned by vectors of .NET's `SqlGuid` alone. It also refuses a NULL without a type and a closing
//! bracket in a name, and it cannot tell anything about SQL Server's use of indexes.
//!
//! # Errors
//!
//! A value that the plan does not store in that column is refused. tiberius' own `Row::try_get`
//! answers with its conversion error, which says what was expected and what was found, but not
//! where; `Row::get` panics. [`RowKeys`] answers with an [`Error`] that names the column and has
//! the [`rowkey_core::Error`] as its source.
//!
//! # Why the impls are emitted by a macro
//!
//! The traits are tiberius' and the key is the user's, so neither this crate nor any other can
//! implement one for the other. A wrapper around each key would work, and would show up in every
//! struct and every query. So the declaration emits a few thin impls next to the key, and they call
//! the generic functions of [`column_data`], which are also there for other layers over tiberius.

#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod condition;
mod emit;
mod error;
mod nullable;
mod order;
mod row;

pub mod column_data;

pub use condition::{Condition, ToCondition};
#[doc(hidden)]
pub use emit::private as __private;
pub use error::Error;
pub use nullable::{ToBulkValue, ToMssql};
pub use order::{ColumnOrder, Comparable, KeptOrder, OrderedKey};
pub use row::RowKeys;

/// Compiles and runs the example of this package's README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct PackageReadme;
