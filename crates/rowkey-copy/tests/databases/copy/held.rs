//! What the target does not hold is found before the first row.

use anyhow::{Context, Result, ensure};
use rowkey_copy::{CopyPlan, ExistingRows, Preflight};
use rowkey_tables::Silent;
use rowkey_testkit::{Backend, Suite, test_name};

use crate::copy::{compare, copy, copy_equal, copy_into_existing, execute, open, pair, plan};

pub(crate) fn add_tests(suite: &mut Suite) {
    for target in crate::LIVE {
        let to = test_name(target);
        pair(
            suite,
            &format!("misfits_to_{to}"),
            crate::LIVE,
            target,
            misfits,
        );
        pair(
            suite,
            &format!("clashes_in_{to}"),
            crate::LIVE,
            target,
            clashes,
        );
    }
    for target in [Backend::Postgres, Backend::MariaDb] {
        let name = format!("lax_rows_to_{}", test_name(target));
        pair(suite, &name, [Backend::Sqlite], target, lax_rows);
    }
    pair(
        suite,
        "rows_that_policies_hide",
        [Backend::Postgres],
        Backend::Sqlite,
        hidden_rows,
    );
    pair(
        suite,
        "names_that_are_mixed_up",
        crate::LIVE,
        Backend::MariaDb,
        names,
    );
    pair(
        suite,
        "definitions_of_a_file",
        [Backend::Sqlite],
        Backend::Sqlite,
        definitions,
    );
    pair(
        suite,
        "collations_of_an_existing_file",
        [Backend::Postgres],
        Backend::Sqlite,
        lenient_file,
    );
    for target in [Backend::MySql, Backend::MariaDb] {
        let name = format!("merged_rows_that_others_refer_to_in_{}", test_name(target));
        pair(suite, &name, [Backend::Sqlite], target, referred);
    }
    for target in [Backend::Postgres, Backend::MySql, Backend::MariaDb] {
        let name = format!("letters_that_unicode_lacks_to_{}", test_name(target));
        let sources = [Backend::MySql, Backend::MariaDb];
        pair(suite, &name, sources, target, outside_unicode);
    }
    pair(
        suite,
        "an_existing_target_is_looked_at",
        crate::LIVE,
        Backend::MySql,
        existing,
    );
}

pub(crate) async fn preflight(source: &str, target: &str, plan: &CopyPlan) -> Result<Preflight> {
    let (mut source, mut target) = (open(source).await?, open(target).await?);
    Ok(Preflight::read(&mut source, &mut target, plan, &mut Silent).await?)
}

pub(crate) async fn nothing_is_refused(source: &str, target: &str, plan: &CopyPlan) -> Result<()> {
    let found = preflight(source, target, plan).await?;
    ensure!(found.refused.is_empty(), "{found:?}");
    Ok(())
}

/// The target would not look at a table that is not copied.
async fn referred(source: String, target: String) -> Result<()> {
    let country = "CREATE TABLE country (id integer PRIMARY KEY, code varchar(9) NOT NULL)";
    let rows = [country, "INSERT INTO country VALUES (1, 'X')"];
    execute(&mut open(&source).await?, "the source", &rows).await?;
    let rows = [
        country,
        "CREATE UNIQUE INDEX country_code ON country (code)",
        "CREATE TABLE address (id integer PRIMARY KEY, country varchar(9) NOT NULL, \
         CONSTRAINT address_country FOREIGN KEY (country) REFERENCES country (code) ON UPDATE CASCADE)",
        "INSERT INTO country VALUES (1, 'A')",
        "INSERT INTO address VALUES (1, 'A')",
    ];
    let mut to = open(&target).await?;
    execute(&mut to, "the target", &rows).await?;
    let mut plan = plan(&source, &target).await?;
    plan.tables[0].existing_rows = Some(ExistingRows::Merge);
    let why = "address refers to its code";
    let looked = preflight(&source, &target, &plan).await?;
    ensure!(
        looked.refused.iter().any(|one| one.contains(why)),
        "{looked:?}"
    );
    to.execute(
        "no reference",
        "ALTER TABLE address DROP FOREIGN KEY address_country",
    )
    .await?;
    copy_into_existing(&source, &target, &plan).await
}

