//! Databases write names in letters of another case: PostgreSQL in small ones, unless they are quoted.

use anyhow::{Result, ensure};
use rowkey_testkit::{Backend, Suite, test_name};

use crate::copy::held::{nothing_is_refused, preflight};
use crate::copy::{copy, copy_into_existing, execute, open, pair, plan};

pub(crate) fn add_tests(suite: &mut Suite) {
    for target in crate::LIVE {
        let to = test_name(target);
        let name = format!("names_in_other_letters_are_found_in_{to}");
        pair(suite, &name, crate::LIVE, target, in_other_letters);
    }
    let (name, postgres) = ("names_in_other_letters_are_of_one_table", Backend::Postgres);
    pair(suite, name, [postgres], postgres, of_another);
    let name = "a_table_of_the_same_name_in_other_letters";
    pair(suite, name, [postgres], Backend::Sqlite, other_letters);
}

const TABLES: [&str; 4] = [
    "CREATE TABLE Users (Id varchar(26) NOT NULL PRIMARY KEY, CreateAt bigint, Kind char(1) NOT NULL DEFAULT 'X', \
     CHECK (Kind = 'X'))",
    // Its name is before the other one.
    "CREATE TABLE Posts (Id integer NOT NULL PRIMARY KEY, UserId varchar(26) NOT NULL, Place integer, \
     FOREIGN KEY (UserId) REFERENCES Users (Id))",
    "CREATE UNIQUE INDEX posts_of_users ON Posts (UserId, Place)",
    "CREATE TABLE Later (Id integer NOT NULL PRIMARY KEY)",
];

async fn in_other_letters(source: String, target: String) -> Result<()> {
    let (mut from, mut to) = (open(&source).await?, open(&target).await?);
    execute(&mut from, "the source", &TABLES).await?;
    execute(&mut to, "the target", &TABLES[..3]).await?;
    let rows = [
        "INSERT INTO Users (Id, CreateAt) VALUES ('a', 1), ('b', NULL)",
        "INSERT INTO Posts VALUES (1, 'a', 1), (2, 'a', NULL), (3, 'b', 2)",
    ];
    execute(&mut from, "the rows", &rows).await?;
    let mut whole = plan(&source, &target).await?;
    let is_later = |name: &str| name.eq_ignore_ascii_case("later");
    // What is missing comes with a plan of its own.
    let refused = preflight(&source, &target, &whole).await?.refused;
    ensure!(
        matches!(&refused[..], [one] if one.contains("delete its entry from the plan")
                && one.contains("with a plan that has none of the tables which exist")),
        "{refused:?}"
    );
    let mut others = whole.clone();
    others.tables.retain(|table| is_later(&table.name.name));
    nothing_is_refused(&source, &target, &others).await?;
    copy(&source, &target, &others).await?;
    whole.tables.retain(|table| !is_later(&table.name.name));
    let found = preflight(&source, &target, &whole).await?;
    ensure!(found.refused.is_empty(), "{found:?}");
    // Letters of both cases are the same in the collations of MySQL and MariaDB.
    let mysqls = [Backend::MySql, Backend::MariaDb];
    let lost = mysqls.contains(&from.backend()) && !mysqls.contains(&to.backend());
    let is_lost = |note: &String| note.contains("the target may tell texts apart");
    ensure!(found.notes.iter().any(is_lost) == lost, "{found:?}");
    // SQLite counts each key of integers.
    let strange = |note: &&String| {
        note.contains('.') && !note.contains("the source counts it") && !is_lost(note)
    };
    let strange: Vec<&String> = found.notes.iter().filter(strange).collect();
    ensure!(strange.is_empty(), "{strange:?}");
    copy_into_existing(&source, &target, &whole).await?;
    let query =
        "SELECT COUNT(*) FROM Posts JOIN Users ON Users.Id = Posts.UserId WHERE CreateAt = 1";
    let row = to.one_row("the rows", query, &[]).await?;
    ensure!(row.count(0)? == 2, "{row:?}");
    // Nothing is left to do.
    copy_into_existing(&source, &target, &whole).await?;
    Ok(())
}

/// The name of a table is not advised for another one.
async fn of_another(source: String, target: String) -> Result<()> {
    let tables = [
        "CREATE TABLE users (id integer PRIMARY KEY)",
        "CREATE TABLE \"Users\" (id integer PRIMARY KEY)",
    ];
    execute(&mut open(&source).await?, "the source", &tables).await?;
    execute(&mut open(&target).await?, "the target", &tables[..1]).await?;
    let plan = plan(&source, &target).await?;
    let refused = preflight(&source, &target, &plan).await?.refused;
    ensure!(
        matches!(&refused[..], [one] if one.contains("the table Users") && !one.contains("becomes")),
        "{refused:?}"
    );
    Ok(())
}

/// The rows would go to the table that somebody has made since the plan was written.
async fn other_letters(source: String, target: String) -> Result<()> {
    let rows = [
        "CREATE TABLE guest (id integer PRIMARY KEY)",
        "INSERT INTO guest VALUES (1)",
    ];
    execute(&mut open(&source).await?, "the source", &rows).await?;
    let mut plan = plan(&source, &target).await?;
    let other = "CREATE TABLE GUEST (id integer PRIMARY KEY)";
    open(&target).await?.execute("another table", other).await?;
    for (why, becomes) in [
        ("it exists", "guest"),
        ("the schema of the connection", "main.visitor"),
    ] {
        plan.tables[0].becomes = becomes.into();
        let looked = preflight(&source, &target, &plan).await?;
        ensure!(
            looked.refused.iter().any(|one| one.contains(why)),
            "{looked:?}"
        );
        let error = copy(&source, &target, &plan).await.unwrap_err().to_string();
        ensure!(error.contains(why), "{error}");
    }
    Ok(())
}
