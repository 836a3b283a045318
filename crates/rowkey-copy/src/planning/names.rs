//! What tables are called in the target.

use std::collections::BTreeMap;

use rowkey_tables::catalog::{QualifiedName, Table};

use crate::mapping::spelling::in_any_case;

/// What tables become: the target may write their names in letters of another case. Its own tables
/// get the names that the source has for them.
pub(super) fn take_names(
    tables: &[&Table],
    there: &mut Vec<Table>,
) -> BTreeMap<QualifiedName, QualifiedName> {
    let wanted = tables.iter().map(|table| new_name(table, tables));
    let wanted: Vec<String> = wanted.collect();
    let own = there.iter().map(|found| &found.name);
    let own = own.filter(|name| name.schema.is_none());
    let becomes = tables.iter().zip(&wanted).map(|(table, name)| {
        let found = in_any_case(own.clone(), |found| &found.name, name);
        let is_like = |other: &&String| other.to_lowercase() == name.to_lowercase();
        let is_its_own =
            |found: &String| found == name || wanted.iter().filter(is_like).count() == 1;
        let found = found.map(|found| found.name.clone());
        let found = found.filter(is_its_own);
        let name = QualifiedName {
            schema: None,
            name: found.unwrap_or_else(|| name.clone()),
        };
        (table.name.clone(), name)
    });
    let becomes: BTreeMap<_, _> = becomes.collect();
    let sources: BTreeMap<_, _> = becomes.iter().map(|(from, to)| (to, from)).collect();
    there.retain(|found| sources.contains_key(&found.name));
    for found in there {
        let targets = found.foreign_keys.iter_mut().map(|key| &mut key.target);
        for name in targets.chain([&mut found.name]) {
            if let Some(source) = sources.get(name) {
                name.clone_from(source);
            }
        }
    }
    becomes
}

/// The name of a table in the target's own schema, where it has to differ from those of other
/// schemas.
fn new_name(table: &Table, tables: &[&Table]) -> String {
    let name = &table.name.name;
    let is_shared = |other: &&Table| other.name.name == *name && other.name != table.name;
    match &table.name.schema {
        Some(schema) if tables.iter().any(is_shared) => format!("{schema}_{name}"),
        _ => name.clone(),
    }
}
