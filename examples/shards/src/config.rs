//! The configuration: databases, and which shards are in which.

use std::collections::BTreeMap;

use rowkey::routing::{ShardRoutes, ShardTable};
use serde::Deserialize;

use crate::{Database, Error, SHARDS};

/// What `shards.toml` contains.
// No `Debug`: a URL may contain a password.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The URLs of the databases, by their names.
    pub nodes: BTreeMap<String, String>,
    /// Which of them has which shards.
    pub shards: ShardRoutes,
}

impl Config {
    /// Opens all databases.
    ///
    /// # Errors
    ///
    /// [`Error::Url`] or [`Error::Database`].
    pub async fn open(&self) -> Result<BTreeMap<String, Database>, Error> {
        let mut databases = BTreeMap::new();
        for (name, url) in &self.nodes {
            databases.insert(name.clone(), Database::open(url).await?);
        }
        Ok(databases)
    }

    /// The table of the shards, as the configuration is now.
    ///
    /// # Errors
    ///
    /// [`Error::Routes`].
    pub fn table(
        &self,
        databases: &BTreeMap<String, Database>,
    ) -> Result<ShardTable<Database>, Error> {
        Ok(ShardTable::new(SHARDS, &self.shards, databases.clone())?)
    }
}
