//! `cargo xtask ci`: the checks a change has to pass besides the tests.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use clap::ValueEnum;

use crate::{
    book,
    client_library::{self, ClientLibrary},
    command, consumer, fuzz, msrv, packages, tool,
    tool::Tool,
    workspace::Metadata,
};

/// Arguments of `cargo xtask ci`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Run only these steps, in their usual order.
    steps: Vec<Step>,
}

/// One check, declared in the order they run: quick ones first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Step {
    /// Formatting, here, in fuzz/ and in consumer/.
    Fmt,
    /// Minimum Rust versions, as far as manifests declare them.
    Msrv,
    /// Licences and duplicate dependencies.
    Deny,
    /// Lints, here, in fuzz/ and in consumer/.
    Clippy,
    /// Documentation without warnings.
    Doc,
    /// The book, and the links of its pages.
    Book,
    /// Each feature of each published crate on its own.
    Features,
    /// Every package, as it would be published.
    Packages,
    /// A crate that uses rowkey, built and tested with one set of features at a time.
    Consumer,
    /// A short run of every fuzz target.
    Fuzz,
}

impl Step {
    fn headline(self) -> &'static str {
        match self {
            Self::Fmt => "formatting",
            Self::Msrv => "minimum Rust versions",
            Self::Deny => "licences and duplicate dependencies",
            Self::Clippy => "lints",
            Self::Doc => "documentation",
            Self::Book => "the book and its links",
            Self::Features => "feature combinations",
            Self::Packages => "packages",
            Self::Consumer => "a consumer of each set of features",
            Self::Fuzz => "fuzz targets",
        }
    }

    fn tools(self) -> &'static [Tool] {
        match self {
            Self::Deny => &[tool::DENY],
            Self::Book => &[tool::MDBOOK, tool::HYPERLINK],
            Self::Features => &[tool::HACK],
            Self::Fuzz => &[tool::FUZZ],
            Self::Fmt | Self::Msrv | Self::Clippy | Self::Doc | Self::Packages | Self::Consumer => {
                &[]
            }
        }
    }

    fn run(self) -> Result<()> {
        match self {
            Self::Fmt => fmt(),
            Self::Msrv => msrv::run(),
            Self::Deny => cargo(&["deny", "--all-features", "check", "licenses", "bans"]),
            Self::Clippy => clippy(),
            Self::Doc => doc(),
            Self::Book => book::run(),
            Self::Features => features(),
            Self::Packages => packages::run(),
            Self::Consumer => consumer::run(),
            Self::Fuzz => fuzz::run(),
        }
    }
}

/// Runs the steps that were asked for, all of them by default.
pub(crate) fn run(args: &Args) -> Result<()> {
    let steps: Vec<Step> = Step::value_variants()
        .iter()
        .copied()
        .filter(|step| args.steps.is_empty() || args.steps.contains(step))
        .collect();

    // Before anything runs: a missing tool should not show up after minutes.
    for tool in steps.iter().flat_map(|step| step.tools()) {
        tool.require()?;
    }

    let start = Instant::now();
    for (index, step) in steps.iter().enumerate() {
        println!("\n==> [{}/{}] {}", index + 1, steps.len(), step.headline());
        let start = Instant::now();
        step.run().with_context(|| {
            format!(
                "{} failed after {}",
                step.headline(),
                seconds(start.elapsed())
            )
        })?;
        println!(
            "<== {}: ok in {}",
            step.headline(),
            seconds(start.elapsed())
        );
    }
    println!("\nall checks passed in {}", seconds(start.elapsed()));
    Ok(())
}

fn seconds(elapsed: Duration) -> String {
    format!("{:.1} s", elapsed.as_secs_f64())
}

fn cargo(args: &[&str]) -> Result<()> {
    command::run(&mut command::cargo(args))
}

fn fmt() -> Result<()> {
    cargo(&["fmt", "--all", "--check"])?;
    // Without --all, which would format the crates under test once more.
    let mut fuzz = command::cargo(&["fmt", "--check", "--manifest-path"]);
    command::run(fuzz.arg(fuzz::manifest()?))?;
    consumer::fmt()
}

fn clippy() -> Result<()> {
    let missing = ClientLibrary::missing();
    let features = client_library::feature_args(&Metadata::load()?, |_| true, &missing);
    let mut all = command::cargo(&["clippy", "--workspace", "--all-targets"]);
    command::run(all.args(features).args(["--", "-D", "warnings"]))?;
    for library in missing {
        println!("not checked: {library}");
    }
    let mut fuzz = command::cargo(&["clippy", "--all-targets", "--manifest-path"]);
    fuzz.arg(fuzz::manifest()?);
    command::run(fuzz.args(["--", "-D", "warnings"]))?;
    consumer::clippy()
}

fn doc() -> Result<()> {
    let mut doc = command::cargo(&["doc", "--workspace", "--no-deps", "--all-features"]);
    command::run(doc.env("RUSTDOCFLAGS", "-D warnings"))
}

/// Checks each published crate with every feature on its own, with none and
/// with all of them.
///
/// Development dependencies play no part: the resolver of this workspace does
/// not let them turn on features unless tests are built.
fn features() -> Result<()> {
    // The build without the standard library, on its own so that a failure says so.
    cargo(&["check", "-p", "rowkey-core", "--no-default-features"])?;

    let metadata = Metadata::load()?;
    let mut hack = command::cargo(&["hack", "check", "--each-feature"]);
    for package in metadata.members().filter(|package| package.is_published()) {
        hack.args(["-p", &package.name]);
    }
    command::run(&mut hack)
}
