//! Why a text is not one of an id.

use alloc::string::String;
use core::ops::RangeInclusive;

use crate::error::{Error, TextProblem};

/// Finds why text is invalid: the first character outside the alphabet, else its length, else that
/// the digits from `overflow` on are too large.
///
/// A character outside the alphabet comes first, because it also explains a wrong length: a
/// trailing line feed, the hyphens of another encoding, a sign. Parsers call this only after they
/// have failed, which keeps positions and messages out of their fast path.
#[cold]
pub fn refusal(
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
    Error::text(expected, problem)
}
