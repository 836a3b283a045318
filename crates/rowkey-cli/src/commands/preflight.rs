//! `rowkey preflight`.

use std::path::PathBuf;

use clap::Args;
use rowkey_migrate::plan::Plan;
use rowkey_migrate::preflight::Preflight;

use crate::database::{Database, read_file};
use crate::failure::{Failure, Outcome, Stop};
use crate::stream::{json_line, output, text_line};

/// Show what a plan will do, and what refuses it: rows before and after, locks, time
///
/// Nothing is written. The exit code is 1 if the change is refused.
#[derive(Debug, Args)]
pub(crate) struct Preflights {
    /// The plan, as `rowkey plan` has written it
    plan: PathBuf,

    #[command(flatten)]
    database: Database,
}

/// Prints the answer.
pub(super) fn run(args: &Preflights, json: bool) -> Result<Outcome, Stop> {
    let plan = Plan::from_toml(&read_file(&args.plan)?).map_err(Failure::from)?;
    let preflight = args
        .database
        .with(async |connection| Preflight::read(connection, &plan).await)?;
    let mut lines = Vec::new();
    if json {
        json_line(&mut lines, &preflight);
    } else {
        write(&mut lines, &preflight);
    }
    let mut output = output();
    std::io::Write::write_all(&mut output, &lines)?;
    std::io::Write::flush(&mut output)?;
    Ok(match preflight.refused.is_empty() {
        true => Outcome::Complete,
        false => Outcome::SomeBad,
    })
}

fn write(lines: &mut Vec<u8>, preflight: &Preflight) {
    for part in &preflight.columns {
        text_line(
            lines,
            &format!(
                "{}.{} becomes {}: {} values, {} damaged, about {:.1} s to convert",
                part.table,
                part.column,
                part.becomes,
                part.values,
                part.damaged,
                part.conversion_seconds,
            ),
        );
        for sample in &part.samples {
            let after = sample.after.as_deref().unwrap_or("cannot be converted");
            text_line(lines, &format!("  {}  ->  {after}", sample.before));
        }
    }
    for (title, sentences) in [
        ("locks", &preflight.locks),
        ("notes", &preflight.notes),
        ("refused", &preflight.refused),
    ] {
        if !sentences.is_empty() {
            text_line(lines, title);
        }
        for sentence in sentences {
            text_line(lines, &format!("  {sentence}"));
        }
    }
}
