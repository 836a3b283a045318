//! What a copy leaves behind is named.

use anyhow::{Result, ensure};
use rowkey_copy::{Choices, CopyPlan, ExistingRows, Null, Request};
use rowkey_tables::Silent;
use rowkey_testkit::{Backend, Suite, test_name};

use crate::copy::held::preflight;
use crate::copy::newer_servers::pair_since;
use crate::copy::{copy, copy_into_existing, execute, open, pair, plan, planned};

pub(crate) fn add_tests(suite: &mut Suite) {
    let target = Backend::Sqlite;
    pair(
        suite,
        "what_stays_behind",
        [Backend::Postgres],
        target,
        around_tables,
    );
    pair(
        suite,
        "programs_that_stay_behind",
        crate::LIVE,
        target,
        programs,
    );
    let name = "what_only_the_server_says";
    // With columns that are not visible.
    let since = (Backend::MySql, "8.0.23");
    pair_since(suite, since, name, crate::LIVE, target, hidden);
    for target in [Backend::Postgres, Backend::Sqlite] {
        let name = format!("what_columns_say_besides_to_{}", test_name(target));
        pair(suite, &name, [Backend::Postgres], target, of_columns);
    }
    for target in crate::LIVE {
        let name = format!("replacements_by_null_are_told_in_{}", test_name(target));
        pair(suite, &name, crate::LIVE, target, replaced_by_null);
        let name = format!("triggers_of_{}", test_name(target));
        pair(suite, &name, [Backend::Postgres], target, triggers);
        let name = "triggers_of_partitions";
        if target == Backend::Postgres {
            pair(suite, name, crate::LIVE, target, triggers_of_partitions);
        }
    }
}

fn told(notes: &[String], expected: &[&str]) -> Result<()> {
    for expected in expected {
        let times = notes.iter().filter(|note| note == expected).count();
        ensure!(times == 1, "{expected}: {times} times in {notes:?}");
    }
    Ok(())
}

/// Limits of counters, order of keys, conflicts, and columns that nobody sees.
async fn hidden(source: String, target: String) -> Result<()> {
    let mut from = open(&source).await?;
    let (table, expected): (&str, &[&str]) = match from.backend() {
        Backend::Postgres => (
            "CREATE TABLE thing (number integer GENERATED ALWAYS AS IDENTITY (MAXVALUE 9 CYCLE CACHE 2) PRIMARY KEY, \
             other serial)",
            &["thing_number_seq: tables that are made lack CYCLE, CACHE, limits"],
        ),
        Backend::Sqlite => (
            "CREATE TABLE thing (number integer, other text UNIQUE ON CONFLICT REPLACE, \
             PRIMARY KEY (number DESC, other))",
            &[
                "thing: its ON CONFLICT is left out",
                "thing: the descending order of its keys is left out",
            ],
        ),
        Backend::MySql => (
            "CREATE TABLE thing (number integer PRIMARY KEY, other integer INVISIBLE, UNIQUE KEY down (other DESC))",
            &[
                "thing.other: tables that are made lack INVISIBLE",
                "thing: tables that are made lack the descending order of the key down",
            ],
        ),
        _ => (
            "CREATE TABLE thing (number integer PRIMARY KEY, other integer INVISIBLE)",
            &["thing.other: tables that are made lack INVISIBLE"],
        ),
    };
    from.execute("the source", table).await?;
    let plan = plan(&source, &target).await?;
    let looked = preflight(&source, &target, &plan).await?;
    told(&looked.notes, expected)
}

/// Privileges, unique indexes of expressions, and tables without an entry.
async fn around_tables(source: String, target: String) -> Result<()> {
    let mut db = open(&source).await?;
    execute(
        &mut db,
        "the source",
        &[
            "CREATE TABLE thing (number integer PRIMARY KEY, title varchar(9), \
             low varchar(9) GENERATED ALWAYS AS (lower(title)) STORED)",
            "CREATE UNIQUE INDEX thing_title ON thing (lower(title))",
            "CREATE TABLE rowkey_copy (number integer PRIMARY KEY)",
            "GRANT SELECT, INSERT ON thing TO PUBLIC",
            "CREATE TABLE alembic_version (version_num varchar(32))",
        ],
    )
    .await?;
    let plan = plan(&source, &target).await?;
    // What is not copied does not make the plan older.
    db.execute("a privilege", "GRANT UPDATE (title) ON thing TO PUBLIC")
        .await?;
    let report = copy(&source, &target, &plan).await?;
    told(
        &report.notes,
        &[
            "thing: the privileges of everybody are left out: INSERT, SELECT",
            "thing.low: it is computed in the source, and has plain values in the target",
            "the table alembic_version is left out: its tool for migrations has to make it in the target",
        ],
    )?;
    let index = "thing: the unique index thing_title is left out, because it is more than a list of copied columns, \
                 so that the target takes values twice: CREATE UNIQUE INDEX thing_title ON ";
    let is_told = |note: &String| note.starts_with(index) && note.contains("lower(");
    ensure!(report.notes.iter().any(is_told), "{report:?}");
    // Each is said once, and nothing of the record of an earlier copy.
    let is_more = |note: &String| note.contains("generated") || note.contains("rowkey_copy");
    ensure!(!report.notes.iter().any(is_more), "{report:?}");
    Ok(())
}

