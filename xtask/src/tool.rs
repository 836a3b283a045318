//! The external tools that tasks call, with the versions they are used at.

use std::{fmt, fs, process::Command};

use anyhow::{Context, Result, bail};

use crate::{command, workspace};

/// Arguments of `cargo xtask tools`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Install every tool that is missing or present at another version.
    #[arg(long)]
    install: bool,
}

/// A tool that is installed with cargo.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tool {
    /// The name of its crate and of its executable.
    pub(crate) name: &'static str,
    /// The version that tasks are written for.
    pub(crate) version: &'static str,
}

/// Checks licences and duplicate dependencies.
pub(crate) const DENY: Tool = Tool {
    name: "cargo-deny",
    version: "0.20.2",
};
/// Checks combinations of features.
pub(crate) const HACK: Tool = Tool {
    name: "cargo-hack",
    version: "0.6.46",
};
/// Builds and runs fuzz targets.
pub(crate) const FUZZ: Tool = Tool {
    name: "cargo-fuzz",
    version: "0.13.2",
};
/// Builds the book.
pub(crate) const MDBOOK: Tool = Tool {
    name: "mdbook",
    version: "0.5.4",
};
/// Checks the links of built pages.
pub(crate) const HYPERLINK: Tool = Tool {
    name: "hyperlink",
    version: "0.3.2",
};
/// Runs benchmarks that count instructions.
pub(crate) const GUNGRAUN: Tool = Tool {
    name: "gungraun-runner",
    version: "0.20.0",
};

/// What `cargo xtask ci` needs.
const CI_TOOLS: [Tool; 5] = [DENY, HACK, FUZZ, MDBOOK, HYPERLINK];

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
            Some(subcommand) => command::cargo(&[subcommand, "--version"]),
            None => {
                let mut command = Command::new(self.name);
                command.arg("--version");
                command
            }
        };
        let answer = command::output(&mut command).ok()?;
        let version = answer.split_whitespace().next_back()?;
        Some(version.trim_start_matches('v').to_owned())
    }

    /// Fails with the command that installs the tool when it is missing.
    ///
    /// Another version is good enough here: results that differ show up in the
    /// step itself, and a contributor may have a newer one.
    pub(crate) fn require(self) -> Result<()> {
        if self.installed().is_none() {
            bail!(
                "{} is not installed; run `cargo install --locked {self}`",
                self.name
            );
        }
        Ok(())
    }
}

/// Shows the tools of `ci`, and installs them if asked.
pub(crate) fn run(args: &Args) -> Result<()> {
    let mut wanted = Vec::new();
    for tool in CI_TOOLS {
        match tool.installed() {
            Some(version) if version == tool.version => println!("{tool}: installed"),
            Some(version) => {
                println!("{tool}: installed at version {version}");
                wanted.push(tool);
            }
            None => {
                println!("{tool}: not installed");
                wanted.push(tool);
            }
        }
    }
    if wanted.is_empty() {
        return Ok(());
    }
    let mut install = command::cargo(&["install", "--locked"]);
    install.args(wanted.iter().map(Tool::to_string));
    if args.install {
        // One target directory for all: they share dependencies.
        let target_dir = workspace::root().join("target").join("tools");
        install.arg("--target-dir").arg(&target_dir);
        command::run(&mut install)?;
        fs::remove_dir_all(&target_dir)
            .with_context(|| format!("could not remove {}", target_dir.display()))
    } else {
        println!("install what is missing with `cargo xtask tools --install` or with");
        println!("`{}`", command::shown(&install));
        Ok(())
    }
}
