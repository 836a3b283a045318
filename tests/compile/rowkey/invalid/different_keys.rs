//! Keys of different entities do not compare, convert or replace each other.

use rowkey::{UuidV7, entity_key};

#[entity_key]
struct CustomerId(UuidV7);

#[entity_key]
struct OrderId(UuidV7);

fn customer(_: CustomerId) {}

fn main() {
    let (customer_id, order_id) = (CustomerId::generate(), OrderId::generate());
    let _ = customer_id == order_id;
    let _ = customer_id < order_id;
    let _: CustomerId = order_id.into();
    customer(order_id);
}
