//! Text in SQL, where it cannot be bound.

use rowkey_core::Backend;

use crate::dialect::Dialect;

/// A text as an SQL literal. In MySQL and MariaDB, it is for sessions in which a backslash escapes;
/// in PostgreSQL, for those in which it does not, as in the sessions and the functions of a change.
pub fn text_literal(backend: Backend, text: &str) -> String {
    let mut sql = String::new();
    push_text_literal(&mut sql, backend, text);
    sql
}

/// Appends the [literal](text_literal) of a text.
pub fn push_text_literal(sql: &mut String, backend: Backend, text: &str) {
    let escapes_by_backslash = backend.escapes_by_backslash();
    sql.push_str(backend.text_prefix());
    sql.push('\'');
    let mut rest = text;
    while let Some(place) = rest.find(['\'', '\\']) {
        let (before, special) = rest.split_at(place);
        let (special, after) = special.split_at(1);
        sql.push_str(before);
        sql.push_str(special);
        if special == "'" || escapes_by_backslash {
            sql.push_str(special);
        }
        rest = after;
    }
    sql.push_str(rest);
    sql.push('\'');
}

/// A text as a literal on one line that means the same in every session, whatever its character set
/// and its meaning of a backslash; nothing for control characters in SQL Server, which has none.
pub fn line_literal(backend: Backend, text: &str) -> Option<String> {
    let is_plain = |one: char| one == ' ' || one.is_ascii_graphic() && one != '\'' && one != '\\';
    let is_plain = text.chars().all(is_plain);
    match backend {
        Backend::Postgres => Some(escaped(text)),
        Backend::SqlServer => {
            let has_control = text.chars().any(char::is_control);
            (!has_control).then(|| text_literal(backend, text))
        }
        _ if is_plain => Some(text_literal(backend, text)),
        Backend::MySql | Backend::MariaDb => Some(format!("_utf8mb4 X'{}'", hex::encode(text))),
        Backend::Sqlite => Some(text_of_bytes(text.as_bytes())),
    }
}

/// PostgreSQL's literal with escapes, where one is needed.
fn escaped(text: &str) -> String {
    let is_special = |one: char| one == '\\' || one.is_control();
    if !text.contains(is_special) {
        return text_literal(Backend::Postgres, text);
    }
    let mut literal = String::from("E'");
    for one in text.chars() {
        match one {
            '\'' | '\\' => literal.extend([one, one]),
            one if one.is_control() => literal += &format!("\\u{:04x}", u32::from(one)),
            one => literal.push(one),
        }
    }
    literal.push('\'');
    literal
}

/// SQLite's text of any bytes. The result of an operation has no affinity, whereas that of a CAST
/// alone would convert the values of a column that is compared with it.
pub fn text_of_bytes(bytes: &[u8]) -> String {
    format!("('' || CAST(X'{}' AS TEXT))", hex::encode(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_literal_ends_where_its_text_ends() {
        for (backend, expected) in [
            (Backend::Postgres, r"'it''s \'"),
            (Backend::MySql, r"'it''s \\'"),
            (Backend::MariaDb, r"'it''s \\'"),
            (Backend::Sqlite, r"'it''s \'"),
            (Backend::SqlServer, r"N'it''s \'"),
        ] {
            assert_eq!(text_literal(backend, r"it's \"), expected, "{backend}");
        }
    }
}
