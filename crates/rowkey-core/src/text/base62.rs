//! Base 62 with the digits `0-9A-Za-z`, applied to each block of eight bytes on its own.
//!
//! ```text
//! 16 bytes   | 8 bytes, big-endian  | 8 bytes, big-endian  |
//! 22 digits  | 11 digits            | 11 digits            |
//! 10^28-1    | ......agbFu (5)      | 5KnEQGxp4QB (11)     |   six digits that are always 0
//! 32 bytes   four blocks, 44 digits
//! ```
//!
//! The digits are in ASCII order and a block always has 11 of them, so the strings sort bytewise
//! like the numbers. Letter case matters: a database column needs a binary or case-sensitive
//! collation.
//!
//! 62^11 is larger than 2^64, so some strings of 11 digits are not a block (from `LygHa16AHYG`,
//! which would be 2^64, to `zzzzzzzzzzz`). The decoders reject them instead of wrapping around,
//! which would give a value several encodings.

use ascii::AsciiChar;

use super::refusal::refusal;
use super::short_text::ShortText;
use super::width::Width;
use crate::error::Error;

#[doc(hidden)]
pub const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

const POW_2: u64 = 62 * 62;
const POW_4: u64 = POW_2 * POW_2;
const POW_5: u64 = POW_4 * 62;

/// The two digits of every number below 62^2, one lookup instead of a division and two.
static DIGIT_PAIRS: [[AsciiChar; 2]; POW_2 as usize] = {
    let mut pairs = [[AsciiChar::Null; 2]; POW_2 as usize];
    let mut value = 0;
    while value < pairs.len() {
        pairs[value] = [
            AsciiChar::new(DIGITS[value / 62] as char),
            AsciiChar::new(DIGITS[value % 62] as char),
        ];
        value += 1;
    }
    pairs
};

/// Marks a byte that is not a digit. No digit has the top bit set.
const NOT_A_DIGIT: u8 = 0xff;

static DIGIT_VALUES: [u8; 256] = {
    let mut values = [NOT_A_DIGIT; 256];
    let mut value = 0;
    while value < DIGITS.len() {
        values[DIGITS[value] as usize] = value as u8;
        value += 1;
    }
    values
};

const BLOCK_FORM: &str = "11 alphanumeric characters (0-9, A-Z, a-z)";
const TWO_BLOCKS_FORM: &str = "22 alphanumeric characters (0-9, A-Z, a-z)";
const FOUR_BLOCKS_FORM: &str = "44 alphanumeric characters (0-9, A-Z, a-z)";
const DECIMAL28_FORM: &str = "16 alphanumeric characters (0-9, A-Z, a-z) of a number below 10^28";

/// Writes eight bytes as 11 digits, padded with leading `0`.
///
/// ```
/// use rowkey_core::text::base62;
///
/// assert_eq!(&base62::encode_u64(u64::MAX), b"LygHa16AHYF");
/// assert_eq!(&base62::encode_u64(5), b"00000000005");
/// ```
#[inline]
pub fn encode_u64(value: u64) -> [u8; 11] {
    let mut digits = [AsciiChar::Null; 11];
    write_block(value, &mut digits);
    digits.map(AsciiChar::as_byte)
}

/// Writes sixteen bytes as two blocks of 11 digits.
///
/// This is not the base-62 number of the 128 bits: each half has its own 11 digits.
///
/// ```
/// use rowkey_core::text::base62;
///
/// assert_eq!(&base62::encode_u128(u128::MAX), b"LygHa16AHYFLygHa16AHYF");
/// assert_eq!(&base62::encode_u128(1 << 64), b"0000000000100000000000");
/// ```
#[inline]
pub fn encode_u128(value: u128) -> [u8; 22] {
    let mut digits = [AsciiChar::Null; 22];
    write_two_blocks(value, &mut digits);
    digits.map(AsciiChar::as_byte)
}

#[inline]
fn write_two_blocks(value: u128, digits: &mut [AsciiChar; 22]) {
    if let ([high, low], _) = digits.as_chunks_mut() {
        write_block((value >> 64) as u64, high);
        write_block(value as u64, low);
    }
}

/// Writes 32 bytes as four blocks of 11 digits.
///
/// ```
/// use rowkey_core::text::base62;
///
/// let mut bytes = [0; 32];
/// bytes[31] = 5;
/// let text = base62::encode_32_bytes(&bytes);
/// assert_eq!(&text, b"00000000000000000000000000000000000000000005");
/// assert_eq!(base62::decode_32_bytes(text)?, bytes);
/// # Ok::<(), rowkey_core::Error>(())
/// ```
pub fn encode_32_bytes(bytes: &[u8; 32]) -> [u8; 44] {
    let mut digits = [AsciiChar::Null; 44];
    let (blocks, _) = bytes.as_chunks();
    for (block, digits) in blocks.iter().zip(digits.as_chunks_mut().0) {
        write_block(u64::from_be_bytes(*block), digits);
    }
    digits.map(AsciiChar::as_byte)
}

