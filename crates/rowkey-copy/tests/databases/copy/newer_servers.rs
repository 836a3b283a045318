//! What only newer servers have, from and to those that have it.

use anyhow::{Context, Result, bail, ensure};
use rowkey_copy::{CopyPlan, Request};
use rowkey_tables::Silent;
use rowkey_testkit::{Backend, Suite, test_name};

use crate::copy::held::{nothing_is_refused, preflight};
use crate::copy::{
    compare, copy, copy_equal, copy_into_existing, creating, execute, open, pair, plan,
};
use crate::is_older;

const MYSQL: [Backend; 2] = [Backend::MySql, Backend::MariaDb];

/// The first version with JSON, CHECKs, expressions in indexes and as defaults, descending and
/// spatial indexes of InnoDB, indexes of 3072 bytes, and collations that others do not have.
pub(crate) const MYSQL_8: (Backend, &str) = (Backend::MySql, "8.0.16");

const SPANS: &str = "CREATE TABLE stay (room int4range, at daterange, n integer, \
                     CONSTRAINT one_guest PRIMARY KEY (room, at WITHOUT OVERLAPS), \
                     CONSTRAINT numbered UNIQUE NULLS NOT DISTINCT (n))";

const BILL: &str = "CREATE TABLE bill (n integer PRIMARY KEY, room int4range, at daterange, \
                    CONSTRAINT of_stay FOREIGN KEY (room, PERIOD at) REFERENCES stay (room, PERIOD at))";

const INVISIBLE_KEYS: &str = "SET SESSION sql_generate_invisible_primary_key = ON";

pub(crate) fn add_tests(suite: &mut Suite) {
    for target in MYSQL {
        let name = format!("every_collation_has_a_nearest_in_{}", test_name(target));
        pair_since(suite, MYSQL_8, &name, MYSQL, target, collations);
    }
    let (postgres, mysql) = (Backend::Postgres, Backend::MySql);
    for target in MYSQL {
        let name = format!("moments_after_2038_to_{}", test_name(target));
        pair(suite, &name, [postgres], target, late_moments);
        let moment = format!("no_moment_for_a_null_in_{}", test_name(target));
        pair(suite, &moment, [postgres], target, null_moments);
        let since = (Backend::MariaDb, "11.5");
        pair_since(
            suite,
            since,
            &name,
            [Backend::MariaDb],
            target,
            late_moments,
        );
    }
    let postgres_18 = (postgres, "18");
    for target in [postgres, mysql, Backend::Sqlite] {
        let name = format!("constraints_of_postgres_18_to_{}", test_name(target));
        pair_since(suite, postgres_18, &name, [postgres], target, constraints);
    }
    let (sqlite, name) = (
        Backend::Sqlite,
        "references_that_the_target_does_not_enforce",
    );
    pair_since(suite, postgres_18, name, [sqlite], postgres, not_enforced);
    let name = "keys_of_spans_of_time";
    pair_since(suite, postgres_18, name, [postgres], postgres, spans);
    let name = "spans_of_time_of_an_existing_table";
    pair_since(suite, postgres_18, name, [postgres], postgres, own_spans);
    let (since, name) = ((mysql, "8.0.30"), "keys_that_mysql_makes");
    pair_since(suite, since, name, [mysql], mysql, invisible);
}

