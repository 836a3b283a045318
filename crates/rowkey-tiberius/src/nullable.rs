//! Optional keys and bounds as values of tiberius.

use rowkey_core::EntityKey;
use rowkey_core::time_range::KeyBound;
use tiberius::ColumnData;

use crate::Comparable;
use crate::column_data::{bulk_null, encode, encode_bound, null};

/// Optional keys and bounds as parameters.
///
/// Neither `Option` nor [`KeyBound`] belongs to the user's crate, and tiberius' traits do not
/// either, so they cannot be parameters themselves. A [`ColumnData`] is one, by reference and by
/// value.
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
/// // With this trait in scope, tiberius' own name for it does as well.
/// assert_eq!(parent.to_sql(), parent.to_param());
/// ```
///
/// The `Option` as a parameter does not compile, and the compiler then lists what tiberius takes
/// instead of this trait:
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
/// tiberius sends a NULL with a type only for some of its variants:
///
/// | the plan stores | NULL is sent as |
/// |---|---|
/// | `uniqueidentifier` | `uniqueidentifier` |
/// | `decimal` | `bigint`, which the server converts |
/// | `binary` | without a type, declared as `varbinary(max)` |
/// | `char` | without a type, declared as `nvarchar(4000)` |
///
/// The protocol allows a parameter without a type. A server that does not take one answers with
/// error 8009 and needs `NULL` in the query's text. A `bigint` instead would be taken, but make the
/// server convert the *column* to a number where the two are compared, which fails on text.
///
/// `ISNULL(@P1, id)` has the type of its first argument, in which a decimal key does not fit when
/// that is NULL; write `COALESCE(@P1, id)`, whose type has room for both.
pub trait ToParam {
    /// This as a parameter.
    fn to_param(self) -> ColumnData<'static>
    where
        Self: Comparable;

    /// The same under tiberius' name for it: `parent.to_sql()` is what it is for every other `Option`,
    /// and where this trait is not in scope, the compiler tells to import it.
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
/// There the value has to be of the column's own type, also if it is NULL. A key that is not
/// optional is a value of such a row as it is.
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
    /// This as a value of a row.
    fn to_bulk_value(self) -> ColumnData<'static>;
}

impl<K: EntityKey> ToBulkValue for Option<K> {
    fn to_bulk_value(self) -> ColumnData<'static> {
        self.map_or_else(bulk_null::<K>, encode)
    }
}
