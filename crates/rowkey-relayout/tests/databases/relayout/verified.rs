//! A comparison of the tables with what they were.

use anyhow::{Result, ensure};
use rowkey_core::uuid::Uuid;
use rowkey_relayout::Phase;
use rowkey_relayout::plan::{OldPrograms, Plan, Request};
use rowkey_relayout::verify::{Verification, verify};
use rowkey_tables::catalog::Catalog;
use rowkey_tables::{Error, Silent};
use rowkey_testkit::{Backend, Suite};

use crate::relayout::rekeyed;
use crate::relayout::shop::{NEW, Names, OLD, Shop, refused, text};

pub(crate) fn add_tests(suite: &mut Suite) {
    crate::relayout::add(suite, "equal_tables_verify", equal_tables);
    crate::relayout::add_printed(suite, "a_changed_row_is_named", changed_row);
    scenarios!(suite, &[Backend::Postgres, Backend::MySql, Backend::MariaDb];
        "what_is_not_swapped_does_not_verify" => not_swapped,
    );
    scenarios!(suite, &[Backend::Postgres];
        "rows_that_a_policy_hides_do_not_verify" => hidden_rows,
        "rows_without_old_ids_verify" => without_old_ids,
    );
    scenarios!(suite, &[Backend::Sqlite];
        "text_that_is_not_utf_8_is_compared" => other_text,
    );
    crate::relayout::add(suite, "damage_after_a_rekey_is_found", damaged_rekey);
    crate::relayout::add_printed(suite, "a_reference_without_a_row_is_found", lost_reference);
}

pub(crate) async fn verified(shop: &Shop, plan: &Plan) -> Result<Verification, Error> {
    let mut connection = shop.connect().await.map_err(|error| Error::Differs {
        what: "the shop".into(),
        found: error.to_string(),
    })?;
    verify(&mut connection, plan, &mut Silent).await
}

async fn other_text(shop: Shop) -> Result<()> {
    rekeyed::create(&shop).await?;
    let plan = rekeyed::plan(&shop).await?;
    let change = "UPDATE ticket SET title = CAST(x'ff' AS text) WHERE id = 7";
    shop.connect().await?.execute("a text", change).await?;
    shop.run(&plan, Phase::Swap).await?;
    let found = verified(&shop, &plan).await?;
    ensure!(
        found.differences.is_empty() && !found.notes.iter().any(|note| note.contains("differ")),
        "{found:?}"
    );
    Ok(())
}

async fn equal_tables(shop: Shop) -> Result<()> {
    shop.create(OLD).await?;
    shop.fill(OLD, 100, 51).await?;
    let plan = shop.plan(OLD, NEW).await?;
    let early = verified(&shop, &plan).await;
    ensure!(matches!(early, Err(Error::Refused { .. })), "{early:?}");
    shop.run(&plan, Phase::Swap).await?;
    let found = verified(&shop, &plan).await?;
    ensure!(found.differences.is_empty(), "{found:?}");
    ensure!(found.tables.len() == 5, "{found:?}");
    for table in &found.tables {
        ensure!(
            table.rows == 100 && table.old_rows == Some(100),
            "{found:?}"
        );
    }
    // References without a constraint lead nowhere.
    ensure!(
        found
            .notes
            .iter()
            .any(|note| note.contains("10 values refer to no row")),
        "{found:?}"
    );
    // As after a contract that was interrupted.
    let begun = "UPDATE rowkey_relayout SET phase = 'contract'";
    shop.connect().await?.execute("the state", begun).await?;
    refused(verified(&shop, &plan).await, &["--contract"])?;
    shop.contract(&plan).await?;
    let found = verified(&shop, &plan).await?;
    ensure!(found.differences.is_empty(), "{found:?}");
    ensure!(found.tables.iter().all(|table| table.old_rows.is_none()));
    Ok(())
}

