//! Text in SQL, where it cannot be bound.

use rowkey_core::Backend;

use crate::dialect::Dialect;

/// A text as an SQL literal. In MySQL and MariaDB, it is for sessions in which a backslash escapes;
/// in PostgreSQL, for those in which it does not, as in the sessions and the functions of a change.
pub fn text_literal(backend: Backend, text: &str) -> String {
    let mut text = text.replace('\'', "''");
    if backend.escapes_by_backslash() {
        text = text.replace('\\', "\\\\");
    }
    format!("{}'{text}'", backend.text_prefix())
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
