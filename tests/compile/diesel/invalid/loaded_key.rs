// A column is not read as a key of another entity, and a NULL not as a key.

use diesel::prelude::*;
use rowkey::driver::diesel::Key;
use rowkey::{ShortPrefixComb, entity_key};

#[entity_key]
pub struct OfferId(ShortPrefixComb);

#[entity_key]
pub struct CustomerId(ShortPrefixComb);

diesel::table! {
    use super::{CustomerId, Key, OfferId};
    use diesel::sql_types::Nullable;

    offers { id -> Key<OfferId>, customer_id -> Nullable<Key<CustomerId>>, }
}

fn main() {
    let mut db = SqliteConnection::establish(":memory:").unwrap();
    let _ = offers::table.select(offers::id).load::<CustomerId>(&mut db);
    let _ = offers::table.select(offers::customer_id).load::<CustomerId>(&mut db);
}
