//! `cargo xtask applications`: applications of frameworks on the copies of their databases.

use anyhow::Result;

use crate::{client_library, command, workspace};

/// Arguments of `cargo xtask applications`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Some applications instead of all.
    #[arg(value_name = "NAME")]
    names: Vec<String>,
}

/// Builds the command and the test that is not run by default.
pub(crate) fn run(args: &Args) -> Result<()> {
    let metadata = workspace::metadata()?;
    let missing = client_library::ClientLibrary::missing();
    let features = client_library::feature_args(&metadata.workspace_packages(), &missing);
    // The test, too, so that both are built with the same dependencies.
    let mut build = command::cargo(&["build", "--workspace", "--bin=rowkey"]);
    command::run(build.arg("--test=applications").args(&features))?;
    let mut test = command::cargo(&["test", "--workspace", "--test=applications"]);
    let rowkey = metadata.target_directory.join("debug").join("rowkey");
    test.args(&features).env("ROWKEY_TEST_COMMAND", rowkey);
    command::run(test.arg("--").args(&args.names))
}
