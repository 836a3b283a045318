//! The external tools that tasks call, with the versions they are used at.

use std::{fmt, fs};

use anyhow::{Context, Result, bail};

use crate::command;

/// Arguments of `cargo xtask tools`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Install every tool that is missing or present at another version.
    #[arg(long)]
    install: bool,
    /// Those of `cargo xtask ci --all`, too.
    #[arg(long)]
    all: bool,
}

/// A tool that is installed with cargo.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tool {
    /// The name of its crate and of its executable.
    pub(crate) name: &'static str,
    /// The version that tasks are written for.
    version: &'static str,
}

/// Checks licences and bans of dependencies.
pub(crate) const DENY: Tool = tool("cargo-deny", "0.20.2");
/// Runs tests, each in a separate process.
pub(crate) const NEXTEST: Tool = tool("cargo-nextest", "0.9.148");
/// Checks combinations of features.
pub(crate) const HACK: Tool = tool("cargo-hack", "0.6.45");
/// Builds and runs fuzz targets.
pub(crate) const FUZZ: Tool = tool("cargo-fuzz", "0.13.2");
/// Builds the book.
pub(crate) const MDBOOK: Tool = tool("mdbook", "0.5.4");
/// Checks the links of built pages.
pub(crate) const LYCHEE: Tool = tool("lychee", "0.24.2");
/// Runs benchmarks that count instructions.
pub(crate) const GUNGRAUN: Tool = tool("gungraun-runner", "0.20.0");

/// What `cargo xtask ci` and `cargo xtask test` need.
const TOOLS: [Tool; 4] = [NEXTEST, DENY, MDBOOK, LYCHEE];

/// What `cargo xtask ci --all` needs besides.
const MORE_TOOLS: [Tool; 3] = [HACK, FUZZ, GUNGRAUN];

const fn tool(name: &'static str, version: &'static str) -> Tool {
    Tool { name, version }
}

impl fmt::Display for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.name, self.version)
    }
}

impl Tool {
    /// The version of the tool on this machine.
    fn installed(self) -> Option<String> {
        let mut command = match self.name.strip_prefix("cargo-") {
            // Through cargo, which also looks where `cargo install` puts it.
            Some(subcommand) => command::cargo(&[subcommand]),
            None => command::external(self.name),
        };
        let answer = command::output(command.arg("--version")).ok()?;
        let version = answer.lines().next()?.split_whitespace().nth(1)?;
        Some(version.trim_start_matches('v').to_owned())
    }

    /// Whether it is there, at any version.
    pub(crate) fn is_installed(self) -> bool {
        self.installed().is_some()
    }

    /// Fails with the command that installs the tool when it is missing.
    ///
    /// Another version is good enough here: results that differ show up in the
    /// step itself, and a contributor may have a newer one.
    pub(crate) fn require(self) -> Result<()> {
        if self.installed().is_none() {
            let name = self.name;
            bail!("{name} is not installed; run `cargo install --locked {self}`");
        }
        Ok(())
    }
}

/// Shows the tools of `ci`, and installs them if asked.
pub(crate) fn run(args: &Args) -> Result<()> {
    let mut install = command::cargo(&["install", "--locked"]);
    let mut is_complete = true;
    let more = if args.all { &MORE_TOOLS[..] } else { &[] };
    for tool in TOOLS.iter().chain(more) {
        match tool.installed() {
            Some(version) if version == tool.version => {
                println!("{tool}: installed");
                continue;
            }
            Some(version) => println!("{tool}: installed at version {version}"),
            None => println!("{tool}: not installed"),
        }
        install.arg(tool.to_string());
        is_complete = false;
    }
    if is_complete {
        return Ok(());
    }
    if !args.install {
        println!("install what is missing with `cargo xtask tools --install` or with");
        println!("`{}`", command::shown(&install));
        return Ok(());
    }
    // One target directory for all: they share dependencies.
    let target_dir = command::root().join("target").join("tools");
    command::run(install.arg("--target-dir").arg(&target_dir))?;
    fs::remove_dir_all(&target_dir)
        .with_context(|| format!("could not remove {}", target_dir.display()))
}