/// The server would send a question mark for each of them.
async fn outside_unicode(source: String, target: String) -> Result<()> {
    let mut from = open(&source).await?;
    let rows = [
        "CREATE TABLE word (id integer PRIMARY KEY, a varchar(9) CHARACTER SET cp1251, \
         b char(9) CHARACTER SET gbk, c varchar(9) CHARACTER SET cp932) ENGINE=InnoDB",
        "INSERT INTO word VALUES (1, 'мир?', '世界', X'8795'), (2, X'98', 'a', '?'), (3, NULL, '', NULL)",
    ];
    execute(&mut from, "the source", &rows).await?;
    let mut plan = plan(&source, &target).await?;
    let looked = preflight(&source, &target, &plan).await?;
    ensure!(
        matches!(&looked.refused[..], [one] if one.starts_with("word.a")),
        "{looked:?}"
    );
    plan.policy.preflight = false;
    let error = copy(&source, &target, &plan).await.unwrap_err().to_string();
    ensure!(error.contains("word.a"), "{error}");
    let correct = "UPDATE word SET a = 'ж' WHERE id = 2";
    from.execute("a letter", correct).await?;
    copy_equal(&source, &target, &plan).await
}

/// SQLite keeps texts apart as their columns are declared.
async fn lenient_file(source: String, target: String) -> Result<()> {
    let rows = [
        "CREATE TABLE t (id integer PRIMARY KEY, a text, b text, c text)",
        "INSERT INTO t VALUES (1, 'x', 'y', 'z'), (2, 'X', 'y ', 'Z')",
    ];
    execute(&mut open(&source).await?, "the source", &rows).await?;
    let table = "CREATE TABLE t (id integer PRIMARY KEY, a text UNIQUE COLLATE nocase, \
                 b text COLLATE RTRIM, c text COLLATE nocase, UNIQUE (b), UNIQUE (c, id))";
    open(&target).await?.execute("the target", table).await?;
    let plan = plan(&source, &target).await?;
    let refused = preflight(&source, &target, &plan).await?.refused;
    ensure!(
        matches!(&refused[..], [one, other]
            if one.contains("unique key of a") && other.contains("unique key of b")),
        "{refused:?}"
    );
    Ok(())
}

/// How many tables the target has.
pub(crate) async fn tables(target: &str) -> Result<i64> {
    let mut db = open(target).await?;
    let query = match db.backend() {
        Backend::Postgres => {
            "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = current_schema()"
        }
        Backend::Sqlite => "SELECT COUNT(*) FROM sqlite_master",
        _ => "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = DATABASE()",
    };
    Ok(db.query("the tables", query, &[]).await?[0].integer(0)?)
}

