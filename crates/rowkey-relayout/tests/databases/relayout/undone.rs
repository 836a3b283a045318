//! Changes that are taken back.

use anyhow::{Context, Result, bail, ensure};
use rowkey_relayout::Phase;
use rowkey_tables::Error;
use rowkey_testkit::{Backend, Suite};

use crate::LIVE;
use crate::relayout::rows::{Child, Parent, Random};
use crate::relayout::shop::{NEW, Names, OLD, Shop, number, refused};
use crate::relayout::verified::verified;
use crate::relayout::{add, add_printed};

pub(crate) fn add_tests(suite: &mut Suite) {
    for phase in Phase::ALL {
        let name = format!("undone_after_{}", phase.name());
        add_printed(suite, &name, move |shop| undone(shop, phase));
    }
    scenarios!(suite, &Backend::ALL;
        "rows_written_after_the_swap_survive_the_undoing" => written_after_the_swap,
    );
    for (from, to) in [(OLD, NEW), ("text", "uuid:public"), ("text-compact", NEW)] {
        let name = format!("no_value_of_another_format_goes_back_from_{to}_to_{from}");
        add(suite, &name, move |shop| another_format(shop, from, to));
    }
    scenarios!(suite, &LIVE;
        "no_value_of_another_format_is_swapped" => another_format_before,
        "what_uses_old_values_hinders_their_end" => used_at_the_end,
        "what_is_gone_before_the_swap_does_not_hinder_an_undo" => gone_before,
    );
    scenarios!(suite, &[Backend::Postgres];
        "what_is_gone_after_the_swap_does_not_hinder_its_end" => gone_after,
    );
    add(
        suite,
        "what_has_not_begun_cannot_be_undone",
        |shop| async move {
            shop.create(OLD).await?;
            let plan = shop.plan(OLD, NEW).await?;
            let refused = |outcome| matches!(outcome, Err(Error::Refused { .. }));
            ensure!(refused(shop.undo(&plan).await));
            ensure!(refused(shop.contract(&plan).await));
            shop.run(&plan, Phase::Check).await?;
            ensure!(refused(shop.contract(&plan).await));
            Ok(())
        },
    );
}

/// Everything is as it was, the catalogue too, and the same plan can begin again.
async fn undone(shop: Shop, phase: Phase) -> Result<()> {
    shop.create(OLD).await?;
    let rows = shop.fill(OLD, 200, 11).await?;
    let before = shop.catalog().await?;
    let plan = shop.plan(OLD, NEW).await?;
    shop.run(&plan, phase).await?;
    shop.undo(&plan).await?;
    shop.expect(&rows, OLD, Names::Old).await?;
    let after = shop.catalog().await?;
    for (before, after) in before.tables.iter().zip(&after.tables) {
        ensure!(before == after, "{before:#?} became {after:#?}");
    }
    shop.run(&shop.plan(OLD, NEW).await?, Phase::Swap)
        .await
        .context("the second time")?;
    shop.expect(&rows, NEW, Names::New).await
}

