//! Rules for single members of bodies.

use icu_properties::props::{DefaultIgnorableCodePoint, GeneralCategory, GeneralCategoryGroup};
use icu_properties::{CodePointMapData, CodePointSetData};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

use super::problem::Problem;

const MAX_CENTS: i64 = 1_000_000_000_000;
const MAX_CHARACTERS: usize = 200;

/// The pattern for names and titles in schemas: no control characters, and not only spaces. Regular
/// expressions of JSON Schema cannot exclude other invisible characters.
const TEXT_PATTERN: &str = r"^[^\x00-\x1F\x7F-\x9F]*[^\s\x00-\x1F\x7F-\x9F][^\x00-\x1F\x7F-\x9F]*$";

/// A name or a title, for schemas.
pub(super) struct Text;

impl PartialSchema for Text {
    fn schema() -> RefOr<Schema> {
        let text = ObjectBuilder::new()
            .schema_type(Type::String)
            .min_length(Some(1))
            .max_length(Some(MAX_CHARACTERS))
            .pattern(Some(TEXT_PATTERN));
        RefOr::T(text.build().into())
    }
}

impl ToSchema for Text {}

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
    } else if !text.chars().any(is_visible) {
        "the text has no visible characters".to_owned()
    } else if text.chars().count() > MAX_CHARACTERS {
        format!("the text has more than {MAX_CHARACTERS} characters")
    } else if text.contains(char::is_control) {
        // Including U+0000, which PostgreSQL does not store.
        "the text has control characters".to_owned()
    } else {
        return Ok(());
    };
    Err(Problem::invalid_value(problem).at(pointer))
}

/// Whether a character is visible by itself: a letter, a digit, a punctuation mark or a symbol, except
/// those that Unicode tells displays to ignore, such as a zero-width joiner or a Hangul filler.
fn is_visible(character: char) -> bool {
    /// A symbol without a dot.
    const BRAILLE_PATTERN_BLANK: char = '\u{2800}';
    const VISIBLE: GeneralCategoryGroup = GeneralCategoryGroup::Letter
        .union(GeneralCategoryGroup::Number)
        .union(GeneralCategoryGroup::Punctuation)
        .union(GeneralCategoryGroup::Symbol);

    let category = CodePointMapData::<GeneralCategory>::new().get(character);
    let is_ignored = CodePointSetData::new::<DefaultIgnorableCodePoint>().contains(character);
    VISIBLE.contains(category) && !is_ignored && character != BRAILLE_PATTERN_BLANK
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_has_to_be_visible() {
        for accepted in [
            "x",
            "7",
            "?",
            "€",
            "🚢",
            "李",
            "\u{200f}שלום",
            "e\u{301}",
            "👩\u{200d}🚀",
        ] {
            assert!(check_text("/name", accepted).is_ok(), "{accepted:?}");
        }
        for refused in [
            // Zero-width: space, non-joiner, joiner, no-break space.
            "\u{200b}\u{200c}\u{200d}\u{feff}",
            // Directional marks, embeddings, isolates.
            "\u{200e}\u{200f}\u{61c}\u{202a}\u{202e}\u{2066}\u{2069}",
            // Soft hyphen, word joiner, invisible times, combining grapheme joiner.
            "\u{ad}\u{2060}\u{2062}\u{34f}",
            // Fillers of Hangul, which are letters, and a symbol without dots.
            "\u{115f}\u{1160}\u{3164}\u{ffa0}\u{2800}",
            // Variation selectors, tags, interlinear annotations.
            "\u{fe0f}\u{e0100}\u{e0041}\u{fff9}",
            // Spaces.
            " \u{a0}\u{200b}\u{3000}",
            // A combining accent alone, a private-use character, a noncharacter.
            "\u{301}\u{e000}\u{378}",
        ] {
            assert!(check_text("/name", refused).is_err(), "{refused:?}");
            for character in refused.chars() {
                assert!(!is_visible(character), "{character:?}");
            }
        }
    }

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
    fn schemas_refuse_text_without_visible_characters() {
        let pattern = regex::Regex::new(TEXT_PATTERN).unwrap();
        for text in [
            "",
            " ",
            "\u{3000}",
            "a\0",
            "\u{9f}a",
            "\t",
            "a",
            " a b ",
            "ä\u{301}",
            "🚢",
        ] {
            let is_accepted = check_text("/name", text).is_ok();
            assert_eq!(pattern.is_match(text), is_accepted, "{text:?}");
        }
    }

    #[test]
    fn length_is_counted_in_characters() {
        for accepted in ["x", &"å".repeat(MAX_CHARACTERS), "🚢"] {
            assert!(check_text("/name", accepted).is_ok());
        }
        for refused in ["", " \t", "a\0b", &"å".repeat(MAX_CHARACTERS + 1)] {
            assert!(check_text("/name", refused).is_err());
        }
    }
}
