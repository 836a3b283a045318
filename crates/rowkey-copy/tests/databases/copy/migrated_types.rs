//! Types of tables that frameworks have made, which differ by database: durations, truth, and times
//! without fractions.

use anyhow::{Result, ensure};
use rowkey_tables::Connection;
use rowkey_testkit::{Backend, Suite, test_name};

use crate::copy::held::preflight;
use crate::copy::{copy_into_existing, execute, open, pair, plan};

pub(crate) fn add_tests(suite: &mut Suite) {
    for target in crate::LIVE {
        let to = test_name(target);
        let sources = match target {
            Backend::Postgres => &[Backend::MySql, Backend::MariaDb, Backend::Sqlite][..],
            _ => &[Backend::Postgres],
        };
        let name = format!("durations_are_microseconds_in_{to}");
        pair(suite, &name, sources.iter().copied(), target, durations);
        let name = format!("values_decide_about_types_of_frameworks_in_{to}");
        pair(suite, &name, sources.iter().copied(), target, types);
    }
}

/// A framework stores a duration as microseconds where the database has no intervals.
async fn durations(source: String, target: String) -> Result<()> {
    let spans = [-1, 3_456_003_000_005, -90_061_000_001, i64::MAX];
    let mut dbs = [open(&source).await?, open(&target).await?];
    for db in &mut dbs {
        let own = match db.backend() {
            Backend::Postgres => "interval",
            _ => "bigint",
        };
        let table = format!("CREATE TABLE task (id integer NOT NULL PRIMARY KEY, took {own})");
        db.execute("a table", &table).await?;
    }
    let [mut from, mut to] = dbs;
    for (id, micros) in spans.into_iter().enumerate() {
        let value = match from.backend() {
            Backend::Postgres => format!("'{micros} microseconds'"),
            _ => micros.to_string(),
        };
        let row = format!("INSERT INTO task VALUES ({id}, {value})");
        from.execute("a row", &row).await?;
    }
    let plan = plan(&source, &target).await?;
    let found = preflight(&source, &target, &plan).await?;
    let is_told = |note: &String| note.contains("task.took: the number of microseconds");
    ensure!(
        found.refused.is_empty() && found.notes.iter().any(is_told),
        "{found:?}"
    );
    copy_into_existing(&source, &target, &plan).await?;
    let micros = match to.backend() {
        Backend::Postgres => "(EXTRACT(EPOCH FROM took) * 1000000)::bigint",
        _ => "took",
    };
    let query = format!("SELECT {micros} FROM task ORDER BY id");
    let rows = to.query("the rows", &query, &[]).await?;
    let read: Result<Vec<i64>, _> = rows.iter().map(|row| row.integer(0)).collect();
    ensure!(read? == spans);

    // A month has no number of microseconds.
    if from.backend() == Backend::Postgres {
        begin_anew(&mut to).await?;
        from.execute("a month", "INSERT INTO task VALUES (9, '1 month')")
            .await?;
        let found = preflight(&source, &target, &plan).await?;
        let is_month = |why: &String| why.starts_with("task.took: a value is P1M");
        ensure!(found.refused.iter().any(is_month), "{found:?}");
    }
    Ok(())
}

/// Forgets that a copy has ended.
async fn begin_anew(target: &mut Connection) -> Result<()> {
    let statements = ["DELETE FROM task", "DROP TABLE rowkey_copy"];
    execute(target, "the table as it was made", &statements).await
}

/// A framework has other types on each database, which hold its values all the same: TypeORM a
/// `tinyint` for truth, SQLAlchemy a moment since 1970 for an interval, and times without fractions.
async fn types(source: String, target: String) -> Result<()> {
    let mut dbs = [open(&source).await?, open(&target).await?];
    for db in &mut dbs {
        let [truth, span, time, moment] = match db.backend() {
            Backend::Postgres => ["boolean", "interval", "time", "timestamp"],
            Backend::Sqlite => ["tinyint", "datetime", "time(0)", "datetime(0)"],
            _ => ["tinyint", "datetime(6)", "time", "datetime"],
        };
        let table = format!(
            "CREATE TABLE task (id integer NOT NULL PRIMARY KEY, done {truth} NOT NULL, took {span}, \
             due {time}, made {moment})"
        );
        db.execute("a table", &table).await?;
    }
    let [mut from, mut to] = dbs;
    let is_postgres = from.backend() == Backend::Postgres;
    let took = match is_postgres {
        true => "1 day 00:00:01.5",
        false => "1970-01-02 00:00:01.500000",
    };
    let row = format!(
        "INSERT INTO task VALUES (1, {}, '{took}', '10:20:30', '2026-05-06 07:08:09'), \
         (2, {}, NULL, NULL, NULL)",
        if is_postgres { "true" } else { "1" },
        if is_postgres { "false" } else { "0" },
    );
    from.execute("rows", &row).await?;
    let plan = plan(&source, &target).await?;
    let found = preflight(&source, &target, &plan).await?;
    let is_told = |note: &String| note.contains("task.took: the time since 1970-01-01");
    ensure!(
        found.refused.is_empty() && found.notes.iter().any(is_told),
        "{found:?}"
    );
    copy_into_existing(&source, &target, &plan).await?;
    let (query, expected) = match to.backend() {
        Backend::Postgres => (
            "SELECT concat(done, '/', took, '/', due, '/', made) FROM task ORDER BY id",
            ["t/1 day 00:00:01.5/10:20:30/2026-05-06 07:08:09", "f///"],
        ),
        Backend::Sqlite => (
            "SELECT done || '/' || coalesce(took, '') || '/' || coalesce(due, '') FROM task ORDER BY id",
            ["1/1970-01-02 00:00:01.500000/10:20:30.000000", "0//"],
        ),
        _ => (
            "SELECT CONVERT(concat(done, '/', coalesce(took, ''), '/', coalesce(due, '')) USING utf8mb4) \
             FROM task ORDER BY id",
            ["1/1970-01-02 00:00:01.500000/10:20:30", "0//"],
        ),
    };
    let rows = to.query("the rows", query, &[]).await?;
    let read: Result<Vec<&str>, _> = rows.iter().map(|row| row.text(0)).collect();
    ensure!(read? == expected, "{rows:?}");

    // What the types don't hold.
    let row = match is_postgres {
        true => {
            "INSERT INTO task VALUES (9, true, '1 month', '10:20:30.25', '2026-05-06 07:08:09.5')"
        }
        false => "INSERT INTO task VALUES (9, 2, NULL, NULL, NULL)",
    };
    from.execute("another row", row).await?;
    begin_anew(&mut to).await?;
    let found = preflight(&source, &target, &plan).await?;
    let expected = match is_postgres {
        true => &[
            "task.took: a value is P1M",
            "task.due: a value has a fraction",
            "task.made: a value has a fraction",
        ][..],
        false => &["task.done: a value is"],
    };
    for expected in expected {
        let is_told = |why: &String| why.starts_with(expected);
        ensure!(found.refused.iter().any(is_told), "{expected}: {found:?}");
    }
    Ok(())
}
