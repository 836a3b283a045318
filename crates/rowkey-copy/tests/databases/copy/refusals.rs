//! What is not copied says why, before anything is written.

use anyhow::{Result, bail, ensure};
use rowkey_copy::{ExistingRows, Request};
use rowkey_tables::Silent;
use rowkey_tables::catalog::Catalog;
use rowkey_testkit::{Backend, Suite, test_name};

use crate::copy::held::{nothing_is_refused, preflight};
use crate::copy::{compare, copy, creating, execute, open, pair, plan};

pub(crate) fn add_tests(suite: &mut Suite) {
    for target in crate::LIVE {
        let name = format!("a_schema_that_is_missing_in_{}", test_name(target));
        pair(suite, &name, [Backend::Sqlite], target, no_schema);
    }
    let file = Backend::Sqlite;
    pair(suite, "a_file_that_is_missing", [file], file, no_file);
    pair(
        suite,
        "a_target_with_tables_is_refused",
        crate::LIVE,
        Backend::Sqlite,
        existing,
    );
    pair(
        suite,
        "a_table_can_be_left_out",
        crate::LIVE,
        Backend::Sqlite,
        left_out,
    );
    for target in [Backend::Postgres, Backend::MySql, Backend::MariaDb] {
        let name = format!("a_copy_goes_on_as_it_has_begun_in_{}", test_name(target));
        pair(suite, &name, crate::LIVE, target, another_way);
    }
    for target in crate::LIVE {
        let name = format!("negative_zero_to_{}", test_name(target));
        pair(suite, &name, [Backend::Postgres], target, floats);
    }
    pair(
        suite,
        "inherited_rows_are_copied_once",
        [Backend::Postgres],
        Backend::Sqlite,
        inherited,
    );
    pair(
        suite,
        "schemas_left_behind_are_named",
        [Backend::Postgres],
        Backend::Sqlite,
        in_another_schema,
    );
    pair(
        suite,
        "a_target_without_transactions_is_refused",
        [Backend::Postgres],
        Backend::MariaDb,
        without_transactions,
    );
    pair(
        suite,
        "types_without_a_place_are_named",
        [Backend::Postgres],
        Backend::MariaDb,
        types,
    );
    pair(
        suite,
        "a_zero_in_text_stops_before_its_row",
        [Backend::MariaDb],
        Backend::Postgres,
        zero_in_text,
    );
    for target in [Backend::Postgres, Backend::MySql, Backend::MariaDb] {
        let name = format!("digits_of_times_missing_in_{}", test_name(target));
        pair(suite, &name, [Backend::Postgres], target, missing_digits);
    }
    let name = "one_value_of_a_thousand_columns";
    pair(suite, name, [file], Backend::Postgres, wide);
    for target in [Backend::MySql, Backend::MariaDb] {
        let name = format!("a_row_that_is_too_long_for_{}", test_name(target));
        pair(suite, &name, [Backend::Sqlite], target, too_long);
    }
}

/// A server would round the microseconds without an error. The plan has the digits of the table, and
/// no value more.
async fn missing_digits(source: String, target: String) -> Result<()> {
    let mut db = open(&source).await?;
    for statement in [
        "CREATE TABLE visit (number integer PRIMARY KEY, made timestamp)",
        "INSERT INTO visit VALUES (1, '2026-01-01 00:00:00'), (2, '2026-01-01 00:00:00.5')",
    ] {
        db.execute(statement, statement).await?;
    }
    let mut plan = plan(&source, &target).await?;
    let mut to = open(&target).await?;
    let short = match to.backend() {
        Backend::Postgres => "timestamp(0) without time zone",
        _ => "datetime",
    };
    let create = format!("CREATE TABLE visit (number integer PRIMARY KEY, made {short} NULL)");
    to.execute(&create, &create).await?;
    for expected in ["and the plan says", "a value has a fraction of a second"] {
        let request = rowkey_copy::Request::default();
        let mut silent = Silent;
        let copied = rowkey_copy::copy(&mut db, &mut to, &plan, &request, &mut silent);
        let error = copied.await.unwrap_err().to_string();
        ensure!(error.contains("visit.made"), "{error}");
        ensure!(error.contains(expected), "{error}");
        plan.tables[0].columns[1].to = Some(short.to_owned());
    }
    let count = to.query("rows", "SELECT COUNT(*) FROM visit", &[]).await?;
    ensure!(count[0].integer(0)? == 0, "{count:?}");
    Ok(())
}

