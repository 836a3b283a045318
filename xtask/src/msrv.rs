//! The check that every crate keeps its promise about the minimum Rust version.
//!
//! Nothing is built with an older toolchain. What is checked is what the
//! manifests say: no package that a crate is built from may declare a higher
//! `rust-version` than the crate itself. Whether the sources themselves use a
//! newer part of the standard library is what clippy's `incompatible_msrv` lint
//! finds, which reads the same `rust-version`.

use std::{
    collections::{HashMap, VecDeque},
    fmt,
};

use anyhow::{Context, Result, bail};

use crate::workspace::{Metadata, Package};

/// A Rust version as manifests write it: two or three numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct RustVersion {
    major: u32,
    minor: u32,
    patch: u32,
}

impl RustVersion {
    fn parse(text: &str) -> Result<Self> {
        let numbers = text
            .split('.')
            .map(str::parse)
            .collect::<Result<Vec<u32>, _>>()
            .with_context(|| format!("`{text}` is no Rust version"))?;
        match numbers[..] {
            [major] => Ok(Self {
                major,
                minor: 0,
                patch: 0,
            }),
            [major, minor] => Ok(Self {
                major,
                minor,
                patch: 0,
            }),
            [major, minor, patch] => Ok(Self {
                major,
                minor,
                patch,
            }),
            _ => bail!("`{text}` is no Rust version"),
        }
    }
}

impl fmt::Display for RustVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)?;
        if self.patch != 0 {
            write!(f, ".{}", self.patch)?;
        }
        Ok(())
    }
}

/// A package in the closure of a workspace crate that declares a minimum.
#[derive(Debug)]
struct Need {
    minimum: RustVersion,
    /// The packages from the workspace crate to the one that declares it.
    path: Vec<String>,
}

impl fmt::Display for Need {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.minimum, self.path.join(" -> "))
    }
}

/// Checks every crate of the workspace and names each one that fails.
pub(crate) fn run() -> Result<()> {
    check(&Metadata::load()?)
}

fn check(metadata: &Metadata) -> Result<()> {
    let mut failed = Vec::new();
    for package in metadata.members() {
        let name = &package.name;
        let Some(declared) = &package.rust_version else {
            println!("{name}: declares no rust-version");
            failed.push(name.as_str());
            continue;
        };
        let declared = RustVersion::parse(declared)?;
        let needs = needs(metadata, package)?;
        let too_new: Vec<&Need> = needs
            .iter()
            .filter(|need| need.minimum > declared)
            .collect();
        if too_new.is_empty() {
            match needs.iter().max_by_key(|need| need.minimum) {
                Some(need) => println!("{name}: {declared}, its dependencies need {need}"),
                None => println!("{name}: {declared}, its dependencies need nothing"),
            }
        } else {
            println!("{name}: {declared} is too low, its dependencies need");
            for need in too_new {
                println!("    {need}");
            }
            failed.push(name);
        }
    }
    if !failed.is_empty() {
        bail!(
            "the declared rust-version does not hold for: {}",
            failed.join(", ")
        );
    }
    Ok(())
}

/// What the dependencies of a package declare, each once by the shortest path.
fn needs(metadata: &Metadata, package: &Package) -> Result<Vec<Need>> {
    let packages = metadata.packages_by_id();
    let graph = metadata.build_graph();

    // Breadth first, remembering who asked for whom.
    let mut asked_by: HashMap<&str, Option<&str>> = HashMap::from([(package.id.as_str(), None)]);
    let mut queue = VecDeque::from([package.id.as_str()]);
    let mut needs = Vec::new();
    while let Some(id) = queue.pop_front() {
        for &dependency in graph.get(id).into_iter().flatten() {
            if asked_by.contains_key(dependency) {
                continue;
            }
            asked_by.insert(dependency, Some(id));
            queue.push_back(dependency);
            let found = packages
                .get(dependency)
                .with_context(|| format!("`cargo metadata` does not describe {dependency}"))?;
            if let Some(minimum) = &found.rust_version {
                let minimum = RustVersion::parse(minimum)
                    .with_context(|| format!("rust-version of {}", found.name))?;
                needs.push(Need {
                    minimum,
                    path: path(dependency, &asked_by, &packages),
                });
            }
        }
    }
    Ok(needs)
}

fn path(
    to: &str,
    asked_by: &HashMap<&str, Option<&str>>,
    packages: &HashMap<&str, &Package>,
) -> Vec<String> {
    let mut path = Vec::new();
    let mut at = Some(to);
    while let Some(id) = at {
        if let Some(package) = packages.get(id) {
            path.push(format!("{} {}", package.name, package.version));
        }
        at = asked_by.get(id).copied().flatten();
    }
    path.reverse();
    path
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn package(name: &str, rust_version: Option<&str>) -> Value {
        json!({
            "id": name, "name": name, "version": "1.0.0", "rust_version": rust_version,
            "publish": null, "targets": [],
        })
    }

    fn dependency(name: &str, kind: Option<&str>) -> Value {
        json!({ "pkg": name, "dep_kinds": [{ "kind": kind }] })
    }

    /// `ours` depends on `middle`, which depends on `deep`.
    fn workspace(ours: Option<&str>, deep: &str, kind: Option<&str>) -> Metadata {
        let json = json!({
            "packages": [package("ours", ours), package("middle", None), package("deep", Some(deep))],
            "workspace_members": ["ours"],
            "resolve": { "nodes": [
                { "id": "ours", "deps": [dependency("middle", kind)] },
                { "id": "middle", "deps": [dependency("deep", None)] },
                { "id": "deep", "deps": [] },
            ] },
        });
        Metadata::parse(&json.to_string()).unwrap()
    }

    #[test]
    fn versions_compare_by_number() {
        let parse = |text| RustVersion::parse(text).unwrap();
        assert!(parse("1.100") > parse("1.89"));
        assert_eq!(parse("1.89"), parse("1.89.0"));
        assert!(parse("1.89.1") > parse("1.89"));
        assert!(RustVersion::parse("1.x").is_err());
        assert!(RustVersion::parse("1.2.3.4").is_err());
    }

    #[test]
    fn a_dependency_may_need_as_much_as_is_declared() {
        check(&workspace(Some("1.89"), "1.89.0", None)).unwrap();
    }

    #[test]
    fn a_deep_dependency_that_needs_more_is_found_with_its_path() {
        let metadata = workspace(Some("1.89"), "1.90", None);
        assert!(
            check(&metadata)
                .unwrap_err()
                .to_string()
                .ends_with("for: ours")
        );
        let needs = needs(&metadata, metadata.member("ours").unwrap()).unwrap();
        assert_eq!(
            needs[0].to_string(),
            "1.90 (ours 1.0.0 -> middle 1.0.0 -> deep 1.0.0)"
        );
    }

    #[test]
    fn build_dependencies_count_and_development_dependencies_do_not() {
        assert!(check(&workspace(Some("1.89"), "1.90", Some("build"))).is_err());
        check(&workspace(Some("1.89"), "1.90", Some("dev"))).unwrap();
    }

    #[test]
    fn a_crate_has_to_declare_a_version() {
        assert!(check(&workspace(None, "1.60", None)).is_err());
    }
}
