//! Truth, which some databases and programs keep as words or numbers.

use anyhow::{Context, Result, ensure};
use rowkey_testkit::{Backend, Suite, test_name};

use crate::copy::held::{nothing_is_refused, preflight};
use crate::copy::{copy_equal, copy_into_existing, execute, open, pair, plan};

const SERVERS: [Backend; 3] = [Backend::Postgres, Backend::MySql, Backend::MariaDb];

pub(crate) fn add_tests(suite: &mut Suite) {
    for target in crate::LIVE {
        let to = test_name(target);
        let name = format!("words_become_truth_in_{to}");
        pair(suite, &name, crate::LIVE, target, words);
        let name = format!("truth_becomes_digits_in_{to}");
        pair(suite, &name, [Backend::Postgres], target, digits);
    }
    let sources = [Backend::MySql, Backend::MariaDb];
    for target in [Backend::Postgres, Backend::Sqlite] {
        let name = format!("small_numbers_are_no_truth_in_{}", test_name(target));
        pair(suite, &name, sources, target, small_numbers);
    }
    for target in SERVERS {
        let to = test_name(target);
        let name = format!("names_that_sqlite_does_not_know_in_{to}");
        pair(suite, &name, [Backend::Sqlite], target, unknown_names);
        let name = format!("nulls_hide_no_other_reason_in_{to}");
        pair(suite, &name, crate::LIVE, target, two_reasons);
    }
}

/// Into a column that exists. What is no such word is refused, and so is nothing else.
async fn words(source: String, target: String) -> Result<()> {
    let (mut from, mut to) = (open(&source).await?, open(&target).await?);
    let yes_or_no = match from.backend() {
        Backend::MySql | Backend::MariaDb => "enum('Y','N')",
        _ => "char(1)",
    };
    let table = format!(
        "CREATE TABLE job (id integer NOT NULL PRIMARY KEY, durable varchar(1), kept varchar(5), paused {yes_or_no})"
    );
    let rows =
        "INSERT INTO job VALUES (1, '1', 'TRUE', 'Y'), (2, '0', 'no', 'N'), (3, NULL, NULL, NULL)";
    execute(&mut from, "the source", &[&table, rows]).await?;
    let table = "CREATE TABLE job (id integer NOT NULL PRIMARY KEY, durable boolean, kept boolean, paused boolean)";
    to.execute("the target", table).await?;
    let plan = plan(&source, &target).await?;
    let looked = preflight(&source, &target, &plan).await?;
    let note = "job.kept: its words become truth";
    ensure!(
        looked.refused.is_empty() && looked.notes.iter().any(|told| told.starts_with(note)),
        "{looked:?}"
    );
    let other = "UPDATE job SET durable = '2' WHERE id = 2";
    from.execute("another word", other).await?;
    let looked = preflight(&source, &target, &plan).await?;
    ensure!(
        matches!(&looked.refused[..], [one] if one.contains("\"2\", which is no truth value, in the row 2")),
        "{looked:?}"
    );
    let back = "UPDATE job SET durable = '0' WHERE id = 2";
    from.execute("the word", back).await?;
    copy_into_existing(&source, &target, &plan).await?;
    let query = "SELECT COUNT(*) FROM job WHERE id = 1 AND durable AND kept AND paused \
                 OR id = 2 AND NOT (durable OR kept OR paused)";
    ensure!(to.count("the truth", query, &[]).await? == 2);
    Ok(())
}

/// As drivers write it into a text that has no place for its words.
async fn digits(source: String, target: String) -> Result<()> {
    let rows = [
        "CREATE TABLE job (id integer PRIMARY KEY, durable boolean, kept boolean)",
        "INSERT INTO job VALUES (1, true, true), (2, false, false), (3, NULL, NULL)",
    ];
    execute(&mut open(&source).await?, "the source", &rows).await?;
    let mut to = open(&target).await?;
    let table =
        "CREATE TABLE job (id integer NOT NULL PRIMARY KEY, durable varchar(1), kept varchar(5))";
    to.execute("the target", table).await?;
    let plan = plan(&source, &target).await?;
    nothing_is_refused(&source, &target, &plan).await?;
    copy_into_existing(&source, &target, &plan).await?;
    let query = "SELECT COUNT(*) FROM job WHERE id = 1 AND durable = '1' AND kept = 'true' \
                 OR id = 2 AND durable = '0' AND kept = 'false'";
    ensure!(to.count("the texts", query, &[]).await? == 2);
    Ok(())
}

/// A default or a reference says that a column of one digit is a number.
async fn small_numbers(source: String, target: String) -> Result<()> {
    let statements = [
        "CREATE TABLE level (id tinyint(1) NOT NULL PRIMARY KEY) ENGINE=InnoDB",
        "CREATE TABLE box (id integer PRIMARY KEY, permission tinyint(1) DEFAULT 2, hidden tinyint(1) DEFAULT 1, \
         level tinyint(1), FOREIGN KEY (level) REFERENCES level (id)) ENGINE=InnoDB",
        "INSERT INTO level VALUES (0), (1)",
        "INSERT INTO box VALUES (1, 0, 0, 0), (2, 1, 1, 1)",
    ];
    execute(&mut open(&source).await?, "the source", &statements).await?;
    let plan = plan(&source, &target).await?;
    copy_equal(&source, &target, &plan).await?;
    let mut to = open(&target).await?;
    let add = [
        "INSERT INTO level VALUES (5)",
        "INSERT INTO box (id, level) VALUES (3, 5)",
    ];
    execute(&mut to, "a row", &add).await?;
    let query = "SELECT COUNT(*) FROM box WHERE permission = 2 AND hidden";
    ensure!(to.count("the defaults", query, &[]).await? == 1);
    Ok(())
}

/// Their values decide; without values, they are numbers.
async fn unknown_names(source: String, target: String) -> Result<()> {
    let rows = [
        "CREATE TABLE box (id INTEGER PRIMARY KEY, a BOOLEAN unsigned, b STRING, c YESNO, d MONEY)",
        "INSERT INTO box VALUES (1, 0, 1.5, 'yes', NULL), (2, 1, 2, 'no', NULL)",
    ];
    execute(&mut open(&source).await?, "the source", &rows).await?;
    let plan = plan(&source, &target).await?;
    nothing_is_refused(&source, &target, &plan).await?;
    copy_equal(&source, &target, &plan).await?;
    let query = "SELECT COUNT(*) FROM box WHERE a = 1 AND b = 2 AND c = 'no'";
    let found = open(&target).await?.count("the row", query, &[]).await?;
    ensure!(found == 1, "{plan:?}");
    Ok(())
}

async fn two_reasons(source: String, target: String) -> Result<()> {
    let rows = [
        "CREATE TABLE item (id integer NOT NULL PRIMARY KEY, size bigint)",
        "INSERT INTO item VALUES (1, NULL), (2, NULL), (3, NULL), (4, NULL), (5, 9999999999)",
    ];
    execute(&mut open(&source).await?, "the source", &rows).await?;
    let table = "CREATE TABLE item (id integer NOT NULL PRIMARY KEY, size integer NOT NULL)";
    open(&target).await?.execute("the target", table).await?;
    let plan = plan(&source, &target).await?;
    let looked = preflight(&source, &target, &plan).await?;
    let refused = looked.refused.first().context("a refusal")?;
    for expected in [
        "it is NULL, which the target refuses, in the row 1; 5 values have no place, others in the row 2",
        "9999999999",
        "in the row 5",
        "or let the column there be `bigint`",
    ] {
        ensure!(refused.contains(expected), "{expected}: {refused}");
    }
    Ok(())
}