/// As [`pair`], but ignored where a side is an older version of a backend than this one.
pub(crate) fn pair_since<F: Future<Output = Result<()>>>(
    suite: &mut Suite,
    version: (Backend, &'static str),
    name: &str,
    sources: impl IntoIterator<Item = Backend>,
    target: Backend,
    scenario: impl Fn(String, String) -> F + Copy + Send + 'static,
) {
    let is_older = is_older(suite, version);
    let (backend, since) = version;
    let reason = format!("{} is older than version {since}", test_name(backend));
    for source in sources {
        match is_older && [source, target].contains(&backend) {
            true => suite.ignore_on(source, name, &reason),
            false => pair(suite, name, [source], target, scenario),
        }
    }
}

/// MariaDB's moments go on to 2106 on newer servers.
async fn late_moments(source: String, target: String) -> Result<()> {
    let mut to = open(&target).await?;
    to.execute("a table", "CREATE TABLE asked (at timestamp NULL)")
        .await?;
    let last = "INSERT INTO asked VALUES ('2106-02-07 06:28:15')";
    let is_held = to.execute("a late moment", last).await.is_ok();
    let mut from = open(&source).await?;
    let moment = match from.backend() {
        Backend::Postgres => "timestamptz(0)",
        _ => "timestamp NULL",
    };
    let statements = [
        &format!("CREATE TABLE licence (id integer PRIMARY KEY, ends {moment})"),
        "INSERT INTO licence VALUES (1, '2106-02-07 06:28:15')",
    ];
    execute(&mut from, "the source", &statements).await?;
    let mut plan = plan(&source, &target).await?;
    plan.tables[0].columns[1].to = Some("timestamp".into());
    let end = match is_held {
        true => "lies between 1970 and 2106",
        false => "lies between 1970 and 2038",
    };
    if from.backend() == Backend::Postgres {
        let later = "INSERT INTO licence VALUES (2, '2106-02-07 06:28:16Z')";
        from.execute("a later moment", later).await?;
        is_refused(&source, &target, &plan, end).await?;
        from.execute("its end", "DELETE FROM licence WHERE id = 2")
            .await?;
    }
    match is_held {
        true => {
            nothing_is_refused(&source, &target, &plan).await?;
            copy_equal(&source, &target, &plan).await?;
        }
        false => is_refused(&source, &target, &plan, end).await?,
    }
    Ok(())
}

/// MariaDB, and MySQL before 8, have the present moment instead, also where nothing was looked at
/// before.
async fn null_moments(source: String, target: String) -> Result<()> {
    let rows = [
        "CREATE TABLE licence (id integer PRIMARY KEY, ends timestamptz)",
        "INSERT INTO licence VALUES (1, NULL)",
    ];
    execute(&mut open(&source).await?, "the source", &rows).await?;
    let (mut from, mut to) = (open(&source).await?, open(&target).await?);
    let own = "CREATE TABLE licence (id int PRIMARY KEY, \
               ends timestamp(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6))";
    to.execute("the target", own).await?;
    let mut plan = plan(&source, &target).await?;
    is_refused(
        &source,
        &target,
        &plan,
        "it is NULL, which the target refuses",
    )
    .await?;
    plan.policy.preflight = false;
    let copied =
        rowkey_copy::copy(&mut from, &mut to, &plan, &Request::default(), &mut Silent).await;
    let Err(error) = copied else {
        bail!("the row arrived: {copied:?}");
    };
    ensure!(error.to_string().contains("it is NULL"), "{error}");
    ensure!(
        to.count("the rows", "SELECT COUNT(*) FROM licence", &[])
            .await?
            == 0
    );
    Ok(())
}

async fn is_refused(source: &str, target: &str, plan: &CopyPlan, why: &str) -> Result<()> {
    let found = preflight(source, target, plan).await?;
    let is_told = |refused: &String| refused.contains(why);
    ensure!(found.refused.iter().any(is_told), "{found:?}");
    Ok(())
}

/// A table with a column of each collation of the source for all of Unicode. What the target does
/// not have becomes the nearest.
async fn collations(source: String, target: String) -> Result<()> {
    let mut db = open(&source).await?;
    let query = "SELECT collation_name FROM information_schema.collation_character_set_applicability \
                 WHERE character_set_name = 'utf8mb4' ORDER BY collation_name";
    let rows = db.query("the collations", query, &[]).await?;
    let (mut columns, mut values) = (Vec::new(), Vec::new());
    for (number, row) in rows.iter().enumerate() {
        let collation = row.text(0)?;
        columns.push(format!(
            "c{number} varchar(3) CHARACTER SET utf8mb4 COLLATE {collation} NOT NULL"
        ));
        values.push("'aß'");
    }
    let create = format!(
        "CREATE TABLE word (n int PRIMARY KEY, {}) ENGINE=InnoDB",
        columns.join(", ")
    );
    let insert = format!("INSERT INTO word VALUES (1, {})", values.join(", "));
    execute(&mut db, "the source", &[&create, &insert]).await?;
    let plan = plan(&source, &target).await?;
    let found = preflight(&source, &target, &plan).await?;
    let is_other = source.split('/').nth(2) != target.split('/').nth(2);
    let is_told = |note: &String| note.contains("the collation ") && note.contains(" becomes ");
    ensure!(
        found.refused.is_empty() && found.notes.iter().any(is_told) == is_other,
        "{found:?}"
    );
    copy_equal(&source, &target, &plan).await?;
    Ok(())
}

/// Rows that break what is not enforced, or was not validated, arrive; what is left out is told.
async fn constraints(source: String, target: String) -> Result<()> {
    let mut db = open(&source).await?;
    let to = open(&target).await?.backend();
    execute(
        &mut db,
        "the source",
        &[
            "CREATE TABLE thing (id uuid PRIMARY KEY DEFAULT uuidv7(), title varchar(9), \
             title_upper varchar(9) GENERATED ALWAYS AS (upper(title)) VIRTUAL, \
             title_lower varchar(9) GENERATED ALWAYS AS (lower(title)) STORED, \
             n integer CONSTRAINT positive CHECK (n > 0) NOT ENFORCED)",
            "CREATE TABLE part (number integer CONSTRAINT numbered NOT NULL PRIMARY KEY, \
             thing_id uuid CONSTRAINT part_thing REFERENCES thing (id) NOT ENFORCED)",
            "INSERT INTO thing (title, n) VALUES (NULL, -1), ('Über', 2)",
            "INSERT INTO thing (title, n) SELECT 'more', n FROM generate_series(3, 400) AS n",
            "ALTER TABLE thing ADD CONSTRAINT titled NOT NULL title NOT VALID",
            "INSERT INTO part VALUES (1, NULL), (2, uuidv7())",
        ],
    )
    .await?;
    let plan = plan(&source, &target).await?;
    let thing = plan.tables.iter().find(|table| table.name.name == "thing");
    let id = thing.and_then(|table| table.columns.first());
    let format = id.and_then(|id| id.format.as_deref());
    ensure!(format == Some("uuid-v7"), "{plan:?}");
    let report = copy(&source, &target, &plan).await?;
    for expected in [
        "part: the reference of thing_id to thing is left out: it is not enforced, so that rows may break it",
        "thing: the check positive is left out",
        "thing: the check titled is left out",
    ] {
        ensure!(
            report.notes.iter().any(|note| note == expected),
            "{expected}: {:?}",
            report.notes
        );
    }
    let compared = compare(&source, &target, &plan).await?;
    ensure!(compared.is_equal(), "{compared:?}");
    let mut db = open(&target).await?;
    let count = "SELECT COUNT(*) FROM thing WHERE title IS NULL OR title_upper <> ''";
    ensure!(db.query("rows", count, &[]).await?[0].integer(0)? == 400);
    if to == Backend::Postgres {
        // The default is carried.
        let insert = "INSERT INTO thing (n) VALUES (7)";
        db.execute("a row", insert).await?;
    }
    Ok(())
}

/// Rows of an existing table that refer to none are taken, as the target takes them.
async fn not_enforced(source: String, target: String) -> Result<()> {
    let rows = [
        "CREATE TABLE thing (id integer NOT NULL PRIMARY KEY)",
        "CREATE TABLE part (id integer NOT NULL PRIMARY KEY, thing_id integer)",
        "INSERT INTO part VALUES (1, 7)",
    ];
    execute(&mut open(&source).await?, "the source", &rows).await?;
    let there = [
        "CREATE TABLE thing (id integer PRIMARY KEY)",
        "CREATE TABLE part (id integer PRIMARY KEY, thing_id integer REFERENCES thing NOT ENFORCED)",
    ];
    execute(&mut open(&target).await?, "the target", &there).await?;
    let plan = plan(&source, &target).await?;
    nothing_is_refused(&source, &target, &plan).await?;
    copy_into_existing(&source, &target, &plan).await
}

/// Keys that are more than their columns, and references to a part of a span, are told.
async fn spans(source: String, target: String) -> Result<()> {
    let mut db = open(&source).await?;
    execute(
        &mut db,
        "the source",
        &[
            SPANS,
            BILL,
            "INSERT INTO stay VALUES ('[1,2)', '[2026-01-01,2026-02-01)', NULL)",
            "INSERT INTO bill VALUES (1, '[1,2)', '[2026-01-05,2026-01-06)')",
        ],
    )
    .await?;
    let plan = plan(&source, &target).await?;
    let report = copy(&source, &target, &plan).await?;
    for expected in [
        "stay: WITHOUT OVERLAPS of the key one_guest is left out",
        "stay: NULLS NOT DISTINCT of the key numbered is left out",
        "bill: the reference of room, at to stay is left out: it refers to spans of time",
    ] {
        ensure!(
            report.notes.iter().any(|note| note == expected),
            "{expected}: {:?}",
            report.notes
        );
    }
    let compared = compare(&source, &target, &plan).await?;
    ensure!(compared.is_equal(), "{compared:?}");
    Ok(())
}

/// The source does not know that spans have no time in common, or lie in others.
async fn own_spans(source: String, target: String) -> Result<()> {
    let statements = [
        "CREATE TABLE stay (room int4range, at daterange, n integer)",
        "CREATE TABLE bill (n integer PRIMARY KEY, room int4range, at daterange)",
        "INSERT INTO stay VALUES ('[1,2)', '[2026-01-01,2026-02-01)', 1)",
        "INSERT INTO bill VALUES (1, '[1,2)', '[2026-01-05,2026-01-06)')",
    ];
    let mut from = open(&source).await?;
    execute(&mut from, "the source", &statements).await?;
    execute(&mut open(&target).await?, "the target", &[SPANS, BILL]).await?;
    let plan = plan(&source, &target).await?;
    let found = preflight(&source, &target, &plan).await?;
    let note =
        "bill: whether all rows fulfil the reference of room, at of the target was not looked at";
    let is_told = found.notes.iter().any(|told| told.starts_with(note));
    ensure!(is_told && found.refused.is_empty(), "{found:?}");
    let overlapping = "INSERT INTO stay VALUES ('[1,2)', '[2026-01-31,2026-03-01)', 2)";
    from.execute("a guest too many", overlapping).await?;
    is_refused(&source, &target, &plan, "break its key one_guest").await?;
    from.execute("the end", "DELETE FROM stay WHERE n = 2")
        .await?;
    copy_into_existing(&source, &target, &plan).await
}

/// A table without a key has one that nobody sees, and a target that makes such keys gets the key
/// that the source says.
async fn invisible(source: String, target: String) -> Result<()> {
    let (mut from, mut to) = (open(&source).await?, open(&target).await?);
    execute(
        &mut from,
        "the source",
        &[
            INVISIBLE_KEYS,
            "CREATE TABLE log (line varchar(20), seen int INVISIBLE)",
            "CREATE TABLE thing (id binary(16) NOT NULL PRIMARY KEY, title varchar(20), \
             UNIQUE KEY lowered ((lower(title))), KEY by_title (title))",
            "INSERT INTO log (line, seen) VALUES ('a', 1), ('b', 2)",
            "INSERT INTO thing VALUES (UNHEX(REPEAT('a7', 16)), 'a'), (UNHEX(REPEAT('b8', 16)), 'b')",
        ],
    )
    .await?;
    let mut plan = plan(&source, &target).await?;
    let mut tables = plan.tables.iter_mut();
    let thing = tables.find(|table| table.name.name == "thing");
    let id = thing.and_then(|table| table.columns.first_mut());
    let id = id.context("the plan has the key")?;
    // The key is added after the rows, which come in another order.
    id.to = None;
    id.format = Some("any-uuid".into());
    id.stored_from = Some("binary:sql-server".into());
    id.stored_to = Some("binary:public".into());
    to.execute("the target", INVISIBLE_KEYS).await?;
    let report = rowkey_copy::copy(&mut from, &mut to, &plan, &creating(), &mut Silent).await?;
    let lowered = "thing: the unique index lowered is left out";
    ensure!(
        report.notes.iter().any(|note| note.starts_with(lowered)),
        "{report:?}"
    );
    let compared = compare(&source, &target, &plan).await?;
    ensure!(compared.is_equal(), "{compared:?}");
    let seen = "SELECT CAST(SUM(seen) AS SIGNED) FROM log WHERE my_row_id > 0";
    ensure!(to.query("rows", seen, &[]).await?[0].integer(0)? == 3);
    let keys = "SELECT GROUP_CONCAT(column_name) FROM information_schema.key_column_usage \
                WHERE table_schema = DATABASE() AND table_name = 'thing'";
    let keys = to.query("the keys", keys, &[]).await?;
    ensure!(keys[0].text(0)? == "id", "{keys:?}");
    Ok(())
}
