//! Bounds of a time range as parameters, and conditions on columns of keys.

use std::borrow::Borrow;
use std::fmt;

use diesel::ExpressionMethods as _;
use diesel::backend::Backend;
use diesel::dsl;
use diesel::expression::{
    AppearsOnTable, AsExpression, Expression, SelectableExpression, ValidGrouping,
};
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::result::QueryResult;
use diesel::serialize::{self, Output, ToSql};
use diesel::sql_types::is_nullable::{IsSqlTypeNullable, MaybeNullable};
use diesel::sql_types::{Bool, HasSqlType, MaybeNullableType, SingleValue, SqlType};
use rowkey_core::EntityKey;
use rowkey_core::time_range::{Bounds, ConditionPart, KeyBound};

use crate::backend::{KeyValue, WriteKey};
use crate::column::KeyColumn;
use crate::parameter::{KeyList, Parameter, push};

/// A [`KeyBound`] as the parameter of a query; made by [`ToParam::to_param`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BoundParam<K>(KeyBound<K>);

impl<K: EntityKey> KeyValue for BoundParam<K> {
    type Key = K;

    fn public_value(&self) -> u128 {
        self.0.to_u128()
    }
}

impl<K: EntityKey> fmt::Debug for BoundParam<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("BoundParam").field(&self.0).finish()
    }
}

impl<K, ST> AsExpression<ST> for BoundParam<K>
where
    K: EntityKey,
    ST: KeyColumn<K>,
{
    type Expression = Parameter<K, ST, Self>;

    fn as_expression(self) -> Self::Expression {
        Parameter::new(self)
    }
}

impl<K, ST, DB> ToSql<ST, DB> for BoundParam<K>
where
    K: EntityKey,
    ST: KeyColumn<K>,
    DB: WriteKey<Self, ST>,
{
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, DB>) -> serialize::Result {
        DB::write(self, out)
    }
}

/// The conversion of a [`KeyBound`] into something that Diesel compares with a column.
///
/// Neither the bound nor Diesel's traits belong to this crate, so the bound cannot be a parameter
/// itself. For a whole time range, [`KeyColumnMethods::within`] is shorter and includes the second
/// interval that a short COMB can need.
///
/// ```
/// use diesel::prelude::*;
/// use rowkey::driver::diesel::{Key, ToParam};
/// use rowkey::{EntityKey, UnixMillis, UuidV7, entity_key};
///
/// #[entity_key]
/// pub struct VisitId(UuidV7);
///
/// diesel::table! {
///     use super::{Key, VisitId};
///     visits { id -> Key<VisitId>, }
/// }
///
/// fn count_since(time: UnixMillis, db: &mut SqliteConnection) -> QueryResult<i64> {
///     match VisitId::bounds(time..).first().and_then(|range| range.lower) {
///         Some(edge) => visits::table
///             .filter(visits::id.ge(edge.to_param()))
///             .count()
///             .get_result(db),
///         None => visits::table.count().get_result(db),
///     }
/// }
/// # fn main() {}
/// ```
pub trait ToParam {
    /// The expression that Diesel compares.
    type Param;

    /// Converts the value into a parameter.
    fn to_param(self) -> Self::Param;
}

impl<K: EntityKey> ToParam for KeyBound<K> {
    type Param = BoundParam<K>;

    fn to_param(self) -> BoundParam<K> {
        BoundParam(self)
    }
}

/// Conditions on columns of keys that Diesel lacks, or lacks for some connections.
pub trait KeyColumnMethods: Expression<SqlType: SqlType> + Sized {
    /// The condition that the column holds one of the keys of a time span.
    ///
    /// An unbounded edge is omitted. A span without keys becomes `1 = 0`, one of all keys
    /// `IS NOT NULL`. A key over a short COMB can need two intervals, because its counter wraps
    /// around; `ORDER BY` then does not sort by time.
    ///
    /// ```
    /// use diesel::prelude::*;
    /// use rowkey::driver::diesel::{Key, KeyColumnMethods};
    /// use rowkey::{EntityKey, ShortPrefixComb, UnixMillis, entity_key};
    ///
    /// #[entity_key]
    /// pub struct OfferId(ShortPrefixComb);
    ///
    /// diesel::table! {
    ///     use super::{Key, OfferId};
    ///     use diesel::sql_types::Text;
    ///     offers { id -> Key<OfferId>, title -> Text, }
    /// }
    ///
    /// # fn main() {
    /// let hour = UnixMillis::new(1_700_000_000_000)..UnixMillis::new(1_700_003_600_000);
    /// let query = offers::table
    ///     .filter(offers::title.like("Fjord%"))
    ///     .filter(offers::id.within(OfferId::bounds(hour)))
    ///     .select(offers::title);
    /// let sql = diesel::debug_query::<diesel::sqlite::Sqlite, _>(&query).to_string();
    /// assert!(sql.contains("AND (`offers`.`id` >= ? AND `offers`.`id` < ?)"), "{sql}");
    /// # }
    /// ```
    fn within<K>(self, bounds: impl Borrow<Bounds<K>>) -> Within<Self, K>
    where
        K: EntityKey,
        Self::SqlType: KeyColumn<K>,
    {
        let mut parts = Vec::new();
        bounds
            .borrow()
            .write_condition(|part| parts.push(part.into()));
        Within {
            column: self,
            parts,
        }
    }

