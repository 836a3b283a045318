//! CHECKs go to a database of the same product.

use anyhow::{Context as _, Result, ensure};
use rowkey_testkit::{Backend, Suite, test_name};

use crate::copy::held::{nothing_is_refused, preflight};
use crate::copy::newer_servers::{MYSQL_8, pair_since};
use crate::copy::{copy, copy_equal, copy_into_existing, execute, open, pair, plan};

pub(crate) fn add_tests(suite: &mut Suite) {
    for backend in crate::LIVE {
        let name = format!("checks_stay_in_{}", test_name(backend));
        pair_since(suite, MYSQL_8, &name, [backend], backend, within_a_product);
        let name = format!("letters_in_expressions_stay_in_{}", test_name(backend));
        pair_since(suite, MYSQL_8, &name, [backend], backend, letters);
        let name = format!("letters_in_checks_of_{}", test_name(backend));
        pair_since(
            suite,
            MYSQL_8,
            &name,
            crate::LIVE,
            backend,
            existing_letters,
        );
        let name = format!("computed_columns_of_{}", test_name(backend));
        pair_since(suite, MYSQL_8, &name, crate::LIVE, backend, computed);
    }
    for backend in [Backend::MySql, Backend::MariaDb] {
        let name = format!("question_marks_of_{}", test_name(backend));
        pair_since(suite, MYSQL_8, &name, [backend], backend, question_marks);
    }
    let (name, mysql) = ("letters_of_other_character_sets", Backend::MySql);
    pair_since(suite, MYSQL_8, name, [mysql], mysql, other_letters);
    pair(
        suite,
        "checks_of_existing_tables_in_sqlite_are_named",
        crate::LIVE,
        Backend::Sqlite,
        of_existing,
    );
    for target in [Backend::Postgres, Backend::MySql, Backend::Sqlite] {
        let name = format!("unique_expressions_of_{}", test_name(target));
        pair_since(suite, MYSQL_8, &name, crate::LIVE, target, expressions);
    }
    for target in [Backend::Postgres, Backend::MySql, Backend::MariaDb] {
        let name = format!("unique_keys_of_computed_columns_in_{}", test_name(target));
        pair_since(suite, MYSQL_8, &name, crate::LIVE, target, unique_computed);
    }
    let postgres = Backend::Postgres;
    let name = "domains_of_the_target_are_looked_at";
    pair(suite, name, [postgres, Backend::MySql], postgres, domains);
}

/// NULL is one of the values that such a column tells apart.
async fn unique_computed(source: String, target: String) -> Result<()> {
    let rows = [
        "CREATE TABLE t (id integer PRIMARY KEY, v integer)",
        "INSERT INTO t VALUES (1, NULL), (2, NULL), (3, 5)",
    ];
    let mut from = open(&source).await?;
    execute(&mut from, "the source", &rows).await?;
    let table = "CREATE TABLE t (id integer PRIMARY KEY, v integer, \
                 u integer GENERATED ALWAYS AS (COALESCE(v, 0)) STORED UNIQUE)";
    execute(&mut open(&target).await?, "the target", &[table]).await?;
    let plan = plan(&source, &target).await?;
    let found = preflight(&source, &target, &plan).await?;
    ensure!(
        matches!(&found.refused[..], [one] if one.starts_with("t: the unique key of u: 1 of its values")),
        "{found:?}"
    );
    let other = "UPDATE t SET v = 7 WHERE id = 2";
    from.execute("another value", other).await?;
    let found = preflight(&source, &target, &plan).await?;
    ensure!(
        found.refused.is_empty() && !found.notes.iter().any(|note| note.contains("not looked")),
        "{found:?}"
    );
    copy_into_existing(&source, &target, &plan).await
}

async fn within_a_product(source: String, target: String) -> Result<()> {
    let table = "CREATE TABLE thing (number integer PRIMARY KEY, title varchar(20), \
                 CONSTRAINT quoted CHECK (title <> 'it''s'), CONSTRAINT positive CHECK (number > 0))";
    execute(&mut open(&source).await?, "the source", &[table]).await?;
    let plan = plan(&source, &target).await?;
    let report = copy(&source, &target, &plan).await?;
    let is_lost = |note: &String| note.to_lowercase().contains("check");
    ensure!(!report.notes.iter().any(is_lost), "{report:?}");
    let mut to = open(&target).await?;
    to.execute("a row", "INSERT INTO thing VALUES (1, 'its')")
        .await?;
    for broken in ["(2, 'it''s')", "(0, 'its')"] {
        let insert = format!("INSERT INTO thing VALUES {broken}");
        ensure!(to.execute("a row", &insert).await.is_err(), "{broken}");
    }
    Ok(())
}

