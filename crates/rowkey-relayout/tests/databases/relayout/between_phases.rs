//! What others do between two phases.

use std::time::{Duration, Instant};

use anyhow::{Result, bail, ensure};
use rowkey_relayout::Phase;
use rowkey_relayout::plan::LeftOut;
use rowkey_relayout::preflight::Preflight;
use rowkey_tables::Error;
use rowkey_testkit::{Backend, Suite};

use crate::LIVE;
use crate::relayout::add_on;
use crate::relayout::shop::{NEW, Names, OLD, Shop, number, refused};
use crate::relayout::verified::verified;

/// Where the rows are not rebuilt at once.
const SERVERS: [Backend; 3] = [Backend::Postgres, Backend::MySql, Backend::MariaDb];

pub(crate) fn add_tests(suite: &mut Suite) {
    for phase in [Phase::Backfill, Phase::Check] {
        let name = format!("a_table_that_is_truncated_after_{}", phase.name());
        add_on(suite, &SERVERS, &name, move |shop| truncated(shop, phase));
    }
    scenarios!(suite, &SERVERS;
        "a_lock_that_is_soon_free_is_waited_for" => waited,
    );
    scenarios!(suite, &LIVE;
        "an_altered_table_can_be_undone" => |shop| altered(shop, true),
        "a_table_altered_during_a_phase_can_be_undone" => |shop| altered(shop, false),
        "a_plan_that_has_begun_is_not_looked_at" => begun,
        "a_reference_that_is_added_meanwhile_is_refused" => referred,
        "a_state_of_another_version_is_refused" => another_version,
    );
}

/// TRUNCATE fires no triggers. Where there are two tables, the new one has rows that the old one
/// lacks, which may not come back with the swap.
async fn truncated(shop: Shop, phase: Phase) -> Result<()> {
    shop.create(OLD).await?;
    let mut rows = shop.fill(OLD, 50, 57).await?;
    let mut connection = shop.connect().await?;
    if shop.dialect.is_mysql() {
        // With a circle of references, the new tables would be made equal to the old ones.
        let drop = "ALTER TABLE parent DROP FOREIGN KEY parent_above";
        connection.execute("a circle", drop).await?;
    }
    let mut plan = shop.plan(OLD, NEW).await?;
    if shop.dialect.is_mysql() {
        plan.left_out.push(LeftOut {
            table: "parent".into(),
            column: "above_id".into(),
        });
    }
    shop.run(&plan, phase).await?;
    connection
        .execute("no rows", "TRUNCATE TABLE loose")
        .await?;
    let outcome = shop.run(&plan, Phase::Swap).await;
    rows.loose.clear();
    if !shop.dialect.is_mysql() {
        outcome?;
        return shop.expect(&rows, NEW, Names::New).await;
    }
    match outcome {
        Err(Error::Differs { what, found }) => {
            let is_told = what.contains("loose") && found.contains("TRUNCATE");
            ensure!(is_told, "{what}: {found}");
        }
        other => bail!("{other:?} instead of a difference"),
    }
    shop.undo(&plan).await?;
    shop.expect(&rows, OLD, Names::Old).await
}

