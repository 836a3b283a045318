//! Expressions that the catalogue does not show as they were written.
//!
//! MySQL shows each byte of UTF-8 as a character, so that `_utf8mb4\'ü\'` is `_utf8mb4\'Ã¼\'`. Its
//! `SHOW CREATE TABLE` does not help, as it shows each four-byte character as a question mark.
//! MariaDB shows four question marks for each of these, but its `SHOW CREATE TABLE` is right.

use std::collections::BTreeSet;

use super::dependents;
use crate::catalog::{DependentKind, Table};
use crate::connection::Connection;
use crate::error::Error;

/// Corrects the expressions of a table of MySQL, which keeps what was shown.
pub(super) fn correct(table: &mut Table) {
    replace(table, corrected);
}

/// Corrects those of a table of MariaDB. Says which it cannot correct.
pub(super) async fn restore(
    connection: &mut Connection,
    table: &mut Table,
) -> Result<Option<String>, Error> {
    let mut has_marks = false;
    replace(table, |shown| {
        has_marks |= shown.contains(MARKS);
        None
    });
    if !has_marks {
        return Ok(None);
    }
    let doing = format!("the definition of {}", table.name);
    let query = format!(
        "SHOW CREATE TABLE {}",
        table.name.quoted(connection.backend())?
    );
    let row = match connection.one_row(&doing, &query, &[]).await {
        Err(error) if error.is_denied() => return Ok(Some(uncertain(table))),
        row => row?,
    };
    let statement = row.text(1)?;
    let mut is_certain = true;
    replace(table, |shown| {
        if !shown.contains(MARKS) {
            return None;
        }
        let mut found = written(shown, statement);
        let found = found.pop_first().filter(|_| found.is_empty());
        is_certain &= found.is_some();
        found
    });
    Ok((!is_certain).then(|| uncertain(table)))
}

fn uncertain(table: &Table) -> String {
    format!(
        "the expressions of {} with `{MARKS}`, which the catalogue shows for characters of four bytes",
        table.name
    )
}

/// What MariaDB shows for a character of four bytes.
const MARKS: &str = "????";

/// Replaces expressions of a table, which keeps what was shown.
fn replace(table: &mut Table, mut corrected: impl FnMut(&str) -> Option<String>) {
    let shown = table.clone();
    for column in &mut table.columns {
        // Other defaults are values, which are read elsewhere.
        let expression = column.default.as_ref().filter(|sql| !sql.starts_with('\''));
        if let Some(sql) = expression.and_then(|sql| corrected(sql)) {
            column.default = Some(sql);
        }
    }
    let mut used = Vec::new();
    for (place, dependent) in table.dependents.iter_mut().enumerate() {
        let is_expression = matches!(
            dependent.kind,
            DependentKind::Check | DependentKind::GeneratedColumn
        );
        if is_expression && let Some(sql) = corrected(&dependent.definition) {
            dependent.definition = sql;
            used.push(place);
        }
    }
    for place in used {
        let columns = dependents::columns(table, |column| {
            dependents::names(&table.dependents[place].definition, column)
        });
        table.dependents[place].columns = columns;
    }
    if *table != shown {
        dependents::sort(&mut table.dependents);
        table.shown = Some(Box::new(shown));
    }
}

/// The expression, if `shown` has its bytes as characters. Quotes and backslashes stay escaped.
/// Literals that no UTF-8 text can express become hexadecimal.
pub(super) fn corrected(shown: &str) -> Option<String> {
    if shown.is_ascii() {
        return None;
    }
    let bytes = shown.chars().map(|one| u8::try_from(u32::from(one)).ok());
    let bytes: Vec<u8> = bytes.collect::<Option<_>>()?;
    let (mut sql, mut rest) = (Vec::new(), bytes.as_slice());
    while let Some((first, behind)) = rest.split_first() {
        let length = match (first, behind) {
            (b'`', _) => behind.iter().position(|byte| *byte == b'`')? + 2,
            (b'\\', [b'\'', inside @ ..]) => {
                let inside = &inside[..length(inside)?];
                push_literal(&mut sql, inside);
                rest = &rest[QUOTE.len() + inside.len() + QUOTE.len()..];
                continue;
            }
            _ => 1,
        };
        sql.extend_from_slice(&rest[..length]);
        rest = &rest[length..];
    }
    String::from_utf8(sql).ok()
}

/// The expressions in the statement of a table that are shown in some words.
fn written(shown: &str, statement: &str) -> BTreeSet<String> {
    let places = statement.char_indices();
    let found = places.filter_map(|(place, _)| {
        let statement = &statement[place..];
        let (mut shown, mut rest) = (shown, statement.chars());
        while !shown.is_empty() {
            let one = rest.next()?;
            let marks = shown.strip_prefix(MARKS).filter(|_| one.len_utf8() == 4);
            shown = marks.or_else(|| shown.strip_prefix(one))?;
        }
        statement.strip_suffix(rest.as_str()).map(Into::into)
    });
    found.collect()
}

const QUOTE: &[u8] = br"\'";

/// The length of a literal up to its closing quote. A backslash in it is written as two, and a
/// quote or backslash that it escapes as two more.
fn length(text: &[u8]) -> Option<usize> {
    let mut place = 0;
    loop {
        place += match text.get(place..)? {
            [b'\\', b'\'', ..] => return Some(place),
            [b'\\', b'\\', b'\\', ..] => 4,
            [b'\\', b'\\', ..] => 3,
            [] => return None,
            _ => 1,
        };
    }
}