async fn letters(source: String, target: String) -> Result<()> {
    let mut from = open(&source).await?;
    let table = "CREATE TABLE thing (id integer PRIMARY KEY, größe integer CHECK (größe > 0), letter varchar(9), \
                 word varchar(20) DEFAULT (replace('xö€😀', 'x', '')), mood varchar(9) NOT NULL DEFAULT '😀?', \
                 CONSTRAINT letters CHECK (letter IN ('ü', '€', '😀', 'ö''´', 'Ã¼')))";
    let row = "INSERT INTO thing (id, größe, letter) VALUES (1, 2, 'ü')";
    execute(&mut from, "the source", &[table, row]).await?;
    copy_equal(&source, &target, &plan(&source, &target).await?).await?;
    let mut to = open(&target).await?;
    for good in [
        "(2, 1, '€')",
        "(3, 1, '😀')",
        "(4, 1, 'ö''´')",
        "(5, 1, 'Ã¼')",
    ] {
        let insert = format!("INSERT INTO thing (id, größe, letter) VALUES {good}");
        to.execute(good, &insert).await?;
    }
    for broken in ["(6, 1, 'ä')", "(6, 0, 'ü')"] {
        let insert = format!("INSERT INTO thing (id, größe, letter) VALUES {broken}");
        ensure!(to.execute("a row", &insert).await.is_err(), "{broken}");
    }
    let query = "SELECT word, mood FROM thing WHERE id = 5";
    let found = to.one_row("the defaults", query, &[]).await?;
    ensure!(
        (found.text(0)?, found.text(1)?) == ("ö€😀", "😀?"),
        "{found:?}"
    );
    Ok(())
}

/// The catalogue of MariaDB shows two expressions in the same way, and in an empty table a default may
/// be another one.
async fn question_marks(source: String, target: String) -> Result<()> {
    let mut from = open(&source).await?;
    let table = "CREATE TABLE thing (id integer PRIMARY KEY, letter varchar(9), \
                 one varchar(9) DEFAULT (concat('😀')), other varchar(9) DEFAULT (concat('😎')), \
                 state varchar(9) NOT NULL DEFAULT 'so?', mood enum('ok', '😀'), CONSTRAINT ones CHECK (letter <> '😀'), \
                 CONSTRAINT others CHECK (letter <> '😎'))";
    execute(&mut from, "the source", &[table]).await?;
    let report = copy(&source, &target, &plan(&source, &target).await?).await?;
    let told = |words: &str| report.notes.iter().any(|note| note.contains(words));
    ensure!(
        told("thing.state: its default is made as `'so?'`"),
        "{report:?}"
    );
    ensure!(told("thing.mood: the words of its type"), "{report:?}");
    let mut to = open(&target).await?;
    to.execute("a row", "INSERT INTO thing (id) VALUES (1)")
        .await?;
    let query = "SELECT state, COALESCE(CONCAT(one, other), '-') FROM thing";
    let found = to.one_row("the defaults", query, &[]).await?;
    ensure!(found.text(0)? == "so?", "{found:?}");
    let is_lost = from.backend() == Backend::MariaDb;
    ensure!(
        found.text(1)? == if is_lost { "-" } else { "😀😎" },
        "{found:?}"
    );
    for letter in ["😀", "😎"] {
        let insert = format!("INSERT INTO thing (id, letter) VALUES (2, '{letter}')");
        let is_taken = to.execute("a row", &insert).await.is_ok();
        to.execute("a row", "DELETE FROM thing WHERE id = 2")
            .await?;
        ensure!(is_taken == is_lost, "{letter}");
    }
    for words in ["check ones", "check others", "thing.one", "thing.other"] {
        ensure!(told(words) == is_lost, "{words}: {report:?}");
    }
    Ok(())
}

async fn existing_letters(source: String, target: String) -> Result<()> {
    let mut from = open(&source).await?;
    let rows = [
        "CREATE TABLE thing (id integer PRIMARY KEY, letter varchar(9))",
        "INSERT INTO thing VALUES (1, 'a'), (2, 'ü')",
    ];
    execute(&mut from, "the source", &rows).await?;
    let table = "CREATE TABLE thing (id integer PRIMARY KEY, letter varchar(9), \
                 CONSTRAINT letters CHECK (letter IN ('a', 'ü') AND letter <> '€'))";
    let mut to = open(&target).await?;
    to.execute("the target", table).await?;
    let plan = plan(&source, &target).await?;
    nothing_is_refused(&source, &target, &plan).await?;
    from.execute("a row", "UPDATE thing SET letter = '€' WHERE id = 1")
        .await?;
    let looked = preflight(&source, &target, &plan).await?;
    ensure!(looked.refused.len() == 1, "{looked:?}");
    from.execute("a row", "UPDATE thing SET letter = 'a' WHERE id = 1")
        .await?;
    copy_into_existing(&source, &target, &plan).await
}

