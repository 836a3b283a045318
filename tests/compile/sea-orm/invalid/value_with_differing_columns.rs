//! Neither the fields of entities nor queries take a key whose columns differ.

use rowkey::driver::sea_orm::KeyColumnMethods;
use rowkey::{DistributedId, DistributedId128, UnixMillis, entity_key};
use sea_orm::sea_query::Expr;
use sea_orm::{ActiveValue, DbBackend, Value};

/// Numbers of 38 digits, of which generated ids use 37.
#[entity_key(storage(postgres = "decimal", mysql = "decimal", sqlite = "decimal"))]
struct EventId(DistributedId128);

/// A uuid in PostgreSQL, a number in MySQL.
#[entity_key(storage(postgres = "uuid"))]
struct InvoiceId(DistributedId);

struct ActiveModel {
    id: ActiveValue<InvoiceId>,
}

fn main() {
    let _ = Value::from(EventId::generate());
    let _: Value = Some(EventId::generate()).into();
    let bounds = EventId::bounds(UnixMillis::new(0)..);
    let _ = Expr::col("id").within(bounds, DbBackend::Postgres);
}
