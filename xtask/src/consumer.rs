//! The crate that uses rowkey as its users do, with one set of features at a time.
//!
//! Within the workspace, crates turn on features of shared dependencies for each other, and a key
//! that only works with the features of its neighbours would never be noticed. `consumer/` is a
//! workspace of its own, and forwards each feature of rowkey under the same name. For a change, it
//! is built and tested with some sets, and the others are looked at for what they depend on; seldom,
//! it is built and tested with all.

use std::{collections::HashSet, process::Command};

use anyhow::{Context, Result, bail};
use cargo_metadata::Metadata;

use crate::{command, workspace};

const MANIFEST: &str = "consumer/Cargo.toml";

/// The packages of `consumer/`.
const PACKAGES: [&str; 2] = ["rowkey-consumer", "renamed"];

/// Drivers, each of which has a feature per backend: `sqlx-postgres` and so on.
const DRIVERS: [&str; 3] = ["diesel", "sea-orm", "sqlx"];

/// What brings the standard library, and with it randomness: every feature that needs it.
#[rustfmt::skip]
const STD: &[&str] = &[
    "std", "coarse-clock", "default", "schemars", "utoipa", "proptest", "router", "diesel", "sea-orm",
    "sqlx", "tiberius",
];

/// Packages that only some features may bring, and do. A driver is what its name begins with.
///
/// What follows a slash is a feature of the package: another dependency may have turned on those of
/// a package, but not those of keys.
#[rustfmt::skip]
const BROUGHT_BY: [(&str, &[&str]); 30] = [
    ("rowkey-core/std", STD),
    ("rowkey-core/coarse-clock", &["coarse-clock"]),
    ("rowkey-core/serde", &["default", "serde", "router"]),
    ("rowkey-core/schemars", &["schemars"]),
    ("rowkey-core/utoipa", &["utoipa"]),
    ("rowkey-core/proptest", &["proptest"]),
    ("rowkey-core/rust_decimal", &["rust_decimal"]),
    ("rowkey-core/rand", &["rand"]),
    ("rowkey-sql", &["sql"]),
    ("getrandom", STD),
    ("rustix", &["coarse-clock"]),
    // For schemas too, which cannot do without.
    ("serde", &["default", "serde", "schemars", "utoipa", "router"]),
    ("schemars", &["schemars"]),
    ("utoipa", &["utoipa"]),
    ("proptest", &["proptest"]),
    // For the type of parameters too, in MySQL and SeaORM.
    ("rust_decimal", &["rust_decimal", "sqlx-mysql", "sea-orm"]),
    ("sqlx-core", &["sea-orm", "sqlx"]),
    ("sqlx-postgres", &["sea-orm-postgres", "sqlx-postgres"]),
    ("sqlx-mysql", &["sea-orm-mysql", "sqlx-mysql"]),
    ("libsqlite3-sys", &["diesel-sqlite", "sea-orm-sqlite", "sqlx-sqlite"]),
    ("sea-orm", &["sea-orm"]),
    ("diesel", &["diesel"]),
    // Client libraries are for users to choose.
    ("pq-sys", &[]),
    ("mysqlclient-sys", &[]),
    ("tiberius", &["tiberius"]),
    ("arc-swap", &["router"]),
    ("aes", &["public-id"]),
    ("aes-siv", &["public-id"]),
    // In the drivers, for connections.
    ("base64", &["public-id", "sea-orm", "sqlx"]),
    ("zeroize", &["public-id", "tiberius"]),
];

/// Features that are built and tested alone for every change. So are none, all of each driver, and
/// everything.
const TESTED_ALONE: [&str; 3] = ["default", "public-id", "tiberius"];

/// Builds and tests the crate with some sets of features. What it depends on is checked with all.
pub(crate) fn run_some() -> Result<()> {
    run(|set| match set {
        [] => true,
        [one] => TESTED_ALONE.contains(one),
        _ => true,
    })
}

/// Builds and tests the crate with every set of features.
pub(crate) fn run_all() -> Result<()> {
    run(|_| true)
}

fn run(is_tested: impl Fn(&[&str]) -> bool) -> Result<()> {
    let metadata = workspace::metadata()?;
    let rowkey =
        workspace::member(&metadata, "rowkey").context("the workspace has no package `rowkey`")?;
    let features: Vec<&str> = rowkey.features.keys().map(String::as_str).collect();
    let sets = sets(&features);
    for (index, set) in sets.iter().enumerate() {
        let arguments = [
            "--no-default-features",
            &format!("--features={}", set.join(",")),
        ];
        println!("\n--> [{}/{}] {}", index + 1, sets.len(), arguments[1]);
        let mut tree = command::cargo(&["tree", "--edges=normal", "--prefix=none"]);
        tree.args(["--format={p}|{f}", "--manifest-path", MANIFEST]);
        let tree = command::output(tree.args(arguments))?;
        check_tree(set, &tree).with_context(|| arguments[1].to_owned())?;
        if is_tested(set) {
            let mut test = cargo(&metadata, &["test", "--quiet", "--tests"]);
            command::run(test.args(arguments))?;
        }
    }
    Ok(())
}

