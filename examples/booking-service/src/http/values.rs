//! Rules for single members of bodies.

use super::problem::{Kind, Problem};

const MAX_CENTS: i64 = 1_000_000_000_000;
const MAX_CHARACTERS: usize = 200;

/// Checks a price.
pub(super) fn check_cents(cents: i64) -> Result<(), Problem> {
    if (0..=MAX_CENTS).contains(&cents) {
        return Ok(());
    }
    let detail = format!("a price is 0 to {MAX_CENTS} cents, not {cents}");
    Err(Kind::INVALID_VALUE.because(detail).at("/cents"))
}

/// Checks a name or a title.
pub(super) fn check_text(pointer: &str, text: &str) -> Result<(), Problem> {
    let problem = if text.trim().is_empty() {
        "the text is empty"
    } else if text.chars().count() > MAX_CHARACTERS {
        "the text has more than 200 characters"
    } else if text.contains(char::is_control) {
        // Including U+0000, which PostgreSQL does not store.
        "the text has control characters"
    } else {
        return Ok(());
    };
    Err(Kind::INVALID_VALUE.because(problem).at(pointer))
}
