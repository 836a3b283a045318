//! User attributes on keys, unions and their variants.

#![deny(warnings)]

use rowkey::luuid::KeyUnion;
use rowkey::{AnyUuid, EntityKey, Luuid, entity_key, key_union};

#[entity_key(group = "com.acme.Customer")]
pub struct CustomerId(Luuid);

#[entity_key(group = "com.acme.Order")]
pub struct OrderId(Luuid);

/// A key for another platform, which is not compiled.
#[entity_key(group = "com.acme.Elsewhere")]
#[cfg(any())]
pub struct ElsewhereId(Luuid);

#[key_union]
pub enum AnyId {
    #[cfg_attr(all(), doc = "A customer.", allow(dead_code))]
    Customer(CustomerId),
    #[cfg_attr(all(), cfg(any()))]
    Elsewhere(ElsewhereId),
    #[cfg_attr(all(), doc = "Not here.", cfg_attr(all(), cfg(any())))]
    Nowhere(ElsewhereId),
    #[cfg_attr(true, cfg(false))]
    NotYet(ElsewhereId),
    #[cfg_attr(any(), cfg(any()))]
    Order(OrderId),
}

/// Deprecated as a whole.
#[key_union]
#[deprecated = "use `AnyId`"]
pub enum OldId {
    Customer(CustomerId),
}

#[entity_key]
#[cfg_attr(all(), deprecated)]
pub struct ProposalId(AnyUuid);

/// With one deprecated variant.
#[key_union]
pub enum SomeId {
    Customer(CustomerId),
    #[deprecated]
    Order(OrderId),
}

#[entity_key(group = "com.acme.Parcel")]
#[deprecated]
pub struct ParcelId(Luuid);

#[key_union]
#[allow(deprecated)]
pub enum ShippedId {
    Order(OrderId),
    Parcel(ParcelId),
}

fn main() {
    assert_eq!(AnyId::GROUPS.len(), 2);
    assert_eq!(SomeId::GROUPS.len(), 2);
    let customer = CustomerId::generate_for(&CustomerId::luuid_context(1));
    assert_eq!(SomeId::from(customer).to_uuid(), customer.to_uuid());
}
