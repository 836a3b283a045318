//! Time ranges and lists of keys as conditions of a query.

use rowkey_core::EntityKey;
use rowkey_core::time_range::{Bounds, KeyRange};
use sea_orm::sea_query::{Expr, ExprTrait};
use sea_orm::{Condition, DbBackend, IntoSimpleExpr, Value};

use crate::value::{encode_bound_for, encode_for};

/// Time ranges and lists of keys as conditions, for the backend of a connection.
///
/// ```
/// use offer::OfferId;
/// use rowkey::driver::sea_orm::ToCondition;
/// use rowkey::{EntityKey, UnixMillis};
/// use sea_orm::entity::prelude::*;
/// use sea_orm::{DbBackend, QueryTrait};
///
/// mod offer {
///     # use rowkey::{ShortPrefixComb, entity_key};
///     # use sea_orm::entity::prelude::*;
///     #
///     # #[entity_key]
///     # pub struct OfferId(ShortPrefixComb);
///     #
///     #[sea_orm::model]
///     #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
///     #[sea_orm(table_name = "offer")]
///     pub struct Model {
///         #[sea_orm(primary_key, auto_increment = false)]
///         pub id: OfferId,
///     }
///     #
///     # impl ActiveModelBehavior for ActiveModel {}
/// }
///
/// let hour = UnixMillis::new(1_700_000_000_000)..UnixMillis::new(1_700_003_600_000);
/// let backend = DbBackend::Postgres; // of a connection: db.get_database_backend()
/// let of_that_hour = OfferId::bounds(hour).to_condition(offer::Column::Id, backend);
/// let query = offer::Entity::find().filter(of_that_hour).build(backend);
/// assert!(query.sql.ends_with(r#"WHERE "offer"."id" >= $1 AND "offer"."id" < $2"#));
/// ```
pub trait ToCondition {
    /// The key.
    type Key: EntityKey;

    /// The condition that a column holds one of these keys.
    ///
    /// For [`Bounds`], an edge that is not bounded is left out. A span without keys becomes a
    /// condition that nothing meets, one of all keys `IS NOT NULL`. A key over a short COMB can need
    /// two intervals, because its counter is a ring; ordering by the column then does not give the
    /// order of time.
    fn to_condition(&self, column: impl IntoSimpleExpr, backend: DbBackend) -> Condition
    where
        Self::Key: Into<Value>;
}

impl<K: EntityKey> ToCondition for Bounds<K> {
    type Key = K;

    fn to_condition(&self, column: impl IntoSimpleExpr, backend: DbBackend) -> Condition
    where
        K: Into<Value>,
    {
        let column = column.into_simple_expr();
        if self.is_empty() {
            // An empty `any` would be true.
            return Condition::all().add(Expr::cust("1 = 0"));
        }
        self.iter().fold(Condition::any(), |any, range| {
            any.add(interval(range, &column, backend))
        })
    }
}

/// The keys of an `IN` list, with the zeros that a short number has in SQLite; SeaORM's `eq` and `is_in`
/// lack them.
///
/// ```
/// use invoice::InvoiceId;
/// use rowkey::driver::sea_orm::ToCondition;
/// use sea_orm::entity::prelude::*;
/// use sea_orm::{DbBackend, QueryTrait};
///
/// mod invoice {
///     # use rowkey::{DistributedId, entity_key};
///     # use sea_orm::entity::prelude::*;
///     #
///     # #[entity_key]
///     # pub struct InvoiceId(DistributedId);
///     #
///     #[sea_orm::model]
///     #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
///     #[sea_orm(table_name = "invoice")]
///     pub struct Model {
///         #[sea_orm(primary_key, auto_increment = false)]
///         pub id: InvoiceId,
///     }
///     #
///     # impl ActiveModelBehavior for ActiveModel {}
/// }
///
/// let backend = DbBackend::Sqlite; // of a connection: db.get_database_backend()
/// let of_2078 = [InvoiceId::constant(2078)].to_condition(invoice::Column::Id, backend);
/// let query = invoice::Entity::find().filter(of_2078).build(backend);
/// assert!(query.to_string().ends_with("IN ('0000000000000000000000002078')"));
/// ```
impl<K: EntityKey> ToCondition for [K] {
    type Key = K;

    fn to_condition(&self, column: impl IntoSimpleExpr, backend: DbBackend) -> Condition
    where
        K: Into<Value>,
    {
        let keys = self.iter().map(|key| encode_for(backend, *key));
        Condition::all().add(column.into_simple_expr().is_in(keys))
    }
}

fn interval<K: EntityKey + Into<Value>>(
    range: &KeyRange<K>,
    column: &Expr,
    backend: DbBackend,
) -> Condition {
    let lower = range
        .lower
        .map(|lower| column.clone().gte(encode_bound_for(backend, lower)));
    let upper = range
        .upper
        .map(|upper| column.clone().lt(encode_bound_for(backend, upper)));
    if lower.is_none() && upper.is_none() {
        return Condition::all().add(column.clone().is_not_null());
    }
    Condition::all().add_option(lower).add_option(upper)
}
