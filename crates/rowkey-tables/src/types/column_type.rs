//! The type of a column, whose words are read once.

use std::fmt;

use rowkey_core::Backend;

use super::grammar;
use super::model::{Type, Words};

/// A type of a column in the words of its database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnType {
    pub(super) backend: Backend,
    /// With the character set and the collation.
    written: String,
    /// How many bytes come before these.
    bare: usize,
    /// The first word, in lower case.
    name: String,
    /// Nothing if there is something else than numbers in the parentheses.
    pub(super) words: Option<Words>,
    meaning: Option<Type>,
}

impl ColumnType {
    /// Reads the words of a database.
    pub fn parse(backend: Backend, sql_type: impl Into<String>) -> Self {
        let written = sql_type.into();
        let bare = end_of_type(&written);
        let sql_type = &written[..bare];
        Self {
            backend,
            bare,
            name: first_word(sql_type),
            words: Words::of(sql_type),
            meaning: (grammar(backend).parse)(sql_type),
            written,
        }
    }

    /// The words as they were read.
    pub fn as_str(&self) -> &str {
        &self.written
    }

    /// The words without a character set and a collation.
    pub fn bare(&self) -> &str {
        &self.written[..self.bare]
    }

    /// What comes after [`bare`](Self::bare).
    pub fn suffix(&self) -> &str {
        &self.written[self.bare..]
    }

    /// The first word, in lower case: `varchar` of `VARCHAR(80)`, `double` of `double precision`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What the words mean; nothing for a type that has no place yet.
    pub fn meaning(&self) -> Option<Type> {
        self.meaning
    }

    /// How many characters or bytes it is declared with.
    pub fn length(&self) -> Option<u32> {
        let words = self.words.as_ref()?;
        let has_length = matches!(
            self.name(),
            "binary" | "varbinary" | "char" | "varchar" | "character" | "nchar" | "nvarchar"
        );
        words.length().filter(|_| has_length)
    }

    /// The length to which it pads values, such as that of `char(36)` or `binary(16)`.
    pub fn padded_length(&self) -> Option<u32> {
        let words = self.words.as_ref()?;
        let name = words.name.as_str();
        let pads = matches!(name, "binary" | "char" | "character" | "nchar");
        words.length().filter(|_| pads)
    }

    /// Whether a word is among those outside of the parentheses: `unsigned`, `zerofill`.
    pub fn has(&self, word: &str) -> bool {
        let words = self.words.as_ref();
        words.is_some_and(|words| words.name.split(' ').any(|found| found == word))
    }

    /// How many digits of a second a time or an interval has.
    pub fn fraction_digits(&self) -> u32 {
        (grammar(self.backend).fraction_digits)(self.words.as_ref())
    }

    /// How many bytes a value has at most, if the words do not say a length.
    pub fn most_bytes(&self) -> Option<u64> {
        (grammar(self.backend).most_bytes)(self.name())
    }
}

impl fmt::Display for ColumnType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.written)
    }
}

/// The first word of a type, in lower case.
pub(crate) fn first_word(sql_type: &str) -> String {
    let name = sql_type.trim().split(['(', ' ']).next();
    name.unwrap_or_default().to_ascii_lowercase()
}

/// Where the character set and the collation begin. Those in quotes are members of an `enum`.
fn end_of_type(sql_type: &str) -> usize {
    let lower = sql_type.to_ascii_lowercase();
    let mut is_quoted = false;
    let end = lower.char_indices().find(|(place, character)| {
        is_quoted ^= *character == '\'';
        let rest = &lower[*place..];
        !is_quoted && (rest.starts_with(" character set ") || rest.starts_with(" collate "))
    });
    end.map_or(sql_type.len(), |(place, _)| place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_ends_before_its_character_set_and_its_collation() {
        for (sql_type, bare, name) in [
            (
                "CHAR(36) CHARACTER SET ascii COLLATE ascii_bin",
                "CHAR(36)",
                "char",
            ),
            ("varchar(36) COLLATE \"C\"", "varchar(36)", "varchar"),
            (
                "enum('a collate b') collate utf8mb4_bin",
                "enum('a collate b')",
                "enum",
            ),
            (
                "timestamp(3) with time zone",
                "timestamp(3) with time zone",
                "timestamp",
            ),
            ("", "", ""),
        ] {
            let column_type = ColumnType::parse(Backend::MySql, sql_type);
            assert_eq!((column_type.bare(), column_type.name()), (bare, name));
            assert_eq!(format!("{bare}{}", column_type.suffix()), sql_type);
        }
    }
}
