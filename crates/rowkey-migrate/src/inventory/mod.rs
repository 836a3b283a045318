//! What a database contains, for those who plan a change of its keys.

mod likely;
mod names;
pub(crate) mod other_schemas;
mod probe;

use serde::Serialize;

pub(crate) use self::probe::others_of_type;
use crate::catalog::{Catalog, Column, DependentKind, Key, QualifiedName, Table};
use crate::connection::Connection;
use crate::error::Error;

/// The tables of a database: their keys, what refers to them, and what hangs on them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Inventory {
    /// The database's product, such as `postgres`.
    pub backend: &'static str,
    /// The tables, by name.
    pub tables: Vec<InventoryTable>,
    /// Other schemas (in MySQL and MariaDB: databases) with tables, of which only those are shown
    /// that a reference connects with these. An address that chooses one shows its tables.
    pub other_schemas: Vec<String>,
    /// What the account was not allowed to see or read, as sentences.
    pub unseen: Vec<String>,
}

/// A table of an inventory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct InventoryTable {
    /// Its name.
    pub table: QualifiedName,
    /// How many rows it has, by the database's statistics.
    pub rows: Option<u64>,
    /// The columns that are keys of their own, and can hold ids. The primary key comes first.
    pub keys: Vec<KeyCandidate>,
    /// The keys of several columns, the primary key first.
    pub composite_keys: Vec<CompositeKey>,
    /// What refers to another table, or to this one.
    pub references: Vec<Reference>,
    /// What else uses the table.
    pub dependents: Vec<InventoryDependent>,
}

/// A column that is a key, alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct KeyCandidate {
    /// Its name.
    pub column: String,
    /// Its type, as the database writes it.
    pub sql_type: String,
    /// Whether it is the primary key; otherwise it is only unique.
    pub is_primary: bool,
    /// What its values can be.
    pub holds: Holds,
}

/// Columns that are a key together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CompositeKey {
    /// Their names, in the order of the key.
    pub columns: Vec<String>,
    /// Whether it is the primary key; otherwise it is only unique.
    pub is_primary: bool,
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
        on_delete: String,
        /// What happens when its key changes.
        on_update: String,
    },
    /// Names and types, without a constraint.
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

/// Something that uses a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct InventoryDependent {
    /// What it is.
    pub kind: DependentKind,
    /// Its name.
    pub name: String,
    /// The columns of the table that it uses, if the database knows.
    pub columns: Vec<String>,
}

impl Inventory {
    /// Reads the catalogue, and looks at some values of columns that look like references. Nothing
    /// is written.
    ///
    /// # Errors
    ///
    /// [`Error::Database`] if a query on the catalogue fails. A table that may not be read is no
    /// error.
    pub async fn read(connection: &mut Connection) -> Result<Self, Error> {
        let catalog = Catalog::read(connection).await?;
        let mut inventory = Self::of(&catalog);
        for table in &catalog.tables {
            let unseen = &mut inventory.unseen;
            let found = likely(connection, &catalog, table, |_| true, unseen).await;
            inventory.add(table, found);
        }
        inventory.other_schemas = other_schemas::names(connection).await?;
        Ok(inventory)
    }

    /// What the catalogue alone says: without likely references.
    pub fn of(catalog: &Catalog) -> Self {
        let tables = catalog.tables.iter().filter(|table| !is_own(table));
        let mut tables: Vec<InventoryTable> = tables.map(InventoryTable::of).collect();
        tables.sort_by(|a, b| a.table.cmp(&b.table));
        Self {
            backend: catalog.backend.name(),
            tables,
            other_schemas: Vec::new(),
            unseen: catalog.unseen.clone(),
        }
    }

    fn add(&mut self, table: &Table, references: Vec<Reference>) {
        let mut tables = self.tables.iter_mut();
        if let Some(known) = tables.find(|known| known.table == table.name) {
            known.references.extend(references);
        }
    }
}

