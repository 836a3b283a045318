// An entity with the key of another is not inserted.

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

#[derive(Insertable)]
#[diesel(table_name = offers)]
struct Offer {
    id: CustomerId,
}

fn main() {}
