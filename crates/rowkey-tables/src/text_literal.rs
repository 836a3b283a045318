//! Text in SQL, where it cannot be bound.

use rowkey_core::Backend;

/// A text as an SQL literal. In MySQL and MariaDB, it is for sessions in which a backslash escapes;
/// in PostgreSQL, for those in which it does not, as in the sessions and the functions of a change.
pub fn text_literal(backend: Backend, text: &str) -> String {
    let text = text.replace('\'', "''");
    match backend {
        Backend::MySql | Backend::MariaDb => format!("'{}'", text.replace('\\', "\\\\")),
        Backend::SqlServer => format!("N'{text}'"),
        Backend::Postgres | Backend::Sqlite => format!("'{text}'"),
    }
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
