//! Some formats need a context to generate ids.

use rowkey::{EntityKey, Iuid, entity_key};

#[entity_key]
struct OrderId(Iuid);

fn main() {
    let _ = OrderId::generate();
    let _ = OrderId::try_generate();
    let _ = OrderId::generate_batch(3);
}
