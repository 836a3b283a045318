//! The SQL blocks of the book, whose fences name a dialect and the block: ` ```sql postgres
//! order-ids `.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use rowkey::Backend;

macro_rules! page {
    ($path:literal) => {
        ($path, include_str!(concat!("../../docs/src/", $path)))
    };
}

/// The pages with SQL blocks, by their paths in the book.
pub(crate) const PAGES: [(&str, &str); 6] = [
    page!("adoption/postgresql.md"),
    page!("adoption/mysql-and-mariadb.md"),
    page!("adoption/sqlite.md"),
    page!("adoption/sql-server.md"),
    page!("support-has-an-id.md"),
    page!("two-columns.md"),
];

/// Statements on a page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block {
    pub(crate) dialect: &'static str,
    pub(crate) name: &'static str,
    pub(crate) sql: &'static str,
}

/// The dialects that a backend's blocks are written in. MariaDB runs those of MySQL as well, and
/// every backend `standard` ones.
pub(crate) fn dialects(backend: Backend) -> &'static [&'static str] {
    match backend {
        Backend::Postgres => &["standard", "postgres"],
        Backend::MySql => &["standard", "mysql"],
        Backend::MariaDb => &["standard", "mysql", "mariadb"],
        Backend::Sqlite => &["standard", "sqlite"],
        Backend::SqlServer => &["standard", "sqlserver"],
    }
}

/// Every SQL block of a page.
pub(crate) fn blocks(page: &'static str) -> Result<Vec<Block>> {
    let mut blocks = Vec::new();
    for block in page.split("```sql").skip(1) {
        let (fence, rest) = block.split_once('\n').context("a fence ends its line")?;
        let words: Vec<&'static str> = fence.split(' ').collect();
        let &["", dialect, name] = &words[..] else {
            anyhow::bail!("the fence `sql{fence}` does not name a dialect and a block");
        };
        let known = Backend::ALL
            .iter()
            .any(|&backend| dialects(backend).contains(&dialect));
        ensure!(known, "`{dialect}` of the block `{name}` is no dialect");
        let (sql, _) = rest.split_once("```").context("a block has an end")?;
        blocks.push(Block { dialect, name, sql });
    }
    Ok(blocks)
}

/// The statements of a block for a backend.
pub(crate) fn sql(backend: Backend, name: &str) -> Result<&'static str> {
    let mut found = Vec::new();
    for (_, page) in PAGES {
        found.extend(
            blocks(page)?
                .into_iter()
                .filter(|block| block.name == name && dialects(backend).contains(&block.dialect)),
        );
    }
    let [block] = found[..] else {
        anyhow::bail!("{} blocks `{name}` for {backend}", found.len());
    };
    Ok(block.sql)
}

/// Fails if a page of the book has SQL blocks that no test runs.
pub(crate) fn ensure_no_other_page_has_sql() -> Result<()> {
    let suite_of_command = include_str!("../../crates/rowkey-cli/tests/databases/main.rs");
    let book = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/src"));
    let mut folders = vec![book.to_owned()];
    let mut found = BTreeSet::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md")
                && fs::read_to_string(&path)?.contains("```sql")
            {
                found.insert(path.strip_prefix(book)?.to_owned());
            }
        }
    }
    for (page, _) in PAGES {
        ensure!(found.remove(Path::new(page)), "{page} has no SQL");
    }
    for story in found {
        ensure!(
            suite_of_command.contains(&format!("docs/src/{}\"", story.display())),
            "no test runs the SQL of {}",
            story.display()
        );
    }
    Ok(())
}