/// The rest of them would be called equal.
async fn hidden_rows(shop: Shop) -> Result<()> {
    shop.create(OLD).await?;
    shop.fill(OLD, 20, 55).await?;
    let plan = shop.plan(OLD, NEW).await?;
    shop.run(&plan, Phase::Swap).await?;
    let mut administrator = shop.connect().await?;
    let schema = text(&mut administrator, "SELECT current_schema()::text").await?;
    let role = format!("{schema}_reader");
    let policy = format!(
        "ALTER TABLE child ENABLE ROW LEVEL SECURITY; CREATE POLICY own ON child USING (false);
         CREATE ROLE {role}; GRANT USAGE ON SCHEMA {schema} TO {role};
         GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO {role}"
    );
    administrator.execute("the policy", &policy).await?;
    let mut reader = shop.connect().await?;
    reader
        .execute("the role", &format!("SET ROLE {role}"))
        .await?;
    let outcome = verify(&mut reader, &plan, &mut Silent).await;
    let drop = format!("DROP OWNED BY {role}; DROP ROLE {role}");
    administrator.execute("the role", &drop).await?;
    let error = outcome.unwrap_err().to_string();
    ensure!(error.contains("row-level security"), "{error}");
    Ok(())
}

/// Nothing makes old ids of text for the rows of new programs.
async fn without_old_ids(shop: Shop) -> Result<()> {
    let mut connection = shop.connect().await?;
    for statement in [
        "CREATE TABLE account (id text PRIMARY KEY, name text)",
        "CREATE TABLE post (number integer PRIMARY KEY, account_id text NOT NULL REFERENCES account)",
        "INSERT INTO account SELECT 'a' || n, 'old' FROM generate_series(1, 5) n",
        "INSERT INTO post SELECT n, 'a' || n FROM generate_series(1, 5) n",
    ] {
        connection.execute("the tables", statement).await?;
    }
    let request = Request {
        table: "account".into(),
        created: None,
        unasserted: Vec::new(),
        ..rekeyed::request()
    };
    let plan = shop.plan_for(&request).await?;
    shop.run(&plan, Phase::Swap).await?;
    let id = Uuid::from_u128(0x019b_76da_0000_7000_8000_0000_0000_0001);
    let (key, reference) = (&plan.key, &plan.references[0]);
    for statement in [
        format!(
            "INSERT INTO account ({}, name) VALUES ('{id}', 'new')",
            key.becomes
        ),
        format!(
            "INSERT INTO post (number, {}) VALUES (6, '{id}')",
            reference.becomes
        ),
    ] {
        connection.execute("a new program", &statement).await?;
    }
    let found = verified(&shop, &plan).await?;
    let note = "account: 1 rows of new programs have no old id";
    ensure!(
        found.differences.is_empty() && found.notes.iter().any(|told| told.starts_with(note)),
        "{found:?}"
    );
    // Past its trigger, one that had an old id.
    for statement in [
        "ALTER TABLE post DISABLE TRIGGER USER".to_owned(),
        format!(
            "UPDATE post SET {} = '{id}' WHERE number = 1",
            reference.becomes
        ),
    ] {
        connection.execute("damage", &statement).await?;
    }
    let found = verified(&shop, &plan).await?;
    ensure!(
        matches!(&found.differences[..], [one] if one.table == "post".into()),
        "{found:?}"
    );
    Ok(())
}

