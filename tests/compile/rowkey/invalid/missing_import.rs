//! The traits of drivers that are not imported, for which the compiler proposes paths of `rowkey`.

use rowkey::driver::diesel::Key;
use rowkey::{UuidV7, entity_key};
use sea_orm::DbBackend;
use sea_orm::sea_query::Expr;

#[entity_key]
pub struct OfferId(UuidV7);

diesel::table! {
    use super::{Key, OfferId};

    offers { id -> Key<OfferId>, }
}

fn main() {
    let bounds = OfferId::bounds(..);
    let mut query = sqlx::QueryBuilder::<sqlx::Sqlite>::new("");
    let _ = query.push_within("id", bounds);
    let _ = offers::id.within(bounds);
    let _ = Expr::col("id").within(bounds, DbBackend::Sqlite);
}