/// A copy that has stopped goes on as it has begun: tables that it makes get their indexes, and those
/// of others are looked at again.
async fn another_way(source: String, target: String) -> Result<()> {
    let mut from = open(&source).await?;
    let table = "CREATE TABLE note (number bigint PRIMARY KEY, title varchar(9))";
    let wider = table.replace('9', "20");
    let statements = [
        &wider,
        "CREATE UNIQUE INDEX one_title ON note (title)",
        "INSERT INTO note VALUES (1, 'one'), (2, 'two'), (3, 'much longer')",
    ];
    execute(&mut from, "the source", &statements).await?;
    let mut plan = plan(&source, &target).await?;
    plan.policy.preflight = false;
    plan.policy.batch_rows = 1;
    plan.policy.transaction_rows = 1;
    plan.tables[0].columns[1].to = Some("varchar(9)".into());
    let mut to = open(&target).await?;
    let run = async |request: Request| {
        let (mut from, mut to) = (open(&source).await?, open(&target).await?);
        anyhow::Ok(rowkey_copy::copy(&mut from, &mut to, &plan, &request, &mut Silent).await?)
    };
    let existing = async || run(Request::default()).await;
    let made = async || run(creating()).await;
    let refused = |outcome: Result<rowkey_copy::Report>, words: &str| {
        let why = outcome.err().map(|error| error.to_string());
        let is_told = why.as_deref().is_some_and(|why| why.contains(words));
        ensure!(is_told, "{words}: {why:?}");
        Ok(())
    };
    refused(made().await, "a value has 11 characters")?;
    refused(existing().await, "it has begun with --create")?;
    let body = match to.backend() {
        Backend::Postgres => {
            let function = "CREATE FUNCTION kept() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'";
            to.execute("a function", function).await?;
            "EXECUTE FUNCTION kept()"
        }
        _ => "SET @seen = (SELECT MAX(title) FROM note WHERE number = 7)",
    };
    let trigger = format!("CREATE TRIGGER seen AFTER INSERT ON note FOR EACH ROW {body}");
    let drop = match to.backend() {
        Backend::Postgres => "DROP TRIGGER seen ON note",
        _ => "DROP TRIGGER seen",
    };
    let told = "its trigger seen would run";
    to.execute("a trigger", &trigger).await?;
    refused(made().await, told)?;
    to.execute("no trigger", drop).await?;
    let shorter = "UPDATE note SET title = 'longer' WHERE number = 3";
    from.execute("a shorter title", shorter).await?;
    made().await?;
    let twice = "INSERT INTO note VALUES (4, 'one')";
    ensure!(to.execute("a title", twice).await.is_err());
    // What has ended has nothing left that could be done in another way.
    existing().await?;

    let longer = "UPDATE note SET title = 'much longer' WHERE number = 3";
    from.execute("a longer title", longer).await?;
    let anew = ["DROP TABLE note", "DROP TABLE rowkey_copy", table];
    execute(&mut to, "the target", &anew).await?;
    refused(existing().await, "a value has 11 characters")?;
    refused(made().await, "it has begun without --create")?;
    from.execute("a shorter title", shorter).await?;
    to.execute("a trigger", &trigger).await?;
    let looked = preflight(&source, &target, &plan).await?;
    ensure!(
        matches!(&looked.refused[..], [one] if one.contains(told)),
        "{looked:?}"
    );
    refused(existing().await, told)?;
    to.execute("no trigger", drop).await?;
    existing().await?;
    ensure!(compare(&source, &target, &plan).await?.is_equal());
    Ok(())
}

/// SQLite's expressions have a limit, and one condition looks for all columns; PostgreSQL's pages have
/// one too.
async fn wide(source: String, target: String) -> Result<()> {
    let columns: Vec<String> = (0..1_000).map(|n| format!("c{n} text")).collect();
    let columns = columns.join(", ");
    let mut from = open(&source).await?;
    let statements = [
        format!("CREATE TABLE wide (id integer PRIMARY KEY, {columns})"),
        "INSERT INTO wide (id, c5) VALUES (1, 'a')".into(),
    ];
    execute(
        &mut from,
        "the source",
        &statements.each_ref().map(String::as_str),
    )
    .await?;
    let plan = plan(&source, &target).await?;
    nothing_is_refused(&source, &target, &plan).await?;
    let lost = "INSERT INTO wide (id, c700) VALUES (2, x'ff')";
    from.execute("a value without a place", lost).await?;
    let found = preflight(&source, &target, &plan).await?;
    let is_said = found.refused.len() == 1 && found.refused[0].starts_with("wide.c700: ");
    ensure!(is_said, "{found:?}");
    let page = "wide: a row with values in all of its 1001 columns may be too large for a page";
    ensure!(
        found.notes.iter().any(|note| note.starts_with(page)),
        "{found:?}"
    );
    Ok(())
}

