//! The check that every crate keeps its promise about the minimum Rust version.
//!
//! Nothing is built with an older toolchain. What is checked is what the
//! manifests say: no package that a crate is built from may declare a higher
//! `rust-version` than the crate itself. Whether the sources themselves use a
//! newer part of the standard library is what clippy's `incompatible_msrv` lint
//! finds, which reads the same `rust-version`.
//!
//! Every feature counts, with one exception. A crate of this workspace that
//! another one only depends on behind a feature, such as a driver, keeps its
//! own promise; it would otherwise take everyone along who does without it.

use std::{collections::HashSet, fmt};

use anyhow::{Context, Result, bail};

use crate::{
    command,
    workspace::{Metadata, Package},
};

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

/// A package that a crate is built from, and the minimum it declares.
#[derive(Debug)]
struct Need {
    minimum: RustVersion,
    /// The packages from the crate to the one that declares it.
    path: Vec<String>,
}

impl fmt::Display for Need {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.minimum, self.path.join(" -> "))
    }
}

/// Checks every crate of the workspace and names each one that fails.
pub(crate) fn run() -> Result<()> {
    let metadata = Metadata::load()?;
    let mut failed = Vec::new();
    for package in metadata.members() {
        let apart: Vec<&Package> = optional_members(package, &metadata).collect();
        let tree = dependency_tree(package, &apart)?;
        if !holds(package, &tree, metadata.packages())? {
            failed.push(package.name.as_str());
        }
        for other in apart {
            let declared = other.rust_version.as_deref().unwrap_or("nothing");
            println!("    apart from {}, which declares {declared}", other.name);
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

/// The crates of the workspace that a package only depends on behind a feature.
fn optional_members<'a>(
    package: &'a Package,
    metadata: &'a Metadata,
) -> impl Iterator<Item = &'a Package> {
    package
        .dependencies
        .iter()
        .filter(|dependency| dependency.optional)
        .filter_map(|dependency| metadata.member(&dependency.name))
}

/// What a crate with all its features is built from, apart from some packages.
///
/// The tree is asked for one crate at a time: in a view of the whole workspace
/// it would depend on everything that other members turn on in shared
/// dependencies.
fn dependency_tree(package: &Package, apart: &[&Package]) -> Result<String> {
    let mut tree = command::cargo(&[
        "tree",
        "--package",
        &package.name,
        "--all-features",
        // Development dependencies do not reach the users of a crate.
        "--edges=normal,build",
        "--target=all",
        "--prefix=depth",
        "--format={p}",
    ]);
    for other in apart {
        tree.args(["--prune", &other.name]);
    }
    command::output(&mut tree)
}

/// Tells what one crate needs, and whether that is as much as it declares.
fn holds(package: &Package, tree: &str, packages: &[Package]) -> Result<bool> {
    let name = &package.name;
    let Some(declared) = &package.rust_version else {
        println!("{name}: declares no rust-version");
        return Ok(false);
    };
    let declared = RustVersion::parse(declared)?;
    let needs = needs(tree, packages)?;
    let (met, unmet): (Vec<&Need>, Vec<&Need>) =
        needs.iter().partition(|need| need.minimum <= declared);
    if !unmet.is_empty() {
        println!("{name}: {declared} is too low, its dependencies need");
        for need in &unmet {
            println!("    {need}");
        }
        return Ok(false);
    }
    match met.iter().max_by_key(|need| need.minimum) {
        Some(need) => println!("{name}: {declared}, its dependencies need {need}"),
        None => println!("{name}: {declared}, its dependencies need nothing"),
    }
    Ok(true)
}

/// What the dependencies in a tree declare, each once.
fn needs(tree: &str, packages: &[Package]) -> Result<Vec<Need>> {
    let mut path: Vec<String> = Vec::new();
    let mut seen = HashSet::new();
    let mut needs = Vec::new();
    for line in tree.lines() {
        let Some((depth, name, version)) = tree_line(line) else {
            continue;
        };
        path.truncate(depth);
        path.push(format!("{name} {version}"));
        // At depth zero is the crate itself.
        if depth == 0 || !seen.insert((name, version)) {
            continue;
        }
        let package = packages
            .iter()
            .find(|package| package.name == name && package.version == version)
            .with_context(|| format!("`cargo metadata` does not describe {name} {version}"))?;
        if let Some(minimum) = &package.rust_version {
            let minimum = RustVersion::parse(minimum)
                .with_context(|| format!("rust-version of {name} {version}"))?;
            needs.push(Need {
                minimum,
                path: path.clone(),
            });
        }
    }
    Ok(needs)
}

/// Reads `3libc v0.2.191 (*)`. Headings within the tree are no such line.
fn tree_line(line: &str) -> Option<(usize, &str, &str)> {
    let (depth, package) = line.split_at(line.find(|c: char| !c.is_ascii_digit())?);
    let mut words = package.split(' ');
    let name = words.next()?;
    let version = words.next()?.strip_prefix('v')?;
    Some((depth.parse().ok()?, name, version))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    const TREE: &str = "\
0ours v0.1.0 (/somewhere/ours)
1middle v1.0.0 (proc-macro)
2deep v2.0.0
[build-dependencies]
1other v3.0.0
2deep v2.0.0 (*)
";

    fn package(name: &str, version: &str, rust_version: Option<&str>) -> Package {
        Package {
            id: name.to_owned(),
            name: name.to_owned(),
            version: version.to_owned(),
            rust_version: rust_version.map(str::to_owned),
            publish: None,
            targets: Vec::new(),
            dependencies: Vec::new(),
            features: BTreeMap::new(),
        }
    }

    /// The packages of the tree, of which `deep` needs this version.
    fn packages(deep: &str) -> Vec<Package> {
        vec![
            package("ours", "0.1.0", Some("1.99")),
            package("middle", "1.0.0", None),
            package("deep", "1.0.0", Some("1.99")),
            package("deep", "2.0.0", Some(deep)),
            package("other", "3.0.0", Some("1.60")),
        ]
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
    fn every_dependency_is_found_once_with_its_path() {
        let needs = needs(TREE, &packages("1.90.1")).unwrap();
        let shown: Vec<String> = needs.iter().map(Need::to_string).collect();
        assert_eq!(
            shown,
            [
                "1.90.1 (ours 0.1.0 -> middle 1.0.0 -> deep 2.0.0)",
                "1.60 (ours 0.1.0 -> other 3.0.0)"
            ]
        );
    }

    #[test]
    fn dependencies_may_need_as_much_as_is_declared() {
        let ours = package("ours", "0.1.0", Some("1.89"));
        assert!(holds(&ours, TREE, &packages("1.89.0")).unwrap());
        assert!(!holds(&ours, TREE, &packages("1.90")).unwrap());
    }

    #[test]
    fn a_crate_has_to_declare_a_version() {
        let ours = package("ours", "0.1.0", None);
        assert!(!holds(&ours, TREE, &packages("1.60")).unwrap());
    }
}
