//! The text of an id as schemas describe it.
//!
//! A pattern has the length and the alphabet of the text, so that people can read it. It matches
//! every text that the parser accepts. The parser is stricter: it also checks fixed bits, the group
//! and the largest number.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::error::Error;
use crate::format::{Format, FormatKind, Luuid, LuuidGroup};
use crate::key::EntityKey;
use crate::luuid::KeyUnion;
use crate::text::{Encoding, Width};

const UUID: &str = "[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}";

/// How a schema describes a string.
pub(crate) struct TextSchema {
    /// The name of the format in JSON Schema and OpenAPI, if it has one.
    pub(crate) format: Option<&'static str>,
    /// A regular expression for the whole text.
    pub(crate) pattern: String,
    pub(crate) example: Option<String>,
    /// The doc comment of the type.
    pub(crate) description: Option<&'static str>,
}

impl TextSchema {
    fn new(alternatives: &[String], example: Option<String>) -> Self {
        Self {
            format: (alternatives == [UUID]).then_some("uuid"),
            pattern: match alternatives {
                [only] => format!("^{only}$"),
                _ => format!("^({})$", alternatives.join("|")),
            },
            example,
            description: None,
        }
    }

    pub(crate) fn of_format<F: Format>() -> Self {
        let text = pattern(None, F::KIND.public_encoding(), F::KIND.width());
        Self::new(&[text], example(F::try_from(example_of(F::KIND, None))))
    }

    pub(crate) fn of_key<K: EntityKey>() -> Self {
        let format = K::Format::KIND;
        let text = pattern(K::PREFIX, K::TEXT, format.width());
        Self {
            description: K::DESCRIPTION,
            ..Self::new(&[text], example(K::try_from(example_of(format, K::GROUP))))
        }
    }

    /// The text of a key of a union, which can also be a hyphenated UUID.
    pub(crate) fn of_union<U: KeyUnion>() -> Self {
        let mut texts: Vec<String> = Vec::new();
        let keys = U::GROUPS.iter();
        let keys = keys.map(|key| pattern(key.prefix(), key.text(), Width::U128));
        for text in keys.chain([UUID.to_string()]) {
            if !texts.contains(&text) {
                texts.push(text);
            }
        }
        let group = U::GROUPS.first().map(|key| key.group());
        let first = Luuid::try_from(example_of(FormatKind::Luuid, group));
        Self {
            description: U::DESCRIPTION,
            ..Self::new(&texts, example(first.and_then(U::from_luuid)))
        }
    }

    pub(crate) fn of_short_key() -> Self {
        Self::new(&["[0-9A-Fa-f]{1,12}".into()], Some("23122e".into()))
    }
}

/// The text of a number, after a prefix if there is one.
fn pattern(prefix: Option<&str>, encoding: Encoding, width: Width) -> String {
    let length = width.encode_admitted(encoding, width.max()).len();
    let text = match encoding {
        Encoding::Uuid => UUID.into(),
        Encoding::Alphanumeric => format!("[0-9A-Za-z]{{{length}}}"),
        Encoding::Hexadecimal | Encoding::Binary => format!("[0-9A-Fa-f]{{{length}}}"),
        Encoding::Decimal => format!("[0-9]{{1,{length}}}"),
    };
    match prefix {
        None => text,
        Some(prefix) => format!("{prefix}_{text}"),
    }
}

fn example_of(format: FormatKind, group: Option<LuuidGroup>) -> u128 {
    let value = match format.width() {
        Width::I64 | Width::U64 => 1_000_001,
        Width::Decimal28 => 1_088_824_355_131_185_736_905_670_087,
        Width::U128 => 0x018e_5f3b_ff48_7bff_8000_0123_4567_89ab,
    };
    let value = format.spec().fixed.stamp(value);
    match group {
        None => value,
        Some(group) => value & !(0xfff << 64) | u128::from(group.get()) << 64,
    }
}

fn example(id: Result<impl ToString, Error>) -> Option<String> {
    id.ok().map(|id| id.to_string())
}
