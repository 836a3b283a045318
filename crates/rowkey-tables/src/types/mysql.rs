//! The types of MySQL and MariaDB, as `column_type` has them.

use rowkey_core::Backend;

use super::model::{Grammar, Refusal, Type, Words};

/// How many characters of `utf8mb4` an index of InnoDB has: 767 bytes before MySQL 5.7.
const INDEXED: u32 = 191;
/// Longer text is stored outside of the row, whose size is limited.
const IN_ROW: u32 = 1_024;
const TEXT: &str = "CHARACTER SET utf8mb4 COLLATE utf8mb4_bin";

pub(super) const GRAMMAR: Grammar = Grammar {
    parse,
    write,
    fraction_digits: |words| words.and_then(Words::length).unwrap_or(0),
    most_bytes,
};

fn parse(sql_type: &str) -> Option<Type> {
    match sql_type.split_once('(') {
        Some((name, _)) if name.eq_ignore_ascii_case("enum") => return Some(Type::Enum),
        Some((name, _)) if name.eq_ignore_ascii_case("set") => return Some(Type::Set),
        _ => {}
    }
    // MariaDB stores it in less space.
    let sql_type = sql_type
        .split(" /*M!100301 COMPRESSED")
        .next()
        .unwrap_or(sql_type);
    let sql_type = sql_type.strip_suffix(" compressed").unwrap_or(sql_type);
    let words = Words::of(sql_type)?;
    let (name, is_unsigned) = match words.name.split_once(" unsigned") {
        // A number that is shown with zeros is stored as any other.
        Some((name, "" | " zerofill")) => (name, true),
        Some(_) => return None,
        None => (words.name.as_str(), false),
    };
    let integer = |bytes| Type::Integer { bytes, is_unsigned };
    Some(match name {
        "tinyint" if words.length() == Some(1) && !is_unsigned => Type::Flag,
        "tinyint" => integer(1),
        "smallint" => integer(2),
        "mediumint" => integer(3),
        "int" => integer(4),
        "bigint" => integer(8),
        "float" => Type::Single,
        "double" => Type::Double,
        "decimal" => Type::Decimal(words.precision_and_scale()),
        "varchar" => Type::Text(words.length()),
        // Read without the spaces at its end.
        "char" => Type::Text(words.length()),
        "tinytext" | "text" | "mediumtext" | "longtext" => Type::Text(None),
        "json" => Type::Json,
        "binary" => Type::FixedBytes(words.length().unwrap_or(1)),
        "varbinary" => Type::Bytes(words.length()),
        "tinyblob" | "blob" | "mediumblob" | "longblob" => Type::Bytes(None),
        "date" => Type::Date,
        "time" => Type::Time,
        "datetime" => Type::Timestamp,
        "timestamp" => Type::Instant,
        "uuid" => Type::Uuid,
        "bit" => Type::Bits {
            length: words.length().unwrap_or(1),
            is_fixed: true,
        },
        "year" => Type::Year,
        // Shown as text, and read from it.
        "inet4" => Type::Text(Some(15)),
        "inet6" => Type::Text(Some(39)),
        "geometry" | "point" | "linestring" | "polygon" | "multipoint" | "multilinestring"
        | "multipolygon" | "geometrycollection" | "geomcollection" | "vector" => Type::Own,
        _ => return None,
    })
}

fn most_bytes(name: &str) -> Option<u64> {
    Some(match name {
        "tinytext" | "tinyblob" => u8::MAX.into(),
        "text" | "blob" => u16::MAX.into(),
        "mediumtext" | "mediumblob" => (1 << 24) - 1,
        _ => return None,
    })
}

fn write(backend: Backend, wanted: Type, is_indexed: bool) -> Result<String, Refusal> {
    let collation = match backend {
        // Spaces at the end count, as they do everywhere else.
        Backend::MariaDb => "CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin",
        _ => TEXT,
    };
    Ok(match wanted {
        Type::Bool | Type::Flag => "tinyint(1)".into(),
        Type::Integer { bytes, is_unsigned } => {
            let name = match bytes {
                1 => "tinyint",
                2 => "smallint",
                3 => "mediumint",
                4 => "int",
                _ => "bigint",
            };
            match (is_unsigned, bytes) {
                (true, _) => format!("{name} unsigned"),
                // `tinyint(1)` is a truth value.
                (false, 1) => "tinyint(4)".into(),
                (false, _) => name.into(),
            }
        }
        Type::Single => "float".into(),
        Type::Double => "double".into(),
        Type::Decimal(Some((precision @ ..=65, scale @ ..=30))) => {
            format!("decimal({precision},{scale})")
        }
        Type::Decimal(_) => {
            return Err(Refusal {
                why: "a decimal number has at most 65 digits there, 30 of them after the point"
                    .into(),
                instead: "give the column a type that holds its values, such as \
                          `to = \"decimal(65,30)\"`, or text for numbers of PostgreSQL: `to = \"longtext\"`"
                    .into(),
            });
        }
        Type::Text(Some(length)) | Type::PaddedText(length) if length <= IN_ROW => {
            format!("varchar({length}) {collation}")
        }
        Type::Text(_) | Type::PaddedText(_) if is_indexed => {
            format!("varchar({INDEXED}) {collation}")
        }
        Type::Text(_) | Type::PaddedText(_) => format!("longtext {collation}"),
        // Stored as it is, unlike in MySQL's own `json`.
        Type::Json => format!("longtext {TEXT}"),
        Type::FixedBytes(length @ ..=255) => format!("binary({length})"),
        Type::Bytes(Some(length)) if length <= 4 * IN_ROW => format!("varbinary({length})"),
        Type::Bytes(_) | Type::FixedBytes(_) if is_indexed => "varbinary(767)".into(),
        Type::Bytes(_) | Type::FixedBytes(_) => "longblob".into(),
        Type::Date => "date".into(),
        Type::Time => "time(6)".into(),
        // `timestamp` ends in 2038.
        Type::Timestamp | Type::Instant => "datetime(6)".into(),
        // MariaDB's own `uuid` refuses some values.
        Type::Uuid => "binary(16)".into(),
        Type::Bits {
            length: length @ ..=64,
            is_fixed: true,
        } => format!("bit({length})"),
        Type::Bits {
            length: u32::MAX, ..
        } => return write(backend, Type::Text(None), is_indexed),
        Type::Bits { length, .. } => return write(backend, Type::Text(Some(length)), is_indexed),
        Type::Year => "year(4)".into(),
        // The longest of them has fewer characters.
        Type::Interval => return write(backend, Type::Text(Some(80)), is_indexed),
        Type::Network { .. } => return write(backend, Type::Text(Some(50)), is_indexed),
        // SQLite's numbers have no scale of their own: the values decide whether this one holds them.
        Type::Loose(None) => "decimal(65,30)".into(),
        Type::Loose(scale) => return write(backend, Type::Decimal(scale), is_indexed),
        Type::Enum | Type::Set | Type::Own => {
            return write(backend, Type::Text(None), is_indexed);
        }
    })
}
