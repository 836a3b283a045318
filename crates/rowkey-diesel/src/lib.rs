//! Typed keys of rowkey in Diesel: as columns, parameters and bounds of a range.

#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod backend;
mod bound;
mod column;
mod emit;
mod error;
mod multi;
mod sql_type;

#[cfg(feature = "mysql")]
mod mysql;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(feature = "sqlite")]
mod sqlite;

pub use backend::{ReadKey, WriteKey};
pub use bound::{BoundParam, KeyColumnMethods, ToDiesel, Within};
pub use column::KeyColumn;
#[doc(hidden)]
pub use emit::private as __private;
pub use error::Error;
pub use sql_type::Key;
