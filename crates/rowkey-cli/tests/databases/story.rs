//! A table with ids as text gets columns of sixteen bytes.

use anyhow::{Result, ensure};
use rowkey_testkit::{Backend, TestDatabase};
use serde_json::json;

use crate::offers::{self, OFFERS, block_on, connect, stored};
use crate::run::rowkey;

/// A plan for which nothing has to be found out.
const PLAN: &str = "plan --table offer --format uuid-v7 --from text --to uuid --output plan.toml";

/// Public ids as hexadecimal digits, sorted.
fn digits(ids: &[String]) -> Vec<String> {
    let mut digits: Vec<String> = ids.iter().map(|id| id.replace('-', "")).collect();
    digits.sort();
    digits
}

pub(crate) fn from_inventory_to_contract(database: &TestDatabase) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let run = |arguments: &str| rowkey(database, folder.path(), arguments);
    let ids = block_on(async { offers::create(&mut connect(database).await?).await })?;

    let inventory = run("inventory --json")?.json()?.to_string();
    // SQLite does not tell the names of references.
    let named = database.backend() != Backend::Sqlite;
    for name in ["offer", "booking"]
        .into_iter()
        .chain(named.then_some("booking_offer"))
    {
        ensure!(inventory.contains(name), "{inventory}");
    }

    let found = run("doctor --table offer --column id --json")?.json()?;
    ensure!(found["format"] == "uuid-v7", "{found}");
    ensure!(found["storage"] == "text", "{found}");
    ensure!(found["certainty"] == "certain", "{found}");
    ensure!(found["rows"] == json!(OFFERS), "{found}");

    run("plan --table offer --column id --to uuid --output plan.toml")?.success()?;
    let again = run("plan --table offer --column id --to uuid --output plan.toml")?;
    let refused = again.failure(1)?;
    ensure!(refused.contains("plan.toml cannot be written"), "{refused}");

    let shown = run("preflight plan.toml")?.success()?;
    ensure!(
        shown.contains("offer.id becomes id_key: 300 values, 0 damaged"),
        "{shown}"
    );
    ensure!(
        shown.contains("booking.offer_id becomes offer_id_key"),
        "{shown}"
    );
    let is_shown = |id: &String| shown.contains(&format!("{id}  ->  {}", id.replace('-', "")));
    ensure!(ids.iter().any(is_shown), "{shown}");

    let script = run("relayout plan.toml --dry-run")?.success()?;
    ensure!(script.contains("-- swap"), "{script}");
    let unchanged = block_on(async { stored(&mut connect(database).await?, "offer", "id").await })?;
    ensure!(
        unchanged == digits(&ids),
        "the dry run has changed the table"
    );

    run("relayout plan.toml")?.success()?;
    run("verify plan.toml")?.success()?;
    // A repetition has nothing to do.
    run("relayout plan.toml")?.success()?;
    for phase in ["expand", "backfill", "check"] {
        let repeated = format!("relayout plan.toml --phase {phase}");
        let output = run(&repeated)?.success()?;
        let further = format!("the change is further than {phase} already");
        let expected = format!("offer.id: swap\nnote: {further}\n");
        ensure!(output.starts_with(&expected), "{output}");
        let output = run(&format!("{repeated} --json"))?.success()?;
        let answer: serde_json::Value = serde_json::from_str(&output)?;
        ensure!(
            answer["done"] == "swap" && answer["note"] == *further,
            "{output}"
        );
    }
    let output = run("relayout plan.toml --phase swap --json")?.success()?;
    ensure!(!output.contains("note"), "{output}");

    block_on(async {
        let mut connection = connect(database).await?;
        ensure!(stored(&mut connection, "offer", "id_key").await? == digits(&ids));
        let bookings = stored(&mut connection, "booking", "offer_id_key").await?;
        ensure!(bookings.len() == 2 * OFFERS);
        // A program with the old declaration.
        let old =
            "INSERT INTO offer (id, title) VALUES ('018e5f3b-ff48-7bff-8000-0123456789ab', 'old')";
        ensure!(connection.execute("an old program", old).await.is_err());
        Ok(())
    })?;

    run("relayout plan.toml --contract")?.success()?;
    let nothing = run("relayout plan.toml --undo")?.failure(1)?;
    ensure!(nothing.contains("nothing"), "{nothing}");
    Ok(())
}

