//! PostgreSQL: triggers that somebody turns off or on, and sessions that skip them.

use anyhow::{Context, Result, bail, ensure};
use rowkey_relayout::Phase;
use rowkey_tables::Error;
use rowkey_testkit::{Backend, Suite};

use crate::relayout::rows::Random;
use crate::relayout::shop::{NEW, Names, OLD, Shop, number, refused};

const POSTGRES: [Backend; 1] = [Backend::Postgres];

pub(crate) fn add_tests(suite: &mut Suite) {
    scenarios!(suite, &POSTGRES;
        "rows_of_replication_are_filled" => replicated,
        "a_trigger_that_suppresses_updates_is_named" => suppressed,
        "rows_that_no_trigger_has_seen_are_named" => unseen,
        "rows_behind_disabled_triggers_hinder_the_swap" => |shop| stale_before_the_swap(shop, false),
        "rows_behind_disabled_triggers_hinder_an_interrupted_swap" => |shop| stale_before_the_swap(shop, true),
        "rows_behind_disabled_triggers_hinder_the_contract" => stale_before_the_contract,
    );
}

/// Rows that were written while triggers were disabled are named, and can be given their new
/// values; values that aren't ids are named before the swap.
async fn unseen(shop: Shop) -> Result<()> {
    shop.create(OLD).await?;
    shop.fill(OLD, 50, 8).await?;
    let plan = shop.plan(OLD, NEW).await?;
    shop.run(&plan, Phase::Backfill).await?;
    let mut connection = shop.connect().await?;
    let form = shop.dialect.form(OLD)?;
    let insert = |id| {
        format!(
            "INSERT INTO parent (id, title) VALUES ({}, 'late')",
            form.literal(id)
        )
    };
    let silently = [
        "SET LOCAL session_replication_role = replica".to_owned(),
        "ALTER TABLE parent DISABLE TRIGGER USER".to_owned(),
        insert(Random(77).id()),
        "ALTER TABLE parent ENABLE TRIGGER USER".to_owned(),
    ];
    shop.transaction(&mut connection, &silently).await?;
    let refused = shop.run(&plan, Phase::Check).await.err();
    match refused {
        Some(Error::Refused { why, instead, .. }) => {
            ensure!(why.contains("1 of its rows"), "{why}");
            let update = instead.trim_start_matches("run ");
            let update = update.trim_end_matches(", then go on");
            connection.execute("the way out", update).await?;
        }
        other => bail!("{other:?}"),
    }
    shop.run(&plan, Phase::Check).await?;
    Ok(())
}

/// A trigger that was disabled when the change began.
async fn suppressed(shop: Shop) -> Result<()> {
    shop.create(OLD).await?;
    let rows = shop.fill(OLD, 50, 58).await?;
    let mut connection = shop.connect().await?;
    let prepare = "
        CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
        CREATE TRIGGER silent BEFORE UPDATE ON loose FOR EACH ROW EXECUTE FUNCTION nothing();
        ALTER TABLE loose DISABLE TRIGGER silent";
    connection.execute("a trigger", prepare).await?;
    let mut request = shop.request(OLD, NEW);
    request.policy.lock_attempts = 2;
    let plan = shop.plan_for(&request).await?;
    shop.run(&plan, Phase::Expand).await?;
    let enable = "ALTER TABLE loose ENABLE TRIGGER silent";
    connection.execute("a trigger", enable).await?;
    let outcome = shop.run(&plan, Phase::Swap).await;
    refused(outcome, &["loose", "the trigger silent"])?;
    let drop = "DROP TRIGGER silent ON loose";
    connection.execute("no trigger", drop).await?;
    shop.undo(&plan).await?;
    shop.expect(&rows, OLD, Names::Old).await
}

