//! Rules that only an existing table of the target has, and only its database understands: the copy is
//! refused before its first row, or goes through.

use anyhow::{Result, ensure};
use rowkey_copy::{Choices, ExistingRows};
use rowkey_testkit::{Backend, Suite, test_name};

use crate::copy::held::{nothing_is_refused, preflight};
use crate::copy::newer_servers::{MYSQL_8, pair_since};
use crate::copy::{copy_into_existing, execute, open, pair, plan, planned};

pub(crate) fn add_tests(suite: &mut Suite) {
    for target in crate::LIVE {
        let to = test_name(target);
        let name = format!("own_rules_of_{to}");
        pair_since(suite, MYSQL_8, &name, crate::LIVE, target, own_rules);
        if target != Backend::Sqlite {
            // That has a place for all values.
            let name = format!("own_rules_beside_values_without_a_place_in_{to}");
            let sqlite = [Backend::Sqlite];
            pair_since(suite, MYSQL_8, &name, sqlite, target, beside_misfits);
        }
        let name = format!("own_rules_and_rows_that_stay_in_{to}");
        pair_since(suite, MYSQL_8, &name, crate::LIVE, target, rows_that_stay);
    }
    pair(
        suite,
        "rows_that_cannot_be_deleted",
        crate::LIVE,
        Backend::Postgres,
        kept_by_a_circle,
    );
    let (postgres, sqlite) = (Backend::Postgres, Backend::Sqlite);
    pair(
        suite,
        "rules_of_a_merged_table",
        crate::LIVE,
        postgres,
        rules_of_postgres,
    );
    let name = "conflicts_that_lose_rows_of_a_merged_table";
    pair(suite, name, crate::LIVE, sqlite, conflicts);
    let name = "equal_documents_in_a_unique_column";
    pair(suite, name, [sqlite, Backend::MySql], postgres, documents);
    let name = "indexes_and_functions_of_a_target";
    pair(suite, name, crate::LIVE, postgres, of_one_row);
    let name = "indexes_of_types_that_are_not_text";
    pair(suite, name, [postgres], postgres, of_other_types);
    let name = "texts_for_types_that_are_not_read_from_text";
    pair(suite, name, [postgres, sqlite], postgres, not_read);
    let name = "references_that_the_source_cannot_compare";
    pair(suite, name, crate::LIVE, postgres, not_compared);
    pair(
        suite,
        "a_name_that_is_too_long_beside_values",
        [sqlite],
        postgres,
        long_name,
    );
    for backend in [Backend::MySql, Backend::MariaDb] {
        let name = format!("a_check_in_another_collation_of_{}", test_name(backend));
        pair_since(suite, MYSQL_8, &name, [backend], backend, other_collation);
    }
}

