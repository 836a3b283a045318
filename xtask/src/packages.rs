//! The packages as they would be published.

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::command;

/// What the page of a package shows, by the names in its manifest.
const FIELDS: [&str; 6] = [
    "description",
    "documentation",
    "readme",
    "license",
    "keywords",
    "categories",
];

const FILES: [&str; 3] = ["README.md", "LICENSE-APACHE", "LICENSE-MIT"];

/// Makes every package and checks what is in it.
pub(crate) fn run() -> Result<()> {
    let args = ["metadata", "--format-version=1", "--no-deps"];
    let metadata: Value = serde_json::from_str(&command::output(&mut command::cargo(&args))?)?;
    let packages = metadata["packages"].as_array();
    let published = packages
        .into_iter()
        .flatten()
        .filter(|package| package["publish"].is_null());
    for package in published {
        let name = package["name"].as_str().context("a package has a name")?;
        for field in FIELDS {
            let is_missing = package[field]
                .as_array()
                .map_or(package[field].is_null(), Vec::is_empty);
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
    command::run(&mut command::cargo(&[
        "publish",
        "--workspace",
        "--dry-run",
        "--no-verify",
        "--quiet",
        "--allow-dirty",
    ]))
}
