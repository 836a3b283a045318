//! The characters that a column of MySQL, MariaDB or SQL Server has.

use rowkey_core::Backend;

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
    /// The set that the words of a column name.
    pub fn of(backend: Backend, sql_type: &str) -> Self {
        if backend.uses_code_pages() && super::sqlserver::has_code_page(sql_type) {
            // What every code page has. The server puts question marks for what its own has not.
            return Self::Ascii;
        }
        if !backend.names_character_sets() {
            return Self::All;
        }
        let lower = sql_type.to_ascii_lowercase();
        let named = lower
            .split_once(" character set ")
            .and_then(|(_, rest)| rest.split_whitespace().next());
        match named {
            Some("utf8" | "utf8mb3" | "ucs2") => Self::ThreeBytes,
            Some("latin1") => Self::Latin1,
            Some("ascii") => Self::Ascii,
            _ => Self::All,
        }
    }

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

/// The collation that the words of a column name.
pub fn collation_of(sql_type: &str) -> Option<&str> {
    let place = sql_type.to_ascii_lowercase().find(" collate ")?;
    let rest = sql_type.get(place + " collate ".len()..)?;
    rest.split_whitespace().next()
}

/// A type with a collation; in MySQL and MariaDB with its character set too, whose name it begins
/// with.
pub fn with_collation(backend: Backend, sql_type: &str, collation: &str) -> String {
    if !backend.names_character_sets() {
        return format!("{sql_type} COLLATE {collation}");
    }
    let set = collation.split('_').next().unwrap_or(collation);
    format!("{sql_type} CHARACTER SET {set} COLLATE {collation}")
}

#[cfg(test)]
mod tests {
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
            let found = Charset::of(Backend::MySql, words).misfit(text);
            assert_eq!(found, expected, "{words}: {text}");
        }
        assert_eq!(
            Charset::of(Backend::Postgres, "text character set ascii"),
            Charset::All
        );
    }
}