/// Indexes, functions and references that refuse single rows, beside those that do not.
async fn of_one_row(source: String, target: String) -> Result<()> {
    let (mut from, mut to) = (open(&source).await?, open(&target).await?);
    let statements = [
        "CREATE TABLE page (id integer PRIMARY KEY, title varchar(99), body text, number varchar(9))",
        "CREATE TABLE place (x integer NOT NULL, y integer NOT NULL, PRIMARY KEY (x, y))",
        "CREATE TABLE piece (id integer PRIMARY KEY, x integer, y integer)",
        "INSERT INTO page VALUES (1, 'a', 'b', '7')",
        "INSERT INTO place VALUES (1, 1)",
        "INSERT INTO piece VALUES (1, 1, 1), (2, NULL, NULL)",
    ];
    execute(&mut from, "the source", &statements).await?;
    let own = [
        "CREATE FUNCTION is_good(text) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT $1 <> ''bad'''",
        "CREATE DOMAIN cry AS varchar CHECK (VALUE <> 'bad!')",
        "CREATE TABLE page (id integer PRIMARY KEY, title varchar(99) CHECK (is_good(title)), body text, \
         number varchar(9), called cry GENERATED ALWAYS AS (title || '!') STORED)",
        "CREATE INDEX lower_body ON page (lower(body))",
        "CREATE INDEX with_body ON page (id) INCLUDE (body)",
        "CREATE INDEX as_number ON page ((number::integer))",
        "CREATE INDEX upper_title ON page (upper(title) varchar_pattern_ops) WHERE title IS NOT NULL",
        statements[1],
        "CREATE TABLE piece (id integer PRIMARY KEY, x integer, y integer, \
         FOREIGN KEY (x, y) REFERENCES place MATCH FULL)",
    ];
    execute(&mut to, "the target", &own).await?;
    if from.backend() == Backend::Postgres {
        // It has the same check by its words.
        let own = [
            "CREATE FUNCTION is_good(text) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT true'",
            "ALTER TABLE page ADD CHECK (is_good(title))",
        ];
        execute(&mut from, "the source's own", &own).await?;
    }
    let plan = plan(&source, &target).await?;
    let found = preflight(&source, &target, &plan).await?;
    ensure!(found.refused.is_empty(), "{found:?}");
    let letters: Vec<String> = (0..4_000_u32)
        .map(|n| (n * n % 9_973).to_string())
        .collect();
    let rows = [
        &*format!(
            "INSERT INTO page VALUES (2, 'bad', '{}', '7a')",
            letters.concat()
        ),
        "INSERT INTO piece VALUES (3, 1, NULL)",
    ];
    execute(&mut from, "more rows", &rows).await?;
    let found = preflight(&source, &target, &plan).await?;
    for rule in [
        "break its check page_title_check, such as the one with the key \"2\"",
        "break its computed column called: ",
        "break its index lower_body: ",
        "break its index with_body: ",
        "break its index as_number: ",
        "piece.x, y: a row has NULL in some of these columns",
    ] {
        let is_told = found.refused.iter().any(|refused| refused.contains(rule));
        ensure!(is_told, "{rule}: {found:?}");
    }
    ensure!(found.refused.len() == 6, "{found:?}");
    let rows = [
        "DELETE FROM page WHERE id = 2",
        "DELETE FROM piece WHERE id = 3",
    ];
    execute(&mut from, "fewer rows", &rows).await?;
    copy_into_existing(&source, &target, &plan).await
}

/// No text tells how long their values are in an index.
async fn of_other_types(source: String, target: String) -> Result<()> {
    let table =
        "CREATE TABLE host (id integer PRIMARY KEY, at inet, net cidr, span interval, words jsonb)";
    let row = "INSERT INTO host VALUES (1, '10.0.0.1', '10.0.0.0/8', '1 day', '{\"a\": 1}')";
    execute(&mut open(&source).await?, "the source", &[table, row]).await?;
    let indexes = [
        table,
        "CREATE INDEX ON host (at, net)",
        "CREATE UNIQUE INDEX ON host (span)",
        "CREATE INDEX ON host (words)",
    ];
    execute(&mut open(&target).await?, "the target", &indexes).await?;
    let plan = plan(&source, &target).await?;
    nothing_is_refused(&source, &target, &plan).await?;
    copy_into_existing(&source, &target, &plan).await
}

/// The reason hides no other, although an index has the target asked about the values.
async fn not_read(source: String, target: String) -> Result<()> {
    let rows = [
        "CREATE TABLE list (id integer PRIMARY KEY, items text, name text)",
        "INSERT INTO list VALUES (1, '{1,2}', 'long')",
    ];
    execute(&mut open(&source).await?, "the source", &rows).await?;
    let own = [
        "CREATE TABLE list (id integer PRIMARY KEY, items integer[] UNIQUE, name varchar(3))",
        "CREATE INDEX ON list USING gin (items)",
        "CREATE INDEX ON list ((name || ''))",
    ];
    execute(&mut open(&target).await?, "the target", &own).await?;
    let plan = plan(&source, &target).await?;
    let found = preflight(&source, &target, &plan).await?;
    for why in [
        "list.items: integer[] of the target is not read from text",
        "list.name: a value has 4 characters",
    ] {
        let is_told = found.refused.iter().any(|refused| refused.starts_with(why));
        ensure!(is_told, "{why}: {found:?}");
    }
    ensure!(found.refused.len() == 2, "{found:?}");
    Ok(())
}

