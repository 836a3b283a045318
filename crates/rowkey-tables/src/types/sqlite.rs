//! SQLite's declared types. The words of a declaration decide in which form a value is stored: with
//! `TEXT` or `BLOB` in them, it stays as it is.

use super::model::{Affinity, Grammar, Type, Words};

pub(super) const GRAMMAR: Grammar = Grammar {
    parse,
    write: |_, wanted, _| Ok(write(wanted)),
    fraction_digits: |words| words.and_then(Words::length).unwrap_or(6),
    most_bytes: |_| None,
};

fn parse(sql_type: &str) -> Option<Type> {
    // Parentheses in quotes have no numbers of the type.
    let words = match sql_type.contains(QUOTES) {
        true => Words {
            name: sql_type.to_ascii_lowercase(),
            numbers: Vec::new(),
        },
        false => Words::of(sql_type)?,
    };
    Some(match words.name.as_str() {
        "boolean" | "bool" => Type::Flag,
        "int" | "integer" | "tinyint" | "smallint" | "mediumint" | "bigint" | "int2" | "int4"
        | "int8" => Type::Integer {
            bytes: 8,
            is_unsigned: false,
        },
        "real" | "double" | "double precision" | "float" => Type::Double,
        "decimal_text" => Type::Decimal(words.precision_and_scale()),
        "text" | "clob" => Type::Text(None),
        "varchar" | "char" | "character" | "nvarchar" | "nchar" | "varying character" => {
            Type::Text(words.length())
        }
        "json" | "json_text" => Type::Json,
        "" | "blob" | "binary" | "varbinary" | "bytea" => Type::Bytes(None),
        "date" => Type::Date,
        "time" => Type::Time,
        "datetime" | "timestamp" => Type::Timestamp,
        "timestamptz" => Type::Instant,
        "decimal" | "numeric" => Type::Loose(words.precision_and_scale()),
        "uuid" | "guid" | "uniqueidentifier" | "uuid_blob" | "uuid_text" => Type::Uuid,
        "jsonb" => Type::Json,
        "timestamp without time zone" => Type::Timestamp,
        "timestamp with time zone" => Type::Instant,
        name if consists_of_words(name) => by_affinity(name, &words),
        _ => return None,
    })
}

/// What SQLite takes for a word of a type between two of them, such as a comment of MySQL.
const QUOTES: [char; 3] = ['\'', '"', '`'];

/// Whether a name ends no type before its end, so that it may be written as it is.
fn consists_of_words(name: &str) -> bool {
    let mut quote = None;
    for character in name.chars() {
        match quote {
            Some(open) if open == character => quote = None,
            Some(_) => {}
            None if QUOTES.contains(&character) => quote = Some(character),
            None if is_in_word(character) => {}
            None => return false,
        }
    }
    quote.is_none()
}

/// What SQLite makes of the values, by its rules for names that it does not know.
fn by_affinity(name: &str, words: &Words) -> Type {
    match Affinity::of(name) {
        Affinity::Integer => Type::Integer {
            bytes: 8,
            is_unsigned: false,
        },
        Affinity::Text => Type::Text(words.length()),
        Affinity::Blob => Type::Bytes(None),
        Affinity::Real => Type::Double,
        Affinity::Numeric => Type::Own,
    }
}

fn is_in_word(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, ' ' | '_')
}

fn write(wanted: Type) -> String {
    match wanted {
        Type::Bool | Type::Flag => "BOOLEAN".into(),
        Type::Integer {
            bytes: 8,
            is_unsigned: true,
        } => "DECIMAL_TEXT(20,0)".into(),
        Type::Integer { .. } | Type::Year => "INTEGER".into(),
        Type::Single | Type::Double => "REAL".into(),
        Type::Decimal(None) | Type::Loose(None) => "DECIMAL_TEXT".into(),
        Type::Decimal(Some((precision, scale))) | Type::Loose(Some((precision, scale))) => {
            format!("DECIMAL_TEXT({precision},{scale})")
        }
        Type::Text(None)
        | Type::Enum
        | Type::Set
        | Type::Bits { .. }
        | Type::Interval
        | Type::Network { .. }
        | Type::Own => "TEXT".into(),
        Type::Text(Some(length)) | Type::PaddedText(length) => format!("VARCHAR({length})"),
        Type::Json => "JSON_TEXT".into(),
        Type::Bytes(_) | Type::FixedBytes(_) => "BLOB".into(),
        Type::Date => "DATE".into(),
        Type::Time => "TIME".into(),
        Type::Timestamp => "TIMESTAMP".into(),
        Type::Instant => "TIMESTAMPTZ".into(),
        Type::Uuid => "UUID_BLOB".into(),
    }
}
