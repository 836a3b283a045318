//! MySQL and MariaDB: BINARY, DECIMAL, CHAR and MariaDB's own UUID.
//!
//! A DECIMAL key is bound as DECIMAL, never as text: both servers compare a DECIMAL column with
//! text as floating-point numbers, so that `IN` and `BETWEEN` would return neighbouring rows. Queries
//! convert it as well, because diesel-async sends what Diesel binds as DECIMAL as text.
//!
//! A key of MariaDB's UUID type is bound as its 36 characters, so that the server refuses a value
//! rather than damaging it. It comes back as text, too.

use std::io::Write;
use std::str;

use diesel::deserialize;
use diesel::mysql::{Mysql, MysqlType, MysqlValue};
use diesel::serialize::{self, IsNull, Output};
use diesel::sql_types::HasSqlType;
use rowkey_core::storage::{Stored, StoredRef, Wire};
use rowkey_core::{Backend, EntityKey};

use crate::backend::KeyValue;
use crate::stored::{declared_column, key_of};
use crate::{Key, KeyColumn, ReadKey, WriteKey};

impl<K: EntityKey> HasSqlType<Key<K>> for Mysql {
    fn metadata(_: &mut Self::MetadataLookup) -> MysqlType {
        match const { K::PLAN.column(Backend::MySql).wire() } {
            Wire::Uuid | Wire::Bytes(_) => MysqlType::Blob,
            Wire::Decimal(_) => MysqlType::Numeric,
            Wire::NativeUuid | Wire::Text(_) => MysqlType::String,
        }
    }
}

impl<V, ST> WriteKey<V, ST> for Mysql
where
    V: KeyValue,
    ST: KeyColumn<V::Key>,
{
    fn write<'b>(value: &'b V, out: &mut Output<'b, '_, Self>) -> serialize::Result {
        let column = declared_column::<V::Key, ST>(Backend::MySql)?;
        match column.encode(value.public_value()) {
            Stored::Bytes(bytes) => out.write_all(bytes.as_slice())?,
            Stored::Text(text) => out.write_all(text.as_bytes())?,
            Stored::Decimal(number) => write!(out, "{number}")?,
            Stored::Uuid(_) => unreachable!("MySQL plans have sixteen bytes or text for a uuid"),
        }
        Ok(IsNull::No)
    }

    fn cast() -> Option<&'static str> {
        const {
            <V::Key as EntityKey>::PLAN
                .column(Backend::MySql)
                .parameter_cast()
        }
    }
}

impl<K, ST> ReadKey<K, ST> for Mysql
where
    K: EntityKey,
    ST: KeyColumn<K>,
{
    fn read(found: MysqlValue<'_>) -> deserialize::Result<K> {
        let column = declared_column::<K, ST>(Backend::MySql)?;
        let bytes = found.as_bytes();
        let text = || match str::from_utf8(bytes) {
            Ok(text) => Ok(StoredRef::Text(text)),
            Err(_) => Err(column.refusal("text that is not UTF-8")),
        };
        let found = match (found.value_type(), column.wire()) {
            (MysqlType::Numeric, Wire::Decimal(_)) => text()?,
            (MysqlType::Numeric, _) => return Err(Box::new(column.refusal("a DECIMAL number"))),
            // These two do not tell text from bytes: a BINARY column is a string, if Diesel has
            // asked for what it is, and a CHAR with a binary collation is a blob, if it has not.
            (MysqlType::Blob | MysqlType::String, Wire::Decimal(_)) => {
                return Err(Box::new(column.refusal(text()?)));
            }
            (MysqlType::Blob | MysqlType::String, Wire::Text(_)) => text()?,
            // A UUID that went through an expression may be its sixteen bytes.
            (MysqlType::Blob | MysqlType::String, Wire::NativeUuid) if bytes.len() != 16 => text()?,
            (MysqlType::Blob | MysqlType::String, _) => StoredRef::Bytes(bytes),
            (other, _) => {
                let found = format_args!("a value of type {other:?}");
                return Err(Box::new(column.refusal(found)));
            }
        };
        key_of(column, found)
    }
}
