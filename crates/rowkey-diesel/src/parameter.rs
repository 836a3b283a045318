//! Keys and bounds as parameters of a query, alone and in lists.

use std::borrow::Borrow;
use std::fmt;
use std::marker::PhantomData;

use diesel::backend::Backend;
use diesel::expression::{
    AppearsOnTable, AsExpression, Expression, SelectableExpression, TypedExpressionType,
    ValidGrouping, is_aggregate,
};
use diesel::internal::derives::multiconnection::array_comparison::{
    AsInExpression, InExpression, Many,
};
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::result::QueryResult;
use diesel::serialize::ToSql;
use diesel::sql_types::{HasSqlType, SingleValue, SqlType};
use rowkey_core::EntityKey;

use crate::backend::{KeyValue, WriteKey};
use crate::column::KeyColumn;

/// A key `K` or a bound of it, bound as the SQL type `ST` and converted if the backend [requires
/// it](WriteKey::cast).
#[derive(Clone, Copy)]
pub struct Parameter<K, ST, V> {
    value: V,
    of: PhantomData<fn() -> (K, ST)>,
}

impl<K, ST, V> Parameter<K, ST, V> {
    pub(crate) fn new(value: V) -> Self {
        Self {
            value,
            of: PhantomData,
        }
    }
}

impl<K, ST, V: fmt::Debug> fmt::Debug for Parameter<K, ST, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Parameter").field(&self.value).finish()
    }
}

impl<K, ST, V> Expression for Parameter<K, ST, V>
where
    ST: SqlType + TypedExpressionType,
{
    type SqlType = ST;
}

impl<K, ST, V, QS> AppearsOnTable<QS> for Parameter<K, ST, V> where Self: Expression {}

impl<K, ST, V, QS> SelectableExpression<QS> for Parameter<K, ST, V> where Self: AppearsOnTable<QS> {}

impl<K, ST, V, GB> ValidGrouping<GB> for Parameter<K, ST, V> {
    type IsAggregate = is_aggregate::Never;
}

// The SQL depends on the key as well as on the column's type, which can be one of Diesel's own.
impl<K: 'static, ST: QueryId, V> QueryId for Parameter<K, ST, V> {
    type QueryId = Parameter<K, ST::QueryId, ()>;

    const HAS_STATIC_QUERY_ID: bool = ST::HAS_STATIC_QUERY_ID;
}

impl<K, ST, V, DB> QueryFragment<DB> for Parameter<K, ST, V>
where
    K: EntityKey,
    ST: KeyColumn<K>,
    V: ToSql<ST, DB>,
    DB: HasSqlType<ST> + WriteKey<K, ST>,
{
    fn walk_ast<'b>(&'b self, out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        push::<K, ST, V, DB>(&self.value, out)
    }
}

/// Pushes a parameter that `DB` writes like `W`, with the conversion around it.
pub(crate) fn push<'b, W, ST, V, DB>(value: &'b V, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()>
where
    W: KeyValue,
    ST: KeyColumn<W::Key>,
    V: ToSql<ST, DB>,
    DB: HasSqlType<ST> + WriteKey<W, ST>,
{
    let Some(sql_type) = DB::cast() else {
        return out.push_bind_param::<ST, V>(value);
    };
    out.push_sql("CAST(");
    out.push_bind_param::<ST, V>(value)?;
    out.push_sql(" AS ");
    out.push_sql(sql_type);
    out.push_sql(")");
    Ok(())
}

/// The keys of a list; made by [`KeyColumnMethods::in_keys`](crate::KeyColumnMethods::in_keys).
///
/// Like Diesel's [`Many`], but for keys that need a conversion.
#[derive(Clone, Debug)]
pub struct KeyList<K, ST>(Many<ST, K>);

impl<K, ST> KeyList<K, ST>
where
    K: EntityKey + AsExpression<ST>,
    ST: SqlType + TypedExpressionType,
{
    pub(crate) fn new<V: Borrow<K>>(keys: impl IntoIterator<Item = V>) -> Self {
        let keys: Vec<K> = keys.into_iter().map(|key| *key.borrow()).collect();
        Self(keys.as_in_expression())
    }
}

impl<K, ST> AsInExpression<ST> for KeyList<K, ST>
where
    ST: SqlType,
{
    type InExpression = Self;

    fn as_in_expression(self) -> Self {
        self
    }
}

impl<K, ST> InExpression for KeyList<K, ST>
where
    ST: SqlType,
{
    type SqlType = ST;

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn is_array(&self) -> bool {
        self.0.is_array()
    }
}

impl<K, ST> Expression for KeyList<K, ST>
where
    Many<ST, K>: Expression,
{
    type SqlType = <Many<ST, K> as Expression>::SqlType;
}

impl<K, ST, QS> AppearsOnTable<QS> for KeyList<K, ST> where Self: Expression {}

impl<K, ST, QS> SelectableExpression<QS> for KeyList<K, ST> where Self: AppearsOnTable<QS> {}

impl<K, ST, GB> ValidGrouping<GB> for KeyList<K, ST> {
    type IsAggregate = is_aggregate::Never;
}

// The SQL depends on the number of keys.
impl<K, ST> QueryId for KeyList<K, ST> {
    type QueryId = ();

    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<K, ST, DB> QueryFragment<DB> for KeyList<K, ST>
where
    K: EntityKey + ToSql<ST, DB>,
    ST: KeyColumn<K> + SingleValue,
    DB: Backend + HasSqlType<ST> + WriteKey<K, ST>,
    Many<ST, K>: QueryFragment<DB>,
{
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        if DB::cast().is_none() {
            return self.0.walk_ast(out);
        }
        out.unsafe_to_cache_prepared();
        for (index, key) in self.0.values.iter().enumerate() {
            if index > 0 {
                out.push_sql(", ");
            }
            push::<K, ST, K, DB>(key, out.reborrow())?;
        }
        Ok(())
    }
}