/// A column with two awkward values, and one that every target holds.
struct Awkward {
    name: &'static str,
    sql_type: &'static str,
    values: [&'static str; 3],
    /// What the plan says, so that the target holds them.
    instead: &'static str,
    refused_by: &'static [Backend],
}

const MYSQLS: &[Backend] = &[Backend::MySql, Backend::MariaDb];
const ALL_BUT_POSTGRES: &[Backend] = &[Backend::MySql, Backend::MariaDb, Backend::Sqlite];
const OF_POSTGRES: [Awkward; 7] = [
    Awkward {
        name: "day",
        sql_type: "date",
        values: ["'infinity'", "'0044-03-15 BC'", "'2024-02-29'"],
        instead: "infinity = \"null\"\nout-of-range = \"null\"",
        refused_by: ALL_BUT_POSTGRES,
    },
    Awkward {
        name: "made",
        sql_type: "timestamptz",
        values: [
            "'-infinity'",
            "'20000-01-01 00:00+00'",
            "'9999-12-31 23:59:59+00'",
        ],
        instead: "infinity = \"null\"\nout-of-range = \"null\"",
        refused_by: ALL_BUT_POSTGRES,
    },
    Awkward {
        name: "ratio",
        sql_type: "double precision",
        values: ["'NaN'", "'NaN'", "1.5"],
        instead: "nan = \"null\"",
        refused_by: ALL_BUT_POSTGRES,
    },
    Awkward {
        name: "single",
        sql_type: "real",
        values: ["'Infinity'", "'-Infinity'", "1.5"],
        instead: "infinity = \"null\"",
        refused_by: MYSQLS,
    },
    Awkward {
        name: "signed",
        sql_type: "real",
        values: ["'-0'", "'-0'", "0"],
        instead: "negative-zero = \"zero\"",
        refused_by: &[Backend::MariaDb, Backend::Sqlite],
    },
    Awkward {
        name: "price",
        sql_type: "numeric(10,2)",
        values: ["'NaN'", "'NaN'", "99999999.99"],
        instead: "nan = \"null\"",
        refused_by: MYSQLS,
    },
    Awkward {
        name: "title",
        sql_type: "text",
        values: ["'a'", "'b'", "''"],
        instead: "",
        refused_by: &[],
    },
];
const NOT_IN_MYSQL: &[Backend] = &[Backend::Postgres, Backend::Sqlite];
const OF_MYSQL: [Awkward; 5] = [
    Awkward {
        name: "day",
        sql_type: "date",
        values: ["'0000-00-00'", "'2024-00-01'", "'0001-01-01'"],
        instead: "zero-date = \"null\"",
        refused_by: &crate::LIVE,
    },
    Awkward {
        name: "made",
        sql_type: "datetime(6)",
        values: [
            "'0000-00-00'",
            "'2024-02-31'",
            "'9999-12-31 23:59:59.999999'",
        ],
        instead: "zero-date = \"null\"",
        refused_by: &crate::LIVE,
    },
    Awkward {
        name: "span",
        sql_type: "time",
        values: ["'-00:00:01'", "'838:59:59'", "'24:00:00'"],
        instead: "out-of-range = \"null\"",
        refused_by: NOT_IN_MYSQL,
    },
    Awkward {
        name: "body",
        sql_type: "text CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci",
        values: ["CONCAT('a', CHAR(0))", "CHAR(0)", "'aä😀'"],
        instead: "nul = \"strip\"",
        refused_by: &[Backend::Postgres],
    },
    Awkward {
        name: "is_open",
        sql_type: "tinyint(1)",
        values: ["2", "-1", "1"],
        instead: "other-type = \"null\"",
        refused_by: &[Backend::Postgres],
    },
];
/// Between its own files, SQLite's values stay as they are.
const NOT_IN_SQLITE: &[Backend] = &[Backend::Postgres, Backend::MySql, Backend::MariaDb];
const OF_SQLITE: [Awkward; 7] = [
    Awkward {
        name: "document",
        sql_type: "JSON_TEXT",
        values: ["'{'", "''", "'{\"a\": [1e999, \"\\u00e4\"]}'"],
        instead: "",
        refused_by: &[Backend::Postgres],
    },
    Awkward {
        name: "size",
        sql_type: "INTEGER",
        values: ["'big'", "1.5", "-9223372036854775808"],
        instead: "other-type = \"null\"",
        refused_by: NOT_IN_SQLITE,
    },
    Awkward {
        name: "ratio",
        sql_type: "REAL",
        values: ["9e999", "-9e999", "5e-324"],
        instead: "infinity = \"null\"",
        refused_by: MYSQLS,
    },
    Awkward {
        name: "body",
        sql_type: "TEXT",
        values: ["'a' || char(0) || 'b'", "char(0)", "'ä'"],
        instead: "nul = \"strip\"",
        refused_by: &[Backend::Postgres],
    },
    Awkward {
        name: "title",
        sql_type: "VARCHAR(3)",
        values: ["'four'", "'fünf'", "'äöü'"],
        instead: "",
        refused_by: NOT_IN_SQLITE,
    },
    Awkward {
        name: "day",
        sql_type: "DATE",
        values: ["'yesterday'", "20240101", "'2024-02-29'"],
        instead: "other-type = \"null\"",
        refused_by: NOT_IN_SQLITE,
    },
    Awkward {
        name: "raw",
        sql_type: "BLOB",
        values: ["'text'", "7", "X'00ff'"],
        instead: "other-type = \"null\"",
        refused_by: NOT_IN_SQLITE,
    },
];

fn awkward(backend: Backend) -> &'static [Awkward] {
    match backend {
        Backend::Postgres => &OF_POSTGRES,
        Backend::Sqlite => &OF_SQLITE,
        _ => &OF_MYSQL,
    }
}

