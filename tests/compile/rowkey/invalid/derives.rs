//! Derives of traits that the attributes implement.

use rowkey::{Luuid, UuidV7, entity_key, key_union};
use serde::{Deserialize, Serialize};

#[entity_key]
#[derive(Debug, Clone, PartialOrd)]
#[derive(Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct OrderId(UuidV7);

#[key_union]
#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum AnyId {
    Customer(CustomerId),
}

// A derive above the attribute is expanded first, so the attribute cannot see it.
#[derive(Debug)]
#[entity_key(group = "com.acme.Customer")]
pub struct CustomerId(Luuid);

fn main() {
    let _ = OrderId::generate();
}
