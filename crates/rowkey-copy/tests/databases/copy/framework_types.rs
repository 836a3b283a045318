//! Types that frameworks use and that only some databases have: JSON that is kept as a tree, enums,
//! and SQLite's names that nobody knows.

use anyhow::{Context, Result, ensure};
use rowkey_copy::Choices;
use rowkey_core::Uuid;
use rowkey_testkit::{Backend, Suite, test_name};

use crate::copy::held::{nothing_is_refused, preflight};
use crate::copy::newer_servers::{MYSQL_8, pair_since};
use crate::copy::{compare, copy_equal, copy_into_existing, execute, open, pair, plan, planned};

pub(crate) fn add_tests(suite: &mut Suite) {
    for target in [Backend::Postgres, Backend::MySql] {
        let name = format!("json_becomes_a_tree_in_{}", test_name(target));
        pair_since(suite, MYSQL_8, &name, crate::LIVE, target, json);
    }
    for target in crate::LIVE {
        let to = test_name(target);
        let name = format!("enums_of_postgres_in_{to}");
        pair(suite, &name, [Backend::Postgres], target, enums);
        let name = format!("names_of_types_that_sqlite_takes_in_{to}");
        pair(suite, &name, [Backend::Sqlite], target, names);
        let name = format!("one_switch_for_types_without_a_place_in_{to}");
        pair_since(suite, MYSQL_8, &name, crate::LIVE, target, as_text);
    }
    let sources = [Backend::MySql, Backend::MariaDb, Backend::Sqlite];
    let name = "words_go_into_an_enum_that_exists";
    pair(suite, name, sources, Backend::Postgres, into_enum);
    let postgres = [Backend::Postgres];
    let name = "enums_with_fewer_words";
    pair(suite, name, postgres, Backend::Postgres, other_enums);
    let name = "composite_types_with_other_fields";
    pair(suite, name, postgres, Backend::Postgres, other_fields);
    let name = "types_with_other_numbers";
    pair(suite, name, postgres, Backend::Postgres, other_numbers);
    let name = "one_switch_for_types_that_users_have_made";
    pair(suite, name, postgres, Backend::Postgres, composite);
    for target in crate::LIVE {
        let name = format!("ids_in_any_type_of_{}", test_name(target));
        pair(suite, &name, crate::LIVE, target, ids_in_any_type);
    }
    let name = "json_is_measured_as_text";
    pair(suite, name, [Backend::Postgres], Backend::MySql, measured);
}

async fn into_existing(source: &str, target: &str) -> Result<()> {
    let plan = plan(source, target).await?;
    nothing_is_refused(source, target, &plan).await?;
    copy_into_existing(source, target, &plan).await
}

