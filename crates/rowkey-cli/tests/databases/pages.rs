//! The stories in the book: every statement and every command of a page runs, in their order, and
//! prints what the page shows.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use rowkey_testkit::{Backend, Server, TestDatabase, test_name};

use crate::offers::{block_on, connect};
use crate::run::{Finished, rowkey_between};

/// What stands for something that is not the same each time, such as a hash or a duration.
const ANYTHING: char = '…';

/// What comes before a probability of times up to now, which grows each day.
const CHANCE: &str = "one in ";

/// Runs the blocks of a page: `sql` on the database, and the commands of `console`. The `toml`
/// blocks are the content of plan.toml at that point. Other words behind the language name the
/// database for readers, and keep a block out of the tests that have none.
pub(crate) fn run(database: &TestDatabase, page: &str) -> Result<()> {
    run_between(database, None, page, None)
}

/// The same for a page about two databases. Blocks with the name of the other one's backend are
/// about that.
pub(crate) fn run_to(
    database: &TestDatabase,
    (target, server): (Backend, &Server),
    page: &str,
) -> Result<()> {
    let other = server.create_database()?;
    run_between(database, Some((test_name(target), &other)), page, None)
}

/// The same with the programs of the page, which some Python runs. They print the block of `text`
/// behind them.
#[cfg(feature = "parquet")]
pub(crate) fn run_to_with(
    database: &TestDatabase,
    (target, server): (Backend, &Server),
    page: &str,
    python: &OsStr,
) -> Result<()> {
    let other = server.create_database()?;
    run_between(
        database,
        Some((test_name(target), &other)),
        page,
        Some(python),
    )
}

fn run_between(
    database: &TestDatabase,
    target: Option<(&str, &TestDatabase)>,
    page: &str,
    python: Option<&OsStr>,
) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let mut commands = 0;
    let mut printed: Option<String> = None;
    for block in page.split("\n```").skip(1).step_by(2) {
        let (info, block) = block.split_once('\n').context("a block has lines")?;
        let mut words = info.split([' ', ',']);
        let (language, backend) = (words.next().unwrap_or_default(), words.next());
        if let Some(printed) = printed.take() {
            ensure!(
                language == "text" && is_like(printed.trim_end(), block.trim_end()),
                "a program prints\n{printed}"
            );
        }
        match language {
            "sql" => match target.filter(|(name, _)| Some(*name) == backend) {
                Some((_, target)) => statements(target, block)?,
                None => statements(database, block)?,
            },
            "console" => {
                for command in block.split("$ rowkey ").skip(1) {
                    let (arguments, shown) = command.split_once('\n').unwrap_or((command, ""));
                    let (from, to) = match target {
                        Some((name, target)) if Some(name) == backend => (target, Some(database)),
                        target => (database, target.map(|(_, target)| target)),
                    };
                    let to = to.map(TestDatabase::url);
                    let finished = rowkey_between(from, to, folder.path(), arguments)?;
                    let printed = shown_of(finished);
                    ensure!(
                        is_like(printed.trim_end(), shown.trim_end()),
                        "rowkey {arguments}\nprints\n{printed}\nand the page shows\n{shown}"
                    );
                    commands += 1;
                }
            }
            "toml" => {
                let plan = std::fs::read_to_string(folder.path().join("plan.toml"))?;
                ensure!(
                    is_like(plan.trim_end(), block.trim_end()),
                    "the plan is\n{plan}"
                );
            }
            "python" if let Some(python) = python => {
                printed = Some(program(python, folder.path(), block)?);
            }
            // Programs, which other tests compile.
            "rust" | "python" | "text" => {}
            other => bail!("the page has a block of the language {other:?}"),
        }
    }
    ensure!(commands > 0, "the page has no commands");
    Ok(())
}

/// What a program prints.
fn program(python: &OsStr, folder: &Path, program: &str) -> Result<String> {
    let mut command = Command::new(python);
    let output = command.args(["-c", program]).current_dir(folder).output()?;
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{errors}");
    Ok(String::from_utf8(output.stdout)?)
}

/// What a page shows of a run: the answer, or the error. Progress, which a terminal overwrites, is
/// left out.
fn shown_of(finished: Finished) -> String {
    match finished.code {
        0 => finished.output,
        _ => {
            let errors = finished.errors.lines();
            let error = errors.skip_while(|line| !line.starts_with("error: "));
            let lines: Vec<&str> = finished.output.lines().chain(error).collect();
            lines.join("\n")
        }
    }
}

fn statements(database: &TestDatabase, block: &str) -> Result<()> {
    block_on(async {
        let mut connection = connect(database).await?;
        for statement in block
            .split(";\n")
            .map(str::trim)
            .filter(|text| !text.is_empty())
        {
            connection.execute(statement, statement).await?;
        }
        Ok(())
    })
}

/// Whether a text is what the page shows, where an ellipsis stands for anything within a line, and
/// alone on a line for any lines.
fn is_like(printed: &str, shown: &str) -> bool {
    let (printed, shown): (Vec<_>, Vec<_>) = (printed.lines().collect(), shown.lines().collect());
    are_like(&printed, &shown)
}

fn are_like(printed: &[&str], shown: &[&str]) -> bool {
    match (printed, shown) {
        ([], []) => true,
        (_, [line, rest @ ..]) if line.chars().eq([ANYTHING]) => {
            (0..=printed.len()).any(|skipped| are_like(&printed[skipped..], rest))
        }
        ([printed, lines @ ..], [shown, rest @ ..]) => {
            is_line_like(printed, shown) && are_like(lines, rest)
        }
        _ => false,
    }
}

fn is_line_like(printed: &str, shown: &str) -> bool {
    if let (Some((printed, chance)), Some((shown, other))) =
        (printed.split_once(CHANCE), shown.split_once(CHANCE))
    {
        let number = |letter: char| letter.is_ascii_digit();
        let (chance, other) = (
            chance.trim_start_matches(number),
            other.trim_start_matches(number),
        );
        return is_line_like(printed, shown) && is_line_like(chance, other);
    }
    let mut rest = printed;
    let mut pieces = shown.split(ANYTHING);
    let first = pieces.next().unwrap_or_default();
    let Some(after) = rest.strip_prefix(first) else {
        return false;
    };
    rest = after;
    let mut pieces = pieces.peekable();
    if pieces.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(piece) = pieces.next() {
        if pieces.peek().is_none() {
            return rest.ends_with(piece);
        }
        match rest.find(piece) {
            Some(place) => rest = &rest[place + piece.len()..],
            None => return false,
        }
    }
    true
}
