#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod address;
pub mod catalog;
mod error;
pub mod inventory;
mod progress;
pub mod schema;
mod stored_ids;

// For the crates that build on this one; not a stable interface.
#[doc(hidden)]
pub mod advisory_lock;
#[doc(hidden)]
pub mod connection;
#[doc(hidden)]
pub mod dialect;
#[doc(hidden)]
pub mod digest;
#[doc(hidden)]
pub mod refusals;
#[doc(hidden)]
pub mod text_literal;
#[doc(hidden)]
pub mod types;

pub use crate::address::Address;
pub use crate::connection::{Connection, Row, Value};
pub use crate::error::Error;
pub use crate::progress::{Progress, Silent, Step};
pub use crate::stored_ids::StoredIds;
