//! `cargo xtask book`: builds the book in docs/ and checks the links of all pages.
//!
//! `mdbook` builds it and `hyperlink` checks the built pages: links to other pages and to headings,
//! and images. Addresses on the internet are not fetched.

use std::fs;

use anyhow::{Context, Result, ensure};
use pulldown_cmark::{Event, Parser, Tag};

use crate::{command, tool};

/// Pages outside of the book that link to files.
const PAGES: [&str; 4] = ["README.md", "DESIGN.md", "COMPARE.md", "CONTRIBUTING.md"];

/// Builds the book below `docs/book` and fails at a link that leads nowhere.
pub(crate) fn run() -> Result<()> {
    tool::MDBOOK.require()?;
    tool::HYPERLINK.require()?;
    let docs = command::root().join("docs");
    command::run(command::external(tool::MDBOOK.name).arg("build").arg(&docs))?;

    let book = docs.join("book");
    // A file or a part of it that an include does not find is only a line in mdBook's log.
    let whole = fs::read_to_string(book.join("print.html"))?;
    ensure!(
        !whole.contains("{{#"),
        "the book has an include that was not resolved"
    );
    let mut links = command::external(tool::HYPERLINK.name);
    command::run(links.arg("--check-anchors").arg(&book))?;

    for page in PAGES {
        let text = fs::read_to_string(command::root().join(page)).context(page)?;
        let mut missing = file_links(&text);
        missing.retain(|path| !command::root().join(path).exists());
        ensure!(missing.is_empty(), "{page} links to {missing:?}");
    }
    Ok(())
}

/// The paths that a page links to.
fn file_links(text: &str) -> Vec<String> {
    let links = Parser::new(text).filter_map(|event| match event {
        Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => Some(dest_url),
        _ => None,
    });
    let paths = links.map(|url| url.split('#').next().unwrap_or_default().to_owned());
    paths
        .filter(|path| !path.is_empty() && !path.contains("://"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::file_links;

    #[test]
    fn links_to_files_are_found_in_prose() {
        let text = "See [a](a.md#part), [b](#part) and ![c](c.svg).\n\n\
                    ```rust\nlet x = v[0](d.md);\n```\n\
                    [e](https://example.com/e) [f]\n\n[f]: docs/f.md\n";
        assert_eq!(file_links(text), ["a.md", "c.svg", "docs/f.md"]);
    }
}