async fn create(source: &str) -> Result<&'static [Awkward]> {
    let mut db = open(source).await?;
    let awkward = awkward(db.backend());
    if matches!(db.backend(), Backend::MySql | Backend::MariaDb) {
        let mode = "SET sql_mode = 'ALLOW_INVALID_DATES'";
        db.execute("zero dates", mode).await?;
    }
    let columns: Vec<String> = awkward
        .iter()
        .map(|column| format!("{} {} NULL", column.name, column.sql_type))
        .collect();
    let table = format!(
        "CREATE TABLE thing (number integer NOT NULL PRIMARY KEY, {})",
        columns.join(", ")
    );
    db.execute("the table", &table).await?;
    for row in 0..3 {
        let values: Vec<&str> = awkward.iter().map(|column| column.values[row]).collect();
        let insert = format!(
            "INSERT INTO thing VALUES ({}, {})",
            row + 7,
            values.join(", ")
        );
        db.execute("a row", &insert).await?;
    }
    Ok(awkward)
}

async fn misfits(source: String, target: String) -> Result<()> {
    let awkward = create(&source).await?;
    let backend = open(&target).await?.backend();
    let mut plan = plan(&source, &target).await?;
    let found = preflight(&source, &target, &plan).await?;
    for column in awkward {
        let misfits = found.values.iter().find(|one| one.column == column.name);
        if !column.refused_by.contains(&backend) {
            ensure!(misfits.is_none(), "{}: {misfits:?}", column.name);
            continue;
        }
        let Some(misfits) = misfits else {
            anyhow::bail!("{} is not found: {found:?}", column.name);
        };
        let keys: Vec<_> = misfits
            .examples
            .iter()
            .map(|one| one.key.as_deref())
            .collect();
        ensure!(
            misfits.values == 2 && keys == [Some("7"), Some("8")],
            "{misfits:?}"
        );
        for words in &misfits.instead {
            ensure!(column.instead.contains(words), "{misfits:?}");
        }
        let refused = format!("thing.{}: ", column.name);
        ensure!(
            found.refused.iter().any(|one| one.starts_with(&refused)),
            "{found:?}"
        );
    }
    let expected = awkward
        .iter()
        .filter(|column| column.refused_by.contains(&backend))
        .count();
    ensure!(found.values.len() == expected, "{found:?}");
    ensure!(found.refused.len() == expected, "{found:?}");
    // A copy refuses the same, and writes nothing.
    if expected > 0 {
        let error = copy(&source, &target, &plan).await.unwrap_err().to_string();
        for reason in &found.refused {
            ensure!(error.contains(reason.as_str()), "{error}: {reason}");
        }
        ensure!(tables(&target).await? == 0, "something was made");
    }

    // As a person would edit the plan.
    for column in &mut plan.tables[0].columns {
        let own = awkward.iter().find(|one| one.name == column.name);
        let Some(own) = own.filter(|own| own.refused_by.contains(&backend)) else {
            continue;
        };
        match own.instead {
            "" => column.to = Some("text".into()),
            words => column.instead = toml::from_str(words)?,
        }
    }
    let plan = CopyPlan::from_toml(&plan.to_toml()?)?;
    nothing_is_refused(&source, &target, &plan).await?;
    ensure!(tables(&target).await? == 0, "preflight has left something");
    copy_equal(&source, &target, &plan).await?;
    let mut db = open(&target).await?;
    for column in awkward
        .iter()
        .filter(|column| column.instead.contains("null"))
    {
        let query = format!("SELECT COUNT({}) FROM thing", column.name);
        let rows = db.query("the values", &query, &[]).await?;
        let expected = match column.refused_by.contains(&backend) {
            true => 1,
            false => 3,
        };
        ensure!(rows[0].integer(0)? == expected, "{}: {rows:?}", column.name);
    }
    Ok(())
}

