//! From the first phase to the last, without anybody else.

use anyhow::{Context, Result, ensure};
use rowkey_relayout::plan::OldPrograms;
use rowkey_relayout::preflight::Preflight;
use rowkey_relayout::{self as relayout, Phase};
use rowkey_tables::{Connection, Error, Progress, Silent, Step};
use rowkey_testkit::{Backend, Suite};

use crate::relayout::rows::{Child, Random};
use crate::relayout::shop::{NEW, Names, OLD, Shop, refused};
use crate::relayout::{add, add_printed};

pub(crate) fn add_tests(suite: &mut Suite) {
    add_printed(
        suite,
        "a_key_and_its_references_change",
        |shop| async move {
            shop.create(OLD).await?;
            there(&shop, OLD, NEW).await
        },
    );
    add_printed(suite, "text_becomes_bytes", |shop| async move {
        shop.create("text").await?;
        there(&shop, "text", "uuid:public").await
    });
    add_printed(suite, "compact_text_becomes_bytes", |shop| async move {
        shop.create("text-compact").await?;
        there(&shop, "text-compact", "uuid:public").await
    });
    add_printed(suite, "text_becomes_compact_text", |shop| async move {
        shop.create("text").await?;
        there(&shop, "text", "text-compact").await
    });
    add_printed(suite, "bytes_become_38_digits", |shop| async move {
        let shop = shop.with_38_digits();
        shop.create("binary").await?;
        there(&shop, "binary", "text-digits").await
    });
    add_printed(suite, "38_digits_become_compact_text", |shop| async move {
        let shop = shop.with_38_digits();
        shop.create("text-digits").await?;
        there(&shop, "text-digits", "text-compact").await
    });
    add(suite, "phases_can_be_repeated_and_done_one_by_one", phases);
    add_printed(suite, "an_empty_table_changes", |shop| async move {
        shop.create(OLD).await?;
        let plan = shop.plan(OLD, NEW).await?;
        shop.run(&plan, Phase::Swap).await?;
        shop.contract(&plan).await?;
        shop.expect(&Default::default(), NEW, Names::New).await
    });
    add_printed(suite, "a_dry_run_changes_nothing", dry_run);
    let with_marks = [Backend::Postgres, Backend::MySql, Backend::MariaDb];
    scenarios!(suite, &with_marks;
        "programs_are_told_apart_by_a_mark" => marked,
    );
}

/// The change, with what programs can and cannot do after it.
async fn there(shop: &Shop, from: &str, to: &str) -> Result<()> {
    let mut rows = shop.fill(from, 1_200, 1).await?;
    let plan = shop.plan(from, to).await?;
    ensure!(plan.references.len() == 6, "{:?}", plan.references);
    shop.run(&plan, Phase::Swap).await?;
    shop.expect(&rows, to, Names::New).await?;

    let mut connection = shop.connect().await?;
    old_programs_fail(shop, &mut connection, from, OldPrograms::Rename).await?;
    shop.expect(&rows, to, Names::New).await?;

    let (old, new) = (shop.dialect.form(from)?, shop.dialect.form(to)?);
    let mut random = Random(2);
    let [one, other] = [random.id(), random.id()];
    let in_new = |sql: &str| Names::New.in_sql(sql);
    let writes = [
        in_new("INSERT INTO parent ({id}, title) VALUES ")
            + &format!("({}, 'new')", new.literal(one)),
        in_new("INSERT INTO child (number, {parent_id}) VALUES ")
            + &format!("(-1, {})", new.literal(one)),
        in_new("UPDATE parent SET {id} = ")
            + &new.literal(other)
            + &in_new(" WHERE {id} = ")
            + &new.literal(one),
    ];
    shop.transaction(&mut connection, &writes).await?;
    let parent = crate::relayout::rows::Parent {
        title: "new".into(),
        above: None,
        created: 0,
    };
    rows.parents.insert(other, parent);
    let child = Child {
        parent: other,
        other: None,
    };
    rows.children.insert(-1, child);
    shop.expect(&rows, to, Names::New).await?;

    let victim = *rows.parents.keys().next().context("a parent")?;
    let delete = in_new(&shop.dialect.deletion(&new.literal(victim)));
    connection.execute("a deletion", &delete).await?;
    rows.delete(victim);
    shop.expect(&rows, to, Names::New).await?;
    let orphan = in_new("INSERT INTO child (number, {parent_id}) VALUES ")
        + &format!("(-2, {})", new.literal(random.id()));
    ensure!(connection.execute("an orphan", &orphan).await.is_err());

    shop.contract(&plan).await?;
    shop.expect(&rows, to, Names::New).await?;
    for column in ["id_before", "id"] {
        let query = format!("SELECT {column} FROM parent");
        ensure!(
            connection
                .query("the old column", &query, &[])
                .await
                .is_err()
        );
    }
    let _ = old;
    refused(shop.undo(&plan).await, &[]).map(|_| ())
}

/// Every statement of a program with the old declaration fails, or at least changes nothing.
pub(crate) async fn old_programs_fail(
    shop: &Shop,
    connection: &mut Connection,
    from: &str,
    old_programs: OldPrograms,
) -> Result<()> {
    let form = shop.dialect.form(from)?;
    let id = form.literal(Random(3).id());
    for statement in [
        format!("INSERT INTO parent (id, title) VALUES ({id}, 'old')"),
        format!("UPDATE parent SET id = {id}"),
        format!("UPDATE parent SET title = 'old' WHERE id = {id}"),
        format!("DELETE FROM parent WHERE id = {id}"),
        format!("INSERT INTO child (number, parent_id) VALUES (-9, {id})"),
        format!("UPDATE loose SET parent_id = {id}"),
        // Without a list of columns, the old form would be in the place of the new one, or nowhere.
        format!("INSERT INTO loose VALUES (-9, {id})"),
        format!("DELETE FROM line WHERE parent_id = {id}"),
    ] {
        let outcome = connection.execute("an old program", &statement).await;
        let is_harmless = match outcome {
            Err(_) => true,
            // Triggers of rows do not see a statement that finds none.
            Ok(rows) => rows == 0 && old_programs == OldPrograms::Mark && shop.dialect.is_mysql(),
        };
        ensure!(is_harmless, "an old program has done {statement}");
    }
    Ok(())
}

