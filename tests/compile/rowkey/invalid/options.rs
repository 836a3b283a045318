//! All wrong options are reported at once, without further errors.

use rowkey::{DistributedId, EntityKey, UuidV7, entity_key};

#[entity_key(
    prefix = "Inv",
    storage(postgres = "uuid", oracle = "raw", sql_server = "uuid", mysql = "uuid", mariadb = "binary"),
    table = "invoice",
    prefix = "inv",
)]
pub struct InvoiceId(DistributedId);

#[entity_key("cus")]
pub struct CustomerId(UuidV7);

#[entity_key(prefix = 5, storage = "uuid", crate = "not a path")]
pub struct OrderId(UuidV7);

fn main() {
    let _ = (InvoiceId::generate().to_uuid(), CustomerId::PLAN, OrderId::NAME);
}