/// Literals that a client in Latin 1 has written, and others that UTF-8 cannot say.
async fn other_letters(source: String, target: String) -> Result<()> {
    let (mut from, mut to) = (open(&source).await?, open(&target).await?);
    let table = "CREATE TABLE thing (id integer PRIMARY KEY, \
                 letter varchar(9) CHECK (letter <> _latin1 X'fc' AND letter <> _utf16 X'00f60027'), \
                 word varchar(9) DEFAULT (_latin1 X'fc5c'))";
    execute(&mut from, "the source", &[table]).await?;
    copy_equal(&source, &target, &plan(&source, &target).await?).await?;
    for letter in ["ü", "ö''"] {
        let insert = format!("INSERT INTO thing (id, letter) VALUES (1, '{letter}')");
        ensure!(to.execute("a row", &insert).await.is_err(), "{letter}");
    }
    let other = source.rsplit('/').next().context("a name")?;
    let query = format!(
        "SELECT COUNT(*), COUNT(DISTINCT HEX(column_default)) FROM information_schema.columns \
                 WHERE table_name = 'thing' AND column_name = 'word' AND table_schema IN (DATABASE(), '{other}')"
    );
    let shown = to.one_row("the defaults", &query, &[]).await?;
    ensure!(
        [shown.integer(0)?, shown.integer(1)?] == [2, 1],
        "{shown:?}"
    );
    Ok(())
}

/// The columns of an existing table refuse what their domains refuse.
async fn domains(source: String, target: String) -> Result<()> {
    let mut from = open(&source).await?;
    let rows = [
        "CREATE TABLE person (id integer PRIMARY KEY, mail varchar(40), age integer)",
        "INSERT INTO person VALUES (1, 'a@b', 7), (2, NULL, NULL)",
    ];
    execute(&mut from, "the source", &rows).await?;
    let domains = [
        "CREATE DOMAIN mail AS varchar(40) CONSTRAINT with_at CHECK (VALUE LIKE '%@%' AND VALUE <> 'VALUE')",
        "CREATE DOMAIN positive AS integer CHECK (VALUE > 0)",
        "CREATE DOMAIN age AS positive CHECK (VALUE < 200)",
        "CREATE TABLE person (id integer PRIMARY KEY, mail mail, age age)",
    ];
    execute(&mut open(&target).await?, "the target", &domains).await?;
    let plan = plan(&source, &target).await?;
    let looked = preflight(&source, &target, &plan).await?;
    ensure!(looked.refused.is_empty(), "{looked:?}");
    let checks = [
        "check of the domain mail on mail",
        "check of the domain age on age",
        "check of the domain positive on age",
    ];
    for check in checks {
        let is_noted = looked.notes.iter().any(|note| note.contains(check));
        ensure!(!is_noted, "{check}: {looked:?}");
    }
    let broken = "INSERT INTO person VALUES (3, 'VALUE', 0), (4, 'a@c', 200)";
    from.execute("rows", broken).await?;
    let looked = preflight(&source, &target, &plan).await?;
    ensure!(looked.refused.len() == checks.len(), "{looked:?}");
    for check in checks {
        let is_told = looked.refused.iter().any(|told| told.contains(check));
        ensure!(is_told, "{check}: {looked:?}");
    }
    Ok(())
}

