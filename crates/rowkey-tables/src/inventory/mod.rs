//! What a database contains, for those who plan a change of its keys.

mod likely;
mod model;
mod names;
pub mod other_schemas;
mod probe;
mod values;

use serde::Serialize;

pub use self::likely::KeyNames;
pub use self::model::{Evidence, Holds, KeyCandidate, Origin, Reference};
use self::model::{key_columns, keys_of};
pub use self::probe::others_of_type;
pub use self::values::by_values;
use crate::catalog::{Catalog, DependentKind, QualifiedName, Table};
use crate::connection::Connection;
use crate::error::Error;

/// The tables of a database: their keys, what refers to them, and what depends on them.
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
    /// The table's name.
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

/// Columns that are a key together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CompositeKey {
    /// The columns' names, in the order of the key.
    pub columns: Vec<String>,
    /// Whether it is the primary key; otherwise it is only unique.
    pub is_primary: bool,
}

/// Something that uses a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct InventoryDependent {
    /// The kind of object.
    pub kind: DependentKind,
    /// The object's name.
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
    /// [`Error::Database`] if a query on the catalogue fails. A table that may not be read isn't an
    /// error.
    pub async fn read(connection: &mut Connection) -> Result<Self, Error> {
        let catalog = Catalog::read(connection).await?;
        let mut inventory = Self::of(&catalog);
        let names = KeyNames::of(&catalog);
        for table in &catalog.tables {
            let unseen = &mut inventory.unseen;
            let found = likely(connection, &names, table, |_| true, unseen).await;
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
pub async fn likely(
    connection: &mut Connection,
    names: &KeyNames<'_>,
    table: &Table,
    is_wanted: impl Fn(&Reference) -> bool,
    unseen: &mut Vec<String>,
) -> Vec<Reference> {
    let mut found = probe::polymorphic(connection, names.catalog, table, unseen).await;
    found.retain(&is_wanted);
    for mut reference in names.references(table) {
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
                on_delete: key.on_delete,
                on_update: key.on_update,
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

fn composite_keys_of(table: &Table) -> Vec<CompositeKey> {
    let keys = key_columns(table).into_iter();
    keys.filter(|(columns, _)| columns.len() > 1)
        .map(|(columns, is_primary)| CompositeKey {
            columns: columns.clone(),
            is_primary,
        })
        .collect()
}
