//! The short fuzz run of `cargo xtask ci`.

use anyhow::{Result, bail};

use crate::command;

/// The fuzz workspace, which is separate from the main one because its targets
/// only link with the instrumentation that `cargo fuzz` adds.
pub(crate) const MANIFEST: &str = "fuzz/Cargo.toml";

/// Seconds that all targets share.
const BUDGET_SECONDS: usize = 180;

/// Builds every fuzz target and runs each for its share of the time budget, and looks at their
/// lints.
///
/// Runs without a sanitizer: coverage instrumentation alone works with a stable
/// toolchain, and the properties are about values, not about memory.
pub(crate) fn run() -> Result<()> {
    let list = command::output(&mut command::cargo(&["fuzz", "list"]))?;
    let targets: Vec<&str> = list.split_whitespace().collect();
    let Some(seconds) = BUDGET_SECONDS.checked_div(targets.len()) else {
        bail!("`cargo fuzz list` names no target");
    };
    let seconds = seconds.max(1);

    let lints = ["clippy", "--all-targets", "--manifest-path", MANIFEST];
    command::run(command::cargo(&lints).args(["--", "-D", "warnings"]))?;
    // First, so that no target spends its time on building.
    let build = ["fuzz", "build", "--sanitizer", "none"];
    command::run(&mut command::cargo(&build))?;
    for target in targets {
        let mut run = command::cargo(&["fuzz", "run", "--sanitizer", "none", target, "--"]);
        run.arg(format!("-max_total_time={seconds}"))
            // The figures at the end are of use in a log, each new input is not.
            .args(["-verbosity=0", "-print_final_stats=1"]);
        command::run(&mut run)?;
    }
    Ok(())
}
