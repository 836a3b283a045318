//! Decimal digits, with and without padding.
//!
//! Digits only: no sign (not even `-0`), no point (not even `1.0`), no blanks, no separators.
//! Strings padded to one length sort bytewise like the numbers.
//!
//! Both directions take eight digits at a time, one in each byte of a 64-bit word, and cut numbers
//! at powers of 10^8 and 10^16, so that a single step handles more than 64 bits.

use ascii::AsciiChar;

use super::refusal::refusal;
use super::short_text::ShortText;
use super::width::Width;
use crate::error::Error;

const E8: u64 = 10_u64.pow(8);
const E16: u64 = 10_u64.pow(16);
const E28: u128 = 10_u128.pow(28);

/// The digits of 2^128-1.
const MOST_DIGITS: usize = 39;

/// `'0'` in every byte.
const ZEROS: u64 = 0x3030_3030_3030_3030;

/// Writes a number without leading zeros; 0 is `0`.
///
/// ```
/// use rowkey_core::text::decimal;
///
/// assert_eq!(decimal::write(0), "0");
/// assert_eq!(decimal::write(u128::MAX), "340282366920938463463374607431768211455");
/// ```
#[inline]
pub fn write(value: u128) -> ShortText {
    // The length of a DistributedId from 2012 on.
    if (E28 / 10..E28).contains(&value) {
        return padded::<28>(value);
    }
    let digits = write_padded::<MOST_DIGITS>(value);
    let zeros = digits.iter().take_while(|&&digit| digit == b'0').count();
    ShortText::of_slice(&digits[zeros.min(MOST_DIGITS - 1)..])
}

/// The `N` digits of [`write_padded`] as text.
///
/// ```
/// use rowkey_core::text::decimal;
///
/// assert_eq!(decimal::padded::<28>(1 << 64), "0000000018446744073709551616");
/// ```
#[inline]
pub fn padded<const N: usize>(value: u128) -> ShortText {
    ShortText::written(|digits: &mut [AsciiChar; N]| fill(digits, value, eight_characters))
}

#[inline]
fn eight_characters(value: u64) -> [AsciiChar; 8] {
    // The mask changes nothing, but tells the compiler that each byte is a character.
    eight_digits(value).map(|digit| AsciiChar::from_ascii(digit & 0x7f).unwrap_or(AsciiChar::Null))
}

/// Writes exactly `N` digits, at most 39, padded with leading `0`.
///
/// A number with more digits loses its leading ones.
///
/// ```
/// use rowkey_core::text::decimal;
///
/// assert_eq!(&decimal::write_padded::<28>(1 << 64), b"0000000018446744073709551616");
/// ```
#[inline]
pub fn write_padded<const N: usize>(value: u128) -> [u8; N] {
    const { assert!(N <= MOST_DIGITS, "128 bits have at most 39 decimal digits") };
    let mut digits = [0; N];
    fill(&mut digits, value, eight_digits);
    digits
}

/// Writes the last `N` digits of a number, of which `eight` makes each group.
#[inline]
fn fill<T: Copy, const N: usize>(digits: &mut [T; N], value: u128, eight: fn(u64) -> [T; 8]) {
    let groups = groups(value);
    // Each group goes straight to its place: another copy would wait for these writes.
    let (part, wholes) = digits.as_rchunks_mut();
    for (whole, group) in wholes.iter_mut().rev().zip(groups) {
        *whole = eight(group);
    }
    if !part.is_empty() {
        part.copy_from_slice(&eight(groups[N / 8])[8 - N % 8..]);
    }
}

/// Groups of eight digits from the last to the first, which has at most 7.
#[inline]
fn groups(value: u128) -> [u64; 5] {
    let [first, middle_16, last_16] = sixteens(value);
    [
        last_16 % E8,
        last_16 / E8,
        middle_16 % E8,
        middle_16 / E8,
        first,
    ]
}

