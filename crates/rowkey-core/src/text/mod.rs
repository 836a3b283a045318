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

use alloc::string::String;
use core::fmt;
use core::ops::{Deref, RangeInclusive};
use core::str::FromStr;

use crate::error::Error;
use crate::error::TextProblem;

pub mod base62;
pub mod decimal;
pub mod hexadecimal;
pub mod hyphenated;
pub mod prefixed;

use hexadecimal::LetterCase;

/// How an id is written.
///
/// All but [`Decimal`](Self::Decimal) have one length per [`Width`] and sort bytewise like the
/// numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// Hyphenated lower-case UUID text of 128 bits, 36 characters; either letter case is read. A
    /// number of another width is widened with leading zero bits.
    Uuid,
    /// Base 62 (`0-9A-Za-z`) per block of eight bytes, 11 characters a block, case-sensitive. A
    /// DistributedId leaves out the six leading characters, which would always be `0`.
    Alphanumeric,
    /// Upper-case hexadecimal; either case is read. A DistributedId leaves out the six leading
    /// characters, which would always be `0`.
    Hexadecimal,
    /// Decimal digits without padding, so of variable length: sorts like the numbers only among
    /// strings of the same length. Leading zeros are accepted, within the width's number of digits.
    Decimal,
    /// The big-endian bytes, shown as lower-case hexadecimal; either case is read.
    Binary,
}

impl Encoding {
    /// Every encoding, in the order of the documentation.
    pub const ALL: [Self; 5] = [
        Self::Uuid,
        Self::Alphanumeric,
        Self::Hexadecimal,
        Self::Decimal,
        Self::Binary,
    ];

    /// The name on the command line and in messages, such as `alphanumeric`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Uuid => "uuid",
            Self::Alphanumeric => "alphanumeric",
            Self::Hexadecimal => "hexadecimal",
            Self::Decimal => "decimal",
            Self::Binary => "binary",
        }
    }
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The name on the command line, such as `alphanumeric`.
impl FromStr for Encoding {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        Self::ALL
            .into_iter()
            .find(|encoding| encoding.name() == name)
            .ok_or_else(|| Error::UnknownName {
                what: "encoding",
                name: name.into(),
                choices: "uuid, alphanumeric, hexadecimal, decimal and binary".into(),
            })
    }
}

/// The range of numbers that a fixed-length encoding covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Width {
    /// 0 to 2^63-1: 11 alphanumeric, 16 hexadecimal characters, 8 bytes.
    I64,
    /// 0 to 2^64-1: 11 alphanumeric, 16 hexadecimal characters, 8 bytes.
    U64,
    /// 0 to 10^28-1: 16 alphanumeric, 26 hexadecimal characters, 16 bytes.
    Decimal28,
    /// 0 to 2^128-1: 22 alphanumeric, 32 hexadecimal characters, 16 bytes.
    U128,
}

impl Width {
    /// Every width, from the smallest range to the largest.
    pub const ALL: [Self; 4] = [Self::I64, Self::U64, Self::Decimal28, Self::U128];

    /// The largest number.
    #[inline]
    pub const fn max(self) -> u128 {
        match self {
            Self::I64 => i64::MAX as u128,
            Self::U64 => u64::MAX as u128,
            Self::Decimal28 => 10_u128.pow(28) - 1,
            Self::U128 => u128::MAX,
        }
    }

