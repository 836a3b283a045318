//! Tables as Parquet files: what `plan`, `preflight`, `copy` and `verify` do where an address is
//! `parquet:FOLDER`.

use std::path::PathBuf;

use rowkey_copy::parquet::{self, NAME};
use rowkey_copy::{Comparison, CopyPlan, Preflight, Report};
use rowkey_doctor as doctor;
use rowkey_tables::Progress;

use crate::database::{Database, Target};
use crate::failure::Failure;

/// Where files are, and which side of a copy that is.
enum Files {
    Source(PathBuf),
    Target(PathBuf),
}

/// The folder that stands in the place of a database, if one does.
fn files(database: &Database, target: &Target) -> Result<Option<Files>, Failure> {
    match (database.folder(), target.folder()) {
        (Some(_), Some(_)) => Err(Failure::wrong_usage(
            "both addresses are folders",
            "copy files as your system does, or give the address of a database",
        )),
        (Some(folder), None) => Ok(Some(Files::Source(folder))),
        (None, Some(folder)) => Ok(Some(Files::Target(folder))),
        (None, None) => Ok(None),
    }
}

/// The folder for a plan, of which one side is files.
fn files_of(
    plan: &CopyPlan,
    database: &Database,
    target: &Target,
) -> Result<Option<Files>, Failure> {
    let files = files(database, target)?;
    let (option, is_given) = match (&files, plan.source == NAME, plan.target == NAME) {
        (_, true, _) => ("--url", matches!(files, Some(Files::Source(_)))),
        (_, _, true) => ("--target", matches!(files, Some(Files::Target(_)))),
        (None, ..) => return Ok(None),
        (Some(_), ..) => {
            return Err(Failure::wrong_usage(
                "the plan is for two databases, and an address is a folder",
                "write a plan for it with `rowkey plan` and the same addresses",
            ));
        }
    };
    match is_given {
        true => Ok(files),
        false => Err(Failure::wrong_usage(
            "the plan is for Parquet files",
            format!("give their folder: {option} parquet:FOLDER"),
        )),
    }
}

/// The plan for a copy to or from a folder, if one is named.
pub(super) fn plan(
    database: &Database,
    target: &Target,
    progress: &mut dyn Progress,
) -> Result<Option<CopyPlan>, Failure> {
    match files(database, target)? {
        None => Ok(None),
        Some(Files::Target(_)) => database
            .with(async |source| parquet::plan(source, progress, doctor::stored_ids).await)
            .map(Some),
        Some(Files::Source(folder)) => target
            .with(async |target| parquet::plan_back(&folder, target.backend()))
            .map(Some),
    }
}

/// What refuses a copy to or from a folder, if the plan is for one.
pub(super) fn preflight(
    database: &Database,
    target: &Target,
    plan: &CopyPlan,
) -> Result<Option<Preflight>, Failure> {
    match files_of(plan, database, target)? {
        None => Ok(None),
        Some(Files::Target(folder)) => database
            .with(async |source| parquet::preflight(source, plan, &folder).await)
            .map(Some),
        Some(Files::Source(folder)) => target
            .with(async |target| parquet::preflight_back(&folder, target, plan).await)
            .map(Some),
    }
}

/// Copies to or from a folder, if the plan is for one.
pub(super) fn copy(
    database: &Database,
    target: &Target,
    plan: &CopyPlan,
    (create, jobs): (bool, u32),
    progress: &mut dyn Progress,
) -> Result<Option<Report>, Failure> {
    let Some(files) = files_of(plan, database, target)? else {
        return Ok(None);
    };
    if jobs > 1 {
        return Err(Failure::wrong_usage(
            "files are written and read by one job",
            "leave out --jobs",
        ));
    }
    match files {
        Files::Target(_) if create => Err(Failure::wrong_usage(
            "--create makes tables, and files are always made",
            "leave out --create",
        )),
        Files::Target(folder) => database
            .with(async |source| parquet::write(source, plan, &folder, progress).await)
            .map(Some),
        Files::Source(folder) => target
            .with(async |target| parquet::read(&folder, target, plan, create, progress).await)
            .map(Some),
    }
}

/// Compares a database with a folder, if the plan is for one.
pub(super) fn compare(
    database: &Database,
    target: &Target,
    plan: &CopyPlan,
    progress: &mut dyn Progress,
) -> Result<Option<Comparison>, Failure> {
    match files_of(plan, database, target)? {
        None => Ok(None),
        Some(Files::Target(folder)) => database
            .with(async |source| parquet::compare(source, plan, &folder, progress).await)
            .map(Some),
        Some(Files::Source(folder)) => target
            .with(async |target| parquet::compare(target, plan, &folder, progress).await)
            .map(Some),
    }
}
