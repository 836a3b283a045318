//! One run of the binary.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use rowkey_testkit::TestDatabase;
use serde_json::Value;

/// How a run ended.
pub(crate) struct Finished {
    pub(crate) code: i32,
    pub(crate) output: String,
    pub(crate) errors: String,
}

/// Runs `rowkey` with arguments separated by spaces, in a folder, with the address in the
/// environment.
pub(crate) fn rowkey(database: &TestDatabase, folder: &Path, arguments: &str) -> Result<Finished> {
    rowkey_between(database, None, folder, arguments)
}

/// The same with the address of a database to copy to.
pub(crate) fn rowkey_between(
    database: &TestDatabase,
    target: Option<&str>,
    folder: &Path,
    arguments: &str,
) -> Result<Finished> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rowkey"));
    command
        .args(arguments.split_ascii_whitespace())
        .env("ROWKEY_URL", database.url())
        .envs(target.map(|url| ("ROWKEY_TARGET_URL", url)))
        .current_dir(folder);
    finished(&mut command)
}

/// Runs it with another address, on a system whose authorities are those in a file.
#[cfg(feature = "tls")]
pub(crate) fn rowkey_with_authorities(
    url: &str,
    authorities: &Path,
    argument: &str,
) -> Result<Finished> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rowkey"));
    command
        .arg(argument)
        .env("ROWKEY_URL", url)
        .env("SSL_CERT_FILE", authorities)
        .env_remove("SSL_CERT_DIR");
    finished(&mut command)
}

fn finished(command: &mut Command) -> Result<Finished> {
    let output = command.env_remove("CLICOLOR_FORCE").output()?;
    Ok(Finished {
        code: output.status.code().context("it was killed")?,
        output: String::from_utf8(output.stdout)?,
        errors: String::from_utf8(output.stderr)?,
    })
}

impl Finished {
    /// The output of a run that has to succeed.
    pub(crate) fn success(self) -> Result<String> {
        ensure!(
            self.code == 0,
            "exit code {}: {}{}",
            self.code,
            self.output,
            self.errors
        );
        Ok(self.output)
    }

    /// The one JSON object of a run that has to succeed.
    pub(crate) fn json(self) -> Result<Value> {
        Ok(serde_json::from_str(&self.success()?)?)
    }

    /// The errors of a run that has to fail with this exit code.
    pub(crate) fn failure(self, code: i32) -> Result<String> {
        ensure!(
            self.code == code,
            "exit code {} instead of {code}: {}{}",
            self.code,
            self.output,
            self.errors
        );
        Ok(self.errors)
    }
}
