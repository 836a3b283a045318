//! Tables go from each database to each other one, with ids that change their form on the way.

mod advice;
mod begun_before;
mod changes;
mod checks;
mod copied_rows;
mod counters;
mod defaults;
mod divided_target;
mod found;
mod framework_types;
mod held;
mod indexes;
mod interrupted;
mod json_trees;
mod keys;
mod letters;
mod lossy_types;
mod many_rows;
mod migrated_target;
mod migrated_types;
mod newer_servers;
mod omissions;
mod one_round;
mod own_rules;
mod parallel;
mod random_ids;
mod references;
mod refusals;
mod rehearsal;
mod sequences;
mod server;
mod settings;
pub(crate) mod shop;
mod sqlserver;
mod truth;
mod types;
pub(crate) mod values;

use anyhow::{Result, anyhow, ensure};
use rowkey_copy::{Choices, CopyPlan, Planned, Request};
use rowkey_doctor::stored_ids;
use rowkey_tables::{Address, Connection, Silent};
use rowkey_testkit::{Backend, Search, Server, Suite, test_name};

use crate::is_large;

pub(crate) use self::interrupted::as_child;

pub(crate) fn add_tests(suite: &mut Suite) {
    for target in Backend::ALL {
        let to = test_name(target);
        pair(
            suite,
            &format!("every_value_to_{to}"),
            Backend::ALL,
            target,
            every_value,
        );
        pair(
            suite,
            &format!("chaos_killed_and_resumed_to_{to}"),
            Backend::ALL,
            target,
            killed_and_resumed,
        );
        pair(
            suite,
            &format!("a_difference_is_found_in_{to}"),
            Backend::ALL,
            target,
            differences,
        );
    }
    advice::add_tests(suite);
    begun_before::add_tests(suite);
    changes::add_tests(suite);
    checks::add_tests(suite);
    copied_rows::add_tests(suite);
    counters::add_tests(suite);
    defaults::add_tests(suite);
    divided_target::add_tests(suite);
    found::add_tests(suite);
    framework_types::add_tests(suite);
    held::add_tests(suite);
    indexes::add_tests(suite);
    json_trees::add_tests(suite);
    keys::add_tests(suite);
    letters::add_tests(suite);
    omissions::add_tests(suite);
    one_round::add_tests(suite);
    own_rules::add_tests(suite);
    lossy_types::add_tests(suite);
    many_rows::add_tests(suite);
    migrated_target::add_tests(suite);
    random_ids::add_tests(suite);
    migrated_types::add_tests(suite);
    newer_servers::add_tests(suite);
    parallel::add_tests(suite);
    references::add_tests(suite);
    refusals::add_tests(suite);
    rehearsal::add_tests(suite);
    sequences::add_tests(suite);
    settings::add_tests(suite);
    sqlserver::add_tests(suite);
    truth::add_tests(suite);
    types::add_tests(suite);
}

/// Adds a scenario with a database of each of some backends and one of another backend. It is
/// ignored where one of the two is missing.
pub(crate) fn pair<F: Future<Output = Result<()>>>(
    suite: &mut Suite,
    name: &str,
    sources: impl IntoIterator<Item = Backend>,
    target: Backend,
    scenario: impl Fn(String, String) -> F + Copy + Send + 'static,
) {
    let found = Server::find(target);
    for source in sources {
        match &found {
            Ok(Search::Found(server)) => {
                let server = server.clone();
                suite.test_on(source, name, move |source| {
                    let target = server.create_database()?;
                    let runtime = tokio::runtime::Builder::new_current_thread()
                        .enable_all()
                        .build()?;
                    let urls = (source.url().to_owned(), target.url().to_owned());
                    runtime.block_on(scenario(urls.0, urls.1))
                });
            }
            Ok(Search::Missing(why)) => suite.ignore_on(source, name, why),
            Ok(Search::Required(why)) => {
                let why = why.clone();
                suite.test_on(source, name, move |_| Err(anyhow!(why)));
            }
            Err(error) => {
                let why = error.to_string();
                suite.test_on(source, name, move |_| Err(anyhow!(why)));
            }
        }
    }
}

pub(crate) async fn open(url: &str) -> Result<Connection> {
    Ok(Connection::open(&url.parse::<Address>()?).await?)
}

pub(crate) async fn execute(db: &mut Connection, doing: &str, statements: &[&str]) -> Result<()> {
    for statement in statements {
        db.execute(doing, statement).await?;
    }
    Ok(())
}

pub(crate) async fn plan(source: &str, target: &str) -> Result<CopyPlan> {
    Ok(planned(source, target, Choices::default()).await?.plan)
}

pub(crate) async fn planned(source: &str, target: &str, choices: Choices) -> Result<Planned> {
    let (mut source, mut target) = (open(source).await?, open(target).await?);
    let planned =
        rowkey_copy::plan(&mut source, &mut target, choices, &mut Silent, stored_ids).await?;
    // As people see it.
    let plan = CopyPlan::from_toml(&planned.plan.to_toml()?)?;
    Ok(Planned { plan, ..planned })
}

/// One after the other, and the tables are made.
pub(crate) fn creating() -> Request {
    Request {
        create: true,
        ..Request::default()
    }
}

pub(crate) async fn copy(
    source: &str,
    target: &str,
    plan: &CopyPlan,
) -> Result<rowkey_copy::Report> {
    let (mut source, mut target) = (open(source).await?, open(target).await?);
    Ok(rowkey_copy::copy(&mut source, &mut target, plan, &creating(), &mut Silent).await?)
}