/// The same JSON, which the target writes in its own way; and what it would lose.
async fn json(source: String, target: String) -> Result<()> {
    let (mut from, mut to) = (open(&source).await?, open(&target).await?);
    let words = match from.backend() {
        Backend::Postgres => "json",
        Backend::MySql | Backend::MariaDb => "longtext CHARACTER SET utf8mb4",
        _ => "text",
    };
    let tree = match to.backend() {
        Backend::Postgres => "jsonb",
        _ => "json",
    };
    let create = |json| format!("CREATE TABLE note (id integer PRIMARY KEY, body {json})");
    from.execute("a table", &create(words)).await?;
    to.execute("a table", &create(tree)).await?;
    for (id, body) in [
        (1, r#"{"b": 1.50, "a": [true, null, "ü"]}"#),
        (2, "[1e2, 100, 0.0, 12345678901]"),
        (3, "\"x\""),
    ] {
        let insert = format!("INSERT INTO note VALUES ({id}, '{body}')");
        from.execute("a row", &insert).await?;
    }
    from.execute("a row", "INSERT INTO note VALUES (4, NULL)")
        .await?;
    if from.backend() == Backend::Sqlite {
        // Its affinity makes numbers of them.
        let numbers = [
            "DROP TABLE note",
            &create("json"),
            "INSERT INTO note VALUES (7, '1.5'), (8, '2')",
        ];
        execute(&mut from, "numbers", &numbers).await?;
        let rows = "INSERT INTO note VALUES (2, '[1e2, 100, 0.0, 12345678901]'), (4, NULL)";
        from.execute("rows", rows).await?;
    }
    into_existing(&source, &target).await?;

    to.execute("a change", "UPDATE note SET body = '[2]' WHERE id = 2")
        .await?;
    let plan = plan(&source, &target).await?;
    let compared = compare(&source, &target, &plan).await?;
    let difference = compared.tables[0].difference.as_ref();
    ensure!(
        difference.is_some_and(|found| found.keys == ["2"]),
        "{compared:?}"
    );

    let anew = ["DELETE FROM note", "DROP TABLE rowkey_copy"];
    execute(&mut to, "no rows", &anew).await?;
    let lost = match to.backend() {
        Backend::Postgres => r#"["\u0000"]"#.replace(
            '\\',
            match from.backend() {
                Backend::MySql | Backend::MariaDb => "\\\\",
                _ => "\\",
            },
        ),
        _ => "[0.1000000000000000055511151231257827]".to_owned(),
    };
    let deep = format!("{}{}", "[".repeat(1_500), "]".repeat(1_500));
    from.execute(
        "a deep row",
        &format!("INSERT INTO note VALUES (6, '{deep}')"),
    )
    .await?;
    let found = preflight(&source, &target, &plan).await?;
    ensure!(
        matches!(&found.refused[..], [one] if one.contains("inside each other")),
        "{found:?}"
    );
    from.execute("no deep row", "DELETE FROM note WHERE id = 6")
        .await?;
    let insert = format!("INSERT INTO note VALUES (5, '{lost}')");
    from.execute("a row", &insert).await?;
    let found = preflight(&source, &target, &plan).await?;
    ensure!(
        matches!(&found.refused[..], [one] if one.contains("note.body: JSON has")),
        "{found:?}"
    );
    Ok(())
}

/// Enums become enums with the same words, or text.
async fn enums(source: String, target: String) -> Result<()> {
    let mut from = open(&source).await?;
    execute(
        &mut from,
        "the tables",
        &[
            "CREATE TYPE mood AS ENUM ('sad', 'it''s ok', 'Happy')",
            "CREATE DOMAIN mark AS mood",
            "CREATE TABLE person (id integer PRIMARY KEY, now mood NOT NULL, later mark)",
            "INSERT INTO person VALUES (1, 'Happy', 'sad'), (2, 'it''s ok', NULL)",
        ],
    )
    .await?;
    let plan = plan(&source, &target).await?;
    nothing_is_refused(&source, &target, &plan).await?;
    copy_equal(&source, &target, &plan).await?;
    let mut to = open(&target).await?;
    let wrong = "INSERT INTO person VALUES (3, 'furious', NULL)";
    let refused = to.execute("another word", wrong).await;
    ensure!(
        refused.is_err() == (to.backend() != Backend::Sqlite),
        "{refused:?}"
    );
    Ok(())
}

/// The words of the target's enum are looked at before the first row.
async fn into_enum(source: String, target: String) -> Result<()> {
    let (mut from, mut to) = (open(&source).await?, open(&target).await?);
    let words = match from.backend() {
        Backend::Sqlite => "varchar(9)",
        _ => "enum('new', 'paid', 'lost') CHARACTER SET utf8mb4",
    };
    let create = |words| format!("CREATE TABLE bill (id integer PRIMARY KEY, state {words})");
    from.execute("a table", &create(words)).await?;
    from.execute("rows", "INSERT INTO bill VALUES (1, 'new'), (2, 'paid')")
        .await?;
    let state = "CREATE TYPE bill_state AS ENUM ('new', 'paid')";
    to.execute("an enum", state).await?;
    to.execute("a table", &create("bill_state")).await?;
    from.execute("a row", "INSERT INTO bill VALUES (3, 'lost')")
        .await?;
    let found = preflight(&source, &target, &plan(&source, &target).await?).await?;
    ensure!(
        matches!(&found.refused[..], [one] if one.contains("bill.state") && one.contains("lost")),
        "{found:?}"
    );
    from.execute("no such row", "DELETE FROM bill WHERE id = 3")
        .await?;
    into_existing(&source, &target).await
}

