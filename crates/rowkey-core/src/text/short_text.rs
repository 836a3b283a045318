//! Short text on the stack.

use alloc::string::String;
use core::cmp::Ordering;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::ops::Deref;

use ascii::{AsAsciiStr, AsciiChar, AsciiStr};

/// ASCII text of at most [`CAPACITY`](Self::CAPACITY) characters, without an allocation.
///
/// The encoders return this type. It derefs to `str` ([`Deref`]) and takes 40 bytes on the stack.
/// `Ord` is the order of the text.
///
/// ```
/// use rowkey_core::text::hyphenated;
///
/// let text = hyphenated::write(u128::MAX);
/// assert_eq!(text, "ffffffff-ffff-ffff-ffff-ffffffffffff");
/// assert_eq!(text.len(), 36);
/// assert_eq!(text, format!("{text}"));
/// assert_eq!(text.to_string(), text);
/// ```
#[derive(Clone, Copy)]
pub struct ShortText {
    // Characters rather than bytes: they are a `str` without a check.
    characters: [AsciiChar; Self::CAPACITY],
    length: u8,
}

impl ShortText {
    /// The longest text: the 39 decimal digits of 2^128-1.
    pub const CAPACITY: usize = 39;

    /// The text of `N` characters, written in place.
    #[inline]
    pub(crate) fn written<const N: usize>(write: impl FnOnce(&mut [AsciiChar; N])) -> Self {
        const { assert!(N <= Self::CAPACITY) };
        let mut characters = [AsciiChar::Null; Self::CAPACITY];
        if let Some(characters) = characters.first_chunk_mut() {
            write(characters);
        }
        Self {
            characters,
            length: N as u8,
        }
    }

    #[inline]
    pub(crate) fn of_array<const N: usize>(ascii: [u8; N]) -> Self {
        const { assert!(N <= Self::CAPACITY) };
        Self::of_slice(&ascii)
    }

    /// The text of at most [`CAPACITY`](Self::CAPACITY) ASCII characters; `None` for other bytes.
    pub fn of_ascii(text: &[u8]) -> Option<Self> {
        let fits = text.len() <= Self::CAPACITY && text.is_ascii();
        fits.then(|| Self::of_slice(text))
    }

    /// The text of at most [`CAPACITY`](Self::CAPACITY) ASCII characters.
    #[inline]
    pub(crate) fn of_slice(ascii: &[u8]) -> Self {
        let mut characters = [AsciiChar::Null; Self::CAPACITY];
        // The default cannot occur: the encoders write only ASCII.
        let ascii = ascii.as_ascii_str().map(AsciiStr::as_slice);
        let ascii = ascii.unwrap_or_default();
        characters[..ascii.len()].copy_from_slice(ascii);
        Self {
            characters,
            length: ascii.len() as u8,
        }
    }

    /// The text.
    #[inline]
    pub fn as_str(&self) -> &str {
        // The default cannot occur: the constructors take at most 39 characters.
        let characters = self.characters.get(..self.length.into());
        <&AsciiStr>::from(characters.unwrap_or_default()).as_str()
    }

    /// The text and the unused characters after it.
    #[inline]
    pub(super) fn buffer(&self) -> &[AsciiChar; Self::CAPACITY] {
        &self.characters
    }

    #[inline]
    pub(super) fn length(&self) -> usize {
        self.length.into()
    }

    /// The bytes of the text.
    #[inline]
    pub fn as_bytes(&self) -> &[u8] {
        self.as_str().as_bytes()
    }
}

impl PartialEq for ShortText {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for ShortText {}

impl PartialOrd for ShortText {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for ShortText {
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_str().cmp(other.as_str())
    }
}

impl Hash for ShortText {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
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
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_padded(self, f)
    }
}

/// Does what `pad` does, with fewer steps in the usual case without a width or precision.
#[inline(always)]
pub(crate) fn write_padded(text: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match (f.width(), f.precision()) {
        (None, None) => f.write_str(text),
        _ => f.pad(text),
    }
}

impl fmt::Debug for ShortText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

macro_rules! impl_eq {
    ($($Text:ty),*) => {$(
        impl PartialEq<$Text> for ShortText {
            fn eq(&self, other: &$Text) -> bool {
                self.as_str() == &other[..]
            }
        }

        impl PartialEq<ShortText> for $Text {
            fn eq(&self, other: &ShortText) -> bool {
                other == self
            }
        }
    )*};
}

impl_eq!(str, &str, String);

impl From<ShortText> for String {
    fn from(text: ShortText) -> Self {
        text.as_str().into()
    }
}