async fn written_after_the_swap(shop: Shop) -> Result<()> {
    shop.create(OLD).await?;
    let mut rows = shop.fill(OLD, 200, 12).await?;
    let plan = shop.plan(OLD, NEW).await?;
    shop.run(&plan, Phase::Swap).await?;

    let form = shop.dialect.form(NEW)?;
    let mut random = Random(13);
    let added = random.id();
    let parents: Vec<u128> = rows.parents.keys().copied().collect();
    let [deleted, below] = [parents[0], parents[1]];
    // Nothing may be below a parent whose key changes, and a second reference may not follow it.
    let is_leaf = |id: &&u128| {
        let mut references = rows.parents.values().map(|row| row.above);
        let mut others = rows.children.values().map(|row| row.other);
        references.all(|above| above != Some(**id)) && others.all(|other| other != Some(**id))
    };
    let renamed = *parents[2..].iter().find(is_leaf).context("a leaf")?;
    let fresh = random.id();
    let id = |id| form.literal(id);
    let writes = [
        format!(
            "INSERT INTO parent ({{id}}, title, {{above_id}}) VALUES ({}, 'after', {})",
            id(added),
            id(below)
        ),
        format!(
            "INSERT INTO child (number, {{parent_id}}, {{other_id}}) VALUES (-1, {}, NULL)",
            id(added)
        ),
        format!(
            "INSERT INTO line ({{parent_id}}, n, quantity) VALUES ({}, 9, 9)",
            id(added)
        ),
        format!(
            "UPDATE parent SET {{id}} = {} WHERE {{id}} = {}",
            id(fresh),
            id(renamed)
        ),
        shop.dialect.deletion(&id(deleted)),
        "UPDATE loose SET {parent_id} = NULL WHERE number = 5".to_owned(),
    ]
    .map(|sql| Names::New.in_sql(&sql));
    let mut connection = shop.connect().await?;
    shop.transaction(&mut connection, &writes).await?;
    let title = "after".to_owned();
    let parent = Parent {
        title,
        above: Some(below),
        created: 0,
    };
    rows.parents.insert(added, parent);
    let child = Child {
        parent: added,
        other: None,
    };
    rows.children.insert(-1, child);
    rows.lines.insert((added, 9), 9);
    rows.rename(renamed, fresh);
    rows.delete(deleted);
    rows.loose.insert(5, None);
    shop.expect(&rows, NEW, Names::New).await?;

    drop(connection);
    shop.undo(&plan).await?;
    shop.expect(&rows, OLD, Names::Old).await?;
    refused(shop.undo(&plan).await, &[]).map(|_| ())
}

/// An old program has written an id of another format while the change was on its way.
async fn another_format_before(shop: Shop) -> Result<()> {
    shop.create(OLD).await?;
    let rows = shop.fill(OLD, 50, 15).await?;
    let plan = shop.plan(OLD, NEW).await?;
    let mut connection = shop.connect().await?;
    let damaged = shop.dialect.form(OLD)?.literal(0xbad);
    let insert = format!("INSERT INTO loose (number, parent_id) VALUES (-1, {damaged})");
    let delete = "DELETE FROM loose WHERE number = -1";
    for phase in [Phase::Backfill, Phase::Check] {
        shop.run(&plan, phase).await?;
        connection.execute("the damage", &insert).await?;
        match shop.run(&plan, Phase::Swap).await {
            Err(refusal @ Error::Refused { .. }) => {
                let refusal = refusal.to_string();
                ensure!(refusal.contains("loose.parent_id"), "{refusal}");
            }
            other => bail!("swapped after {phase:?}: {other:?}"),
        }
        connection.execute("the correction", delete).await?;
    }
    drop(connection);
    shop.run(&plan, Phase::Swap).await?;
    shop.expect(&rows, NEW, Names::New).await
}

/// Since the swap, a program has written a value that isn't an id of the format. Nothing changes
/// until the value is gone.
async fn another_format(shop: Shop, from: &'static str, to: &'static str) -> Result<()> {
    shop.create(from).await?;
    let rows = shop.fill(from, 50, 14).await?;
    let plan = shop.plan(from, to).await?;
    shop.run(&plan, Phase::Swap).await?;

    let mut connection = shop.connect().await?;
    let damaged = shop.dialect.form(to)?.literal(0xbad);
    for insert in [
        format!("INSERT INTO parent ({{id}}, title) VALUES ({damaged}, 'x')"),
        format!("INSERT INTO loose (number, {{parent_id}}) VALUES (-1, {damaged})"),
    ] {
        let insert = Names::New.in_sql(&insert);
        connection.execute("the damage", &insert).await?;
    }
    let before = shop.catalog().await?;
    let refusal = match shop.undo(&plan).await {
        Err(refusal @ Error::Refused { .. }) => refusal.to_string(),
        other => bail!("undone: {other:?}"),
    };
    for word in ["parent.id_key", "loose.parent_id_key", "1 value", "bad"] {
        ensure!(refusal.contains(word), "{word} in {refusal}");
    }
    ensure!(shop.catalog().await? == before);
    // The refused undo has not begun, so that the change may still be contracted.
    shop.run(&plan, Phase::Swap).await?;

    for table in ["parent WHERE title = 'x'", "loose WHERE number = -1"] {
        let delete = format!("DELETE FROM {table}");
        connection.execute("the correction", &delete).await?;
    }
    drop(connection);
    shop.expect(&rows, to, Names::New).await?;
    shop.undo(&plan).await?;
    shop.expect(&rows, from, Names::Old).await
}

