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

use std::collections::{BTreeSet, HashMap};

use anyhow::{Context, Result, ensure};
use cargo_metadata::{Package, semver::Version};

use crate::{command, workspace};

/// Checks every crate of the workspace and names each one that fails.
pub(crate) fn run() -> Result<()> {
    let metadata = workspace::metadata()?;
    let packages = metadata.packages.iter();
    let minimums = packages.map(|one| {
        let shown = format!("{} v{}", one.name, one.version);
        (shown, one.rust_version.clone())
    });
    let minimums: HashMap<_, _> = minimums.collect();
    let mut failed = Vec::new();
    for package in metadata.workspace_packages() {
        let name = package.name.as_str();
        let declared = package.rust_version.as_ref();
        let declared = declared.with_context(|| format!("{name} declares no rust-version"))?;
        println!("{name}: {declared}");
        let optional = package.dependencies.iter().filter(|one| one.optional);
        let apart: Vec<&Package> = optional
            .filter_map(|dependency| workspace::member(&metadata, &dependency.name))
            .collect();
        for other in &apart {
            println!("    apart from {}, which keeps its own promise", other.name);
        }
        let unmet = unmet(declared, &dependency_tree(package, &apart)?, &minimums)?;
        if !unmet.is_empty() {
            unmet
                .iter()
                .for_each(|need| println!("    too low: {need}"));
            failed.push(name);
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
fn unmet(
    declared: &Version,
    tree: &str,
    minimums: &HashMap<String, Option<Version>>,
) -> Result<BTreeSet<String>> {
    let mut unmet = BTreeSet::new();
    // The first line is the crate itself. Others are like `libc v0.2.191 (*)`.
    for line in tree.lines().skip(1) {
        let dependency = line.split(" (").next().unwrap_or_default();
        let minimum = minimums
            .get(dependency)
            .with_context(|| format!("`cargo metadata` does not describe `{line}`"))?;
        if let Some(minimum) = minimum.as_ref().filter(|minimum| *minimum > declared) {
            unmet.insert(format!("{dependency} needs {minimum}"));
        }
    }
    Ok(unmet)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dependencies_may_need_as_much_as_is_declared() {
        const TREE: &str = "\
            ours v0.1.0 (/somewhere/ours)\n\
            middle v1.0.0 (proc-macro)\n\
            deep v2.0.0\n\
            other v3.0.0\n\
            deep v2.0.0 (*)\n";
        let minimums = [
            ("middle v1.0.0", None),
            ("deep v1.0.0", Some(Version::new(1, 99, 0))),
            ("deep v2.0.0", Some(Version::new(1, 100, 0))),
            ("other v3.0.0", Some(Version::new(1, 60, 0))),
        ];
        let minimums = minimums.map(|(name, minimum)| (name.to_owned(), minimum));
        let minimums = HashMap::from(minimums);
        for (minor, expected) in [
            (100, &[][..]),
            (99, &["deep v2.0.0 needs 1.100.0"]),
            (
                59,
                &["deep v2.0.0 needs 1.100.0", "other v3.0.0 needs 1.60.0"],
            ),
        ] {
            let unmet = unmet(&Version::new(1, minor, 0), TREE, &minimums).unwrap();
            assert!(unmet.iter().eq(expected), "{unmet:?}");
        }
        let unknown = unmet(&Version::new(1, 0, 0), "ours\nstrange v1.0.0", &minimums);
        assert!(unknown.is_err());
    }
}