/// The target's own enum may have fewer words.
async fn other_enums(source: String, target: String) -> Result<()> {
    let (mut from, mut to) = (open(&source).await?, open(&target).await?);
    execute(
        &mut from,
        "the tables",
        &[
            "CREATE TYPE mood AS ENUM ('sad', 'happy')",
            "CREATE TABLE person (id integer PRIMARY KEY, now mood)",
            "INSERT INTO person VALUES (1, 'happy')",
        ],
    )
    .await?;
    let plan = plan(&source, &target).await?;
    nothing_is_refused(&source, &target, &plan).await?;
    execute(
        &mut to,
        "the tables",
        &[
            "CREATE TYPE mood AS ENUM ('sad')",
            "CREATE TABLE person (id integer PRIMARY KEY, now mood)",
        ],
    )
    .await?;
    let found = preflight(&source, &target, &plan).await?;
    ensure!(
        matches!(&found.refused[..], [one] if one.contains("person.now: a value is \"happy\"")),
        "{found:?}"
    );
    to.execute("no table", "DROP TABLE person").await?;
    let found = preflight(&source, &target, &plan).await?;
    ensure!(
        matches!(&found.refused[..], [one] if one.contains("person.now: a value is \"happy\"")),
        "{found:?}"
    );
    from.execute("a change", "UPDATE person SET now = 'sad'")
        .await?;
    copy_equal(&source, &target, &plan).await?;

    // Those inside of other types.
    execute(
        &mut from,
        "a table",
        &[
            "CREATE TYPE day AS (at date, now mood)",
            "CREATE TABLE week (id integer PRIMARY KEY, moods mood[], days day[])",
            "INSERT INTO week VALUES (1, '{sad,happy}', '{}'), (2, '{}', '{\"(,happy)\",\"(,)\",NULL}')",
        ],
    )
    .await?;
    let day = "CREATE TYPE day AS (at date, now mood)";
    to.execute("a type", day).await?;
    let mut plan = crate::copy::plan(&source, &target).await?;
    plan.tables.retain(|table| table.name.name == "week");
    let found = preflight(&source, &target, &plan).await?;
    ensure!(
        matches!(&found.refused[..], [one, other]
            if one.contains("week.moods: a value has the word \"happy\"")
            && other.contains("week.days: a value has the word \"happy\"")),
        "{found:?}"
    );
    to.execute("a word", "ALTER TYPE mood ADD VALUE 'happy'")
        .await?;
    nothing_is_refused(&source, &target, &plan).await?;
    copy_equal(&source, &target, &plan).await
}

/// The binary form has the fields in order, without their names.
async fn other_fields(source: String, target: String) -> Result<()> {
    let (mut from, mut to) = (open(&source).await?, open(&target).await?);
    let table = "CREATE TABLE frame (id integer PRIMARY KEY, size size, sizes size[])";
    execute(
        &mut from,
        "the table",
        &[
            "CREATE TYPE size AS (width integer, height integer)",
            table,
            "INSERT INTO frame VALUES (1, '(1,2)', '{\"(3,4)\"}')",
        ],
    )
    .await?;
    for (fields, expected) in [
        ("height integer, width integer", "field 1 is `height` there"),
        (
            "width integer, height bigint",
            "the field `height`: it is bigint",
        ),
        ("width integer", "it has 1 fields there"),
    ] {
        let made = format!("CREATE TYPE size AS ({fields})");
        to.execute("a type", &made).await?;
        let plan = plan(&source, &target).await?;
        let found = preflight(&source, &target, &plan).await?;
        ensure!(
            matches!(&found.refused[..], [one, other]
                if one.contains("frame.size: ") && other.contains("frame.sizes: ")
                && one.contains(expected) && other.contains(expected)),
            "{found:?}"
        );
        to.execute("a table", table).await?;
        let found = preflight(&source, &target, &plan).await?;
        ensure!(
            matches!(&found.refused[..], [one, other]
                if one.contains("frame.size in the target") && one.contains(expected)
                && other.contains("frame.sizes in the target") && other.contains(expected)),
            "{found:?}"
        );
        to.execute("no type", "DROP TYPE size CASCADE").await?;
        to.execute("no table", "DROP TABLE frame").await?;
    }
    to.execute(
        "the type",
        "CREATE TYPE size AS (width integer, height integer)",
    )
    .await?;
    to.execute("a table", table).await?;
    into_existing(&source, &target).await
}

