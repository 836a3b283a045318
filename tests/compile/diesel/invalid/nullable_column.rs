// Diesel takes any option for a column that may be NULL, and notices when the query is run.

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
    let offer = OfferId::generate();
    let _ = diesel::delete(offers::table.filter(offers::customer_id.eq(Some(offer))))
        .execute(&mut db);
}
