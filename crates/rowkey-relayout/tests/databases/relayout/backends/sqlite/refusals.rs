//! What is refused before anything is changed.

use rowkey_relayout::plan::OldPrograms;
use rowkey_relayout::{self as relayout, Phase};

use super::file::{Change, File, id, tests};

tests![
    every_reason_is_named_at_once,
    damaged_values_are_named,
    other_plans_and_other_tables_are_refused,
    what_was_added_since_the_swap_is_not_lost,
    a_script_changes_nothing,
];

async fn every_reason_is_named_at_once(url: String) -> anyhow::Result<()> {
    let mut file = File::with_rows(&url, Change::SWAP.old_form(), 2).await?;
    file.run(
        "CREATE VIEW keys AS SELECT id FROM everything;
         CREATE TRIGGER touched AFTER INSERT ON child BEGIN \
         UPDATE parent SET title = 'touched' WHERE id = new.\"parent id\"; END;
         CREATE TRIGGER by_place AFTER INSERT ON child BEGIN \
         INSERT INTO parent VALUES (new.number, 'x'); END;
         CREATE INDEX by_hex ON visit (hex(about));
         CREATE VIRTUAL TABLE words USING fts5(title, content='parent', content_rowid='id');
         CREATE VIRTUAL TABLE found USING fts5(title, content='parent');
         CREATE TABLE rowkey_old_line (a);
         ALTER TABLE parent ADD COLUMN id_before TEXT;
         CREATE TABLE checked (parent BLOB REFERENCES parent (id) CHECK (length(parent) = 16));
         CREATE TABLE text (parent TEXT DEFAULT 'x' COLLATE NOCASE REFERENCES parent);
         CREATE TABLE later (parent BLOB REFERENCES parent)",
    )
    .await?;
    let mut plan = file.plan(&Change::SWAP).await?;
    plan.policy.old_programs = OldPrograms::Mark;
    plan.references
        .retain(|reference| reference.table.name != "later");
    plan.key.becomes = "id".into();
    let catalog = rowkey_tables::catalog::Catalog::read(&mut file.connection).await?;
    plan.catalog = catalog.hash(&plan.tables());
    let definitions = file.definitions().await?;
    let error = file
        .change(&plan, Phase::Swap)
        .await
        .unwrap_err()
        .to_string();
    for reason in [
        "`old-programs = \"mark\"`: it needs",
        "the view keys: it uses parent and names id;",
        "the trigger touched: it uses parent and names id;",
        "the index by_hex: it has an expression",
        "the virtual table words: it uses parent and names id;",
        "the table rowkey_old_line: it has the name of line",
        "parent.id: the change needs the name id_before, which the column id_before has",
        "the trigger by_place: it inserts into parent without naming columns",
        "the table checked: a CHECK uses the value of parent;",
        "the table text: parent has a default",
        "the table text: parent has the collation NOCASE",
        "later.parent: it refers to parent.id, and the plan changes only one",
        "parent.id: it keeps its name",
    ] {
        assert!(error.contains(reason), "{reason}: {error}");
    }
    assert!(!error.contains("table found"), "{error}");
    assert_eq!(file.definitions().await?, definitions);
    Ok(())
}

async fn damaged_values_are_named(url: String) -> anyhow::Result<()> {
    let mut file = File::with_rows(&url, Change::SWAP.old_form(), 20).await?;
    let plan = file.plan(&Change::SWAP).await?;
    file.run(
        "INSERT INTO visit VALUES (X'0102', 'a'), ('text', 'b'), \
         (X'00112233445566778899aabbccddeeff', 'c'), (17, 'd')",
    )
    .await?;
    let error = file
        .change(&plan, Phase::Swap)
        .await
        .unwrap_err()
        .to_string();
    for part in ["visit.about: 4 values are no", "such as 17, `text`, "] {
        assert!(error.contains(part), "{error}");
    }
    file.run("DELETE FROM visit WHERE day < 'e'").await?;
    file.change(&plan, Phase::Check).await?;
    // Between two runs, programs go on.
    file.run("INSERT INTO visit VALUES (X'0102', 'a')").await?;
    let definitions = file.definitions().await?;
    let error = file
        .change(&plan, Phase::Swap)
        .await
        .unwrap_err()
        .to_string();
    for part in ["visit.about: 1 value is no", "such as 0102; "] {
        assert!(error.contains(part), "{error}");
    }
    assert_eq!(file.definitions().await?, definitions);
    file.run("DELETE FROM visit WHERE day = 'a'").await?;
    file.change(&plan, Phase::Swap).await?;
    file.run("INSERT INTO visit (about_key, day) VALUES (X'0304', 'a')")
        .await?;
    let error = file.undo(&plan).await.unwrap_err().to_string();
    for part in ["visit.about_key: 1 value is no", "such as 0304; "] {
        assert!(error.contains(part), "{error}");
    }
    Ok(())
}

