//! Which SQL types are columns of a key.

use diesel::expression::TypedExpressionType;
use diesel::sql_types::is_nullable::NotNull;
use diesel::sql_types::{Nullable, SqlType};
use rowkey_core::EntityKey;
use rowkey_core::storage::Wire;

use crate::sql_type::Key;

/// An SQL type whose columns hold keys of type `K`.
///
/// [`Key<K>`] always does. For existing schemas, so do Diesel's own `Uuid`, `Numeric`, `Binary`,
/// `Text` and `BigInt`, if the key's plan stores that type on some backend. To use your own SQL
/// type, such as `diesel print-schema` generates for a PostgreSQL domain, write an empty impl; on
/// each backend, your type must be what the plan stores there.
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
    note = "Diesel's own `Uuid`, `Numeric`, `Binary`, `Text` and `BigInt` hold keys that their plan \
            stores so on some backend"
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
    BigInt,
}

impl Declared {
    /// The SQL type of columns that contain values of this wire type.
    pub(crate) const fn of(wire: Wire) -> Self {
        match wire {
            Wire::Uuid => Self::Uuid,
            Wire::Decimal(_) => Self::Numeric,
            Wire::Bytes(_) => Self::Binary,
            Wire::Text(_) | Wire::NativeUuid => Self::Text,
            Wire::Integer => Self::BigInt,
        }
    }

    /// Whether such a column contains values of this wire type.
    pub(crate) const fn holds(self, wire: Wire) -> bool {
        matches!(self, Self::AsPlanned) || self as u8 == Self::of(wire) as u8
    }

    /// The type among others.
    pub(crate) const fn bit(self) -> u8 {
        1 << self as u8
    }
}
