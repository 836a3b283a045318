//! Rules for single members of bodies.

use super::problem::Problem;

const MAX_CENTS: i64 = 1_000_000_000_000;
const MAX_CHARACTERS: usize = 200;

/// Checks a price.
pub(super) fn check_cents(cents: i64) -> Result<(), Problem> {
    if (0..=MAX_CENTS).contains(&cents) {
        return Ok(());
    }
    let detail = format!("a price is 0 to {MAX_CENTS} cents, not {cents}");
    Err(Problem::invalid_value(detail).at("/cents"))
}

/// Checks a name or a title.
pub(super) fn check_text(pointer: &str, text: &str) -> Result<(), Problem> {
    let problem = if text.trim().is_empty() {
        "the text is empty".to_owned()
    } else if text.chars().count() > MAX_CHARACTERS {
        format!("the text has more than {MAX_CHARACTERS} characters")
    } else if text.contains(char::is_control) {
        // Among them the one with the number 0, which PostgreSQL does not store.
        "the text has control characters".to_owned()
    } else {
        return Ok(());
    };
    Err(Problem::invalid_value(problem).at(pointer))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_have_bounds() {
        for accepted in [0, 1, MAX_CENTS] {
            assert!(check_cents(accepted).is_ok());
        }
        for refused in [-1, MAX_CENTS + 1, i64::MIN, i64::MAX] {
            assert!(check_cents(refused).is_err());
        }
    }

    #[test]
    fn texts_are_counted_in_characters() {
        for accepted in ["x", &"å".repeat(MAX_CHARACTERS), "🚢"] {
            assert!(check_text("/name", accepted).is_ok());
        }
        for refused in ["", " \t", "a\0b", &"å".repeat(MAX_CHARACTERS + 1)] {
            assert!(check_text("/name", refused).is_err());
        }
    }
}
