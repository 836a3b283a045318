//! What `cargo metadata` says about the workspace.

use std::{
    collections::BTreeMap,
    env,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::command;

/// The package that finds databases for tests and names their tests.
pub(crate) const TESTKIT_PACKAGE: &str = "rowkey-testkit";

/// The package that runs commands with database servers in containers.
pub(crate) const CONTAINERS_PACKAGE: &str = "xtask-containers";

/// The package of the benchmarks.
pub(crate) const BENCH_PACKAGE: &str = "rowkey-bench";

/// The workspace root.
pub(crate) fn root() -> PathBuf {
    // Cargo sets the variable when it runs the task. The path known at compile
    // time is only right until the checkout moves.
    let manifest_dir = env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    manifest_dir
        .parent()
        .map_or_else(|| manifest_dir.clone(), Path::to_path_buf)
}

/// The part of the answer of `cargo metadata` that tasks use.
#[derive(Debug, Deserialize)]
pub(crate) struct Metadata {
    packages: Vec<Package>,
    workspace_members: Vec<String>,
    target_directory: PathBuf,
}

/// One package of the workspace or of its dependencies.
#[derive(Debug, Deserialize)]
pub(crate) struct Package {
    /// Cargo's identifier of the package.
    pub(crate) id: String,
    /// The name in its manifest.
    pub(crate) name: String,
    /// The version in its manifest.
    pub(crate) version: String,
    /// The declared minimum Rust version.
    pub(crate) rust_version: Option<String>,
    /// The registries it may be published to; an empty list means none.
    pub(crate) publish: Option<Vec<String>>,
    /// What it builds.
    pub(crate) targets: Vec<Target>,
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

/// One library, binary, test or benchmark of a package.
#[derive(Debug, Deserialize)]
pub(crate) struct Target {
    /// Such as `lib`, `proc-macro`, `bin`, `test` or `bench`.
    pub(crate) kind: Vec<String>,
    /// The name of the target.
    pub(crate) name: String,
}

impl Metadata {
    /// Reads the metadata of the workspace with every feature turned on.
    pub(crate) fn load() -> Result<Self> {
        let json = command::output(&mut command::cargo(&[
            "metadata",
            "--format-version=1",
            "--all-features",
        ]))?;
        Self::parse(&json)
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

    /// The folder that the workspace is built in.
    pub(crate) fn target_directory(&self) -> &Path {
        &self.target_directory
    }

    /// Every package, of the workspace and of its dependencies.
    pub(crate) fn packages(&self) -> &[Package] {
        &self.packages
    }
}

impl Package {
    /// Whether the package may be published.
    pub(crate) fn is_published(&self) -> bool {
        self.publish
            .as_ref()
            .is_none_or(|registries| !registries.is_empty())
    }

    /// Whether its manifest names this package as a dependency of any kind.
    pub(crate) fn depends_on(&self, name: &str) -> bool {
        self.dependencies
            .iter()
            .any(|dependency| dependency.name == name)
    }

    /// The names of the targets of one kind.
    pub(crate) fn targets_of_kind(&self, kind: &str) -> impl Iterator<Item = &str> {
        self.targets
            .iter()
            .filter(move |target| target.kind.iter().any(|one| one == kind))
            .map(|target| target.name.as_str())
    }
}
