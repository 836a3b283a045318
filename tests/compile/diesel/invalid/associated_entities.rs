// Entities of a foreign key do not belong to an entity of another key.

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
    use super::{CustomerId, Key, OfferId};
    use diesel::sql_types::Integer;

    stops { id -> Integer, offer_id -> Key<OfferId>, customer_id -> Key<CustomerId>, }
}

#[derive(Identifiable)]
struct Offer {
    id: OfferId,
}

#[derive(Identifiable, Associations)]
#[diesel(belongs_to(Offer))]
struct Stop {
    id: i32,
    offer_id: OfferId,
}

// Compiles: Diesel compares the types only where the association is used.
#[derive(Identifiable, Associations)]
#[diesel(table_name = stops, belongs_to(Offer, foreign_key = customer_id))]
struct Visit {
    id: i32,
    customer_id: CustomerId,
}

fn main() {
    let offer = Offer {
        id: OfferId::generate(),
    };
    let _ = Stop::belonging_to(&offer);
    let _ = Visit::belonging_to(&offer);
}
