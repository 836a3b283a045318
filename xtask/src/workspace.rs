//! What `cargo metadata` says about the workspace.

use anyhow::{Context, Result};
use cargo_metadata::{CargoOpt, Metadata, MetadataCommand, Package};

use crate::command;

/// The workspace and its dependencies with every feature turned on.
pub(crate) fn metadata() -> Result<Metadata> {
    let mut command = MetadataCommand::new();
    command.current_dir(command::root());
    let metadata = command.features(CargoOpt::AllFeatures).exec();
    metadata.context("`cargo metadata` failed")
}

/// The package of the workspace with this name.
pub(crate) fn member<'a>(metadata: &'a Metadata, name: &str) -> Option<&'a Package> {
    let mut members = metadata.workspace_packages().into_iter();
    members.find(|package| package.name == name)
}

/// Whether a package may be published.
pub(crate) fn is_published(package: &Package) -> bool {
    package.publish.as_ref().is_none_or(|to| !to.is_empty())
}
