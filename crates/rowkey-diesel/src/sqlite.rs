//! SQLite: BLOB, TEXT and INTEGER.
//!
//! SQLite stores a type per value, not per column, and converts values according to the column's
//! declared type. Reading is therefore strict: a BLOB key must be a BLOB, a TEXT key must be TEXT,
//! and an INTEGER key must be INTEGER.

use diesel::deserialize;
use diesel::result::UnexpectedNullError;
use diesel::serialize::{self, IsNull, Output};
use diesel::sql_types::HasSqlType;
use diesel::sqlite::{Sqlite, SqliteType};
use rowkey_core::driver::{Parameter, SqliteColumn, SqliteWire};
use rowkey_core::storage::StoredRef;
use rowkey_core::{Backend, EntityKey};

use crate::backend::KeyValue;
use crate::stored::{check_declared, key_of};
use crate::{Key, KeyColumn, ReadKey, WriteKey};

const fn column_of<K: EntityKey>() -> SqliteColumn {
    K::PLAN.sqlite()
}

impl<K: EntityKey> HasSqlType<Key<K>> for Sqlite {
    fn metadata(_: &mut Self::MetadataLookup) -> SqliteType {
        match const { column_of::<K>().wire() } {
            SqliteWire::Bytes(_) => SqliteType::Binary,
            SqliteWire::Text(_) => SqliteType::Text,
            SqliteWire::Integer => SqliteType::Long,
        }
    }
}

impl<V, ST> WriteKey<V, ST> for Sqlite
where
    V: KeyValue,
    ST: KeyColumn<V::Key>,
{
    fn write<'b>(value: &'b V, out: &mut Output<'b, '_, Self>) -> serialize::Result {
        check_declared::<V::Key, ST>(Backend::Sqlite)?;
        match const { column_of::<V::Key>() }.encode(value.public_value()) {
            Parameter::Bytes(bytes) => out.set_value(bytes.as_slice().to_vec()),
            Parameter::Text(text) => out.set_value(text.to_string()),
            Parameter::Integer(number) => out.set_value(number),
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
        check_declared::<K, ST>(Backend::Sqlite)?;
        let column = const { column_of::<K>().column() };
        let found = match found.value_type() {
            Some(SqliteType::Binary) => StoredRef::Bytes(found.read_blob()),
            Some(SqliteType::Text) => StoredRef::Text(found.read_text()),
            Some(SqliteType::Float | SqliteType::Double) => {
                return Err(Box::new(column.refusal_of_sqlite_number("REAL")));
            }
            Some(SqliteType::SmallInt | SqliteType::Integer | SqliteType::Long) => {
                if let SqliteWire::Integer = const { column_of::<K>().wire() } {
                    let number = found.read_long().into();
                    return key_of(|| column.decode(StoredRef::Integer(number)));
                }
                return Err(Box::new(column.refusal_of_sqlite_number("INTEGER")));
            }
            None => return Err(Box::new(UnexpectedNullError)),
        };
        key_of(|| column.decode(found))
    }
}