/// Titles that differ for the source, but not for every target.
async fn clashes(source: String, target: String) -> Result<()> {
    let mut db = open(&source).await?;
    let from = db.backend();
    let (title, values) = match from {
        Backend::MySql | Backend::MariaDb => (
            "varchar(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
            ["a", "A", "ä", "b"],
        ),
        _ => ("varchar(40)", ["a", "A", "a ", "b"]),
    };
    let table =
        format!("CREATE TABLE thing (title {title} NOT NULL, part integer, UNIQUE (title))");
    db.execute("the table", &table).await?;
    for value in values {
        let insert = format!("INSERT INTO thing (title) VALUES ('{value}')");
        db.execute("a row", &insert).await?;
    }
    let mut plan = plan(&source, &target).await?;
    let to = open(&target).await?.backend();
    let found = preflight(&source, &target, &plan).await?;
    // MySQL's collations but one ignore spaces at the end.
    let is_padded = to == Backend::MySql && matches!(from, Backend::Postgres | Backend::Sqlite);
    let refused = |found: &Preflight| {
        let expected = "thing: the unique key of title: 1 of its values are there several times";
        found.refused.iter().any(|one| one.contains(expected))
    };
    ensure!(refused(&found) == is_padded, "{found:?}");
    ensure!(found.refused.len() == usize::from(is_padded), "{found:?}");
    if matches!(to, Backend::MySql | Backend::MariaDb) {
        let words = "varchar(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci";
        plan.tables[0].columns[0].to = Some(words.into());
        let found = preflight(&source, &target, &plan).await?;
        ensure!(refused(&found), "{found:?}");
        let is_shown = found.refused[0].contains("\"A\" and \"");
        ensure!(is_shown, "{found:?}");
        let error = copy(&source, &target, &plan).await.unwrap_err().to_string();
        ensure!(error.contains("the unique key of title"), "{error}");
        ensure!(tables(&target).await? == 0, "something was made");
        let line = found.refused[0].split_once("leave-out = [\"");
        let name = line.and_then(|(_, rest)| rest.split_once('"'));
        plan.tables[0].leave_out = vec![name.context("no name")?.0.to_owned()];
        nothing_is_refused(&source, &target, &plan).await?;
    }
    Ok(())
}

async fn names(source: String, target: String) -> Result<()> {
    let mut db = open(&source).await?;
    let statements = match db.backend() {
        Backend::Postgres => [
            "CREATE TABLE thing (\"A\" integer PRIMARY KEY, a integer)",
            "CREATE INDEX thing2 ON thing (a)",
        ],
        // These databases do not tell them apart either.
        _ => [
            "CREATE TABLE thing (A integer PRIMARY KEY, b integer)",
            "CREATE INDEX thing2 ON thing (b)",
        ],
    };
    for statement in statements {
        db.execute(statement, statement).await?;
    }
    let plan = plan(&source, &target).await?;
    let found = preflight(&source, &target, &plan).await?;
    match db.backend() {
        Backend::Postgres => ensure!(
            found.refused.len() == 1
                && found.refused[0].starts_with("the columns A and a of thing: MariaDB does not"),
            "{found:?}"
        ),
        _ => ensure!(found.refused.is_empty(), "{found:?}"),
    }
    Ok(())
}