/// The numbers of types inside of others differ from database to database, and the values do not.
async fn other_numbers(source: String, target: String) -> Result<()> {
    let (mut from, mut to) = (open(&source).await?, open(&target).await?);
    let types = [
        "CREATE TYPE mood AS ENUM ('sad', 'ok')",
        "CREATE DOMAIN weight AS numeric(6,2)",
        "CREATE TYPE part AS (now mood, weights weight[], \"at\" date)",
        "CREATE TYPE span AS RANGE (subtype = part)",
        "CREATE TYPE floats AS RANGE (subtype = float8)",
        "CREATE TABLE thing (id integer PRIMARY KEY, moods mood[], weights weight[], part part, \
         parts part[], span span, spans span_multirange, float floats, numbers integer[])",
    ];
    to.execute("a number", "CREATE TYPE other AS (a integer)")
        .await?;
    execute(&mut from, "the types", &types).await?;
    execute(&mut to, "the types", &types).await?;
    execute(
        &mut from,
        "the rows",
        &[
            "INSERT INTO thing VALUES (1, '{{sad},{ok}}', '{1.5,NULL}', '(sad,{1.25},2024-01-02)', \
             '{\"(ok,,)\",NULL}', '[\"(sad,,)\",\"(ok,,)\")', '{[\"(sad,,)\",)}', '[1,2)', '{1,2}')",
            "INSERT INTO thing VALUES (2, '{}', '{}', '(,,)', '{}', 'empty', '{}', '(,)', '{}')",
            "INSERT INTO thing VALUES (3)",
        ],
    )
    .await?;
    into_existing(&source, &target).await?;
    let query = "SELECT thing::text FROM thing ORDER BY id";
    let mut rows = Vec::new();
    for db in [&mut from, &mut to] {
        let found = db.query("the rows", query, &[]).await?;
        let texts: Result<Vec<String>, _> = found
            .iter()
            .map(|row| row.text(0).map(str::to_owned))
            .collect();
        rows.push(texts?);
    }
    ensure!(rows[0] == rows[1], "{rows:?}");
    to.execute(
        "a change",
        "UPDATE thing SET moods = '{ok,ok}' WHERE id = 1",
    )
    .await?;
    let plan = plan(&source, &target).await?;
    let compared = compare(&source, &target, &plan).await?;
    let difference = compared.tables[0].difference.as_ref();
    ensure!(
        difference.is_some_and(|found| found.keys == ["1"]),
        "{compared:?}"
    );
    Ok(())
}

/// Names that SQLite does not know have its affinity, and the values decide.
async fn names(source: String, target: String) -> Result<()> {
    let mut from = open(&source).await?;
    execute(
        &mut from,
        "the table",
        &[
            "CREATE TABLE thing (id INTEGER PRIMARY KEY, small smallint unsigned, \
             large UNSIGNED BIG INT, name longtext, real_one DOUBLE UNSIGNED, data LONGBLOB, \
             ref uuid, body jsonb)",
            "INSERT INTO thing VALUES (1, 7, 9, 'a', 1.5, X'00ff', \
             '018e5f3b-ff48-7bff-8000-0123456789ab', '{\"a\": 1}')",
        ],
    )
    .await?;
    let plan = plan(&source, &target).await?;
    nothing_is_refused(&source, &target, &plan).await?;
    copy_equal(&source, &target, &plan).await?;

    // A type of the person's own choice, on a table whose values fit and on one whose do not.
    let (mut from, to) = (open(&source).await?, open(&target).await?.backend());
    execute(
        &mut from,
        "another table",
        &[
            "CREATE TABLE odd (id INTEGER PRIMARY KEY, amount MONEY)",
            "INSERT INTO odd VALUES (1, 12)",
        ],
    )
    .await?;
    if to == Backend::Sqlite {
        return Ok(());
    }
    let mut plan = crate::copy::plan(&source, &target).await?;
    plan.tables.retain(|table| table.name.name == "odd");
    let column = plan.tables[0].columns.last_mut().context("no column")?;
    (column.to, column.refused) = (Some("bigint".into()), None);
    let found = preflight(&source, &target, &plan).await?;
    ensure!(
        found.refused.iter().all(|one| !one.contains("odd.amount")),
        "{found:?}"
    );
    from.execute("a text", "INSERT INTO odd VALUES (2, 'twelve')")
        .await?;
    let found = preflight(&source, &target, &plan).await?;
    ensure!(
        found
            .refused
            .iter()
            .any(|one| one.contains("odd.amount") && one.contains("twelve")),
        "{found:?}"
    );
    Ok(())
}

