//! MySQL and MariaDB: BINARY, DECIMAL, CHAR, MariaDB's own UUID and BIGINT.
//!
//! A DECIMAL key is bound as DECIMAL, never as text: both servers compare a DECIMAL column with
//! text as floating-point numbers, so `IN` and `BETWEEN` would return neighbouring rows. Queries
//! also convert the parameter, because diesel-async sends Diesel's DECIMAL parameters as text.
//!
//! A key of MariaDB's UUID type is bound as its 36 characters, so that the server rejects an
//! invalid value instead of damaging it. Such a key is also read as text.
//!
//! A BIGINT key is also read from other integers, such as the result of `LAST_INSERT_ID()`.

use std::io::Write;

use diesel::deserialize::{self, FromSql};
use diesel::mysql::{Mysql, MysqlType, MysqlValue};
use diesel::serialize::{self, IsNull, Output};
use diesel::sql_types::{BigInt, HasSqlType, Unsigned};
use rowkey_core::driver::{MySqlColumn, MySqlFound, MySqlWire, Parameter};
use rowkey_core::{Backend, EntityKey};

use crate::backend::KeyValue;
use crate::stored::{check_declared, key_of};
use crate::{Key, KeyColumn, ReadKey, WriteKey};

/// The column that both servers share.
const fn column_of<K: EntityKey>() -> MySqlColumn {
    K::PLAN.mysql()
}

impl<K: EntityKey> HasSqlType<Key<K>> for Mysql {
    fn metadata(_: &mut Self::MetadataLookup) -> MysqlType {
        match const { column_of::<K>().wire() } {
            MySqlWire::Bytes(_) => MysqlType::Blob,
            MySqlWire::Decimal(_) => MysqlType::Numeric,
            MySqlWire::NativeUuid | MySqlWire::Text(_) => MysqlType::String,
            MySqlWire::Integer => MysqlType::LongLong,
        }
    }
}

impl<V, ST> WriteKey<V, ST> for Mysql
where
    V: KeyValue,
    ST: KeyColumn<V::Key>,
{
    fn write<'b>(value: &'b V, out: &mut Output<'b, '_, Self>) -> serialize::Result {
        check_declared::<V::Key, ST>(Backend::MySql)?;
        match const { column_of::<V::Key>() }.encode(value.public_value()) {
            Parameter::Bytes(bytes) => out.write_all(bytes.as_slice())?,
            Parameter::Text(text) => out.write_all(text.as_bytes())?,
            Parameter::Integer(number) => out.write_all(&number.to_ne_bytes())?,
        }
        Ok(IsNull::No)
    }

    fn cast() -> Option<&'static str> {
        const { column_of::<V::Key>().column().parameter_cast() }
    }
}

impl<K, ST> ReadKey<K, ST> for Mysql
where
    K: EntityKey,
    ST: KeyColumn<K>,
{
    fn read(found: MysqlValue<'_>) -> deserialize::Result<K> {
        check_declared::<K, ST>(Backend::MySql)?;
        let column = const { column_of::<K>() };
        let bytes = found.as_bytes();
        let found = match found.value_type() {
            MysqlType::Numeric => MySqlFound::Decimal(bytes),
            // These two types do not distinguish text from bytes: a BINARY column is a string if
            // Diesel has asked for its type, and a CHAR with a binary collation is a blob if Diesel
            // has not.
            MysqlType::Blob | MysqlType::String => MySqlFound::BytesOrText(bytes),
            MysqlType::UnsignedLongLong if matches!(column.wire(), MySqlWire::Integer) => {
                let number = <u64 as FromSql<Unsigned<BigInt>, Self>>::from_sql(found)?;
                MySqlFound::Integer(number.into())
            }
            MysqlType::Tiny
            | MysqlType::UnsignedTiny
            | MysqlType::Short
            | MysqlType::UnsignedShort
            | MysqlType::Long
            | MysqlType::UnsignedLong
            | MysqlType::LongLong
                if matches!(column.wire(), MySqlWire::Integer) =>
            {
                MySqlFound::Integer(<i64 as FromSql<BigInt, Self>>::from_sql(found)?.into())
            }
            other => {
                let found = format_args!("a value of type {other:?}");
                return Err(Box::new(column.column().refusal(found)));
            }
        };
        key_of(|| column.decode(found))
    }
}
