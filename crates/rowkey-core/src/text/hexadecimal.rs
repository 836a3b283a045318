//! A fixed number of hexadecimal digits.
//!
//! Strings of one letter case sort bytewise like the numbers. The decoder reads either case.

use uuid::Uuid;

use super::refusal::refusal;
use super::short_text::ShortText;
use crate::error::Error;

/// The letter case of the digits from ten on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LetterCase {
    /// `A` to `F`.
    Upper,
    /// `a` to `f`.
    Lower,
}

impl LetterCase {
    /// Whether a text of hexadecimal digits and hyphens has no letter of the other case.
    #[inline]
    pub(crate) fn is_kept_in(self, text: &str) -> bool {
        let text = text.as_bytes();
        let (eights, _) = text.as_chunks();
        let mut eights = eights.iter().copied().map(u64::from_le_bytes);
        // The last eight may overlap those before them.
        let last = text.last_chunk().copied().map(u64::from_le_bytes);
        match self {
            // All but upper-case letters have bit 5.
            Self::Lower => {
                const BIT_5: u64 = 0x2020_2020_2020_2020;
                let common = eights.fold(last.unwrap_or(BIT_5), |common, eight| common & eight);
                !common & BIT_5 == 0
            }
            // Only lower-case letters have bits 5 and 6.
            Self::Upper => {
                const BIT_6: u64 = 0x4040_4040_4040_4040;
                let is_kept = |eight: u64| eight & eight << 1 & BIT_6 == 0;
                eights.all(is_kept) && last.is_none_or(is_kept)
            }
        }
    }
}

/// Marks a byte that is not a digit. No digit has high bits set.
const NOT_A_DIGIT: u8 = 0xff;

static DIGIT_VALUES: [u8; 256] = {
    let mut values = [NOT_A_DIGIT; 256];
    let mut value = 0;
    while value < 16 {
        values[b"0123456789ABCDEF"[value] as usize] = value as u8;
        values[b"0123456789abcdef"[value] as usize] = value as u8;
        value += 1;
    }
    values
};

/// Writes the low `4 * N` bits of a number as `N` digits, at most 32.
///
/// ```
/// use rowkey_core::text::hexadecimal::{self, LetterCase};
///
/// let value = 447_835_050_025_542_181_830_910_637;
/// assert_eq!(&hexadecimal::encode::<26>(value, LetterCase::Upper), b"00017270C2B5280CE29739E2AD");
/// assert_eq!(&hexadecimal::encode::<4>(value, LetterCase::Lower), b"e2ad");
/// ```
#[inline]
pub fn encode<const N: usize>(value: u128, letters: LetterCase) -> [u8; N] {
    const { assert!(N <= 32, "128 bits have 32 hexadecimal digits") };
    let group = |index: usize| match index {
        0..4 => eight_digits((value >> (32 * index)) as u32, letters),
        _ => [b'0'; 8],
    };
    let mut digits = [0; N];
    let (part, wholes) = digits.as_rchunks_mut();
    for (index, whole) in wholes.iter_mut().rev().enumerate() {
        *whole = group(index);
    }
    if !part.is_empty() {
        part.copy_from_slice(&group(N / 8)[8 - N % 8..]);
    }
    digits
}

#[inline]
pub(crate) fn text_of<const N: usize>(value: u128, letters: LetterCase) -> ShortText {
    ShortText::of_array(encode::<N>(value, letters))
}

/// Eight digits at a time, one in each byte of a word.
#[inline]
fn eight_digits(value: u32, letters: LetterCase) -> [u8; 8] {
    const EACH: u64 = 0x0101_0101_0101_0101;
    let mut nibbles = u64::from(value);
    nibbles = (nibbles << 16 | nibbles) & 0x0000_ffff_0000_ffff;
    nibbles = (nibbles << 8 | nibbles) & 0x00ff_00ff_00ff_00ff;
    nibbles = (nibbles << 4 | nibbles) & 0x0f0f_0f0f_0f0f_0f0f;
    // Adding 6 carries into bit 4 from ten on.
    let is_letter = (nibbles + 6 * EACH) >> 4 & EACH;
    let gap = match letters {
        LetterCase::Upper => b'A' - b'9' - 1,
        LetterCase::Lower => b'a' - b'9' - 1,
    };
    (nibbles + u64::from(b'0') * EACH + is_letter * u64::from(gap)).to_be_bytes()
}

/// Reads exactly `N` digits, at most 32, of either letter case.
///
/// ```
/// use rowkey_core::text::hexadecimal;
///
/// assert_eq!(hexadecimal::decode::<16>("0f68E2F5346FBCA0")?, 1_110_386_850_921_430_176);
///
/// let error = hexadecimal::decode::<16>("0f68e2f5346fbcag").unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "expected 16 hexadecimal characters (0-9, A-F, a-f): 'g' at position 15",
/// );
/// # Ok::<(), rowkey_core::Error>(())
/// ```
///
/// # Errors
///
/// `ErrorKind::Text` for another length or another character.
#[inline]
pub fn decode<const N: usize>(text: impl AsRef<[u8]>) -> Result<u128, Error> {
    const { assert!(N <= 32, "128 bits have 32 hexadecimal digits") };
    let text = text.as_ref();
    match read::<N>(text) {
        Some(value) => Ok(value),
        None => Err(refuse::<N>(text)),
    }
}

/// [`decode`] without a reason.
#[inline]
pub(crate) fn read<const N: usize>(text: &[u8]) -> Option<u128> {
    if N == 32 {
        // The length first: `uuid` also reads other forms.
        let uuid = (text.len() == N).then(|| Uuid::try_parse_ascii(text).ok());
        return uuid.flatten().map(|uuid| uuid.as_u128());
    }
    <&[u8; N]>::try_from(text).ok().and_then(read_digits)
}

#[inline]
fn read_digits<const N: usize>(digits: &[u8; N]) -> Option<u128> {
    // At most 16 digits a word: shifting a `u128` per digit costs twice as much.
    let (high, low) = digits.split_at(N.saturating_sub(16));
    let read_word = |digits: &[u8]| {
        digits.iter().fold((0, 0), |(value, seen), &character| {
            let digit = DIGIT_VALUES[usize::from(character)];
            (value << 4 | u64::from(digit), seen | digit)
        })
    };
    let (high, seen_high) = read_word(high);
    let (low, seen_low) = read_word(low);
    ((seen_high | seen_low) < 16).then_some(u128::from(high) << 64 | u128::from(low))
}

#[cold]
fn refuse<const N: usize>(text: &[u8]) -> Error {
    let expected = const {
        match N {
            16 => "16 hexadecimal characters (0-9, A-F, a-f)",
            26 => "26 hexadecimal characters (0-9, A-F, a-f)",
            32 => "32 hexadecimal characters (0-9, A-F, a-f)",
            _ => "a fixed number of hexadecimal characters (0-9, A-F, a-f)",
        }
    };
    refusal(
        text,
        expected,
        |character| character.is_ascii_hexdigit(),
        N..=N,
        0,
    )
}
