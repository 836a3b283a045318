//! The text of a key with a prefix: the prefix, an underscore and the compact alphanumeric form.
//!
//! ```text
//! inv _ 3zfAkCP7ZtzfeQYp             16 characters of a DistributedId
//! row _ 00000001Ldt                  11 characters of a DatabaseNumber
//! bkg _ 07yWmpwGp2RBMQiK9Q4g0A       22 characters of any other format
//! ```
//!
//! A prefix is 1 to 24 lower-case ASCII letters and digits, and begins with a letter. It contains
//! no underscore, so no other text of an id looks like prefixed text.

use ascii::{AsciiChar, AsciiStr};

use super::short_text::ShortText;
use crate::error::{Error, TextProblem};

const LONGEST: usize = 24;

/// A prefix and its underscore, and perhaps the text after it: one buffer, because a string that
/// grows part by part is allocated several times.
#[derive(Clone, Copy)]
pub(crate) struct Characters {
    characters: [AsciiChar; LONGEST + 1 + ShortText::CAPACITY],
    length: usize,
}

impl Characters {
    /// A prefix, if it is not too long and ASCII.
    pub(crate) const fn of(prefix: &str) -> Option<Self> {
        if prefix.len() > LONGEST || !prefix.is_ascii() {
            return None;
        }
        let mut characters = [AsciiChar::UnderScore; LONGEST + 1 + ShortText::CAPACITY];
        let mut index = 0;
        while index < prefix.len() {
            characters[index] = AsciiChar::new(prefix.as_bytes()[index] as char);
            index += 1;
        }
        let length = prefix.len() + 1;
        Some(Self { characters, length })
    }

    #[inline]
    pub(crate) fn followed_by(mut self, text: &ShortText) -> Self {
        // Copies the unused characters too: a copy of constant length needs no call.
        let place = self.characters[self.length..].first_chunk_mut();
        if let Some(place) = place {
            *place = *text.buffer();
        }
        self.length += text.length();
        self
    }

    #[inline]
    pub(crate) fn as_str(&self) -> &str {
        <&AsciiStr>::from(&self.characters[..self.length]).as_str()
    }
}

/// The prefix and the rest after its underscore; `None` for text that does not begin with a prefix.
/// The rest is not checked.
///
/// ```
/// use rowkey_core::text::prefixed;
///
/// assert_eq!(prefixed::split("inv_3zfAkCP7ZtzfeQYp"), Some(("inv", "3zfAkCP7ZtzfeQYp")));
/// assert_eq!(prefixed::split("3zfAkCP7ZtzfeQYp"), None);
/// assert_eq!(prefixed::split("INV_3zfAkCP7ZtzfeQYp"), None);
/// ```
pub fn split(text: &str) -> Option<(&str, &str)> {
    text.split_once('_')
        .filter(|(prefix, _)| check(prefix).is_ok())
}

/// Checks that a key can have this prefix, given without its underscore.
///
/// # Errors
///
/// `ErrorKind::Text` with the first character that is not allowed in its position, or with the
/// number of characters.
pub fn check(prefix: &str) -> Result<(), Error> {
    let is_foreign = |(position, character): &(usize, char)| match character {
        'a'..='z' => false,
        '0'..='9' => *position == 0,
        _ => true,
    };
    let problem = match prefix.chars().enumerate().find(is_foreign) {
        Some((position, found)) => TextProblem::Character { position, found },
        None if prefix.is_empty() => TextProblem::Empty,
        None if prefix.len() > LONGEST => TextProblem::Length {
            found: prefix.len(),
        },
        None => return Ok(()),
    };
    Err(Error::text(
        "a prefix of 1 to 24 lower-case ASCII letters and digits, the first a letter",
        problem,
    ))
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    #[test]
    fn prefixes_are_short_and_begin_with_a_letter() {
        for prefix in ["a", "inv2", "abcdefghijklmnopqrstuvwx"] {
            assert_eq!(check(prefix), Ok(()), "{prefix}");
        }
        for (prefix, problem) in [
            ("", "the text is empty"),
            ("Inv", "'I' at position 0"),
            ("in-v", "'-' at position 2"),
            ("1nv", "'1' at position 0"),
            ("größe", "'ö' at position 2"),
            ("inv_", "'_' at position 3"),
            ("abcdefghijklmnopqrstuvwxy", "found 25 characters"),
        ] {
            let error = check(prefix).unwrap_err().to_string();
            assert!(error.ends_with(problem), "{prefix}: {error}");
        }
    }

    #[test]
    fn the_first_underscore_ends_the_prefix() {
        assert_eq!(split("inv_"), Some(("inv", "")));
        assert_eq!(split("inv_5_6"), Some(("inv", "5_6")));
        for text in ["", "_", "_5", "inv", "in v_5", "006474fb_c7aa"] {
            assert_eq!(split(text), None, "{text}");
        }
    }
}
