//! What drivers do for every key: to a column's form and back.

use std::sync::LazyLock;

use rowkey_core::Backend;
use rowkey_core::format::FormatKind;
use rowkey_core::storage::{Column, Storage, StoragePlan, Stored, StoredRef};
use uuid::Uuid;

use crate::inputs::{COUNT, distributed, texts, wide};
use crate::operation::{Operation, operation};

// Constants, as the plans of keys are.
const IDENTITY: Column = column(FormatKind::ShortPrefixComb, Backend::Postgres);
const SWAP_SHORT: Column = column(FormatKind::ShortPrefixComb, Backend::SqlServer);
const SWAP_FULL: Column = column(FormatKind::PrefixComb, Backend::SqlServer);
const SQL_SERVER: Column = column(FormatKind::UuidV7, Backend::SqlServer);
const SQLITE_DIGITS: Column = column(FormatKind::DistributedId, Backend::Sqlite);
const NATIVE_UUID: Column = match Column::new(
    FormatKind::ShortPrefixComb,
    Backend::MariaDb,
    Storage::NativeUuid,
    None,
) {
    Ok(column) => column,
    Err(refusal) => panic!("{}", refusal),
};

const TEXT: Column = text(Storage::Text);
const TEXT_HEX: Column = text(Storage::TextHex);

const fn text(storage: Storage) -> Column {
    match Column::new(FormatKind::ShortPrefixComb, Backend::Sqlite, storage, None) {
        Ok(column) => column,
        Err(refusal) => panic!("{}", refusal),
    }
}

const fn column(format: FormatKind, backend: Backend) -> Column {
    StoragePlan::default_for(format).column(backend)
}

pub(crate) const OPERATIONS: &[Operation] = &[
    operation!(number "encode-postgres-uuid", wide(), |value| uuid_bytes(IDENTITY.encode(value))),
    operation!(number "encode-sql-server-suffix-short", wide(), |value| uuid_bytes(SWAP_SHORT.encode(value))),
    operation!(number "encode-sql-server-suffix-full", wide(), |value| uuid_bytes(SWAP_FULL.encode(value))),
    operation!(number "encode-sql-server-image", wide(), |value| uuid_bytes(SQL_SERVER.encode(value))),
    operation!(number "encode-sqlite-digits", distributed(), |value| SQLITE_DIGITS.encode(value)),
    operation!(number "encode-mariadb-native-uuid", wide(), |value| NATIVE_UUID.encode(value)),
    operation!(bytes "decode-postgres-uuid", &columns().identity, |bytes| {
        IDENTITY.decode(StoredRef::Bytes(bytes)).ok()
    }),
    operation!(bytes "decode-sql-server-suffix-short", &columns().swap_short, |bytes| {
        SWAP_SHORT.decode(StoredRef::Bytes(bytes)).ok()
    }),
    operation!(bytes "decode-sql-server-suffix-full", &columns().swap_full, |bytes| {
        SWAP_FULL.decode(StoredRef::Bytes(bytes)).ok()
    }),
    operation!(bytes "decode-sql-server-image", &columns().sql_server, |bytes| {
        SQL_SERVER.decode(StoredRef::Bytes(bytes)).ok()
    }),
    operation!(text "decode-sqlite-digits", &texts().decimal, |text| {
        SQLITE_DIGITS.decode(StoredRef::Text(text)).ok()
    }),
    operation!(text "decode-mariadb-native-uuid", &columns().native_uuid, |text| {
        NATIVE_UUID.decode(StoredRef::Text(text)).ok()
    }),
    operation!(text "decode-text-uuid", &columns().native_uuid, |text| {
        TEXT.decode(StoredRef::Text(text)).ok()
    }),
    operation!(text "decode-text-hex", &columns().hex, |text| {
        TEXT_HEX.decode(StoredRef::Text(text)).ok()
    }),
    operation!(number "peer-uuid-bytes", wide(), |value| Uuid::from_u128(value).into_bytes()),
    operation!(bytes "peer-uuid-from-bytes", &columns().identity, |bytes| {
        Uuid::from_slice(bytes).ok()
    }),
];

/// What the columns hold.
struct Contents {
    identity: [[u8; 16]; COUNT],
    swap_short: [[u8; 16]; COUNT],
    swap_full: [[u8; 16]; COUNT],
    sql_server: [[u8; 16]; COUNT],
    native_uuid: [String; COUNT],
    hex: [String; COUNT],
}

fn columns() -> &'static Contents {
    static CONTENTS: LazyLock<Contents> = LazyLock::new(|| {
        let bytes = |column: Column, version| {
            wide().map(|number| uuid_bytes(column.encode(uuid_of(version, number))))
        };
        let texts = |column: Column| {
            wide().map(|number| match column.encode(uuid_of(4, number)) {
                Stored::Text(text) => text.into(),
                other => unreachable!("the column holds text, not {other:?}"),
            })
        };
        Contents {
            identity: bytes(IDENTITY, 4),
            swap_short: bytes(SWAP_SHORT, 4),
            swap_full: bytes(SWAP_FULL, 4),
            sql_server: bytes(SQL_SERVER, 7),
            native_uuid: texts(NATIVE_UUID),
            hex: texts(TEXT_HEX),
        }
    });
    &CONTENTS
}

/// The number with a version and the RFC variant stamped on it.
pub(crate) fn uuid_of(version: u8, number: u128) -> u128 {
    let fixed = 0xf << 76 | 0b11 << 62;
    number & !fixed | u128::from(version) << 76 | 0b10 << 62
}

/// The bytes of a column that holds a uuid.
#[inline(always)]
fn uuid_bytes(stored: Stored) -> [u8; 16] {
    match stored {
        Stored::Uuid(bytes) => bytes,
        other => unreachable!("the column holds a uuid, not {other:?}"),
    }
}
