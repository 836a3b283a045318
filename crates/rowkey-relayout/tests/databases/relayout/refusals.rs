//! What is refused, before anything is changed.

use anyhow::{Result, bail, ensure};
use rowkey_relayout::Phase;
use rowkey_relayout::plan::{LeftOut, Plan};
use rowkey_tables::Error;
use rowkey_tables::catalog::Catalog;
use rowkey_testkit::{Backend, Suite};

use crate::LIVE;
use crate::relayout::rows::Random;
use crate::relayout::shop::{NEW, Names, OLD, Shop};
use crate::relayout::{add, add_printed};

pub(crate) fn add_tests(suite: &mut Suite) {
    add(suite, "an_edited_plan_is_refused", edited_plan);
    add(suite, "a_changed_catalogue_is_refused", changed_catalogue);
    add_printed(suite, "a_damaged_value_is_refused", damaged_value);
    add_printed(suite, "a_new_name_that_is_not_free_is_refused", unfit_names);
    add_printed(suite, "a_view_of_the_key_is_refused_by_name", view);
    add_printed(suite, "a_name_that_is_taken_is_refused", taken_name);
    scenarios!(suite, &[Backend::Postgres, Backend::Sqlite];
        "a_name_of_the_system_is_refused" => system_name,
    );
    scenarios!(suite, &LIVE;
        "references_that_lead_nowhere_are_refused" => orphans,
    );
    scenarios!(suite, &Backend::ALL;
        "a_reference_outside_the_plan_is_refused" => forgotten_reference,
        "a_reference_taken_out_of_a_plan_is_told" => edited_references,
        "a_reference_to_several_tables_is_refused" => polymorphic_reference,
    );
}

/// The refusal, which has changed nothing.
async fn refusal(shop: &Shop, plan: &Plan) -> Result<String> {
    let before = shop.catalog().await?;
    match shop.run(plan, Phase::Swap).await {
        Err(Error::Refused { what, why, instead }) => {
            ensure!(shop.catalog().await? == before, "something was changed");
            Ok(format!("{what}: {why}; {instead}"))
        }
        Err(other) => bail!("{other:?} instead of a refusal"),
        Ok(()) => bail!("nothing was refused"),
    }
}

async fn edited_plan(shop: Shop) -> Result<()> {
    shop.create(OLD).await?;
    let rows = shop.fill(OLD, 50, 21).await?;
    let plan = shop.plan(OLD, NEW).await?;
    shop.run(&plan, Phase::Backfill).await?;
    let mut edited = plan.clone();
    edited.key.becomes = "another".into();
    let refusal = refusal(&shop, &edited).await?;
    ensure!(refusal.contains("the plan"), "{refusal}");
    shop.run(&plan, Phase::Swap).await?;
    shop.expect(&rows, NEW, Names::New).await
}

async fn changed_catalogue(shop: Shop) -> Result<()> {
    shop.create(OLD).await?;
    let rows = shop.fill(OLD, 50, 22).await?;
    let plan = shop.plan(OLD, NEW).await?;
    let mut connection = shop.connect().await?;
    let add = shop.dialect.add_column();
    let add = format!("ALTER TABLE loose {add} another integer");
    connection.execute("a change", &add).await?;
    let found = refusal(&shop, &plan).await?;
    ensure!(found.contains("changed"), "{found}");

    let plan = shop.plan(OLD, NEW).await?;
    shop.run(&plan, Phase::Backfill).await?;
    let add = "CREATE INDEX loose_again ON loose (another)";
    connection.execute("a change", add).await?;
    let found = refusal(&shop, &plan).await?;
    ensure!(found.contains("changed"), "{found}");
    let drop = match shop.dialect.backend {
        Backend::MySql | Backend::MariaDb => "DROP INDEX loose_again ON loose",
        _ => "DROP INDEX loose_again",
    };
    connection.execute("taking it back", drop).await?;
    shop.run(&plan, Phase::Swap).await?;
    shop.expect(&rows, NEW, Names::New).await
}

/// The version is not the format's, so another program or another format wrote the value.
async fn damaged_value(shop: Shop) -> Result<()> {
    shop.create(OLD).await?;
    shop.fill(OLD, 50, 23).await?;
    let damaged = shop.dialect.form(OLD)?.literal(0xbad);
    let mut connection = shop.connect().await?;
    for (table, write, column) in [
        ("loose", "parent_id) VALUES (-1", "number"),
        ("parent", "id) VALUES ('x'", "title"),
    ] {
        let insert = format!("INSERT INTO {table} ({column}, {write}, {damaged})");
        connection.execute("the damage", &insert).await?;
    }
    let found = refusal(&shop, &shop.plan(OLD, NEW).await?).await?;
    for word in ["parent.id", "loose.parent_id", "1 value", "bad"] {
        ensure!(found.contains(word), "{word} in {found}");
    }
    Ok(())
}

/// Another column names the table of each id. With one table only, the ids are those of the plan.
async fn polymorphic_reference(shop: Shop) -> Result<()> {
    shop.create(OLD).await?;
    let mut connection = shop.connect().await?;
    let rows = shop.fill(OLD, 20, 24).await?;
    let add = shop.dialect.add_column();
    let add = format!("ALTER TABLE loose {add} parent_type varchar(20)");
    connection.execute("a type", &add).await?;
    let set = "UPDATE loose SET parent_type = 'parent'";
    connection.execute("one type", set).await?;
    let plan = shop.plan(OLD, NEW).await?;
    for (other, name) in [
        (
            "UPDATE loose SET parent_type = 'Child' WHERE number % 2 = 0",
            "`Child`",
        ),
        (
            "UPDATE loose SET parent_type = 'Offer' WHERE parent_id NOT IN (SELECT id FROM parent)",
            "`Offer`",
        ),
    ] {
        connection.execute("one type", set).await?;
        connection.execute("another type", other).await?;
        let found = refusal(&shop, &plan).await?;
        let reason = format!("loose.parent_id: parent_type says {name}");
        for part in [reason.as_str(), "leave it out"] {
            ensure!(found.contains(part), "{found}");
        }
    }
    connection.execute("one type", set).await?;
    // No table, but ids of this one.
    let same =
        "UPDATE loose SET parent_type = 'private' WHERE parent_id IN (SELECT id FROM parent)";
    connection.execute("a word", same).await?;
    shop.run(&plan, Phase::Swap).await?;
    shop.expect(&rows, NEW, Names::New).await
}

