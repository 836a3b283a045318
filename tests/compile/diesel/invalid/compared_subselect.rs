// A column isn't compared with the keys that another query selects if their entity is another.

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

diesel::table! {
    use super::{CustomerId, Key};

    customers { id -> Key<CustomerId>, }
}

diesel::allow_tables_to_appear_in_same_query!(offers, customers);

fn main() {
    let _ = offers::table.filter(offers::id.eq_any(customers::table.select(customers::id)));
}