/// Defaults that are expressions are carried between files, and what is left out is named.
async fn definitions(source: String, target: String) -> Result<()> {
    let mut db = open(&source).await?;
    for statement in [
        "CREATE TABLE thing (number INTEGER PRIMARY KEY, title TEXT COLLATE NOCASE DEFAULT (lower('ABC')), \
         size INTEGER DEFAULT 7 CHECK (size > 0), made TEXT DEFAULT CURRENT_DATE)",
        "CREATE TABLE part (id TEXT PRIMARY KEY) WITHOUT ROWID",
        // The name of a table, as far as the letters go.
        "CREATE INDEX \"part_\" ON thing (size)",
    ] {
        db.execute(statement, statement).await?;
    }
    let mut plan = plan(&source, &target).await?;
    for table in &mut plan.tables {
        if table.name.name == "part" {
            table.becomes = "PART_".into();
        }
    }
    let found = preflight(&source, &target, &plan).await?;
    ensure!(found.refused.is_empty(), "{found:?}");
    for note in [
        "thing: its collations are left out: the target may tell texts apart that were the same",
        "part: WITHOUT ROWID is left out",
    ] {
        ensure!(found.notes.iter().any(|found| found == note), "{found:?}");
    }
    copy(&source, &target, &plan).await?;
    let mut to = open(&target).await?;
    to.execute("a row", "INSERT INTO thing (number) VALUES (1)")
        .await?;
    let broken = "INSERT INTO thing (number, size) VALUES (2, 0)";
    ensure!(to.execute("a CHECK", broken).await.is_err());
    let query = "SELECT title, size, made = date('now') FROM thing";
    let rows = to.query("the defaults", query, &[]).await?;
    let row = &rows[0];
    ensure!(
        (row.text(0)?, row.integer(1)?, row.is(2)?) == ("abc", 7, true),
        "{rows:?}"
    );
    Ok(())
}

async fn existing(source: String, target: String) -> Result<()> {
    let mut from = open(&source).await?;
    for statement in [
        "CREATE TABLE thing (number bigint NOT NULL PRIMARY KEY, title varchar(40))",
        "INSERT INTO thing VALUES (1, 'short'), (2, NULL), (3, 'too long for it')",
        "CREATE TABLE other (number bigint NOT NULL PRIMARY KEY, part integer)",
        "INSERT INTO other VALUES (1, 7), (2, 7), (3, 8), (4, NULL), (5, NULL)",
    ] {
        from.execute(statement, statement).await?;
    }
    let mut plan = plan(&source, &target).await?;
    let words = "varchar(9) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin";
    for table in &mut plan.tables {
        let column = &mut table.columns[1];
        column.to = Some(match table.name.name.as_str() {
            "thing" => words.into(),
            _ => "int".into(),
        });
    }
    let mut to = open(&target).await?;
    let table = format!(
        "CREATE TABLE thing (number bigint PRIMARY KEY, title {words} NOT NULL, \
         more integer NOT NULL) ENGINE = InnoDB"
    );
    to.execute("the table", &table).await?;
    let other =
        "CREATE TABLE other (number bigint PRIMARY KEY, part int, UNIQUE (part)) ENGINE = InnoDB";
    to.execute("the table", other).await?;
    let found = preflight(&source, &target, &plan).await?;
    let [misfits] = &found.values[..] else {
        anyhow::bail!("{found:?}");
    };
    let keys: Vec<_> = misfits
        .examples
        .iter()
        .map(|one| one.key.as_deref())
        .collect();
    ensure!(keys == [Some("2"), Some("3")], "{misfits:?}");
    let unfilled = "thing.more in the target: the plan has no values for it";
    let clash = "other: the unique key of part: 1 of its values are there several times";
    ensure!(
        found.refused.len() == 3
            && found.refused[0].starts_with(unfilled)
            && found.refused.iter().any(|one| one.starts_with(clash)),
        "{found:?}"
    );
    Ok(())
}

