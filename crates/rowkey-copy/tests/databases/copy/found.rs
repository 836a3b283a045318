//! What a comparison finds in a large table.

use anyhow::{Context, Result, ensure};
use rowkey_copy::Comparison;
use rowkey_testkit::{Backend, Suite};

use crate::copy::{compare, copy_equal, open, pair, plan};
use crate::is_large;

pub(crate) fn add_tests(suite: &mut Suite) {
    pair(
        suite,
        "chaos_a_flipped_bit_is_found",
        crate::LIVE,
        Backend::Postgres,
        found,
    );
}

const PER_STATEMENT: usize = 2_000;

fn rows() -> usize {
    match is_large() {
        true => 1_000_000,
        false => 4_000,
    }
}

async fn create(source: &str) -> Result<()> {
    let mut db = open(source).await?;
    let (bytes, options, before) = match db.backend() {
        Backend::Postgres => ("bytea", "", "'\\x"),
        Backend::Sqlite => ("BLOB", "", "X'"),
        _ => ("varbinary(20)", " ENGINE = InnoDB", "X'"),
    };
    for table in [
        format!(
            "CREATE TABLE page (number integer PRIMARY KEY, body varchar(40), data {bytes}){options}"
        ),
        format!("CREATE TABLE word (letters varchar(40)){options}"),
    ] {
        db.execute("a table", &table).await?;
    }
    db.execute("a transaction", "BEGIN").await?;
    for first in (0..rows()).step_by(PER_STATEMENT) {
        let numbers = first..first + PER_STATEMENT;
        let row = |number| format!("({number}, 'page {number}', {before}{:032x}')", number * 77);
        let rows: Vec<String> = numbers.clone().map(row).collect();
        let insert = format!("INSERT INTO page VALUES {}", rows.join(", "));
        db.execute("pages", &insert).await?;
        // Each word is there several times.
        let words: Vec<String> = numbers
            .map(|number| format!("('word {}')", number / 3))
            .collect();
        let insert = format!("INSERT INTO word VALUES {}", words.join(", "));
        db.execute("words", &insert).await?;
    }
    db.execute("a transaction", "COMMIT").await?;
    Ok(())
}

/// One bit, a missing row, a row too many, and two rows that were exchanged.
async fn found(source: String, target: String) -> Result<()> {
    create(&source).await?;
    let plan = plan(&source, &target).await?;
    copy_equal(&source, &target, &plan).await?;
    let middle = rows() / 2;
    let flip = "SET data = set_bit(data, 43, 1 - get_bit(data, 43))";
    let flip = format!("UPDATE page {flip} WHERE number = {middle}");
    let exchange = "UPDATE page SET body = other.body, data = other.data FROM page other \
                    WHERE page.number IN (11, 12) AND other.number = 23 - page.number";
    let mut db = open(&target).await?;
    for (change, back, table, keys) in [
        (
            flip.as_str(),
            flip.as_str(),
            "page",
            &[middle.to_string()][..],
        ),
        (exchange, exchange, "page", &["11".into(), "12".into()]),
        (
            "INSERT INTO word VALUES ('word 7')",
            "DELETE FROM word WHERE ctid = (SELECT max(ctid) FROM word WHERE letters = 'word 7')",
            "word",
            &["word 7".into()],
        ),
        (
            "DELETE FROM page WHERE number = 17",
            "SELECT 1",
            "page",
            &["17".into()],
        ),
    ] {
        db.execute("a change", change).await?;
        let compared = compare(&source, &target, &plan).await?;
        check(&compared, table, keys)
            .map_err(|error| error.context(format!("{change}: {compared:?}")))?;
        db.execute("the way back", back).await?;
    }
    Ok(())
}

fn check(compared: &Comparison, table: &str, keys: &[String]) -> Result<()> {
    for compared in &compared.tables {
        if compared.table.name == table {
            let found = compared.difference.as_ref().context("no difference")?;
            ensure!(found.keys == keys, "other keys are named");
            ensure!(found.parts == keys.len(), "other parts are named");
        } else {
            ensure!(compared.difference.is_none(), "another table differs");
        }
    }
    Ok(())
}