/// Collations, sequences and citext. Within PostgreSQL, a constraint stays one.
async fn of_columns(source: String, target: String) -> Result<()> {
    let mut db = open(&source).await?;
    execute(
        &mut db,
        "the source",
        &[
            "CREATE COLLATION lenient (provider = icu, locale = 'und-u-ks-level2', deterministic = false)",
            "CREATE SEQUENCE numbers",
            "CREATE TABLE one (id integer PRIMARY KEY DEFAULT nextval('numbers'), name varchar(9) COLLATE lenient, \
             short varchar(9), CONSTRAINT one_short UNIQUE (short))",
            "CREATE TABLE other (id integer PRIMARY KEY DEFAULT nextval('numbers'), \
             b varchar(9) COLLATE lenient, a varchar(9) COLLATE lenient)",
        ],
    )
    .await?;
    let citext = "SELECT EXISTS (SELECT FROM pg_available_extensions WHERE name = 'citext')";
    let is_sqlite = open(&target).await?.backend() == Backend::Sqlite;
    let has_citext = is_sqlite && db.is("the extensions", citext, &[]).await?;
    if has_citext {
        let column = [
            "CREATE EXTENSION citext",
            "ALTER TABLE other ADD COLUMN email citext",
        ];
        execute(&mut db, "a column", &column).await?;
    }
    let choices = Choices {
        unknown_types_as_text: true,
        ..Choices::default()
    };
    let plan = planned(&source, &target, choices).await?.plan;
    let mut expected = vec![
        "one.id and other.id take their numbers from one sequence: tables that are made count each on their own, \
         so that new rows may have the same numbers",
    ];
    if has_citext {
        expected.push(
            "other.email: the type citext is left out: the target may tell texts apart that were the same",
        );
    }
    if !is_sqlite {
        expected.push(
            "one.name; other.b, a: the collation lenient is left out: the target may compare and sort texts in another \
             way",
        );
    }
    told(&preflight(&source, &target, &plan).await?.notes, &expected)?;
    told(&copy(&source, &target, &plan).await?.notes, &expected)?;
    if !is_sqlite {
        let constraint = "SELECT EXISTS (SELECT FROM pg_constraint WHERE conname = 'one_short' AND contype = 'u')";
        let mut to = open(&target).await?;
        ensure!(to.is("the constraint", constraint, &[]).await?);
    }
    Ok(())
}

/// Views, routines and events, whether they name a table or not, each of them once.
async fn programs(source: String, target: String) -> Result<()> {
    let mut db = open(&source).await?;
    let backend = db.backend();
    db.execute(
        "the source",
        "CREATE TABLE thing (number integer PRIMARY KEY)",
    )
    .await?;
    // What is not copied does not make the plan older.
    let plan = plan(&source, &target).await?;
    execute(
        &mut db,
        "the source",
        &[
            "CREATE VIEW things AS SELECT number FROM thing",
            "CREATE VIEW unrelated AS SELECT 1 AS one",
        ],
    )
    .await?;
    let (own, expected) = match backend {
        Backend::Postgres => (
            vec![
                "CREATE FUNCTION one() RETURNS integer LANGUAGE sql AS 'SELECT 1'",
                "CREATE FUNCTION all_things() RETURNS bigint LANGUAGE sql AS 'SELECT count(*) FROM thing'",
            ],
            vec![
                "the routine one() is left out",
                "thing: the routine all_things() is left out",
            ],
        ),
        Backend::MySql | Backend::MariaDb => (
            vec![
                "CREATE FUNCTION `one.time`() RETURNS int DETERMINISTIC RETURN 1",
                "CREATE PROCEDURE all_things() SELECT COUNT(*) FROM thing",
                "CREATE TRIGGER seen BEFORE INSERT ON thing FOR EACH ROW SET @seen = 1",
                "CREATE EVENT nightly ON SCHEDULE EVERY 1 DAY DO SET @nights = 1",
                "CREATE EVENT `by day` ON SCHEDULE EVERY 1 DAY DO DELETE FROM thing",
            ],
            vec![
                "the routine \"one.time\" is left out",
                "thing: the routine all_things is left out",
                "thing: the trigger seen is left out",
                "the event nightly is left out",
                "thing: the event by day is left out",
            ],
        ),
        _ => (Vec::new(), Vec::new()),
    };
    for statement in own {
        db.execute("a program", statement).await?;
    }
    let looked = preflight(&source, &target, &plan).await?;
    let report = copy(&source, &target, &plan).await?;
    for notes in [&looked.notes, &report.notes] {
        told(notes, &expected)?;
        for (view, place) in [("unrelated", "the view"), ("things", "thing: the view")] {
            let is_told = |note: &&String| {
                note.starts_with(place) && note.ends_with(&format!("{view} is left out"))
            };
            ensure!(
                notes.iter().filter(is_told).count() == 1,
                "{view}: {notes:?}"
            );
        }
    }
    Ok(())
}

