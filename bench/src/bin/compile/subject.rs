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
const DEPENDENCIES_OF_NEWTYPES: &str = r#"
diesel = { version = "2.3", default-features = false, features = ["postgres_backend", "uuid"] }
diesel-derive-newtype = "=2.1.3"
sea-orm = { version = "2.0", default-features = false, features = ["macros", "sqlx-postgres", "with-uuid"] }
serde = { version = "1.0", features = ["derive"] }
sqlx = { version = "0.9", default-features = false, features = ["derive", "postgres", "uuid"] }
uuid = { version = "1.29", features = ["serde"] }
"#;

/// What [`DEPENDENCIES_OF_NEWTYPES`] are called in Rust.
const CRATES_OF_NEWTYPES: [&str; 6] = [
    "diesel",
    "diesel_derive_newtype",
    "sea_orm",
    "serde",
    "sqlx",
    "uuid",
];

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
             [dependencies]\nrowkey = {{ path = {rowkey:?}, features = {:?} }}{dependencies}",
            self.package(content),
            self.features,
        )
    }

    fn source(&self, content: Content) -> String {
        let mut source = String::from("use rowkey as _;\n");
        if self.has_newtypes() {
            for name in CRATES_OF_NEWTYPES {
                let _ = writeln!(source, "use {name} as _;");
            }
        }
        for number in 0..TYPES {
            source += &match content {
                Content::Nothing => break,
                Content::Keys => key(number),
                Content::Newtypes => newtype(number),
            };
        }
        source
    }
}

fn key(number: usize) -> String {
    let format = FORMATS[number % FORMATS.len()];
    format!("\n#[rowkey::entity_key]\npub struct Entity{number}Id(rowkey::{format});\n")
}

/// What a key has as well, as far as others derive it.
fn newtype(number: usize) -> String {
    let name = format!("Entity{number}Id");
    format!(
        "
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash,
    serde::Serialize, serde::Deserialize,
    sqlx::Type, diesel_derive_newtype::DieselNewType, sea_orm::DeriveValueType,
)]
#[serde(transparent)]
#[sqlx(transparent)]
pub struct {name}(pub uuid::Uuid);

impl std::fmt::Display for {name} {{
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {{
        self.0.fmt(f)
    }}
}}

impl std::str::FromStr for {name} {{
    type Err = uuid::Error;

    fn from_str(text: &str) -> Result<Self, uuid::Error> {{
        text.parse().map(Self)
    }}
}}

impl sea_orm::TryFromU64 for {name} {{
    fn try_from_u64(_: u64) -> Result<Self, sea_orm::DbErr> {{
        Err(sea_orm::DbErr::ConvertFromU64(\"{name}\"))
    }}
}}
"
    )
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