fn merging() -> Choices {
    Choices {
        existing_rows: Some(ExistingRows::Merge),
        ..Choices::default()
    }
}

/// A merge writes rows by statements, which rules change, and any other copy by `COPY`.
async fn rules_of_postgres(source: String, target: String) -> Result<()> {
    let table = "CREATE TABLE thing (id integer NOT NULL PRIMARY KEY, a integer)";
    let rows = [table, "INSERT INTO thing VALUES (1, 1), (2, 2)"];
    execute(&mut open(&source).await?, "the source", &rows).await?;
    let mut to = open(&target).await?;
    let rule = "CREATE RULE \"two on\" AS ON INSERT TO thing WHERE new.id = 2 DO INSTEAD NOTHING";
    let there = [table, rule, "INSERT INTO thing VALUES (7, 7)"];
    execute(&mut to, "the target", &there).await?;
    let merge = planned(&source, &target, merging()).await?.plan;
    let found = preflight(&source, &target, &merge).await?;
    ensure!(
        matches!(&found.refused[..], [one] if one.contains("its rules (\"two on\") change what a merge writes")),
        "{found:?}"
    );
    to.execute("no rows", "DELETE FROM thing").await?;
    let plan = plan(&source, &target).await?;
    let found = preflight(&source, &target, &plan).await?;
    let note = "its rules (\"two on\") do not change what the copy writes";
    ensure!(
        found.refused.is_empty() && found.notes.iter().any(|told| told.contains(note)),
        "{found:?}"
    );
    copy_into_existing(&source, &target, &plan).await
}

/// A merged row would delete another one.
async fn conflicts(source: String, target: String) -> Result<()> {
    let rows = [
        "CREATE TABLE thing (id integer NOT NULL PRIMARY KEY, a integer)",
        "INSERT INTO thing VALUES (1, 2)",
    ];
    execute(&mut open(&source).await?, "the source", &rows).await?;
    let there = [
        "CREATE TABLE thing (id integer PRIMARY KEY, a integer, z integer DEFAULT 5 UNIQUE ON CONFLICT REPLACE)",
        "INSERT INTO thing VALUES (9, 9, 5)",
    ];
    execute(&mut open(&target).await?, "the target", &there).await?;
    let plan = planned(&source, &target, merging()).await?.plan;
    let found = preflight(&source, &target, &plan).await?;
    ensure!(
        matches!(&found.refused[..], [one] if one.contains("ON CONFLICT")),
        "{found:?}"
    );
    Ok(())
}

/// The source has them as texts that differ.
async fn documents(source: String, target: String) -> Result<()> {
    let rows = [
        "CREATE TABLE thing (id integer NOT NULL PRIMARY KEY, a varchar(20), b varchar(40))",
        "INSERT INTO thing VALUES (1, '{\"a\":1}', '0a7c2f3e111142228333444455556666'), \
         (2, '{\"a\": 1}', '0a7c2f3e-1111-4222-8333-444455556666')",
    ];
    execute(&mut open(&source).await?, "the source", &rows).await?;
    let table = "CREATE TABLE thing (id integer PRIMARY KEY, a jsonb UNIQUE, b uuid UNIQUE)";
    execute(&mut open(&target).await?, "the target", &[table]).await?;
    let plan = plan(&source, &target).await?;
    let found = preflight(&source, &target, &plan).await?;
    ensure!(
        matches!(&found.refused[..], [one, other] if [one, other].iter()
            .all(|told| told.contains("1 of its values are there several times"))),
        "{found:?}"
    );
    Ok(())
}

