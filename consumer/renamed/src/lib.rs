//! A crate that knows rowkey under another name, turns on none of its features and has no other
//! dependency: its keys have the traits that other crates asked for all the same.

#![no_std]
#![forbid(unsafe_code)]
#![deny(warnings, missing_docs, clippy::pedantic, clippy::nursery)]

use ids::{DistributedId, Luuid, ShortPrefixComb, entity_key, key_union};

/// A ship.
#[entity_key(crate = "ids")]
pub struct ShipId(ShortPrefixComb);

/// A ticket.
#[entity_key(crate = "ids", prefix = "tkt", storage(postgres = "uuid"))]
pub struct TicketId(DistributedId);

/// A passenger.
#[entity_key(crate = "ids", group = "com.acme.Passenger")]
pub struct PassengerId(Luuid);

/// A cabin.
#[entity_key(crate = "ids", group = "com.acme.Cabin", prefix = "cab")]
pub struct CabinId(Luuid);

/// What a label on board stands for.
#[key_union(crate = "ids")]
pub enum LabelId {
    /// A passenger.
    Passenger(PassengerId),
    /// A cabin.
    Cabin(CabinId),
}
