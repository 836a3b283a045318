//! The database counts these numbers, so no program makes one.

use rowkey::generate::Generate;
use rowkey::{DatabaseNumber, EntityKey, entity_key};

#[entity_key]
struct InvoiceNumber(DatabaseNumber);

fn main() {
    let _ = InvoiceNumber::generate();
    let _ = InvoiceNumber::generate_batch(3);
    let _ = DatabaseNumber::generate();
}
