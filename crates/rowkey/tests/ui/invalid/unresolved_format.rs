//! A format that is not imported.

use rowkey::entity_key;

#[entity_key]
pub struct CustomerId(ShortPrefixComb);

#[entity_key]
pub struct OrderId(ShortPrefix);

fn main() {
    let _ = CustomerId::generate();
}
