//! The declarations that the doctor writes are ones that compile.

use std::str::FromStr;

use rowkey::{
    DistributedId, EntityKey, PrefixComb, ShortPrefixComb, ShortSuffixComb, UuidV4, UuidV7,
    entity_key,
};

include!("declarations.txt");

const WRITTEN: &str = include_str!("declarations.txt");

#[test]
fn what_the_doctor_declares_compiles() {
    fn largest<K: EntityKey + FromStr>() -> u128 {
        K::PLAN.max_value()
    }
    let compiled = [
        largest::<OfferId>(),
        largest::<ArticleId>(),
        largest::<CustomerId>(),
        largest::<ShipmentId>(),
        largest::<OrderEntryId>(),
        largest::<InvoiceId>(),
        largest::<SupplierId>(),
        largest::<BlogId>(),
    ];
    assert_eq!(WRITTEN.lines().count(), compiled.len());
}
