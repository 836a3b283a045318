//! The text, hexadecimal and binary encodings of ids.
//!
//! An [`Encoding`] says how a number is written, a [`Width`] how large it may be and therefore how
//! long its text is. All fixed-length encodings of one width sort bytewise like the numbers.
//!
//! ```
//! use rowkey_core::text::{Encoding, Width};
//!
//! let text = Width::U64.encode(Encoding::Alphanumeric, 1_234_567_890_123_456_789)?;
//! assert_eq!(text, "1TCKi1nFuNh");
//! assert_eq!(Width::U64.decode(Encoding::Alphanumeric, &text)?, 1_234_567_890_123_456_789);
//! # Ok::<(), rowkey_core::Error>(())
//! ```

use crate::error::{Error, TextProblem};

pub mod base62;
pub mod decimal;
mod encoding;
pub mod hexadecimal;
pub mod hyphenated;
pub mod prefixed;
mod refusal;
mod short_text;
mod width;

use hexadecimal::LetterCase;

pub use encoding::Encoding;
#[doc(hidden)]
pub use refusal::refusal;
pub use short_text::ShortText;
pub(crate) use short_text::write_padded;
pub use width::Width;

impl Width {
    /// Writes a number.
    ///
    /// ```
    /// use rowkey_core::text::{Encoding, Width};
    ///
    /// let value = 1_088_824_355_131_185_736_905_670_087;
    /// let encode = |encoding| Width::Decimal28.encode(encoding, value);
    /// assert_eq!(encode(Encoding::Decimal)?, "1088824355131185736905670087");
    /// assert_eq!(encode(Encoding::Alphanumeric)?, "3zfAkCP7ZtzfeQYp");
    /// assert_eq!(encode(Encoding::Hexadecimal)?, "000384A786907DB2AD82883DC7");
    /// assert_eq!(encode(Encoding::Binary)?, "000000000384a786907db2ad82883dc7");
    /// assert_eq!(encode(Encoding::Uuid)?, "00000000-0384-a786-907d-b2ad82883dc7");
    /// # Ok::<(), rowkey_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// `ErrorKind::Text` when `value` is beyond [`max`](Self::max).
    pub fn encode(self, encoding: Encoding, value: u128) -> Result<ShortText, Error> {
        if value > self.max() {
            return Err(self.beyond_range());
        }
        Ok(self.encode_admitted(encoding, value))
    }

    /// Writes a number that the caller knows to be in range. A larger one loses its high digits,
    /// except in the encodings that hold 128 bits anyway.
    // Always inlined, as `read`.
    #[inline(always)]
    pub(crate) fn encode_admitted(self, encoding: Encoding, value: u128) -> ShortText {
        match encoding {
            Encoding::Uuid => hyphenated::write(value),
            Encoding::Decimal => decimal::write(value),
            Encoding::Alphanumeric => match self {
                Self::I64 | Self::U64 => base62::text_of_u64(value as u64),
                Self::Decimal28 => base62::text_of_decimal28(value),
                Self::U128 => base62::text_of_u128(value),
            },
            Encoding::Hexadecimal => match self {
                Self::I64 | Self::U64 => hexadecimal::text_of::<16>(value, LetterCase::Upper),
                Self::Decimal28 => hexadecimal::text_of::<26>(value, LetterCase::Upper),
                Self::U128 => hexadecimal::text_of::<32>(value, LetterCase::Upper),
            },
            Encoding::Binary => match self {
                Self::I64 | Self::U64 => hexadecimal::text_of::<16>(value, LetterCase::Lower),
                Self::Decimal28 | Self::U128 => {
                    hexadecimal::text_of::<32>(value, LetterCase::Lower)
                }
            },
        }
    }

    /// Reads a number. The text has to have the encoding's exact length and alphabet.
    ///
    /// ```
    /// use rowkey_core::text::{Encoding, Width};
    ///
    /// assert_eq!(Width::U64.decode(Encoding::Alphanumeric, "LygHa16AHYF")?, u64::MAX.into());
    ///
    /// // The next string in order would be 2^64.
    /// let error = Width::U64.decode(Encoding::Alphanumeric, "LygHa16AHYG").unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "expected 11 alphanumeric characters (0-9, A-Z, a-z): \
    ///      the number starting at position 0 is out of range",
    /// );
    /// # Ok::<(), rowkey_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// `ErrorKind::Text` when the text has another length, a character outside the alphabet (also
    /// any non-ASCII one), or stands for a number beyond [`max`](Self::max).
    #[inline]
    pub fn decode(self, encoding: Encoding, text: &str) -> Result<u128, Error> {
        match self.read(encoding, text) {
            Some(value) => Ok(value),
            None => self.parse(encoding, text),
        }
    }

