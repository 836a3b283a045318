//! A copy that an older version has begun.

use std::fs;
use std::path::Path;

use anyhow::{Result, ensure};
use rowkey_copy::CopyPlan;
use rowkey_testkit::{Backend, Suite, test_name};

use crate::copy::{compare, copy, open, pair};

pub(crate) fn add_tests(suite: &mut Suite) {
    for target in crate::LIVE {
        let name = format!("an_older_version_has_left_one_in_{}", test_name(target));
        pair(suite, &name, [Backend::Sqlite], target, left_by_older);
    }
}

/// The first table is there, and some rows of the second.
async fn left_by_older(source: String, target: String) -> Result<()> {
    let mut db = open(&target).await?;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/databases/copy/begun_before");
    let read = |file: String| fs::read_to_string(folder.join(file));
    let to = test_name(db.backend());
    let plan = CopyPlan::from_toml(&read(format!("to_{to}.toml"))?)?;
    let tables = read("source.sql".into())?;
    open(&source).await?.execute("the source", &tables).await?;
    db.execute("what is left", &read(format!("to_{to}.sql"))?)
        .await?;
    let report = copy(&source, &target, &plan).await?;
    let rows: Vec<_> = report
        .tables
        .iter()
        .map(|table| (table.rows_before, table.rows, table.changed.is_some()))
        .collect();
    ensure!(rows == [(5, 5, false), (6, 8, false)], "{report:?}");
    let compared = compare(&source, &target, &plan).await?;
    ensure!(compared.is_equal(), "{compared:?}");
    Ok(())
}
