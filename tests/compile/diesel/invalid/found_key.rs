// A row is not found by the key of another entity.

use diesel::prelude::*;
use rowkey::driver::diesel::Key;
use rowkey::{ShortPrefixComb, entity_key};

#[entity_key]
pub struct OfferId(ShortPrefixComb);

#[entity_key]
pub struct CustomerId(ShortPrefixComb);

diesel::table! {
    use super::{Key, OfferId};

    offers { id -> Key<OfferId>, }
}

fn main() {
    let _ = offers::table.find(CustomerId::generate());
}
