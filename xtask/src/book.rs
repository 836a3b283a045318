//! `cargo xtask book`: builds the book in docs/ and checks the links of all pages.
//!
//! `mdbook` builds it and `lychee` checks the built pages, and those outside of the book: links to
//! other pages and to headings, and images. Addresses on the internet are not fetched.

use std::fs;

use anyhow::{Result, ensure};

use crate::{command, tool};

/// Pages outside of the book that link to files.
const PAGES: [&str; 10] = [
    "README.md",
    "DESIGN.md",
    "COMPARE.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "SECURITY.md",
    "crates/*/README.md",
    "migrations/README.md",
    "tests/README.md",
    "bench/results/*.md",
];

/// Builds the book below `docs/book` and fails at a link that leads nowhere.
pub(crate) fn run() -> Result<()> {
    tool::MDBOOK.require()?;
    tool::LYCHEE.require()?;
    let docs = command::root().join("docs");
    command::run(command::external(tool::MDBOOK.name).arg("build").arg(&docs))?;

    let book = docs.join("book");
    // A file that an include does not find is only a line in mdBook's log.
    let whole = fs::read_to_string(book.join("print.html"))?;
    ensure!(
        !whole.contains("{{#"),
        "the book has an include that was not resolved"
    );
    let mut links = command::external(tool::LYCHEE.name);
    links.args([
        "--offline",
        "--include-fragments",
        "--no-progress",
        "--root-dir",
    ]);
    command::run(links.arg(&book).arg(&book).args(PAGES))
}