/// Without an index on what is referred to, the source would take long; and one default for all rows is
/// unique in none.
async fn not_compared(source: String, target: String) -> Result<()> {
    let tables = [
        "CREATE TABLE parent (id integer NOT NULL PRIMARY KEY, code varchar(9))",
        "CREATE TABLE child (id integer NOT NULL PRIMARY KEY, code varchar(9))",
    ];
    execute(&mut open(&source).await?, "the source", &tables).await?;
    let there = [
        "CREATE TABLE parent (id integer PRIMARY KEY, code varchar(9) UNIQUE, \
         k integer DEFAULT 5 UNIQUE)",
        "CREATE TABLE child (id integer PRIMARY KEY, code varchar(9) REFERENCES parent (code))",
    ];
    execute(&mut open(&target).await?, "the target", &there).await?;
    let plan = plan(&source, &target).await?;
    let found = preflight(&source, &target, &plan).await?;
    for (table, rule) in [
        ("child", "reference of code"),
        ("parent", "unique key of k"),
    ] {
        let note =
            format!("{table}: whether all rows fulfil the {rule} of the target was not looked at");
        ensure!(
            found.refused.is_empty() && found.notes.iter().any(|told| told.starts_with(&note)),
            "{note}: {found:?}"
        );
    }
    Ok(())
}

/// No statement can name one of the tables, and the other one's values are looked at all the same.
async fn long_name(source: String, target: String) -> Result<()> {
    let name = "n".repeat(64);
    let tables = [
        &*format!("CREATE TABLE {name} (id integer NOT NULL PRIMARY KEY)"),
        "CREATE TABLE thing (id integer NOT NULL PRIMARY KEY, day date)",
        "INSERT INTO thing VALUES (1, 'never')",
    ];
    execute(&mut open(&source).await?, "the source", &tables).await?;
    let plan = plan(&source, &target).await?;
    let found = preflight(&source, &target, &plan).await?;
    let is_told = |words: &str| found.refused.iter().any(|told| told.contains(words));
    ensure!(is_told(&name) && is_told("never"), "{found:?}");
    Ok(())
}

/// The words of a check are the same on both sides, and its values are not.
async fn other_collation(source: String, target: String) -> Result<()> {
    let table = |collation: &str| {
        format!(
            "CREATE TABLE thing (id integer NOT NULL PRIMARY KEY, \
             a varchar(9) CHARACTER SET utf8mb4 COLLATE {collation}, CONSTRAINT known CHECK (a IN ('x', 'y')))"
        )
    };
    let rows = [
        &*table("utf8mb4_general_ci"),
        "INSERT INTO thing VALUES (1, 'X')",
    ];
    execute(&mut open(&source).await?, "the source", &rows).await?;
    let there = table("utf8mb4_bin");
    execute(&mut open(&target).await?, "the target", &[&there]).await?;
    let plan = plan(&source, &target).await?;
    let found = preflight(&source, &target, &plan).await?;
    ensure!(
        matches!(&found.refused[..], [one] if one.contains("break its check known")),
        "{found:?}"
    );
    Ok(())
}

/// Rows of two tables refer to each other. The superuser's way round that is not for tables with a key
/// that is put off.
async fn kept_by_a_circle(source: String, target: String) -> Result<()> {
    let tables = [
        "CREATE TABLE a (id integer PRIMARY KEY, b integer)",
        "CREATE TABLE b (id integer PRIMARY KEY, a integer)",
        "INSERT INTO a VALUES (7, NULL)",
    ];
    execute(&mut open(&source).await?, "the source", &tables).await?;
    let circle = [
        "CREATE TABLE a (id integer PRIMARY KEY, b integer)",
        "CREATE TABLE b (id integer PRIMARY KEY, a integer REFERENCES a, UNIQUE (a) DEFERRABLE)",
        "INSERT INTO a VALUES (1, 2)",
        "INSERT INTO b VALUES (2, 1)",
        "ALTER TABLE a ADD CONSTRAINT to_b FOREIGN KEY (b) REFERENCES b",
    ];
    let mut to = open(&target).await?;
    execute(&mut to, "the target", &circle).await?;
    let choices = Choices {
        existing_rows: Some(ExistingRows::Delete),
        ..Choices::default()
    };
    let plan = planned(&source, &target, choices).await?.plan;
    let found = preflight(&source, &target, &plan).await?;
    ensure!(
        matches!(&found.refused[..], [one] if one.contains("to_b") && one.contains("\"delete\"")),
        "{found:?}"
    );
    let there = "SELECT (SELECT b FROM a) + (SELECT a FROM b)";
    let row = to.one_row("the rows", there, &[]).await?;
    ensure!(row.integer(0)? == 3, "{row:?}");
    // Of a reference that is put off, nobody looks at each row.
    let put_off = "ALTER TABLE a ALTER CONSTRAINT to_b DEFERRABLE INITIALLY DEFERRED";
    to.execute("a reference", put_off).await?;
    let found = preflight(&source, &target, &plan).await?;
    ensure!(found.refused.is_empty(), "{found:?}");
    let rules = ["a", "b"]
        .map(|table| format!("CREATE RULE nothing AS ON DELETE TO {table} DO INSTEAD NOTHING"));
    execute(&mut to, "rules", &rules.each_ref().map(String::as_str)).await?;
    let found = preflight(&source, &target, &plan).await?;
    let told = "a rule or a trigger keeps rows";
    ensure!(
        matches!(&found.refused[..], [one] if one.contains(told)),
        "{found:?}"
    );
    let none = ["DROP RULE nothing ON a", "DROP RULE nothing ON b"];
    execute(&mut to, "no rules", &none).await?;
    copy_into_existing(&source, &target, &plan).await
}

