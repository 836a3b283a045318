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
