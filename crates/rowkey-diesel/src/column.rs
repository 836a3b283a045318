//! Which SQL types are columns of a key.

use diesel::expression::TypedExpressionType;
use diesel::sql_types::is_nullable::NotNull;
use diesel::sql_types::{self, Nullable, SqlType};
use rowkey_core::storage::Wire;
use rowkey_core::{Backend, EntityKey};

use crate::Key;
use crate::parameter::ParameterKind;

/// An SQL type whose columns hold keys of type `K`.
///
/// [`Key<K>`] always is. For existing schemas, so are Diesel's own `Uuid`, `Numeric`, `Binary` and
/// `Text`, if the key's plan stores that type on some backend. To use your own SQL type, such as
/// `diesel print-schema` generates for a PostgreSQL domain, write an empty impl; its type on a
/// backend must be what the plan stores there.
///
/// Queries require `QueryId`, which is generated if `diesel.toml` contains
/// `custom_type_derives = ["diesel::query_builder::QueryId"]`.
///
/// ```
/// use rowkey::driver::diesel::KeyColumn;
/// use rowkey::{ShortPrefixComb, entity_key};
///
/// #[entity_key]
/// pub struct OfferId(ShortPrefixComb);
///
/// // As generated.
/// pub mod sql_types {
///     #[derive(diesel::query_builder::QueryId, diesel::sql_types::SqlType)]
///     #[diesel(postgres_type(name = "offer_id"))]
///     pub struct OfferId;
/// }
///
/// impl KeyColumn<OfferId> for sql_types::OfferId {}
/// # fn main() {}
/// ```
#[diagnostic::on_unimplemented(
    message = "a column of type `{Self}` does not hold `{K}`",
    label = "not a column of `{K}`",
    note = "a column of these keys is declared in `table!` as `Key<{K}>`",
    note = "Diesel's own `Uuid`, `Numeric`, `Binary` and `Text` hold keys that their plan stores \
            so on some backend"
)]
pub trait KeyColumn<K: EntityKey>: SqlType + TypedExpressionType {
    /// What the schema declares the column as.
    #[doc(hidden)]
    const DECLARED: Declared = Declared::AsPlanned;
}

impl<K: EntityKey> KeyColumn<K> for Key<K> {}

#[diagnostic::do_not_recommend]
impl<K, ST> KeyColumn<K> for Nullable<ST>
where
    K: EntityKey,
    ST: KeyColumn<K, IsNull = NotNull>,
    Self: TypedExpressionType,
{
    const DECLARED: Declared = ST::DECLARED;
}

/// The type of a column in a schema.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Declared {
    /// The type follows from the plan.
    AsPlanned,
    Uuid,
    Numeric,
    Binary,
    Text,
}

impl Declared {
    /// Whether such a column contains values of this wire type.
    pub(crate) const fn holds(self, wire: Wire) -> bool {
        matches!(
            (self, wire),
            (Self::AsPlanned, _)
                | (Self::Uuid, Wire::Uuid)
                | (Self::Numeric, Wire::Decimal(_))
                | (Self::Binary, Wire::Bytes(_))
                | (Self::Text, Wire::Text(_) | Wire::NativeUuid)
        )
    }
}

/// The SQL types of Diesel that store a key on at least one backend. Emitted for each key, because
/// only there can it depend on the plan.
#[doc(hidden)]
pub trait StockColumns: EntityKey {
    /// [`Stock`] with what [`is_stored_as`] says of each type.
    type Stock: ParameterKind;
}

/// Whether a key is stored as `UUID`, as `NUMERIC`, as `BINARY` and as `TEXT`.
#[doc(hidden)]
#[derive(Debug)]
pub struct Stock<const UUID: bool, const NUMERIC: bool, const BINARY: bool, const TEXT: bool>;

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
    ($ST:ident, [$($parameters:tt)*], $stock:ty) => {
        impl<$($parameters)*> Has<sql_types::$ST> for $stock {}

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
stock_column!(Uuid, [const N: bool, const B: bool, const T: bool], Stock<true, N, B, T>);
stock_column!(Numeric, [const U: bool, const B: bool, const T: bool], Stock<U, true, B, T>);
stock_column!(Binary, [const U: bool, const N: bool, const T: bool], Stock<U, N, true, T>);
stock_column!(Text, [const U: bool, const N: bool, const B: bool], Stock<U, N, B, true>);
