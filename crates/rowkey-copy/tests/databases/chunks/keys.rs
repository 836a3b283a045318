//! Keys of every type, with the values that tempt a server to compare them in another way.

use rowkey_core::format::FormatKind;
use rowkey_core::storage::Storage;
use rowkey_sql::StoredForm;
use rowkey_testkit::Backend;

/// A type of a key, and its values as literals of the server, all different.
pub(crate) struct Key {
    pub(crate) sql_type: String,
    pub(crate) literals: Vec<String>,
}

/// Numbers that look random, the same in each run.
pub(crate) fn numbers(count: usize) -> Vec<u128> {
    let mut state = 0x0123_4567_89ab_cdef_u128;
    let next = |_| {
        state = state
            .wrapping_mul(0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645)
            .wrapping_add(0x5851_f42d_4c95_7f2d_1405_7b7e_f767_814f);
        state ^ (state >> 64)
    };
    (0..count).map(next).collect()
}

/// Every type of key that a backend has.
pub(crate) fn keys(backend: Backend, count: usize) -> Vec<Key> {
    let mut keys = ids(backend, count);
    keys.extend(texts(backend, count));
    keys.extend(others(backend, count));
    keys
}

/// Ids in all storages, in the order of the bytes that their layout gives.
fn ids(backend: Backend, count: usize) -> Vec<Key> {
    let mut keys = Vec::new();
    for (format, storage) in [
        (FormatKind::AnyUuid, Storage::Uuid),
        (FormatKind::AnyUuid, Storage::NativeUuid),
        (FormatKind::DistributedId, Storage::Decimal),
        (FormatKind::DistributedId128, Storage::Binary),
        (FormatKind::DistributedId, Storage::TextCompact),
        (FormatKind::UuidV7, Storage::Text),
        (FormatKind::AnyUuid, Storage::TextHexUpper),
    ] {
        let Ok(form) = StoredForm::new(format, backend, storage, None) else {
            continue;
        };
        let values = numbers(count).into_iter().map(|number| match storage {
            // Others are damaged, and MariaDB's type refuses them.
            Storage::NativeUuid => {
                number & !(0xf_u128 << 76) & !(0x3_u128 << 62) | 4 << 76 | 2 << 62
            }
            _ => number % (form.max_value().saturating_sub(1)),
        });
        keys.push(Key {
            sql_type: form.sql_type(),
            literals: values.map(|value| form.literal(value)).collect(),
        });
    }
    keys
}

/// Text in several collations: of upper and lower case, of other alphabets, with quotes and
/// backslashes, with a long equal beginning.
fn texts(backend: Backend, count: usize) -> Vec<Key> {
    let types: &[&str] = match backend {
        Backend::Postgres => &[
            "text COLLATE \"C\"",
            "varchar(90)",
            "char(90) COLLATE \"en-x-icu\"",
        ],
        Backend::Sqlite => &["TEXT", "TEXT COLLATE NOCASE", "VARCHAR(90)"],
        _ => &[
            "varchar(90) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci",
            "varchar(90) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
            "varchar(90) CHARACTER SET latin1 COLLATE latin1_german2_ci",
        ],
    };
    let text = |(place, number): (usize, u128)| {
        let tail = match place % 6 {
            0 => "it's",
            1 => "back\\slash",
            2 => "Ä",
            3 => "line\n",
            4 => "ß ?",
            _ => "\\'",
        };
        let head = ["Zz", "aB", "_", "öl", "equal beginning of all "][(number % 5) as usize];
        // The number tells texts apart that a collation takes for the same.
        format!("{head}{:x}{tail}{place}", number % 0xffff)
    };
    let literal = |text: String| {
        let hex: String = text.bytes().map(|byte| format!("{byte:02x}")).collect();
        match backend {
            Backend::Postgres => format!("convert_from('\\x{hex}', 'UTF8')"),
            Backend::Sqlite => format!("CAST(X'{hex}' AS TEXT)"),
            _ => format!("CONVERT(X'{hex}' USING utf8mb4)"),
        }
    };
    let key = |sql_type: &&str| Key {
        sql_type: (*sql_type).to_owned(),
        literals: numbers(count)
            .into_iter()
            .enumerate()
            .map(text)
            .map(literal)
            .collect(),
    };
    types.iter().map(key).collect()
}

/// Keys that aren't ids: integers, dates, bytes of several lengths, and for each backend what only
/// it has.
fn others(backend: Backend, count: usize) -> Vec<Key> {
    let numbers = numbers(count);
    let of = |sql_type: &str, literal: &dyn Fn(usize, u128) -> String| Key {
        sql_type: sql_type.to_owned(),
        literals: numbers
            .iter()
            .enumerate()
            .map(|(place, number)| literal(place, *number))
            .collect(),
    };
    let bytes = |place: usize, number: u128| {
        let hex = format!("{number:032x}");
        // Different by their length, with zeros at the end.
        let hex = format!(
            "{}{place:04x}{}",
            &hex[..2 * (place % 9)],
            "00".repeat(place % 3)
        );
        match backend {
            Backend::Postgres => format!("'\\x{hex}'"),
            _ => format!("X'{hex}'"),
        }
    };
    let integer = |_: usize, number: u128| (number as i64).to_string();
    let day =
        |place: usize, _: u128| format!("'{:04}-{:02}-15'", 1900 + place / 12, 1 + place % 12);
    let mut keys = vec![of("bigint", &integer)];
    match backend {
        Backend::Postgres => keys.extend([
            of("bytea", &bytes),
            of("date", &day),
            of("timestamptz", &|place, _| {
                format!("'2024-03-31 00:00:00.{place:06}+00'")
            }),
            of("numeric", &|_, number| format!("-{number}.50")),
            of("double precision", &|_, number| {
                format!("'{}'", 1.0 / number as f64)
            }),
            of("inet", &|_, number| {
                format!("'10.{}.{}.{}'", number % 99, number % 98, number % 199)
            }),
        ]),
        Backend::Sqlite => keys.extend([
            of("BLOB", &bytes),
            // Each value has a type of its own.
            of("ANYTHING", &|place, number| match place % 4 {
                0 => (number as i64).to_string(),
                1 => format!("'{number:x}'"),
                2 => format!(
                    "X'{number:x}{}'",
                    if number.ilog2() / 4 % 2 == 0 { "0" } else { "" }
                ),
                _ => format!("{:e}", 1.0 / (number % 1_000_003) as f64),
            }),
        ]),
        _ => keys.extend([
            of("varbinary(60)", &bytes),
            of("date", &day),
            of("bigint unsigned", &|_, number| (number as u64).to_string()),
            of("decimal(60,5)", &|_, number| format!("-{number}.50")),
            of("datetime(6)", &|place, _| {
                format!("'2024-03-31 02:30:00.{place:06}'")
            }),
        ]),
    }
    keys
}
