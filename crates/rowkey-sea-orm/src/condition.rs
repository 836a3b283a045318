//! Time ranges and lists of keys as conditions of a query.

use std::borrow::Borrow;

use rowkey_core::storage::quote_identifier;
use rowkey_core::time_range::{Bounds, KeyRange};
use rowkey_core::{Backend, EntityKey};
use sea_orm::sea_query::{ColumnName, ColumnRef, Expr, ExprTrait};
use sea_orm::{Condition, DbBackend, IntoSimpleExpr, Value};

use crate::value::{ToParam, encode_for};

/// Conditions on columns of keys, for the backend of a connection.
pub trait KeyColumnMethods: IntoSimpleExpr + Sized {
    /// The condition that the column holds one of the keys of a time span.
    ///
    /// An unbounded edge is omitted. A span without keys becomes a condition that no row meets, one
    /// of all keys `IS NOT NULL`. A key over a short COMB can need two intervals, because its
    /// counter wraps around; `ORDER BY` then does not sort by time.
    ///
    /// ```
    /// use offer::OfferId;
    /// use rowkey::driver::sea_orm::KeyColumnMethods;
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
    /// let of_that_hour = offer::Column::Id.within(OfferId::bounds(hour), backend);
    /// let query = offer::Entity::find().filter(of_that_hour).build(backend);
    /// assert!(query.sql.ends_with(r#"WHERE "offer"."id" >= $1 AND "offer"."id" < $2"#));
    /// ```
    fn within<K: EntityKey + Into<Value>>(
        self,
        bounds: impl Borrow<Bounds<K>>,
        backend: DbBackend,
    ) -> Condition {
        let (column, bounds) = (column(self, backend), bounds.borrow());
        if bounds.is_empty() {
            // An empty `any` would be true.
            return Condition::all().add(Expr::cust("1 = 0"));
        }
        bounds.iter().fold(Condition::any(), |any, range| {
            any.add(interval(range, &column, backend))
        })
    }

    /// The condition that the column holds one of some keys: like `is_in`, but with the leading
    /// zeros that short numbers have in SQLite, which SeaORM's `eq` and `is_in` omit.
    ///
    /// ```
    /// use invoice::InvoiceId;
    /// use rowkey::driver::sea_orm::KeyColumnMethods;
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
    /// let of_2078 = invoice::Column::Id.in_keys(&[InvoiceId::constant(2078)], backend);
    /// let query = invoice::Entity::find().filter(of_2078).build(backend);
    /// assert!(query.to_string().ends_with("IN ('0000000000000000000000002078')"));
    /// ```
    fn in_keys<K: EntityKey + Into<Value>>(self, keys: &[K], backend: DbBackend) -> Condition {
        let keys = keys.iter().map(|key| encode_for(*key, backend));
        Condition::all().add(column(self, backend).is_in(keys))
    }

    /// The condition that the column holds a key, but none of these: like `is_not_in`, with the
    /// leading zeros of [`in_keys`](Self::in_keys).
    ///
    /// The condition is true for an empty list, even if the column is NULL.
    fn not_in_keys<K: EntityKey + Into<Value>>(self, keys: &[K], backend: DbBackend) -> Condition {
        let keys = keys.iter().map(|key| encode_for(*key, backend));
        Condition::all().add(column(self, backend).is_not_in(keys))
    }
}

impl<C: IntoSimpleExpr> KeyColumnMethods for C {}

/// The column; without its table, it is in backticks in SQLite, which takes an unknown name in
/// double quotes for a text.
fn column(column: impl IntoSimpleExpr, backend: DbBackend) -> Expr {
    let expression = column.into_simple_expr();
    if backend == DbBackend::Sqlite
        && let Expr::Column(ColumnRef::Column(ColumnName(None, name))) = &expression
        && let Ok(quoted) = quote_identifier(Backend::Sqlite, &name.to_string())
    {
        return Expr::cust(quoted);
    }
    expression
}

fn interval<K: EntityKey + Into<Value>>(
    range: &KeyRange<K>,
    column: &Expr,
    backend: DbBackend,
) -> Condition {
    let lower = range
        .lower
        .map(|lower| column.clone().gte(lower.to_param(backend)));
    let upper = range
        .upper
        .map(|upper| column.clone().lt(upper.to_param(backend)));
    if lower.is_none() && upper.is_none() {
        return Condition::all().add(column.clone().is_not_null());
    }
    Condition::all().add_option(lower).add_option(upper)
}