    /// [`decode`](Self::decode) without a reason.
    // Always inlined: keys have constant encodings, so only one arm remains.
    #[inline(always)]
    pub(crate) fn read(self, encoding: Encoding, text: &str) -> Option<u128> {
        let bytes = text.as_bytes();
        let value = match (encoding, self) {
            (Encoding::Uuid, _) => hyphenated::read(text),
            (Encoding::Decimal, _) => return decimal::read(bytes, self),
            (Encoding::Alphanumeric, Self::I64 | Self::U64) => {
                base62::read_u64(bytes).map(u128::from)
            }
            (Encoding::Alphanumeric, Self::Decimal28) => return base62::read_decimal28(bytes),
            (Encoding::Alphanumeric, Self::U128) => base62::read_u128(bytes),
            (Encoding::Hexadecimal | Encoding::Binary, Self::I64 | Self::U64) => {
                hexadecimal::read::<16>(bytes)
            }
            (Encoding::Hexadecimal, Self::Decimal28) => hexadecimal::read::<26>(bytes),
            (Encoding::Hexadecimal | Encoding::Binary, _) => hexadecimal::read::<32>(bytes),
        };
        value.filter(|value| *value <= self.max())
    }

    /// What [`decode`](Self::decode) does, with the reason if it fails.
    #[cold]
    pub(crate) fn parse(self, encoding: Encoding, text: &str) -> Result<u128, Error> {
        let value = match encoding {
            Encoding::Uuid => hyphenated::parse(text)?,
            Encoding::Decimal => return decimal::parse(text, self),
            Encoding::Alphanumeric => match self {
                Self::I64 | Self::U64 => base62::decode_u64(text)?.into(),
                Self::Decimal28 => return base62::decode_decimal28(text),
                Self::U128 => base62::decode_u128(text)?,
            },
            Encoding::Hexadecimal => match self {
                Self::I64 | Self::U64 => hexadecimal::decode::<16>(text)?,
                Self::Decimal28 => hexadecimal::decode::<26>(text)?,
                Self::U128 => hexadecimal::decode::<32>(text)?,
            },
            Encoding::Binary => match self {
                Self::I64 | Self::U64 => hexadecimal::decode::<16>(text)?,
                Self::Decimal28 | Self::U128 => hexadecimal::decode::<32>(text)?,
            },
        };
        if value > self.max() {
            Err(self.beyond_range_of(encoding))
        } else {
            Ok(value)
        }
    }

    /// The error for a number that was not parsed from text.
    #[cold]
    fn beyond_range(self) -> Error {
        let expected = match self {
            Self::I64 => "a number from 0 to 2^63-1",
            Self::U64 => "a number from 0 to 2^64-1",
            Self::Decimal28 => "a number from 0 to 10^28-1",
            Self::U128 => "a number from 0 to 2^128-1",
        };
        Error::text(expected, TextProblem::TooLarge { position: 0 })
    }

    /// The error for well-formed text whose number is too large.
    #[cold]
    fn beyond_range_of(self, encoding: Encoding) -> Error {
        let expected = match (encoding, self) {
            (Encoding::Alphanumeric, Self::I64) => {
                "11 alphanumeric characters (0-9, A-Z, a-z) up to AzL8n0Y58m7"
            }
            (Encoding::Hexadecimal | Encoding::Binary, Self::I64) => {
                "16 hexadecimal characters (0-9, A-F, a-f) of a number below 2^63"
            }
            (Encoding::Hexadecimal, Self::Decimal28) => {
                "26 hexadecimal characters (0-9, A-F, a-f) of a number below 10^28"
            }
            (Encoding::Binary, Self::Decimal28) => {
                "32 hexadecimal characters (0-9, A-F, a-f) of a number below 10^28"
            }
            (Encoding::Uuid, Self::I64) => "hyphenated UUID text of a number below 2^63",
            (Encoding::Uuid, Self::U64) => "hyphenated UUID text of a number below 2^64",
            (Encoding::Uuid, Self::Decimal28) => "hyphenated UUID text of a number below 10^28",
            // The text's own length or reader limits these.
            (_, width) => return width.beyond_range(),
        };
        Error::text(expected, TextProblem::TooLarge { position: 0 })
    }
}
