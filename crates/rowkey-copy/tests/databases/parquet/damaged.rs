//! A file with a changed byte is never taken for the one that was written.

use std::fs;

use anyhow::{Result, ensure};
use rowkey_copy::parquet;
use rowkey_tables::Silent;
use rowkey_testkit::{Backend, Suite};

use crate::parquet::{compare, on, open, plan, plan_back, write};

pub(crate) fn add_tests(suite: &mut Suite) {
    suite.test_on(Backend::Sqlite, "a_changed_byte_is_found", |source| {
        on(source, changed_bytes)
    });
}

async fn changed_bytes(source: String) -> Result<()> {
    let mut db = open(&source).await?;
    let table = "CREATE TABLE thing (number INTEGER NOT NULL PRIMARY KEY, name TEXT, at DATETIME)";
    db.execute("a table", table).await?;
    for number in 0..40 {
        let insert =
            format!("INSERT INTO thing VALUES ({number}, 'name {number}', '2024-01-01 00:00:00')");
        db.execute("a row", &insert).await?;
    }
    let there = plan(&source).await?;
    let lake = tempfile::tempdir()?;
    write(&source, &there, lake.path()).await?;
    let target = tempfile::NamedTempFile::new()?;
    let target = format!("sqlite:{}", target.path().display());
    let back = plan_back(lake.path(), &target).await?;
    parquet::read(
        lake.path(),
        &mut open(&target).await?,
        &back,
        true,
        &mut Silent,
    )
    .await?;

    let path = lake.path().join("thing.parquet");
    let written = fs::read(&path)?;
    let (mut refused, mut harmless) = (0, 0);
    for place in (0..written.len()).step_by(2) {
        let mut changed = written.clone();
        changed[place] ^= 1 << (place / 2 % 8);
        fs::write(&path, changed)?;
        let mut db = open(&target).await?;
        db.execute("no rows", "DELETE FROM thing").await?;
        let read = parquet::read(lake.path(), &mut db, &back, false, &mut Silent).await;
        if read.is_err() {
            let rows = db.query("the rows", "SELECT 1 FROM thing", &[]).await?;
            ensure!(rows.is_empty(), "byte {place}: {} rows", rows.len());
            refused += 1;
            continue;
        }
        // Statistics, names of programs and the like.
        fs::write(&path, &written)?;
        let compared = compare(&target, &back, lake.path()).await?;
        ensure!(compared.is_equal(), "byte {place}: {compared:?}");
        harmless += 1;
    }
    ensure!(refused > 250 && harmless > 0, "{refused} {harmless}");
    Ok(())
}