/// Writes a number below 10^28 as 16 digits: the 22 of [`encode_u128`] without the first six,
/// which are always `0`.
///
/// A larger number loses its leading digits.
///
/// ```
/// use rowkey_core::text::base62;
///
/// assert_eq!(&base62::encode_decimal28(10_u128.pow(28) - 1), b"agbFu5KnEQGxp4QB");
/// ```
#[inline]
pub fn encode_decimal28(value: u128) -> [u8; 16] {
    let mut digits = [AsciiChar::Null; 16];
    write_decimal28(value, &mut digits);
    digits.map(AsciiChar::as_byte)
}

#[inline]
fn write_decimal28(value: u128, digits: &mut [AsciiChar; 16]) {
    if let Some((high, low)) = digits.split_first_chunk_mut::<5>() {
        // The upper 64 bits of 10^28-1 are 542101086, below 62^5.
        let upper = ((value >> 64) as u64) % POW_5;
        high[0] = last_digit((upper / POW_4) as u32);
        high[1..].copy_from_slice(&four_digits((upper % POW_4) as u32));
        if let Some(low) = low.first_chunk_mut() {
            write_block(value as u64, low);
        }
    }
}

#[inline]
fn write_block(value: u64, digits: &mut [AsciiChar; 11]) {
    // Three digits and two groups of four: each group is one multiplication away from the value,
    // and all pairs are independent lookups.
    // Below 62^4, 32-bit numbers are cheaper to divide.
    let without_last_4 = value / POW_4;
    let first_3 = (without_last_4 / POW_4) as u32;
    digits[0] = last_digit(first_3 / POW_2 as u32);
    digits[1..3].copy_from_slice(&DIGIT_PAIRS[(first_3 % POW_2 as u32) as usize]);
    digits[3..7].copy_from_slice(&four_digits((without_last_4 % POW_4) as u32));
    digits[7..].copy_from_slice(&four_digits((value % POW_4) as u32));
}

/// The digit of a number below 62.
#[inline]
fn last_digit(value: u32) -> AsciiChar {
    DIGIT_PAIRS[value as usize][1]
}

/// The digits of a number below 62^4.
#[inline]
fn four_digits(value: u32) -> [AsciiChar; 4] {
    let mut digits = [AsciiChar::Null; 4];
    digits[..2].copy_from_slice(&DIGIT_PAIRS[(value / POW_2 as u32) as usize]);
    digits[2..].copy_from_slice(&DIGIT_PAIRS[(value % POW_2 as u32) as usize]);
    digits
}

#[inline]
pub(super) fn text_of_u64(value: u64) -> ShortText {
    ShortText::written(|digits| write_block(value, digits))
}

#[inline]
pub(super) fn text_of_u128(value: u128) -> ShortText {
    ShortText::written(|digits| write_two_blocks(value, digits))
}

#[inline]
pub(super) fn text_of_decimal28(value: u128) -> ShortText {
    ShortText::written(|digits| write_decimal28(value, digits))
}

/// Reads 11 digits.
///
/// ```
/// use rowkey_core::text::base62;
///
/// assert_eq!(base62::decode_u64("AzL8n0Y58m7")?, i64::MAX as u64);
/// assert!(base62::decode_u64("zzzzzzzzzzz").is_err());
/// # Ok::<(), rowkey_core::Error>(())
/// ```
///
/// # Errors
///
/// `ErrorKind::Text` for another length, another character, or a number beyond 2^64-1.
#[inline]
pub fn decode_u64(text: impl AsRef<[u8]>) -> Result<u64, Error> {
    let text = text.as_ref();
    match read_u64(text) {
        Some(value) => Ok(value),
        None => Err(refuse(text, BLOCK_FORM, 11, 0)),
    }
}

/// [`decode_u64`] without a reason.
#[inline]
pub(crate) fn read_u64(text: &[u8]) -> Option<u64> {
    <&[u8; 11]>::try_from(text).ok().and_then(read_block)
}

/// Reads two blocks of 11 digits.
///
/// ```
/// use rowkey_core::text::base62;
///
/// assert_eq!(base62::decode_u128("0000000000100000000000")?, 1 << 64);
///
/// let error = base62::decode_u128("0000000000\u{141}00000000000").unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "expected 22 alphanumeric characters (0-9, A-Z, a-z): '\u{141}' at position 10",
/// );
/// # Ok::<(), rowkey_core::Error>(())
/// ```
///
/// # Errors
///
/// `ErrorKind::Text` for another length, another character, or a block beyond 2^64-1.
#[inline]
pub fn decode_u128(text: impl AsRef<[u8]>) -> Result<u128, Error> {
    let text = text.as_ref();
    match read_u128(text) {
        Some(value) => Ok(value),
        None => Err(refuse_two_blocks(text)),
    }
}