/// Splits a number's decimal digits into groups, the most significant first: at most 7 digits, then
/// 16 and 16.
///
/// For protocols that carry digits in groups, because each part fits a machine word.
///
/// ```
/// use rowkey_core::text::decimal;
///
/// let value = 1_088_824_355_131_185_736_905_670_087;
/// assert_eq!(decimal::sixteens(value), [0, 108_882_435_513, 1_185_736_905_670_087]);
/// ```
#[inline]
pub fn sixteens(value: u128) -> [u64; 3] {
    if value < 1 << 94 {
        // All numbers of 28 digits.
        let (middle_16, last_16) = split_below_2_pow_94(value);
        [0, middle_16, last_16]
    } else {
        let (rest, last_16) = split_last_16(value);
        let (first, middle_16) = split_below_2_pow_94(rest);
        [first, middle_16, last_16]
    }
}

/// `(value / 10^16, value % 10^16)`, without the 128-bit division that the compiler would call a
/// function for.
#[inline]
fn split_last_16(value: u128) -> (u128, u64) {
    // 10^16 is 2^16 * 5^16. Division by 5^16 of what is left after the shift, a number below 2^112,
    // is exactly multiplication by ceil(2^150 / 5^16) and a shift by 150, because 2^112 * 5^16 is
    // below 2^150.
    const RECIPROCAL: u128 = 0x0001_cd2b_297d_889b_c2b6_985d_7cd0_f314;
    let quotient = high_half_of_product(value >> 16, RECIPROCAL) >> (150 - 128);
    // The difference is below 2^64, so the low halves suffice.
    let remainder = (value as u64).wrapping_sub((quotient as u64).wrapping_mul(E16));
    (quotient, remainder)
}

/// `(value / 10^16, value % 10^16)` of a number below 2^94, with one multiplication.
#[inline]
fn split_below_2_pow_94(value: u128) -> (u64, u64) {
    // Multiplying the upper 64 of the 94 bits by 2^117 / 10^16 and dropping 87 bits misses the
    // quotient by less than 2^-21: it is exact or one too small.
    const RECIPROCAL: u64 = ((1 << 117) / E16 as u128) as u64;
    let product = u128::from((value >> 30) as u64) * u128::from(RECIPROCAL);
    let quotient = (product >> 87) as u64;
    let remainder = (value as u64).wrapping_sub(quotient.wrapping_mul(E16));
    if remainder < E16 {
        (quotient, remainder)
    } else {
        (quotient + 1, remainder - E16)
    }
}

/// The upper 128 bits of the product of two numbers below 2^113.
#[inline]
fn high_half_of_product(a: u128, b: u128) -> u128 {
    let (a_high, a_low) = (a >> 64, a & u128::from(u64::MAX));
    let (b_high, b_low) = (b >> 64, b & u128::from(u64::MAX));
    // The high halves have at most 49 bits, so the sum of the middle products cannot overflow.
    let middle = a_high * b_low + a_low * b_high + ((a_low * b_low) >> 64);
    a_high * b_high + (middle >> 64)
}

/// The eight digits of a number below 10^8.
///
/// The number is cut in halves of 4, of 2 and of 1 digit, each time all parts of the word at once:
/// the quotient stays in the low half of its part, the remainder goes to the high half. With
/// `part` shifted to the high half, both are there after subtracting `quotient * (divisor << half)`
/// and adding `quotient`. `x * 10486 >> 20` is `x / 100` for four digits, `x * 103 >> 10` is
/// `x / 10` for two.
#[inline]
fn eight_digits(value: u64) -> [u8; 8] {
    let quotient = value / 10_000;
    let fours = (value << 32) - quotient * ((10_000 << 32) - 1);
    let quotients = (fours * 10_486) >> 20 & 0x0000_007f_0000_007f;
    let twos = (fours << 16) - quotients * ((100 << 16) - 1);
    let quotients = (twos * 103) >> 10 & 0x000f_000f_000f_000f;
    let ones = (twos << 8) - quotients * ((10 << 8) - 1);
    (ones | ZEROS).to_le_bytes()
}

/// Reads a number of a width: from one digit up to as many as the width's largest number has,
/// leading zeros included.
///
/// ```
/// use rowkey_core::text::{Width, decimal};
///
/// assert_eq!(decimal::parse("0018446744073709551616", Width::Decimal28)?, 1 << 64);
///
/// let error = decimal::parse("1.0", Width::Decimal28).unwrap_err();
/// assert_eq!(error.to_string(), "expected 1 to 28 decimal digits (0-9): '.' at position 1");
/// # Ok::<(), rowkey_core::Error>(())
/// ```
///
/// # Errors
///
/// `ErrorKind::Text` for an empty text, another character, more digits, or a number beyond the
/// width's largest.
#[inline]
pub fn parse(text: impl AsRef<[u8]>, width: Width) -> Result<u128, Error> {
    let text = text.as_ref();
    match read(text, width) {
        Some(value) => Ok(value),
        None => Err(refuse_width(text, width)),
    }
}

