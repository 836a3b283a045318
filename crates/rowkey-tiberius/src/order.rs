//! Which keys have an order in SQL Server.

use std::marker::PhantomData;

use rowkey_core::EntityKey;
use rowkey_core::storage::OrderPromise;
use rowkey_core::time_range::KeyBound;

use crate::column_data::column_of;

/// Keys that SQL Server sorts so that those of a time span, or of a short key, are next to each other:
/// all but those that are declared with `sqlserver = "uuid:public-unordered"`.
///
/// Conditions and parameters of [`Bounds`](rowkey_core::time_range::Bounds) ask for it. The bounds themselves are
/// there for every key whose format has time, because on other databases the same key keeps its order.
///
/// ```compile_fail,E0277
/// use rowkey::driver::tiberius::Condition;
/// use rowkey::{EntityKey, UnixMillis, UuidV7, entity_key};
///
/// /// Made by .NET's `Guid.CreateVersion7`, and stored as it is.
/// #[entity_key(storage(sqlserver = "uuid:public-unordered"))]
/// struct VisitId(UuidV7);
///
/// let since = VisitId::bounds(UnixMillis::new(1_767_225_600_000)..);
/// // SQL Server does not keep the order of `VisitId` keys, so no condition finds those of a span
/// let condition = Condition::within("id", &since, 1);
/// ```
pub trait OrderedKey: EntityKey {}

/// What a parameter is compared with a column for: keys always, bounds of keys whose order is kept.
pub trait Comparable {}

impl<K: EntityKey> Comparable for Option<K> {}
impl<K: OrderedKey> Comparable for KeyBound<K> {}

/// Whether SQL Server keeps the order of a key, as a type; made by the declaration of the key.
#[derive(Debug)]
pub struct ColumnOrder<K, const IS_KEPT: bool>(PhantomData<fn() -> K>);

/// Columns whose order is kept: `ColumnOrder<K, true>` has it.
#[diagnostic::on_unimplemented(
    message = "SQL Server does not keep the order of `{K}` keys, so no condition finds those of a span",
    label = "the declaration gives up the order of this key in SQL Server",
    note = "`{K}` is declared with `sqlserver = \"uuid:public-unordered\"`: filter by a column of \
            time, or convert the guids and leave the layout out"
)]
pub trait KeptOrder<'a, K> {}

impl<K: EntityKey> KeptOrder<'_, K> for ColumnOrder<K, true> {}

/// Whether SQL Server keeps the order of a key.
#[doc(hidden)]
pub const fn is_ordered<K: EntityKey>() -> bool {
    !matches!(
        column_of::<K>().column().order_promise(),
        OrderPromise::Nothing
    )
}
