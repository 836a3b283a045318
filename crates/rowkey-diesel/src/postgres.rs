//! PostgreSQL: uuid, numeric, bytea, text and bigint, and arrays of them.
//!
//! Diesel only reads the binary protocol. A domain over one of the types is received as its base
//! type.

use std::io::Write;

use diesel::deserialize;
use diesel::pg::{Pg, PgTypeMetadata, PgValue};
use diesel::serialize::{self, IsNull, Output};
use diesel::sql_types::HasSqlType;
use rowkey_core::driver::{PostgresColumn, TypeOids, UuidWire, numeric};
use rowkey_core::storage::Stored;
use rowkey_core::{Backend, EntityKey};

use crate::backend::KeyValue;
use crate::stored::{check_declared, key_of};
use crate::{Key, KeyColumn, ReadKey, WriteKey};

const fn column_of<K: EntityKey>() -> PostgresColumn {
    K::PLAN.postgres()
}

impl<K: EntityKey> HasSqlType<Key<K>> for Pg {
    fn metadata(_: &mut Self::MetadataLookup) -> PgTypeMetadata {
        let TypeOids { element, array } =
            const { TypeOids::of_parameters(column_of::<K>().wire()) };
        PgTypeMetadata::new(element, array)
    }
}

impl<V, ST> WriteKey<V, ST> for Pg
where
    V: KeyValue,
    ST: KeyColumn<V::Key>,
{
    fn write<'b>(value: &'b V, out: &mut Output<'b, '_, Self>) -> serialize::Result {
        check_declared::<V::Key, ST>(Backend::Postgres)?;
        match const { column_of::<V::Key>() }.encode(value.public_value()) {
            Stored::Uuid(bytes) => out.write_all(&bytes)?,
            Stored::Bytes(bytes) => out.write_all(bytes.as_slice())?,
            Stored::Decimal(number) => {
                let mut groups = Vec::with_capacity(32);
                numeric::write(number, &mut groups);
                out.write_all(&groups)?;
            }
            Stored::Text(text) => out.write_all(text.as_bytes())?,
            Stored::Integer(number) => out.write_all(&number.to_be_bytes())?,
        }
        Ok(IsNull::No)
    }
}

impl<K, ST> ReadKey<K, ST> for Pg
where
    K: EntityKey,
    ST: KeyColumn<K>,
{
    fn read(found: PgValue<'_>) -> deserialize::Result<K> {
        check_declared::<K, ST>(Backend::Postgres)?;
        let column = const { column_of::<K>() };
        let oid = found.get_oid().get();
        if !is_stored_as(column.wire(), oid) {
            let found = format_args!("a value of the type with OID {oid}");
            return Err(Box::new(column.column().refusal(found)));
        }
        key_of(|| column.decode_binary(found.as_bytes()))
    }
}

/// Whether values of this type have the binary form of the wire type.
///
/// Diesel gives the elements of an array the OID of the array's type. Nothing is known about arrays
/// of a domain, because that type is user-defined.
fn is_stored_as(wire: UuidWire, oid: u32) -> bool {
    /// The first OID of user-defined types.
    const FIRST_OF_USERS: u32 = 16_384;

    oid >= FIRST_OF_USERS
        || TypeOids::of_columns(wire).any(|oids| oid == oids.element || oid == oids.array)
}
