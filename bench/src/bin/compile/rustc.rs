//! One run of rustc for one crate, measured from the outside.
//!
//! Cargo knows the arguments and variables that rustc has to get, so it is cargo that calls it:
//! with this program in between, which runs rustc and writes down what that took. Cargo's own work
//! and that for other crates is not in it.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::{env, fs};

use anyhow::{Context, Result, ensure};
use rowkey_bench::valgrind;

/// Names the file for the figure, and says that cargo has called.
const FILE_VARIABLE: &str = "ROWKEY_BENCH_COMPILE_FILE";

/// Says which figure it is.
const FIGURE_VARIABLE: &str = "ROWKEY_BENCH_COMPILE_FIGURE";

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Figure {
    /// Microseconds of the processor for all threads, the system's part included.
    Time,
    /// Instructions of all threads, without the system's part. Needs valgrind, and takes fifty
    /// times as long.
    Instructions,
}

/// Has cargo compile a package, and measures rustc's run for that package alone.
pub(crate) fn measure(cargo: &mut Command, work: &Path, figure: Figure) -> Result<u64> {
    let file = work.join("figure");
    // One of an earlier run must not be taken for this one's.
    if file.exists() {
        fs::remove_file(&file)?;
    }
    let status = cargo
        .env("RUSTC_WORKSPACE_WRAPPER", env::current_exe()?)
        .env(FILE_VARIABLE, &file)
        .env(FIGURE_VARIABLE, format!("{figure:?}"))
        // Nothing of an earlier run, neither rustc's nor that of a cache around it.
        .env("CARGO_INCREMENTAL", "0")
        .env_remove("RUSTC_WRAPPER")
        .status()
        .context("could not start cargo")?;
    ensure!(status.success(), "cargo failed with {status}");
    let figure = fs::read_to_string(&file).context("cargo has not called rustc")?;
    Ok(figure.parse()?)
}

/// Whether cargo has called this program in the place of rustc.
pub(crate) fn is_wrapped() -> bool {
    env::var_os(FILE_VARIABLE).is_some()
}

/// Runs rustc with these arguments, the first of which is its name.
pub(crate) fn run(mut arguments: impl Iterator<Item = OsString>) -> Result<ExitCode> {
    let rustc = arguments.next().context("cargo names rustc")?;
    // Cargo also asks rustc about itself.
    let is_measured = env::var_os("CARGO_PRIMARY_PACKAGE").is_some();
    let is_counted = env::var(FIGURE_VARIABLE)? == format!("{:?}", Figure::Instructions);
    let counts = format!("rowkey_bench_{}.cachegrind", std::process::id());
    let counts = env::temp_dir().join(counts);
    let mut command = match is_measured && is_counted {
        true => {
            let mut valgrind = Command::new("valgrind");
            valgrind
                .args(["--quiet", "--tool=cachegrind", "--cache-sim=no"])
                .arg(format!("--cachegrind-out-file={}", counts.display()))
                // Cargo names rustc itself, where rustup has put a program of its own in its place.
                .arg(&rustc);
            valgrind
        }
        false => Command::new(&rustc),
    };
    let status = command.args(arguments).status()?;
    if is_measured && status.success() {
        let result = match is_counted {
            true => valgrind::take_sum(&counts, "summary: ")?,
            false => children_microseconds()?,
        };
        let file = env::var_os(FILE_VARIABLE).context("it was there")?;
        fs::write(file, result.to_string())?;
    }
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Ok(code.map_or(ExitCode::FAILURE, ExitCode::from))
}

/// What the processor has done for the only process that this one has waited for.
#[cfg(unix)]
fn children_microseconds() -> Result<u64> {
    use nix::sys::resource::{UsageWho, getrusage};
    use nix::sys::time::TimeValLike;

    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let time = usage.user_time() + usage.system_time();
    Ok(u64::try_from(time.num_microseconds())?)
}

#[cfg(not(unix))]
fn children_microseconds() -> Result<u64> {
    anyhow::bail!("the time of a process is only known on Unix");
}

/// The compiler's version.
pub(crate) fn version() -> Result<String> {
    let output = Command::new("rustc").arg("--version").output()?;
    ensure!(output.status.success(), "rustc has no version");
    Ok(String::from_utf8(output.stdout)?.trim().to_owned())
}
