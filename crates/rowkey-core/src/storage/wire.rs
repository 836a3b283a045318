//! What drivers send and receive for a column.

use super::backend::Backend;
use super::column_type::Storage;
use super::text_form::TextForm;
use crate::format::FormatKind;

/// What a driver sends and receives for a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Wire {
    /// PostgreSQL's `uuid` or SQL Server's `uniqueidentifier`.
    Uuid,
    /// MariaDB's `UUID`, sent as 36 characters so that the server rejects values instead of
    /// damaging them.
    NativeUuid,
    /// Bytes of one length.
    Bytes(BinaryLength),
    /// An exact whole number with a maximum number of digits.
    Decimal(Precision),
    /// ASCII text of one form.
    Text(TextForm),
    /// A whole number of 64 bits, with a sign.
    Integer,
}

/// The length of a binary column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryLength {
    /// 12 bytes, of a number of at most 28 decimal digits.
    Bytes12,
    /// 16 bytes.
    Bytes16,
}

impl BinaryLength {
    /// The number of bytes.
    #[inline]
    pub const fn bytes(self) -> u8 {
        match self {
            Self::Bytes12 => 12,
            Self::Bytes16 => 16,
        }
    }
}

/// The precision of a decimal column; the scale is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Precision {
    /// 28 digits.
    Digits28,
    /// 38 digits.
    Digits38,
}

impl Precision {
    /// The number of digits.
    #[inline]
    pub const fn digits(self) -> u8 {
        match self {
            Self::Digits28 => 28,
            Self::Digits38 => 38,
        }
    }

    /// The largest number with this many digits.
    #[inline]
    pub const fn max(self) -> u128 {
        match self {
            Self::Digits28 => 10_u128.pow(28) - 1,
            Self::Digits38 => 10_u128.pow(38) - 1,
        }
    }

    /// Text of exactly this many digits.
    #[inline]
    pub(super) const fn padded(self) -> TextForm {
        match self {
            Self::Digits28 => TextForm::Digits28,
            Self::Digits38 => TextForm::Digits38,
        }
    }
}

impl Wire {
    /// What a storage means for a format, before a backend replaces a type that it does not have.
    #[inline]
    pub(super) const fn for_storage(storage: Storage, format: FormatKind) -> Self {
        let (length, precision, compact) = match format {
            FormatKind::DistributedId => (
                BinaryLength::Bytes12,
                Precision::Digits28,
                TextForm::Compact16,
            ),
            _ => (
                BinaryLength::Bytes16,
                Precision::Digits38,
                TextForm::Compact22,
            ),
        };
        match storage {
            Storage::Uuid => Self::Uuid,
            Storage::NativeUuid => Self::NativeUuid,
            Storage::Binary => Self::Bytes(length),
            Storage::Decimal => Self::Decimal(precision),
            Storage::Text => Self::Text(match format {
                FormatKind::DistributedId => TextForm::Digits28,
                _ => TextForm::Hyphenated,
            }),
            Storage::TextUpper => Self::Text(TextForm::HyphenatedUpper),
            Storage::TextHex => Self::Text(TextForm::Hex),
            Storage::TextHexUpper => Self::Text(TextForm::HexUpper),
            Storage::TextCompact => Self::Text(compact),
            Storage::TextDigits => Self::Text(precision.padded()),
            Storage::Bigint => Self::Integer,
        }
    }

    /// What drivers of a backend send and receive: it may lack the type that the storage means.
    #[inline]
    pub(super) const fn for_backend(self, backend: Backend) -> Self {
        match (self, backend) {
            // MariaDB's own type means uuid elsewhere.
            (Self::NativeUuid, Backend::Postgres | Backend::SqlServer) => Self::Uuid,
            (Self::Uuid, Backend::MySql | Backend::MariaDb)
            | (Self::Uuid | Self::NativeUuid, Backend::Sqlite) => {
                Self::Bytes(BinaryLength::Bytes16)
            }
            // SQLite has no exact decimal type: text of a fixed number of digits replaces it.
            (Self::Decimal(precision), Backend::Sqlite) => Self::Text(precision.padded()),
            _ => self,
        }
    }

    /// The wire shape in words, for error messages.
    pub const fn describe(self) -> &'static str {
        match self {
            Self::Uuid => "a uuid",
            Self::NativeUuid => "a MariaDB UUID (16 bytes or 36 characters)",
            Self::Bytes(BinaryLength::Bytes12) => "12 bytes",
            Self::Bytes(BinaryLength::Bytes16) => "16 bytes",
            Self::Decimal(Precision::Digits28) => "a whole number of at most 28 digits",
            Self::Decimal(Precision::Digits38) => "a whole number of at most 38 digits",
            Self::Text(form) => form.describe(),
            Self::Integer => "an integer from 0 to 2^63-1",
        }
    }
}

/// What a driver sends and receives for a column in PostgreSQL or SQL Server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UuidWire {
    /// `uuid` or `uniqueidentifier`.
    Uuid,
    /// `bytea` or `binary(n)`.
    Bytes(BinaryLength),
    /// `numeric(p,0)` or `decimal(p,0)`.
    Decimal(Precision),
    /// `varchar(n)`, sent as `text`, or `char(n)`.
    Text(TextForm),
    /// `bigint`.
    Integer,
}

impl UuidWire {
    #[inline]
    pub(super) const fn of(wire: Wire) -> Self {
        match wire {
            Wire::Uuid | Wire::NativeUuid => Self::Uuid,
            Wire::Bytes(length) => Self::Bytes(length),
            Wire::Decimal(precision) => Self::Decimal(precision),
            Wire::Text(form) => Self::Text(form),
            Wire::Integer => Self::Integer,
        }
    }
}

/// What a driver sends and receives for a column in MySQL or MariaDB.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MySqlWire {
    /// BINARY(n).
    Bytes(BinaryLength),
    /// MariaDB's UUID.
    NativeUuid,
    /// DECIMAL(p,0).
    Decimal(Precision),
    /// CHAR(n).
    Text(TextForm),
    /// BIGINT.
    Integer,
}

impl MySqlWire {
    #[inline]
    pub(super) const fn of(wire: Wire) -> Self {
        match wire {
            Wire::Uuid => Self::Bytes(BinaryLength::Bytes16),
            Wire::NativeUuid => Self::NativeUuid,
            Wire::Bytes(length) => Self::Bytes(length),
            Wire::Decimal(precision) => Self::Decimal(precision),
            Wire::Text(form) => Self::Text(form),
            Wire::Integer => Self::Integer,
        }
    }
}

/// What a driver sends and receives for a column in SQLite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SqliteWire {
    /// BLOB.
    Bytes(BinaryLength),
    /// TEXT.
    Text(TextForm),
    /// INTEGER.
    Integer,
}

impl SqliteWire {
    #[inline]
    pub(super) const fn of(wire: Wire) -> Self {
        match wire {
            Wire::Uuid | Wire::NativeUuid => Self::Bytes(BinaryLength::Bytes16),
            Wire::Bytes(length) => Self::Bytes(length),
            Wire::Decimal(precision) => Self::Text(precision.padded()),
            Wire::Text(form) => Self::Text(form),
            Wire::Integer => Self::Integer,
        }
    }
}
