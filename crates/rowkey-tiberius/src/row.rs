//! Keys from rows.

use rowkey_core::EntityKey;
use tiberius::{Column, ColumnData, QueryIdx, Row};

use crate::Error;
use crate::column_data::decode;

/// Reads keys from a row, with errors that name the column.
///
/// tiberius' own `Row::get` and `Row::try_get` read keys too, but `get` panics on an error, and the
/// error of `try_get` does not name the column.
///
/// ```
/// use rowkey::driver::tiberius::RowKeys;
/// use rowkey::{ShortPrefixComb, entity_key};
/// use tiberius::{ColumnData, ColumnType, IntoSql, Row};
///
/// #[entity_key]
/// struct OfferId(ShortPrefixComb);
///
/// let offer = OfferId::generate();
/// let row = Row::builder()
///     .column("id", ColumnType::Guid, offer.into_sql())
///     .column("parent", ColumnType::Guid, ColumnData::Guid(None))
///     .column("title", ColumnType::NVarchar, ColumnData::String(Some("Fjords".into())))
///     .build();
///
/// assert_eq!(row.try_key::<OfferId>("id")?, offer);
/// assert_eq!(row.try_optional_key::<OfferId>("parent")?, None);
/// assert_eq!(
///     row.try_key::<OfferId>("title").unwrap_err().to_string(),
///     "column `title` is not a valid OfferId: \
///      stored ShortPrefixComb: expected a uuid, found text of 6 characters",
/// );
/// # Ok::<(), rowkey::driver::tiberius::Error>(())
/// ```
pub trait RowKeys {
    /// The key in a column, by its name or its position from 0.
    ///
    /// # Errors
    ///
    /// [`Error::NoColumn`], [`Error::Null`], or [`Error::NoKey`] with what was expected and what
    /// was found.
    fn try_key<K: EntityKey>(&self, column: impl QueryIdx) -> Result<K, Error>;

    /// The key in a nullable column, by its name or its position from 0.
    ///
    /// # Errors
    ///
    /// [`Error::NoColumn`], or [`Error::NoKey`] with what was expected and what was found.
    fn try_optional_key<K: EntityKey>(&self, column: impl QueryIdx) -> Result<Option<K>, Error>;
}

impl RowKeys for Row {
    fn try_key<K: EntityKey>(&self, column: impl QueryIdx) -> Result<K, Error> {
        let cell = Cell::of(self, column)?;
        cell.read()?.ok_or_else(|| Error::Null {
            column: cell.name(),
            key: K::NAME,
        })
    }

    fn try_optional_key<K: EntityKey>(&self, column: impl QueryIdx) -> Result<Option<K>, Error> {
        Cell::of(self, column)?.read()
    }
}

struct Cell<'r> {
    position: usize,
    column: &'r Column,
    data: &'r ColumnData<'static>,
}

impl<'r> Cell<'r> {
    fn of(row: &'r Row, column: impl QueryIdx) -> Result<Self, Error> {
        let found = column
            .idx(row)
            .and_then(|position| Some((position, row.cells().nth(position)?)));
        match found {
            Some((position, (column, data))) => Ok(Self {
                position,
                column,
                data,
            }),
            None => Err(Error::NoColumn {
                column: column.to_string().into(),
            }),
        }
    }

    fn read<K: EntityKey>(&self) -> Result<Option<K>, Error> {
        decode(self.data).map_err(|source| Error::NoKey {
            column: self.name(),
            key: K::NAME,
            source,
        })
    }

    /// The column's name, or its position: a computed column can have no name.
    fn name(&self) -> Box<str> {
        match self.column.name() {
            "" => self.position.to_string().into(),
            name => name.into(),
        }
    }
}