/// What runs in an existing target is refused unless the plan wants it, and named then.
async fn triggers(source: String, target: String) -> Result<()> {
    let table = "CREATE TABLE note (number integer PRIMARY KEY, title varchar(9))";
    let (mut from, mut to) = (open(&source).await?, open(&target).await?);
    let row = "INSERT INTO note VALUES (1, 'one')";
    execute(&mut from, "the source", &[table, row]).await?;
    let mut plan = plan(&source, &target).await?;
    let other = "CREATE TABLE other (number integer PRIMARY KEY)";
    execute(&mut to, "the target", &[table, other]).await?;
    let body = match to.backend() {
        Backend::Postgres => {
            let function = "CREATE FUNCTION kept() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'";
            to.execute("a function", function).await?;
            "EXECUTE FUNCTION kept()"
        }
        Backend::Sqlite => "BEGIN DELETE FROM note WHERE number = 7; END",
        _ => "SET @seen = (SELECT MAX(title) FROM note WHERE number = 7)",
    };
    let named = [
        ("seen", "INSERT ON note"),
        ("told", "UPDATE ON note"),
        ("gone", "DELETE ON note"),
        // It only names the table.
        ("elsewhere", "INSERT ON other"),
    ];
    for (name, event) in named {
        let trigger = format!("CREATE TRIGGER {name} AFTER {event} FOR EACH ROW {body}");
        to.execute("a trigger", &trigger).await?;
    }
    if to.backend() == Backend::Postgres {
        let statements = [
            "CREATE TRIGGER off BEFORE INSERT ON note FOR EACH ROW EXECUTE FUNCTION kept()",
            "ALTER TABLE note DISABLE TRIGGER off",
            "CREATE TRIGGER emptied BEFORE TRUNCATE ON note EXECUTE FUNCTION kept()",
        ];
        execute(&mut to, "other triggers", &statements).await?;
    }
    let instead = match to.backend() {
        Backend::Postgres => {
            "ALTER TABLE \"note\" DISABLE TRIGGER \"seen\" before the copy, and ALTER TABLE \"note\" ENABLE \
             TRIGGER \"seen\" after it"
        }
        _ => "DROP TRIGGER `seen` before the copy, and make it again after it",
    };
    let refused = format!(
        "the table note in the target: its trigger seen would run for what the copy writes, and may change it or \
         write more; if it should run, write `triggers = \"run\"` for the table in the plan; if not, run {instead}"
    );
    for (rows, running) in [
        (None, "its trigger seen "),
        (Some(ExistingRows::Merge), "its triggers seen, told "),
        (Some(ExistingRows::Delete), "its triggers gone, seen "),
        (Some(ExistingRows::Keep), ""),
    ] {
        plan.tables[0].existing_rows = rows;
        let looked = preflight(&source, &target, &plan).await?;
        let is_told = match &looked.refused[..] {
            [] => running.is_empty(),
            [one] => one.contains(running) && (rows.is_some() || *one == refused),
            _ => false,
        };
        ensure!(is_told, "{rows:?}: {looked:?}");
    }
    plan.tables[0].existing_rows = None;
    for looks in [true, false] {
        plan.policy.preflight = looks;
        let copied = copy_into_existing(&source, &target, &plan).await;
        let why = copied.map_err(|error| error.to_string());
        ensure!(why == Err(refused.clone()), "{why:?}");
    }
    // As people write it.
    let line = "name = \"note\"\n";
    let text = plan.to_toml()?;
    let text = text.replacen(line, &format!("{line}triggers = \"run\"\n"), 1);
    let wanted = CopyPlan::from_toml(&text)?;
    let looked = preflight(&source, &target, &wanted).await?;
    ensure!(looked.refused.is_empty(), "{looked:?}");
    let request = Request::default();
    let report = rowkey_copy::copy(&mut from, &mut to, &wanted, &request, &mut Silent).await?;
    let expected =
        "note in the target: the trigger seen runs for what the copy writes, as the plan says";
    for notes in [&looked.notes, &report.notes] {
        told(notes, &[expected])?;
    }
    // A copy that has begun goes on, as it did before this was looked at.
    drop(to);
    let looked = preflight(&source, &target, &plan).await?;
    ensure!(looked.refused.is_empty(), "{looked:?}");
    copy_into_existing(&source, &target, &plan).await
}