async fn phases(shop: Shop) -> Result<()> {
    shop.create(OLD).await?;
    let rows = shop.fill(OLD, 300, 4).await?;
    let plan = shop.plan(OLD, NEW).await?;
    for phase in Phase::ALL {
        for _ in 0..2 {
            shop.run(&plan, phase).await.with_context(|| phase.name())?;
        }
        let (form, names) = match phase {
            Phase::Swap => (NEW, Names::New),
            _ => (OLD, Names::Old),
        };
        shop.expect(&rows, form, names).await?;
    }
    shop.contract(&plan).await?;
    shop.expect(&rows, NEW, Names::New).await
}

async fn dry_run(shop: Shop) -> Result<()> {
    shop.create(OLD).await?;
    let rows = shop.fill(OLD, 100, 5).await?;
    let before = shop.catalog().await?;
    for old_programs in [OldPrograms::Rename, OldPrograms::Mark] {
        let mut request = shop.request(OLD, NEW);
        request.policy.old_programs = old_programs;
        let plan = shop.plan_for(&request).await?;
        let mut connection = Connection::open(&shop.address).await?;
        let script = match relayout::script(&mut connection, &plan, Phase::Swap).await {
            // SQLite has no marks.
            Err(Error::Refused { .. }) if old_programs == OldPrograms::Mark => continue,
            script => script?,
        };
        for phase in Phase::ALL {
            let heading = format!("-- {}", phase.name());
            ensure!(script.contains(&heading), "{heading} in {script:#?}");
        }
        ensure!(script.len() > 12, "{script:#?}");
        let first = relayout::script(&mut connection, &plan, Phase::Expand).await?;
        ensure!(script.starts_with(&first[..first.len() - 1]), "{first:#?}");
        let end = relayout::contract_script(&mut connection, &plan).await?;
        ensure!(end[0] == "-- contract" && end.len() > 2, "{end:#?}");
        ensure!(!script.contains(&end[0]), "{script:#?}");
        if shop.dialect.backend == Backend::SqlServer {
            let phase = Phase::Expand;
            refused(
                relayout::run(&mut connection, &plan, phase, &mut Silent).await,
                &["prints"],
            )?;
        }
    }
    ensure!(shop.catalog().await? == before);
    shop.expect(&rows, OLD, Names::Old).await
}

/// What a change tells a person.
struct Notes(Vec<String>);

impl Progress for Notes {
    fn report(&mut self, step: Step) {
        if let Step::Note(note) = step {
            self.0.push(note);
        }
    }
}

/// The columns keep their names, and sessions without the mark cannot write, before and after an
/// undo.
async fn marked(shop: Shop) -> Result<()> {
    shop.create(OLD).await?;
    let mut rows = shop.fill(OLD, 200, 6).await?;
    let mut request = shop.request(OLD, NEW);
    request.policy.old_programs = OldPrograms::Mark;
    let plan = shop.plan_for(&request).await?;
    ensure!(plan.key.becomes == "id", "{}", plan.key.becomes);
    let mut connection = shop.connect().await?;
    let mark = shop.dialect.marked(&plan.mark()?);
    let told = Preflight::read(&mut connection, &plan).await?.notes;
    ensure!(told.iter().any(|note| note.contains(&mark)), "{told:?}");
    let mut notes = Notes(Vec::new());
    for last in [Phase::Check, Phase::Swap] {
        relayout::run(&mut connection, &plan, last, &mut notes).await?;
        let told = std::mem::take(&mut notes.0);
        let told = told.iter().filter(|note| note.contains(&mark));
        ensure!(told.count() == 1, "{last:?}");
    }
    shop.expect(&rows, NEW, Names::Old).await?;

    let mut old = shop.connect().await?;
    old_programs_fail(&shop, &mut old, OLD, OldPrograms::Mark).await?;
    let mut new = shop.connect().await?;
    let mark = shop.dialect.marked(&plan.mark()?);
    new.execute("the mark", &mark).await?;
    let form = shop.dialect.form(NEW)?;
    let id = Random(7).id();
    let insert = format!(
        "INSERT INTO parent (id, title) VALUES ({}, 'marked')",
        form.literal(id)
    );
    let child = format!(
        "INSERT INTO child (number, parent_id) VALUES (-1, {})",
        form.literal(id)
    );
    shop.transaction(&mut new, &[insert, child]).await?;
    let title = "marked".to_owned();
    let parent = crate::relayout::rows::Parent {
        title,
        above: None,
        created: 0,
    };
    rows.parents.insert(id, parent);
    let child = Child {
        parent: id,
        other: None,
    };
    rows.children.insert(-1, child);
    let victim = *rows.parents.keys().next().context("a parent")?;
    let delete = format!("DELETE FROM parent WHERE id = {}", form.literal(victim));
    new.execute("a deletion", &delete).await?;
    rows.delete(victim);
    shop.expect(&rows, NEW, Names::Old).await?;
    drop((old, new));

    shop.undo(&plan).await?;
    shop.expect(&rows, OLD, Names::Old).await?;
    let plan = shop.plan_for(&request).await?;
    shop.run(&plan, Phase::Swap).await?;
    shop.contract(&plan).await?;
    shop.expect(&rows, NEW, Names::Old).await
}