/// A literal has two digits for each byte.
async fn too_long(source: String, target: String) -> Result<()> {
    let mut to = open(&target).await?;
    let limit = "SELECT @@max_allowed_packet";
    let limit = to.query("the limit", limit, &[]).await?[0].integer(0)?;
    let mut db = open(&source).await?;
    let create = "CREATE TABLE page (number INTEGER PRIMARY KEY, body BLOB NOT NULL, title TEXT)";
    let body = limit / 2 + 1;
    let insert = format!(
        "INSERT INTO page VALUES (1, X'00', NULL), (2, zeroblob({body}), NULL), (3, X'01', NULL)"
    );
    for statement in [create, &insert] {
        db.execute(statement, statement).await?;
    }
    let mut plan = plan(&source, &target).await?;
    let looked = preflight(&source, &target, &plan).await?;
    let told = "the table page: a row takes a longer statement than the target's server takes, ";
    ensure!(
        matches!(&looked.refused[..], [one] if one.starts_with(told)),
        "{looked:?}"
    );
    // Quotes are doubled, and backslashes.
    for special in ["''''", "'\\'"] {
        let update = format!(
            "UPDATE page SET body = X'02', title = replace(hex(zeroblob({body})), '00', {special}) WHERE number = 2"
        );
        db.execute("a title", &update).await?;
        let looked = preflight(&source, &target, &plan).await?;
        ensure!(
            matches!(&looked.refused[..], [one] if one.starts_with(told)),
            "{special}: {looked:?}"
        );
    }
    plan.policy.preflight = false;
    let error = copy(&source, &target, &plan).await.unwrap_err().to_string();
    for part in [
        "rows of page",
        "bytes, and the server takes",
        "max_allowed_packet",
    ] {
        ensure!(error.contains(part), "{error}");
    }
    let count = to.query("rows", "SELECT COUNT(*) FROM page", &[]).await?;
    ensure!(count[0].integer(0)? == 0, "{count:?}");
    Ok(())
}

/// Rows are copied with the table that they are in, and once.
async fn inherited(source: String, target: String) -> Result<()> {
    let mut db = open(&source).await?;
    for statement in [
        "CREATE TABLE book (number integer PRIMARY KEY)",
        "CREATE TABLE atlas (scale integer) INHERITS (book)",
        "INSERT INTO book VALUES (1)",
        "INSERT INTO atlas VALUES (2, 1000)",
    ] {
        db.execute(statement, statement).await?;
    }
    let plan = plan(&source, &target).await?;
    let report = copy(&source, &target, &plan).await?;
    let rows: Vec<u64> = report.tables.iter().map(|table| table.rows).collect();
    ensure!(rows == [1, 1], "{report:?}");

    for statement in [
        "CREATE TABLE sale (day integer PRIMARY KEY) PARTITION BY RANGE (day)",
        "CREATE TABLE sale_1 PARTITION OF sale FOR VALUES FROM (0) TO (9)",
    ] {
        db.execute(statement, statement).await?;
    }
    db.execute("rows", "INSERT INTO sale VALUES (3), (4)")
        .await?;
    let mut whole = crate::copy::plan(&source, &target).await?;
    ensure!(whole.tables.len() == 3, "{:?}", whole.tables);
    whole.tables.retain(|table| table.name.name == "sale");
    let mut part = whole.tables[0].clone();
    (part.name, part.becomes) = ("sale_1".into(), "sale_1".into());
    part.catalog = Catalog::read(&mut db).await?.hash_to_copy(&part.name);
    let mut twice = whole.clone();
    twice.tables.push(part);
    let error = copy(&source, &target, &twice)
        .await
        .unwrap_err()
        .to_string();
    ensure!(error.starts_with("sale: it is partitioned"), "{error}");
    let report = copy(&source, &target, &whole).await?;
    ensure!(report.tables[0].rows == 2, "{report:?}");
    ensure!(compare(&source, &target, &whole).await?.is_equal());
    Ok(())
}