pub(crate) fn a_swap_can_be_undone(database: &TestDatabase) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let run = |arguments: &str| rowkey(database, folder.path(), arguments);
    let ids = block_on(async { offers::create(&mut connect(database).await?).await })?;
    run(PLAN)?.success()?;
    for phase in ["expand", "backfill", "check", "swap"] {
        run(&format!("relayout plan.toml --phase {phase}"))?.success()?;
        run("relayout plan.toml --undo")?.success()?;
        let back = block_on(async { stored(&mut connect(database).await?, "offer", "id").await })?;
        ensure!(back == digits(&ids), "after {phase}");
    }
    run("preflight plan.toml")?.success()?;
    Ok(())
}

pub(crate) fn wrong_input(database: &TestDatabase) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let run = |arguments: &str| rowkey(database, folder.path(), arguments);
    block_on(async { offers::create(&mut connect(database).await?).await })?;
    for (arguments, code, message) in [
        (
            "doctor --table offers --column id",
            1,
            "offers does not exist",
        ),
        ("doctor --table offer --column key", 1, "key"),
        ("plan --table offer --to uuid:sideways", 1, "sideways"),
        (
            "plan --table offer --to text --from text --format uuid-v7",
            1,
            "already stored",
        ),
        (
            "plan --table offer --to uuid --from text --format uuid-v8",
            2,
            "uuid-v8",
        ),
        (
            "plan --table offer --rekey --format uuid-v7 --to uuid --created made",
            1,
            "the table offer has no column of that name",
        ),
        ("relayout missing.toml", 1, "missing.toml cannot be read"),
        (
            "doctor --url postgres://u:secret@h/d --table t --column c",
            2,
            "has a password",
        ),
    ] {
        let errors = run(arguments)?.failure(code)?;
        ensure!(errors.contains(message), "{arguments}: {errors}");
        ensure!(!errors.contains("secret"), "{arguments}: {errors}");
    }
    run(PLAN)?.success()?;
    let path = folder.path().join("plan.toml");
    let plan = std::fs::read_to_string(&path)?;

    // Each kind of plan in the command of another one.
    std::fs::write(folder.path().join("copy.db"), [])?;
    run("plan --target sqlite:copy.db --output copy.toml")?.success()?;
    for (arguments, command) in [
        ("relayout copy.toml", "copy"),
        ("rekey copy.toml", "copy"),
        ("rekey plan.toml", "relayout"),
        ("copy plan.toml --target sqlite:copy.db", "relayout"),
        ("chunks plan.toml", "relayout"),
    ] {
        let errors = run(arguments)?.failure(2)?;
        let hint = format!("hint: run `rowkey {command}` with it");
        ensure!(errors.contains(&hint), "{arguments}: {errors}");
    }

    // Edited before it.
    for (line, edited, message) in [
        (
            "column = \"id\"",
            "column = \"key\"",
            "offer.key does not exist",
        ),
        (
            "from = \"text\"",
            "created = \"made\"",
            "no column of that name",
        ),
    ] {
        std::fs::write(&path, plan.replacen(line, edited, 1))?;
        let shown = run("preflight plan.toml")?;
        ensure!(shown.code == 1, "{edited}: {}", shown.errors);
        ensure!(shown.output.contains(message), "{edited}: {}", shown.output);
    }
    std::fs::write(&path, &plan)?;

    // Edited after the first phase.
    run("relayout plan.toml --phase expand")?.success()?;
    std::fs::write(&path, plan.replace("batch-rows = 50000", "batch-rows = 7"))?;
    let errors = run("relayout plan.toml")?.failure(1)?;
    ensure!(errors.contains("edited"), "{errors}");
    std::fs::write(&path, &plan)?;
    run("relayout plan.toml --undo")?.success()?;

    // The catalogue has changed.
    block_on(async {
        let mut connection = connect(database).await?;
        let alter = "ALTER TABLE offer ADD extra integer";
        Ok(connection
            .execute("another column", alter)
            .await
            .map(|_| ())?)
    })?;
    let errors = run("relayout plan.toml")?.failure(1)?;
    ensure!(
        errors.contains("have changed since it was written"),
        "{errors}"
    );
    Ok(())
}
