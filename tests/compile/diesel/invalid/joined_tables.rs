// A foreign key does not join the table of other keys.

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

diesel::table! {
    use super::{Key, OfferId};

    stops (offer_id) { offer_id -> Key<OfferId>, }
}

diesel::joinable!(offers -> stops (customer_id));

fn main() {}
