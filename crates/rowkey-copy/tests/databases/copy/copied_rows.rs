//! Rows that somebody removes from the target, or adds to it.

use anyhow::{Result, bail, ensure};
use rowkey_testkit::{Backend, Search, Server, Suite, test_name};

use crate::copy::held::preflight;
use crate::copy::{copy, creating, execute, interrupted, open, pair, plan};

pub(crate) fn add_tests(suite: &mut Suite) {
    for target in crate::LIVE {
        let to = test_name(target);
        let name = format!("rows_are_gone_after_the_end_in_{to}");
        pair(suite, &name, [Backend::Sqlite], target, after_the_end);
        let name = format!("rows_are_added_before_the_end_in_{to}");
        pair(suite, &name, [Backend::Sqlite], target, before_the_end);
    }
    let name = "another_source_with_the_same_plan";
    pair(suite, name, crate::LIVE, Backend::Sqlite, another_source);
}

const ROWS: usize = 100;

async fn create(source: &str) -> Result<()> {
    let numbers = (1..=ROWS).map(|number| format!("({number})"));
    let numbers: Vec<String> = numbers.collect();
    let rows = format!("INSERT INTO note VALUES {}", numbers.join(", "));
    let table = "CREATE TABLE note (number integer PRIMARY KEY)";
    execute(&mut open(source).await?, "the source", &[table, &rows]).await
}

/// Programs may add rows then, but what was copied has to be there.
async fn after_the_end(source: String, target: String) -> Result<()> {
    create(&source).await?;
    let plan = plan(&source, &target).await?;
    copy(&source, &target, &plan).await?;
    let mut db = open(&target).await?;
    db.execute("a row", "INSERT INTO note VALUES (1000)")
        .await?;
    let again = copy(&source, &target, &plan).await?;
    let note = "note: the target has 101 rows, and 100 were copied";
    let is_told = |notes: &[String]| notes.iter().any(|told| told.starts_with(note));
    ensure!(is_told(&again.notes), "{again:?}");
    let looked = preflight(&source, &target, &plan).await?;
    ensure!(
        looked.refused.is_empty() && is_told(&looked.notes),
        "{looked:?}"
    );
    for (change, found) in [
        ("DELETE FROM note WHERE number > 7", "only 7 are there"),
        ("DELETE FROM note", "none is there"),
        ("DROP TABLE note", "the table is gone"),
    ] {
        db.execute(change, change).await?;
        let expected = format!(
            "note in the target: the copy has ended, and of the 100 rows that were copied, {found}"
        );
        let error = copy(&source, &target, &plan).await.unwrap_err().to_string();
        ensure!(error.contains(&expected), "{error}");
        let looked = preflight(&source, &target, &plan).await?;
        ensure!(
            matches!(&looked.refused[..], [one] if one.contains(&expected)),
            "{looked:?}"
        );
    }
    db.execute("the state", "DROP TABLE rowkey_copy").await?;
    let report = copy(&source, &target, &plan).await?;
    ensure!(report.tables[0].rows_before == 0, "{report:?}");
    Ok(())
}

/// Its rows are not those that were copied, although nothing is left to do with the plan.
async fn another_source(source: String, target: String) -> Result<()> {
    let Search::Found(server) = Server::find(open(&source).await?.backend())? else {
        bail!("the server has gone");
    };
    let other = server.create_database()?;
    create(&source).await?;
    create(other.url()).await?;
    let plan = plan(&source, &target).await?;
    copy(&source, &target, &plan).await?;
    let error = copy(other.url(), &target, &plan).await.unwrap_err();
    let error = error.to_string();
    let why = "which were copied with this plan";
    ensure!(error.contains(why), "{error}");
    let looked = preflight(other.url(), &target, &plan).await?;
    ensure!(
        matches!(&looked.refused[..], [refused] if *refused == error),
        "{looked:?}"
    );
    // The first one has other addresses.
    let elsewhere = source.replace("127.0.0.1", "localhost");
    copy(&elsewhere, &target, &plan).await?;
    // If it was moved to the other one.
    let (_, statement) = error.split_once("run ").unwrap_or_default();
    let (statement, _) = statement.split_once(" in the target").unwrap_or_default();
    let mut db = open(&target).await?;
    db.execute("the way out", statement).await?;
    copy(other.url(), &target, &plan).await?;
    Ok(())
}

/// What another program has written is not taken for a part of the copy.
async fn before_the_end(source: String, target: String) -> Result<()> {
    create(&source).await?;
    let mut plan = plan(&source, &target).await?;
    plan.policy.batch_rows = 7;
    plan.policy.transaction_rows = 20;
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("plan.toml");
    std::fs::write(&file, plan.to_toml()?)?;
    // After the look at the values, and the first transaction.
    interrupted::run(&source, &target, &file, 3, &creating())?;
    let looked = preflight(&source, &target, &plan).await?;
    let note = "the copy has begun, and `rowkey copy` goes on with it: 0 of 1 tables";
    ensure!(
        looked.refused.is_empty() && looked.notes.iter().any(|told| told.starts_with(note)),
        "{looked:?}"
    );
    let mut db = open(&target).await?;
    for (change, back, expected) in [
        (
            "INSERT INTO note VALUES (1000)",
            "DELETE FROM note WHERE number = 1000",
            "all 21 rows that were copied so far were committed, but it has 1 more",
        ),
        (
            "DELETE FROM note WHERE number = 1",
            "INSERT INTO note VALUES (1)",
            "an earlier run has not ended, and of the 21 rows that were copied, only 20 are there",
        ),
    ] {
        db.execute(change, change).await?;
        let error = copy(&source, &target, &plan).await.unwrap_err().to_string();
        ensure!(error.contains(expected), "{error}");
        let looked = preflight(&source, &target, &plan).await?;
        ensure!(
            matches!(&looked.refused[..], [one] if one.contains(expected)),
            "{looked:?}"
        );
        db.execute(back, back).await?;
    }
    let report = copy(&source, &target, &plan).await?;
    ensure!(
        (report.tables[0].rows_before, report.tables[0].rows) == (21, 100),
        "{report:?}"
    );
    Ok(())
}
