//! `cargo xtask book`: builds the book in docs/ and checks the links of all pages.
//!
//! `mdbook` builds it and `hyperlink` checks the built pages: links to other pages and to headings,
//! and images. Addresses on the internet are not fetched.

use std::{fs, path::Path};

use anyhow::{Context, Result, ensure};

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
        let missing: Vec<&str> = file_links(&text)
            .filter(|path| !is_file(&command::root().join(path)))
            .collect();
        ensure!(missing.is_empty(), "{page} links to {missing:?}");
    }
    Ok(())
}

fn is_file(path: &Path) -> bool {
    path.try_exists().unwrap_or(false)
}

/// The paths that a page links to, outside of its code blocks.
fn file_links(text: &str) -> impl Iterator<Item = &str> {
    let mut is_code = false;
    let prose = text.lines().filter(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    });
    let targets = prose.flat_map(|line| {
        let inline = line
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split(')').next());
        let definition = line
            .strip_prefix('[')
            .and_then(|rest| rest.split_once("]: "));
        inline.chain(definition.map(|(_, target)| target))
    });
    targets
        .filter_map(|target| target.split('#').next())
        .filter(|path| !path.is_empty() && !path.contains("://"))
}

#[cfg(test)]
mod tests {
    use super::file_links;

    #[test]
    fn links_to_files_are_found_in_prose() {
        let text = "See [a](a.md#part), [b](#part) and ![c](c.svg).\n\
                    ```rust\nlet x = v[0](d.md);\n```\n\
                    [e](https://example.com/e) [f]\n\n[f]: docs/f.md\n";
        assert_eq!(
            file_links(text).collect::<Vec<_>>(),
            ["a.md", "c.svg", "docs/f.md"]
        );
    }
}