/// Every type that the target does not have becomes text, and nobody edits the plan.
async fn as_text(source: String, target: String) -> Result<()> {
    let (mut from, mut to) = (open(&source).await?, open(&target).await?);
    let (backend, becomes) = (from.backend(), to.backend());
    let statements: &[&str] = match backend {
        Backend::Postgres => &[
            "CREATE TYPE size AS (width integer, unit text)",
            "CREATE TABLE shape (id integer PRIMARY KEY, a size DEFAULT '(0,m)', b text[], c int4range, d point)",
            "INSERT INTO shape VALUES (1, '(3,cm)', '{a,b}', '[1,5)', '(1,2)')",
        ],
        Backend::Sqlite => &[
            "CREATE TABLE shape (id INTEGER PRIMARY KEY, a, b INTEGER, c DATE, d REAL)",
            "INSERT INTO shape VALUES (1, 5, 'five', 20240131, 'none'), (2, '5 m', 5, '2024-01-31', 1e300), \
             (3, 0.1, 1.5, 0.5, NULL)",
        ],
        _ => &[
            "CREATE TABLE shape (id integer PRIMARY KEY, a geometry NOT NULL, b point, c geometrycollection, \
             d varchar(9), SPATIAL INDEX (a)) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
            "INSERT INTO shape VALUES (1, ST_GeomFromText('POINT(0.1 1e-300)', 3857), \
             ST_GeomFromText('POINT(0.30000000000000004 -2)'), \
             ST_GeomFromText('GEOMETRYCOLLECTION(POINT(1 2))'), 'd')",
        ],
    };
    execute(&mut from, "the source", statements).await?;
    let is_mysql = |backend| matches!(backend, Backend::MySql | Backend::MariaDb);
    let vectors = [
        "ALTER TABLE shape ADD COLUMN e vector(3)",
        "UPDATE shape SET e = X'0000803F0100804BCDCCCC3D'",
    ];
    // Servers of the year 2024 and later.
    let has_vectors = is_mysql(backend) && from.execute("vectors", vectors[0]).await.is_ok();
    if has_vectors {
        from.execute("a vector", vectors[1]).await?;
    }
    let choices = Choices {
        unknown_types_as_text: true,
        ..Choices::default()
    };
    let plan = planned(&source, &target, choices).await?.plan;
    let found = preflight(&source, &target, &plan).await?;
    ensure!(found.refused.is_empty(), "{found:?}");
    copy_equal(&source, &target, &plan).await?;
    if backend == becomes || is_mysql(backend) && is_mysql(becomes) {
        return Ok(());
    }
    for column in ["a", "b", "c"] {
        let note = format!("shape.{column}: its values become text (");
        let is_told = found.notes.iter().any(|told| told.starts_with(&note));
        ensure!(is_told, "{note}: {found:?}");
    }
    let expected = match backend {
        Backend::Postgres => ["(3,cm)", "{a,b}", "[1,5)", "(1,2)"],
        Backend::Sqlite => ["5", "five", "20240131", "none"],
        _ => [
            "SRID=3857;POINT(0.1 1e-300)",
            "POINT(0.30000000000000004 -2)",
            "GEOMETRYCOLLECTION(POINT(1 2))",
            "d",
        ],
    };
    let query = "SELECT a, b, c, d FROM shape WHERE id = 1";
    let row = to.one_row("a shape", query, &[]).await?;
    for (place, expected) in expected.into_iter().enumerate() {
        ensure!(row.text(place)? == expected, "{row:?}");
    }
    if has_vectors {
        let row = to.one_row("a vector", "SELECT e FROM shape", &[]).await?;
        ensure!(row.text(0)? == "[1,16777218,0.1]", "{row:?}");
    }
    if backend == Backend::Sqlite {
        let blob = "INSERT INTO shape (id, a) VALUES (4, X'00')";
        from.execute("a blob", blob).await?;
        execute(
            &mut to,
            "nothing",
            &["DROP TABLE shape", "DROP TABLE rowkey_copy"],
        )
        .await?;
        let found = preflight(&source, &target, &plan).await?;
        ensure!(
            matches!(&found.refused[..], [one] if one.contains("a blob of 1 bytes, which has no text")),
            "{found:?}"
        );
    }
    Ok(())
}

