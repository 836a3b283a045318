//! The kinds of columns that store keys.

use crate::named::named;

named! {
    /// The kind of column that stores a key.
    Storage {
        /// Sixteen bytes in the backend's usual form: PostgreSQL `uuid`, MySQL and MariaDB
        /// `BINARY(16)`, SQLite `BLOB`, SQL Server `uniqueidentifier`.
        Uuid = "uuid",
        /// MariaDB's own `UUID` type.
        NativeUuid = "native-uuid",
        /// Big-endian bytes: 12 for a DistributedId, 16 otherwise.
        Binary = "binary",
        /// A decimal number: 28 digits for a DistributedId, 38 for a DistributedId128; in SQLite
        /// text of exactly that many digits.
        Decimal = "decimal",
        /// Text: hyphenated, 36 characters in lower case; exactly 28 digits for a DistributedId.
        Text = "text",
        /// Hyphenated text in upper case, as EF Core writes it in SQLite. Not for a DistributedId.
        TextUpper = "text-upper",
        /// Text of 32 hexadecimal digits in lower case, as Django's `CHAR(32)`. Not for a
        /// DistributedId.
        TextHex = "text-hex",
        /// Text of 32 hexadecimal digits in upper case. Not for a DistributedId.
        TextHexUpper = "text-hex-upper",
        /// Compact alphanumeric text: 16 characters for a DistributedId, 22 otherwise.
        TextCompact = "text-compact",
        /// Text of exactly 28 digits (DistributedId) or 38 digits (DistributedId128).
        TextDigits = "text-digits",
        /// A whole number of 64 bits, for a DatabaseNumber: BIGINT, in SQLite INTEGER.
        Bigint = "bigint",
    }
}