/// A server needs a moment to notice that a process was killed, and keeps its lock until then.
async fn waited(shop: Shop) -> Result<()> {
    shop.create(OLD).await?;
    let rows = shop.fill(OLD, 20, 58).await?;
    let plan = shop.plan(OLD, NEW).await?;
    let (lock, sessions) = match shop.dialect.is_mysql() {
        true => (
            "SELECT GET_LOCK(LEFT(CONCAT('rowkey_relayout.', SHA2(DATABASE(), 256)), 64), 0)",
            "SELECT COUNT(*) FROM information_schema.processlist WHERE db = DATABASE()",
        ),
        false => (
            "SELECT pg_try_advisory_lock(1919907691, hashtext(current_schema()))::int",
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()",
        ),
    };
    let mut killed = shop.connect().await?;
    ensure!(number(&mut killed, lock).await? == 1, "the lock is taken");
    // Sessions that are closed may be there for a while.
    let mut fewest = number(&mut killed, sessions).await?;
    let waiting = tokio::spawn({
        let (shop, plan) = (shop.clone(), plan.clone());
        async move { shop.run(&plan, Phase::Swap).await }
    });
    // If a session ends while the new one begins, there are never more than before.
    let (mut looks, started) = (0, Instant::now());
    while looks < 5 && started.elapsed() < Duration::from_secs(3) {
        ensure!(!waiting.is_finished(), "{:?}", waiting.await);
        let found = number(&mut killed, sessions).await?;
        looks += u32::from(found > fewest);
        fewest = fewest.min(found);
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    drop(killed);
    waiting.await??;
    shop.expect(&rows, NEW, Names::New).await
}

/// Somebody has added a column, so that the change does not go on. The way out is the way back.
async fn altered(shop: Shop, is_done: bool) -> Result<()> {
    shop.create(OLD).await?;
    let rows = shop.fill(OLD, 50, 59).await?;
    let plan = shop.plan(OLD, NEW).await?;
    shop.run(&plan, Phase::Backfill).await?;
    let mut connection = shop.connect().await?;
    if !is_done {
        let interrupt = "UPDATE rowkey_relayout SET is_done = 0";
        connection.execute("a phase", interrupt).await?;
    }
    let add = format!(
        "ALTER TABLE loose {} another integer",
        shop.dialect.add_column()
    );
    connection.execute("a migration", &add).await?;
    refused(shop.run(&plan, Phase::Swap).await, &["changed", "undo"])?;
    shop.undo(&plan).await?;
    shop.expect(&rows, OLD, Names::Old).await?;
    let others = "SELECT COUNT(*) FROM loose WHERE another IS NULL";
    ensure!(number(&mut connection, others).await? == 50);
    Ok(())
}

/// The preflight says that the change has begun, and what knows its plan; the ends say that there
/// is none.
async fn begun(shop: Shop) -> Result<()> {
    shop.create(OLD).await?;
    shop.fill(OLD, 20, 60).await?;
    let plan = shop.plan(OLD, NEW).await?;
    for outcome in [shop.undo(&plan).await, shop.contract(&plan).await] {
        let error = outcome.err().map(|error| error.to_string());
        let error = error.unwrap_or_default();
        ensure!(error.contains("no change has begun"), "{error}");
    }
    shop.run(&plan, Phase::Check).await?;
    let mut connection = shop.connect().await?;
    let found = Preflight::read(&mut connection, &plan).await?;
    let told = found.refused.first().map_or("", String::as_str);
    ensure!(told.contains("has begun, and has reached check"), "{told}");
    let mut edited = plan.clone();
    edited.policy.batch_rows += 1;
    let found = Preflight::read(&mut connection, &edited).await?;
    let told = found.refused.first().map_or("", String::as_str);
    ensure!(
        told.contains("the column `plan_text` of the table rowkey_relayout"),
        "{told}"
    );
    Ok(())
}

/// Another team's migration refers to the key while the rows are filled.
async fn referred(shop: Shop) -> Result<()> {
    shop.create(OLD).await?;
    let rows = shop.fill(OLD, 20, 61).await?;
    let plan = shop.plan(OLD, NEW).await?;
    shop.run(&plan, Phase::Backfill).await?;
    let mut connection = shop.connect().await?;
    let sql_type = shop.dialect.form(OLD)?.sql_type();
    let create = format!(
        "CREATE TABLE late (parent_id {sql_type}, \
         CONSTRAINT late_parent FOREIGN KEY (parent_id) REFERENCES parent (id))"
    );
    connection.execute("a migration", &create).await?;
    refused(
        shop.run(&plan, Phase::Swap).await,
        &["of late to parent", "after the change had begun"],
    )?;
    let drop = "DROP TABLE late";
    connection.execute("another migration", drop).await?;
    shop.run(&plan, Phase::Swap).await?;
    shop.expect(&rows, NEW, Names::New).await
}

/// Another version may have other phases, or keep the tables otherwise.
async fn another_version(shop: Shop) -> Result<()> {
    shop.create(OLD).await?;
    let rows = shop.fill(OLD, 20, 62).await?;
    let plan = shop.plan(OLD, NEW).await?;
    let mut connection = shop.connect().await?;
    let own = "CREATE TABLE rowkey_relayout (one integer)";
    connection.execute("a table of another's", own).await?;
    let told = ["the table rowkey_relayout", "it has other columns"];
    refused(shop.run(&plan, Phase::Backfill).await, &told)?;
    refused(shop.undo(&plan).await, &told)?;
    refused(verified(&shop, &plan).await, &told)?;
    let drop = "DROP TABLE rowkey_relayout";
    connection.execute("its end", drop).await?;
    shop.run(&plan, Phase::Backfill).await?;
    for (other, back) in [
        ("phase = 'index'", "phase = 'backfill'"),
        ("phase = 'undo-index'", "phase = 'backfill'"),
        (
            "tables = REPLACE(tables, '[', '~')",
            "tables = REPLACE(tables, '~', '[')",
        ),
    ] {
        let set = format!("UPDATE rowkey_relayout SET {other}");
        connection.execute("another version", &set).await?;
        let told = ["the table rowkey_relayout", "another version of rowkey"];
        refused(shop.run(&plan, Phase::Swap).await, &told)?;
        refused(shop.undo(&plan).await, &told)?;
        refused(shop.contract(&plan).await, &told)?;
        refused(verified(&shop, &plan).await, &told)?;
        let found = Preflight::read(&mut connection, &plan).await?.refused;
        ensure!(
            found.iter().any(|reason| reason.contains(told[1])),
            "{found:?}"
        );
        let set = format!("UPDATE rowkey_relayout SET {back}");
        connection.execute("this version", &set).await?;
    }
    shop.run(&plan, Phase::Swap).await?;
    shop.expect(&rows, NEW, Names::New).await
}
