//! The usual UUID text: `8-4-4-4-12` hexadecimal digits, always lower case in public text.
//!
//! Strings of one letter case sort bytewise like the 128-bit numbers.

use ascii::AsciiChar;
use uuid::Uuid;
use uuid::fmt::Hyphenated;

use super::short_text::ShortText;
use crate::error::{Error, TextProblem};

const LENGTH: usize = 36;
const FORM: &str = "hyphenated UUID text (36 characters, 8-4-4-4-12 hexadecimal digits)";

/// Reads 36 characters of either letter case, and nothing but them: no blanks, no braces, no
/// `urn:uuid:`, no text without hyphens.
///
/// ```
/// use rowkey_core::text::hyphenated;
///
/// let value = hyphenated::parse("00000000-0384-A786-907d-b2ad82883dc7")?;
/// assert_eq!(value, 1_088_824_355_131_185_736_905_670_087);
///
/// let error = hyphenated::parse("00000000-0384-a786-907d_b2ad82883dc7").unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "expected hyphenated UUID text (36 characters, 8-4-4-4-12 hexadecimal digits): \
///      '_' at position 23",
/// );
/// # Ok::<(), rowkey_core::Error>(())
/// ```
///
/// # Errors
///
/// `ErrorKind::Text` with the first character that is not allowed in its position, or with the
/// number of characters if it is not 36.
#[inline]
pub fn parse(text: &str) -> Result<u128, Error> {
    match read(text) {
        Some(value) => Ok(value),
        None => Err(refusal(text)),
    }
}

/// [`parse`] without a reason.
#[inline]
pub(crate) fn read(text: &str) -> Option<u128> {
    // `Uuid` itself also reads the forms of 32, 38 and 45 characters, and decides among them first.
    let uuid = text.parse::<Hyphenated>().ok()?;
    Some(uuid.into_uuid().as_u128())
}

/// Writes the 36 characters, lower case.
///
/// ```
/// use rowkey_core::text::hyphenated;
///
/// assert_eq!(hyphenated::write(5), "00000000-0000-0000-0000-000000000005");
/// ```
#[inline]
pub fn write(value: u128) -> ShortText {
    ShortText::written(|characters| write_digits(&value.to_be_bytes(), characters))
}

// Out of line, so that the bytes are in memory: shifting each out of a register takes a third more
// instructions. A black box would do that as well, but hide from callers what they have in memory,
// such as where a formatter writes to.
#[inline(never)]
fn write_digits(bytes: &[u8; 16], characters: &mut [AsciiChar; LENGTH]) {
    *characters = [AsciiChar::Minus; LENGTH];
    for (byte, place) in bytes.iter().zip(PLACES) {
        characters[place..place + 2].copy_from_slice(&DIGIT_PAIRS[usize::from(*byte)]);
    }
}

/// Where the two digits of each byte begin.
const PLACES: [usize; 16] = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34];

/// The lowercase hexadecimal digits of each byte.
pub(crate) static DIGIT_PAIRS: [[AsciiChar; 2]; 256] = {
    let digits = b"0123456789abcdef";
    let mut pairs = [[AsciiChar::Null; 2]; 256];
    let mut byte = 0;
    while byte < pairs.len() {
        pairs[byte] = [
            AsciiChar::new(digits[byte / 16] as char),
            AsciiChar::new(digits[byte % 16] as char),
        ];
        byte += 1;
    }
    pairs
};

/// Writes the 36 characters, upper case.
///
/// ```
/// use rowkey_core::text::hyphenated;
///
/// assert_eq!(hyphenated::write_upper(0xab), "00000000-0000-0000-0000-0000000000AB");
/// ```
#[inline]
pub fn write_upper(value: u128) -> ShortText {
    let mut characters = [0; LENGTH];
    Uuid::from_u128(value)
        .hyphenated()
        .encode_upper(&mut characters);
    ShortText::of_array(characters)
}

/// The position in the text of the digit whose four bits are the only ones set.
pub(crate) const fn position_of_digit(bits: u128) -> usize {
    let digit = bits.leading_zeros() as usize / 4;
    let hyphens = match digit {
        ..8 => 0,
        8..12 => 1,
        12..16 => 2,
        16..20 => 3,
        _ => 4,
    };
    digit + hyphens
}

/// Why [`parse`] refuses a text. A character outside the alphabet comes first, because it also
/// explains a wrong length: a blank, a brace, a byte order mark. If the length is wrong, hyphens
/// and digits are not reported.
#[cold]
pub(crate) fn refusal(text: &str) -> Error {
    let length = text.chars().count();
    let foreign = text
        .chars()
        .enumerate()
        .find(|&(position, character)| match position {
            8 | 13 | 18 | 23 if length == LENGTH => character != '-',
            _ if length == LENGTH => !character.is_ascii_hexdigit(),
            _ => character != '-' && !character.is_ascii_hexdigit(),
        });
    let problem = match foreign {
        _ if length == 0 => TextProblem::Empty,
        Some((position, found)) => TextProblem::Character { position, found },
        None => TextProblem::Length { found: length },
    };
    Error::text(FORM, problem)
}
