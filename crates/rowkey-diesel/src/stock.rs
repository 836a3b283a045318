//! Which of Diesel's own SQL types store a key, and the resulting form of the key's parameters.

use diesel::expression::{Expression, TypedExpressionType};
use diesel::internal::derives::as_expression::Bound;
use diesel::sql_types::{self, SqlType};
use rowkey_core::{Backend, EntityKey};

use crate::column::{Declared, KeyColumn};
use crate::parameter::Parameter;

/// The SQL types of Diesel that store a key on at least one backend. Emitted for each key, because
/// only there can the types depend on the plan.
#[doc(hidden)]
pub trait StockColumns: EntityKey {
    /// [`Stock`] with what [`stock_of`] says of the key.
    type Stock: ParameterKind;
}

/// The SQL types that store a key, as the bits of [`Declared::bit`].
///
/// One number, because constants cost the compiler most in the declaration of a key.
#[doc(hidden)]
#[derive(Debug)]
pub struct Stock<const TYPES: u8>;

/// The SQL types in the plan of a key, on all backends that Diesel supports.
#[doc(hidden)]
pub const fn stock_of<K: EntityKey>() -> u8 {
    let plan = K::PLAN;
    Declared::of(plan.column(Backend::Postgres).wire()).bit()
        | Declared::of(plan.column(Backend::MySql).wire()).bit()
        | Declared::of(plan.column(Backend::Sqlite).wire()).bit()
}

/// A [`Stock`] with the SQL type of this bit.
#[doc(hidden)]
pub trait Has<const TYPE: u8> {}

macro_rules! stock_column {
    ($ST:ident) => {
        #[diagnostic::do_not_recommend]
        impl<K> KeyColumn<K> for sql_types::$ST
        where
            K: StockColumns,
            K::Stock: Has<{ Declared::$ST.bit() }>,
        {
            const DECLARED: Declared = Declared::$ST;
        }
    };
}

#[cfg(feature = "postgres")]
stock_column!(Uuid);
stock_column!(Numeric);
stock_column!(Binary);
stock_column!(Text);
stock_column!(BigInt);

/// The form of a plan's keys in a query.
///
/// Diesel's own [`Bound`] if no backend stores a decimal number: Diesel's `COPY FROM` accepts
/// nothing else.
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

/// Implements the traits of every [`Stock`] that has some types and any of the others.
macro_rules! stocks {
    ($Expression:ty: [$($has:ident)*], $types:expr, [$first:ident $($others:ident)*]) => {
        stocks! { $Expression: [$($has)*], $types, [$($others)*] }
        stocks! { $Expression: [$($has)* $first], $types | Declared::$first.bit(), [$($others)*] }
    };
    ($Expression:ty: [$($has:ident)*], $types:expr, []) => {
        #[diagnostic::do_not_recommend]
        impl ParameterKind for Stock<{ $types }> {
            type Expression<K, ST, V>
                = $Expression
            where
                ST: SqlType + TypedExpressionType;

            fn parameter<K, ST, V>(value: V) -> $Expression
            where
                ST: SqlType + TypedExpressionType,
            {
                <$Expression>::new(value)
            }
        }

        $(impl Has<{ Declared::$has.bit() }> for Stock<{ $types }> {})*
    };
}

stocks! { Bound<ST, V>: [], 0, [Uuid Binary Text BigInt] }
stocks! { Parameter<K, ST, V>: [Numeric], Declared::Numeric.bit(), [Uuid Binary Text BigInt] }

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
