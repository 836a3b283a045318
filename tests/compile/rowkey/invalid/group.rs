//! LUUID keys need a group, and others cannot have one.

use rowkey::{Luuid, UuidV4, entity_key};

#[entity_key]
pub struct PersonId(Luuid);

#[entity_key(group = "com.acme.Customer")]
pub struct CustomerId(UuidV4);

#[entity_key(group = "")]
pub struct SupplierId(Luuid);

#[entity_key(group = Supplier)]
pub struct BranchId(Luuid);

#[entity_key(group = "com.acme.Depot ")]
pub struct DepotId(Luuid);

#[entity_key(group = "\u{feff}com.acme.Parcel")]
pub struct ParcelId(Luuid);

fn main() {}
