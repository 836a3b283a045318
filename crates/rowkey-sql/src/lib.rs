//! SQL text for the keys of rowkey.
//!
//! | for | use |
//! |---|---|
//! | an id in another form, inside the database | [`StoredForm`], [`Conversion`] |
//! | ids that the server makes | [`NewId`] |
//! | tables that are divided by the time or a number in their keys | [`Partitions`], [`RoutingColumnDefinition`] |
//! | the unique index on short keys of LUUIDs | [`short_key_index`] |
//!
//! Column definitions are in `rowkey_core::storage`, with the
//! [`StoragePlan`](rowkey_core::storage::StoragePlan).
//!
//! Expressions follow from the layout's permutation, the wire form and the fields of the format.
//! The expressions use only functions that all supported versions of a database have, and depend
//! only on the column. [`NewId`] also depends on the server's clock and random numbers.

#![no_std]
#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![warn(missing_docs)]

extern crate alloc;

mod calendar;
mod check;
mod compact_text;
mod conversion;
mod dialect;
mod id_bytes;
mod named;
mod new_id;
mod number;
mod partitioned_table;
mod partitions;
mod refused;
mod routed_partitions;
mod routing_column;
mod short_key_index;
mod sixteen_bytes;
mod sqlite_digits;
mod stored_form;
mod time_partitions;
mod whole_number;

pub use calendar::{day_starts, month_starts};
pub use conversion::Conversion;
pub use new_id::NewId;
pub use partitions::Partitions;
pub use routing_column::RoutingColumnDefinition;
pub use short_key_index::short_key_index;
pub use stored_form::StoredForm;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct PackageReadme;
