//! One program for orders and rides in several regions, each with its own database. An id says which
//! country and which service it belongs to, so each instance answers for all of them.

pub mod instance;
pub mod moving;
mod store;

use std::collections::BTreeMap;
use std::path::Path;
use std::{env, fs};

use anyhow::{Context, Result};
use rowkey::routing::{IuidRegistries, IuidRoutes, IuidTable, Registry, RoutesError};
use rowkey::{Iuid, entity_key};
use serde::Deserialize;

pub use crate::store::{Place, Store};

// ANCHOR: registries
/// The same in all programs, for ever: ids that exist keep their numbers.
pub static MESH: IuidRegistries = IuidRegistries {
    countries: Registry::new(&[(1, "Kazakhstan"), (2, "Brazil"), (3, "Peru")]),
    service_entities: Registry::new(&[(10, "ShopOrder"), (20, "TaxiRide")]),
};

/// An id of any entity of the mesh. Only at run time, the id itself says of which.
#[entity_key]
pub struct MeshId(Iuid);
// ANCHOR_END: registries

/// A country and a service entity, by their numbers: what is in one region, and moves to another.
pub type Pair = (u8, u8);

pub(crate) fn pair_of(id: MeshId) -> Pair {
    let id = Iuid::from(id);
    (id.country(), id.service_entity())
}

/// The service and the table of a registered service entity.
pub(crate) fn service_and_table(pair: Pair) -> Option<(&'static str, &'static str)> {
    match MESH.service_entities.name(pair.1)? {
        "ShopOrder" => Some(("shop", "orders")),
        "TaxiRide" => Some(("taxi", "rides")),
        _ => None,
    }
}

/// Every service entity of every country.
pub fn pairs() -> impl Iterator<Item = Pair> {
    let entities = || MESH.service_entities.iter().map(|(number, _)| number);
    let countries = MESH.countries.iter().map(|(number, _)| number);
    countries.flat_map(move |country| entities().map(move |entity| (country, entity)))
}

/// A pair in words.
pub fn describe((country, entity): Pair) -> String {
    let (country, entity) = (
        MESH.countries.name(country),
        MESH.service_entities.name(entity),
    );
    format!("{} of {}", entity.unwrap_or("?"), country.unwrap_or("?"))
}

// ANCHOR: config
/// What `mesh.toml` contains.
// No `Debug`: the address of a database may contain a password.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    limit_ms: u64,
    regions: BTreeMap<String, Region>,
    mesh: IuidRoutes,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Region {
    address: String,
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
    fn table(&self) -> Result<IuidTable<String>, RoutesError> {
        let nodes = self.regions.keys().map(|name| (name, name.clone()));
        IuidTable::new(&MESH, &self.mesh, nodes)
    }
    // ANCHOR_END: config

    fn region(&self, name: &str) -> Result<&Region> {
        self.regions
            .get(name)
            .with_context(|| format!("no region is called `{name}`"))
    }

    async fn store(&self, region: &str) -> Result<Store> {
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
