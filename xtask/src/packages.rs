//! The packages as they would be published.

use anyhow::{Result, ensure};

use crate::{command, workspace};

/// What the pages of a package need, by the paths in its manifest.
const FIELDS: [&str; 7] = [
    "/description",
    "/documentation",
    "/readme",
    "/license",
    "/keywords",
    "/categories",
    "/metadata/docs/rs",
];

const FILES: [&str; 3] = ["README.md", "LICENSE-APACHE", "LICENSE-MIT"];

/// Makes every package and checks what is in it.
pub(crate) fn run() -> Result<()> {
    let metadata = workspace::metadata()?;
    let packages = metadata.workspace_packages().into_iter();
    for package in packages.filter(|package| workspace::is_published(package)) {
        let name = package.name.as_str();
        let package = serde_json::to_value(package)?;
        for field in FIELDS {
            let value = package.pointer(field).unwrap_or_default();
            let is_missing = value.as_array().map_or(value.is_null(), Vec::is_empty);
            ensure!(!is_missing, "the manifest of {name} has no `{field}`");
        }
        let args = ["package", "--list", "--quiet", "--allow-dirty", "-p", name];
        let list = command::output(&mut command::cargo(&args))?;
        for file in FILES {
            let is_included = list.lines().any(|line| line == file);
            ensure!(is_included, "the package {name} does not include {file}");
        }
    }
    // Nothing is compiled: Cargo unpacks packages that depend on each other among those of the
    // registry, and does not notice on the next run that they have changed.
    let mut publish = command::cargo(&["publish", "--workspace", "--dry-run"]);
    command::run(publish.args(["--no-verify", "--quiet", "--allow-dirty"]))
}
