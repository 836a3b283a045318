//! Which of Diesel's own SQL types store a key, and the form of its parameters that follows.

use diesel::expression::{Expression, TypedExpressionType};
use diesel::internal::derives::as_expression::Bound;
use diesel::sql_types::{self, SqlType};
use rowkey_core::{Backend, EntityKey};

use crate::column::{Declared, KeyColumn};
use crate::parameter::Parameter;

/// The SQL types of Diesel that store a key on at least one backend. Emitted for each key, because
/// only there can it depend on the plan.
#[doc(hidden)]
pub trait StockColumns: EntityKey {
    /// [`Stock`] with what [`is_stored_as`] says of each type.
    type Stock: ParameterKind;
}

/// Whether a key is stored as `UUID`, as `NUMERIC`, as `BINARY`, as `TEXT` and as `BIGINT`.
#[doc(hidden)]
#[derive(Debug)]
pub struct Stock<
    const UUID: bool,
    const NUMERIC: bool,
    const BINARY: bool,
    const TEXT: bool,
    const BIGINT: bool,
>;

/// Whether the plan of a key has such a column on some backend that Diesel supports.
#[doc(hidden)]
pub const fn is_stored_as<K: EntityKey>(declared: Declared) -> bool {
    declared.holds(K::PLAN.column(Backend::Postgres).wire())
        || declared.holds(K::PLAN.column(Backend::MySql).wire())
        || declared.holds(K::PLAN.column(Backend::Sqlite).wire())
}

/// A [`Stock`] with an SQL type.
#[doc(hidden)]
pub trait Has<ST> {}

macro_rules! stock_column {
    ($ST:ident, <$($parameter:ident),*> $stock:ty) => {
        impl<$(const $parameter: bool),*> Has<sql_types::$ST> for $stock {}

        #[diagnostic::do_not_recommend]
        impl<K> KeyColumn<K> for sql_types::$ST
        where
            K: StockColumns,
            K::Stock: Has<sql_types::$ST>,
        {
            const DECLARED: Declared = Declared::$ST;
        }
    };
}

#[cfg(feature = "postgres")]
stock_column!(Uuid, <N, B, T, I> Stock<true, N, B, T, I>);
stock_column!(Numeric, <U, B, T, I> Stock<U, true, B, T, I>);
stock_column!(Binary, <U, N, T, I> Stock<U, N, true, T, I>);
stock_column!(Text, <U, N, B, I> Stock<U, N, B, true, I>);
stock_column!(BigInt, <U, N, B, T> Stock<U, N, B, T, true>);

/// The form of a plan's keys in a query.
///
/// Diesel's own [`Bound`] if no backend stores a decimal number: Diesel's `COPY FROM` accepts nothing else.
// Every plan has one, but for a key with an invalid plan the compiler cannot know that, and reports
// it next to the real error.
#[diagnostic::on_unimplemented(
    message = "this key has no valid storage plan",
    label = "its declaration has another error"
)]
pub trait ParameterKind {
    type Expression<K, ST, V>: Expression<SqlType = ST>
    where
        ST: SqlType + TypedExpressionType;

    fn parameter<K, ST, V>(value: V) -> Self::Expression<K, ST, V>
    where
        ST: SqlType + TypedExpressionType;
}

#[diagnostic::do_not_recommend]
impl<const U: bool, const B: bool, const T: bool, const I: bool> ParameterKind
    for Stock<U, true, B, T, I>
{
    type Expression<K, ST, V>
        = Parameter<K, ST, V>
    where
        ST: SqlType + TypedExpressionType;

    fn parameter<K, ST, V>(value: V) -> Parameter<K, ST, V>
    where
        ST: SqlType + TypedExpressionType,
    {
        Parameter::new(value)
    }
}

#[diagnostic::do_not_recommend]
impl<const U: bool, const B: bool, const T: bool, const I: bool> ParameterKind
    for Stock<U, false, B, T, I>
{
    type Expression<K, ST, V>
        = Bound<ST, V>
    where
        ST: SqlType + TypedExpressionType;

    fn parameter<K, ST, V>(value: V) -> Bound<ST, V>
    where
        ST: SqlType + TypedExpressionType,
    {
        Bound::new(value)
    }
}

/// The form of a key, or of a reference to one, in a query.
pub type ParameterOf<K, ST, V> =
    <<K as StockColumns>::Stock as ParameterKind>::Expression<K, ST, V>;

/// Converts a key, or a reference to one, into a part of a query.
pub fn parameter_of<K, ST, V>(value: V) -> ParameterOf<K, ST, V>
where
    K: StockColumns,
    ST: SqlType + TypedExpressionType,
{
    K::Stock::parameter(value)
}
