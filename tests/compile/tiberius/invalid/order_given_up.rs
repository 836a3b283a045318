//! A span of keys whose order the declaration gives up in SQL Server.

use rowkey::driver::tiberius::{Condition, ToParam};
use rowkey::luuid::ShortKey;
use rowkey::{Luuid, UnixMillis, UuidV7, entity_key};

#[entity_key(storage(sqlserver = "uuid:public-unordered"))]
struct VisitId(UuidV7);

#[entity_key(group = "com.acme.Customer", storage(sqlserver = "uuid:public-unordered"))]
struct CustomerId(Luuid);

fn main() {
    // What does not need the order.
    let visit = VisitId::generate();
    let _ = Condition::in_keys("id", &[visit], 1);
    let _ = Some(visit).to_param();
    let since = VisitId::bounds(UnixMillis::EPOCH..);

    let _ = Condition::within("id", &since, 1);
    let _ = since[0].lower.map(|edge| edge.to_param());

    let number = ShortKey::<CustomerId>::new(7).unwrap();
    let _ = Condition::within("id", number.bounds(), 1);
}
