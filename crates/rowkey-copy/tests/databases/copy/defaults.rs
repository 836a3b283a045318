//! Defaults that are values go to every database.

use anyhow::{Result, ensure};
use rowkey_copy::Choices;
use rowkey_testkit::{Backend, Suite, test_name};

use crate::copy::newer_servers::{MYSQL_8, pair_since};
use crate::copy::{copy, execute, open, pair, plan, planned};

pub(crate) fn add_tests(suite: &mut Suite) {
    for target in crate::LIVE {
        let name = format!("constant_defaults_go_to_{}", test_name(target));
        pair_since(suite, MYSQL_8, &name, crate::LIVE, target, constants);
        let name = format!(
            "default_intervals_are_not_another_text_in_{}",
            test_name(target)
        );
        pair(suite, &name, [Backend::Postgres], target, intervals);
    }
    for target in [Backend::MySql, Backend::MariaDb] {
        let name = format!("default_numbers_stay_the_same_in_{}", test_name(target));
        pair(suite, &name, [Backend::Postgres], target, numbers);
    }
    for target in crate::LIVE {
        let name = format!("names_in_defaults_are_text_in_{}", test_name(target));
        pair(suite, &name, [Backend::Sqlite], target, names);
    }
    for target in crate::LIVE {
        let name = format!("default_moments_ids_and_bits_go_to_{}", test_name(target));
        let sources = [Backend::Postgres, Backend::MySql, Backend::MariaDb];
        // Older ones have no default of `longblob`.
        pair_since(suite, MYSQL_8, &name, sources, target, copied);
    }
    for target in [Backend::MySql, Backend::MariaDb] {
        let name = format!("moments_of_changes_are_written_in_{}", test_name(target));
        let sources = [Backend::MySql, Backend::MariaDb];
        pair(suite, &name, sources, target, changes);
    }
    for (source, target) in [
        (Backend::MariaDb, Backend::MySql),
        (Backend::MySql, Backend::MariaDb),
    ] {
        let name = format!("now_has_the_digits_of_its_column_in_{}", test_name(target));
        pair(suite, &name, [source], target, now);
    }
}

/// The server writes them, in the source and in the target.
async fn changes(source: String, target: String) -> Result<()> {
    let statements = [
        "CREATE TABLE thing (id integer PRIMARY KEY, title varchar(9), \
         a timestamp NULL ON UPDATE CURRENT_TIMESTAMP, \
         b datetime(3) DEFAULT CURRENT_TIMESTAMP(3) ON UPDATE CURRENT_TIMESTAMP(3), \
         c datetime NOT NULL DEFAULT '2020-01-01' ON UPDATE CURRENT_TIMESTAMP)",
        "INSERT INTO thing VALUES (1, 'a', NULL, '2020-01-01', '2020-01-01')",
    ];
    execute(&mut open(&source).await?, "the source", &statements).await?;
    let plan = plan(&source, &target).await?;
    let report = copy(&source, &target, &plan).await?;
    let is_lost = |note: &String| note.contains("is left out");
    ensure!(!report.notes.iter().any(is_lost), "{report:?}");
    let mut to = open(&target).await?;
    to.execute("a change", "UPDATE thing SET title = 'b'")
        .await?;
    let query = "SELECT COUNT(*) FROM thing WHERE a > '2021-01-01' AND b > '2021-01-01' AND c > '2021-01-01'";
    ensure!(to.count("the moments", query, &[]).await? == 1);
    Ok(())
}

