//! The SQL blocks of the book, whose fences name a dialect and the block: ` ```sql postgres order-ids `.

use anyhow::{Context, Result, ensure};
use rowkey::Backend;

/// Statements on a page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block {
    pub(crate) dialect: &'static str,
    pub(crate) name: &'static str,
    pub(crate) sql: &'static str,
}

/// The dialects that a backend's blocks are written in. MariaDB runs those of MySQL as well.
pub(crate) fn dialects(backend: Backend) -> &'static [&'static str] {
    match backend {
        Backend::Postgres => &["postgres"],
        Backend::MySql => &["mysql"],
        Backend::MariaDb => &["mysql", "mariadb"],
        Backend::Sqlite => &["sqlite"],
        Backend::SqlServer => &["sqlserver"],
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

/// The statements of a block for a backend, which is on one of these pages, once.
pub(crate) fn sql(pages: &[&'static str], backend: Backend, name: &str) -> Result<&'static str> {
    let mut found = Vec::new();
    for page in pages {
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