async fn compare(source: &str, target: &str, plan: &CopyPlan) -> Result<rowkey_copy::Comparison> {
    let (mut source, mut target) = (open(source).await?, open(target).await?);
    Ok(rowkey_copy::compare(&mut source, &mut target, plan, &mut Silent).await?)
}

/// Makes the tables, and both sides have the same rows then.
pub(crate) async fn copy_equal(source: &str, target: &str, plan: &CopyPlan) -> Result<()> {
    copy(source, target, plan).await?;
    are_equal(source, target, plan).await
}

/// Into tables that exist, and both sides have the same rows then.
pub(crate) async fn copy_into_existing(source: &str, target: &str, plan: &CopyPlan) -> Result<()> {
    let (mut from, mut to) = (open(source).await?, open(target).await?);
    rowkey_copy::copy(&mut from, &mut to, plan, &Request::default(), &mut Silent).await?;
    are_equal(source, target, plan).await
}

async fn are_equal(source: &str, target: &str, plan: &CopyPlan) -> Result<()> {
    let compared = compare(source, target, plan).await?;
    ensure!(compared.is_equal(), "{compared:?}");
    Ok(())
}

async fn every_value(source: String, target: String) -> Result<()> {
    // Several batches.
    let visits = if is_large() { 20_000 } else { 3_000 };
    let shop = shop::create_with(&source, &target, visits).await?;
    let plan = plan(&source, &target).await?;
    let names: Vec<&str> = plan
        .tables
        .iter()
        .map(|table| table.name.name.as_str())
        .collect();
    ensure!(names == ["offer", "visit"], "{names:?}");
    ensure!(plan.left_out.len() == 1, "{:?}", plan.left_out);
    let report = copy(&source, &target, &plan).await?;
    let rows: Vec<u64> = report.tables.iter().map(|table| table.rows).collect();
    ensure!(rows == [shop::OFFERS as u64, visits as u64], "{rows:?}");

    let mut db = open(&target).await?;
    shop::check_rows_with(&mut db, &shop, visits).await?;
    let compared = compare(&source, &target, &plan).await?;
    ensure!(compared.is_equal(), "{compared:?}");
    // Nothing is left to do.
    let again = copy(&source, &target, &plan).await?;
    ensure!(
        again
            .tables
            .iter()
            .all(|table| table.rows == table.rows_before),
        "{again:?}"
    );
    shop::check_constraints(&mut db, &shop).await
}

/// Two processes end in the middle, at places that differ from pair to pair; twenty in long tests.
async fn killed_and_resumed(source: String, target: String) -> Result<()> {
    let shop = shop::create(&source, &target).await?;
    let mut plan = plan(&source, &target).await?;
    plan.policy.batch_rows = 7;
    plan.policy.transaction_rows = 20;
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("plan.toml");
    std::fs::write(&path, plan.to_toml()?)?;
    let seed = plan.hash()?.bytes().map(u32::from).sum::<u32>();
    // The first step is the look at the values, and the second is before the first commit.
    let steps = match is_large() {
        // All of them do not reach the end. The look is not repeated once the copy has begun.
        true => std::iter::once(3).chain([1; 19]).collect(),
        false => vec![2 + seed % 9, 4 + seed % 11],
    };
    for steps in steps {
        let status = interrupted::run(&source, &target, &path, steps, &creating())?;
        ensure!(status.code().is_none(), "it has ended by itself: {status}");
    }
    let report = copy(&source, &target, &plan).await?;
    ensure!(report.tables[0].rows_before > 0, "{report:?}");
    let is_changed = report.tables.iter().any(|table| table.changed.is_some());
    ensure!(!is_changed, "{report:?}");
    shop::check_rows(&mut open(&target).await?, &shop).await?;
    let compared = compare(&source, &target, &plan).await?;
    ensure!(compared.is_equal(), "{compared:?}");
    shop::check_constraints(&mut open(&target).await?, &shop).await
}

/// A changed value, a missing row, a row too many, and two rows that have changed places.
async fn differences(source: String, target: String) -> Result<()> {
    shop::create(&source, &target).await?;
    let plan = plan(&source, &target).await?;
    let error = compare(&source, &target, &plan)
        .await
        .unwrap_err()
        .to_string();
    let is_told = error.contains("offer, visit in the target: missing")
        && error.contains("run `rowkey copy`");
    ensure!(is_told, "{error}");
    copy(&source, &target, &plan).await?;
    let mut db = open(&target).await?;
    // SQL Server does not change a number that it counts.
    let moved = match db.backend() {
        Backend::SqlServer => (
            "DELETE FROM visit WHERE number = 5",
            "UPDATE visit SET small = small",
            &["5"][..],
        ),
        _ => (
            "UPDATE visit SET number = 1000 WHERE number = 5",
            "UPDATE visit SET number = 5 WHERE number = 1000",
            &["5", "1000"][..],
        ),
    };
    for (change, back, keys) in [
        (
            "UPDATE visit SET small = 1 WHERE number = 17",
            "UPDATE visit SET small = -32768 WHERE number = 17",
            &["17"][..],
        ),
        moved,
    ] {
        // `small` of visit 17 is what the second statement says, or the comparison at the end
        // fails.
        db.execute("a change", change).await?;
        let compared = compare(&source, &target, &plan).await?;
        let difference = compared.tables[1].difference.as_ref();
        let found = difference.is_some_and(|found| {
            found.parts == keys.len()
                && found.keys.iter().all(|key| keys.contains(&key.as_str()))
                && !found.keys.is_empty()
        });
        ensure!(found, "{change}: {compared:?}");
        ensure!(compared.tables[0].difference.is_none());
        db.execute("the way back", back).await?;
    }
    Ok(())
}