/// SQLite takes NULL in a primary key, and references to rows that do not exist.
async fn lax_rows(source: String, target: String) -> Result<()> {
    let mut db = open(&source).await?;
    execute(&mut db, "the source", &[
        "PRAGMA foreign_keys = OFF",
        "CREATE TABLE word (word VARCHAR(9) PRIMARY KEY, n INTEGER NOT NULL)",
        "INSERT INTO word VALUES ('a', 1), (NULL, 2)",
        "CREATE TABLE parent (number INTEGER PRIMARY KEY)",
        "CREATE TABLE child (number INTEGER PRIMARY KEY, parent INTEGER REFERENCES Parent (number))",
        "INSERT INTO child VALUES (1, NULL), (2, 7)",
    ]).await?;
    let plan = plan(&source, &target).await?;
    let looked = preflight(&source, &target, &plan).await?;
    for expected in [
        "word.word: it is NULL, which the target refuses",
        "child: 1 of its rows refer to rows of Parent that do not exist, the first is that with the rowid 2",
    ] {
        let is_told = looked.refused.iter().any(|line| line.contains(expected));
        ensure!(is_told, "{expected}: {looked:?}");
    }
    ensure!(looked.refused.len() == 2, "{looked:?}");
    ensure!(copy(&source, &target, &plan).await.is_err());
    let child = "name = \"child\"\n";
    let with_line = format!("{child}leave-out = [\"child_parent_fkey\"]\n");
    let without = CopyPlan::from_toml(&plan.to_toml()?.replacen(child, &with_line, 1))?;
    let left = preflight(&source, &target, &without).await?;
    ensure!(
        matches!(&left.refused[..], [one] if one.starts_with("word.word")),
        "{left:?}"
    );
    ensure!(tables(&target).await? <= 1, "tables were made");
    execute(
        &mut db,
        "a mend",
        &[
            "DELETE FROM word WHERE n = 2",
            "DELETE FROM child WHERE number = 2",
        ],
    )
    .await?;
    copy(&source, &target, &plan).await?;
    ensure!(compare(&source, &target, &plan).await?.is_equal());
    Ok(())
}

/// A part of a table is not copied as if it were all of it.
async fn hidden_rows(source: String, target: String) -> Result<()> {
    let mut db = open(&source).await?;
    let schema = db
        .query("the schema", "SELECT current_schema()::text", &[])
        .await?;
    let role = format!("{}_reader", schema[0].text(0)?);
    for statement in [
        "CREATE TABLE thing (number integer PRIMARY KEY)".to_owned(),
        "INSERT INTO thing VALUES (1), (2)".into(),
        "ALTER TABLE thing ENABLE ROW LEVEL SECURITY".into(),
        "CREATE POLICY the_first ON thing USING (number = 1)".into(),
        format!("CREATE ROLE {role}"),
        format!("GRANT USAGE ON SCHEMA {} TO {role}", schema[0].text(0)?),
        format!("GRANT SELECT ON thing TO {role}"),
    ] {
        db.execute("the source", &statement).await?;
    }
    let outcome = copy_hidden(&source, &target, &role).await;
    for statement in [format!("DROP OWNED BY {role}"), format!("DROP ROLE {role}")] {
        db.execute("no role", &statement).await?;
    }
    outcome
}

async fn copy_hidden(source: &str, target: &str, role: &str) -> Result<()> {
    let source = format!("{source}%20-crole%3D{role}");
    let plan = plan(&source, target).await?;
    let looked = preflight(&source, target, &plan).await?;
    let is_told = |line: &String| line.contains("row-level security");
    ensure!(looked.refused.iter().any(is_told), "{looked:?}");
    let error = copy(&source, target, &plan).await.unwrap_err().to_string();
    ensure!(error.contains("row-level security"), "{error}");
    Ok(())
}