    /// The name on the command line and in messages, such as `decimal28`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::I64 => "i64",
            Self::U64 => "u64",
            Self::Decimal28 => "decimal28",
            Self::U128 => "u128",
        }
    }

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
    /// [`Error::Text`] with [`TextProblem::TooLarge`] when `value` is beyond [`max`](Self::max).
    pub fn encode(self, encoding: Encoding, value: u128) -> Result<ShortText, Error> {
        if value > self.max() {
            return Err(self.beyond_range());
        }
        Ok(self.encode_admitted(encoding, value))
    }

    /// Writes a number that the caller knows to be in range.
    ///
    /// A larger one loses its high digits, except in the encodings that hold 128 bits anyway.
    #[inline]
    pub(crate) fn encode_admitted(self, encoding: Encoding, value: u128) -> ShortText {
        match encoding {
            Encoding::Uuid => hyphenated::write(value),
            Encoding::Decimal => decimal::write(value),
            Encoding::Alphanumeric => match self {
                Self::I64 | Self::U64 => ShortText::of_array(base62::encode_u64(value as u64)),
                Self::Decimal28 => ShortText::of_array(base62::encode_decimal28(value)),
                Self::U128 => ShortText::of_array(base62::encode_u128(value)),
            },
            Encoding::Hexadecimal => match self {
                Self::I64 | Self::U64 => {
                    ShortText::of_array(hexadecimal::encode::<16>(value, LetterCase::Upper))
                }
                Self::Decimal28 => {
                    ShortText::of_array(hexadecimal::encode::<26>(value, LetterCase::Upper))
                }
                Self::U128 => {
                    ShortText::of_array(hexadecimal::encode::<32>(value, LetterCase::Upper))
                }
            },
            Encoding::Binary => match self {
                Self::I64 | Self::U64 => {
                    ShortText::of_array(hexadecimal::encode::<16>(value, LetterCase::Lower))
                }
                Self::Decimal28 | Self::U128 => {
                    ShortText::of_array(hexadecimal::encode::<32>(value, LetterCase::Lower))
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
    ///      the digits from position 0 on stand for too large a number",
    /// );
    /// # Ok::<(), rowkey_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Text`] when the text has another length, a character outside the alphabet (also
    /// any non-ASCII one), or stands for a number beyond [`max`](Self::max).
    #[inline]
    pub fn decode(self, encoding: Encoding, text: &str) -> Result<u128, Error> {
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
        Error::Text {
            expected,
            problem: TextProblem::TooLarge { position: 0 },
        }
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
        Error::Text {
            expected,
            problem: TextProblem::TooLarge { position: 0 },
        }
    }
}

impl fmt::Display for Width {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The name on the command line, such as `decimal28`.
impl FromStr for Width {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        Self::ALL
            .into_iter()
            .find(|width| width.name() == name)
            .ok_or_else(|| Error::UnknownName {
                what: "width",
                name: name.into(),
                choices: "i64, u64, decimal28 and u128".into(),
            })
    }
}

/// ASCII text of at most [`CAPACITY`](Self::CAPACITY) characters, without an allocation.
///
/// The encoders return it. It derefs to `str` ([`Deref`]) and takes 56 bytes on the stack. `Ord` is
/// the order of the text.
///
/// ```
/// use rowkey_core::text::hyphenated;
///
/// let text = hyphenated::write(u128::MAX);
/// assert_eq!(text, "ffffffff-ffff-ffff-ffff-ffffffffffff");
/// assert_eq!(text.len(), 36);
/// assert_eq!(text.to_string(), format!("{text}"));
/// ```
// The bytes after the text are zero, so that the derived comparisons compare the text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(C, align(8))]
pub struct ShortText {
    // Aligned, and a multiple of two words long: `from_utf8` checks two words at a time, but bytes
    // before the first or after the last pair of words one by one.
    characters: [u8; Self::CAPACITY.next_multiple_of(16)],
    length: u8,
}

impl ShortText {
    /// The longest text: the 39 decimal digits of 2^128-1.
    pub const CAPACITY: usize = 39;

    /// The text of these ASCII characters.
    #[inline]
    pub(crate) fn of_array<const N: usize>(ascii: [u8; N]) -> Self {
        const { assert!(N <= Self::CAPACITY) };
        Self::of_slice(&ascii)
    }

    /// The text of at most [`CAPACITY`](Self::CAPACITY) ASCII characters.
    #[inline]
    pub(crate) fn of_slice(ascii: &[u8]) -> Self {
        let mut characters = [0; Self::CAPACITY.next_multiple_of(16)];
        characters[..ascii.len()].copy_from_slice(ascii);
        Self {
            characters,
            length: ascii.len() as u8,
        }
    }

    /// The text.
    #[inline]
    pub fn as_str(&self) -> &str {
        // Neither default can occur: the constructors take at most 39 ASCII characters. The check
        // costs a few instructions, fewer for all bytes than for only those of the text.
        let characters = core::str::from_utf8(&self.characters).unwrap_or_default();
        characters.get(..self.length.into()).unwrap_or_default()
    }
}

impl Deref for ShortText {
    type Target = str;

    #[inline]
    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl AsRef<str> for ShortText {
    fn as_ref(&self) -> &str {
        self
    }
}

impl AsRef<[u8]> for ShortText {
    fn as_ref(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl fmt::Display for ShortText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self)
    }
}

impl fmt::Debug for ShortText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl PartialEq<str> for ShortText {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

impl PartialEq<&str> for ShortText {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}

impl PartialEq<ShortText> for str {
    fn eq(&self, other: &ShortText) -> bool {
        self == other.as_str()
    }
}

impl PartialEq<ShortText> for &str {
    fn eq(&self, other: &ShortText) -> bool {
        *self == other.as_str()
    }
}

impl From<ShortText> for String {
    fn from(text: ShortText) -> Self {
        text.as_str().into()
    }
}

/// Finds why text is invalid: the first character outside the alphabet, else its length, else that
/// the digits from `overflow` on are too large.
///
/// A character outside the alphabet comes first, because it also explains a wrong length: a
/// trailing line feed, the hyphens of another encoding, a sign. Parsers call this only after they
/// have failed, which keeps positions and messages out of their fast path.
#[cold]
fn refusal(
    text: &[u8],
    expected: &'static str,
    is_in_alphabet: fn(char) -> bool,
    lengths: RangeInclusive<usize>,
    overflow: usize,
) -> Error {
    let text = String::from_utf8_lossy(text);
    let length = text.chars().count();
    let problem = if length == 0 {
        TextProblem::Empty
    } else if let Some((position, found)) = text
        .chars()
        .enumerate()
        .find(|&(_, character)| !is_in_alphabet(character))
    {
        TextProblem::Character { position, found }
    } else if !lengths.contains(&length) {
        TextProblem::Length { found: length }
    } else {
        TextProblem::TooLarge { position: overflow }
    };
    Error::Text { expected, problem }
}
