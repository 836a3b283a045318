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
        let tree = dependency_tree(package, &apart)?;
        let verdict = verdict(package, &tree, &metadata.packages)?;
        let (Ok(shown) | Err(shown)) = &verdict;
        println!("{}: {shown}", package.name);
        for other in apart {
            let declared = other.rust_version.as_deref().unwrap_or("nothing");
            println!("    apart from {}, which declares {declared}", other.name);
        }
        failed.extend(verdict.err().map(|_| package.name.as_str()));
    }
    ensure!(
        failed.is_empty(),
        "the declared rust-version does not hold for: {}",
        failed.join(", ")
    );
    Ok(())
}

/// What a crate with all its features is built from, apart from some packages.
///
/// The tree is asked for one crate at a time: in a view of the whole workspace
/// it would depend on everything that other members turn on in shared
/// dependencies.
fn dependency_tree(package: &Package, apart: &[&Package]) -> Result<String> {
    let mut tree = command::cargo(&[
        "tree",
        "--all-features",
        // Development dependencies do not reach the users of a crate.
        "--edges=normal,build",
        "--target=all",
        "--prefix=depth",
        "--format={p}",
    ]);
    tree.args(["--package", &package.name]);
    for other in apart {
        tree.args(["--prune", &other.name]);
    }
    command::output(&mut tree)
}

/// What one crate needs, as an error if that is more than it declares.
fn verdict(package: &Package, tree: &str, packages: &[Package]) -> Result<Result<String, String>> {
    let Some(declared) = &package.rust_version else {
        return Ok(Err("declares no rust-version".to_owned()));
    };
    let limit = numbers(declared)?;
    let mut needs = needs(tree, packages)?;
    // The first of those that need the most.
    needs.sort_by_key(|(minimum, _)| std::cmp::Reverse(*minimum));
    Ok(match needs.first() {
        Some((most, _)) if *most > limit => {
            let unmet = needs.iter().take_while(|(minimum, _)| *minimum > limit);
            let unmet: String = unmet.map(|(_, need)| format!("\n    {need}")).collect();
            Err(format!(
                "{declared} is too low, its dependencies need{unmet}"
            ))
        }
        Some((_, need)) => Ok(format!("{declared}, its dependencies need {need}")),
        None => Ok(format!("{declared}, its dependencies need nothing")),
    })
}

/// What the dependencies in a tree declare, each once: the version to compare, and it with the
/// packages from the crate to the one that declares it.
fn needs(tree: &str, packages: &[Package]) -> Result<Vec<([u32; 3], String)>> {
    let mut path: Vec<&str> = Vec::new();
    let mut seen = Vec::new();
    let mut needs = Vec::new();
    for (depth, dependency) in tree.lines().filter_map(tree_line) {
        path.truncate(depth);
        path.push(dependency);
        // At depth zero is the crate itself.
        if depth == 0 || seen.contains(&dependency) {
            continue;
        }
        seen.push(dependency);
        let package = packages
            .iter()
            .find(|package| format!("{} v{}", package.name, package.version) == dependency)
            .with_context(|| format!("`cargo metadata` does not describe {dependency}"))?;
        if let Some(minimum) = &package.rust_version {
            let compared = numbers(minimum).with_context(|| dependency.to_owned())?;
            needs.push((compared, format!("{minimum} ({})", path.join(" -> "))));
        }
    }
    Ok(needs)
}

/// Reads the depth and the package of `3libc v0.2.191 (*)`. Headings within the tree are no such
/// line.
fn tree_line(line: &str) -> Option<(usize, &str)> {
    let (depth, package) = line.split_at(line.find(|c: char| !c.is_ascii_digit())?);
    let version = package.find(" v")? + 1;
    let end = package[version..].find(' ');
    let package = end.map_or(package, |end| &package[..version + end]);
    Some((depth.parse().ok()?, package))
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
0ours v0.1.0 (/somewhere/ours)
1middle v1.0.0 (proc-macro)
2deep v2.0.0
[build-dependencies]
1other v3.0.0
2deep v2.0.0 (*)
";

    /// The packages of the tree, of which `deep` needs this version, and the first is ours.
    fn packages(ours: &str, deep: &str) -> Vec<Package> {
        let json = format!(
            r#"{{"packages": [
                {{"name": "ours", "version": "0.1.0", "rust_version": {ours}}},
                {{"name": "middle", "version": "1.0.0", "rust_version": null}},
                {{"name": "deep", "version": "1.0.0", "rust_version": "1.99"}},
                {{"name": "deep", "version": "2.0.0", "rust_version": "{deep}"}},
                {{"name": "other", "version": "3.0.0", "rust_version": "1.60"}}
            ]}}"#
        );
        Metadata::parse(&json).unwrap().packages
    }

    fn verdict_of(ours: &str, deep: &str) -> Result<String, String> {
        let packages = packages(ours, deep);
        verdict(&packages[0], TREE, &packages).unwrap()
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
    fn every_dependency_is_found_once_with_its_path() {
        let needs = needs(TREE, &packages("null", "1.90.1")).unwrap();
        let shown: Vec<&str> = needs.iter().map(|(_, need)| need.as_str()).collect();
        assert_eq!(
            shown,
            [
                "1.90.1 (ours v0.1.0 -> middle v1.0.0 -> deep v2.0.0)",
                "1.60 (ours v0.1.0 -> other v3.0.0)"
            ]
        );
    }

    #[test]
    fn dependencies_may_need_as_much_as_is_declared() {
        assert!(verdict_of("\"1.89\"", "1.89.0").is_ok());
        let too_low = verdict_of("\"1.89\"", "1.90").unwrap_err();
        assert_eq!(
            too_low,
            "1.89 is too low, its dependencies need\n    \
             1.90 (ours v0.1.0 -> middle v1.0.0 -> deep v2.0.0)"
        );
    }

    #[test]
    fn a_crate_has_to_declare_a_version() {
        assert!(verdict_of("null", "1.60").is_err());
    }
}
