//! `rowkey chunks`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use rowkey_copy::chunks::{self, MAX_RANGES, Request, TableRanges};

use crate::database::{Database, progress};
use crate::failure::{Failure, Outcome, Stop};
use crate::plan_file;
use crate::stream::{json_line, print, text_line};

/// Print ranges of the keys of a plan's tables, for engines that read in parallel
///
/// Each range is a condition in SQL. Every row fulfils exactly one of them, and they are about
/// equal: a random part of a large table is looked at, and nothing else of it is sorted.
#[derive(Debug, Args)]
pub(crate) struct Chunks {
    /// The plan of a copy, as `rowkey plan` has written it
    plan: PathBuf,

    #[command(flatten)]
    database: Database,

    /// How to print them [default: sql]
    #[arg(long, value_enum)]
    emit: Option<Emit>,

    /// The one table to divide [default: all of the plan]
    #[arg(long, value_name = "[SCHEMA.]NAME")]
    table: Option<String>,

    /// The column whose values are divided [default: the key]
    #[arg(long, value_name = "NAME", requires = "table")]
    column: Option<String>,

    /// How many ranges there are at most [default: one for each 100,000 rows]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_RANGES)))]
    chunks: Option<u32>,
}

/// How ranges are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Emit {
    /// One condition a line; behind a comment with its name for each of several tables
    Sql,
    /// One object a table: its name, its columns, and its ranges
    Json,
    /// A PySpark job that copies the tables, with addresses from the environment
    #[cfg(feature = "spark")]
    Spark,
}

/// Prints the ranges.
pub(super) fn run(args: &Chunks, json: bool) -> Result<Outcome, Stop> {
    let emit = match (args.emit, json) {
        (Some(emit), true) if emit != Emit::Json => {
            return Err(Failure::wrong_usage(
                "--json and what --emit names exclude each other",
                "write --emit json",
            )
            .into());
        }
        (Some(emit), _) => emit,
        (None, true) => Emit::Json,
        (None, false) => Emit::Sql,
    };
    let plan = plan_file::of_copy(&args.plan)?;
    let request = Request {
        table: args.table.as_deref().map(Into::into),
        column: args.column.clone(),
        ranges: args.chunks,
        ..Request::default()
    };
    let mut progress = progress(json);
    let lines = args.database.with(async |source| {
        let progress = &mut *progress;
        #[cfg(feature = "spark")]
        if emit == Emit::Spark {
            let job = chunks::spark_job(source, &plan, &request, progress).await?;
            return Ok(job.into_bytes());
        }
        let found = chunks::ranges(source, &plan, &request, progress).await?;
        let mut lines = Vec::new();
        match emit {
            Emit::Json => found.iter().for_each(|table| json_line(&mut lines, table)),
            _ => sql(&mut lines, &found),
        }
        Ok(lines)
    })?;
    print(&lines)?;
    Ok(Outcome::Complete)
}

fn sql(lines: &mut Vec<u8>, found: &[TableRanges]) {
    for table in found {
        if found.len() > 1 {
            // A name may have line breaks.
            text_line(
                lines,
                &format!("-- {}", table.table.to_string().escape_debug()),
            );
        }
        table
            .ranges
            .iter()
            .for_each(|range| text_line(lines, range));
    }
}