/// The likely references of a table to columns that are looked for.
pub(crate) async fn likely(
    connection: &mut Connection,
    catalog: &Catalog,
    table: &Table,
    is_wanted: impl Fn(&Reference) -> bool,
    unseen: &mut Vec<String>,
) -> Vec<Reference> {
    let mut found = probe::polymorphic(connection, catalog, table, unseen).await;
    found.retain(&is_wanted);
    for mut reference in likely::references(catalog, table) {
        if is_wanted(&reference) && probe::agrees(connection, table, &mut reference, unseen).await {
            found.push(reference);
        }
    }
    found
}

/// Whether a table is one of this crate's own.
fn is_own(table: &Table) -> bool {
    matches!(
        table.name.name.as_str(),
        "rowkey_relayout" | "rowkey_id_map"
    )
}

impl InventoryTable {
    fn of(table: &Table) -> Self {
        let references = table.foreign_keys.iter().map(|key| Reference {
            columns: key.columns.clone(),
            target: key.target.clone(),
            target_columns: key.target_columns.clone(),
            origin: Origin::Declared {
                constraint: key.name.clone(),
                on_delete: key.on_delete.clone(),
                on_update: key.on_update.clone(),
            },
        });
        let dependents = table.dependents.iter().map(|dependent| InventoryDependent {
            kind: dependent.kind,
            name: dependent.name.clone(),
            columns: dependent.columns.clone(),
        });
        Self {
            table: table.name.clone(),
            rows: table.estimated_rows,
            keys: keys_of(table),
            composite_keys: composite_keys_of(table),
            references: references.collect(),
            dependents: dependents.collect(),
        }
    }
}

/// The columns of the keys of a table, and whether it is the primary key, which comes first.
fn key_columns(table: &Table) -> Vec<(&Vec<String>, bool)> {
    let mut keys: Vec<&Key> = table.keys.iter().collect();
    keys.sort_by_key(|key| !key.is_primary);
    let constraints = keys.into_iter().map(|key| (&key.columns, key.is_primary));
    let indexes = table.indexes.iter();
    let indexes = indexes
        .filter(|index| index.is_unique && index.is_plain)
        .map(|index| (&index.columns, false));
    constraints.chain(indexes).collect()
}

fn composite_keys_of(table: &Table) -> Vec<CompositeKey> {
    let keys = key_columns(table).into_iter();
    keys.filter(|(columns, _)| columns.len() > 1)
        .map(|(columns, is_primary)| CompositeKey {
            columns: columns.clone(),
            is_primary,
        })
        .collect()
}

/// The columns of a table that are keys of their own, and can hold ids.
fn keys_of(table: &Table) -> Vec<KeyCandidate> {
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

impl Holds {
    /// What the values of a column can be; nothing if they cannot be ids, such as times.
    pub(crate) fn of(column: &Column) -> Option<Self> {
        let sql_type = column.sql_type.to_ascii_lowercase();
        let begins = |names: &[&str]| names.iter().any(|name| sql_type.starts_with(name));
        if begins(&["uuid", "uniqueidentifier", "guid"]) {
            Some(Self::Uuid)
        } else if begins(&["binary", "varbinary", "bytea", "blob", "tinyblob"]) {
            Some(Self::Bytes)
        } else if begins(&[
            "char", "varchar", "nchar", "nvarchar", "text", "citext", "clob",
        ]) {
            Some(Self::Text)
        } else if begins(&[
            "int",
            "bigint",
            "smallint",
            "mediumint",
            "tinyint",
            "decimal",
            "numeric",
            "number",
            "unsigned",
            "serial",
            "bigserial",
        ]) {
            Some(Self::Number)
        } else if sql_type.is_empty() {
            // SQLite's columns without a type.
            Some(Self::Bytes)
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(sql_type: &str) -> Column {
        Column {
            name: "id".into(),
            sql_type: sql_type.into(),
            is_nullable: false,
            default: None,
            generated: String::new(),
            collation: None,
            comment: None,
        }
    }

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
        ] {
            assert_eq!(Holds::of(&column(sql_type)), holds, "{sql_type}");
        }
    }
}
