// A backend without impls for keys.

use diesel::prelude::*;
use rowkey::driver::diesel::Key;
use rowkey::{ShortPrefixComb, entity_key};

#[entity_key]
pub struct OfferId(ShortPrefixComb);

diesel::table! {
    use super::{Key, OfferId};

    offers { id -> Key<OfferId>, }
}

mod connection {
    #[derive(diesel::MultiConnection)]
    pub enum AnyConnection {
        Sqlite(diesel::SqliteConnection),
    }
}

fn main() {
    let mut db = connection::AnyConnection::establish(":memory:").unwrap();
    let _ = diesel::delete(offers::table.filter(offers::id.eq(OfferId::generate())))
        .execute(&mut db);
}