/// A type that neither the target nor the copy makes, in the same product.
async fn composite(source: String, target: String) -> Result<()> {
    let statements = [
        "CREATE TYPE size AS (width integer, unit text)",
        "CREATE TYPE mood AS ENUM ('sad')",
        "CREATE TABLE shape (id integer PRIMARY KEY, a size DEFAULT '(0,m)', b size DEFAULT ROW(1, 'm')::size, \
         c size[], d mood)",
        "INSERT INTO shape VALUES (1, '(3,cm)', NULL, '{\"(1,m)\"}', 'sad')",
    ];
    execute(&mut open(&source).await?, "the source", &statements).await?;
    let choices = Choices {
        unknown_types_as_text: true,
        ..Choices::default()
    };
    let plan = planned(&source, &target, choices).await?.plan;
    nothing_is_refused(&source, &target, &plan).await?;
    copy_equal(&source, &target, &plan).await?;
    let mut to = open(&target).await?;
    to.execute("a row", "INSERT INTO shape (id) VALUES (2)")
        .await?;
    let query =
        "SELECT id, a, COALESCE(b, ''), COALESCE(c, ''), pg_typeof(d)::text FROM shape ORDER BY id";
    let rows = to.query("the rows", query, &[]).await?;
    let texts =
        |row: &rowkey_tables::Row| [1, 2, 3, 4].map(|place| row.text(place).map(ToOwned::to_owned));
    let rows: Vec<Vec<String>> = rows
        .iter()
        .map(|row| texts(row).into_iter().collect())
        .collect::<Result<_, _>>()?;
    ensure!(
        rows == [
            ["(3,cm)", "", "{\"(1,m)\"}", "mood"],
            ["(0,m)", "", "", "mood"]
        ],
        "{rows:?}"
    );
    Ok(())
}

/// No function of PostgreSQL for the length of text takes JSON.
async fn measured(source: String, target: String) -> Result<()> {
    let mut from = open(&source).await?;
    execute(
        &mut from,
        "the table",
        &[
            "CREATE TABLE note (id integer PRIMARY KEY, body jsonb)",
            "INSERT INTO note VALUES (1, '[1, 2, 3]')",
        ],
    )
    .await?;
    let mut plan = plan(&source, &target).await?;
    let column = plan.tables[0].columns.last_mut().context("no column")?;
    column.to = Some("varchar(8) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin".into());
    let found = preflight(&source, &target, &plan).await?;
    ensure!(
        matches!(&found.refused[..], [one] if one.contains("a value has 9 characters")),
        "{found:?}"
    );
    Ok(())
}

/// Types of columns with UUIDs in the source, and of those in the tables that frameworks have made.
fn id_types(backend: Backend) -> (&'static [&'static str], &'static [&'static str]) {
    match backend {
        Backend::Postgres => (
            &["uuid", "text", "char(32)"],
            &["uuid", "text", "varchar(255)", "char(36)", "char(32)"],
        ),
        Backend::Sqlite => (
            &["BLOB", "TEXT", "CHAR(32)"],
            &["BINARY(16)", "VARBINARY(255)", "BLOB", "TEXT", "CHAR(32)"],
        ),
        _ => (
            &["binary(16)", "char(36)", "varchar(36)", "char(32)"],
            &[
                "binary(16)",
                "varbinary(16)",
                "varbinary(255)",
                "varchar(191)",
                "char(36)",
                "char(32)",
            ],
        ),
    }
}

