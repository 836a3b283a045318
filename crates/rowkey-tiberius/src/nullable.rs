//! Optional keys and bounds as values of tiberius.

use rowkey_core::EntityKey;
use rowkey_core::time_range::KeyBound;
use tiberius::ColumnData;

use crate::Comparable;
use crate::column_data::{bulk_null, encode, encode_bound, null};

/// Optional keys and bounds as parameters.
///
/// `Option`, [`KeyBound`] and tiberius' traits all belong to other crates, so these values cannot
/// be parameters themselves. A [`ColumnData`] can, by reference and by value.
///
/// ```
/// use rowkey::driver::tiberius::ToParam;
/// use rowkey::{ShortPrefixComb, entity_key};
/// use tiberius::{Query, ToSql};
///
/// #[entity_key]
/// struct OfferId(ShortPrefixComb);
///
/// let (id, parent) = (OfferId::generate(), None::<OfferId>);
/// let sql = "INSERT INTO offer (id, parent) VALUES (@P1, @P2)";
///
/// // client.execute(sql, parameters)
/// let parameters: &[&dyn ToSql] = &[&id, &parent.to_param()];
///
/// let mut query = Query::new(sql);
/// query.bind(id);
/// query.bind(parent.to_param());
///
/// // With this trait in scope, tiberius' own name for it works as well.
/// assert_eq!(parent.to_sql(), parent.to_param());
/// ```
///
/// An `Option` as a parameter does not compile, and the compiler lists the types that tiberius
/// accepts, not this trait:
///
/// ```compile_fail,E0277
/// # use rowkey::{ShortPrefixComb, entity_key};
/// # use tiberius::ToSql;
/// # #[entity_key]
/// # struct OfferId(ShortPrefixComb);
/// # let (id, parent) = (OfferId::generate(), None::<OfferId>);
/// let parameters: &[&dyn ToSql] = &[&id, &parent];
/// ```
///
/// # NULL
///
/// tiberius sends a NULL with a type only for some variants:
///
/// | the plan stores | NULL is sent as |
/// |---|---|
/// | `uniqueidentifier` | `uniqueidentifier` |
/// | `bigint` | `bigint` |
/// | `decimal` | `bigint`, which the server converts |
/// | `binary` | without a type, declared as `varbinary(max)` |
/// | `char` | without a type, declared as `nvarchar(4000)` |
///
/// The protocol allows a parameter without a type. A server that does not accept one returns error
/// 8009 and needs `NULL` in the query's text. It would accept a `bigint` instead, but then convert
/// the *column* to a number in comparisons, which fails on text.
///
/// `ISNULL(@P1, id)` has the type of its first argument, which is too small for a decimal key if
/// the argument is NULL. Write `COALESCE(@P1, id)`, whose type fits both.
pub trait ToParam {
    /// Converts the value into a parameter.
    fn to_param(self) -> ColumnData<'static>
    where
        Self: Comparable;

    /// The same conversion under tiberius' own name: `parent.to_sql()` is the call for every other
    /// `Option`, and if this trait is not in scope, the compiler suggests importing it.
    fn to_sql(self) -> ColumnData<'static>
    where
        Self: Comparable + Sized,
    {
        self.to_param()
    }
}

impl<K: EntityKey> ToParam for Option<K> {
    fn to_param(self) -> ColumnData<'static> {
        self.map_or_else(null::<K>, encode)
    }
}

impl<K: EntityKey> ToParam for KeyBound<K> {
    fn to_param(self) -> ColumnData<'static> {
        encode_bound(self)
    }
}

/// Optional keys as values of rows for bulk inserts and table-valued parameters.
///
/// In such a row the value must have the column's own type, even if it is NULL. A key that is not
/// optional can be used directly.
///
/// ```
/// use rowkey::driver::tiberius::ToBulkValue;
/// use rowkey::{DistributedId, entity_key};
/// use tiberius::{ColumnData, IntoRow};
///
/// #[entity_key]
/// struct InvoiceId(DistributedId);
///
/// // let mut bulk = client.bulk_insert("invoice").await?;
/// let (id, corrects) = (InvoiceId::constant(7), None::<InvoiceId>);
/// let row = (id, corrects.to_bulk_value(), "paper").into_row();
/// // bulk.send(row).await?;
/// # assert_eq!(row.get(1), Some(&ColumnData::Numeric(None)));
/// ```
pub trait ToBulkValue {
    /// Converts the value into a value of a row.
    fn to_bulk_value(self) -> ColumnData<'static>;
}

impl<K: EntityKey> ToBulkValue for Option<K> {
    fn to_bulk_value(self) -> ColumnData<'static> {
        self.map_or_else(bulk_null::<K>, encode)
    }
}