async fn constants(source: String, target: String) -> Result<()> {
    let mut db = open(&source).await?;
    let (moment, json, empty) = match db.backend() {
        Backend::Postgres => ("timestamp", "json", "'{}'"),
        Backend::Sqlite => ("timestamp", "json_text", "'{}'"),
        _ => ("datetime(6)", "json", "('{}')"),
    };
    let (now, options) = match db.backend() {
        Backend::MySql | Backend::MariaDb => (
            "CURRENT_TIMESTAMP(6)",
            " CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
        ),
        _ => ("CURRENT_TIMESTAMP", ""),
    };
    let table = format!(
        "CREATE TABLE thing (number integer PRIMARY KEY, ratio double precision DEFAULT 0.0, \
         zone varchar(20) DEFAULT 'UTC', unset varchar(20) DEFAULT NULL, \
         made {moment} DEFAULT '2020-02-28 01:02:03', seen {moment} DEFAULT {now}, \
         day date DEFAULT '2020-02-29', is_open boolean DEFAULT true, settings {json} DEFAULT {empty}){options}"
    );
    execute(&mut db, "the source", &[&table]).await?;
    let plan = plan(&source, &target).await?;
    let report = copy(&source, &target, &plan).await?;
    let mut to = open(&target).await?;
    ensure!(
        !report.notes.iter().any(|note| note.contains("default")),
        "{report:?}"
    );
    let zone = match to.backend() {
        Backend::Postgres => "SET TIME ZONE 'Asia/Tokyo'",
        Backend::Sqlite => "SELECT 1",
        _ => "SET time_zone = '+09:00'",
    };
    to.execute("another zone", zone).await?;
    to.execute("a row", "INSERT INTO thing (number) VALUES (1)")
        .await?;
    let text = match to.backend() {
        Backend::MySql | Backend::MariaDb => "char",
        _ => "text",
    };
    for expected in [
        "ratio = 0",
        "zone = 'UTC'",
        "unset IS NULL",
        "made = '2020-02-28 01:02:03'",
        // SQLite has the clock of UTC.
        match (db.backend(), to.backend()) {
            (Backend::Sqlite, Backend::Postgres) => {
                "seen BETWEEN (now() AT TIME ZONE 'UTC') - interval '1 hour' AND (now() AT TIME ZONE 'UTC')"
            }
            (Backend::Sqlite, Backend::MySql | Backend::MariaDb) => {
                "seen BETWEEN UTC_TIMESTAMP(6) - INTERVAL 1 HOUR AND UTC_TIMESTAMP(6)"
            }
            _ => "seen IS NOT NULL",
        },
        "day = '2020-02-29'",
        "is_open IS TRUE",
        &format!("CAST(settings AS {text}) = '{{}}'"),
    ] {
        let query = format!("SELECT COUNT(*) FROM thing WHERE {expected}");
        ensure!(
            to.count("the defaults", &query, &[]).await? == 1,
            "{expected}"
        );
    }
    Ok(())
}

/// Copied values are other texts than the one that a definition has.
async fn intervals(source: String, target: String) -> Result<()> {
    let table = "CREATE TABLE task (id integer PRIMARY KEY, took interval DEFAULT '1 hour')";
    let rows = "INSERT INTO task VALUES (1)";
    execute(&mut open(&source).await?, "the source", &[table, rows]).await?;
    let mut plan = plan(&source, &target).await?;
    plan.tables[0].columns[1].to = Some("varchar(80)".into());
    let report = copy(&source, &target, &plan).await?;
    let note = "task.took: the default `'01:00:00'::interval` is left out";
    ensure!(report.notes.iter().any(|told| told == note), "{report:?}");
    let mut to = open(&target).await?;
    to.execute("a row", "INSERT INTO task (id) VALUES (2)")
        .await?;
    let query =
        "SELECT COUNT(*) FROM task WHERE id = 1 AND took = 'PT1H' OR id = 2 AND took IS NULL";
    ensure!(to.count("the rows", query, &[]).await? == 2);
    Ok(())
}

/// MySQL and MariaDB read many digits as those of a decimal.
async fn numbers(source: String, target: String) -> Result<()> {
    let table = "CREATE TABLE thing (id integer PRIMARY KEY, n float8 DEFAULT 1e-300, p float8 DEFAULT 1e100, \
                 q float8 DEFAULT -1.797e308, r real DEFAULT 1e-36, price money DEFAULT 5, paid money DEFAULT '5')";
    execute(&mut open(&source).await?, "the source", &[table]).await?;
    let choices = Choices {
        unknown_types_as_text: true,
        ..Choices::default()
    };
    let mut plan = planned(&source, &target, choices).await?.plan;
    for column in &mut plan.tables[0].columns[5..] {
        column.to = Some("varchar(80)".into());
    }
    let report = copy(&source, &target, &plan).await?;
    // The copy writes it as the source shows it.
    let about_defaults = report.notes.iter();
    let about_defaults: Vec<_> = about_defaults
        .filter(|note| note.contains("default"))
        .collect();
    ensure!(
        about_defaults == ["thing.price: the default `5` is left out"],
        "{report:?}"
    );
    let mut to = open(&target).await?;
    to.execute("a row", "INSERT INTO thing (id) VALUES (1)")
        .await?;
    let query = "SELECT COUNT(*) FROM thing WHERE n = 1e-300 AND p = 1e100 AND q = -1.797e308 \
                 AND r BETWEEN 0.999999e-36 AND 1.000001e-36 AND price IS NULL AND paid = '$5.00'";
    ensure!(to.count("the defaults", query, &[]).await? == 1);
    Ok(())
}

