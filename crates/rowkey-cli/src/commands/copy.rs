//! `rowkey copy`.

use std::path::PathBuf;

use clap::Args;
use rowkey_copy::{self as copy, MAX_JOBS, Report, Request};

#[cfg(feature = "parquet")]
use crate::commands::parquet;
use crate::database::{Database, Target, progress, with_both_in};
use crate::failure::{Outcome, Stop};
use crate::plan_file;
use crate::stream::{json_line, print, text_line};

/// Copy the tables of a plan to another database, with keys that change their form on the way
///
/// Rows are committed together with the last key of them: after an interruption, the same command
/// continues after that key, so every row is copied exactly once. What has no place in the target
/// is refused before the first row.
#[derive(Debug, Args)]
pub(crate) struct Copies {
    /// The plan, as `rowkey plan` has written it
    plan: PathBuf,

    #[command(flatten)]
    database: Database,

    #[command(flatten)]
    target: Target,

    /// Make the tables, and their indexes and references after the rows
    #[arg(long)]
    create: bool,

    /// How many tables, and parts of large tables, are copied at the same time
    ///
    /// Each of them has two connections. All readers see the source at the same moment; MySQL and
    /// MariaDB lock the tables for that moment, which needs the privilege LOCK TABLES. SQLite is
    /// read and written by one at a time.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_JOBS)))]
    jobs: u32,
}

/// Copies, and prints what was copied.
pub(super) fn run(args: &Copies, json: bool) -> Result<Outcome, Stop> {
    let plan = plan_file::of_copy(&args.plan)?;
    let mut progress = progress(json);
    let request = Request {
        create: args.create,
        jobs: args.jobs,
        ..Request::default()
    };
    let (database, target) = (&args.database, &args.target);
    #[cfg(feature = "parquet")]
    let files = parquet::copy(
        database,
        target,
        &plan,
        (args.create, args.jobs),
        &mut *progress,
    )?;
    #[cfg(not(feature = "parquet"))]
    let files = None;
    let report = match files {
        Some(report) => report,
        None => with_both_in(args.jobs, database, target, async |source, target| {
            copy::copy(source, target, &plan, &request, &mut *progress).await
        })?,
    };
    let mut lines = Vec::new();
    if json {
        json_line(&mut lines, &report);
    } else {
        write(&mut lines, &report);
    }
    print(&lines)?;
    let is_changed = report.tables.iter().any(|table| table.changed.is_some());
    Ok(match is_changed {
        true => Outcome::SomeBad,
        false => Outcome::Complete,
    })
}

fn write(lines: &mut Vec<u8>, report: &Report) {
    for table in &report.tables {
        let before = match table.rows_before {
            0 => String::new(),
            rows => format!(", {rows} of them before"),
        };
        let line = format!(
            "{} to {}: {} rows{before}, hash {}",
            table.table, table.becomes, table.rows, table.hash
        );
        text_line(lines, &line);
        if let Some(changed) = &table.changed {
            let keys = changed.keys.join(", ");
            let line = format!(
                "differs: {}: the source has changed since an earlier run has copied rows, such as those with \
                 the keys {keys}; drop the tables of the target and rowkey_copy, and copy again",
                table.table
            );
            text_line(lines, &line);
        }
    }
    for note in &report.notes {
        text_line(lines, &format!("note: {note}"));
    }
}
