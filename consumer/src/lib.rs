//! Keys as a user of rowkey declares them, under lints stricter than most users'.

#![no_std]
#![forbid(unsafe_code)]
#![deny(
    warnings,
    missing_docs,
    missing_debug_implementations,
    unreachable_pub,
    unused_results
)]
#![deny(
    unused_qualifications,
    single_use_lifetimes,
    trivial_casts,
    unused_crate_dependencies
)]
#![deny(clippy::all, clippy::pedantic, clippy::nursery)]

// Dependencies of tests, which are not a dependency of anything here.
#[cfg(feature = "diesel-sqlite")]
use libsqlite3_sys as _;
#[cfg(feature = "proptest")]
use proptest as _;
#[cfg(feature = "rust_decimal")]
use rust_decimal as _;
#[cfg(feature = "schemars")]
use schemars as _;
#[cfg(any(feature = "default", feature = "serde"))]
use serde_json as _;
#[cfg(feature = "utoipa")]
use utoipa as _;

pub mod formats;
pub mod shadowed;

pub use renamed::{ShipId, TicketId};
use rowkey::{EntityKey, PrefixComb, entity_key};

/// A passenger, over a type that others know by its path only.
pub use passenger::PassengerId;

mod passenger {
    //! A private module with a key that the crate gives out, and one that it keeps.

    use super::{PrefixComb, entity_key};

    /// A passenger.
    #[entity_key]
    pub struct PassengerId(PrefixComb);

    /// A seat, which is private.
    #[entity_key(prefix = "seat")]
    pub(super) struct SeatId(rowkey::UuidV4);
}

/// The text of a seat, whose key stays inside.
///
/// # Errors
///
/// If the value isn't a random UUID.
pub fn seat_label(value: u128) -> Result<impl core::fmt::Display, rowkey::Error> {
    passenger::SeatId::try_from(value)
}

/// What generic code asks of keys: a value, and the same value out of its text.
///
/// # Errors
///
/// If the text of the key isn't of its format.
pub fn through_text<K: EntityKey>(key: K) -> Result<K, rowkey::Error> {
    extern crate alloc;
    alloc::string::ToString::to_string(&key).parse()
}
