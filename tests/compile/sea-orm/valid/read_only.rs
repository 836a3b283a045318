//! A key whose columns differ is declared, and read, as any other.

use rowkey::{DistributedId, entity_key};
use sea_orm::{DbErr, FromQueryResult, QueryResult};

#[entity_key(storage(postgres = "uuid"))]
pub struct InvoiceId(DistributedId);

#[derive(FromQueryResult)]
struct Summary {
    id: InvoiceId,
    corrects: Option<InvoiceId>,
}

fn main() {
    let _: fn(&QueryResult, &str) -> Result<Summary, DbErr> = Summary::from_query_result;
    let _ = |found: Summary| (found.id, found.corrects);
}
