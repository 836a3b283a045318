//! PostgreSQL: uuid, numeric, bytea, text and bigint, and arrays of them.
//!
//! The types are identified by their fixed OIDs in `pg_type`, so no sqlx feature for other crates'
//! types is needed and no name is looked up on the server. A domain over one of them is read like
//! its base type.

use rowkey_core::EntityKey;
use rowkey_core::driver::{PostgresColumn, TypeOids, UuidWire, numeric};
use rowkey_core::storage::{Column, Stored};
use sqlx::encode::IsNull;
use sqlx::error::{BoxDynError, UnexpectedNullError};
use sqlx::postgres::types::Oid;
use sqlx::postgres::{PgArgumentBuffer, PgTypeInfo, PgTypeKind, PgValueFormat, PgValueRef};
use sqlx::{TypeInfo, ValueRef};

use crate::stored::{key_of, refusal};

const fn column_of<K: EntityKey>() -> PostgresColumn {
    K::PLAN.postgres()
}

/// The type of a key's parameters: UUID, NUMERIC, BYTEA, TEXT or INT8.
#[inline]
pub fn type_info<K: EntityKey>() -> PgTypeInfo {
    PgTypeInfo::with_oid(Oid(
        const { TypeOids::of_parameters(column_of::<K>().wire()) }.element,
    ))
}

/// The type of an array of keys as a parameter, as in `id = any($1)`.
#[inline]
pub fn array_type_info<K: EntityKey>() -> PgTypeInfo {
    PgTypeInfo::with_oid(Oid(
        const { TypeOids::of_parameters(column_of::<K>().wire()) }.array,
    ))
}

/// Always true, so that [`decode`] sees every value: its errors say more.
#[inline]
pub fn compatible<K: EntityKey>(_: &PgTypeInfo) -> bool {
    true
}

/// Whether this is an array whose elements [`decode`] can see.
pub fn array_compatible<K: EntityKey>(found: &PgTypeInfo) -> bool {
    match resolved_kind(found) {
        Some(PgTypeKind::Array(element)) => is_stored_as(column_of::<K>().wire(), element),
        Some(PgTypeKind::Domain(base)) => array_compatible::<K>(base),
        _ => false,
    }
}

/// Writes a key as the parameter of a query.
///
/// # Errors
///
/// None; a key always fits its plan.
#[inline]
pub fn encode<K: EntityKey>(key: K, buffer: &mut PgArgumentBuffer) -> Result<IsNull, BoxDynError> {
    encode_value::<K>(key.to_u128(), buffer)
}

/// Writes a public value of a key's format: a key's own or a bound's.
#[inline]
pub(crate) fn encode_value<K: EntityKey>(
    value: u128,
    buffer: &mut PgArgumentBuffer,
) -> Result<IsNull, BoxDynError> {
    match const { column_of::<K>() }.encode(value) {
        Stored::Uuid(bytes) => buffer.extend_from_slice(&bytes),
        Stored::Bytes(bytes) => buffer.extend_from_slice(bytes.as_slice()),
        Stored::Decimal(number) => numeric::write(number, buffer),
        Stored::Text(text) => buffer.extend_from_slice(text.as_bytes()),
        Stored::Integer(number) => buffer.extend_from_slice(&number.to_be_bytes()),
    }
    Ok(IsNull::No)
}

/// Reads a key from a value, in the binary or the text protocol.
///
/// # Errors
///
/// `UnexpectedNullError` for NULL, otherwise a [`rowkey_core::Error`] for a value of another
/// type, length or format than the plan stores.
#[inline]
pub fn decode<K: EntityKey>(value: PgValueRef<'_>) -> Result<K, BoxDynError> {
    let column = const { column_of::<K>() };
    if value.is_null() {
        return Err(Box::new(UnexpectedNullError));
    }
    if !is_stored_as(column.wire(), &value.type_info()) {
        return Err(refuse_type(column.column(), &value.type_info()));
    }
    match value.format() {
        PgValueFormat::Binary => {
            let bytes = value.as_bytes()?;
            key_of(|| column.decode_binary(bytes))
        }
        PgValueFormat::Text => match value.as_str() {
            Ok(text) => key_of(|| column.decode_text(text)),
            Err(_) => Err(refusal(column.column(), "text that is not UTF-8")),
        },
    }
}

/// Whether values of this type have the binary form of the wire type.
#[inline]
fn is_stored_as(wire: UuidWire, found: &PgTypeInfo) -> bool {
    found.oid() == Some(Oid(TypeOids::of_parameters(wire).element)) || is_read_like(wire, found)
}

/// Whether values of another type are read like the wire type: a domain over it and, for text, the
/// other text types.
#[inline(never)]
fn is_read_like(wire: UuidWire, found: &PgTypeInfo) -> bool {
    base_oid(found)
        .is_some_and(|Oid(oid)| TypeOids::of_columns(wire).any(|oids| oids.element == oid))
}

/// The OID of a type, or of a domain's base type.
fn base_oid(found: &PgTypeInfo) -> Option<Oid> {
    match resolved_kind(found) {
        Some(PgTypeKind::Domain(base)) => base_oid(base),
        _ => found.oid(),
    }
}

/// The kind of a type, unless sqlx knows only its OID (such a type is called `?`) or its name:
/// `kind` would panic.
fn resolved_kind(found: &PgTypeInfo) -> Option<&PgTypeKind> {
    (found.oid().is_some() && found.name() != "?").then(|| found.kind())
}

#[cold]
fn refuse_type(column: Column, found: &PgTypeInfo) -> BoxDynError {
    match (found.name(), found.oid()) {
        ("?", Some(Oid(oid))) => {
            refusal(column, format_args!("a value of the type with OID {oid}"))
        }
        (name, _) => refusal(column, format_args!("a value of type {name}")),
    }
}
