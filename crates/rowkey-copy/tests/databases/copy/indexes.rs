//! Indexes that are more than a list of columns.

use anyhow::{Context, Result, ensure};
use rowkey_tables::catalog::{Catalog, Index, IndexTerm};
use rowkey_testkit::{Backend, Suite, test_name};

use crate::copy::held::nothing_is_refused;
use crate::copy::newer_servers::{MYSQL_8, pair_since};
use crate::copy::{compare, copy, execute, open, pair, plan};

pub(crate) fn add_tests(suite: &mut Suite) {
    for backend in crate::LIVE {
        let name = format!("indexes_stay_as_they_are_in_{}", test_name(backend));
        pair(suite, &name, [backend], backend, within_a_product);
    }
    let conditional = [Backend::Postgres, Backend::Sqlite];
    for target in crate::LIVE {
        let name = format!("indexes_of_some_rows_to_{}", test_name(target));
        pair_since(suite, MYSQL_8, &name, conditional, target, of_some_rows);
        let name = format!("indexes_of_beginnings_to_{}", test_name(target));
        pair(suite, &name, [Backend::MySql], target, of_beginnings);
        let name = format!("primary_keys_of_beginnings_to_{}", test_name(target));
        let family = [Backend::MySql, Backend::MariaDb];
        pair(suite, &name, family, target, primary_of_beginnings);
    }
    for target in [Backend::MySql, Backend::MariaDb, Backend::Sqlite] {
        let name = format!("indexes_with_more_columns_to_{}", test_name(target));
        pair(suite, &name, [Backend::Postgres], target, with_included);
    }
    for target in [Backend::MySql, Backend::Sqlite] {
        let name = format!("indexes_for_like_to_{}", test_name(target));
        pair(suite, &name, [Backend::Postgres], target, for_like);
    }
}

const TABLE: &str = "CREATE TABLE thing (number integer PRIMARY KEY, title varchar(40), \
                     size integer, deleted integer, words text)";

async fn indexes(url: &str) -> Result<Vec<Index>> {
    let catalog = Catalog::read(&mut open(url).await?).await?;
    let mut tables = catalog.tables.into_iter();
    let table = tables.find(|table| table.name.name == "thing");
    Ok(table.context("the table")?.indexes)
}

/// Operators, expressions, conditions, orders, beginnings and included columns.
async fn within_a_product(source: String, target: String) -> Result<()> {
    let mut db = open(&source).await?;
    let own: &[&str] = match db.backend() {
        Backend::Postgres => &[
            "CREATE INDEX a ON thing (title varchar_pattern_ops)",
            "CREATE INDEX b ON thing (lower(title), size DESC NULLS LAST)",
            "CREATE UNIQUE INDEX c ON thing (title) WHERE deleted IS NULL AND size > 1 + 1",
            "CREATE INDEX d ON thing USING brin (size)",
            "CREATE INDEX e ON thing (size) INCLUDE (title)",
        ],
        Backend::Sqlite => &[
            "CREATE INDEX a ON thing (title COLLATE NOCASE)",
            "CREATE INDEX b ON thing (lower(title), size DESC)",
            "CREATE UNIQUE INDEX c ON thing (title) WHERE deleted IS NULL AND size > 1 + 1",
        ],
        _ => &[
            "CREATE INDEX a ON thing (title(5), size DESC)",
            "CREATE FULLTEXT INDEX b ON thing (title, words)",
            "CREATE UNIQUE INDEX c ON thing (words(7))",
        ],
    };
    execute(&mut db, "the source", &[TABLE]).await?;
    execute(&mut db, "the indexes", own).await?;
    let plan = plan(&source, &target).await?;
    let report = copy(&source, &target, &plan).await?;
    let is_lost = |note: &String| note.contains("is left out, because");
    ensure!(!report.notes.iter().any(is_lost), "{report:?}");
    // Where the server writes the name of the schema, it differs.
    let described = |index: Index| {
        let words = index.definition.split_once(" USING ");
        let words = words.map_or(index.definition.clone(), |(_, words)| words.to_owned());
        (
            index.name,
            words.replace(['"', '`'], ""),
            index.is_unique,
            index.terms,
        )
    };
    let [before, after] = [indexes(&source).await?, indexes(&target).await?];
    let before: Vec<_> = before.into_iter().map(described).collect();
    let after: Vec<_> = after.into_iter().map(described).collect();
    ensure!(before == after, "{before:?} {after:?}");
    Ok(())
}

/// Columns that are only kept beside those of a key or an index are no part of its rule.
async fn with_included(source: String, target: String) -> Result<()> {
    let statements = [
        "CREATE TABLE thing (number integer, title varchar(40), size integer, \
         PRIMARY KEY (number) INCLUDE (size), CONSTRAINT titles UNIQUE (title) INCLUDE (size))",
        "CREATE UNIQUE INDEX sizes ON thing (size DESC) INCLUDE (number, title)",
        "CREATE INDEX other ON thing (size, title) INCLUDE (number)",
        "CREATE INDEX last ON thing (title DESC NULLS LAST, size NULLS FIRST)",
        "CREATE UNIQUE INDEX patterns ON thing (title varchar_pattern_ops, size)",
    ];
    execute(&mut open(&source).await?, "the source", &statements).await?;
    let plan = plan(&source, &target).await?;
    let report = copy(&source, &target, &plan).await?;
    let is_lost = |note: &String| note.contains("is left out, because");
    ensure!(!report.notes.iter().any(is_lost), "{report:?}");
    let told = "thing: the index other is made without the columns of INCLUDE";
    ensure!(report.notes.iter().any(|note| note == told), "{report:?}");
    let made = indexes(&target).await?;
    ensure!(made.iter().any(|index| index.name == "last"), "{made:?}");
    let mut to = open(&target).await?;
    to.execute("a row", "INSERT INTO thing VALUES (1, 'a', 1)")
        .await?;
    for row in ["(1, 'b', 2)", "(2, 'a', 2)", "(2, 'b', 1)"] {
        let insert = format!("INSERT INTO thing VALUES {row}");
        ensure!(to.execute("a row twice", &insert).await.is_err(), "{row}");
    }
    Ok(())
}