/// A partition may have triggers that its table has not.
async fn triggers_of_partitions(source: String, target: String) -> Result<()> {
    let table = "CREATE TABLE note (number integer PRIMARY KEY, title varchar(9))";
    execute(&mut open(&source).await?, "the source", &[table]).await?;
    let statements = [
        "CREATE FUNCTION kept() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'",
        &format!("{table} PARTITION BY RANGE (number)"),
        "CREATE TABLE low PARTITION OF note FOR VALUES FROM (MINVALUE) TO (9) PARTITION BY RANGE (number)",
        "CREATE TABLE lowest PARTITION OF low DEFAULT",
        "CREATE TRIGGER all_of_it AFTER INSERT ON note FOR EACH ROW EXECUTE FUNCTION kept()",
        "CREATE TRIGGER part BEFORE INSERT ON lowest FOR EACH ROW EXECUTE FUNCTION kept()",
    ];
    execute(&mut open(&target).await?, "the target", &statements).await?;
    let plan = plan(&source, &target).await?;
    let looked = preflight(&source, &target, &plan).await?;
    let expected = "the table note in the target: its triggers all_of_it, part would run for what the copy writes, and \
                    may change it or write more; if they should run, write `triggers = \"run\"` for the table in the \
                    plan; if not, run ALTER TABLE \"note\" DISABLE TRIGGER \"all_of_it\"; ALTER TABLE \"lowest\" \
                    DISABLE TRIGGER \"part\" before the copy, and ALTER TABLE \"note\" ENABLE TRIGGER \"all_of_it\"; \
                    ALTER TABLE \"lowest\" ENABLE TRIGGER \"part\" after it";
    ensure!(looked.refused == [expected], "{looked:#?}");
    Ok(())
}

/// A column that refuses NULL in the source, and gets it in the target.
async fn replaced_by_null(source: String, target: String) -> Result<()> {
    let mut from = open(&source).await?;
    let (sql_type, value, mode) = match from.backend() {
        Backend::Postgres => ("date", "'infinity'", "SELECT 1"),
        Backend::Sqlite => ("integer", "'x'", "SELECT 1"),
        _ => ("date", "'0000-00-00'", "SET SESSION sql_mode = ''"),
    };
    let rows = [
        mode,
        &format!(
            "CREATE TABLE thing (id integer NOT NULL PRIMARY KEY, made {sql_type} NOT NULL, size integer NOT NULL)"
        ),
        &format!("INSERT INTO thing VALUES (1, {value}, 1)"),
    ];
    execute(&mut from, "the source", &rows).await?;
    let mut plan = plan(&source, &target).await?;
    let column = &mut plan.tables[0].columns[1];
    match from.backend() {
        Backend::Postgres => column.instead.infinity = Some(Null::Null),
        Backend::Sqlite => column.instead.other_type = Some(Null::Null),
        _ => column.instead.zero_date = Some(Null::Null),
    }
    let note = "thing.made: NOT NULL is left out, because its `instead` gives NULL";
    let looked = preflight(&source, &target, &plan).await?;
    ensure!(looked.refused.is_empty(), "{looked:?}");
    told(&looked.notes, &[note])?;
    let report = copy(&source, &target, &plan).await?;
    told(&report.notes, &[note])?;
    let is_lost = |note: &&String| note.contains("NOT NULL");
    ensure!(
        report.notes.iter().filter(is_lost).count() == 1,
        "{report:?}"
    );
    Ok(())
}