/// The columns keep their names, so that these do not tell.
async fn not_swapped(shop: Shop) -> Result<()> {
    shop.create(OLD).await?;
    let rows = shop.fill(OLD, 50, 54).await?;
    let told = ["parent.id", "the change has not been swapped"];
    for to in ["text", NEW] {
        let mut request = shop.request(OLD, to);
        request.policy.old_programs = OldPrograms::Mark;
        let plan = shop.plan_for(&request).await?;
        refused(verified(&shop, &plan).await, &told)?;
        for phase in [Phase::Expand, Phase::Check] {
            shop.run(&plan, phase).await?;
            refused(verified(&shop, &plan).await, &told)?;
        }
        shop.undo(&plan).await?;
        refused(verified(&shop, &plan).await, &told)?;
        shop.run(&plan, Phase::Swap).await?;
        let found = verified(&shop, &plan).await?;
        ensure!(found.differences.is_empty(), "{found:?}");
        ensure!(found.tables.iter().all(|table| table.old_rows == Some(50)));
        let mut edited = plan.clone();
        edited.key.becomes = "another".into();
        refused(verified(&shop, &edited).await, &["this plan was edited"])?;
        if to != NEW {
            shop.undo(&plan).await?;
            continue;
        }
        shop.contract(&plan).await?;
        let catalog = Catalog::read(&mut shop.connect().await?).await?;
        // The tables are as they were, and the values look like ids of both forms. To MySQL 5.6,
        // RESTRICT is another word after it.
        if catalog.hash(&plan.tables()) == plan.catalog {
            ensure!(shop.dialect.backend == Backend::MySql);
            refused(verified(&shop, &plan).await, &["has left no trace"])?;
            continue;
        }
        let found = verified(&shop, &plan).await?;
        ensure!(found.differences.is_empty(), "{found:?}");
        ensure!(found.tables.iter().all(|table| table.old_rows.is_none()));
    }
    shop.expect(&rows, NEW, Names::Old).await
}

async fn changed_row(shop: Shop) -> Result<()> {
    shop.create(OLD).await?;
    shop.fill(OLD, 100, 52).await?;
    let plan = shop.plan(OLD, NEW).await?;
    shop.run(&plan, Phase::Swap).await?;
    let mut connection = shop.connect().await?;
    let damage = match shop.dialect.backend {
        Backend::MySql | Backend::MariaDb => {
            "UPDATE loose_rowkey_old SET parent_id = NULL WHERE number = 57"
        }
        // A trigger would correct it.
        Backend::Postgres => {
            "ALTER TABLE loose DISABLE TRIGGER USER; \
             UPDATE loose SET parent_id_before = NULL WHERE number = 57"
        }
        _ => "UPDATE loose SET parent_id_before = NULL WHERE number = 57",
    };
    connection.execute("damage", damage).await?;
    let found = verified(&shop, &plan).await?;
    let text = match shop.dialect.backend {
        // There, programs change rows without changing their old values.
        Backend::Sqlite => found.notes.join("\n"),
        _ => format!("{:?}", found.differences),
    };
    ensure!(
        text.contains("loose") && text.contains("1 of 256 parts differ, such as the keys 57"),
        "{found:?}"
    );
    Ok(())
}

async fn lost_reference(shop: Shop) -> Result<()> {
    shop.create(OLD).await?;
    let rows = shop.fill(OLD, 20, 53).await?;
    let plan = shop.plan(OLD, NEW).await?;
    shop.run(&plan, Phase::Swap).await?;
    shop.contract(&plan).await?;
    let Some(parent) = rows.parents.keys().next() else {
        return Ok(());
    };
    let id = shop.dialect.form(NEW)?.literal(*parent);
    let mut connection = shop.connect().await?;
    // Nothing asserts the references of this table.
    let before = verified(&shop, &plan).await?;
    let insert = "INSERT INTO loose (number, parent_id_key) VALUES (1000, ";
    connection
        .execute("a reference", &format!("{insert}{id})"))
        .await?;
    ensure!(verified(&shop, &plan).await?.notes == before.notes);
    let nobody = shop.dialect.form(NEW)?.literal(parent ^ 1);
    connection
        .execute(
            "a reference",
            &format!("UPDATE loose SET parent_id_key = {nobody} WHERE number = 1000"),
        )
        .await?;
    let found = verified(&shop, &plan).await?;
    ensure!(
        found
            .notes
            .iter()
            .any(|note| note.contains("3 values refer to no row")),
        "{before:?} {found:?}"
    );
    Ok(())
}

