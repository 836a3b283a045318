//! The book's page of differences names the tests that show them, and those tests say that they are
//! on it.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

const PAGE: &str = include_str!("../../../../docs/src/differences.md");
/// The line above such a test.
const LISTED: &str = "// Listed in docs/src/differences.md.";

/// The names on the page, such as `comb::the_counter_has_65536_values`.
fn on_the_page() -> BTreeSet<String> {
    let quoted = PAGE.split('`').skip(1).step_by(2);
    quoted
        .filter(|code| is_path_of_a_test(code))
        .map(str::to_owned)
        .collect()
}

fn is_path_of_a_test(code: &str) -> bool {
    let is_name = |name: &str| {
        name.chars()
            .all(|character| matches!(character, 'a'..='z' | '0'..='9' | '_'))
    };
    code.split_once("::")
        .is_some_and(|(file, test)| is_name(file) && is_name(test))
}

/// The tests below a marker, by the stem of their file.
fn marked(folder: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let stem = path.file_stem().unwrap().to_str().unwrap();
        if path.is_dir() {
            found.extend(marked(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs")
            && stem != "differences"
        {
            let source = fs::read_to_string(&path).unwrap();
            for below in source.split(LISTED).skip(1) {
                let (head, _) = below.split_once("()").unwrap();
                let (attribute, test) = head.split_once("fn ").unwrap();
                assert_eq!(attribute.trim(), "#[test]", "{stem}");
                found.insert(format!("{stem}::{test}"));
            }
        }
    }
    found
}

#[test]
fn the_page_of_differences_names_the_marked_tests() {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = ["src", "tests/it", "../rowkey/tests/it"];
    let tests = folders.map(|folder| marked(&package.join(folder)));
    let tests: BTreeSet<String> = tests.into_iter().flatten().collect();
    let page = on_the_page();
    let missing: Vec<_> = tests.difference(&page).collect();
    assert!(missing.is_empty(), "not on the page: {missing:?}");
    let unknown: Vec<_> = page.difference(&tests).collect();
    assert!(
        unknown.is_empty(),
        "on the page, but no marked test: {unknown:?}"
    );
    assert!(!page.is_empty());
}
