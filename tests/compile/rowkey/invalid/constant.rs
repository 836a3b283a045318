//! Constants that are not valid keys.

use rowkey::{DistributedId128, Luuid, UuidV7, entity_key};

#[entity_key]
struct CustomerId(UuidV7);

#[entity_key(storage(postgres = "decimal"))]
struct InvoiceId(DistributedId128);

#[entity_key(group = "com.acme.Person")]
struct PersonId(Luuid);

const NO_VERSION_7: CustomerId = CustomerId::constant(1);
const TOO_LONG: InvoiceId = InvoiceId::constant(u128::MAX);
const OTHER_GROUP: PersonId = PersonId::constant(0x6f47_a000_0000_0000_0000);

fn main() {}
