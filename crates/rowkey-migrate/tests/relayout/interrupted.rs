//! A relayout in a process of its own, which can be killed.

use std::env;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};

use anyhow::{Context, Result};
use rowkey_migrate::plan::Plan;
use rowkey_migrate::relayout::{self, Phase};
use rowkey_migrate::{Address, Connection, Step};

const ADDRESS: &str = "ROWKEY_RELAYOUT_ADDRESS";
const PLAN: &str = "ROWKEY_RELAYOUT_PLAN";

/// If this process is to be killed: runs the plan up to the swap, and writes its notes as lines.
pub(crate) fn as_child() -> Option<ExitCode> {
    let (address, plan) = (env::var(ADDRESS).ok()?, env::var_os(PLAN)?);
    match relayout_of(&address, Path::new(&plan)) {
        Ok(()) => Some(ExitCode::SUCCESS),
        Err(error) => {
            eprintln!("{error:#}");
            Some(ExitCode::FAILURE)
        }
    }
}

fn relayout_of(address: &str, plan: &Path) -> Result<()> {
    let plan = Plan::from_toml(&fs::read_to_string(plan)?)?;
    let address: Address = address.parse()?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let mut connection = Connection::open(&address).await?;
        let mut progress = |step: Step| {
            if let Step::Note(note) = step {
                // Whoever started the process may be gone.
                let _ = writeln!(std::io::stdout(), "{note}");
            }
        };
        relayout::run(&mut connection, &plan, Phase::Swap, &mut progress).await?;
        Ok(())
    })
}

/// Starts the process.
pub(crate) fn start(address: &str, plan: &Path) -> Result<Child> {
    Command::new(env::current_exe()?)
        .env(ADDRESS, address)
        .env(PLAN, plan)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .context("a process for the relayout")
}
