//! What both programs that count instructions need of Valgrind.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

/// Whether it is installed.
///
/// # Errors
///
/// It is, but does not run.
pub fn is_installed() -> Result<bool> {
    let mut valgrind = Command::new("valgrind");
    match valgrind.arg("--version").stdout(Stdio::null()).status() {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        status => {
            ensure!(status?.success(), "valgrind fails");
            Ok(true)
        }
    }
}

/// The sum in a file of Callgrind or Cachegrind, which is removed: what follows this word.
///
/// # Errors
///
/// There is no such sum, or it is zero.
pub fn take_sum(file: &Path, word: &str) -> Result<u64> {
    let profile = fs::read_to_string(file)?;
    fs::remove_file(file)?;
    let sum = profile.lines().find_map(|line| line.strip_prefix(word));
    let sum = sum.with_context(|| format!("valgrind has written no line `{word}`"))?;
    let sum = sum.trim().parse()?;
    ensure!(sum > 0, "valgrind has counted nothing");
    Ok(sum)
}
