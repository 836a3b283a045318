//! What refuses a copy to files or from them, before its first row.

use std::path::Path;

use super::NAME;
use super::file::path_of;
use super::plan::{exports, imports};
use super::read::check_import;
use super::write::{exists, notes_of};
use rowkey_tables::catalog::Catalog;
use rowkey_tables::{Connection, Error};

use crate::plans::plan::CopyPlan;
use crate::preflight::Preflight;
use crate::preflight::existing::check_triggers;

/// Of values, this is known later.
const VALUES: &str =
    "values are looked at while they are copied; if one has no place, nothing stays behind";

/// What refuses a copy into the files of a folder. Nothing is written.
///
/// # Errors
///
/// [`Error::Database`] if the database refuses a query. What refuses the copy is in the answer.
pub async fn preflight(
    source: &mut Connection,
    plan: &CopyPlan,
    folder: &Path,
) -> Result<Preflight, Error> {
    let catalog = Catalog::read(source).await?;
    let mut found = answer(source.backend().name(), NAME);
    match exports(plan, &catalog) {
        Err(error) => refuse(&mut found, error)?,
        Ok(exports) => {
            for export in exports {
                let path = path_of(folder, &export.name);
                let path = path.and_then(|path| match path.exists() {
                    true => Err(exists(&path)),
                    false => Ok(()),
                });
                path.or_else(|error| refuse(&mut found, error))?;
                found.notes.extend(notes_of(&export));
            }
        }
    }
    found.notes.extend(catalog.unseen);
    Ok(found)
}

/// What refuses a copy from the files of a folder. Tables that do not exist are to be made.
///
/// # Errors
///
/// As [`preflight`].
pub async fn preflight_back(
    folder: &Path,
    target: &mut Connection,
    plan: &CopyPlan,
) -> Result<Preflight, Error> {
    let mut found = answer(NAME, target.backend().name());
    let imports = match imports(plan, folder) {
        Ok(imports) => imports,
        Err(error) => {
            refuse(&mut found, error)?;
            return Ok(found);
        }
    };
    let catalog = Catalog::read(target).await?;
    let names: Vec<_> = imports.iter().map(|import| &import.to.name).collect();
    for import in &imports {
        let table = &import.to.name;
        let is_there = catalog.tables.iter().any(|there| there.name == *table);
        if !is_there {
            found
                .notes
                .push(format!("{table} is to be made (--create)"));
        }
        let checked = check_import(target, &catalog, import, &names, !is_there).await;
        checked.or_else(|error| refuse(&mut found, error))?;
        match check_triggers(&catalog, &import.to) {
            Ok(note) => found.notes.extend(note),
            Err(error) => refuse(&mut found, error)?,
        }
    }
    found.notes.extend(catalog.unseen);
    Ok(found)
}

fn answer(source: &'static str, target: &'static str) -> Preflight {
    Preflight {
        source,
        target,
        values: Vec::new(),
        refused: Vec::new(),
        kinds: Vec::new(),
        notes: vec![VALUES.into()],
    }
}

/// Adds what an error is about, unless a database could not answer.
fn refuse(found: &mut Preflight, error: Error) -> Result<(), Error> {
    match error {
        Error::Database { .. } => Err(error),
        error => {
            found.refused.push(error.to_string());
            Ok(())
        }
    }
}
