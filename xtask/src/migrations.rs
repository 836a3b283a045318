//! `cargo xtask migrations`: writes the folders of `migrations` that Diesel and refinery read.
//!
//! The source are the folders of the databases, which sqlx reads as they are. Diesel wants a folder for
//! each migration, and refinery another name; the statements are the same.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use crate::command;

/// The databases that Diesel has connections to.
const OF_DIESEL: [&str; 4] = ["mariadb", "mysql", "postgres", "sqlite"];

/// The database that only refinery migrates.
const OF_REFINERY: &str = "sqlserver";

const UP: &str = ".up.sql";
const DOWN: &str = ".down.sql";

/// Files with their contents, by their paths in `migrations`.
type Files = BTreeMap<PathBuf, String>;

/// Writes every folder, and removes what is no longer part of it.
pub(crate) fn run() -> Result<()> {
    let root = root();
    for (tool, files) in generated(&root)? {
        let folder = root.join(tool);
        if folder.try_exists()? {
            fs::remove_dir_all(&folder).with_context(|| folder.display().to_string())?;
        }
        for (path, text) in files {
            let path = root.join(path);
            if let Some(folder) = path.parent() {
                fs::create_dir_all(folder)?;
            }
            fs::write(&path, text).with_context(|| path.display().to_string())?;
        }
    }
    Ok(())
}

/// Fails if a file is missing, differs from what would be written, or is not one of these.
pub(crate) fn check() -> Result<()> {
    let root = root();
    for (tool, expected) in generated(&root)? {
        let mut found = Files::new();
        read(&root, Path::new(tool), &mut found)?;
        let paths: BTreeSet<_> = expected.keys().chain(found.keys()).collect();
        for path in paths {
            ensure!(
                expected.get(path) == found.get(path),
                "migrations/{} is out of date; run `cargo xtask migrations`",
                path.display()
            );
        }
    }
    Ok(())
}

fn root() -> PathBuf {
    command::root().join("migrations")
}

/// The files of each tool.
fn generated(root: &Path) -> Result<[(&'static str, Files); 2]> {
    let mut diesel = Files::new();
    for database in OF_DIESEL {
        let folder = Path::new("diesel").join(database);
        for migration in migrations(root, database)? {
            let files = for_diesel(migration).into_iter();
            diesel.extend(files.map(|(path, text)| (folder.join(path), text)));
        }
    }
    let mut refinery = Files::new();
    let folder = Path::new("refinery").join(OF_REFINERY);
    for migration in migrations(root, OF_REFINERY)? {
        let (path, text) = for_refinery(migration)?;
        refinery.insert(folder.join(path), text);
    }
    Ok([("diesel", diesel), ("refinery", refinery)])
}

/// A change of the tables and the way back.
#[derive(Debug, PartialEq, Eq)]
struct Migration {
    /// `0001_customers`.
    name: String,
    up: String,
    down: String,
}

/// The migrations of a database.
fn migrations(root: &Path, database: &str) -> Result<Vec<Migration>> {
    let mut files = Files::new();
    read(root, Path::new(database), &mut files)?;
    let names = files.into_iter().map(|(path, text)| {
        let name = path.file_name().and_then(|name| name.to_str());
        let name = name.with_context(|| path.display().to_string())?;
        Ok((name.to_owned(), text))
    });
    pairs(names.collect::<Result<_>>()?).with_context(|| format!("migrations/{database}"))
}

/// Takes the files of a folder two by two.
fn pairs(mut files: BTreeMap<String, String>) -> Result<Vec<Migration>> {
    let mut migrations = Vec::new();
    let names = files.keys().filter_map(|file| file.strip_suffix(UP));
    let names: Vec<String> = names.map(str::to_owned).collect();
    for name in names {
        let mut take = |direction: &str| {
            let file = format!("{name}{direction}");
            files.remove(&file).with_context(|| format!("no {file}"))
        };
        let (up, down) = (take(UP)?, take(DOWN)?);
        migrations.push(Migration { name, up, down });
    }
    let others: Vec<_> = files.into_keys().collect();
    ensure!(
        others.is_empty(),
        "neither `…{UP}` nor the way back of one: {others:?}"
    );
    Ok(migrations)
}

/// `0001_customers/up.sql` and `0001_customers/down.sql`.
fn for_diesel(Migration { name, up, down }: Migration) -> [(PathBuf, String); 2] {
    let folder = Path::new(&name);
    [(folder.join("up.sql"), up), (folder.join("down.sql"), down)]
}

/// `V1__customers.sql`. refinery has no way back.
fn for_refinery(Migration { name, up, .. }: Migration) -> Result<(String, String)> {
    let (number, rest) = name.split_once('_').with_context(|| name.clone())?;
    let number: u32 = number.parse().with_context(|| name.clone())?;
    Ok((format!("V{number}__{rest}.sql"), up))
}

/// The files of a folder and of those in it; none if there is no such folder.
fn read(root: &Path, folder: &Path, files: &mut Files) -> Result<()> {
    let path = root.join(folder);
    if !path.try_exists()? {
        return Ok(());
    }
    for entry in fs::read_dir(&path).with_context(|| path.display().to_string())? {
        let entry = entry?;
        let path = folder.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            read(root, &path, files)?;
        } else {
            let text = fs::read_to_string(entry.path());
            let text = text.with_context(|| path.display().to_string())?;
            files.insert(path, text);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(names: &[&str]) -> BTreeMap<String, String> {
        let files = names
            .iter()
            .map(|name| (name.to_string(), format!("{name};")));
        files.collect()
    }

    #[test]
    fn a_migration_has_the_names_of_each_tool() {
        let names = ["0012_key_blocks.down.sql", "0012_key_blocks.up.sql"];
        let migration = || pairs(files(&names)).unwrap().remove(0);
        let (up, down) = ("0012_key_blocks.up.sql;", "0012_key_blocks.down.sql;");
        assert_eq!(
            for_diesel(migration()),
            [
                ("0012_key_blocks/up.sql".into(), up.to_owned()),
                ("0012_key_blocks/down.sql".into(), down.to_owned()),
            ]
        );
        let expected = ("V12__key_blocks.sql".to_owned(), up.to_owned());
        assert_eq!(for_refinery(migration()).unwrap(), expected);
    }

    #[test]
    fn every_migration_has_a_way_back() {
        for (names, refusal) in [
            (&["0001_a.up.sql"][..], "no 0001_a.down.sql"),
            (&["0001_a.down.sql"], r#"["0001_a.down.sql"]"#),
            (&["0001_a.sql"], r#"["0001_a.sql"]"#),
        ] {
            let error = pairs(files(names)).unwrap_err().to_string();
            assert!(error.contains(refusal), "{error}");
        }
    }

    #[test]
    fn the_databases_have_the_same_migrations() {
        let names = |database| {
            let found = migrations(&root(), database).unwrap().into_iter();
            found.map(|migration| migration.name).collect::<Vec<_>>()
        };
        let expected = names(OF_REFINERY);
        assert!(!expected.is_empty());
        for database in OF_DIESEL {
            assert_eq!(names(database), expected, "{database}");
        }
    }
}
