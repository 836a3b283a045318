//! The folders that Diesel and refinery read hold the statements of the databases' folders.
//!
//! With `UPDATE_GOLDENFILES=1`, the tests write what is missing or out of date.

use std::{collections::BTreeSet, fs, io::Write, path::Path};

use anyhow::{Context, Result, ensure};
use goldenfile::Mint;
use walkdir::WalkDir;

const MIGRATIONS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../migrations");

/// The databases that Diesel has connections to.
const OF_DIESEL: [&str; 4] = ["mariadb", "mysql", "postgres", "sqlite"];

/// The database that only refinery migrates.
const OF_REFINERY: &str = "sqlserver";

#[test]
fn every_database_has_the_same_migrations_and_each_has_a_way_back() -> Result<()> {
    let expected = names(OF_REFINERY)?;
    assert!(!expected.is_empty());
    for database in OF_DIESEL {
        assert_eq!(names(database)?, expected, "{database}");
    }
    Ok(())
}

#[test]
fn diesel_has_a_folder_for_each_migration() -> Result<()> {
    let mut copies = Copies::new("diesel");
    for database in OF_DIESEL {
        for name in names(database)? {
            for direction in ["up", "down"] {
                let source = format!("{database}/{name}.{direction}.sql");
                copies.copy(&source, format!("{database}/{name}/{direction}.sql"))?;
            }
        }
    }
    copies.finish()
}

/// It has no way back, and its name of `0012_key_blocks` is `V12__key_blocks`.
#[test]
fn refinery_has_a_file_for_each_migration() -> Result<()> {
    let mut copies = Copies::new("refinery");
    for name in names(OF_REFINERY)? {
        let (number, rest) = name.split_once('_').context(name.clone())?;
        let number: u32 = number.parse().context(name.clone())?;
        let source = format!("{OF_REFINERY}/{name}.up.sql");
        copies.copy(&source, format!("{OF_REFINERY}/V{number}__{rest}.sql"))?;
    }
    copies.finish()
}

/// The names of a database's migrations, such as `0001_customers`.
fn names(database: &str) -> Result<BTreeSet<String>> {
    let [mut up, mut down] = [BTreeSet::new(), BTreeSet::new()];
    for file in files(&Path::new(MIGRATIONS).join(database))? {
        match (file.strip_suffix(".up.sql"), file.strip_suffix(".down.sql")) {
            (Some(name), _) => up.insert(name.to_owned()),
            (_, Some(name)) => down.insert(name.to_owned()),
            _ => anyhow::bail!("{database}/{file} has neither direction"),
        };
    }
    ensure!(up == down, "{database}: {up:?} up, but {down:?} down");
    Ok(up)
}

/// The files of a folder and of those in it, by their paths from there.
fn files(folder: &Path) -> Result<BTreeSet<String>> {
    let mut files = BTreeSet::new();
    for entry in WalkDir::new(folder) {
        let entry = entry?;
        if entry.file_type().is_file() {
            let path = entry.path().strip_prefix(folder)?.to_str();
            files.insert(path.context("a name is not UTF-8")?.replace('\\', "/"));
        }
    }
    Ok(files)
}

/// The folder of one library. What was written is compared when this goes.
struct Copies {
    folder: String,
    copied: BTreeSet<String>,
    mint: Mint,
}

impl Copies {
    fn new(library: &str) -> Self {
        let folder = format!("{MIGRATIONS}/{library}");
        let mint = Mint::new(&folder);
        let copied = BTreeSet::new();
        Self {
            folder,
            copied,
            mint,
        }
    }

    fn copy(&mut self, source: &str, copy: String) -> Result<()> {
        let text = fs::read(Path::new(MIGRATIONS).join(source)).context(source.to_owned())?;
        self.mint.new_goldenfile(&copy)?.write_all(&text)?;
        self.copied.insert(copy);
        Ok(())
    }

    /// Fails if there is a file that isn't a copy.
    fn finish(self) -> Result<()> {
        let found = files(Path::new(&self.folder))?;
        let others: Vec<_> = found.difference(&self.copied).collect();
        ensure!(
            others.is_empty(),
            "{} has files that are no copies: {others:?}",
            self.folder
        );
        Ok(())
    }
}
