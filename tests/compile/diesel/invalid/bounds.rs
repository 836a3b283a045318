// The bounds of another key's time span are no condition on a column.

use rowkey::driver::diesel::{Key, KeyColumnMethods};
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
    let _ = offers::id.within(&CustomerId::bounds(..));
}
