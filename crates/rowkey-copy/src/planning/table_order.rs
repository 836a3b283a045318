//! The order of tables in a plan: behind those that they refer to.

use std::collections::BTreeSet;

use rowkey_tables::catalog::{QualifiedName, Table};

/// What a table refers to, on one side or the other.
fn referred<'t>(table: &'t Table, there: &'t [Table]) -> impl Iterator<Item = &'t QualifiedName> {
    let existing = there.iter().find(|found| found.name == table.name);
    let tables = std::iter::once(table).chain(existing);
    let keys = tables.flat_map(|table| &table.foreign_keys);
    keys.map(|key| &key.target)
        .filter(|target| **target != table.name)
}

/// Puts tables behind those that they refer to, as far as there is no circle.
pub(super) fn order(tables: &mut Vec<&Table>, there: &[Table]) {
    let mut waiting: BTreeSet<&QualifiedName> = tables.iter().map(|table| &table.name).collect();
    let mut ordered = Vec::with_capacity(tables.len());
    while !tables.is_empty() {
        let is_free =
            |table: &&Table| referred(table, there).all(|target| !waiting.contains(target));
        let free = tables.iter().position(is_free);
        let next = tables.remove(free.unwrap_or_else(|| first_of_circle(tables, there)));
        waiting.remove(&next.name);
        ordered.push(next);
    }
    *tables = ordered;
}

/// The place of a table in a circle of references behind which there is nothing else, if possible
/// one that may refer to none.
fn first_of_circle(tables: &[&Table], there: &[Table]) -> usize {
    let waits_for = |table: &Table| {
        let others = referred(table, there);
        let places = others.filter_map(|name| tables.iter().position(|one| one.name == *name));
        places.collect::<Vec<usize>>()
    };
    let behind = |place: usize| {
        let (mut found, mut open) = (BTreeSet::from([place]), vec![place]);
        while let Some(place) = open.pop() {
            open.extend(
                waits_for(tables[place])
                    .into_iter()
                    .filter(|place| found.insert(*place)),
            );
        }
        found.len()
    };
    let is_required = |table: &Table| {
        let keys = table.foreign_keys.iter();
        let mut columns = keys.flat_map(|key| &key.columns);
        !columns.all(|name| table.column(name).is_some_and(|column| column.is_nullable))
    };
    let places = 0..tables.len();
    let first = places.min_by_key(|place| (behind(*place), is_required(tables[*place])));
    first.unwrap_or_default()
}
