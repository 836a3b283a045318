//! The check that every crate keeps its promise about the minimum Rust version.
//!
//! Nothing is built with an older toolchain, as `cargo hack --rust-version` would do: tests and
//! checks have one toolchain. What is checked is what the manifests say: no package that a crate is
//! built from may declare a higher `rust-version` than the crate itself. Whether the sources use a
//! newer part of the standard library is what clippy's `incompatible_msrv` lint finds, which reads
//! the same `rust-version`.
//!
//! Every feature counts, with one exception. A crate of this workspace that another one only
//! depends on behind a feature, such as a driver, keeps its own promise; it would otherwise take
//! everyone along who does without it.

use std::collections::BTreeSet;

use anyhow::{Context, Result, ensure};

use crate::{
    command,
    workspace::{Metadata, Package},
};

/// Checks every crate of the workspace and names each one that fails.
pub(crate) fn run() -> Result<()> {
    let metadata = Metadata::load()?;
    let mut failed = Vec::new();
    for package in metadata.members() {
        let optional = package.dependencies.iter().filter(|one| one.optional);
        let apart: Vec<&Package> = optional
            .filter_map(|dependency| metadata.member(&dependency.name))
            .collect();
        println!("{}: {}", package.name, package.declared());
        for other in &apart {
            let declared = other.declared();
            println!("    apart from {}, which declares {declared}", other.name);
        }
        let unmet = unmet(
            package,
            &dependency_tree(package, &apart)?,
            &metadata.packages,
        )?;
        if !unmet.is_empty() {
            unmet
                .iter()
                .for_each(|need| println!("    too low: {need}"));
            failed.push(package.name.as_str());
        }
    }
    ensure!(
        failed.is_empty(),
        "the declared rust-version does not hold for {}; `cargo tree --all-features -p <crate> \
         --invert <dependency>` shows what a dependency comes with",
        failed.join(", ")
    );
    Ok(())
}

impl Package {
    fn declared(&self) -> &str {
        self.rust_version.as_deref().unwrap_or("nothing")
    }
}

/// What a crate with all its features is built from, apart from some packages.
///
/// Run for one crate at a time: in a view of the whole workspace it would depend on everything that
/// other members turn on in shared dependencies.
fn dependency_tree(package: &Package, apart: &[&Package]) -> Result<String> {
    // Development dependencies do not reach the users of a crate.
    let edges = ["tree", "--all-features", "--edges=normal,build"];
    let mut tree = command::cargo(&edges);
    tree.args(["--target=all", "--prefix=none", "--format={p}"]);
    tree.args(["--package", &package.name]);
    tree.args(apart.iter().flat_map(|other| ["--prune", &other.name]));
    command::output(&mut tree)
}

/// The dependencies in a tree that need more than the crate declares, each once.
fn unmet(package: &Package, tree: &str, packages: &[Package]) -> Result<BTreeSet<String>> {
    let Some(declared) = &package.rust_version else {
        return Ok(BTreeSet::from(["a rust-version is missing".to_owned()]));
    };
    let limit = numbers(declared)?;
    let mut unmet = BTreeSet::new();
    // The first line is the crate itself. Others are like `libc v0.2.191 (*)`.
    for line in tree.lines().skip(1) {
        let dependency = packages
            .iter()
            .find(|one| line.split(" (").next() == Some(&format!("{} v{}", one.name, one.version)))
            .with_context(|| format!("`cargo metadata` does not describe `{line}`"))?;
        if let Some(minimum) = &dependency.rust_version
            && numbers(minimum)? > limit
        {
            let (name, version) = (&dependency.name, &dependency.version);
            unmet.insert(format!("{name}@{version} needs {minimum}"));
        }
    }
    Ok(unmet)
}

/// A Rust version as manifests write it: up to three numbers.
fn numbers(version: &str) -> Result<[u32; 3]> {
    let wrong = || format!("`{version}` is no Rust version");
    let mut numbers = [0; 3];
    for (index, number) in version.split('.').enumerate() {
        *numbers.get_mut(index).with_context(wrong)? = number.parse().with_context(wrong)?;
    }
    Ok(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TREE: &str = "\
ours v0.1.0 (/somewhere/ours)
middle v1.0.0 (proc-macro)
deep v2.0.0
other v3.0.0
deep v2.0.0 (*)
";

    /// What is unmet in the tree if ours declares the one version and `deep` the other.
    fn unmet_by(ours: &str, deep: &str) -> Vec<String> {
        let json = format!(
            r#"{{"packages": [
                {{"name": "ours", "version": "0.1.0", "rust_version": {ours}}},
                {{"name": "middle", "version": "1.0.0", "rust_version": null}},
                {{"name": "deep", "version": "1.0.0", "rust_version": "1.99"}},
                {{"name": "deep", "version": "2.0.0", "rust_version": "{deep}"}},
                {{"name": "other", "version": "3.0.0", "rust_version": "1.60"}}
            ]}}"#
        );
        let packages = Metadata::parse(&json).unwrap().packages;
        let unmet = unmet(&packages[0], TREE, &packages).unwrap();
        unmet.into_iter().collect()
    }

    #[test]
    fn versions_compare_by_number() {
        let parse = |text| numbers(text).unwrap();
        assert!(parse("1.100") > parse("1.89"));
        assert_eq!(parse("1.89"), parse("1.89.0"));
        assert!(parse("1.89.1") > parse("1.89"));
        assert!(numbers("1.x").is_err());
        assert!(numbers("1.2.3.4").is_err());
    }

    #[test]
    fn dependencies_may_need_as_much_as_is_declared() {
        assert!(unmet_by("\"1.89\"", "1.89.0").is_empty());
        assert_eq!(unmet_by("\"1.89\"", "1.90"), ["deep@2.0.0 needs 1.90"]);
        assert_eq!(unmet_by("\"1.59\"", "1.90").len(), 2);
        assert_eq!(unmet_by("null", "1.60"), ["a rust-version is missing"]);
    }
}
