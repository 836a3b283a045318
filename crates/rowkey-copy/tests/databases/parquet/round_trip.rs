//! A value of every kind goes from each database to each other one by way of files.

use anyhow::{Context, Result, ensure};
use rowkey_copy::parquet;
use rowkey_core::Backend;
use rowkey_tables::Silent;
use rowkey_testkit::{Suite, test_name};

use crate::copy::{pair, shop};
use crate::parquet::{compare, files, on, open, plan, plan_back, there_and_back, write};

pub(crate) fn add_tests(suite: &mut Suite) {
    for target in crate::LIVE {
        let to = test_name(target);
        pair(
            suite,
            &format!("every_value_to_{to}"),
            crate::LIVE,
            target,
            every_value,
        );
    }
    suite.test("counters_go_on_behind_files", crate::LIVE, |source| {
        on(source, counters)
    });
    suite.test("a_difference_is_found", crate::LIVE, |source| {
        on(source, differences)
    });
}

async fn every_value(source: String, target: String) -> Result<()> {
    let made = shop::create(&source, &target).await?;
    let there = plan(&source).await?;
    ensure!(there.target == "parquet", "{there:?}");
    let lake = tempfile::tempdir()?;
    let folder = lake.path().join("new");
    let report = there_and_back(&source, &there, &folder, &target).await?;
    let rows: Vec<u64> = report.tables.iter().map(|table| table.rows).collect();
    ensure!(
        rows == [shop::OFFERS as u64, shop::VISITS as u64],
        "{rows:?}"
    );
    ensure!(files(&folder)? == ["offer.parquet", "visit.parquet"]);
    shop::check_rows(&mut open(&target).await?, &made).await
}

/// A table that exists counts on behind the rows that come from a file.
async fn counters(url: String) -> Result<()> {
    let mut db = open(&url).await?;
    let counted = match db.backend() {
        Backend::Postgres => "bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
        Backend::Sqlite => "INTEGER PRIMARY KEY AUTOINCREMENT",
        _ => "bigint AUTO_INCREMENT PRIMARY KEY",
    };
    let table = format!("CREATE TABLE receipt (number {counted}, paid integer NOT NULL)");
    db.execute("the table", &table).await?;
    let insert = "INSERT INTO receipt (paid) VALUES (10), (20), (30)";
    db.execute("rows", insert).await?;
    let lake = tempfile::tempdir()?;
    write(&url, &plan(&url).await?, lake.path()).await?;
    db.execute("no table", "DROP TABLE receipt").await?;
    db.execute("the table", &table).await?;
    let back = plan_back(lake.path(), &url).await?;
    parquet::read(lake.path(), &mut db, &back, false, &mut Silent).await?;
    db.execute("a row", "INSERT INTO receipt (paid) VALUES (40)")
        .await?;
    let rows = db
        .query("the last", "SELECT MAX(number) FROM receipt", &[])
        .await?;
    let last = rows.first().context("a row")?.integer(0)?;
    ensure!(last == 4, "the next number is {last}");
    Ok(())
}

/// A changed value, a missing row, and a row too many.
async fn differences(source: String) -> Result<()> {
    shop::create(&source, &source).await?;
    let mut db = open(&source).await?;
    let plan = plan(&source).await?;
    let lake = tempfile::tempdir()?;
    write(&source, &plan, lake.path()).await?;
    for (change, back, keys) in [
        (
            "UPDATE visit SET small = 1 WHERE number = 17",
            "UPDATE visit SET small = -32768 WHERE number = 17",
            &["17"][..],
        ),
        (
            "UPDATE visit SET number = 1000 WHERE number = 5",
            "UPDATE visit SET number = 5 WHERE number = 1000",
            &["5", "1000"],
        ),
    ] {
        db.execute("a change", change).await?;
        let compared = compare(&source, &plan, lake.path()).await?;
        let difference = compared.tables[1].difference.as_ref();
        let found = difference.is_some_and(|found| {
            found.parts == keys.len()
                && !found.keys.is_empty()
                && found.keys.iter().all(|key| keys.contains(&key.as_str()))
        });
        ensure!(found, "{change}: {compared:?}");
        ensure!(compared.tables[0].difference.is_none());
        db.execute("the way back", back).await?;
    }
    let compared = compare(&source, &plan, lake.path()).await?;
    ensure!(compared.is_equal(), "{compared:?}");
    Ok(())
}
