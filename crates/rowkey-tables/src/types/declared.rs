//! Whether a column has the type that a key's plan declares, whatever words the server has for it.

use rowkey_core::Backend;

use super::model::Words;
use crate::dialect::Dialect;

/// Whether two types in the words of a database are the same. Collations do not count.
pub fn is_same_type(backend: Backend, found: &str, declared: &str) -> bool {
    spelling(backend, found) == spelling(backend, declared)
}

/// A type without its character set and its collation.
pub fn without_collation(sql_type: &str) -> &str {
    let lower = sql_type.to_ascii_lowercase();
    let end = [" character set ", " collate "].map(|word| lower.find(word));
    let end = end.into_iter().flatten().min();
    end.and_then(|end| sql_type.get(..end)).unwrap_or(sql_type)
}

/// The name and the numbers of a type, in one of the spellings that a server takes or shows.
fn spelling(backend: Backend, sql_type: &str) -> (String, Vec<u32>) {
    let Some(Words { name, numbers }) = Words::of(without_collation(sql_type)) else {
        return (sql_type.to_ascii_lowercase(), Vec::new());
    };
    match name.as_str() {
        _ if backend.stores_any_type() => (affinity(&name).to_owned(), Vec::new()),
        "varchar" => ("character varying".to_owned(), numbers),
        "numeric" => ("decimal".to_owned(), numbers),
        // The width of a number is how some versions show it.
        _ if name.starts_with("bigint") => (name, Vec::new()),
        _ => (name, numbers),
    }
}

/// In which form SQLite stores what is written to a column of a type, by its rules for their names.
fn affinity(name: &str) -> &'static str {
    let has = |words: &[&str]| words.iter().any(|word| name.contains(word));
    match name {
        _ if has(&["int"]) => "integer",
        _ if has(&["char", "clob", "text"]) => "text",
        _ if has(&["blob"]) || name.is_empty() => "blob",
        _ if has(&["real", "floa", "doub"]) => "real",
        _ => "numeric",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_a_type_are_the_same_and_other_types_are_not() {
        use Backend::{MariaDb, MySql, Postgres, SqlServer, Sqlite};
        for (backend, found, declared, expected) in [
            (
                Postgres,
                "character varying(36)",
                "varchar(36) COLLATE \"C\"",
                true,
            ),
            (
                Postgres,
                "character varying(32)",
                "varchar(36) COLLATE \"C\"",
                false,
            ),
            (Postgres, "text", "varchar(36) COLLATE \"C\"", false),
            (Postgres, "numeric(28,0)", "numeric(28,0)", true),
            (Postgres, "numeric", "numeric(28,0)", false),
            (MySql, "bigint(20)", "BIGINT", true),
            (MySql, "bigint(20) unsigned", "BIGINT", false),
            (MySql, "decimal(28,0) unsigned", "DECIMAL(28,0)", false),
            (
                MySql,
                "char(36)",
                "CHAR(36) CHARACTER SET ascii COLLATE ascii_bin",
                true,
            ),
            (MySql, "binary(16)", "BINARY(16)", true),
            (MySql, "varbinary(16)", "BINARY(16)", false),
            (MySql, "enum('a','b')", "BINARY(16)", false),
            (MariaDb, "uuid", "UUID", true),
            (MariaDb, "uuid", "BINARY(16)", false),
            (Sqlite, "CHAR(36)", "TEXT COLLATE BINARY", true),
            (Sqlite, "", "BLOB", true),
            (Sqlite, "UUID", "BLOB", false),
            (Sqlite, "BIGINT", "INTEGER", true),
            (Sqlite, "STRING", "TEXT COLLATE BINARY", false),
            (SqlServer, "numeric(28,0)", "decimal(28,0)", true),
            (SqlServer, "decimal(38,0)", "decimal(28,0)", false),
            (SqlServer, "uniqueidentifier", "uniqueidentifier", true),
            (SqlServer, "binary(16)", "uniqueidentifier", false),
            (
                SqlServer,
                "nchar(36)",
                "char(36) COLLATE Latin1_General_100_BIN2",
                false,
            ),
        ] {
            assert_eq!(
                is_same_type(backend, found, declared),
                expected,
                "{backend}: {found}, {declared}"
            );
        }
    }
}
