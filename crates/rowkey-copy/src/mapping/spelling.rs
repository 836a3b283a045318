//! Names that both sides write in letters of another case.

use std::collections::BTreeMap;

use rowkey_core::Backend;
use rowkey_tables::catalog::{Catalog, QualifiedName, Table};
use rowkey_tables::{Connection, Error};

use super::names::folded;
use crate::plans::plan::{CopyPlan, TablePlan};

/// How tables should write the names of their columns.
pub(crate) type Spelling = BTreeMap<QualifiedName, Vec<String>>;

impl CopyPlan {
    /// The catalogue of the target, which writes columns as the plan does.
    pub(crate) async fn target_catalog(&self, target: &mut Connection) -> Result<Catalog, Error> {
        let mut catalog = Catalog::read(target).await?;
        self.respell_target(&mut catalog);
        Ok(catalog)
    }

    /// Lets the catalogue of the target write columns as the plan does.
    pub(crate) fn respell_target(&self, catalog: &mut Catalog) {
        self.respell(catalog, |table| &table.becomes);
    }

    /// Lets the catalogue of the source write columns as the plan does. Its tables have other hashes
    /// then.
    pub(crate) fn respell_source(&self, catalog: &mut Catalog) {
        self.respell(catalog, |table| &table.name);
    }

    fn respell(&self, catalog: &mut Catalog, name: fn(&TablePlan) -> &QualifiedName) {
        let tables = self.tables.iter().map(|table| {
            let columns = table.columns.iter().map(|column| column.name.clone());
            (name(table).clone(), columns.collect())
        });
        respell(catalog.backend, &mut catalog.tables, &tables.collect());
    }
}

/// How tables write them.
pub(crate) fn spelling(tables: &[Table]) -> Spelling {
    let tables = tables.iter().map(|table| {
        let columns = table.columns.iter().map(|column| column.name.clone());
        (table.name.clone(), columns.collect())
    });
    tables.collect()
}

/// Lets tables write the names of columns as wanted, where the database takes both for the same.
pub(crate) fn respell(backend: Backend, tables: &mut [Table], wanted: &Spelling) {
    for (name, wanted) in wanted {
        let Some(table) = tables.iter().find(|table| table.name == *name) else {
            continue;
        };
        let names = table.columns.iter().map(|column| &column.name);
        let others = names.filter(|name| !wanted.contains(name));
        let others = others.filter_map(|name| {
            let own = folded(backend, name);
            let same = wanted.iter().find(|one| folded(backend, one) == own)?;
            Some((name.clone(), same.clone()))
        });
        let others: BTreeMap<String, String> = others.collect();
        if others.is_empty() {
            continue;
        }
        let rename = |name: &mut String| {
            if let Some(new) = others.get(name) {
                name.clone_from(new);
            }
        };
        for table in tables.iter_mut() {
            for key in &mut table.foreign_keys {
                if key.target == *name {
                    key.target_columns.iter_mut().for_each(rename);
                }
                if table.name == *name {
                    key.columns.iter_mut().for_each(rename);
                }
            }
            if table.name != *name {
                continue;
            }
            let columns = table.columns.iter_mut().map(|column| &mut column.name);
            let keys = table.keys.iter_mut().flat_map(|key| &mut key.columns);
            let dependents = table.dependents.iter_mut();
            let dependents = dependents.flat_map(|one| &mut one.columns);
            columns.chain(keys).chain(dependents).for_each(rename);
            for index in &mut table.indexes {
                let terms = index.terms.iter_mut().map(|term| &mut term.column);
                index.columns.iter_mut().chain(terms).for_each(rename);
            }
        }
    }
}

/// The one that has a name, or the only one that has it in letters of another case.
pub(crate) fn in_any_case<T>(
    all: impl Iterator<Item = T> + Clone,
    name_of: impl Fn(&T) -> &str,
    name: &str,
) -> Option<T> {
    if let Some(same) = all.clone().find(|one| name_of(one) == name) {
        return Some(same);
    }
    let lower = name.to_lowercase();
    let mut alike = all.filter(|one| name_of(one).to_lowercase() == lower);
    let first = alike.next();
    first.filter(|_| alike.next().is_none())
}