/// A rule of the target for `thing (id, a, n)`.
struct OwnRule {
    /// What the database has before.
    before: &'static str,
    /// The type of `a`, and whether it is unique in the source and in the target.
    a: &'static str,
    is_unique: bool,
    /// The rule, as a line of the table or as a statement.
    line: &'static str,
    statement: &'static str,
    /// `a` and `n` of a row that breaks it, beside those of `GOOD`.
    bad: &'static str,
    /// What is said of it.
    told: &'static [&'static str],
}

const RULE: OwnRule = OwnRule {
    before: "",
    a: "varchar(40)",
    is_unique: false,
    line: "",
    statement: "",
    bad: "",
    told: &[],
};

const GOOD: &str = "INSERT INTO thing VALUES (1, 'xabcdef', 1), (2, 'xyz', 100), (3, NULL, 200)";
const ALIKE: &str = "'XYZ', 300";
const OTHER_LETTERS: &[&str] = &["unique key of a", "XYZ", "xyz"];

const OF_POSTGRES: &[OwnRule] = &[
    OwnRule {
        line: "CONSTRAINT apart EXCLUDE USING gist (int4range(n, n + 10) WITH &&) WHERE (n > 0)",
        bad: "'xb', 105",
        told: &["exclusion constraint apart", "[105,115)", "[100,110)"],
        ..RULE
    },
    OwnRule {
        // The range of a row may be none.
        line: "CONSTRAINT apart EXCLUDE USING gist (int4range(n, 1000) WITH &&) WHERE (n > 150)",
        bad: "'xb', 1001",
        told: &["exclusion constraint apart"],
        ..RULE
    },
    OwnRule {
        line: "CONSTRAINT shape CHECK (n > 0 AND a ~ '^x')",
        bad: "'bx', 300",
        told: &["check shape", "the key \"4\""],
        ..RULE
    },
    OwnRule {
        before: "CREATE COLLATION IF NOT EXISTS loose \
                 (provider = icu, locale = 'und-u-ks-level2', deterministic = false)",
        a: "varchar(40) COLLATE loose",
        is_unique: true,
        bad: ALIKE,
        told: OTHER_LETTERS,
        ..RULE
    },
    OwnRule {
        line: "UNIQUE NULLS NOT DISTINCT (a)",
        bad: "NULL, 300",
        told: &["unique key of a", "NULL"],
        ..RULE
    },
    OwnRule {
        statement: "CREATE UNIQUE INDEX one ON thing (a DESC) NULLS NOT DISTINCT WHERE n >= 200",
        bad: "NULL, 300",
        told: &["unique index one"],
        ..RULE
    },
    OwnRule {
        statement: "CREATE UNIQUE INDEX one ON thing (left(a, 3) text_pattern_ops) WHERE a ~ '^x'",
        bad: "'xyzzy', 300",
        told: &["unique index one", "\"xyz\" and \"xyzzy\""],
        ..RULE
    },
];