/// A table and a reference that somebody has dropped while the change was on its way.
async fn gone_before(shop: Shop) -> Result<()> {
    for phase in [Phase::Expand, Phase::Backfill, Phase::Check] {
        shop.create(OLD).await?;
        shop.fill(OLD, 50, 17).await?;
        let plan = shop.plan(OLD, NEW).await?;
        shop.run(&plan, phase).await?;
        drop_some(&shop).await?;
        shop.undo(&plan)
            .await
            .with_context(|| format!("after {phase:?}"))?;
        nothing_is_left(&shop).await?;
        shop.drop_tables().await?;
    }
    Ok(())
}

/// The same after the swap, to both sides.
async fn gone_after(shop: Shop) -> Result<()> {
    for is_undone in [true, false] {
        shop.create(OLD).await?;
        shop.fill(OLD, 50, 18).await?;
        let plan = shop.plan(OLD, NEW).await?;
        shop.run(&plan, Phase::Swap).await?;
        drop_some(&shop).await?;
        match is_undone {
            true => shop.undo(&plan).await?,
            false => shop.contract(&plan).await?,
        }
        nothing_is_left(&shop).await?;
        shop.drop_tables().await?;
    }
    Ok(())
}

/// The last table of the plan with a reference, and one of another's.
async fn drop_some(shop: &Shop) -> Result<()> {
    let mut connection = shop.connect().await?;
    let reference = match shop.dialect.backend {
        // There, tables have to be made anew for that.
        Backend::Sqlite => None,
        Backend::Postgres => Some("CONSTRAINT"),
        _ => Some("FOREIGN KEY"),
    };
    if let Some(kind) = reference {
        let drop = format!("ALTER TABLE child DROP {kind} child_parent");
        connection.execute("a reference", &drop).await?;
    }
    for table in ["part", "loose"] {
        let drop = format!("DROP TABLE {table}");
        connection.execute("a table", &drop).await?;
    }
    Ok(())
}

async fn nothing_is_left(shop: &Shop) -> Result<()> {
    let mut connection = shop.connect().await?;
    let catalog = rowkey_relayout::catalog::Catalog::read(&mut connection).await?;
    let tables = catalog.tables.iter();
    let names: Vec<_> = tables.map(|table| table.name.name.as_str()).collect();
    ensure!(names == ["child", "line", "parent"], "{names:?}");
    if shop.dialect.backend == Backend::Postgres {
        let made = "SELECT count(*) FROM pg_proc WHERE proname LIKE 'rowkey\\_%' \
                    AND pronamespace = current_schema()::regnamespace";
        ensure!(
            number(&mut connection, made).await? == 0,
            "functions are left"
        );
        let ours = "SELECT count(*) FROM pg_attribute JOIN pg_class c ON c.oid = attrelid \
                    WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' \
                    AND NOT attisdropped AND attname LIKE '%\\_before'";
        ensure!(
            number(&mut connection, ours).await? == 0,
            "columns are left"
        );
    }
    Ok(())
}

/// What a person has hung on the old values is named before anything is dropped, so that the change
/// can still be undone.
async fn used_at_the_end(shop: Shop) -> Result<()> {
    shop.create(OLD).await?;
    let rows = shop.fill(OLD, 50, 16).await?;
    let plan = shop.plan(OLD, NEW).await?;
    shop.run(&plan, Phase::Swap).await?;
    let (table, column) = match shop.dialect.is_mysql() {
        true => ("parent_rowkey_old", "id"),
        false => ("parent", "id_before"),
    };
    let mut connection = shop.connect().await?;
    let create = format!("CREATE VIEW compared AS SELECT {column}, title FROM {table}");
    connection.execute("a view", &create).await?;
    refused(shop.contract(&plan).await, &["the view", "compared"])?;
    let found = verified(&shop, &plan).await?;
    ensure!(found.differences.is_empty(), "{found:?}");
    let drop = "DROP VIEW compared";
    connection.execute("a view", drop).await?;
    shop.undo(&plan).await?;
    shop.expect(&rows, OLD, Names::Old).await
}