/// What is damaged in the tables of a rekey, and back: statements of which no trigger takes notice.
struct Damage {
    does: Vec<String>,
    undoes: Vec<String>,
    /// What the comparison says.
    found: &'static str,
}

async fn damaged_rekey(shop: Shop) -> Result<()> {
    rekeyed::create(&shop).await?;
    let plan = rekeyed::plan(&shop).await?;
    shop.run(&plan, Phase::Swap).await?;
    let found = verified(&shop, &plan).await?;
    ensure!(found.differences.is_empty(), "{found:?}");
    let map = rekeyed::map(&mut shop.connect().await?, "ticket").await?;
    for damage in damages(&shop, map[&3], map[&4]) {
        let mut connection = shop.connect().await?;
        for statement in &damage.does {
            connection.execute("damage", statement).await?;
        }
        let found = verified(&shop, &plan).await?;
        let text = match shop.dialect.backend {
            // There, programs change rows without changing their old values.
            Backend::Sqlite => format!("{:?} {:?}", found.differences, found.notes),
            _ => format!("{:?}", found.differences),
        };
        ensure!(text.contains(damage.found), "{:?}: {found:?}", damage.does);
        if damage.undoes.is_empty() {
            continue;
        }
        for statement in &damage.undoes {
            connection.execute("no damage", statement).await?;
        }
        let found = verified(&shop, &plan).await?;
        ensure!(
            found.differences.is_empty(),
            "{:?}: {found:?}",
            damage.undoes
        );
    }
    Ok(())
}

fn damages(shop: &Shop, third: u128, fourth: u128) -> [Damage; 4] {
    let [third_text, fourth_text] = [third, fourth].map(|id| Uuid::from_u128(id).to_string());
    let exchange = |third: &str, fourth: &str| {
        [("3", "-"), ("4", fourth), ("3", third)]
            .map(|(old, new)| {
                format!(
                    "UPDATE rowkey_id_map SET new = '{new}' \
                     WHERE table_name = 'ticket' AND old = '{old}'"
                )
            })
            .to_vec()
    };
    let (old_ticket, old_reply, quiet) = match shop.dialect.backend {
        Backend::MySql | Backend::MariaDb => (
            ("ticket_rowkey_old", "id"),
            ("reply_rowkey_old", "ticket_id"),
            "SET foreign_key_checks = 0",
        ),
        Backend::Postgres => (
            ("ticket", "id_before"),
            ("reply", "ticket_id_before"),
            "ALTER TABLE reply DISABLE TRIGGER ALL; ALTER TABLE ticket DISABLE TRIGGER ALL",
        ),
        _ => (
            ("ticket", "id_before"),
            ("reply", "ticket_id_before"),
            "PRAGMA foreign_keys = OFF",
        ),
    };
    let refer = |to: i64| {
        let (table, column) = old_reply;
        let update = format!("UPDATE {table} SET {column} = {to} WHERE number = 5");
        vec![quiet.to_owned(), update]
    };
    let (table, column) = old_ticket;
    let delete = format!("DELETE FROM {table} WHERE {column} = 9");
    [
        Damage {
            does: exchange(&fourth_text, &third_text),
            undoes: exchange(&third_text, &fourth_text),
            found: "2 of 256 parts differ, such as the keys ",
        },
        Damage {
            does: vec![
                "DELETE FROM rowkey_id_map WHERE table_name = 'ticket' AND old = '4'".into(),
            ],
            undoes: vec![format!(
                "INSERT INTO rowkey_id_map (table_name, old, new) VALUES ('ticket', '4', '{fourth_text}')"
            )],
            found: "such as the keys 4, the new id ",
        },
        Damage {
            does: refer(35),
            undoes: refer(36),
            found: "1 of 256 parts differ, such as the keys 5",
        },
        Damage {
            does: vec![quiet.to_owned(), delete],
            undoes: Vec::new(),
            found: match shop.dialect.is_mysql() {
                true => "499 rows with old values, 500 with new ones",
                false => "1 values refer to no row",
            },
        },
    ]
}
