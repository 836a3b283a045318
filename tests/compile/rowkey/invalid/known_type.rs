//! The most likely mistakes give one error with advice, and no other.

use rowkey::{EntityKey, entity_key, uuid};

#[entity_key]
pub struct CustomerId(uuid::Uuid);

#[entity_key(prefix = "inv", storage(postgres = "uuid"))]
struct InvoiceId(u128);

#[entity_key]
struct OrderId(String);

#[entity_key]
struct LineId([u8; 16]);

fn main() {
    let id = CustomerId::generate();
    let _ = (id.to_uuid(), InvoiceId::NAME, OrderId::PLAN);
    let _ = LineId::constant(1);
}
