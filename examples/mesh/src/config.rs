//! The configuration: regions, and which of them is asked for which countries and service entities.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use rowkey::routing::{IuidRoutes, IuidTable, RoutesError};
use serde::Deserialize;

use crate::{MESH, Store};

/// What `mesh.toml` contains.
// No `Debug`: the address of a database may contain a password.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    pub(crate) limit_ms: u64,
    pub(crate) regions: BTreeMap<String, Region>,
    mesh: IuidRoutes,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Region {
    pub(crate) address: String,
    database: String,
}

impl Config {
    /// Reads the file.
    pub fn read(file: &Path) -> Result<Self> {
        Ok(toml::from_str(&fs::read_to_string(file)?)?)
    }

    /// Which region is asked first.
    pub(crate) fn table(&self) -> Result<IuidTable<String>, RoutesError> {
        let nodes = self.regions.keys().map(|name| (name, name.clone()));
        IuidTable::new(&MESH, &self.mesh, nodes)
    }

    pub(crate) async fn store(&self, name: &str) -> Result<Store> {
        let store = Store::open(name, &in_region(&self.regions, name)?.database).await;
        store.with_context(|| format!("the database of the region `{name}`"))
    }

    /// Opens the databases of all regions.
    pub async fn stores(&self) -> Result<BTreeMap<String, Store>> {
        let mut stores = BTreeMap::new();
        for name in self.regions.keys() {
            stores.insert(name.clone(), self.store(name).await?);
        }
        Ok(stores)
    }
}

pub(crate) fn in_region<'a, T>(regions: &'a BTreeMap<String, T>, name: &str) -> Result<&'a T> {
    let region = regions.get(name);
    region.with_context(|| format!("no region is called `{name}`"))
}
