//! The short fuzz run of `cargo xtask ci`.

use std::path::PathBuf;

use anyhow::{Result, bail};

use crate::{command, workspace};

/// Seconds that all targets share.
const BUDGET_SECONDS: usize = 180;

/// The fuzz workspace, which is separate from the main one because its targets
/// only link with the instrumentation that `cargo fuzz` adds.
pub(crate) fn manifest() -> Result<PathBuf> {
    let manifest = workspace::root().join("fuzz").join("Cargo.toml");
    if !manifest.is_file() {
        bail!("there are no fuzz targets: fuzz/Cargo.toml does not exist");
    }
    Ok(manifest)
}

/// Builds every fuzz target and runs each for its share of the time budget.
///
/// Runs without a sanitizer: coverage instrumentation alone works with a stable
/// toolchain, and the properties are about values, not about memory.
pub(crate) fn run() -> Result<()> {
    manifest()?;
    let list = command::output(&mut command::cargo(&["fuzz", "list"]))?;
    let targets: Vec<&str> = list.split_whitespace().collect();
    let Some(seconds) = BUDGET_SECONDS.checked_div(targets.len()) else {
        bail!("`cargo fuzz list` names no target");
    };
    let seconds = seconds.max(1);

    // First, so that no target spends its time on building.
    command::run(&mut command::cargo(&[
        "fuzz",
        "build",
        "--sanitizer",
        "none",
    ]))?;
    for target in targets {
        let limit = format!("-max_total_time={seconds}");
        command::run(&mut command::cargo(&[
            "fuzz",
            "run",
            "--sanitizer",
            "none",
            target,
            "--",
            &limit,
            // The figures at the end are of use in a log, each new input is not.
            "-verbosity=0",
            "-print_final_stats=1",
        ]))?;
    }
    Ok(())
}
