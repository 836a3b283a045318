//! The words of an `enum` or a `set` of MySQL and MariaDB.

use rowkey_core::Backend;

use crate::dialect::Dialect;
use crate::text_literal::text_literal;

use super::column_type::ColumnType;

impl ColumnType {
    /// The words of `enum('a','it''s')`; none of other types.
    pub fn members(&self) -> Vec<String> {
        match self.name() {
            "enum" | "set" => members(self.bare()),
            _ => Vec::new(),
        }
    }

    /// Whether there is nothing behind the words of an `enum` or a `set`.
    pub fn ends_with_members(&self) -> bool {
        let Some((name, _)) = self.bare().split_once('(') else {
            return true;
        };
        if !matches!(self.name(), "enum" | "set") {
            return true;
        }
        let members = self.members().into_iter();
        let quoted = members.map(|word| text_literal(self.backend, &word));
        let quoted: Vec<String> = quoted.collect();
        let is_it = |separator| self.bare() == format!("{name}({})", quoted.join(separator));
        !self.bare().contains('\\') && (is_it(",") || is_it(", "))
    }
}

fn members(sql_type: &str) -> Vec<String> {
    let mut members = Vec::new();
    let mut characters = sql_type.chars().peekable();
    let mut member: Option<String> = None;
    while let Some(character) = characters.next() {
        match (&mut member, character) {
            (None, '\'') => member = Some(String::new()),
            (None, ')') => break,
            (None, _) => {}
            (Some(word), '\'') if characters.next_if_eq(&'\'').is_some() => word.push('\''),
            (Some(_), '\'') => members.extend(member.take()),
            (Some(word), other) => word.push(other),
        }
    }
    members
}

/// The type of a column with one of some words, where it has them in its name; nothing for words
/// that such a type does not keep as they are.
pub fn enum_of(backend: Backend, words: &[String]) -> Option<String> {
    let is_kept = |word: &String| !word.ends_with(' ') && !word.contains('\\') && word.len() <= 255;
    if !backend.names_character_sets() || !words.iter().all(is_kept) {
        return None;
    }
    let words: Vec<String> = words
        .iter()
        .map(|word| text_literal(backend, word))
        .collect();
    let words = words.join(",");
    Some(format!(
        "enum({words}) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"
    ))
}
#[cfg(test)]
mod tests {
    use rowkey_core::Backend;

    use super::*;

    #[test]
    fn words_are_read() {
        let members = |sql_type| ColumnType::parse(Backend::MySql, sql_type).members();
        assert_eq!(members("enum('a','it''s',')','')"), ["a", "it's", ")", ""]);
        assert_eq!(members("SET('x') CHARACTER SET 'y'"), ["x"]);
        assert!(members("varchar(9)").is_empty());
    }
}
