//! What the statement that made a table says, and no pragma does.

use std::ops::Range;

use super::tokens::{Token, end_of_group, parts, tokens};
use crate::error::Error;

/// The collation that a column is declared with.
pub fn collation(sql: &str, column: &str) -> Result<Option<String>, Error> {
    let tokens = tokens(sql)?;
    let open = tokens.iter().position(|token| token.is('('));
    let group = open.and_then(|open| Some(open + 1..end_of_group(&tokens, open)?));
    let Some(group) = group else { return Ok(None) };
    let columns = parts(&tokens, group);
    let own = columns.into_iter().map(|part| &tokens[part]).find(|part| {
        let first = part.first();
        first.is_some_and(|first| first.names(column))
    });
    let name = own.and_then(|own| {
        let place = own.iter().position(|token| token.is_keyword("COLLATE"))?;
        own.get(place + 1)?.name()
    });
    Ok(name.map(str::to_owned))
}

/// The columns of a key, each with the collation that the key names for it, as a name in SQL.
pub type CollatedKey = Vec<(String, Option<String>)>;

/// The table's keys of some columns that name collations.
pub fn collated_keys(sql: &str, names: &[String]) -> Result<Vec<CollatedKey>, Error> {
    let tokens = tokens(sql)?;
    let key = |(index, token): (usize, &Token)| {
        let is_primary = token.is_keyword("KEY") && tokens[..index].last()?.is_keyword("PRIMARY");
        let open = index + 1;
        let end = end_of_group(&tokens, open)?;
        let column = |part: Range<usize>| {
            let part = &tokens[part];
            let place = part.iter().position(|token| token.is_keyword("COLLATE"));
            let collation = place.and_then(|place| part.get(place + 1));
            let collation = collation.map(|token| sql[token.span.clone()].to_owned());
            Some((part.first()?.name()?.to_owned(), collation))
        };
        let columns = parts(&tokens, open + 1..end).into_iter().map(column);
        let columns: Vec<_> = columns.collect::<Option<_>>()?;
        let is_collated = columns.iter().any(|(_, collation)| collation.is_some());
        let is_key = is_primary || token.is_keyword("UNIQUE");
        let mut pairs = columns.iter().zip(names);
        let is_it = columns.len() == names.len()
            && pairs.all(|((name, _), column)| name.eq_ignore_ascii_case(column));
        (is_key && is_collated && is_it).then_some(columns)
    };
    Ok(tokens.iter().enumerate().filter_map(key).collect())
}

/// Whether the columns of a table take values of their own types only.
pub fn is_strict(sql: &str) -> bool {
    let tokens = tokens(sql).unwrap_or_default();
    let end = tokens.iter().rposition(|token| token.is(')'));
    let behind = end.map_or(&tokens[..], |end| &tokens[end..]);
    behind.iter().any(|token| token.is_keyword("STRICT"))
}

/// Whether a conflict deletes rows of a table, or leaves new ones out, instead of failing.
pub fn loses_rows(sql: &str) -> bool {
    let tokens = tokens(sql).unwrap_or_default();
    tokens.windows(2).any(|pair| {
        let loses = pair[1].is_keyword("REPLACE") || pair[1].is_keyword("IGNORE");
        pair[0].is_keyword("CONFLICT") && loses
    })
}

/// The conditions of the table's CHECKs.
pub fn checks(sql: &str) -> Result<Vec<String>, Error> {
    let tokens = tokens(sql)?;
    let conditions = tokens.iter().enumerate().filter_map(|(index, token)| {
        let open = index + 1;
        let end = end_of_group(&tokens, open).filter(|_| token.is_keyword("CHECK"))?;
        Some(sql[tokens[open].span.start..tokens[end].span.end].to_owned())
    });
    Ok(conditions.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const OFFER: &str = "CREATE TABLE offer (\n  [id] TEXT COLLATE \"NOCASE\" CHECK (length(id) = 36), \
                         code TEXT DEFAULT ('a, id COLLATE RTRIM'), CHECK ((id) <> (code)))";

    #[test]
    fn conflicts_that_lose_rows_are_known() {
        for (clause, expected) in [
            ("UNIQUE ON CONFLICT REPLACE", true),
            ("UNIQUE on conflict ignore", true),
            ("UNIQUE ON CONFLICT ABORT", false),
            ("DEFAULT ('ON CONFLICT REPLACE')", false),
        ] {
            let sql = format!("CREATE TABLE t (a INTEGER {clause})");
            assert_eq!(loses_rows(&sql), expected, "{clause}");
        }
    }

    #[test]
    fn collations_are_those_of_the_column() {
        for (column, expected) in [("ID", Some("NOCASE")), ("code", None), ("none", None)] {
            let found = collation(OFFER, column).unwrap();
            assert_eq!(found.as_deref(), expected, "{column}");
        }
    }

    #[test]
    fn a_table_is_strict_behind_its_columns() {
        assert!(is_strict("CREATE TABLE t (a INT) WITHOUT ROWID, strict"));
        assert!(!is_strict(
            "CREATE TABLE t (strict INT, b TEXT DEFAULT 'STRICT')"
        ));
        assert!(!is_strict(OFFER));
    }

    #[test]
    fn checks_of_columns_and_of_the_table_are_found() {
        let found = checks(OFFER).unwrap();
        assert_eq!(found, ["(length(id) = 36)", "((id) <> (code))"]);
    }
}