    /// The condition that the column holds one of some keys: like `eq_any`, but also correct with
    /// the MySQL connection of `diesel-async`.
    ///
    /// The condition is false for an empty list. In PostgreSQL it has one parameter, an array.
    ///
    /// ```
    /// use diesel::prelude::*;
    /// use rowkey::driver::diesel::{Key, KeyColumnMethods};
    /// use rowkey::{DistributedId, entity_key};
    ///
    /// #[entity_key]
    /// pub struct InvoiceId(DistributedId);
    ///
    /// diesel::table! {
    ///     use super::{InvoiceId, Key};
    ///     invoices { id -> Key<InvoiceId>, }
    /// }
    ///
    /// # fn main() {
    /// let ids = [InvoiceId::generate(), InvoiceId::generate()];
    /// let query = invoices::table.filter(invoices::id.in_keys(&ids));
    /// let sql = diesel::debug_query::<diesel::mysql::Mysql, _>(&query).to_string();
    /// assert!(sql.contains("IN (CAST(? AS DECIMAL(28,0)), CAST(? AS DECIMAL(28,0)))"), "{sql}");
    /// # }
    /// ```
    fn in_keys<K, V>(
        self,
        keys: impl IntoIterator<Item = V>,
    ) -> dsl::EqAny<Self, KeyList<K, Self::SqlType>>
    where
        K: EntityKey + AsExpression<Self::SqlType>,
        V: Borrow<K>,
        Self::SqlType: KeyColumn<K> + SingleValue,
    {
        self.eq_any(KeyList::new(keys))
    }

    /// The condition that the column holds none of some keys: like `ne_all`, but also correct with
    /// the MySQL connection of `diesel-async`.
    ///
    /// The condition is true for an empty list.
    fn not_in_keys<K, V>(
        self,
        keys: impl IntoIterator<Item = V>,
    ) -> dsl::NeAny<Self, KeyList<K, Self::SqlType>>
    where
        K: EntityKey + AsExpression<Self::SqlType>,
        V: Borrow<K>,
        Self::SqlType: KeyColumn<K> + SingleValue,
    {
        self.ne_all(KeyList::new(keys))
    }
}

impl<E: Expression<SqlType: SqlType>> KeyColumnMethods for E {}

/// The condition that a column holds a key of a time span; made by [`KeyColumnMethods::within`].
#[derive(Clone, Debug)]
pub struct Within<E, K: EntityKey> {
    column: E,
    parts: Vec<Part<K>>,
}

/// A piece of the condition, with bounds as Diesel parameters.
#[derive(Clone, Copy, Debug)]
enum Part<K: EntityKey> {
    Sql(&'static str),
    Column,
    Bound(BoundParam<K>),
}

impl<K: EntityKey> From<ConditionPart<K>> for Part<K> {
    fn from(part: ConditionPart<K>) -> Self {
        match part {
            ConditionPart::Sql(sql) => Self::Sql(sql),
            ConditionPart::Column => Self::Column,
            ConditionPart::Bound(bound) => Self::Bound(bound.to_param()),
        }
    }
}

impl<E, K> Expression for Within<E, K>
where
    E: Expression<SqlType: SqlType>,
    K: EntityKey,
    IsSqlTypeNullable<E::SqlType>: MaybeNullableType<Bool>,
{
    type SqlType = MaybeNullable<IsSqlTypeNullable<E::SqlType>, Bool>;
}

impl<E, K, QS> AppearsOnTable<QS> for Within<E, K>
where
    E: AppearsOnTable<QS>,
    K: EntityKey,
    Self: Expression,
{
}

impl<E, K, QS> SelectableExpression<QS> for Within<E, K>
where
    E: SelectableExpression<QS>,
    K: EntityKey,
    Self: AppearsOnTable<QS>,
{
}

impl<E, K, GB> ValidGrouping<GB> for Within<E, K>
where
    E: ValidGrouping<GB>,
    K: EntityKey,
{
    type IsAggregate = E::IsAggregate;
}

// The SQL depends on the number of intervals.
impl<E, K: EntityKey> QueryId for Within<E, K> {
    type QueryId = ();

    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<E, K, DB> QueryFragment<DB> for Within<E, K>
where
    E: Expression<SqlType: KeyColumn<K>> + QueryFragment<DB>,
    K: EntityKey,
    DB: Backend + HasSqlType<E::SqlType> + WriteKey<BoundParam<K>, E::SqlType>,
{
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        for part in &self.parts {
            match part {
                Part::Sql(sql) => out.push_sql(sql),
                Part::Column => self.column.walk_ast(out.reborrow())?,
                Part::Bound(bound) => {
                    push::<BoundParam<K>, E::SqlType, _, DB>(bound, out.reborrow())?;
                }
            }
        }
        Ok(())
    }
}
