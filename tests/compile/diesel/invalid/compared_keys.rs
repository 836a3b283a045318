// A key of another entity is no value for a column, whatever the operator.

use diesel::prelude::*;
use rowkey::driver::diesel::Key;
use rowkey::{ShortPrefixComb, entity_key};

#[entity_key]
pub struct OfferId(ShortPrefixComb);

#[entity_key]
pub struct CustomerId(ShortPrefixComb);

diesel::table! {
    use super::{CustomerId, Key, OfferId};

    offers { id -> Key<OfferId>, customer_id -> Key<CustomerId>, }
}

fn main() {
    let customer = CustomerId::generate();
    let _ = offers::id.eq(customer);
    let _ = offers::id.eq_any([customer]);
    let _ = offers::id.between(customer, customer);
}
