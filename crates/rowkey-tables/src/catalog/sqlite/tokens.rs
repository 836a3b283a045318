//! SQL text in tokens, by the lexical rules of SQLite.

use std::ops::Range;

use crate::error::Error;

/// A token, which is neither a space nor a comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Where it is in the text.
    pub span: Range<usize>,
}

/// What a token is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// A keyword, or a name without quotes.
    Word(String),
    /// A name in quotes, without them. SQLite also takes text in single quotes as a name, and text
    /// in double quotes as a value, where nothing else fits.
    Quoted(String),
    /// A number, a value of bytes or a parameter.
    Value,
    /// An operator or punctuation.
    Sign(char),
}

impl Token {
    /// Whether it is a keyword, which is given in upper case.
    pub fn is_keyword(&self, keyword: &str) -> bool {
        matches!(&self.kind, TokenKind::Word(word) if word.eq_ignore_ascii_case(keyword))
    }

    /// Whether it is a sign.
    pub fn is(&self, sign: char) -> bool {
        self.kind == TokenKind::Sign(sign)
    }

    /// The name that it may be.
    pub fn name(&self) -> Option<&str> {
        match &self.kind {
            TokenKind::Word(name) | TokenKind::Quoted(name) => Some(name),
            TokenKind::Value | TokenKind::Sign(_) => None,
        }
    }

    /// Whether it may be this name. SQLite compares the letters of ASCII without their case.
    pub fn names(&self, name: &str) -> bool {
        self.name()
            .is_some_and(|found| found.eq_ignore_ascii_case(name))
    }
}

/// The tokens of SQL text.
///
/// # Errors
///
/// [`Error::Differs`] for text that ends inside quotes or a comment.
pub fn tokens(sql: &str) -> Result<Vec<Token>, Error> {
    let mut tokens = Vec::new();
    let mut rest = sql;
    while let Some(first) = rest.chars().next() {
        let start = sql.len() - rest.len();
        let unfinished = || Error::Differs {
            what: format!("the definition {sql}"),
            found: format!("what begins at byte {start} has no end"),
        };
        let (length, kind) = match first {
            _ if is_space(first) => (first.len_utf8(), None),
            '-' if rest.starts_with("--") => (rest.find('\n').unwrap_or(rest.len()), None),
            '/' if rest.starts_with("/*") => {
                // At the end of the text, SQLite takes a comment as closed.
                let end = rest.get(2..).and_then(|inside| inside.find("*/"));
                (end.map_or(rest.len(), |end| end + 4), None)
            }
            '\'' | '"' | '`' => {
                let (length, name) = quoted(rest, first).ok_or_else(unfinished)?;
                (length, Some(TokenKind::Quoted(name)))
            }
            '[' => {
                let end = rest.find(']').ok_or_else(unfinished)?;
                (end + 1, Some(TokenKind::Quoted(rest[1..end].into())))
            }
            'x' | 'X' if rest[1..].starts_with('\'') => {
                let (length, _) = quoted(&rest[1..], '\'').ok_or_else(unfinished)?;
                (length + 1, Some(TokenKind::Value))
            }
            _ if first.is_ascii_digit() => (length_of(rest, is_in_number), Some(TokenKind::Value)),
            '?' | '@' | ':' | '#' => (
                1 + length_of(&rest[1..], is_in_word),
                Some(TokenKind::Value),
            ),
            _ if is_in_word(first) => {
                let length = length_of(rest, is_in_word);
                (length, Some(TokenKind::Word(rest[..length].into())))
            }
            sign => (sign.len_utf8(), Some(TokenKind::Sign(sign))),
        };
        if let Some(kind) = kind {
            let span = start..start + length;
            tokens.push(Token { kind, span });
        }
        rest = &rest[length..];
    }
    Ok(tokens)
}

