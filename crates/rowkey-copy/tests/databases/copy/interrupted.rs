//! A copy in a process of its own, which ends without any warning.

use std::env;
use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode, ExitStatus, Stdio};

use anyhow::Result;
use rowkey_copy::{CopyPlan, Request};
use rowkey_tables::{Address, Connection, Step};

const SOURCE: &str = "ROWKEY_COPY_SOURCE";
const TARGET: &str = "ROWKEY_COPY_TARGET";
const PLAN: &str = "ROWKEY_COPY_PLAN";
const STEPS: &str = "ROWKEY_COPY_STEPS";
/// The jobs, and the rows of a part.
const JOBS: &str = "ROWKEY_COPY_JOBS";
const PART_ROWS: &str = "ROWKEY_COPY_PART_ROWS";

/// If this process is to end early: copies until it has heard some steps.
pub(crate) fn as_child() -> Option<ExitCode> {
    let [source, target, plan, steps] =
        [SOURCE, TARGET, PLAN, STEPS].map(|name| env::var(name).ok());
    match copy_of(&source?, &target?, Path::new(&plan?), steps?.parse().ok()?) {
        Ok(()) => Some(ExitCode::SUCCESS),
        Err(error) => {
            eprintln!("{error:#}");
            Some(ExitCode::FAILURE)
        }
    }
}

fn copy_of(source: &str, target: &str, plan: &Path, mut steps: u32) -> Result<()> {
    let plan = CopyPlan::from_toml(&fs::read_to_string(plan)?)?;
    let (source, target): (Address, Address) = (source.parse()?, target.parse()?);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let mut source = Connection::open(&source).await?;
        let mut target = Connection::open(&target).await?;
        let mut progress = |step: Step| {
            // A repetition isn't progress.
            if matches!(&step, Step::Begins(what) if what.starts_with("reading again")) {
                return;
            }
            steps -= 1;
            if steps == 0 {
                // As with kill -9, nothing is closed and no destructor runs.
                std::process::abort();
            }
        };
        rowkey_copy::copy(&mut source, &mut target, &plan, &request()?, &mut progress).await?;
        Ok(())
    })
}

fn request() -> Result<Request> {
    Ok(Request {
        create: true,
        jobs: env::var(JOBS)?.parse()?,
        part_rows: env::var(PART_ROWS)?.parse()?,
    })
}

/// Runs the process to its end.
pub(crate) fn run(
    source: &str,
    target: &str,
    plan: &Path,
    steps: u32,
    request: &Request,
) -> Result<ExitStatus> {
    Ok(Command::new(env::current_exe()?)
        .env(SOURCE, source)
        .env(TARGET, target)
        .env(PLAN, plan)
        .env(STEPS, steps.to_string())
        .env(JOBS, request.jobs.to_string())
        .env(PART_ROWS, request.part_rows.to_string())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .status()?)
}