/// SQLite takes a name in a default for text.
async fn names(source: String, target: String) -> Result<()> {
    let table = "CREATE TABLE thing (id integer PRIMARY KEY, quoted varchar(20) DEFAULT \"it's\", bare varchar(20) \
                 DEFAULT open, truth boolean DEFAULT true)";
    execute(&mut open(&source).await?, "the source", &[table]).await?;
    copy(&source, &target, &plan(&source, &target).await?).await?;
    let mut to = open(&target).await?;
    to.execute("a row", "INSERT INTO thing (id) VALUES (1)")
        .await?;
    let query =
        "SELECT COUNT(*) FROM thing WHERE quoted = 'it''s' AND bare = 'open' AND truth IS TRUE";
    ensure!(to.count("the defaults", query, &[]).await? == 1);
    Ok(())
}

async fn now(source: String, target: String) -> Result<()> {
    let table = "CREATE TABLE thing (id integer PRIMARY KEY, made timestamp DEFAULT CURRENT_TIMESTAMP, \
                 seen datetime(3) DEFAULT CURRENT_TIMESTAMP(3)) COLLATE utf8mb4_bin";
    execute(&mut open(&source).await?, "the source", &[table]).await?;
    let plan = plan(&source, &target).await?;
    copy(&source, &target, &plan).await?;
    let mut to = open(&target).await?;
    to.execute("a row", "INSERT INTO thing (id) VALUES (1)")
        .await?;
    let query = "SELECT COUNT(*) FROM thing WHERE made IS NOT NULL AND seen IS NOT NULL";
    ensure!(to.count("the defaults", query, &[]).await? == 1);
    Ok(())
}

/// A default is what the copy makes of the same value.
async fn copied(source: String, target: String) -> Result<()> {
    let mut db = open(&source).await?;
    let (moment, uuid, bits) = match db.backend() {
        Backend::Postgres => ("timestamp with time zone", "uuid", "B'000000101'"),
        Backend::MariaDb => ("timestamp(6)", "uuid", "b'101'"),
        _ => ("timestamp(6)", "char(36)", "b'101'"),
    };
    let (bytes, word) = match db.backend() {
        Backend::Postgres => ("bytea", r"'\xff61005c62'"),
        _ => ("varbinary(9)", "x'ff61005c62'"),
    };
    let id = "'0190163d-8694-739b-aea5-966c26f8ad91'";
    let at = match db.backend() {
        Backend::Postgres => "'2024-02-29 03:02:03.5+02'",
        _ => "'2024-02-29 01:02:03.5'",
    };
    let statements = [
        format!(
            "CREATE TABLE thing (number integer PRIMARY KEY, made {moment} DEFAULT {at}, tenant {uuid} DEFAULT {id}, \
             flags bit(9) DEFAULT {bits}, word {bytes} DEFAULT {word}, code {bytes} NOT NULL DEFAULT {word})"
        ),
        "INSERT INTO thing (number) VALUES (1)".to_owned(),
    ];
    let statements: Vec<&str> = statements.iter().map(String::as_str).collect();
    execute(&mut db, "the source", &statements).await?;
    let plan = plan(&source, &target).await?;
    let report = copy(&source, &target, &plan).await?;
    ensure!(
        !report.notes.iter().any(|note| note.contains("default")),
        "{report:?}"
    );
    let mut to = open(&target).await?;
    to.execute("a row", "INSERT INTO thing (number) VALUES (2)")
        .await?;
    let made = match to.backend() {
        // A default has no zeros at its end there.
        Backend::Sqlite => "julianday(one.made) = julianday(other.made)",
        _ => "one.made = other.made",
    };
    let query = format!(
        "SELECT COUNT(*) FROM thing one JOIN thing other ON {made} AND one.tenant = other.tenant \
         AND one.flags = other.flags AND one.word = other.word AND one.code = other.code WHERE one.number = 1 AND other.number = 2"
    );
    ensure!(to.count("the rows", &query, &[]).await? == 1);
    Ok(())
}
