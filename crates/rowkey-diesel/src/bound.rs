//! Bounds of a time range as parameters and as the condition of a query.

use std::fmt;

use diesel::backend::Backend;
use diesel::expression::{
    AppearsOnTable, AsExpression, Expression, SelectableExpression, ValidGrouping,
};
use diesel::internal::derives::as_expression::Bound;
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::result::QueryResult;
use diesel::serialize::{self, Output, ToSql};
use diesel::sql_types::is_nullable::{IsSqlTypeNullable, MaybeNullable};
use diesel::sql_types::{Bool, HasSqlType, MaybeNullableType, SqlType};
use rowkey_core::{Bounds, ConditionPart, EntityKey, KeyBound};

use crate::{KeyColumn, WriteKey};

/// A [`KeyBound`] as the parameter of a query; made by [`ToDiesel::to_diesel`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BoundParam<K>(KeyBound<K>);

impl<K: EntityKey> BoundParam<K> {
    pub(crate) fn bound(&self) -> KeyBound<K> {
        self.0
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
    type Expression = Bound<ST, Self>;

    fn as_expression(self) -> Self::Expression {
        Bound::new(self)
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
/// Both the bound and Diesel's traits belong to other crates, so the bound cannot be bound itself.
/// Where a whole time range is the condition, [`KeyColumnMethods::within`] is shorter and does not
/// forget the second interval that a short COMB can need.
///
/// ```
/// use diesel::prelude::*;
/// use rowkey::driver::diesel::{Key, ToDiesel};
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
///             .filter(visits::id.ge(edge.to_diesel()))
///             .count()
///             .get_result(db),
///         None => visits::table.count().get_result(db),
///     }
/// }
/// # fn main() {}
/// ```
pub trait ToDiesel {
    /// What Diesel compares.
    type Param;

    /// This, as a parameter.
    fn to_diesel(self) -> Self::Param;
}

impl<K: EntityKey> ToDiesel for KeyBound<K> {
    type Param = BoundParam<K>;

    fn to_diesel(self) -> BoundParam<K> {
        BoundParam(self)
    }
}

/// Time ranges as conditions on columns of keys.
pub trait KeyColumnMethods: Expression<SqlType: SqlType> + Sized {
    /// The condition that the column holds one of the keys of a time span.
    ///
    /// An edge that is not bounded is left out. A span without keys becomes `1 = 0`, one of all
    /// keys `1 = 1`. A key over a short COMB can need two intervals, because its counter is a ring;
    /// `ORDER BY` then does not give the order of time.
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
    ///     .filter(offers::id.within(&OfferId::bounds(hour)))
    ///     .select(offers::title);
    /// let sql = diesel::debug_query::<diesel::sqlite::Sqlite, _>(&query).to_string();
    /// assert!(sql.contains("AND (`offers`.`id` >= ? AND `offers`.`id` < ?)"), "{sql}");
    /// # }
    /// ```
    fn within<K>(self, bounds: &Bounds<K>) -> Within<Self, K>
    where
        K: EntityKey,
        Self::SqlType: KeyColumn<K>,
    {
        let mut parts = Vec::new();
        bounds.write_condition(|part| parts.push(part.into()));
        Within {
            column: self,
            parts,
        }
    }
}

impl<E: Expression<SqlType: SqlType>> KeyColumnMethods for E {}

/// The condition that a column holds a key of a time span; made by [`KeyColumnMethods::within`].
#[derive(Clone, Debug)]
pub struct Within<E, K: EntityKey> {
    column: E,
    parts: Vec<Part<K>>,
}

/// A piece of the condition, with bounds that Diesel takes.
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
            ConditionPart::Bound(bound) => Self::Bound(bound.to_diesel()),
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

// The number of intervals decides about the SQL.
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
                Part::Bound(bound) => out.push_bind_param::<E::SqlType, _>(bound)?,
            }
        }
        Ok(())
    }
}
