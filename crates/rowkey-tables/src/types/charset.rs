//! The characters that a column of MySQL, MariaDB or SQL Server has, and how they are compared.

use super::column_type::ColumnType;
use crate::dialect::Dialect;

/// A set of characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Charset {
    /// All of Unicode, or a set that only the server knows.
    All,
    /// Without those beyond U+FFFF: `utf8`, which has three bytes at most.
    ThreeBytes,
    /// Windows-1252, which MySQL calls `latin1`.
    Latin1,
    Ascii,
}

/// What Windows-1252 has in the place of control characters.
const WINDOWS: &str = "€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ";
/// The control characters that it keeps.
const CONTROLS: [char; 5] = ['\u{81}', '\u{8d}', '\u{8f}', '\u{90}', '\u{9d}'];

impl Charset {
    /// A character that it does not have, if the text has one.
    pub fn misfit(self, text: &str) -> Option<char> {
        let is_in_latin1 = |character: char| {
            matches!(character, '\0'..='\u{7f}' | '\u{a0}'..='\u{ff}')
                || CONTROLS.contains(&character)
                || WINDOWS.contains(character)
        };
        match self {
            Self::All => None,
            Self::ThreeBytes => text.chars().find(|character| *character > '\u{ffff}'),
            Self::Latin1 => text.chars().find(|character| !is_in_latin1(*character)),
            Self::Ascii => text.chars().find(|character| !character.is_ascii()),
        }
    }
}

impl ColumnType {
    /// The set of characters that its words name.
    pub fn charset(&self) -> Charset {
        if self.has_code_page() {
            // What every code page has. The server puts question marks for what its own has not.
            return Charset::Ascii;
        }
        if !self.backend.names_character_sets() {
            return Charset::All;
        }
        let suffix = self.suffix().to_ascii_lowercase();
        let named = suffix
            .strip_prefix(" character set ")
            .and_then(|rest| rest.split_whitespace().next());
        match named {
            Some("utf8" | "utf8mb3" | "ucs2") => Charset::ThreeBytes,
            Some("latin1") => Charset::Latin1,
            Some("ascii") => Charset::Ascii,
            _ => Charset::All,
        }
    }

    /// The collation that its words name.
    pub fn collation(&self) -> Option<&str> {
        let mut words = self.suffix().split_whitespace();
        words.find(|word| word.eq_ignore_ascii_case("collate"))?;
        words.next()
    }

    /// The type with another collation; in MySQL and MariaDB with its character set too, whose name
    /// it begins with.
    #[must_use]
    pub fn with_collation(&self, collation: &str) -> Self {
        let bare = self.bare();
        let written = match self.backend.names_character_sets() {
            true => {
                let set = collation.split('_').next().unwrap_or(collation);
                format!("{bare} CHARACTER SET {set} COLLATE {collation}")
            }
            false => format!("{bare} COLLATE {collation}"),
        };
        Self::parse(self.backend, written)
    }
}

#[cfg(test)]
mod tests {
    use rowkey_core::Backend;

    use super::*;

    #[test]
    fn characters_that_a_column_has_not_are_found() {
        for (words, text, expected) in [
            ("text", "\u{10ffff}", None),
            (
                "varchar(9) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
                "😀",
                None,
            ),
            ("text CHARACTER SET utf8 COLLATE utf8_bin", "ä€", None),
            ("text CHARACTER SET utf8mb3", "a😀", Some('😀')),
            ("text character set latin1", "ä€\u{81}", None),
            ("text character set latin1", "a\u{80}", Some('\u{80}')),
            ("text character set latin1", "ł", Some('ł')),
            ("char(3) CHARACTER SET ascii", "aä", Some('ä')),
        ] {
            let found = ColumnType::parse(Backend::MySql, words)
                .charset()
                .misfit(text);
            assert_eq!(found, expected, "{words}: {text}");
        }
        assert_eq!(
            ColumnType::parse(Backend::Postgres, "text character set ascii").charset(),
            Charset::All
        );
    }
}