/// The name of the schema is the test's own, whose database has those of other tests too.
async fn in_another_schema(source: String, target: String) -> Result<()> {
    let mut db = open(&source).await?;
    let create = "CREATE TABLE book (number integer PRIMARY KEY)";
    db.execute(create, create).await?;
    let rows = db.query("a name", "SELECT current_schema()::text", &[]);
    let attic = format!("{}_attic", rows.await?[0].text(0)?);
    let create = format!("CREATE SCHEMA {attic} CREATE TABLE book (number integer PRIMARY KEY)");
    db.execute(&create, &create).await?;
    let plan = plan(&source, &target).await;
    let report = match &plan {
        Ok(plan) => copy(&source, &target, plan).await,
        Err(error) => Err(anyhow::anyhow!("{error}")),
    };
    let drop = format!("DROP SCHEMA {attic} CASCADE");
    db.execute(&drop, &drop).await?;
    let report = report?;
    ensure!(report.tables.len() == 1, "{report:?}");
    let expected = format!("the schema {attic} is left out");
    ensure!(report.notes.contains(&expected), "{:?}", report.notes);
    Ok(())
}

/// Without transactions, rows and the last key are not written together.
async fn without_transactions(source: String, target: String) -> Result<()> {
    let create = "CREATE TABLE book (number integer PRIMARY KEY)";
    open(&source).await?.execute(create, create).await?;
    let plan = plan(&source, &target).await?;
    let create = format!("{create} ENGINE = MyISAM");
    let mut to = open(&target).await?;
    to.execute(&create, &create).await?;
    let mut from = open(&source).await?;
    let mut silent = Silent;
    let request = rowkey_copy::Request::default();
    let copied = rowkey_copy::copy(&mut from, &mut to, &plan, &request, &mut silent);
    let error = copied.await.unwrap_err().to_string();
    ensure!(error.contains("its engine MyISAM has no"), "{error}");
    Ok(())
}

/// The sign of a zero stays, except in SQLite and MariaDB, which have none: nothing is changed
/// silently.
async fn floats(source: String, target: String) -> Result<()> {
    let mut db = open(&source).await?;
    let table =
        "CREATE TABLE number (number integer PRIMARY KEY, single real, wide double precision)";
    db.execute("the source", table).await?;
    db.execute("a row", "INSERT INTO number VALUES (1, '-0', '-0')")
        .await?;
    let plan = plan(&source, &target).await?;
    let mut to = open(&target).await?;
    let backend = to.backend();
    let copied = copy(&source, &target, &plan).await;
    match backend {
        Backend::Sqlite | Backend::MariaDb => {
            let error = copied.unwrap_err().to_string();
            ensure!(error.contains("number.single: a value is -0"), "{error}");
            return Ok(());
        }
        _ => drop(copied?),
    }
    let shown = match backend {
        Backend::Postgres => "SELECT single::text, wide::text FROM number",
        _ => "SELECT CAST(single * 1e0 AS CHAR), CAST(wide * 1e0 AS CHAR) FROM number",
    };
    let rows = to.query("the numbers", shown, &[]).await?;
    ensure!(
        (rows[0].text(0)?, rows[0].text(1)?) == ("-0", "-0"),
        "{rows:?}"
    );
    Ok(())
}

async fn left_out(source: String, target: String) -> Result<()> {
    let mut db = open(&source).await?;
    execute(
        &mut db,
        "the source",
        &[
            "CREATE TABLE shelf (number integer PRIMARY KEY)",
            "CREATE TABLE book (number integer PRIMARY KEY, shelf integer, \
         FOREIGN KEY (shelf) REFERENCES shelf (number))",
        ],
    )
    .await?;
    let mut plan = plan(&source, &target).await?;
    plan.tables.retain(|table| table.name.name == "book");
    let report = copy(&source, &target, &plan).await?;
    let is_told = |note: &String| note.contains("the reference of shelf to shelf is left out");
    ensure!(report.notes.iter().any(is_told), "{report:?}");

    // Of the tables that are copied, none may have changed.
    db.execute("a change", "ALTER TABLE book ADD title varchar(20)")
        .await?;
    let error = copy(&source, &target, &plan).await.unwrap_err().to_string();
    ensure!(error.contains("the table book: it has changed"), "{error}");
    Ok(())
}

