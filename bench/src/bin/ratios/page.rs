//! The page of a run.

use std::process::Command;

use anyhow::{Context, Result, ensure};
use rowkey_bench::comparison::Comparison;

use crate::row::{Row, head};

/// The packages that rowkey is compared with.
const PEERS: [&str; 13] = [
    "aes",
    "base62",
    "bigdecimal",
    "ferroid",
    "itoa",
    "lexical-core",
    "postgres-types",
    "rust_decimal",
    "serde_json",
    "sqlx",
    "type-safe-id",
    "ulid",
    "uuid",
];

/// The page, with every figure of the run.
pub(crate) fn page(rows: &[Row<'_>]) -> Result<String> {
    let is_aim = |comparison: &Comparison| comparison.aim.is_some();
    let table = |is_wanted: &dyn Fn(&Comparison) -> bool| {
        let wanted = rows.iter().filter(|row| is_wanted(row.comparison));
        wanted.fold(head(), |table, row| table + &row.line())
    };
    Ok(format!(
        include_str!("page.md"),
        compiler = compiler()?,
        peers = peers()?,
        missed = rows.iter().filter(|row| row.misses()).count(),
        aims = table(&is_aim),
        others = table(&|comparison| !is_aim(comparison)),
    ))
}

/// The name and version of the compiler.
fn compiler() -> Result<String> {
    let output = Command::new("rustc").arg("--version").output()?;
    ensure!(output.status.success(), "rustc does not tell its version");
    Ok(String::from_utf8(output.stdout)?.trim().to_owned())
}

/// The peers with their versions, as in the lock file.
fn peers() -> Result<String> {
    let lock = include_str!("../../../../Cargo.lock");
    let versions = PEERS.map(|peer| {
        let package = format!("name = \"{peer}\"\nversion = \"");
        let (_, rest) = lock.split_once(&package)?;
        Some(format!("{peer} {}", rest.split_once('"')?.0))
    });
    let versions: Option<Vec<_>> = versions.into_iter().collect();
    Ok(versions
        .context("a peer is not in the lock file")?
        .join(", "))
}

#[cfg(test)]
mod tests {
    use rowkey_bench::comparison::comparisons;

    use super::*;
    use crate::row::tests::row;

    #[test]
    fn the_page_has_each_row_once_and_every_peer() {
        let comparisons = comparisons();
        let rows: Vec<_> = comparisons.iter().map(|one| row(one, 1.0, 1.0)).collect();
        let page = page(&rows).unwrap();
        for row in &rows {
            assert_eq!(page.matches(&row.line()).count(), 1, "{}", row.line());
        }
        assert!(page.contains(" uuid 1."), "{page}");
    }
}