const OF_MYSQLS: &[OwnRule] = &[
    OwnRule {
        line: "UNIQUE KEY one (a(3))",
        bad: "'xyzzy', 300",
        told: &["unique index one", "\"xyz\" and \"xyzzy\""],
        ..RULE
    },
    OwnRule {
        a: "longtext",
        line: "UNIQUE KEY one (n, a(3))",
        bad: "'xyzzy', 100",
        told: &["unique index one", "\"xyz\" and \"xyzzy\""],
        ..RULE
    },
    OwnRule {
        line: "CONSTRAINT shape CHECK (a RLIKE '^x' AND n > 0 AND a <> 'it''s')",
        bad: "'bx', 300",
        told: &["check shape", "the key \"4\""],
        ..RULE
    },
];

/// MariaDB has no indexes of expressions.
const OF_MYSQL: &[OwnRule] = &[
    OwnRule {
        statement: "CREATE UNIQUE INDEX one ON thing ((CONCAT(LOWER(a), 'it''s')))",
        bad: ALIKE,
        told: &["unique index one", "XYZ", "xyz"],
        ..RULE
    },
    OwnRule {
        statement: "CREATE UNIQUE INDEX one ON thing (n DESC, (CASE WHEN a > 'xa' THEN LEFT(a, 3) END))",
        bad: "'xyzzy', 100",
        told: &["unique index one", "\"xyz\" and \"xyzzy\""],
        ..RULE
    },
];

const OF_SQLITE: &[OwnRule] = &[
    OwnRule {
        line: "UNIQUE (a COLLATE NOCASE)",
        bad: ALIKE,
        told: OTHER_LETTERS,
        ..RULE
    },
    OwnRule {
        a: "varchar(40) COLLATE NOCASE",
        line: "UNIQUE (a COLLATE RTRIM, n)",
        bad: "'xyz  ', 100",
        told: &["unique key of a, n", "xyz"],
        ..RULE
    },
    OwnRule {
        a: "varchar(40) COLLATE NOCASE",
        is_unique: true,
        bad: ALIKE,
        told: OTHER_LETTERS,
        ..RULE
    },
    OwnRule {
        statement: "CREATE UNIQUE INDEX one ON thing (a COLLATE NOCASE)",
        bad: ALIKE,
        told: &["unique index one", "XYZ", "xyz"],
        ..RULE
    },
    OwnRule {
        a: "varchar(40) COLLATE NOCASE",
        statement: "CREATE UNIQUE INDEX one ON thing (\"a\") WHERE \"n\" >= 100",
        bad: ALIKE,
        told: &["unique index one"],
        ..RULE
    },
    OwnRule {
        statement: "CREATE INDEX one ON thing (json_extract(iif(n > 0, '{}', a), '$.a')) WHERE a > ''",
        bad: "'xbad', -1",
        told: &["index one", "malformed JSON"],
        ..RULE
    },
    OwnRule {
        line: "CHECK (\"a\" GLOB 'x*' AND n > 0)",
        bad: "'bx', 300",
        told: &["CHECK (\"a\" GLOB 'x*' AND n > 0)", "the key \"4\""],
        ..RULE
    },
];

fn rules(backend: Backend) -> impl Iterator<Item = &'static OwnRule> {
    let (rules, others): (_, &[OwnRule]) = match backend {
        Backend::Postgres => (OF_POSTGRES, &[]),
        Backend::Sqlite => (OF_SQLITE, &[]),
        Backend::MySql => (OF_MYSQLS, OF_MYSQL),
        _ => (OF_MYSQLS, &[]),
    };
    rules.iter().chain(others)
}

/// Makes both tables, and fills that of the source.
async fn create(source: &str, target: &str, rule: &OwnRule) -> Result<()> {
    let (mut from, mut to) = (open(source).await?, open(target).await?);
    let drop = "DROP TABLE IF EXISTS thing";
    // It tells all texts apart.
    let a = match from.backend() {
        Backend::MySql | Backend::MariaDb => {
            "varchar(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"
        }
        _ => "varchar(40)",
    };
    let unique = if rule.is_unique { " UNIQUE" } else { "" };
    let table = |a, line: &str| {
        let line = if line.is_empty() {
            String::new()
        } else {
            format!(", {line}")
        };
        format!(
            "CREATE TABLE thing (id integer NOT NULL PRIMARY KEY, a {a}{unique}, n integer{line})"
        )
    };
    execute(&mut from, "the source", &[drop, &table(a, ""), GOOD]).await?;
    let statements = [rule.before, drop, &table(rule.a, rule.line), rule.statement];
    for statement in statements.iter().filter(|statement| !statement.is_empty()) {
        to.execute("the target", statement).await?;
    }
    Ok(())
}

