//! `rowkey verify`.

use std::path::PathBuf;

use clap::Args;
use rowkey_copy::{self as copy, ComparedTable, CopyPlan};
use rowkey_relayout::plan::Plan;
use rowkey_relayout::verify::{Verification, verify};

#[cfg(feature = "parquet")]
use crate::commands::parquet;
use crate::database::{Database, Target, progress, read_file, with_both};
use crate::failure::{Failure, Outcome, Stop};
use crate::stream::{json_line, print, text_line};

/// Compare the tables of a plan with what they were before the swap, or with their copies
///
/// With the plan of a copy, all rows of both databases are compared by hashes. With another one, as
/// long as the old values are kept, all rows are compared by hashes. Afterwards, the new values are
/// still checked: whether they are ids of the format, and whether references have a target. Nothing
/// is written. The exit code is 1 if something differs. SQLite keeps old values as they were at the
/// swap, so that rows that differ from them there are only noted.
#[derive(Debug, Args)]
pub(crate) struct Verify {
    /// The plan, as `rowkey plan` has written it
    plan: PathBuf,

    #[command(flatten)]
    database: Database,

    #[command(flatten)]
    target: Target,
}

/// Prints what was found.
pub(super) fn run(args: &Verify, json: bool) -> Result<Outcome, Stop> {
    let text = read_file(&args.plan)?;
    if CopyPlan::is_in(&text) {
        return compare(args, &text, json);
    }
    let plan = Plan::from_toml(&text).map_err(Failure::from)?;
    let mut progress = progress(json);
    let found = args
        .database
        .with(async |connection| verify(connection, &plan, &mut *progress).await)?;
    let mut lines = Vec::new();
    if json {
        json_line(&mut lines, &found);
    } else {
        write(&mut lines, &found);
    }
    print(&lines)?;
    Ok(match found.differences.is_empty() {
        true => Outcome::Complete,
        false => Outcome::SomeBad,
    })
}

/// Prints how the copies of a plan's tables differ.
fn compare(args: &Verify, plan: &str, json: bool) -> Result<Outcome, Stop> {
    let plan = CopyPlan::from_toml(plan).map_err(Failure::from)?;
    let mut progress = progress(json);
    let (database, target) = (&args.database, &args.target);
    #[cfg(feature = "parquet")]
    let files = parquet::compare(database, target, &plan, &mut *progress)?;
    #[cfg(not(feature = "parquet"))]
    let files = None;
    let found = match files {
        Some(found) => found,
        None => with_both(database, target, async |source, target| {
            copy::compare(source, target, &plan, &mut *progress).await
        })?,
    };
    let mut lines = Vec::new();
    if json {
        json_line(&mut lines, &found);
    } else {
        for table in &found.tables {
            text_line(&mut lines, &compared(table));
        }
        for line in &found.unfinished {
            text_line(&mut lines, &format!("differs: {line}"));
        }
        for line in &found.kept {
            text_line(&mut lines, &format!("not compared: {line}"));
        }
    }
    print(&lines)?;
    Ok(match found.is_equal() {
        true => Outcome::Complete,
        false => Outcome::SomeBad,
    })
}

fn compared(table: &ComparedTable) -> String {
    let (name, rows, target_rows) = (&table.table, table.rows, table.target_rows);
    match &table.difference {
        None => format!("{name}: {rows} rows, equal"),
        Some(difference) => {
            format!("differs: {name}: {rows} rows, and {target_rows} in the target; {difference}")
        }
    }
}

fn write(lines: &mut Vec<u8>, found: &Verification) {
    for table in &found.tables {
        let compared = match table.old_rows {
            Some(old) => format!("compared with {old} rows of before"),
            None => "checked".to_owned(),
        };
        text_line(
            lines,
            &format!("{}: {} rows, {compared}", table.table, table.rows),
        );
    }
    for note in &found.notes {
        text_line(lines, &format!("note: {note}"));
    }
    for difference in &found.differences {
        let place = match &difference.column {
            Some(column) => format!("{}.{column}", difference.table),
            None => difference.table.to_string(),
        };
        text_line(lines, &format!("differs: {place}: {}", difference.found));
    }
}
