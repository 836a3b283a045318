//! The text of an id as schemas describe it: a `format` or a `pattern`.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::text::{Encoding, Width};
use crate::{EntityKey, Format, FormatKind, KeyUnion};

/// How a schema restricts a string.
pub(crate) enum TextSchema {
    /// A format that JSON Schema and OpenAPI know by name.
    Format(&'static str),
    /// A regular expression.
    Pattern(String),
}

impl TextSchema {
    /// Hyphenated UUID text.
    pub(crate) const UUID: Self = Self::Format("uuid");

    /// The public text of a format.
    pub(crate) fn of_format(format: FormatKind) -> Self {
        match format.public_encoding() {
            Encoding::Decimal => Self::Pattern("^[0-9]{1,28}$".into()),
            _ => Self::UUID,
        }
    }

    /// The text of a key.
    pub(crate) fn of_key<K: EntityKey>() -> Self {
        let Some(prefix) = K::PREFIX else {
            return Self::of_format(K::Format::KIND);
        };
        let length = match K::Format::KIND.width() {
            Width::Decimal28 => 16,
            _ => 22,
        };
        Self::Pattern(format!("^{prefix}_[0-9A-Za-z]{{{length}}}$"))
    }

    /// The text of a key of a union, which is also read as a hyphenated UUID.
    pub(crate) fn of_union<U: KeyUnion>() -> Self {
        let prefixes: Vec<&str> = U::GROUPS
            .iter()
            .filter_map(|group| group.prefix())
            .collect();
        if prefixes.is_empty() {
            return Self::UUID;
        }
        let prefixes = prefixes.join("|");
        let hexadecimal = "[0-9A-Fa-f]";
        Self::Pattern(format!(
            "^(({prefixes})_[0-9A-Za-z]{{22}}|{hexadecimal}{{8}}(-{hexadecimal}{{4}}){{3}}-{hexadecimal}{{12}})$"
        ))
    }

    /// The text of a sealed id.
    #[cfg(feature = "public-id")]
    pub(crate) fn of_sealed_id() -> Self {
        Self::Pattern("^[0-9A-Za-z]{44}$".into())
    }

    /// The text of a short key.
    pub(crate) fn of_short_key() -> Self {
        Self::Pattern("^[0-9A-Fa-f]{1,12}$".into())
    }
}
