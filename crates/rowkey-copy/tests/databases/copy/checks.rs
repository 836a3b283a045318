//! CHECKs go to a database of the same product.

use anyhow::{Result, ensure};
use rowkey_testkit::{Suite, test_name};

use crate::copy::{copy, execute, open, pair, plan};

pub(crate) fn add_tests(suite: &mut Suite) {
    for backend in crate::LIVE {
        let name = format!("checks_stay_in_{}", test_name(backend));
        pair(suite, &name, [backend], backend, within_a_product);
    }
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
