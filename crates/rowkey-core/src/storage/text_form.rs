//! The forms of ids in text columns.
//!
//! ```text
//! hyphenated   018e5f3b-ff48-7bff-8000-0123456789ab   36 characters, in lower or in upper case
//! hex          018e5f3bff487bff80000123456789ab       32 characters, in lower or in upper case
//! compact      070F65qMBVvBAuyAWmEDBn                 22 characters, 16 for a DistributedId
//! digits       0002080577463404711577403812889985451  38 characters, 28 for a DistributedId
//! ```
//!
//! Each form has a fixed length, and sorts bytewise like the numbers.

use alloc::format;
use alloc::string::String;

use super::backend::Backend;
use crate::error::Error;
use crate::text::hexadecimal::{self, LetterCase};
use crate::text::{Encoding, ShortText, Width, decimal, hyphenated};

/// The forms of ids in text columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextForm {
    /// Hyphenated UUID text in lower case, 36 characters.
    Hyphenated,
    /// Hyphenated UUID text in upper case, 36 characters.
    HyphenatedUpper,
    /// 32 hexadecimal digits in lower case.
    Hex,
    /// 32 hexadecimal digits in upper case.
    HexUpper,
    /// 16 alphanumeric characters, of a number of at most 28 decimal digits.
    Compact16,
    /// 22 alphanumeric characters.
    Compact22,
    /// 28 decimal digits.
    Digits28,
    /// 38 decimal digits.
    Digits38,
}

impl TextForm {
    /// The number of characters, all of them ASCII.
    #[inline]
    pub const fn width(self) -> u8 {
        match self {
            Self::Hyphenated | Self::HyphenatedUpper => 36,
            Self::Hex | Self::HexUpper => 32,
            Self::Compact16 => 16,
            Self::Compact22 => 22,
            Self::Digits28 => 28,
            Self::Digits38 => 38,
        }
    }

    /// The form in words, for error messages.
    pub const fn describe(self) -> &'static str {
        match self {
            Self::Hyphenated => "hyphenated uuid text of 36 characters in lower case",
            Self::HyphenatedUpper => "hyphenated uuid text of 36 characters in upper case",
            Self::Hex => "text of 32 hexadecimal digits in lower case",
            Self::HexUpper => "text of 32 hexadecimal digits in upper case",
            Self::Compact16 => "text of 16 alphanumeric characters",
            Self::Compact22 => "text of 22 alphanumeric characters",
            Self::Digits28 => "text of exactly 28 digits",
            Self::Digits38 => "text of exactly 38 digits",
        }
    }

    /// The characters that stand for the first eight of sixteen bytes.
    #[doc(hidden)]
    pub const fn first_half(self) -> u8 {
        match self {
            Self::Hyphenated | Self::HyphenatedUpper => 18,
            Self::Hex | Self::HexUpper => 16,
            Self::Compact16 | Self::Compact22 | Self::Digits28 | Self::Digits38 => 11,
        }
    }

    #[doc(hidden)]
    pub const fn is_hyphenated(self) -> bool {
        matches!(self, Self::Hyphenated | Self::HyphenatedUpper)
    }

    /// The case of the hexadecimal digits, in forms that allow only one case.
    #[inline]
    const fn letter_case(self) -> Option<LetterCase> {
        match self {
            Self::Hyphenated | Self::Hex => Some(LetterCase::Lower),
            Self::HyphenatedUpper | Self::HexUpper => Some(LetterCase::Upper),
            Self::Compact16 | Self::Compact22 | Self::Digits28 | Self::Digits38 => None,
        }
    }

    /// Writes a number that fits the form.
    #[inline]
    pub(super) fn write(self, value: u128) -> ShortText {
        match self {
            Self::Hyphenated => hyphenated::write(value),
            Self::HyphenatedUpper => hyphenated::write_upper(value),
            Self::Hex => hexadecimal::text_of::<32>(value, LetterCase::Lower),
            Self::HexUpper => hexadecimal::text_of::<32>(value, LetterCase::Upper),
            Self::Compact16 => Width::Decimal28.encode_admitted(Encoding::Alphanumeric, value),
            Self::Compact22 => Width::U128.encode_admitted(Encoding::Alphanumeric, value),
            Self::Digits28 => decimal::padded::<28>(value),
            Self::Digits38 => decimal::padded::<38>(value),
        }
    }

    /// Reads exactly what [`write`](Self::write) writes.
    #[inline]
    pub(super) fn read(self, text: &str) -> Option<u128> {
        if text.len() != usize::from(self.width()) {
            return None;
        }
        let value = match self {
            Self::Hyphenated | Self::HyphenatedUpper => hyphenated::read(text),
            Self::Hex | Self::HexUpper => hexadecimal::read::<32>(text.as_bytes()),
            Self::Compact16 => Width::Decimal28.read(Encoding::Alphanumeric, text),
            Self::Compact22 => Width::U128.read(Encoding::Alphanumeric, text),
            Self::Digits28 => Width::Decimal28.read(Encoding::Decimal, text),
            Self::Digits38 => Width::U128.read(Encoding::Decimal, text),
        };
        value.filter(|_| self.letter_case().is_none_or(|case| case.is_kept_in(text)))
    }

    /// Reads the form leniently: letters in either case, and decimal digits without leading zeros.
    #[cold]
    pub(super) fn read_any_case(self, text: &str) -> Result<u128, Error> {
        match self {
            Self::Hyphenated | Self::HyphenatedUpper => hyphenated::parse(text),
            Self::Hex | Self::HexUpper => hexadecimal::decode::<32>(text),
            Self::Compact16 => Width::Decimal28.decode(Encoding::Alphanumeric, text),
            Self::Compact22 => Width::U128.decode(Encoding::Alphanumeric, text),
            Self::Digits28 => Width::Decimal28.decode(Encoding::Decimal, text),
            Self::Digits38 => Width::U128.decode(Encoding::Decimal, text),
        }
    }

    /// The condition that a column, given by its quoted name, contains text of this length and
    /// case. Hyphenated text in lower case needs none, and has always been defined without one: in
    /// MySQL and MariaDB nothing can follow a CHECK.
    pub(super) fn check(self, backend: Backend, column: &str) -> Option<String> {
        let in_case = match self {
            Self::Hex => "lower",
            Self::HyphenatedUpper | Self::HexUpper => "upper",
            _ => return None,
        };
        let length = match backend {
            Backend::Postgres | Backend::Sqlite => "length",
            Backend::MySql | Backend::MariaDb => "char_length",
            Backend::SqlServer => "len",
        };
        let width = self.width();
        Some(format!(
            "{length}({column}) = {width} AND {column} = {in_case}({column})"
        ))
    }
}
