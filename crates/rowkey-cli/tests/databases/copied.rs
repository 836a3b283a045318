//! Tables go to another database.

use anyhow::{Result, ensure};
use rowkey_testkit::TestDatabase;
use serde_json::{Value, json};

use crate::offers::{self, OFFERS, block_on, connect};
use crate::run::{rowkey, rowkey_between};

pub(crate) fn to_a_file(database: &TestDatabase) -> Result<()> {
    let folder = tempfile::tempdir()?;
    std::fs::write(folder.path().join("copy.db"), [])?;
    let run = |arguments: &str| rowkey(database, folder.path(), arguments);
    block_on(async { offers::create(&mut connect(database).await?).await })?;

    let nowhere = run("plan --output plan.toml")?.failure(2)?;
    ensure!(nowhere.contains("no database to copy to"), "{nowhere}");
    let secret = run("plan --target postgres://u:secret@h/d")?.failure(2)?;
    ensure!(
        secret.contains("ROWKEY_TARGET_URL") && !secret.contains(":secret"),
        "{secret}"
    );
    run("plan --target sqlite:copy.db --output plan.toml")?.success()?;
    let looked = run("preflight plan.toml --target sqlite:copy.db --json")?.json()?;
    ensure!(looked["refused"] == json!([]), "{looked}");
    let missing = run("copy plan.toml --target sqlite:copy.db")?.failure(1)?;
    ensure!(missing.contains("does not exist"), "{missing}");
    let copied = run("copy plan.toml --target sqlite:copy.db --create --json")?.json()?;
    ensure!(copied["tables"][0]["rows"] == json!(OFFERS), "{copied}");
    ensure!(copied["tables"][1]["rows"] == json!(2 * OFFERS), "{copied}");

    // As a program, the address is in the environment.
    let target = Some("sqlite:copy.db");
    let verified = rowkey_between(database, target, folder.path(), "verify plan.toml --json")?;
    ensure!(verified.json()?["tables"][0]["difference"] == Value::Null);

    let ended = run("preflight plan.toml --target sqlite:copy.db")?.success()?;
    ensure!(ended.contains("the copy has ended"), "{ended}");

    block_on(async {
        let mut source = connect(database).await?;
        let statement = "UPDATE booking SET note = 'third' WHERE id = 5";
        source.execute("a change", statement).await?;
        Ok(())
    })?;
    let differs = run("verify plan.toml --target sqlite:copy.db")?;
    ensure!(differs.code == 1, "{}", differs.errors);
    ensure!(
        differs.output.contains("the keys 5\n"),
        "{}",
        differs.output
    );
    Ok(())
}