/// The index of the parenthesis that closes the one at an index; nothing if there is none at it.
pub fn end_of_group(tokens: &[Token], open: usize) -> Option<usize> {
    if !tokens.get(open)?.is('(') {
        return None;
    }
    let mut depth = 0_usize;
    for (index, token) in tokens.iter().enumerate().skip(open) {
        if token.is('(') {
            depth += 1;
        } else if token.is(')') {
            depth -= 1;
            if depth == 0 {
                return Some(index);
            }
        }
    }
    None
}

/// The tokens between the commas that are not inside parentheses.
pub fn parts(tokens: &[Token], group: Range<usize>) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let (mut start, mut depth) = (group.start, 0_usize);
    for index in group.clone() {
        let token = &tokens[index];
        if token.is('(') {
            depth += 1;
        } else if token.is(')') {
            depth = depth.saturating_sub(1);
        } else if token.is(',') && depth == 0 {
            parts.push(start..index);
            start = index + 1;
        }
    }
    parts.push(start..group.end);
    parts
}

/// The length of quoted text with its quotes, and what it says; nothing if it has no end.
fn quoted(text: &str, quote: char) -> Option<(usize, String)> {
    let mut name = String::new();
    let mut characters = text.char_indices().skip(1).peekable();
    while let Some((index, character)) = characters.next() {
        if character != quote {
            name.push(character);
        } else if characters.next_if(|(_, next)| *next == quote).is_some() {
            name.push(quote);
        } else {
            return Some((index + 1, name));
        }
    }
    None
}

fn length_of(text: &str, belongs: fn(char) -> bool) -> usize {
    text.find(|character| !belongs(character))
        .unwrap_or(text.len())
}

fn is_space(character: char) -> bool {
    matches!(character, ' ' | '\t' | '\n' | '\u{c}' | '\r')
}

fn is_in_word(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '_' | '$') || !character.is_ascii()
}

/// Also fractions and digits in hexadecimal. A sign of an exponent becomes a token of its own.
fn is_in_number(character: char) -> bool {
    is_in_word(character) || character == '.'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(sql: &str) -> Vec<TokenKind> {
        tokens(sql)
            .unwrap()
            .into_iter()
            .map(|token| token.kind)
            .collect()
    }

    fn word(text: &str) -> TokenKind {
        TokenKind::Word(text.into())
    }

    fn name(text: &str) -> TokenKind {
        TokenKind::Quoted(text.into())
    }

    #[test]
    fn names_are_read_in_every_kind_of_quotes() {
        assert_eq!(
            kinds(r#"a "b""c" `d``e` [f"g] 'h''i' ü$_1"#),
            [
                word("a"),
                name("b\"c"),
                name("d`e"),
                name("f\"g"),
                name("h'i"),
                word("ü$_1"),
            ]
        );
    }

    #[test]
    fn comments_and_spaces_are_left_out() {
        let kinds = kinds("a--'x\n/* \"b\" */,/**/c/* open");
        assert_eq!(kinds, [word("a"), TokenKind::Sign(','), word("c")]);
    }

    #[test]
    fn values_are_no_names() {
        let values = kinds("1 0x1F 1.5 x'AB' X'00' ?1 :id @id $id");
        let values = &values[..values.len() - 1];
        assert!(
            values.iter().all(|kind| *kind == TokenKind::Value),
            "{values:?}"
        );
        assert_eq!(kinds("1e-5").len(), 3);
    }

    #[test]
    fn spans_lead_back_to_the_text() {
        let sql = "CREATE TABLE \"ö\" ([i d] BLOB)";
        let texts: Vec<&str> = tokens(sql)
            .unwrap()
            .into_iter()
            .map(|token| &sql[token.span])
            .collect();
        assert_eq!(
            texts,
            ["CREATE", "TABLE", "\"ö\"", "(", "[i d]", "BLOB", ")"]
        );
    }

    #[test]
    fn what_has_no_end_is_refused() {
        for sql in ["'a", "\"a\"\"", "`a", "[a", "x'0"] {
            let error = tokens(sql).unwrap_err().to_string();
            assert!(error.contains("has no end"), "{sql}: {error}");
        }
    }
}
