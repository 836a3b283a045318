//! Short text on the stack.

use alloc::string::String;
use core::fmt;
use core::ops::Deref;

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

    /// The bytes of the text, without the check that [`as_str`](Self::as_str) makes.
    #[inline]
    pub fn as_bytes(&self) -> &[u8] {
        self.characters
            .get(..self.length.into())
            .unwrap_or_default()
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
