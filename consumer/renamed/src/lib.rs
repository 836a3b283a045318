//! A crate that knows rowkey under another name, turns on none of its features and has no other
//! dependency: its keys have the traits that other crates asked for all the same.

#![no_std]
#![forbid(unsafe_code)]
#![deny(warnings, missing_docs, clippy::pedantic, clippy::nursery)]

use ids::{DistributedId, ShortPrefixComb, entity_key};

/// A ship.
#[entity_key(crate = "ids")]
pub struct ShipId(ShortPrefixComb);

/// A ticket.
#[entity_key(crate = "ids", prefix = "tkt", storage(postgres = "uuid"))]
pub struct TicketId(DistributedId);
