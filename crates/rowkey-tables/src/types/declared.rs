//! Whether a column has the type that a key's plan declares, whatever words the server has for it.

use super::column_type::ColumnType;
use super::model::{Affinity, Words};
use crate::dialect::Dialect;

impl ColumnType {
    /// Whether it is the same type in the words of a database. Collations do not count.
    pub fn is_same(&self, declared: &Self) -> bool {
        match self.backend.stores_any_type() {
            true => self.backend == declared.backend && self.affinity() == declared.affinity(),
            false => self.spelling() == declared.spelling(),
        }
    }

    /// The name and the numbers, in one of the spellings that a server takes or shows.
    fn spelling(&self) -> (String, &[u32]) {
        let Some(Words { name, numbers }) = &self.words else {
            return (self.as_str().to_ascii_lowercase(), &[]);
        };
        match name.as_str() {
            "varchar" => ("character varying".to_owned(), numbers),
            "numeric" => ("decimal".to_owned(), numbers),
            // The width of a number is how some versions show it.
            _ if self.name() == "bigint" => (name.clone(), &[]),
            _ => (name.clone(), numbers),
        }
    }

    /// Whether a column has the same kind of values as one of a storage's type, in PostgreSQL and
    /// SQL Server.
    pub fn has_values_of(&self, declared: &Self) -> bool {
        let kinds: [&[&str]; 4] = [
            &["binary", "varbinary"],
            &["decimal", "numeric"],
            &["bigint", "integer", "int", "smallint"],
            &["char", "varchar", "nchar", "nvarchar", "character", "text"],
        ];
        let has = |kind: &&[&str], one: &Self| kind.contains(&one.name());
        self.name() == declared.name()
            || kinds
                .iter()
                .any(|kind| has(kind, self) && has(kind, declared))
    }

    /// The form in which SQLite stores values, by its rules for the names of types.
    pub fn affinity(&self) -> Affinity {
        Affinity::of(self.bare())
    }
}

#[cfg(test)]
mod tests {
    use rowkey_core::Backend;

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
                ColumnType::parse(backend, found).is_same(&ColumnType::parse(backend, declared)),
                expected,
                "{backend}: {found}, {declared}"
            );
        }
    }
}
