//! Keys from rows, read by `rowkey-sqlx` as the row's backend stores them.

use rowkey_core::EntityKey;
use rowkey_core::driver::UuidWire;
use sea_orm::prelude::{Decimal, Uuid};
use sea_orm::{ColIdx, DbErr, QueryResult, TryGetError, TryGetable, Value};

/// The key in a column.
///
/// # Errors
///
/// `TryGetError::Null` for NULL, otherwise an error that names the column and says what was
/// expected and what was found.
pub fn try_get_by<K: EntityKey, I: ColIdx>(row: &QueryResult, index: I) -> Result<K, TryGetError> {
    #[cfg(feature = "postgres")]
    if let Some(row) = row.try_as_pg_row() {
        let found = index.as_sqlx_postgres_index();
        return sqlx_row::key(row, found, rowkey_sqlx::postgres::decode::<K>, index);
    }
    #[cfg(feature = "mysql")]
    if let Some(row) = row.try_as_mysql_row() {
        let found = index.as_sqlx_mysql_index();
        return sqlx_row::key(row, found, rowkey_sqlx::mysql::decode::<K>, index);
    }
    #[cfg(feature = "sqlite")]
    if let Some(row) = row.try_as_sqlite_row() {
        let found = index.as_sqlx_sqlite_index();
        return sqlx_row::key(row, found, rowkey_sqlx::sqlite::decode::<K>, index);
    }
    key_of_value(row, index)
}

/// The key in a row of values, as `MockDatabase` and proxies return it.
fn key_of_value<K: EntityKey, I: ColIdx>(row: &QueryResult, index: I) -> Result<K, TryGetError> {
    let value = value_at(row, index, crate::value::column_of::<K>().wire())?;
    crate::value::decode_stored_anywhere(&value)
        .map_err(|error| DbErr::Type(format!("column {index:?}: {error}")).into())
}

/// The value in a row of values, expected to be the one for PostgreSQL's column.
///
/// SeaORM reports a value of another type as NULL, which an `Option` would treat as no key. So this
/// tries all types that keys or damaged keys may have.
fn value_at<I: ColIdx>(
    row: &QueryResult,
    index: I,
    expected: UuidWire,
) -> Result<Value, TryGetError> {
    macro_rules! try_types {
        ($($Type:ty),*) => {$(
            match <$Type>::try_get_by(row, index) {
                Err(TryGetError::Null(_)) => {}
                found => return found.map(Value::from),
            }
        )*};
    }
    // First, because a database row returns errors for other types.
    match expected {
        UuidWire::Uuid => try_types!(Uuid),
        UuidWire::Bytes(_) => try_types!(Vec<u8>),
        UuidWire::Decimal(_) => try_types!(Decimal),
        UuidWire::Text(_) => try_types!(String),
        UuidWire::Integer => try_types!(i64),
    }
    try_types!(Uuid, Vec<u8>, Decimal, String);
    try_types!(bool, i8, i16, i32, i64, u8, u16, u32, u64, f32, f64);
    Err(TryGetError::Null(format!("{index:?}")))
}

#[cfg(any(feature = "postgres", feature = "mysql", feature = "sqlite"))]
mod sqlx_row {
    use std::sync::Arc;

    use sea_orm::sqlx::error::BoxDynError;
    use sea_orm::sqlx::{self, ColumnIndex, Database, Row, ValueRef};
    use sea_orm::{ColIdx, DbErr, RuntimeErr, TryGetError};

    pub(super) fn key<'r, R, K>(
        row: &'r R,
        found: impl ColumnIndex<R>,
        decode: impl FnOnce(<R::Database as Database>::ValueRef<'r>) -> Result<K, BoxDynError>,
        index: impl ColIdx,
    ) -> Result<K, TryGetError>
    where
        R: Row,
    {
        let value = row.try_get_raw(found).map_err(query_error)?;
        if value.is_null() {
            return Err(TryGetError::Null(format!("{index:?}")));
        }
        decode(value).map_err(|source| {
            let index = format!("{index:?}");
            query_error(sqlx::Error::ColumnDecode { index, source })
        })
    }

    /// Wraps sqlx errors as SeaORM does: callers must be able to recognise a missing column.
    fn query_error(error: sqlx::Error) -> TryGetError {
        DbErr::Query(RuntimeErr::SqlxError(Arc::new(error))).into()
    }
}