/// With a simple condition, where the target has such indexes; elsewhere the report says what the
/// target takes.
async fn of_some_rows(source: String, target: String) -> Result<()> {
    let statements = [
        TABLE,
        "CREATE UNIQUE INDEX live ON thing (title) WHERE deleted IS NULL AND size <> 3",
        "CREATE INDEX ordered ON thing (size DESC, title)",
    ];
    execute(&mut open(&source).await?, "the source", &statements).await?;
    let plan = plan(&source, &target).await?;
    let report = copy(&source, &target, &plan).await?;
    let mut to = open(&target).await?;
    let has_conditions = matches!(to.backend(), Backend::Postgres | Backend::Sqlite);
    let note = "thing: the unique index live is left out, because it is more than a list of copied columns, \
                so that the target takes values twice";
    ensure!(
        report.notes.iter().any(|told| told.starts_with(note)) != has_conditions,
        "{report:?}"
    );
    let rows = "INSERT INTO thing (number, title, size, deleted) \
                VALUES (1, 'a', 1, 1), (2, 'a', 1, NULL), (3, 'a', 3, NULL)";
    to.execute("different rows", rows).await?;
    let twice = "INSERT INTO thing (number, title, size) VALUES (4, 'a', 2)";
    ensure!(to.execute("a row twice", twice).await.is_err() == has_conditions);
    let found = indexes(&target).await?;
    let ordered = found
        .iter()
        .find(|index| index.name == "ordered")
        .context("ordered")?;
    let is_descending = match to.backend() {
        Backend::MySql | Backend::MariaDb => {
            ordered.terms.first().is_some_and(|term| term.is_descending)
        }
        _ => ordered.definition.contains(" DESC, "),
    };
    ensure!(is_descending, "{ordered:?}");
    Ok(())
}

/// The whole column is indexed instead, if each value has a place.
async fn of_beginnings(source: String, target: String) -> Result<()> {
    let statements = [
        TABLE,
        "CREATE INDEX short ON thing (title(5))",
        "CREATE INDEX long_words ON thing (words(5))",
        "CREATE UNIQUE INDEX once ON thing (title(7))",
    ];
    execute(&mut open(&source).await?, "the source", &statements).await?;
    let plan = plan(&source, &target).await?;
    let report = copy(&source, &target, &plan).await?;
    let found = indexes(&target).await?;
    let names: Vec<&str> = found.iter().map(|index| index.name.as_str()).collect();
    let term = |prefix| IndexTerm {
        column: "title".into(),
        prefix,
        is_descending: false,
    };
    match open(&target).await?.backend() {
        Backend::MySql | Backend::MariaDb => {
            ensure!(names == ["long_words", "once", "short"], "{found:?}");
            ensure!(found[2].terms == [term(Some(5))], "{found:?}");
        }
        _ => {
            ensure!(names == ["short"], "{found:?}");
            let is_told = |note: &String| note.starts_with("thing: the unique index once is left");
            ensure!(report.notes.iter().any(is_told), "{report:?}");
        }
    }
    Ok(())
}

/// Only MySQL and MariaDB have such primary keys, which are no keys of whole values.
async fn primary_of_beginnings(source: String, target: String) -> Result<()> {
    let table =
        "CREATE TABLE thing (title varchar(40) NOT NULL, size integer, PRIMARY KEY (title(7)))";
    let rows = "INSERT INTO thing VALUES ('a', 1), ('b', 2)";
    execute(&mut open(&source).await?, "the source", &[table, rows]).await?;
    let plan = plan(&source, &target).await?;
    nothing_is_refused(&source, &target, &plan).await?;
    let report = copy(&source, &target, &plan).await?;
    let mut to = open(&target).await?;
    let is_family = matches!(to.backend(), Backend::MySql | Backend::MariaDb);
    let about = report.notes.iter();
    let about = about.filter(|note| note.starts_with("thing") && note.contains("primary key"));
    ensure!(about.count() == usize::from(!is_family), "{report:?}");
    let found = indexes(&target).await?;
    ensure!(found.len() == usize::from(is_family), "{found:?}");
    let compared = compare(&source, &target, &plan).await?;
    ensure!(compared.is_equal(), "{compared:?}");
    if is_family {
        let twice = to
            .execute("a row twice", "INSERT INTO thing VALUES ('a', 3)")
            .await;
        ensure!(twice.is_err(), "{found:?}");
    }
    Ok(())
}

/// Django makes two for each column of text.
async fn for_like(source: String, target: String) -> Result<()> {
    let statements = [
        TABLE,
        "CREATE INDEX thing_like ON thing (title varchar_pattern_ops)",
        "CREATE INDEX words_like ON thing (words text_pattern_ops)",
    ];
    execute(&mut open(&source).await?, "the source", &statements).await?;
    let plan = plan(&source, &target).await?;
    let report = copy(&source, &target, &plan).await?;
    let about: Vec<_> = report
        .notes
        .iter()
        .filter(|note| note.contains("index"))
        .collect();
    let told = "2 indexes for LIKE are left out: thing_like, words_like";
    ensure!(about == [told], "{report:?}");
    Ok(())
}