/// Checks the formatting of the crate.
pub(crate) fn fmt() -> Result<()> {
    let mut fmt = command::cargo(&["fmt", "--check", "--manifest-path", MANIFEST]);
    command::run(fmt.args(PACKAGES.map(|package| format!("--package={package}"))))
}

/// Checks the lints of the crate, with all features.
pub(crate) fn clippy() -> Result<()> {
    let arguments = ["clippy", "--workspace", "--all-targets", "--all-features"];
    let mut clippy = cargo(&workspace::metadata()?, &arguments);
    command::run(clippy.args(["--", "-D", "warnings"]))
}

/// A command on the crate that builds. All sets share a folder with the workspace: what they have
/// in common is built once.
fn cargo(metadata: &Metadata, arguments: &[&str]) -> Command {
    let mut cargo = command::cargo(arguments);
    cargo.args(["--manifest-path", MANIFEST, "--target-dir"]);
    cargo.arg(&metadata.target_directory);
    cargo
}

/// None, each on its own, all of each driver, and everything.
fn sets<'a>(features: &[&'a str]) -> Vec<Vec<&'a str>> {
    let mut sets = vec![Vec::new()];
    sets.extend(features.iter().map(|one| vec![*one]));
    sets.extend(DRIVERS.map(|driver| {
        let all = features.iter().filter(|feature| belongs(feature, driver));
        all.copied().collect()
    }));
    sets.push(features.to_vec());
    sets
}

/// Whether a feature is the named one, or that of a backend of the named driver.
fn belongs(feature: &str, name: &str) -> bool {
    let backend = feature.strip_prefix(name);
    backend.is_some_and(|rest| rest.is_empty() || DRIVERS.contains(&name) && rest.starts_with('-'))
}

/// Checks that the crate depends on what its features need, and on nothing that others do: the
/// lines of `cargo tree`, such as `rowkey-core v0.1.0 (/a/path)|serde,std (*)`.
fn check_tree(set: &[&str], tree: &str) -> Result<()> {
    let mut brought = HashSet::new();
    for line in tree.lines() {
        let Some((package, features)) = line.rsplit_once('|') else {
            bail!("could not read the answer of `cargo tree`: `{line}`");
        };
        let name = package.split(' ').next().unwrap_or_default();
        brought.insert(name.to_owned());
        // The package was listed before if a star follows.
        let features = features.split(' ').next().unwrap_or_default();
        let features = features.split(',');
        brought.extend(features.map(|feature| format!("{name}/{feature}")));
    }
    for (what, by) in BROUGHT_BY {
        let is_asked_for = by
            .iter()
            .any(|name| set.iter().any(|feature| belongs(feature, name)));
        match (brought.contains(what), is_asked_for) {
            (true, false) => bail!("{what} is a dependency, which only {by:?} may bring"),
            (false, true) => bail!("{what} is no dependency, although {by:?} bring it"),
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_feature_is_a_set_and_so_are_combinations() {
        let sets = sets(&["std", "diesel-mysql", "sqlx-mysql", "sqlx-sqlite"]);
        let sets: Vec<String> = sets.iter().map(|set| set.join(" ")).collect();
        let each = ["", "std", "diesel-mysql", "sqlx-mysql", "sqlx-sqlite"];
        assert_eq!(sets[..5], each);
        // All of diesel, sea-orm and sqlx, and everything.
        let all = "std diesel-mysql sqlx-mysql sqlx-sqlite";
        assert_eq!(
            sets[5..],
            ["diesel-mysql", "", "sqlx-mysql sqlx-sqlite", all]
        );
    }

    #[test]
    fn a_driver_stands_for_its_backends() {
        assert!(belongs("sqlx-mysql", "sqlx"));
        assert!(belongs("sqlx-mysql", "sqlx-mysql"));
        assert!(!belongs("sqlx-mysql", "sqlx-my"));
        assert!(!belongs("std", "sqlx"));
    }

    #[test]
    fn what_a_feature_brings_is_there_with_it_alone() {
        let check = |features: &[&str], tree: &[&str]| check_tree(features, &tree.join("\n"));
        let core = "rowkey-core v0.1.0 (/a path/rowkey-core)|";
        let (core_std, core_serde) = (format!("{core}std (*)"), format!("{core}serde,std"));
        let (getrandom, serde) = ("getrandom v0.4.3|std", "serde v1.0.229|");
        let with_serde = [getrandom, &core_serde, serde];
        check(&[], &[core, "uuid v1.29.1|"]).unwrap();
        check(&["std"], &[&core_std, getrandom]).unwrap();
        check(&["std", "serde"], &with_serde).unwrap();
        for (feature, tree, error) in [
            ("serde", &[core][..], "rowkey-core/serde is no dependency"),
            ("std", &with_serde, "rowkey-core/serde is a dependency"),
            // As a dependency of another one, without a word of it in the features of keys.
            (
                "std",
                &[&core_std, getrandom, serde],
                "serde is a dependency",
            ),
            ("std", &["rowkey-core"], "could not read the answer"),
        ] {
            let message = check(&[feature], tree).unwrap_err().to_string();
            assert!(message.starts_with(error), "{message}");
        }
    }
}
