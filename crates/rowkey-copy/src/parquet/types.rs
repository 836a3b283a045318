//! The types of Parquet files, in words of our own: those of Arrow, as far as a column of a table
//! has them.

use rowkey_tables::types::{Kind, Refusal, Type, Words};

/// The most digits of a decimal number in Arrow.
const DIGITS: u32 = 76;

pub(crate) fn parse(sql_type: &str) -> Option<Type> {
    let words = Words::of(sql_type)?;
    let integer = |bytes, is_unsigned| Type::Integer { bytes, is_unsigned };
    Some(match (words.name.as_str(), words.length()) {
        ("boolean", None) => Type::Bool,
        ("int8", None) => integer(1, false),
        ("int16", None) => integer(2, false),
        ("int32", None) => integer(4, false),
        ("int64", None) => integer(8, false),
        ("uint8", None) => integer(1, true),
        ("uint16", None) => integer(2, true),
        ("uint32", None) => integer(4, true),
        ("uint64", None) => integer(8, true),
        ("float", None) => Type::Single,
        ("double", None) => Type::Double,
        ("decimal", Some(1..=DIGITS)) => {
            let (precision, scale) = words.precision_and_scale()?;
            return (scale <= precision).then_some(Type::Decimal(Some((precision, scale))));
        }
        ("text", None) => Type::Text(None),
        ("json", None) => Type::Json,
        ("binary", None) => Type::Bytes(None),
        ("binary", Some(length @ 1..)) => Type::FixedBytes(length),
        ("date", None) => Type::Date,
        ("time", None) => Type::Time,
        ("timestamp", None) => Type::Timestamp,
        ("timestamptz", None) => Type::Instant,
        ("uuid", None) => Type::Uuid,
        _ => return None,
    })
}

/// The words of the type that holds the values of another.
pub(crate) fn write(wanted: Type) -> Result<String, Refusal> {
    Ok(match wanted {
        Type::Bool | Type::Flag => "boolean".into(),
        Type::Integer { bytes, is_unsigned } => {
            let sign = if is_unsigned { "u" } else { "" };
            let bytes = if bytes == 3 { 4 } else { bytes };
            format!("{sign}int{}", 8 * u32::from(bytes))
        }
        Type::Year => "int16".into(),
        Type::Single => "float".into(),
        Type::Double => "double".into(),
        Type::Decimal(Some((precision, scale))) | Type::Loose(Some((precision, scale)))
            if precision.max(scale) <= DIGITS =>
        {
            format!("decimal({},{scale})", precision.max(scale).max(1))
        }
        Type::Decimal(_) | Type::Loose(_) => {
            return Err(Refusal {
                why: format!("a decimal number has at most {DIGITS} digits in Parquet"),
                instead: "give the column a type that holds its values, such as \
                          `to = \"decimal(38,10)\"`"
                    .into(),
            });
        }
        Type::Json => "json".into(),
        Type::FixedBytes(length @ 1..) => format!("binary({length})"),
        Type::Bytes(_) | Type::FixedBytes(0) => "binary".into(),
        Type::Date => "date".into(),
        Type::Time => "time".into(),
        Type::Timestamp => "timestamp".into(),
        Type::Instant => "timestamptz".into(),
        Type::Uuid => "uuid".into(),
        Type::Text(_)
        | Type::PaddedText(_)
        | Type::Enum
        | Type::Set
        | Type::Bits { .. }
        | Type::Interval
        | Type::Network { .. } => "text".into(),
        Type::Own => {
            return Err(Refusal {
                why: "Parquet has no such type".into(),
                instead: "`to = \"text\"` copies its values as text".into(),
            });
        }
    })
}

/// How a value of a type is seen on both sides, which the type alone decides.
pub(crate) fn kind(own: Type) -> Option<Kind> {
    Some(match own {
        Type::Bool => Kind::Bool,
        Type::Integer { .. } => Kind::Integer,
        Type::Single => Kind::Single,
        Type::Double => Kind::Double,
        Type::Decimal(_) => Kind::Decimal,
        Type::Text(_) | Type::Json => Kind::Text,
        Type::Bytes(_) | Type::FixedBytes(_) => Kind::Bytes,
        Type::Date => Kind::Date,
        Type::Time => Kind::Time,
        Type::Timestamp | Type::Instant => Kind::Timestamp,
        Type::Uuid => Kind::Uuid,
        _ => return None,
    })
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// All types, and decimal numbers of both of Arrow's widths.
    pub(in crate::parquet) const WORDS: &[&str] = &[
        "boolean",
        "int8",
        "int16",
        "int32",
        "int64",
        "uint8",
        "uint16",
        "uint32",
        "uint64",
        "float",
        "double",
        "decimal(38,0)",
        "decimal(65,30)",
        "decimal(76,30)",
        "text",
        "json",
        "binary",
        "binary(16)",
        "date",
        "time",
        "timestamp",
        "timestamptz",
        "uuid",
    ];

    #[test]
    fn every_type_is_written_as_it_is_read() {
        for words in WORDS {
            let own = parse(words).unwrap();
            assert_eq!(write(own).unwrap(), *words);
            assert!(kind(own).is_some(), "{words}");
        }
        for words in [
            "",
            "numeric",
            "decimal",
            "decimal(0,0)",
            "decimal(77,0)",
            "decimal(4,5)",
            "text(4)",
            "binary(0)",
            "uuid; DROP TABLE offer",
        ] {
            assert_eq!(parse(words), None, "{words}");
        }
        assert!(write(Type::Decimal(None)).is_err());
        assert!(write(Type::Own).is_err());
    }
}
