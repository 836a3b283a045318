//! The crate under another path, and a format under another name.

mod vendored {
    pub mod ids {
        pub use rowkey::*;
    }
}

use vendored::ids::{DistributedId, EntityKey};

#[vendored::ids::entity_key(
    crate = "crate::vendored::ids",
    prefix = "inv",
    storage(postgres = "binary"),
)]
struct InvoiceId(DistributedId);

/// A format under another name.
type Random = rowkey::UuidV4;

#[rowkey::entity_key(prefix = "cus")]
struct CustomerId(Random);

fn main() {
    let invoice = InvoiceId::generate();
    assert_eq!(InvoiceId::from_format(invoice.into_format()), Ok(invoice));
    let customer = CustomerId::generate();
    assert_eq!(CustomerId::try_from(Random::from(customer)), Ok(customer));
}
