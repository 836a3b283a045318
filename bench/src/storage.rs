//! What drivers do for every key: to a column's form and back.

use std::sync::LazyLock;

use rowkey_core::Backend;
use rowkey_core::format::FormatKind;
use rowkey_core::storage::{Column, Storage, StoragePlan, Stored, StoredRef};
use uuid::Uuid;

use crate::inputs::{COUNT, distributed, texts, wide};
use crate::operation::{Operation, on_each, on_each_bytes, on_each_text};

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

const fn column(format: FormatKind, backend: Backend) -> Column {
    StoragePlan::default_for(format).column(backend)
}

pub(crate) const OPERATIONS: &[Operation] = &[
    Operation::on_number("encode-postgres-uuid", |rounds| {
        on_each(rounds, wide(), |value| uuid_bytes(IDENTITY.encode(value)))
    }),
    Operation::on_number("encode-sql-server-suffix-short", |rounds| {
        on_each(rounds, wide(), |value| uuid_bytes(SWAP_SHORT.encode(value)))
    }),
    Operation::on_number("encode-sql-server-suffix-full", |rounds| {
        on_each(rounds, wide(), |value| uuid_bytes(SWAP_FULL.encode(value)))
    }),
    Operation::on_number("encode-sql-server-image", |rounds| {
        on_each(rounds, wide(), |value| uuid_bytes(SQL_SERVER.encode(value)))
    }),
    Operation::on_number("encode-sqlite-digits", |rounds| {
        on_each(rounds, distributed(), |value| SQLITE_DIGITS.encode(value))
    }),
    Operation::on_number("encode-mariadb-native-uuid", |rounds| {
        on_each(rounds, wide(), |value| NATIVE_UUID.encode(value))
    }),
    Operation::on_slice("decode-postgres-uuid", |rounds| {
        on_each_bytes(rounds, &columns().identity, |bytes| {
            IDENTITY.decode(StoredRef::Bytes(bytes)).ok()
        })
    }),
    Operation::on_slice("decode-sql-server-suffix-short", |rounds| {
        on_each_bytes(rounds, &columns().swap_short, |bytes| {
            SWAP_SHORT.decode(StoredRef::Bytes(bytes)).ok()
        })
    }),
    Operation::on_slice("decode-sql-server-suffix-full", |rounds| {
        on_each_bytes(rounds, &columns().swap_full, |bytes| {
            SWAP_FULL.decode(StoredRef::Bytes(bytes)).ok()
        })
    }),
    Operation::on_slice("decode-sql-server-image", |rounds| {
        on_each_bytes(rounds, &columns().sql_server, |bytes| {
            SQL_SERVER.decode(StoredRef::Bytes(bytes)).ok()
        })
    }),
    Operation::on_slice("decode-sqlite-digits", |rounds| {
        on_each_text(rounds, &texts().decimal, |text| {
            SQLITE_DIGITS.decode(StoredRef::Text(text)).ok()
        })
    }),
    Operation::on_slice("decode-mariadb-native-uuid", |rounds| {
        on_each_text(rounds, &columns().native_uuid, |text| {
            NATIVE_UUID.decode(StoredRef::Text(text)).ok()
        })
    }),
    Operation::on_number("peer-uuid-bytes", |rounds| {
        on_each(rounds, wide(), |value| Uuid::from_u128(value).into_bytes())
    }),
    Operation::on_slice("peer-uuid-from-bytes", |rounds| {
        on_each_bytes(rounds, &columns().identity, |bytes| {
            Uuid::from_slice(bytes).ok()
        })
    }),
];

/// What the columns hold.
struct Contents {
    identity: [[u8; 16]; COUNT],
    swap_short: [[u8; 16]; COUNT],
    swap_full: [[u8; 16]; COUNT],
    sql_server: [[u8; 16]; COUNT],
    native_uuid: [String; COUNT],
}

fn columns() -> &'static Contents {
    static CONTENTS: LazyLock<Contents> = LazyLock::new(|| {
        let bytes = |column: Column, version| {
            wide().map(|number| uuid_bytes(column.encode(uuid_of(version, number))))
        };
        Contents {
            identity: bytes(IDENTITY, 4),
            swap_short: bytes(SWAP_SHORT, 4),
            swap_full: bytes(SWAP_FULL, 4),
            sql_server: bytes(SQL_SERVER, 7),
            native_uuid: wide().map(|number| match NATIVE_UUID.encode(uuid_of(4, number)) {
                Stored::Text(text) => text.into(),
                other => unreachable!("MariaDB's UUID is sent as text, not {other:?}"),
            }),
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
