//! The configuration: regions, and which countries and service entities they have at first.

use std::collections::BTreeMap;
use std::path::Path;
use std::{env, fs};

use anyhow::{Context, Result};
use rowkey::routing::{IuidRoutes, IuidTable, RoutesError};
use serde::Deserialize;

use crate::ids::MESH;
use crate::store::Store;

// ANCHOR: config
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
    /// Reads the file, and checks its routes.
    pub fn read(file: &Path) -> Result<Self> {
        let read = || -> Result<Self> {
            let config: Self = toml::from_str(&fs::read_to_string(file)?)?;
            config.table()?;
            Ok(config)
        };
        read().with_context(|| format!("the configuration {} is wrong", file.display()))
    }

    /// Which region has which pair at first.
    pub(crate) fn table(&self) -> Result<IuidTable<String>, RoutesError> {
        let nodes = self.regions.keys().map(|name| (name, name.clone()));
        IuidTable::new(&MESH, &self.mesh, nodes)
    }
    // ANCHOR_END: config

    pub(crate) fn region(&self, name: &str) -> Result<&Region> {
        self.regions
            .get(name)
            .with_context(|| format!("no region is called `{name}`"))
    }

    pub(crate) async fn store(&self, region: &str) -> Result<Store> {
        let mut url = self.region(region)?.database.clone();
        if let Some(name) = url.strip_prefix("env:") {
            url = env::var(name).with_context(|| format!("the variable {name}"))?;
        }
        let opened = Store::open(region, &url).await;
        opened.with_context(|| format!("the database of the region `{region}`"))
    }

    /// Opens the databases of all regions.
    pub async fn stores(&self) -> Result<Vec<Store>> {
        let mut stores = Vec::new();
        for region in self.regions.keys() {
            stores.push(self.store(region).await?);
        }
        Ok(stores)
    }
}
