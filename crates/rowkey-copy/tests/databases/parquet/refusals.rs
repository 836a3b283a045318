//! What has no place is refused by name, and leaves nothing behind.

use anyhow::{Result, ensure};
use rowkey_copy::Null;
use rowkey_tables::Connection;
use rowkey_testkit::{Backend, Suite};

use crate::parquet::{column, files, on, open, plan, plan_back, read, write};

pub(crate) fn add_tests(suite: &mut Suite) {
    suite.test("values_without_a_place", crate::LIVE, |source| {
        on(source, values)
    });
    suite.test("files_and_tables_that_exist", crate::LIVE, |source| {
        on(source, existing)
    });
}

/// A type, a value of it, and why the value has no place.
fn misfits(backend: Backend) -> &'static [(&'static str, &'static str, &'static str)] {
    match backend {
        Backend::Postgres => &[
            ("date", "'infinity'", "a date is infinite"),
            ("timestamptz", "'-infinity'", "a time is infinite"),
            ("timestamp", "'294276-12-31'", "too late"),
            ("time", "'24:00:00'", "between 00:00 and 24:00"),
            (
                "numeric(10,2)",
                "'NaN'",
                "NaN, which decimal(10,2) does not hold",
            ),
        ],
        Backend::Sqlite => &[
            ("INTEGER", "'seven'", "\"seven\", which is no whole number"),
            ("DECIMAL(10,2)", "1.125", "decimal(10,2) does not hold"),
            ("BOOLEAN", "2", "the integer 2"),
            ("UUID_BLOB", "X'00'", "a UUID has 16"),
        ],
        _ => &[
            ("date", "'0000-00-00'", "on no calendar"),
            ("datetime", "'2024-02-00'", "on no calendar"),
            ("time", "'838:59:59'", "838:59:59.000000"),
            ("time", "'-00:00:01'", "-00:00:01.000000"),
            ("tinyint(1)", "2", "neither 0 nor 1"),
        ],
    }
}

async fn set_up(db: &mut Connection, sql_type: &str, value: &str) -> Result<()> {
    if matches!(db.backend(), Backend::MySql | Backend::MariaDb) {
        db.execute("a lenient session", "SET sql_mode = ''").await?;
    }
    db.execute("no table", "DROP TABLE IF EXISTS thing").await?;
    let table = format!("CREATE TABLE thing (number integer NOT NULL PRIMARY KEY, it {sql_type})");
    db.execute("a table", &table).await?;
    for (number, value) in [(1, "NULL"), (2, value)] {
        let insert = format!("INSERT INTO thing VALUES ({number}, {value})");
        db.execute("a row", &insert).await?;
    }
    Ok(())
}

async fn values(source: String) -> Result<()> {
    let mut db = open(&source).await?;
    // It is complete before the other is refused.
    db.execute("a table", "CREATE TABLE a (id integer PRIMARY KEY)")
        .await?;
    let lake = tempfile::tempdir()?;
    for (sql_type, value, expected) in misfits(db.backend()) {
        set_up(&mut db, sql_type, value).await?;
        let there = plan(&source).await?;
        let refused = write(&source, &there, lake.path()).await;
        let refused = refused.unwrap_err().to_string();
        ensure!(
            refused.contains("thing.it: ") && refused.contains(expected),
            "{sql_type} {value}: {refused}"
        );
        let left = files(lake.path())?;
        ensure!(left.is_empty(), "{left:?}");
    }
    if matches!(db.backend(), Backend::Postgres | Backend::MariaDb) {
        let (sql_type, value, _) = misfits(db.backend())[0];
        set_up(&mut db, sql_type, value).await?;
        let mut there = plan(&source).await?;
        let instead = &mut column(&mut there, "thing", "it")?.instead;
        (instead.infinity, instead.zero_date) = (Some(Null::Null), Some(Null::Null));
        let report = write(&source, &there, lake.path()).await?;
        ensure!(report.tables[1].rows == 2, "{report:?}");
        ensure!(files(lake.path())? == ["a.parquet", "thing.parquet"]);
    }
    Ok(())
}

async fn existing(source: String) -> Result<()> {
    let mut db = open(&source).await?;
    set_up(&mut db, "integer", "70000").await?;
    let there = plan(&source).await?;
    let lake = tempfile::tempdir()?;
    write(&source, &there, lake.path()).await?;
    let path = lake.path().join("thing.parquet");
    let before = std::fs::read(&path)?;
    let again = write(&source, &there, lake.path()).await.unwrap_err();
    ensure!(again.to_string().contains("it exists"), "{again}");
    ensure!(std::fs::read(&path)? == before);
    ensure!(files(lake.path())? == ["thing.parquet"]);

    let back = plan_back(lake.path(), &source).await?;
    let exists = read(lake.path(), &source, &back).await.unwrap_err();
    ensure!(exists.to_string().contains("it exists"), "{exists}");
    db.execute("no table", "DROP TABLE thing").await?;
    // Everything is taken back at a value that the plan's type does not hold.
    let mut narrow = back.clone();
    column(&mut narrow, "thing", "it")?.to = Some("smallint".into());
    let refused = read(lake.path(), &source, &narrow).await;
    if db.backend() == Backend::Sqlite {
        // SQLite's integers have 64 bits, whatever their type is called.
        return refused.map(|_| ());
    }
    let refused = refused.unwrap_err().to_string();
    ensure!(refused.contains("thing.it: a value is 70000"), "{refused}");
    // The table that was made for it is gone, so that it can be repeated.
    let query = "SELECT it FROM thing ORDER BY number";
    ensure!(db.query("the rows", query, &[]).await.is_err());
    read(lake.path(), &source, &back).await?;
    let rows = db.query("the rows", query, &[]).await?;
    ensure!(rows.len() == 2 && rows[1].integer(0)? == 70_000, "{rows:?}");

    // Another type than when the plan was written.
    db.execute("no table", "DROP TABLE thing").await?;
    set_up(&mut db, "varchar(9)", "'7'").await?;
    let changed = write(&source, &there, &lake.path().join("new")).await;
    let changed = changed.unwrap_err().to_string();
    ensure!(changed.contains("has changed in the source"), "{changed}");
    Ok(())
}
