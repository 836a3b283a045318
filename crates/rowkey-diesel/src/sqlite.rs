//! SQLite: BLOB and TEXT.
//!
//! SQLite keeps a type per value, not per column, and converts what a column's declared type makes
//! it convert. Reading is therefore strict: a TEXT value is no BLOB key, a BLOB no TEXT key, and a
//! number neither.

use diesel::deserialize;
use diesel::result::UnexpectedNullError;
use diesel::serialize::{self, IsNull, Output};
use diesel::sql_types::HasSqlType;
use diesel::sqlite::{Sqlite, SqliteType};
use rowkey_core::storage::{Stored, StoredRef, Wire};
use rowkey_core::{Backend, EntityKey};

use crate::backend::KeyValue;
use crate::stored::{declared_column, key_of};
use crate::{Key, KeyColumn, ReadKey, WriteKey};

impl<K: EntityKey> HasSqlType<Key<K>> for Sqlite {
    fn metadata(_: &mut Self::MetadataLookup) -> SqliteType {
        match const { K::PLAN.column(Backend::Sqlite).wire() } {
            Wire::Uuid | Wire::Bytes(_) => SqliteType::Binary,
            Wire::Text(_) | Wire::NativeUuid | Wire::Decimal(_) => SqliteType::Text,
        }
    }
}

impl<V, ST> WriteKey<V, ST> for Sqlite
where
    V: KeyValue,
    ST: KeyColumn<V::Key>,
{
    fn write<'b>(value: &'b V, out: &mut Output<'b, '_, Self>) -> serialize::Result {
        let column = declared_column::<V::Key, ST>(Backend::Sqlite)?;
        match column.encode(value.public_value()) {
            Stored::Bytes(bytes) => out.set_value(bytes.as_slice().to_vec()),
            Stored::Text(text) => out.set_value(text.to_string()),
            Stored::Uuid(_) | Stored::Decimal(_) => {
                unreachable!("SQLite has neither a uuid nor an exact decimal type to plan with")
            }
        }
        Ok(IsNull::No)
    }
}

impl<K, ST> ReadKey<K, ST> for Sqlite
where
    K: EntityKey,
    ST: KeyColumn<K>,
{
    fn read(mut found: <Self as diesel::backend::Backend>::RawValue<'_>) -> deserialize::Result<K> {
        let column = declared_column::<K, ST>(Backend::Sqlite)?;
        let found = match found.value_type() {
            Some(SqliteType::Binary) => StoredRef::Bytes(found.read_blob()),
            Some(SqliteType::Text) => StoredRef::Text(found.read_text()),
            Some(SqliteType::Float | SqliteType::Double) => {
                return Err(Box::new(column.refusal_of_sqlite_number("REAL")));
            }
            Some(SqliteType::SmallInt | SqliteType::Integer | SqliteType::Long) => {
                return Err(Box::new(column.refusal_of_sqlite_number("INTEGER")));
            }
            None => return Err(Box::new(UnexpectedNullError)),
        };
        key_of(column, found)
    }
}
