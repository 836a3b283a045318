//! Invalid labels, and keys without a label, whose error says how to declare one.

use rowkey::public_id::PublicIdLabel;
use rowkey::{DistributedId, UuidV7, entity_key};

#[entity_key(public_id = "")]
pub struct InvoiceId(DistributedId);

#[entity_key(public_id = "Order")]
pub struct OrderId(UuidV7);

#[entity_key(public_id = "line item")]
pub struct LineItemId(UuidV7);

#[entity_key(public_id = 5)]
pub struct PaymentId(UuidV7);

#[entity_key]
pub struct CustomerId(UuidV7);

fn label<T: PublicIdLabel>() -> &'static str {
    T::LABEL
}

fn main() {
    let _ = (label::<InvoiceId>(), label::<PaymentId>());
    let _ = label::<CustomerId>();
}
