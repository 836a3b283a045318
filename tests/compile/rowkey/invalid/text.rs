//! Text forms that a key cannot have.

use rowkey::{DistributedId, Luuid, UuidV7, entity_key, key_union};

#[entity_key(text = "base62")]
pub struct CustomerId(UuidV7);

#[entity_key(text = 62)]
pub struct OrderId(UuidV7);

#[entity_key(text = "uuid")]
pub struct VisitId(UuidV7);

#[entity_key(text = "Decimal")]
pub struct NumberId(DistributedId);

#[entity_key(text = "decimal", prefix = "inv")]
pub struct InvoiceId(DistributedId);

#[entity_key(group = "com.acme.Person", text = "decimal")]
pub struct PersonId(Luuid);

#[entity_key(group = "com.acme.Client", text = "hexadecimal")]
pub struct ClientId(Luuid);

#[key_union]
pub enum AnyId {
    Person(PersonId),
    Client(ClientId),
}

fn main() {
    let _ = (CustomerId::generate(), OrderId::generate(), VisitId::generate());
    let _ = (NumberId::generate(), InvoiceId::generate());
}
