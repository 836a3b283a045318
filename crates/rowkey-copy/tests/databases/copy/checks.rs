//! CHECKs go to a database of the same product.

use anyhow::{Result, ensure};
use rowkey_testkit::{Backend, Suite, test_name};

use crate::copy::held::preflight;
use crate::copy::{copy, execute, open, pair, plan};

pub(crate) fn add_tests(suite: &mut Suite) {
    for backend in crate::LIVE {
        let name = format!("checks_stay_in_{}", test_name(backend));
        pair(suite, &name, [backend], backend, within_a_product);
    }
    let postgres = Backend::Postgres;
    let name = "domains_of_the_target_are_looked_at";
    pair(suite, name, [postgres, Backend::MySql], postgres, domains);
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
    let is_one_product = from.backend() == Backend::Postgres;
    for check in checks {
        let is_noted = looked.notes.iter().any(|note| note.contains(check));
        ensure!(is_noted != is_one_product, "{check}: {looked:?}");
    }
    let broken = "INSERT INTO person VALUES (3, 'VALUE', 0), (4, 'a@c', 200)";
    from.execute("rows", broken).await?;
    let looked = preflight(&source, &target, &plan).await?;
    let expected = if is_one_product { checks.len() } else { 0 };
    ensure!(looked.refused.len() == expected, "{looked:?}");
    for check in checks.iter().take(expected) {
        let is_told = looked.refused.iter().any(|told| told.contains(check));
        ensure!(is_told, "{check}: {looked:?}");
    }
    Ok(())
}