/// The target computes columns when it writes a row, and may refuse what becomes of them.
async fn computed(source: String, target: String) -> Result<()> {
    let (mut from, mut to) = (open(&source).await?, open(&target).await?);
    let rows = [
        "CREATE TABLE thing (id integer PRIMARY KEY, price integer NOT NULL, title varchar(9))",
        "INSERT INTO thing VALUES (1, 100, 'a')",
    ];
    execute(&mut from, "the source", &rows).await?;
    // MariaDB computes virtual columns when they are read, and has no NOT NULL for computed ones.
    let (virtual_column, null) = match to.backend() {
        Backend::Postgres => ("", "NOT NULL"),
        Backend::MariaDb => (", tiny tinyint GENERATED ALWAYS AS (price) VIRTUAL", ""),
        _ => (
            ", large bigint GENERATED ALWAYS AS (price) VIRTUAL",
            "NOT NULL",
        ),
    };
    let table = format!(
        "CREATE TABLE thing (id integer PRIMARY KEY, price integer NOT NULL, title varchar(9), \
         four smallint GENERATED ALWAYS AS (price * 4) STORED, \
         label varchar(9) GENERATED ALWAYS AS (CASE WHEN title <> 'it''s' THEN title END) STORED {null}\
         {virtual_column})"
    );
    to.execute("the target", &table).await?;
    let plan = plan(&source, &target).await?;
    let looked = preflight(&source, &target, &plan).await?;
    let is_noted = |note: &String| note.contains("computed column");
    let is_looked_at = to.backend() != Backend::Sqlite;
    ensure!(
        looked.refused.is_empty() && looked.notes.iter().any(is_noted) != is_looked_at,
        "{looked:?}"
    );
    let broken = "INSERT INTO thing VALUES (2, 9000, 'it''s')";
    from.execute("a row", broken).await?;
    let looked = preflight(&source, &target, &plan).await?;
    let is_told = |column: &str| {
        let why = format!("rows of the source break its computed column {column}: ");
        looked.refused.iter().any(|told| told.contains(&why))
    };
    let is_null_told = is_looked_at && !null.is_empty();
    ensure!(
        [is_told("four"), is_told("label")] == [is_looked_at, is_null_told]
            && looked.refused.len() == usize::from(is_looked_at) + usize::from(is_null_told),
        "{looked:?}"
    );
    let mended = "UPDATE thing SET price = 8000, title = 'b' WHERE id = 2";
    from.execute("a row", mended).await?;
    nothing_is_refused(&source, &target, &plan).await?;
    copy_into_existing(&source, &target, &plan).await
}

/// The target itself looks at the rows.
async fn of_existing(source: String, target: String) -> Result<()> {
    let mut from = open(&source).await?;
    let rows = [
        "CREATE TABLE thing (id integer NOT NULL PRIMARY KEY, size integer)",
        "INSERT INTO thing VALUES (1, 7)",
    ];
    execute(&mut from, "the source", &rows).await?;
    let table =
        "CREATE TABLE thing (id integer NOT NULL PRIMARY KEY, size integer CHECK (size > 100))";
    execute(&mut open(&target).await?, "the target", &[table]).await?;
    let plan = plan(&source, &target).await?;
    let looked = preflight(&source, &target, &plan).await?;
    let is_refused =
        matches!(&looked.refused[..], [one] if one.contains("break its CHECK (size > 100)"));
    ensure!(is_refused, "{looked:?}");
    Ok(())
}

/// Unique indexes of an existing table with an expression and a condition.
async fn expressions(source: String, target: String) -> Result<()> {
    let (mut from, mut to) = (open(&source).await?, open(&target).await?);
    let rows = [
        "CREATE TABLE person (id integer NOT NULL PRIMARY KEY, mail varchar(40), gone integer NOT NULL)",
        "INSERT INTO person VALUES (1, 'a', 0), (2, 'A', 1), (3, NULL, 0), (4, NULL, 0)",
    ];
    execute(&mut from, "the source", &rows).await?;
    execute(&mut to, "the target", &rows[..1]).await?;
    let index = match to.backend() {
        Backend::MySql => {
            "CREATE UNIQUE INDEX person_mail ON person ((CASE WHEN gone = 0 THEN lower(mail) END))"
        }
        _ => "CREATE UNIQUE INDEX person_mail ON person (lower(mail)) WHERE gone = 0",
    };
    to.execute("the index", index).await?;
    let plan = plan(&source, &target).await?;
    let looked = preflight(&source, &target, &plan).await?;
    let note = "person: whether all rows fulfil the unique index person_mail of the target was not looked at; ";
    let is_noted = looked.notes.iter().any(|told| told.starts_with(note));
    ensure!(looked.refused.is_empty() && !is_noted, "{looked:?}");

    let same = "UPDATE person SET gone = 0 WHERE id = 2";
    from.execute("the same", same).await?;
    let looked = preflight(&source, &target, &plan).await?;
    let expected = "person: the unique index person_mail: 1 of its values are there several times";
    let is_refused = matches!(&looked.refused[..], [one] if one.contains(expected));
    ensure!(is_refused, "{looked:?}");
    if from.backend() == to.backend() {
        // The source keeps them apart itself.
        let apart = "UPDATE person SET gone = 1 WHERE id = 2";
        execute(&mut from, "the index", &[apart, index]).await?;
        let looked = preflight(&source, &target, &self::plan(&source, &target).await?).await?;
        ensure!(
            looked.refused.is_empty() && !looked.notes.iter().any(|told| told.starts_with(note)),
            "{looked:?}"
        );
    }
    Ok(())
}