/// The literal behind the name of its character set.
fn push_literal(sql: &mut Vec<u8>, inside: &[u8]) {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let charset = sql.rsplit(|byte| !is_part(byte)).next();
    let charset = charset.unwrap_or_default();
    let is_utf8 = !charset.starts_with(b"_") || charset.starts_with(b"_utf8");
    if is_utf8 || inside.is_ascii() {
        sql.extend([QUOTE, inside, QUOTE].concat());
        return;
    }
    let text = unescaped(inside, |byte| byte);
    let bytes = unescaped(&text, |byte| match byte {
        b'0' => 0,
        b'b' => 0x08,
        b't' => b'\t',
        b'n' => b'\n',
        b'r' => b'\r',
        b'Z' => 0x1a,
        other => other,
    });
    sql.extend(
        [
            b" X".as_slice(),
            QUOTE,
            hex::encode(bytes).as_bytes(),
            QUOTE,
        ]
        .concat(),
    );
}

fn unescaped(text: &[u8], meaning: impl Fn(u8) -> u8) -> Vec<u8> {
    let (mut bytes, mut rest) = (Vec::new(), text.iter());
    while let Some(byte) = rest.next() {
        let escaped = rest.as_slice().first().filter(|_| *byte == b'\\');
        bytes.push(escaped.map_or(*byte, |escaped| meaning(*escaped)));
        if escaped.is_some() {
            rest.next();
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use rowkey_core::Backend;

    use super::*;
    use crate::catalog::{Catalog, Column, Dependent};

    fn shown(sql: &str) -> String {
        sql.bytes().map(char::from).collect()
    }

    #[test]
    fn characters_of_four_bytes_are_those_of_the_statement() {
        let statement = "`a` text DEFAULT concat('😀','?'), CHECK (`a` <> '😀'), CHECK (`a` <> '😎'), \
                         CHECK (`b` <> '????')";
        let found = |shown| Vec::from_iter(written(shown, statement));
        assert_eq!(found("concat('????','?')"), ["concat('😀','?')"]);
        assert_eq!(found("`b` <> '????'"), ["`b` <> '????'"]);
        assert_eq!(found("`a` <> '????'").len(), 2);
        assert!(found("`a` <> '?????'").is_empty());
    }

    #[test]
    fn bytes_that_are_shown_as_characters_are_text_again() {
        for sql in [
            r"(`dü` <> _utf8mb4\'ü\')",
            r"concat(`d\'ü`,`d\\\'ü`,_utf8mb4\'x€😀\\\\\\\'\x22\')",
            r"(`a` <> (_utf8mb3\'Ã¼\' collate utf8mb4_bin)) NOT ENFORCED",
            r"json_extract(`j`,_utf8mb4\'$.ü\')",
        ] {
            assert_eq!(corrected(&shown(sql)).as_deref(), Some(sql));
        }
        // Not bytes.
        for sql in [r"(`a` <> _utf8mb4\'ü\')", r"(`ü` > _utf8mb4\'€\')"] {
            assert_eq!(corrected(sql), None, "{sql}");
        }
    }

    #[test]
    fn plans_made_before_remain_valid() {
        let mut table = Table::new("t");
        let column = |name: &str, default: &str| Column {
            name: name.into(),
            default: Some(default.into()),
            ..Column::of_type("varchar(9)")
        };
        table.columns = vec![
            column("größe", r"(_utf8mb4\'Ã¶\')"),
            column("value", "'Ã¶'"),
        ];
        table.dependents.push(Dependent {
            kind: DependentKind::Check,
            name: "c".into(),
            columns: Vec::new(),
            definition: shown(r"(`größe` <> _utf8mb4\'ö\')"),
            events: Vec::new(),
        });
        let catalog = |table: &Table| Catalog {
            backend: Backend::MySql,
            tables: vec![table.clone()],
            unseen: Vec::new(),
        };
        let before = catalog(&table);
        correct(&mut table);
        let defaults = table.columns.iter().map(|column| column.default.as_deref());
        let defaults: Vec<_> = defaults.collect();
        assert_eq!(defaults, [Some(r"(_utf8mb4\'ö\')"), Some("'Ã¶'")]);
        assert_eq!(table.dependents[0].columns, ["größe"]);
        let after = catalog(&table);
        let name = table.name.clone();
        assert_eq!(after.hash_to_copy(&name), before.hash_to_copy(&name));
        let names = [name];
        assert_eq!(after.hash(&names), before.hash(&names));
    }

    #[test]
    fn literals_of_other_character_sets_are_in_digits() {
        for (shown, expected) in [
            (r"(`a` <> _latin1\'ü\')", r"(`a` <> _latin1 X\'fc\')"),
            (
                r"concat(_latin1\'a\',_latin1\'\\\\ü\\\'\',_utf8mb4\'Ã¼\')",
                r"concat(_latin1\'a\',_latin1 X\'5cfc27\',_utf8mb4\'ü\')",
            ),
            (r"_utf16\'\\0\\n\\0ü\\0\\\'\'", r"_utf16 X\'000a00fc0027\'"),
            ("_gbk\\'\u{b0}\\\\\\\\\\'", r"_gbk X\'b05c\'"),
        ] {
            assert_eq!(corrected(shown).as_deref(), Some(expected), "{shown}");
        }
    }
}
