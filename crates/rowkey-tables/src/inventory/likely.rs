//! Columns that look like references, by their names and types.

use super::model::{Holds, KeyCandidate, Origin, Reference, keys_of};
use super::names::{means, stem, words};
use crate::catalog::{Catalog, Column, QualifiedName, Table};

/// The references of a table that no constraint declares, as far as names and types tell.
pub(super) fn references(catalog: &Catalog, table: &Table) -> Vec<Reference> {
    if table.is_of_tools() {
        return Vec::new();
    }
    let columns = table.columns.iter();
    columns
        .filter(|column| !is_declared(table, column) && type_column(table, column).is_none())
        // Nobody counts the keys of another table.
        .filter(|column| !table.counts(column))
        .filter_map(|column| reference(catalog, table, column))
        .collect()
}

fn is_declared(table: &Table, column: &Column) -> bool {
    let mut keys = table.foreign_keys.iter();
    keys.any(|key| key.columns.contains(&column.name))
}

/// The column that names the kind of row a polymorphic reference refers to: of `about_id`,
/// `about_type`.
pub(super) fn type_column<'t>(table: &'t Table, column: &Column) -> Option<&'t Column> {
    let mut stem = stem(&column.name)?;
    stem.push("type".into());
    let mut columns = table.columns.iter();
    columns.find(|other| words(&other.name) == stem && Holds::of(other) == Some(Holds::Text))
}

fn reference(catalog: &Catalog, table: &Table, column: &Column) -> Option<Reference> {
    let stem = stem(&column.name)?;
    let holds = Holds::of(column)?;
    let target = |target: &Table, key: KeyCandidate, why: String| Reference {
        columns: vec![column.name.clone()],
        target: target.name.clone(),
        target_columns: vec![key.column],
        origin: Origin::Likely {
            reason: format!("{why}, and the types agree"),
            evidence: None,
        },
    };
    let known = || catalog.tables.iter().filter(|other| !other.is_of_tools());
    // The name of a table does not say that its column refers to another of its rows.
    let others = || known().filter(|other| other.name != table.name);
    for other in others().filter(|other| means(&words(&other.name.name), &stem)) {
        if let Some(key) = key_of(other, holds) {
            let why = format!("its name is that of the table {}", other.name);
            return Some(target(other, key, why));
        }
    }
    for other in others() {
        let same_name = |key: &KeyCandidate| key.column.eq_ignore_ascii_case(&column.name);
        let mut keys = keys_of(other).into_iter();
        let key = keys.find(|key| same_name(key) && key.holds == holds && key.is_primary);
        if let Some(key) = key {
            let why = format!("it has the name of the key of {}", other.name);
            return Some(target(other, key, why));
        }
    }
    // A key of the table refers to nothing by its own name.
    let own = key_of(table, holds).filter(|key| key.column != column.name);
    if let Some(key) = own.clone().filter(|_| is_parent(&stem)) {
        let why = "its name says that it refers to another row of the table".to_owned();
        return Some(target(table, key, why));
    }
    // A prefix of tables, as of an application, or a role: `billing_address_id`.
    for other in known() {
        let name = words(&other.name.name);
        let is_own = other.name == table.name;
        let is_prefixed =
            !is_own && name.len() > stem.len() && means(&name[name.len() - stem.len()..], &stem);
        let has_role = stem.len() > name.len() && means(&name, &stem[stem.len() - name.len()..]);
        if !is_prefixed && !has_role {
            continue;
        }
        let key = match is_own {
            true => own.clone(),
            false => key_of(other, holds),
        };
        if let Some(key) = key {
            let why = match is_prefixed {
                true => format!(
                    "its name is the end of the name of the table {}",
                    other.name
                ),
                false => format!("its name ends with that of the table {}", other.name),
            };
            return Some(target(other, key, why));
        }
    }
    None
}

fn is_parent(stem: &[String]) -> bool {
    let last = stem.last().map(String::as_str);
    matches!(
        last,
        Some("parent" | "ancestor" | "root" | "previous" | "next")
    )
}

/// The key of a table that holds the same kind of values.
pub(super) fn key_of(table: &Table, holds: Holds) -> Option<KeyCandidate> {
    let mut keys = keys_of(table).into_iter();
    keys.find(|key| key.holds == holds)
}

/// The table that a value of a type column names: `Offer`, `offers`, `App\Models\Offer` or
/// `shop.Offer`.
pub(super) fn table_of_type<'c>(catalog: &'c Catalog, value: &str) -> Option<&'c QualifiedName> {
    let name = value.rsplit(['\\', '.', ':', '/']).next()?;
    let stem = words(name);
    let mut tables = catalog.tables.iter();
    let found = tables.find(|table| !table.is_of_tools() && means(&words(&table.name.name), &stem));
    found.map(|table| &table.name)
}
