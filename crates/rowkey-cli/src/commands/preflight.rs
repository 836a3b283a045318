//! `rowkey preflight`.

use std::path::PathBuf;

use clap::Args;
use rowkey_copy::{self as copy, CopyPlan};
use rowkey_doctor as doctor;
use rowkey_relayout::plan::Plan;
use rowkey_relayout::preflight::Preflight;

use crate::database::{Database, Target, progress, read_file, with_both};
use crate::failure::{Failure, Outcome, Stop};
use crate::stream::{json_line, print, text_line};

/// Show what a plan will do, and what refuses it: rows before and after, locks, time
///
/// For a plan of a copy: the values, keys and names that the target does not hold, and what stays
/// behind. Nothing is written. The exit code is 1 if the change or the copy is refused.
#[derive(Debug, Args)]
pub(crate) struct Preflights {
    /// The plan, as `rowkey plan` has written it
    plan: PathBuf,

    #[command(flatten)]
    database: Database,

    #[command(flatten)]
    target: Target,
}

/// Prints the answer.
pub(super) fn run(args: &Preflights, json: bool) -> Result<Outcome, Stop> {
    let text = read_file(&args.plan)?;
    let mut lines = Vec::new();
    let is_refused = match CopyPlan::is_in(&text) {
        true => args.of_copy(&text, json, &mut lines)?,
        false => args.of_change(&text, json, &mut lines)?,
    };
    print(&lines)?;
    Ok(match is_refused {
        false => Outcome::Complete,
        true => Outcome::SomeBad,
    })
}

impl Preflights {
    /// The answer for a change in place, and whether it is refused.
    fn of_change(&self, text: &str, json: bool, lines: &mut Vec<u8>) -> Result<bool, Failure> {
        let plan = Plan::from_toml(text)?;
        let preflight = self.database.with(async |connection| {
            let mut preflight = Preflight::read(connection, &plan).await?;
            // Otherwise rows get new ids, whatever the old ones look like.
            if let (Some(from), to) = plan.forms(connection.backend())? {
                let (table, column) = (&plan.key.table, &plan.key.column);
                let note = doctor::contradiction(connection, table, column, (from, to)).await;
                preflight.notes.extend(note);
            }
            Ok(preflight)
        })?;
        match json {
            true => json_line(lines, &preflight),
            false => write(lines, &preflight),
        }
        Ok(!preflight.refused.is_empty())
    }

    /// The answer for a copy, and whether it is refused.
    fn of_copy(&self, text: &str, json: bool, lines: &mut Vec<u8>) -> Result<bool, Failure> {
        let plan = CopyPlan::from_toml(text)?;
        #[cfg(feature = "parquet")]
        let of_files = super::parquet::preflight(&self.database, &self.target, &plan)?;
        #[cfg(not(feature = "parquet"))]
        let of_files = None;
        let mut progress = progress(json);
        let preflight = match of_files {
            Some(preflight) => preflight,
            None => with_both(&self.database, &self.target, async |source, target| {
                copy::Preflight::read(source, target, &plan, &mut *progress).await
            })?,
        };
        match json {
            true => json_line(lines, &preflight),
            false => {
                sentences(lines, &[("notes", &preflight.notes)]);
                for (kind, reasons) in preflight.refused_by_kind() {
                    let colon = if kind.is_empty() { "" } else { ": " };
                    text_line(lines, &format!("refused{colon}{kind}"));
                    for reason in reasons {
                        text_line(lines, &format!("  {reason}"));
                    }
                }
            }
        }
        Ok(!preflight.refused.is_empty())
    }
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
    sentences(
        lines,
        &[
            ("locks", &preflight.locks),
            ("notes", &preflight.notes),
            ("refused", &preflight.refused),
        ],
    );
}

/// Lists with their titles.
fn sentences(lines: &mut Vec<u8>, lists: &[(&str, &Vec<String>)]) {
    for (title, sentences) in lists {
        if !sentences.is_empty() {
            text_line(lines, title);
        }
        for sentence in *sentences {
            text_line(lines, &format!("  {sentence}"));
        }
    }
}
