//! Unions of keys that cannot be distinguished.

use rowkey::luuid::{KeyGroup, KeyGroups};
use rowkey::{Luuid, UuidV7, entity_key, key_union};

#[entity_key(group = "com.acme.Price", prefix = "p")]
pub struct PriceId(Luuid);

#[entity_key(group = "com.acme.Wallet")]
pub struct WalletId(Luuid);

#[entity_key(group = "com.acme.Person", prefix = "p")]
pub struct PersonId(Luuid);

#[entity_key(group = "com.acme.Person")]
pub struct ClientId(Luuid);

#[entity_key]
pub struct InvoiceId(UuidV7);

#[key_union]
pub enum SameNumber {
    Price(PriceId),
    Wallet(WalletId),
}

#[key_union]
pub enum SameGroup {
    Price(PriceId),
    Person(PersonId),
    Client(ClientId),
}

#[key_union]
pub enum SamePrefix {
    Price(PriceId),
    Person(PersonId),
}

#[key_union]
pub enum OtherFormat {
    Price(PriceId),
    Invoice(InvoiceId),
}

#[key_union(prefix = "any")]
#[derive(Debug)]
pub enum Shapes {
    Nothing,
    Two(PriceId, WalletId),
    Price(PriceId),
}

#[key_union]
pub enum Empty {}

#[key_union]
pub struct Key(Luuid);

pub const GROUPS: KeyGroups = KeyGroups::new(&[
    KeyGroup::of::<WalletId>(),
    KeyGroup::named("com.acme.Other", "ids of another service"),
    KeyGroup::of::<PriceId>(),
]);

fn main() {}