/// Written while nothing was enforced.
async fn orphans(shop: Shop) -> Result<()> {
    shop.create(OLD).await?;
    shop.fill(OLD, 20, 55).await?;
    let orphan = shop.dialect.form(OLD)?.literal(Random(56).id());
    let quiet = match shop.dialect.backend {
        Backend::Postgres => "SET session_replication_role = replica",
        Backend::Sqlite => "PRAGMA foreign_keys = OFF",
        _ => "SET foreign_key_checks = 0",
    };
    let insert = format!("INSERT INTO child (number, parent_id) VALUES (-1, {orphan})");
    let mut connection = shop.connect().await?;
    for statement in [quiet, &insert] {
        connection.execute("a reference", statement).await?;
    }
    let found = refusal(&shop, &shop.plan(OLD, NEW).await?).await?;
    let name = match shop.dialect.backend {
        Backend::Sqlite => "the reference parent_id of child: 1 of its values lead nowhere",
        _ => "the foreign key child_parent of child: 1 of its references lead nowhere",
    };
    ensure!(found.contains(name), "{found}");
    let delete = "DELETE FROM child WHERE number = -1";
    connection.execute("no such row", delete).await?;
    shop.run(&shop.plan(OLD, NEW).await?, Phase::Swap).await?;
    Ok(())
}

async fn view(shop: Shop) -> Result<()> {
    shop.create(OLD).await?;
    let mut connection = shop.connect().await?;
    let create = "CREATE VIEW known_parents AS SELECT id FROM parent";
    connection.execute("a view", create).await?;
    let found = refusal(&shop, &shop.plan(OLD, NEW).await?).await?;
    ensure!(found.contains("known_parents"), "{found}");
    Ok(())
}

async fn taken_name(shop: Shop) -> Result<()> {
    shop.create(OLD).await?;
    let mut connection = shop.connect().await?;
    let (take, name) = shop.dialect.taken_name();
    connection.execute("a name", take).await?;
    let found = refusal(&shop, &shop.plan(OLD, NEW).await?).await?;
    ensure!(found.contains(name), "{found}");
    Ok(())
}

/// Every table has a column of this name already, which no catalogue shows.
async fn system_name(shop: Shop) -> Result<()> {
    shop.create(OLD).await?;
    let mut plan = shop.plan(OLD, NEW).await?;
    let name = match shop.dialect.backend {
        Backend::Postgres => "xmin",
        _ => "RowId",
    };
    plan.key.becomes = name.into();
    let found = refusal(&shop, &plan).await?;
    ensure!(
        found.contains(&format!("`becomes = \"{name}\"`")),
        "{found}"
    );
    Ok(())
}

/// New names that are none, or that another column has or will get. PostgreSQL alone tells `ID`
/// from `id`.
async fn unfit_names(shop: Shop) -> Result<()> {
    shop.create(OLD).await?;
    let written = shop.plan(OLD, NEW).await?;
    for name in ["", "id_before", "above_id", "ID", "TITLE"] {
        let is_free = shop.dialect.backend == Backend::Postgres && matches!(name, "ID" | "TITLE");
        if is_free {
            continue;
        }
        let mut plan = written.clone();
        plan.key.becomes = name.into();
        let found = refusal(&shop, &plan).await?;
        let expected = format!("`becomes = \"{name}\"`");
        ensure!(found.contains(&expected), "{found}");
    }
    Ok(())
}

/// A plan that was edited is not one of other tables.
async fn edited_references(shop: Shop) -> Result<()> {
    shop.create(OLD).await?;
    let written = shop.plan(OLD, NEW).await?;
    for is_left_out in [false, true] {
        let mut plan = written.clone();
        plan.references
            .retain(|reference| reference.table.name != "child");
        if is_left_out {
            let (table, column) = ("child".into(), "parent_id".into());
            plan.left_out.push(LeftOut { table, column });
        }
        let found = refusal(&shop, &plan).await?;
        for part in [
            "the plan: it was edited",
            "child.parent_id",
            "child.other_id",
        ] {
            ensure!(found.contains(part), "{part} in {found}");
        }
        ensure!(!found.contains("have changed"), "{found}");
    }
    // No constraint asserts it.
    let mut plan = written.clone();
    plan.references.retain(|reference| reference.asserted);
    let (table, column) = ("loose".into(), "parent_id".into());
    plan.left_out.push(LeftOut { table, column });
    let found = refusal(&shop, &plan).await?;
    ensure!(found.contains("the plan: it was edited"), "{found}");
    Ok(())
}

/// A foreign key would lead from old ids to new ones.
async fn forgotten_reference(shop: Shop) -> Result<()> {
    shop.create(OLD).await?;
    let mut plan = shop.plan(OLD, NEW).await?;
    plan.references
        .retain(|reference| reference.table.name != "part");
    let mut connection = shop.connect().await?;
    let catalog = Catalog::read(&mut connection).await?;
    plan.catalog = catalog.hash(&plan.tables());
    let found = refusal(&shop, &plan).await?;
    ensure!(found.contains("part"), "{found}");
    Ok(())
}
