//! PostgreSQL's types, as `format_type` writes them, or as people do in a plan.

use super::model::{Grammar, Type, Words, is_of_oids};

pub(super) const GRAMMAR: Grammar = Grammar {
    // The number of a large object means nothing without the object.
    parse: |sql_type| (!is_of_oids(sql_type)).then(|| parse(sql_type).unwrap_or(Type::Own)),
    write: |_, wanted, is_indexed| Ok(write(wanted, is_indexed)),
    fraction_digits: |words| words.and_then(Words::length).unwrap_or(6),
    most_bytes: |_| None,
};

fn parse(sql_type: &str) -> Option<Type> {
    let words = Words::of(sql_type)?;
    let integer = |bytes| Type::Integer {
        bytes,
        is_unsigned: false,
    };
    Some(match words.name.as_str() {
        "boolean" | "bool" => Type::Bool,
        "smallint" | "int2" => integer(2),
        "integer" | "int" | "int4" => integer(4),
        "bigint" | "int8" => integer(8),
        "real" | "float4" => Type::Single,
        "double precision" | "float8" => Type::Double,
        // With more digits behind the point than there are, the rest of these are zeros.
        "numeric" | "decimal" => Type::Decimal(
            words
                .precision_and_scale()
                .map(|(precision, scale)| (precision.max(scale), scale)),
        ),
        "text" => Type::Text(None),
        "character varying" | "varchar" => Type::Text(words.length()),
        "character" | "char" => Type::PaddedText(words.length().unwrap_or(1)),
        "bytea" => Type::Bytes(None),
        "date" => Type::Date,
        "time without time zone" | "time" => Type::Time,
        "timestamp without time zone" | "timestamp" => Type::Timestamp,
        "timestamp with time zone" | "timestamptz" => Type::Instant,
        "uuid" => Type::Uuid,
        "json" | "jsonb" => Type::Json,
        "bit" => Type::Bits {
            length: words.length().unwrap_or(1),
            is_fixed: true,
        },
        "bit varying" | "varbit" => Type::Bits {
            length: words.length().unwrap_or(u32::MAX),
            is_fixed: false,
        },
        // Maybe with the fields that it has: `interval day to second(3)`.
        name if name.split(' ').next() == Some("interval") => Type::Interval,
        "inet" => Type::Network { is_cidr: false },
        "cidr" => Type::Network { is_cidr: true },
        _ => return None,
    })
}

fn write(wanted: Type, is_indexed: bool) -> String {
    match wanted {
        Type::Bool | Type::Flag => "boolean".into(),
        Type::Integer { bytes, is_unsigned } => match (bytes, is_unsigned) {
            (1, _) | (2, false) => "smallint",
            (2 | 3, _) | (4, false) => "integer",
            (8, true) => "numeric(20,0)",
            _ => "bigint",
        }
        .into(),
        Type::Single => "real".into(),
        Type::Double => "double precision".into(),
        Type::Decimal(None) | Type::Loose(None) => "numeric".into(),
        Type::Decimal(Some((precision, scale))) | Type::Loose(Some((precision, scale))) => {
            format!("numeric({precision},{scale})")
        }
        Type::Text(None) | Type::Enum | Type::Set | Type::Own => "text".into(),
        // Padding would change values.
        Type::Text(Some(length)) | Type::PaddedText(length) => {
            format!("character varying({length})")
        }
        // The text stays as it is, unlike in `jsonb`; but it has no index.
        Type::Json if is_indexed => "jsonb".into(),
        Type::Json => "json".into(),
        Type::Bytes(_) | Type::FixedBytes(_) => "bytea".into(),
        Type::Date => "date".into(),
        Type::Time => "time without time zone".into(),
        Type::Timestamp => "timestamp without time zone".into(),
        Type::Instant => "timestamp with time zone".into(),
        Type::Uuid => "uuid".into(),
        Type::Bits {
            length,
            is_fixed: true,
        } => format!("bit({length})"),
        Type::Bits {
            length: u32::MAX, ..
        } => "bit varying".into(),
        Type::Bits { length, .. } => format!("bit varying({length})"),
        Type::Year => "smallint".into(),
        Type::Interval => "interval".into(),
        Type::Network { is_cidr: false } => "inet".into(),
        Type::Network { is_cidr: true } => "cidr".into(),
    }
}