async fn own_rules(source: String, target: String) -> Result<()> {
    let mut from = open(&source).await?;
    let mut to = open(&target).await?;
    for rule in rules(to.backend()) {
        create(&source, &target, rule).await?;
        let plan = plan(&source, &target).await?;
        let bad = format!("INSERT INTO thing VALUES (4, {})", rule.bad);
        from.execute("a bad row", &bad).await?;
        let looked = preflight(&source, &target, &plan).await?;
        let [refused] = &looked.refused[..] else {
            anyhow::bail!("{:?}: {looked:?}", rule.told);
        };
        for told in rule.told {
            ensure!(refused.contains(told), "{told}: {refused}");
        }
        from.execute("no bad row", "DELETE FROM thing WHERE id = 4")
            .await?;
        let looked = preflight(&source, &target, &plan).await?;
        let is_unseen = looked.notes.iter().any(|note| note.contains("looked at"));
        ensure!(
            looked.refused.is_empty() && !is_unseen,
            "{:?}: {looked:?}",
            rule.told
        );
        copy_into_existing(&source, &target, &plan).await?;
        // It was the target that refused the row.
        ensure!(
            to.execute("a bad row", &bad).await.is_err(),
            "{:?}",
            rule.told
        );
        let state = "DROP TABLE rowkey_copy";
        to.execute("the state", state).await?;
    }
    Ok(())
}

/// Rows are looked at although others have values without a place.
async fn beside_misfits(source: String, target: String) -> Result<()> {
    let mut from = open(&source).await?;
    let backend = open(&target).await?.backend();
    for rule in rules(backend) {
        create(&source, &target, rule).await?;
        let plan = plan(&source, &target).await?;
        let rows = format!(
            "INSERT INTO thing VALUES (4, {}), (5, 'xmany', 'many')",
            rule.bad
        );
        from.execute("bad rows", &rows).await?;
        let looked = preflight(&source, &target, &plan).await?;
        let is_told = |told: &str| looked.refused.iter().any(|refused| refused.contains(told));
        ensure!(
            looked.refused.len() == 2 && is_told("thing.n") && is_told(rule.told[0]),
            "{:?}: {looked:?}",
            rule.told
        );
    }
    Ok(())
}

/// Rows of the target with other keys stay, and may be the same as one of the source.
async fn rows_that_stay(source: String, target: String) -> Result<()> {
    let (mut from, mut to) = (open(&source).await?, open(&target).await?);
    let merge = merging();
    for rule in rules(to.backend()) {
        create(&source, &target, rule).await?;
        let row = format!("INSERT INTO thing VALUES (9, {})", rule.bad);
        if to.execute("a row", &row).await.is_err() {
            // The row breaks the rule by itself.
            continue;
        }
        let plan = planned(&source, &target, merge).await?.plan;
        let looked = preflight(&source, &target, &plan).await?;
        if looked.refused.is_empty() {
            let note = format!(
                "the rows that stay in the target were not compared by its {}",
                rule.told[0]
            );
            ensure!(
                looked.notes.iter().any(|told| told.contains(&note)),
                "{looked:?}"
            );
            continue;
        }
        let is_told =
            matches!(&looked.refused[..], [one] if one.contains("of rows that are to be merged"));
        ensure!(is_told, "{:?}: {looked:?}", rule.told);
        let change = "UPDATE thing SET a = 'x1' WHERE id = 9";
        to.execute("another row", change).await?;
        from.execute("a row", "UPDATE thing SET n = n + 500")
            .await?;
        let looked = preflight(&source, &target, &plan).await?;
        ensure!(looked.refused.is_empty(), "{:?}: {looked:?}", rule.told);
    }
    Ok(())
}
