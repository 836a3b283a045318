//! `cargo xtask ci`: the checks a change has to pass besides the tests. Those that take long and
//! seldom fail run with `--all`.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use clap::builder::{PossibleValue, PossibleValuesParser};

use crate::{
    bench, book, circles,
    client_library::{self, ClientLibrary},
    command, consumer, diagrams, fuzz, msrv, packages, servers,
    tool::{self, Tool},
    workspace,
};

/// Arguments of `cargo xtask ci`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Run the steps that take long and seldom fail, too.
    #[arg(long, conflicts_with = "steps")]
    all: bool,
    /// Run only these steps, in their usual order.
    #[arg(value_parser = names())]
    steps: Vec<String>,
}

/// One check: its name, what it is about, the tools that it needs, and itself.
struct Step(
    &'static str,
    &'static str,
    &'static [Tool],
    fn() -> Result<()>,
);

/// The checks of every change, in the order they run: quick ones first.
#[rustfmt::skip]
const STEPS: &[Step] = &[
    Step("fmt", "formatting", &[], fmt),
    Step("circles", "imports in a circle", &[], circles::check),
    Step("deny", "licences and bans of dependencies", &[tool::DENY], deny),
    Step("clippy", "lints", &[], clippy),
    Step("doc", "documentation", &[], doc),
    Step("diagrams", "diagrams of the book", &[], diagrams::check),
    Step("book", "the book and its links", &[tool::MDBOOK, tool::LYCHEE], book::run),
    Step("core", "the core without the standard library", &[], core),
    Step("packages", "packages", &[], packages::run),
    Step("consumer", "a consumer of some sets of features", &[], consumer::run_some),
];

/// What `--all` runs after them.
#[rustfmt::skip]
const MORE_STEPS: &[Step] = &[
    Step("msrv", "minimum Rust versions", &[], msrv::run),
    Step("features", "feature combinations", &[tool::HACK], features),
    Step("consumers", "a consumer of each set of features", &[], consumer::run_all),
    Step("fuzz", "fuzz targets", &[tool::FUZZ], fuzz::run),
    Step("instructions", "instructions, next to recorded ratios", &[tool::GUNGRAUN], bench::check_instructions),
    Step("prepare", "checked queries, as databases describe them", &[], servers::prepare),
    Step("older", "tests on older servers", &[], servers::older),
    Step("clock", "tests under a moved clock", &[], servers::under_a_moved_clock),
];

/// Those that start servers.
const WITH_SERVERS: [&str; 3] = ["prepare", "older", "clock"];

fn names() -> PossibleValuesParser {
    let steps = STEPS.iter().chain(MORE_STEPS);
    let values = steps.map(|Step(name, headline, ..)| PossibleValue::new(name).help(headline));
    values.into()
}

/// Runs the steps that were asked for, those of every change by default.
pub(crate) fn run(args: &Args) -> Result<()> {
    let mut steps: Vec<&Step> = STEPS.iter().chain(MORE_STEPS).collect();
    if !args.steps.is_empty() {
        steps.retain(|step| args.steps.iter().any(|name| name == step.0));
    } else if !args.all {
        steps.truncate(STEPS.len());
    }

    // Before anything runs: a missing tool should not show up after minutes.
    for tool in steps.iter().flat_map(|Step(_, _, tools, _)| *tools) {
        tool.require()?;
    }

    if steps
        .iter()
        .any(|Step(name, ..)| WITH_SERVERS.contains(name))
    {
        servers::require()?;
    }

    let start = Instant::now();
    for (index, Step(_, headline, _, run)) in steps.iter().enumerate() {
        println!("\n==> [{}/{}] {headline}", index + 1, steps.len());
        let start = Instant::now();
        run().with_context(|| format!("{headline} failed after {}", seconds(start.elapsed())))?;
        println!("<== {headline}: ok in {}", seconds(start.elapsed()));
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
    cargo(&["fmt", "--check", "--manifest-path", fuzz::MANIFEST])?;
    consumer::fmt()
}

fn deny() -> Result<()> {
    cargo(&[
        "deny",
        "--all-features",
        "check",
        "--hide-inclusion-graph",
        "licenses",
        "bans",
    ])
}

fn clippy() -> Result<()> {
    let missing = ClientLibrary::missing();
    let metadata = workspace::metadata()?;
    let features = client_library::feature_args(&metadata.workspace_packages(), &missing);
    let mut all = command::cargo(&["clippy", "--workspace", "--all-targets"]);
    command::run(all.args(features).args(["--", "-D", "warnings"]))?;
    for library in missing {
        println!("not checked: {library}");
    }
    consumer::clippy()
}

fn doc() -> Result<()> {
    let mut doc = command::cargo(&["doc", "--workspace", "--no-deps", "--all-features"]);
    command::run(doc.env("RUSTDOCFLAGS", "-D warnings"))
}

fn core() -> Result<()> {
    cargo(&["check", "-p", "rowkey-core", "--no-default-features"])
}

/// Checks each published crate with every feature on its own, with none and with all of them.
/// The resolver does not let development dependencies turn on features unless tests are built.
fn features() -> Result<()> {
    let metadata = workspace::metadata()?;
    let packages = metadata.workspace_packages().into_iter();
    for package in packages.filter(|package| workspace::is_published(package)) {
        let mut hack = command::cargo(&["hack", "check", "--each-feature", "-p", &package.name]);
        // Names that begin like this are what several features have in common.
        let shared = package.features.keys().filter(|name| name.starts_with('_'));
        for name in shared {
            hack.args(["--exclude-features", name]);
        }
        command::run(&mut hack)?;
    }
    Ok(())
}
