//! Formats, layouts, storage plans, bounds and validation of database-friendly ids.
//!
//! Data flows in one direction: a [`Format`](format::Format) is 128 bits in public (RFC) order; the
//! [`StoragePlan`](storage::StoragePlan) of a key says how each backend stores them; a driver crate
//! only transfers the bytes. Every rule about bytes, order, bounds, widths and column types is in
//! this crate and needs no database.
//!
//! The public form of an id is what people and programs exchange: 16 bytes, or their text, in the
//! order of a UUID in RFC 9562. A layout rearranges them for one column; nothing else sees that.
//!
//! Without its default feature `std`, the crate is `no_std` with `alloc` and lacks the system
//! clock, the per-thread randomness, generators with state, and scopes.

#![no_std]
#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![warn(missing_docs)]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

// To read the crate: `kind`, `bits`, `format::spec`, one file in `format`, `layout`, `text`,
// `storage::column`, `key`, `generate`. The rest can be read in any order.
mod bits;
mod bounds;
mod emit;
mod external;
mod key;
mod kind;
mod layout;
mod message;
mod named;
mod registry;
mod time;
mod value_range;

pub mod driver;
pub mod error;
pub mod format;
pub mod generate;
pub mod luuid;
pub mod routing;
pub mod storage;
pub mod text;
pub mod time_range;
pub mod validate;

macro_rules! export_formats {
    ([] $({$module:ident $format:ident $($rest:tt)*})*) => {
        pub use format::{$($format),*};
    };
}

/// Parts of formats, plans and columns that only `rowkey-sql` uses. Not public API.
#[doc(hidden)]
pub mod __sql {
    pub use crate::bits::FixedBits;
    pub use crate::format::distributed_id::LEEWAY_MS;
    pub use crate::format::spec::{TimeField, TimeRange, TimeUnit};
    pub use crate::routing::{ByteOrder, NumberField, NumberSize};
    pub use crate::storage::{column_definition, parse_choice};
}

#[doc(hidden)]
pub use emit::private as __private;
pub use error::Error;
kind::format_rows!(export_formats);
pub use key::EntityKey;
pub use storage::Backend;
pub use time::UnixMillis;
/// The crate of [`Uuid`], which formats and keys convert to and from.
pub use uuid;
pub use uuid::Uuid;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct PackageReadme;
