//! What `cargo metadata` says about the workspace.

use std::{collections::BTreeMap, path::PathBuf};

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::command;

/// The part of the answer of `cargo metadata` that tasks use.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Metadata {
    /// Every package, of the workspace and of its dependencies.
    pub(crate) packages: Vec<Package>,
    workspace_members: Vec<String>,
    /// The folder that the workspace is built in.
    pub(crate) target_directory: PathBuf,
}

/// One package of the workspace or of its dependencies.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Package {
    id: String,
    /// The name in its manifest.
    pub(crate) name: String,
    /// The version in its manifest.
    pub(crate) version: String,
    /// The declared minimum Rust version.
    pub(crate) rust_version: Option<String>,
    /// The registries it may be published to; an empty list means none.
    publish: Option<Vec<String>>,
    /// The dependencies in its manifest.
    pub(crate) dependencies: Vec<Dependency>,
    /// Its features, and what each turns on.
    pub(crate) features: BTreeMap<String, Vec<String>>,
}

/// One dependency in the manifest of a package.
#[derive(Debug, Deserialize)]
pub(crate) struct Dependency {
    /// The name of the package.
    pub(crate) name: String,
    /// Whether a feature has to turn it on.
    pub(crate) optional: bool,
}

impl Metadata {
    /// Reads the metadata of the workspace with every feature turned on.
    pub(crate) fn load() -> Result<Self> {
        let args = ["metadata", "--format-version=1", "--all-features"];
        Self::parse(&command::output(&mut command::cargo(&args))?)
    }

    /// Reads the answer of `cargo metadata`.
    pub(crate) fn parse(json: &str) -> Result<Self> {
        serde_json::from_str(json).context("could not read the answer of `cargo metadata`")
    }

    /// The packages of the workspace, in the order of the workspace manifest.
    pub(crate) fn members(&self) -> impl Iterator<Item = &Package> {
        self.workspace_members
            .iter()
            .filter_map(|id| self.packages.iter().find(|package| &package.id == id))
    }

    /// The package of the workspace with this name.
    pub(crate) fn member(&self, name: &str) -> Option<&Package> {
        self.members().find(|package| package.name == name)
    }
}

impl Package {
    /// Whether the package may be published.
    pub(crate) fn is_published(&self) -> bool {
        self.publish.as_ref().is_none_or(|to| !to.is_empty())
    }
}
