//! The text of an id as schemas describe it: a `format` or a `pattern`.

use alloc::format;
use alloc::string::String;

use crate::text::{Encoding, Width};
use crate::{EntityKey, Format, FormatKind};

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
}