/// Rows that come by replication skip ordinary triggers.
async fn replicated(shop: Shop) -> Result<()> {
    shop.create(OLD).await?;
    let mut rows = shop.fill(OLD, 50, 55).await?;
    let plan = shop.plan(OLD, NEW).await?;
    shop.run(&plan, Phase::Backfill).await?;
    let id = Random(56).id();
    let mut connection = shop.connect().await?;
    let role = "SET session_replication_role = replica";
    connection.execute("a replica", role).await?;
    let insert = format!(
        "INSERT INTO loose VALUES (-1, {})",
        shop.dialect.form(OLD)?.literal(id)
    );
    connection.execute("a replica", &insert).await?;
    rows.loose.insert(-1, Some(id));
    shop.run(&plan, Phase::Swap).await?;
    shop.expect(&rows, NEW, Names::New).await
}

/// The way out that a refusal names, as a statement.
fn way_out(refused: Option<Error>, part: &str) -> Result<String> {
    let Some(Error::Refused { what, why, instead }) = refused else {
        bail!("{refused:?}");
    };
    ensure!(what == part && why.contains("1 row whose"), "{what}: {why}");
    ensure!(why.contains("`number = 7`, `parent_id"), "{why}");
    let update = instead.split_once("UPDATE ").context("no statement")?.1;
    let update = update.split(';').next().unwrap_or_default();
    Ok(format!("UPDATE {update}"))
}

/// A child that gets another parent between the comparison and the swap, without the triggers.
async fn stale_before_the_swap(shop: Shop, is_interrupted: bool) -> Result<()> {
    shop.create(OLD).await?;
    let mut rows = shop.fill(OLD, 50, 61).await?;
    let plan = shop.plan(OLD, NEW).await?;
    shop.run(&plan, Phase::Check).await?;
    let form = shop.dialect.form(OLD)?;
    let id = Random(62).id();
    let silently = [
        "ALTER TABLE loose DISABLE TRIGGER USER".to_owned(),
        format!(
            "UPDATE loose SET parent_id = {} WHERE number = 7",
            form.literal(id)
        ),
        "ALTER TABLE loose ENABLE TRIGGER USER".to_owned(),
    ];
    let mut connection = shop.connect().await?;
    shop.transaction(&mut connection, &silently).await?;
    rows.loose.insert(7, Some(id));
    if is_interrupted {
        let begun = "UPDATE rowkey_relayout SET phase = 'swap', is_done = 0";
        connection.execute("a swap", begun).await?;
    }
    let refused = shop.run(&plan, Phase::Swap).await.err();
    let fill = way_out(refused, "loose")?;
    let always = "SELECT count(*) FROM pg_trigger WHERE tgrelid = 'loose'::regclass \
                  AND NOT tgisinternal AND tgenabled = 'A'";
    ensure!(number(&mut connection, always).await? == 2);
    connection.execute("the way out", &fill).await?;
    shop.run(&plan, Phase::Swap).await?;
    shop.expect(&rows, NEW, Names::New).await
}

/// The same after the swap: the old column has what the new one does not say.
async fn stale_before_the_contract(shop: Shop) -> Result<()> {
    shop.create(OLD).await?;
    let mut rows = shop.fill(OLD, 50, 63).await?;
    let plan = shop.plan(OLD, NEW).await?;
    shop.run(&plan, Phase::Swap).await?;
    let id = Random(64).id();
    let silently = [
        "ALTER TABLE loose DISABLE TRIGGER USER".to_owned(),
        format!(
            "UPDATE loose SET parent_id_key = {} WHERE number = 7",
            shop.dialect.form(NEW)?.literal(id)
        ),
        "ALTER TABLE loose ENABLE TRIGGER USER".to_owned(),
    ];
    let mut connection = shop.connect().await?;
    shop.transaction(&mut connection, &silently).await?;
    rows.loose.insert(7, Some(id));
    let undone = shop.undo(&plan).await.err();
    let fill = way_out(undone, "loose")?;
    let refused = shop.contract(&plan).await.err();
    ensure!(way_out(refused, "loose")? == fill);
    connection.execute("the way out", &fill).await?;
    shop.contract(&plan).await?;
    shop.expect(&rows, NEW, Names::New).await
}
