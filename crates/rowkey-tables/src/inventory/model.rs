//! Keys, what they can hold, and what refers to them.

use serde::Serialize;

use crate::catalog::{Column, Key, QualifiedName, ReferentialAction, Table};
use crate::types::first_word;

/// A column that is a key, alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct KeyCandidate {
    /// The column's name.
    pub column: String,
    /// The column's type, as the database writes it.
    pub sql_type: String,
    /// Whether it is the primary key; otherwise it is only unique.
    pub is_primary: bool,
    /// What its values can be.
    pub holds: Holds,
}

/// What the values of a column can be, by its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Holds {
    /// A type of the database for UUIDs.
    Uuid,
    /// Bytes.
    Bytes,
    /// Text.
    Text,
    /// Whole numbers.
    Number,
}

/// Columns with values of another row's key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Reference {
    /// The columns that refer.
    pub columns: Vec<String>,
    /// The table that they refer to. A polymorphic reference has one entry for each that occurs.
    pub target: QualifiedName,
    /// The columns that they refer to, in the same order.
    pub target_columns: Vec<String>,
    /// Who says so.
    #[serde(flatten)]
    pub origin: Origin,
}

/// Who says that there is a reference.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "origin", rename_all = "kebab-case")]
pub enum Origin {
    /// A foreign key.
    Declared {
        /// The name of the constraint; empty if it has none.
        constraint: String,
        /// What happens when the row is deleted.
        on_delete: ReferentialAction,
        /// What happens when its key changes.
        on_update: ReferentialAction,
    },
    /// Names and types, or values, without a constraint.
    Likely {
        /// Why it is likely, as a sentence.
        reason: String,
        /// What a look at some rows has shown, unless there are none, or they may not be read.
        evidence: Option<Evidence>,
    },
}

/// How many values of a reference exist in its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Evidence {
    /// How many values were looked for.
    pub sampled: u64,
    /// How many of them exist.
    pub found: u64,
}

impl Holds {
    /// What the values of a column can be; nothing if they cannot be ids, such as times.
    pub fn of(column: &Column) -> Option<Self> {
        Some(match first_word(&column.sql_type).as_str() {
            "uuid" | "uuid_blob" | "uniqueidentifier" | "guid" => Self::Uuid,
            // SQLite's columns without a type have no word.
            "binary" | "varbinary" | "bytea" | "blob" | "tinyblob" | "" => Self::Bytes,
            "char" | "character" | "varchar" | "nchar" | "nvarchar" | "text" | "citext"
            | "clob" => Self::Text,
            "tinyint" | "smallint" | "mediumint" | "int" | "integer" | "bigint" | "int2"
            | "int4" | "int8" | "decimal" | "decimal_text" | "numeric" | "number" | "unsigned"
            | "serial" | "bigserial" => Self::Number,
            _ => return None,
        })
    }
}

/// The columns of the keys of a table, and whether it is the primary key, which comes first.
pub(super) fn key_columns(table: &Table) -> Vec<(&Vec<String>, bool)> {
    let mut keys: Vec<&Key> = table.keys.iter().collect();
    keys.sort_by_key(|key| !key.is_primary);
    let constraints = keys.into_iter().map(|key| (&key.columns, key.is_primary));
    let indexes = table.indexes.iter();
    let indexes = indexes
        .filter(|index| index.is_unique && index.is_plain)
        .map(|index| (&index.columns, false));
    constraints.chain(indexes).collect()
}

/// The columns of a table that are keys of their own, and can hold ids.
pub(super) fn keys_of(table: &Table) -> Vec<KeyCandidate> {
    let mut candidates: Vec<KeyCandidate> = Vec::new();
    for (columns, is_primary) in key_columns(table) {
        let [name] = columns.as_slice() else { continue };
        let Some(column) = table.column(name) else {
            continue;
        };
        let is_known = candidates.iter().any(|known| known.column == *name);
        if let (Some(holds), false) = (Holds::of(column), is_known) {
            candidates.push(KeyCandidate {
                column: name.clone(),
                sql_type: column.sql_type.clone(),
                is_primary,
                holds,
            });
        }
    }
    candidates
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_tell_what_a_column_holds() {
        for (sql_type, holds) in [
            ("uuid", Some(Holds::Uuid)),
            ("UNIQUEIDENTIFIER", Some(Holds::Uuid)),
            ("binary(16)", Some(Holds::Bytes)),
            ("", Some(Holds::Bytes)),
            ("character varying(36)", Some(Holds::Text)),
            ("CHAR(36)", Some(Holds::Text)),
            ("INTEGER", Some(Holds::Number)),
            ("bigint unsigned", Some(Holds::Number)),
            ("decimal(28,0)", Some(Holds::Number)),
            ("timestamp with time zone", None),
            ("double precision", None),
            ("boolean", None),
            ("interval", None),
            ("bigint[]", None),
        ] {
            assert_eq!(Holds::of(&Column::of_type(sql_type)), holds, "{sql_type}");
        }
    }
}