async fn existing(source: String, target: String) -> Result<()> {
    let table = "CREATE TABLE note (number integer PRIMARY KEY)";
    open(&source).await?.execute("the source", table).await?;
    let mut plan = plan(&source, &target).await?;
    let mut to = open(&target).await?;
    to.execute("the target", table).await?;
    let error = copy(&source, &target, &plan).await.unwrap_err().to_string();
    ensure!(error.contains("note in the target: it exists"), "{error}");
    // A table that is made has no rows to delete.
    to.execute("none", "DROP TABLE note").await?;
    plan.tables[0].existing_rows = Some(ExistingRows::Delete);
    nothing_is_refused(&source, &target, &plan).await?;
    copy(&source, &target, &plan).await?;
    Ok(())
}

/// Nothing is made for other tables, either.
async fn no_schema(source: String, target: String) -> Result<()> {
    let mut db = open(&source).await?;
    execute(
        &mut db,
        "the source",
        &[
            "CREATE TABLE a (n integer PRIMARY KEY)",
            "CREATE TABLE b (n integer PRIMARY KEY)",
        ],
    )
    .await?;
    let mut plan = plan(&source, &target).await?;
    plan.tables[1].becomes.schema = Some("rowkey_nowhere".into());
    let error = copy(&source, &target, &plan).await.unwrap_err().to_string();
    ensure!(
        error.contains("the target has no schema rowkey_nowhere"),
        "{error}"
    );
    let tables = Catalog::read(&mut open(&target).await?).await?.tables;
    ensure!(tables.is_empty(), "{tables:?}");
    Ok(())
}

/// SQLite itself says only that it is unable to open the file.
async fn no_file(source: String, target: String) -> Result<()> {
    open(&source).await?;
    let path = target.split('?').next().unwrap_or_default();
    let Err(error) = open(&format!("{path}.missing")).await else {
        bail!("it was opened");
    };
    let error = error.to_string();
    ensure!(error.contains("the file does not exist"), "{error}");
    // A source would be empty.
    ensure!(
        error.contains("correct its path; for a target, write `?mode=rwc`"),
        "{error}"
    );
    Ok(())
}

async fn types(source: String, target: String) -> Result<()> {
    let table = "CREATE TABLE place (number integer PRIMARY KEY, spot point, span interval[], \
                 price numeric)";
    open(&source).await?.execute("the source", table).await?;
    let mut plan = plan(&source, &target).await?;
    let error = copy(&source, &target, &plan).await.unwrap_err().to_string();
    for name in [
        "place.spot (point)",
        "place.span (interval[])",
        "place.price (numeric)",
    ] {
        ensure!(error.contains(name), "{name}: {error}");
    }
    let query = "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = DATABASE()";
    let rows = open(&target).await?.query("the tables", query, &[]).await?;
    ensure!(rows[0].integer(0)? == 0, "something was made");

    // As a person would edit it.
    let columns = &mut plan.tables[0].columns;
    columns.retain(|column| matches!(column.name.as_str(), "number" | "price"));
    columns[1].refused = None;
    columns[1].to = Some("decimal(65,30)".into());
    let report = copy(&source, &target, &plan).await?;
    ensure!(
        report
            .notes
            .iter()
            .any(|note| note.contains("place.spot is left out")),
        "{report:?}"
    );
    Ok(())
}

async fn zero_in_text(source: String, target: String) -> Result<()> {
    let mut db = open(&source).await?;
    execute(
        &mut db,
        "the source",
        &[
            "CREATE TABLE note (number integer PRIMARY KEY, body text CHARACTER SET utf8mb4)",
            "INSERT INTO note VALUES (1, 'good'), (2, CONCAT('b', CHAR(0), 'd'))",
        ],
    )
    .await?;
    let plan = plan(&source, &target).await?;
    let error = copy(&source, &target, &plan).await.unwrap_err().to_string();
    ensure!(
        error.contains("note.body: a text contains the character U+0000"),
        "{error}"
    );
    db.execute(
        "the correction",
        "UPDATE note SET body = 'bad' WHERE number = 2",
    )
    .await?;
    copy(&source, &target, &plan).await?;
    let query = "SELECT string_agg(body, ',' ORDER BY number) FROM note";
    let rows = open(&target).await?.query("the notes", query, &[]).await?;
    ensure!(rows[0].text(0)? == "good,bad", "{rows:?}");
    Ok(())
}