async fn other_plans_and_other_tables_are_refused(url: String) -> anyhow::Result<()> {
    let mut file = File::with_rows(&url, Change::SWAP.old_form(), 3).await?;
    let plan = file.plan(&Change::SWAP).await?;
    file.run("ALTER TABLE visit ADD COLUMN more TEXT").await?;
    let error = file.change(&plan, Phase::Swap).await.unwrap_err();
    assert!(error.to_string().contains("have changed since"), "{error}");
    file.run("ALTER TABLE visit DROP COLUMN more").await?;
    file.change(&plan, Phase::Expand).await?;
    let mut edited = plan.clone();
    edited.key.becomes = "other".into();
    let error = file.change(&edited, Phase::Swap).await.unwrap_err();
    assert!(error.to_string().contains("edited since"), "{error}");
    file.change(&plan, Phase::Swap).await?;
    Ok(())
}

/// New programs have migrations of their own after the swap. What they add is kept at the end, and
/// stands in the way back.
async fn what_was_added_since_the_swap_is_not_lost(url: String) -> anyhow::Result<()> {
    let mut file = File::with_rows(&url, Change::SWAP.old_form(), 3).await?;
    let plan = file.plan(&Change::SWAP).await?;
    file.change(&plan, Phase::Swap).await?;
    file.run(
        "ALTER TABLE visit ADD COLUMN more TEXT DEFAULT 'more';
         CREATE INDEX by_day ON visit (day);
         CREATE VIEW keys AS SELECT id_key FROM parent;
         CREATE VIRTUAL TABLE words USING fts5(id_key, content='parent');
         CREATE TABLE later (parent BLOB REFERENCES parent (id_key))",
    )
    .await?;
    let definitions = file.definitions().await?;
    let error = file.undo(&plan).await.unwrap_err().to_string();
    for reason in [
        "the table visit: its definition has changed",
        "the index by_day: it was made since the swap",
        "the view keys: it uses parent and names id_key",
        "the virtual table words: it uses parent and names id_key",
        "the table later: it was made since the swap",
    ] {
        assert!(error.contains(reason), "{reason}: {error}");
    }
    assert_eq!(file.definitions().await?, definitions);
    file.run("CREATE VIEW old AS SELECT id_before FROM parent")
        .await?;
    let error = file.contract(&plan).await.unwrap_err().to_string();
    assert!(
        error.contains("the view old: it names id_before"),
        "{error}"
    );
    file.run("DROP VIEW old; DROP TABLE line").await?;
    file.contract(&plan).await?;
    let names = "SELECT name FROM sqlite_master WHERE name IN ('by_day', 'keys', 'later')";
    assert_eq!(file.rows(names).await?.len(), 3);
    let visits = "SELECT day, more FROM visit WHERE about_key IS NULL LIMIT 1";
    assert_eq!(file.rows(visits).await?, ["tuesday | more"]);
    let kept = "SELECT name FROM pragma_table_info('visit') ORDER BY cid";
    assert_eq!(file.rows(kept).await?, ["about_key", "day", "more"]);
    Ok(())
}

async fn a_script_changes_nothing(url: String) -> anyhow::Result<()> {
    let mut file = File::with_rows(&url, Change::SWAP.old_form(), 3).await?;
    let plan = file.plan(&Change::SWAP).await?;
    let path = url.trim_start_matches("sqlite://");
    let path = path.split('?').next().unwrap_or_default();
    let bytes = std::fs::read(path)?;
    let swap = relayout::script(&mut file.connection, &plan, Phase::Swap).await?;
    let contract = relayout::contract_script(&mut file.connection, &plan).await?;
    assert_eq!(std::fs::read(path)?, bytes);
    // The script does the same as the change.
    let again = url.replace(".sqlite", "_script.sqlite");
    let mut other = File::with_rows(&again, Change::SWAP.old_form(), 3).await?;
    file.change(&plan, Phase::Swap).await?;
    other.run("PRAGMA foreign_keys = ON").await?;
    let (first, last) = (
        ["PRAGMA foreign_keys = OFF;", "BEGIN IMMEDIATE;"],
        ["COMMIT;"],
    );
    assert_eq!(
        (&swap[..2], &swap[swap.len() - 1..]),
        (&first.map(Into::into)[..], &last.map(Into::into)[..])
    );
    assert_eq!(
        (&contract[..1], contract.last()),
        (&["-- contract".to_owned()][..], swap.last())
    );
    for statement in &swap {
        other.run(statement).await?;
    }
    assert_eq!(other.definitions().await?, file.definitions().await?);
    for query in ["SELECT * FROM parent", "SELECT * FROM line"] {
        assert_eq!(other.rows(query).await?, file.rows(query).await?);
    }
    let new_id = Change::SWAP.new_form().literal(id(2));
    let query = format!("SELECT count(*) FROM visit WHERE about_key = {new_id}");
    assert_eq!(other.rows(&query).await?, ["1"]);
    let path = again.trim_start_matches("sqlite://");
    std::fs::remove_file(path.split('?').next().unwrap_or_default())?;
    Ok(())
}
