//! The kinds of columns that store keys.

use core::fmt;

/// The kind of column that stores a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Storage {
    /// Sixteen bytes in the backend's usual form: PostgreSQL `uuid`, MySQL and MariaDB
    /// `BINARY(16)`, SQLite `BLOB`, SQL Server `uniqueidentifier`.
    Uuid,
    /// MariaDB's own `UUID` type.
    NativeUuid,
    /// Big-endian bytes: 12 for a DistributedId, 16 otherwise.
    Binary,
    /// A decimal number: 28 digits for a DistributedId, 38 for a DistributedId128; in SQLite text
    /// of exactly that many digits.
    Decimal,
    /// Text: hyphenated, 36 characters in lower case; exactly 28 digits for a DistributedId.
    Text,
    /// Hyphenated text in upper case, as EF Core writes it in SQLite. Not for a DistributedId.
    TextUpper,
    /// Text of 32 hexadecimal digits in lower case, as Django's `CHAR(32)`. Not for a DistributedId.
    TextHex,
    /// Text of 32 hexadecimal digits in upper case. Not for a DistributedId.
    TextHexUpper,
    /// Compact alphanumeric text: 16 characters for a DistributedId, 22 otherwise.
    TextCompact,
    /// Text of exactly 28 digits (DistributedId) or 38 digits (DistributedId128).
    TextDigits,
    /// A whole number of 64 bits, for a DatabaseNumber: BIGINT, in SQLite INTEGER.
    Bigint,
}

impl Storage {
    /// Every storage, in the order of the documentation.
    pub const ALL: [Self; 11] = [
        Self::Uuid,
        Self::NativeUuid,
        Self::Binary,
        Self::Decimal,
        Self::Text,
        Self::TextUpper,
        Self::TextHex,
        Self::TextHexUpper,
        Self::TextCompact,
        Self::TextDigits,
        Self::Bigint,
    ];

    /// The name in declarations: `uuid`, `native-uuid`, `binary`, `decimal`, `text`, `text-upper`,
    /// `text-hex`, `text-hex-upper`, `text-compact`, `text-digits` or `bigint`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Uuid => "uuid",
            Self::NativeUuid => "native-uuid",
            Self::Binary => "binary",
            Self::Decimal => "decimal",
            Self::Text => "text",
            Self::TextUpper => "text-upper",
            Self::TextHex => "text-hex",
            Self::TextHexUpper => "text-hex-upper",
            Self::TextCompact => "text-compact",
            Self::TextDigits => "text-digits",
            Self::Bigint => "bigint",
        }
    }
}

impl fmt::Display for Storage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
