//! `rowkey relayout` and `rowkey rekey`.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{ArgGroup, Args};
use rowkey_core::Backend;
use rowkey_relayout::plan::Plan;
use rowkey_relayout::{self as relayout, Phase};
use rowkey_tables::{Connection, Error};
use serde::Serialize;

use crate::database::{Database, progress};
use crate::failure::{Failure, Outcome, Stop};
use crate::plan_file;
use crate::statements::{self, Part};
use crate::stream::{json_line, print, text_line};

/// Change how a key and its references are stored, in place, while programs write
///
/// Does the phases expand, backfill, check and swap, each of which is recorded in the database:
/// after an interruption, the same command goes on. Until --contract, --undo takes everything back.
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("what").args(["phase", "undo", "contract"])))]
pub(crate) struct Relayout {
    /// The plan, as `rowkey plan` has written it
    plan: PathBuf,

    #[command(flatten)]
    database: Database,

    /// Stop after this phase
    #[arg(long, value_name = "PHASE", value_parser = phase_parser())]
    phase: Option<Phase>,

    /// Take everything back, and keep what was written since
    #[arg(long)]
    undo: bool,

    /// Drop the old columns, after which nothing can be taken back
    #[arg(long)]
    contract: bool,

    /// Print the SQL that would run, and change nothing
    ///
    /// Also with --phase or --contract. What an --undo runs depends on what was written since. For
    /// SQL Server, nothing is run, and all of it is printed, before the first phase has run.
    #[arg(long, conflicts_with = "undo")]
    dry_run: bool,
}

fn phase_parser() -> impl TypedValueParser<Value = Phase> {
    PossibleValuesParser::new(Phase::ALL.map(Phase::name)).try_map(|name| {
        let phase = Phase::ALL.into_iter().find(|phase| phase.name() == name);
        phase.ok_or("there is no such phase")
    })
}

/// What was done.
#[derive(Serialize)]
struct Answer {
    table: String,
    column: String,
    done: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    next: &'static str,
}

/// What kind of change a command makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ChangeKind {
    /// The ids stay.
    Relayout,
    /// Rows get new ids.
    Rekey,
}

/// Changes the key.
pub(super) fn run(args: &Relayout, kind: ChangeKind, json: bool) -> Result<Outcome, Stop> {
    let plan = plan_file::of_change(&args.plan)?;
    check_kind(&plan, kind)?;
    let backend = plan.backend().map_err(Failure::from)?;
    if args.dry_run || backend == Backend::SqlServer {
        let last = args.phase.unwrap_or(Phase::Swap);
        let script = args
            .database
            .with(async |connection| match (args.undo, args.contract) {
                (true, _) => relayout::undo_script(connection, &plan).await,
                (_, true) => relayout::contract_script(connection, &plan).await,
                _ => relayout::script(connection, &plan, last).await,
            })?;
        let parts: Vec<Part> = script.iter().map(|line| part(line)).collect();
        return statements::print(backend, &parts, json);
    }
    let mut progress = progress(json);
    let reached = args.database.with(
        async |connection: &mut Connection| -> Result<Option<Phase>, Error> {
            if args.undo {
                relayout::undo(connection, &plan, &mut *progress).await?;
                Ok(None)
            } else if args.contract {
                relayout::contract(connection, &plan, &mut *progress).await?;
                Ok(None)
            } else {
                let last = args.phase.unwrap_or(Phase::Swap);
                relayout::run(connection, &plan, last, &mut *progress).await?;
                relayout::reached(connection, &plan).await
            }
        },
    )?;
    answer(&plan, args, reached, json)
}

/// A line of the script: a comment, or a statement, whose end the output adds.
fn part(line: &str) -> Part {
    match line.starts_with("--") {
        true => Part::Piece(line.into()),
        false => Part::Statement(line.trim_end_matches(';').into()),
    }
}

fn check_kind(plan: &Plan, kind: ChangeKind) -> Result<(), Failure> {
    match (kind, &plan.key.from) {
        (ChangeKind::Relayout, Some(_)) | (ChangeKind::Rekey, None) => Ok(()),
        (ChangeKind::Relayout, None) => Err(Failure::wrong_usage(
            "the plan gives rows new ids",
            "run `rowkey rekey` with it",
        )),
        (ChangeKind::Rekey, Some(_)) => Err(Failure::wrong_usage(
            "the plan keeps the ids",
            "run `rowkey relayout` with it",
        )),
    }
}

fn answer(
    plan: &Plan,
    args: &Relayout,
    reached: Option<Phase>,
    json: bool,
) -> Result<Outcome, Stop> {
    let (done, next) = match (args.undo, args.contract, reached.or(args.phase)) {
        (true, ..) => ("undone", ""),
        (_, true, _) => ("contracted", ""),
        (.., Some(phase)) if phase != Phase::Swap => {
            (phase.name(), "the same command without --phase goes on")
        }
        _ => (
            Phase::Swap.name(),
            "deploy programs with the new declaration; then --contract, or --undo",
        ),
    };
    let passed = args.phase.filter(|phase| Some(*phase) < reached);
    let answer = Answer {
        note: passed.map(|phase| format!("the change is further than {} already", phase.name())),
        table: plan.key.table.to_string(),
        column: plan.key.column.clone(),
        done,
        next,
    };
    let mut line = Vec::new();
    if json {
        json_line(&mut line, &answer);
    } else {
        let Answer {
            table,
            column,
            note,
            ..
        } = &answer;
        text_line(&mut line, &format!("{table}.{column}: {done}"));
        if let Some(note) = note {
            text_line(&mut line, &format!("note: {note}"));
        }
        if !next.is_empty() {
            text_line(&mut line, &format!("next: {next}"));
        }
    }
    print(&line)?;
    Ok(Outcome::Complete)
}