/// A UUID is the same in each of these types, and so is every column that refers to it, also without a
/// constraint and in a text of any length.
async fn ids_in_any_type(source: String, target: String) -> Result<()> {
    const ROWS: u64 = 24;
    let mut random = 7_u64;
    let (mut from, mut to) = (open(&source).await?, open(&target).await?);
    let (here, there) = (id_types(from.backend()).0, id_types(to.backend()).1);
    let pairs = here
        .iter()
        .flat_map(|one| there.iter().map(move |other| (*one, *other)));
    let tables = |number: usize, id: &str, text: &str| {
        [
            format!("CREATE TABLE u{number} (id {id} NOT NULL PRIMARY KEY)"),
            format!(
                "CREATE TABLE p{number} (id integer NOT NULL PRIMARY KEY, u_id {id} NOT NULL, object {text} NOT NULL, \
                 FOREIGN KEY (u_id) REFERENCES u{number} (id))"
            ),
        ]
    };
    let mut ids = Vec::new();
    for (number, (one, other)) in pairs.clone().enumerate() {
        let is_text = |sql_type: &str| {
            sql_type.to_lowercase().contains("char") || sql_type.eq_ignore_ascii_case("text")
        };
        let object_there = match is_text(one) && is_text(other) {
            true => "varchar(255)",
            false => other,
        };
        let object_here = match is_text(one) {
            true => "varchar(255)",
            false => one,
        };
        for (db, id, object) in [
            (&mut from, one, object_here),
            (&mut to, other, object_there),
        ] {
            let statements = tables(number, id, object);
            let statements = statements.each_ref().map(String::as_str);
            execute(db, "the tables", &statements).await?;
        }
        for row in 0..ROWS {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let half = u128::from(random ^ random >> 33)
                .wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
            let id = half & !(0xf << 76 | 0b11 << 62) | 4 << 76 | 0b10 << 62;
            let literal = match (is_text(one), one.ends_with("(32)"), from.backend()) {
                (true, true, _) => format!("'{id:032x}'"),
                (true, ..) | (_, _, Backend::Postgres) => format!("'{}'", Uuid::from_u128(id)),
                _ => format!("x'{id:032x}'"),
            };
            let rows = [
                format!("INSERT INTO u{number} VALUES ({literal})"),
                format!("INSERT INTO p{number} VALUES ({row}, {literal}, {literal})"),
            ];
            execute(&mut from, "a row", &rows.each_ref().map(String::as_str)).await?;
            ids.push((number, id));
        }
    }
    let plan = plan(&source, &target).await?;
    nothing_is_refused(&source, &target, &plan).await?;
    copy_into_existing(&source, &target, &plan).await?;
    for (number, (one, other)) in pairs.enumerate() {
        let query = format!(
            "SELECT COUNT(*) FROM u{number} u JOIN p{number} p ON u.id = p.u_id AND u.id = p.object"
        );
        let joined = to.count("the join", &query, &[]).await?;
        ensure!(joined == ROWS, "{one} to {other}: {joined}");
    }
    let digits = match to.backend() {
        Backend::Postgres => "REPLACE(CAST(id AS text), '-', '')",
        Backend::Sqlite => {
            "CASE typeof(id) WHEN 'blob' THEN lower(hex(id)) ELSE REPLACE(id, '-', '') END"
        }
        _ => "LOWER(CONVERT(IF(LENGTH(id) = 16, HEX(id), REPLACE(id, '-', '')) USING utf8))",
    };
    for (number, id) in ids {
        let query = format!("SELECT COUNT(*) FROM u{number} WHERE {digits} = '{id:032x}'");
        ensure!(
            to.count("the id", &query, &[]).await? == 1,
            "{number}: {id:032x}"
        );
    }
    Ok(())
}
