//! What drivers send and receive for a column.

use super::{Backend, Column, Storage, TextForm};
use super::{
    mysql::MySqlWire, postgres::PostgresWire, sql_server::SqlServerWire, sqlite::SqliteWire,
};
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
    const fn of(storage: Storage, format: FormatKind) -> Self {
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
        }
    }
}

impl Column {
    /// What the storage means for the format, independently of the backend.
    #[inline]
    pub(super) const fn planned(self) -> Wire {
        Wire::of(self.storage(), self.format())
    }

    /// What drivers send and receive.
    #[inline]
    pub const fn wire(self) -> Wire {
        let planned = self.planned();
        match self.backend() {
            Backend::Postgres => PostgresWire::of(planned).general(),
            Backend::MySql | Backend::MariaDb => MySqlWire::of(planned).general(),
            Backend::Sqlite => SqliteWire::of(planned).general(),
            Backend::SqlServer => SqlServerWire::of(planned).general(),
        }
    }
}
