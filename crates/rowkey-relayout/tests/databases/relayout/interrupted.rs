//! A change in a process of its own, which can be killed.

use std::env;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};

use anyhow::{Context, Result};
use rowkey_relayout::plan::Plan;
use rowkey_relayout::{self as relayout, Phase};
use rowkey_tables::{Address, Connection, Step};

const ADDRESS: &str = "ROWKEY_RELAYOUT_ADDRESS";
const PLAN: &str = "ROWKEY_RELAYOUT_PLAN";
const WAY: &str = "ROWKEY_RELAYOUT_WAY";

/// Where a process goes with a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    ToSwap,
    Undo,
    Contract,
}

impl Way {
    const ALL: [Self; 3] = [Self::ToSwap, Self::Undo, Self::Contract];
}

/// If this process is to be killed: goes its way, and writes its phases and notes as lines.
pub(crate) fn as_child() -> Option<ExitCode> {
    let (address, plan) = (env::var(ADDRESS).ok()?, env::var_os(PLAN)?);
    let way = env::var(WAY).ok()?;
    let way = Way::ALL.into_iter().find(|one| format!("{one:?}") == way)?;
    match go(way, &address, Path::new(&plan)) {
        Ok(()) => Some(ExitCode::SUCCESS),
        Err(error) => {
            eprintln!("{error:#}");
            Some(ExitCode::FAILURE)
        }
    }
}

fn go(way: Way, address: &str, plan: &Path) -> Result<()> {
    let plan = Plan::from_toml(&fs::read_to_string(plan)?)?;
    let address: Address = address.parse()?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let mut connection = Connection::open(&address).await?;
        let mut progress = |step: Step| {
            let line = match step {
                Step::Begins(phase) => format!("{PHASE}{phase}"),
                Step::Note(note) => note,
                _ => return,
            };
            // Whoever started the process may be gone.
            let _ = writeln!(std::io::stdout(), "{line}");
        };
        match way {
            Way::ToSwap => {
                relayout::run(&mut connection, &plan, Phase::Swap, &mut progress).await?;
            }
            Way::Undo => relayout::undo(&mut connection, &plan, &mut progress).await?,
            Way::Contract => relayout::contract(&mut connection, &plan, &mut progress).await?,
        }
        Ok(())
    })
}

/// What comes before the name of a phase.
const PHASE: &str = "phase ";

/// The notes among the lines that a process has written.
pub(crate) fn notes(output: &[u8]) -> String {
    let lines = String::from_utf8_lossy(output);
    let notes = lines.lines().filter(|line| !line.starts_with(PHASE));
    notes.collect::<Vec<_>>().join(", ")
}

/// Waits until a process begins a phase; whether it does.
pub(crate) fn begins(process: &mut Child) -> Result<bool> {
    let output = process.stdout.as_mut().context("the lines")?;
    let first = BufReader::new(output).lines().next().transpose()?;
    Ok(first.is_some())
}

/// Starts the process.
pub(crate) fn start(way: Way, address: &str, plan: &Path) -> Result<Child> {
    Command::new(env::current_exe()?)
        .env(ADDRESS, address)
        .env(PLAN, plan)
        .env(WAY, format!("{way:?}"))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .context("a process for the change")
}
