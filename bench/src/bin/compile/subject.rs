//! The crates that are compiled.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

/// Types that a crate declares.
pub(crate) const TYPES: usize = 50;

/// The formats that keys are declared over, one after the other.
const FORMATS: [&str; 3] = ["ShortPrefixComb", "UuidV7", "DistributedId"];

/// Drivers whose impls are on together.
#[derive(Debug)]
pub(crate) struct Group {
    /// What its crates' names begin with.
    name: &'static str,
    pub(crate) title: &'static str,
    /// The features of rowkey.
    features: &'static [&'static str],
    pub(crate) contents: &'static [Content],
}

/// What a crate declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    /// Nothing, but it loads the same dependencies.
    Nothing,
    /// Keys of rowkey.
    Keys,
    /// Newtypes of `Uuid` with the derives of the drivers.
    Newtypes,
}

/// What is measured, in the order of the page.
pub(crate) const GROUPS: [Group; 2] = [
    Group {
        name: "postgres",
        title: "sqlx, Diesel and SeaORM, PostgreSQL",
        features: &["sqlx-postgres", "diesel-postgres", "sea-orm-postgres"],
        contents: &[Content::Nothing, Content::Keys, Content::Newtypes],
    },
    Group {
        name: "sql-server",
        title: "tiberius, SQL Server",
        features: &["tiberius"],
        contents: &[Content::Nothing, Content::Keys],
    },
];

/// What the newtypes need. The lock file of the workspace decides about the versions.
const DEPENDENCIES_OF_NEWTYPES: &str = include_str!("newtypes.toml");

/// A newtype that has what a key has as well, as far as others derive it.
const NEWTYPE: &str = include_str!("newtype.template");

impl Group {
    /// The package that declares this.
    pub(crate) fn package(&self, content: Content) -> String {
        let content = match content {
            Content::Nothing => "nothing",
            Content::Keys => "keys",
            Content::Newtypes => "newtypes",
        };
        format!("{}-{content}", self.name)
    }

    fn has_newtypes(&self) -> bool {
        self.contents.contains(&Content::Newtypes)
    }

    /// The same for each of its crates, so that they differ in nothing but what they declare.
    fn manifest(&self, content: Content, root: &Path) -> String {
        let rowkey = root.join("crates").join("rowkey");
        let dependencies = match self.has_newtypes() {
            true => DEPENDENCIES_OF_NEWTYPES,
            false => "",
        };
        format!(
            "[package]\nname = \"{}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n\
             [dependencies]\nrowkey = {{ path = {rowkey:?}, features = {:?} }}\n{dependencies}",
            self.package(content),
            self.features,
        )
    }

    fn source(&self, content: Content) -> String {
        let mut source = String::from("use rowkey as _;\n");
        if self.has_newtypes() {
            for line in DEPENDENCIES_OF_NEWTYPES.lines() {
                let name = line.split(' ').next().unwrap_or_default().replace('-', "_");
                let _ = writeln!(source, "use {name} as _;");
            }
        }
        for number in 0..TYPES {
            source += &match content {
                Content::Nothing => break,
                Content::Keys => key(number),
                Content::Newtypes => NEWTYPE.replace("NAME", &format!("Entity{number}Id")),
            };
        }
        source
    }
}

fn key(number: usize) -> String {
    let format = FORMATS[number % FORMATS.len()];
    format!("\n#[rowkey::entity_key]\npub struct Entity{number}Id(rowkey::{format});\n")
}

/// Writes every crate into a workspace of their own.
pub(crate) fn write_all(work: &Path, root: &Path) -> Result<()> {
    let mut members = Vec::new();
    for group in &GROUPS {
        for content in group.contents.iter().copied() {
            let package = group.package(content);
            write(
                &work.join(&package).join("Cargo.toml"),
                &group.manifest(content, root),
            )?;
            write(&source_file(work, &package), &group.source(content))?;
            members.push(package);
        }
    }
    let workspace = format!("[workspace]\nresolver = \"3\"\nmembers = {members:?}\n");
    write(&work.join("Cargo.toml"), &workspace)?;
    let lock = fs::read_to_string(root.join("Cargo.lock")).context("could not read Cargo.lock")?;
    write(&work.join("Cargo.lock"), &lock)
}

/// The whole source of a package.
pub(crate) fn source_file(work: &Path, package: &str) -> std::path::PathBuf {
    work.join(package).join("src").join("lib.rs")
}

fn write(file: &Path, text: &str) -> Result<()> {
    let written = file
        .parent()
        .map_or(Ok(()), fs::create_dir_all)
        .and_then(|()| fs::write(file, text));
    written.with_context(|| format!("could not write {}", file.display()))
}