/// [`parse`] without a reason.
#[inline]
pub(crate) fn read(text: &[u8], width: Width) -> Option<u128> {
    if !(1..=most_digits(width)).contains(&text.len()) {
        return None;
    }
    read_digits(text).filter(|value| *value <= width.max())
}

#[inline]
const fn most_digits(width: Width) -> usize {
    match width {
        Width::I64 => 19,
        Width::U64 => 20,
        Width::Decimal28 => 28,
        Width::U128 => MOST_DIGITS,
    }
}

#[cold]
fn refuse_width(text: &[u8], width: Width) -> Error {
    let expected = match width {
        Width::I64 => "1 to 19 decimal digits (0-9) of a number below 2^63",
        Width::U64 => "1 to 20 decimal digits (0-9) of a number below 2^64",
        Width::Decimal28 => "1 to 28 decimal digits (0-9)",
        Width::U128 => "1 to 39 decimal digits (0-9) of a number below 2^128",
    };
    refusal(
        text,
        expected,
        |character| character.is_ascii_digit(),
        1..=most_digits(width),
        0,
    )
}

/// The value of at most 39 digits; `None` for another character or a number beyond 2^128-1.
#[inline]
fn read_digits(text: &[u8]) -> Option<u128> {
    let Some((front, last_16)) = text.split_last_chunk() else {
        return read_up_to_15(text).map(u128::from);
    };
    let last_16 = u128::from(read_16(last_16)?);
    let Some((first, middle_16)) = front.split_last_chunk() else {
        // At most 31 digits.
        return Some(u128::from(read_up_to_15(front)?) * u128::from(E16) + last_16);
    };
    let front =
        u128::from(read_up_to_15(first)?) * u128::from(E16) + u128::from(read_16(middle_16)?);
    front.checked_mul(E16.into())?.checked_add(last_16)
}

#[inline]
fn read_16(text: &[u8; 16]) -> Option<u64> {
    let (high, low) = text.split_first_chunk()?;
    Some(read_8(*high)? * E8 + read_8(*low.first_chunk()?)?)
}

/// The value of at most 15 digits; 0 for none.
#[inline]
fn read_up_to_15(text: &[u8]) -> Option<u64> {
    let (Some((first, last_8)), Some(first_8)) = (text.split_last_chunk(), text.first_chunk())
    else {
        return text.iter().try_fold(0, |value, character| {
            let digit = character.wrapping_sub(b'0');
            (digit < 10).then_some(value * 10 + u64::from(digit))
        });
    };
    let last_8 = read_8(*last_8)?;
    if first.is_empty() {
        return Some(last_8);
    }
    // The first eight characters overlap the last ones by at least one: shift those out and zeros
    // in, so that both halves have eight digits.
    let overlap = 8 * (8 - first.len());
    let first = u64::from_le_bytes(*first_8) << overlap | ZEROS >> (64 - overlap);
    Some(read_8(first.to_le_bytes())? * E8 + last_8)
}

/// The value of eight digits: pairs of digits, then of twos, then of fours, all at once.
#[inline]
fn read_8(characters: [u8; 8]) -> Option<u64> {
    let characters = u64::from_le_bytes(characters);
    // A digit has 3 in its high half and still has it after adding 6. A carry out of a byte
    // spoils the next one, but then the byte it came from has failed already.
    let high_halves = 0xf0f0_f0f0_f0f0_f0f0;
    let raised = characters.wrapping_add(0x0606_0606_0606_0606);
    if ((characters ^ ZEROS) | (raised ^ ZEROS)) & high_halves != 0 {
        return None;
    }
    let digits = characters ^ ZEROS;
    let twos = (digits.wrapping_mul(10 << 8 | 1) >> 8) & 0x00ff_00ff_00ff_00ff;
    let fours = (twos.wrapping_mul(100 << 16 | 1) >> 16) & 0x0000_ffff_0000_ffff;
    Some(fours.wrapping_mul(10_000 << 32 | 1) >> 32)
}