/// [`decode_u128`] without a reason.
#[inline]
pub(crate) fn read_u128(text: &[u8]) -> Option<u128> {
    let ([high, low], []) = text.as_chunks() else {
        return None;
    };
    Some(u128::from(read_block(high)?) << 64 | u128::from(read_block(low)?))
}

#[cold]
fn refuse_two_blocks(text: &[u8]) -> Error {
    let first_is_read = text.first_chunk().and_then(read_block).is_some();
    refuse(
        text,
        TWO_BLOCKS_FORM,
        22,
        if first_is_read { 11 } else { 0 },
    )
}

/// Reads four blocks of 11 digits.
///
/// # Errors
///
/// `ErrorKind::Text` for another length, another character, or a block beyond 2^64-1.
pub fn decode_32_bytes(text: impl AsRef<[u8]>) -> Result<[u8; 32], Error> {
    let text = text.as_ref();
    let digits: &[u8; 44] = text
        .try_into()
        .map_err(|_| refuse(text, FOUR_BLOCKS_FORM, 44, 0))?;
    let mut bytes = [0; 32];
    let (blocks, _) = bytes.as_chunks_mut();
    for (index, (digits, block)) in digits.as_chunks().0.iter().zip(blocks).enumerate() {
        match read_block(digits) {
            Some(value) => *block = value.to_be_bytes(),
            None => return Err(refuse(text, FOUR_BLOCKS_FORM, 44, 11 * index)),
        }
    }
    Ok(bytes)
}

/// Reads the 16 digits of a number below 10^28.
///
/// ```
/// use rowkey_core::text::base62;
///
/// let value = base62::decode_decimal28("3zfAkCP7ZtzfeQYp")?;
/// assert_eq!(value, 1_088_824_355_131_185_736_905_670_087);
/// # Ok::<(), rowkey_core::Error>(())
/// ```
///
/// # Errors
///
/// `ErrorKind::Text` for another length, another character, a lower block (the last 11 digits)
/// beyond 2^64-1, or a number beyond 10^28-1.
#[inline]
pub fn decode_decimal28(text: impl AsRef<[u8]>) -> Result<u128, Error> {
    let text = text.as_ref();
    match read_decimal28(text) {
        Some(value) => Ok(value),
        None => Err(refuse_decimal28(text)),
    }
}

/// [`decode_decimal28`] without a reason.
#[inline]
pub(crate) fn read_decimal28(text: &[u8]) -> Option<u128> {
    let (high, low) = text.split_first_chunk()?;
    let (upper, seen) = read_five(high);
    let lower = read_block(low.try_into().ok()?)?;
    let value = u128::from(upper) << 64 | u128::from(lower);
    (seen & 0x80 == 0 && value <= Width::Decimal28.max()).then_some(value)
}

#[cold]
fn refuse_decimal28(text: &[u8]) -> Error {
    // If the lower block is read and no character is invalid, the whole number is too large.
    let lower_is_read = text.last_chunk().and_then(read_block).is_some();
    refuse(text, DECIMAL28_FORM, 16, if lower_is_read { 0 } else { 5 })
}

/// The value of a block; `None` for an invalid character or if the number is too large.
#[inline]
fn read_block(digits: &[u8; 11]) -> Option<u64> {
    let [a, b, c, d, e, f, g, h, i, j, last] = *digits;
    // Two independent chains of five instead of one of ten.
    let (high, seen_high) = read_five(&[a, b, c, d, e]);
    let (low, seen_low) = read_five(&[f, g, h, i, j]);
    let last = DIGIT_VALUES[usize::from(last)];
    if (seen_high | seen_low | last) & 0x80 != 0 {
        return None;
    }
    // Ten digits always fit: only the last step can leave the 64 bits.
    (high * POW_5 + low)
        .checked_mul(62)?
        .checked_add(last.into())
}

/// The value of five digits, and the OR of their table entries, whose top bit is set if one is not
/// a digit.
#[inline]
fn read_five(digits: &[u8; 5]) -> (u64, u8) {
    digits.iter().fold((0, 0), |(value, seen), &character| {
        let digit = DIGIT_VALUES[usize::from(character)];
        (value * 62 + u64::from(digit), seen | digit)
    })
}

#[cold]
fn refuse(text: &[u8], expected: &'static str, length: usize, overflow: usize) -> Error {
    refusal(
        text,
        expected,
        |character| character.is_ascii_alphanumeric(),
        length..=length,
        overflow,
    )
}
