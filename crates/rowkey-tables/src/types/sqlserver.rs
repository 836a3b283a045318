//! The types of SQL Server, as its catalogue has them. They have run on a server that speaks its
//! language, not on SQL Server itself.

use super::model::{Grammar, Refusal, Type, Words};

/// How many characters an index has in 900 bytes.
const INDEXED: u32 = 450;
/// Longer text is stored outside of the row.
const IN_ROW: u32 = 4_000;
/// Texts differ where their characters do. Spaces at the end never count.
const COLLATION: &str = "COLLATE Latin1_General_100_BIN2";

pub(super) const GRAMMAR: Grammar = Grammar {
    parse,
    write: |_, wanted, is_indexed| write(wanted, is_indexed),
    fraction_digits,
    most_bytes: |_| None,
};

fn parse(sql_type: &str) -> Option<Type> {
    let integer = |bytes| Type::Integer {
        bytes,
        is_unsigned: bytes == 1,
    };
    let (name, is_max) = without_max(sql_type);
    let words = Words::of(&name)?;
    let length = |most: u32| match is_max {
        true => None,
        false => Some(words.length().unwrap_or(most)),
    };
    Some(match words.name.as_str() {
        "bit" => Type::Bool,
        "tinyint" => integer(1),
        "smallint" => integer(2),
        "int" => integer(4),
        "bigint" => integer(8),
        "real" => Type::Single,
        "float" if words.length().is_some_and(|bits| bits <= 24) => Type::Single,
        "float" => Type::Double,
        "decimal" | "numeric" => Type::Decimal(words.precision_and_scale().or(Some((18, 0)))),
        "money" => Type::Decimal(Some((19, 4))),
        "smallmoney" => Type::Decimal(Some((10, 4))),
        "char" | "nchar" => Type::PaddedText(words.length().unwrap_or(1)),
        "varchar" | "nvarchar" => Type::Text(length(1)),
        "sysname" => Type::Text(Some(128)),
        "text" | "ntext" => Type::Text(None),
        "json" => Type::Json,
        "binary" => Type::FixedBytes(words.length().unwrap_or(1)),
        "varbinary" => Type::Bytes(length(1)),
        "image" => Type::Bytes(None),
        "date" => Type::Date,
        "time" => Type::Time,
        "datetime" | "smalldatetime" | "datetime2" => Type::Timestamp,
        "datetimeoffset" => Type::Instant,
        "uniqueidentifier" => Type::Uuid,
        // The text of these types has the whole value. That of `sql_variant` and of types that
        // people have made may not.
        "xml" | "hierarchyid" | "geography" | "geometry" => Type::Own,
        _ => return None,
    })
}

/// Without `(max)`, and whether it was there.
fn without_max(sql_type: &str) -> (String, bool) {
    let lower = sql_type.trim().to_ascii_lowercase();
    match lower.strip_suffix("(max)") {
        Some(name) => (name.trim().to_owned(), true),
        None => (lower, false),
    }
}

/// How many digits of a second a type has. The seventh is looked at in each value.
fn fraction_digits(words: Option<&Words>) -> u32 {
    match words {
        Some(words) if words.name == "smalldatetime" => 0,
        Some(words) if words.name == "datetime" => 3,
        _ => words.and_then(Words::length).unwrap_or(7).min(6),
    }
}

fn write(wanted: Type, is_indexed: bool) -> Result<String, Refusal> {
    Ok(match wanted {
        Type::Bool | Type::Flag | Type::Bits { length: 1, .. } => "bit".into(),
        Type::Integer { bytes, is_unsigned } => match (bytes, is_unsigned) {
            (1, true) => "tinyint",
            (1, false) | (2, false) => "smallint",
            (2 | 3, _) | (4, false) => "int",
            (8, true) => "decimal(20,0)",
            _ => "bigint",
        }
        .into(),
        Type::Single => "real".into(),
        Type::Double => "float".into(),
        Type::Decimal(Some((precision @ ..=38, scale))) if scale <= precision => {
            format!("decimal({precision},{scale})")
        }
        Type::Decimal(_) => {
            return Err(Refusal {
                why: "a decimal number has at most 38 digits there".into(),
                instead: "give the column a type that holds its values, such as \
                          `to = \"decimal(38,10)\"`"
                    .into(),
            });
        }
        Type::Text(Some(length)) | Type::PaddedText(length) if length <= IN_ROW => {
            format!("nvarchar({length}) {COLLATION}")
        }
        Type::Text(_) | Type::PaddedText(_) if is_indexed => {
            format!("nvarchar({INDEXED}) {COLLATION}")
        }
        Type::Text(_) | Type::PaddedText(_) | Type::Json => format!("nvarchar(max) {COLLATION}"),
        Type::FixedBytes(length @ ..=8_000) => format!("binary({length})"),
        Type::Bytes(Some(length @ ..=8_000)) => format!("varbinary({length})"),
        Type::Bytes(_) | Type::FixedBytes(_) if is_indexed => "varbinary(900)".into(),
        Type::Bytes(_) | Type::FixedBytes(_) => "varbinary(max)".into(),
        Type::Date => "date".into(),
        // With all digits, because the driver names these types so when it loads rows.
        Type::Time => "time(7)".into(),
        Type::Timestamp => "datetime2(7)".into(),
        Type::Instant => "datetimeoffset(7)".into(),
        Type::Uuid => "uniqueidentifier".into(),
        Type::Bits {
            length: u32::MAX, ..
        } => return write(Type::Text(None), is_indexed),
        Type::Bits { length, .. } => return write(Type::Text(Some(length)), is_indexed),
        Type::Year => "smallint".into(),
        // The longest of them has fewer characters.
        Type::Interval => return write(Type::Text(Some(80)), is_indexed),
        Type::Network { .. } => return write(Type::Text(Some(50)), is_indexed),
        Type::Loose(scale) => return write(Type::Decimal(scale), is_indexed),
        Type::Enum | Type::Set | Type::Own => return write(Type::Text(None), is_indexed),
    })
}
