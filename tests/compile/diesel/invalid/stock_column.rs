// Diesel's own column types hold the keys that are stored so on some backend, and no others.

use diesel::prelude::*;
use rowkey::{DistributedId, ShortPrefixComb, entity_key};

#[entity_key]
pub struct OfferId(ShortPrefixComb);

#[entity_key]
pub struct InvoiceId(DistributedId);

diesel::table! {
    offers { id -> Binary, invoice_id -> Numeric, }
}

fn main() {
    let _ = offers::id.eq(OfferId::generate());
    let _ = offers::invoice_id.eq(InvoiceId::generate());

    let _ = offers::id.eq(InvoiceId::generate());
    let _ = offers::invoice_id.eq(OfferId::generate());
}
