//! Several tables, and parts of tables, at the same time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use anyhow::{Context, Result, ensure};
use rowkey_copy::{CopyPlan, Request};
use rowkey_tables::Silent;
use rowkey_testkit::{Backend, Suite, test_name};

use crate::copy::changes::in_runtime;
use crate::copy::{compare, interrupted, open, pair, plan, shop};
use crate::is_large;

const SERVERS: [Backend; 3] = [Backend::Postgres, Backend::MySql, Backend::MariaDb];

pub(crate) fn add_tests(suite: &mut Suite) {
    for target in SERVERS.into_iter().chain([Backend::SqlServer]) {
        let to = test_name(target);
        let sources = SERVERS.into_iter().chain([Backend::SqlServer]);
        pair(
            suite,
            &format!("in_parts_to_{to}"),
            sources,
            target,
            in_parts,
        );
        let name = format!("chaos_killed_in_parts_to_{to}");
        pair(suite, &name, SERVERS, target, killed_in_parts);
    }
    pair(
        suite,
        "changed_in_parts",
        SERVERS,
        Backend::Postgres,
        changed_in_parts,
    );
    pair(
        suite,
        "all_readers_see_the_same_moment",
        SERVERS,
        Backend::Postgres,
        same_moment,
    );
    pair(
        suite,
        "a_domain_that_lets_null_through",
        [Backend::Postgres],
        Backend::MariaDb,
        null_of_domain,
    );
    pair(
        suite,
        "sqlite_has_one_job",
        SERVERS,
        Backend::Sqlite,
        one_job,
    );
}

/// Some jobs, and parts of a few rows.
fn parallel() -> Request {
    Request {
        create: true,
        jobs: 3,
        part_rows: 40,
    }
}

async fn copy(source: &str, target: &str, plan: &CopyPlan) -> Result<rowkey_copy::Report> {
    let (mut source, mut target) = (open(source).await?, open(target).await?);
    Ok(rowkey_copy::copy(&mut source, &mut target, plan, &parallel(), &mut Silent).await?)
}

/// How many parts of each table are written down in the target, in the order of the plan.
async fn parts(target: &str) -> Result<Vec<i64>> {
    let query = "SELECT COUNT(*) FROM rowkey_copy WHERE job NOT LIKE '%-%' \
                 GROUP BY number ORDER BY number";
    let rows = open(target).await?.query("the parts", query, &[]).await?;
    Ok(rows
        .iter()
        .map(|row| row.integer(0))
        .collect::<Result<_, _>>()?)
}

async fn in_parts(source: String, target: String) -> Result<()> {
    let shop = shop::create(&source, &target).await?;
    let plan = plan(&source, &target).await?;
    let report = copy(&source, &target, &plan).await?;
    let rows: Vec<u64> = report.tables.iter().map(|table| table.rows).collect();
    ensure!(
        rows == [shop::OFFERS as u64, shop::VISITS as u64],
        "{rows:?}"
    );
    let parts = parts(&target).await?;
    ensure!(parts.iter().all(|parts| *parts >= 3), "{parts:?}");
    shop::check_rows(&mut open(&target).await?, &shop).await?;
    let compared = compare(&source, &target, &plan).await?;
    ensure!(compared.is_equal(), "{compared:?}");
    // One job sees the same parts, and has nothing to do.
    let again = crate::copy::copy(&source, &target, &plan).await?;
    let is_same = report.tables.iter().zip(&again.tables);
    let mut is_same = is_same.map(|(first, second)| {
        first.hash == second.hash && second.rows_before == first.rows && second.changed.is_none()
    });
    ensure!(is_same.all(|same| same), "{again:?}");
    shop::check_constraints(&mut open(&target).await?, &shop).await
}

/// A plan whose copies stop after few rows, and its file.
async fn small_plan(source: &str, target: &str) -> Result<(CopyPlan, tempfile::TempDir)> {
    let mut plan = plan(source, target).await?;
    plan.policy.batch_rows = 7;
    plan.policy.transaction_rows = 10;
    let folder = tempfile::tempdir()?;
    std::fs::write(folder.path().join("plan.toml"), plan.to_toml()?)?;
    Ok((plan, folder))
}

/// Two processes with several jobs end in the middle, twenty in long tests; the last one has one
/// job.
async fn killed_in_parts(source: String, target: String) -> Result<()> {
    // So many that twenty processes do not reach the end, each with what its jobs have begun.
    let visits = shop::VISITS * if is_large() { 24 } else { 1 };
    let shop = shop::create_with(&source, &target, visits).await?;
    let (plan, folder) = small_plan(&source, &target).await?;
    let file = folder.path().join("plan.toml");
    let seed = plan.hash()?.bytes().map(u32::from).sum::<u32>();
    let steps = match is_large() {
        true => std::iter::once(4).chain([2; 19]).collect(),
        false => vec![3 + seed % 9, 4 + seed % 7],
    };
    for steps in steps {
        let status = interrupted::run(&source, &target, &file, steps, &parallel())?;
        ensure!(status.code().is_none(), "it has ended by itself: {status}");
    }
    let report = crate::copy::copy(&source, &target, &plan).await?;
    let before: u64 = report.tables.iter().map(|table| table.rows_before).sum();
    let is_changed = report.tables.iter().any(|table| table.changed.is_some());
    ensure!(before > 0 && !is_changed, "{report:?}");
    shop::check_rows_with(&mut open(&target).await?, &shop, visits).await?;
    let compared = compare(&source, &target, &plan).await?;
    ensure!(compared.is_equal(), "{compared:?}");
    shop::check_constraints(&mut open(&target).await?, &shop).await
}

/// Rows of any part that were copied, and then changed, are named.
async fn changed_in_parts(source: String, target: String) -> Result<()> {
    shop::create(&source, &target).await?;
    let (plan, folder) = small_plan(&source, &target).await?;
    let file = folder.path().join("plan.toml");
    interrupted::run(&source, &target, &file, 34, &parallel())?;
    let query = "SELECT MIN(number), MAX(number) FROM visit";
    let rows = open(&target)
        .await?
        .query("copied rows", query, &[])
        .await?;
    let row = rows.first().context("no row")?;
    let (first, last) = (row.integer(0)?, row.integer(1)?);
    let mut db = open(&source).await?;
    let change = format!("UPDATE visit SET small = 77 WHERE number IN ({first}, {last})");
    db.execute("a change", &change).await?;
    let report = copy(&source, &target, &plan).await?;
    ensure!(report.tables[0].changed.is_none(), "{report:?}");
    let changed = report.tables[1].changed.as_ref();
    let mut keys = changed.context("no change was found")?.keys.clone();
    keys.sort_by_key(|key| key.parse().unwrap_or(0));
    ensure!(keys == [first.to_string(), last.to_string()], "{report:?}");
    Ok(())
}

/// A program moves an amount from one row to another all the time, and no reader sees half of that.
async fn same_moment(source: String, target: String) -> Result<()> {
    let mut db = open(&source).await?;
    let options = match db.backend() {
        Backend::Postgres => "",
        _ => " ENGINE = InnoDB",
    };
    let table = format!("CREATE TABLE purse (id integer PRIMARY KEY, amount integer){options}");
    db.execute("the table", &table).await?;
    let rows = "INSERT INTO purse VALUES (1, 500), (2, 500)";
    db.execute("the rows", rows).await?;
    let stop = Arc::new(AtomicBool::new(false));
    let (address, is_stopped) = (source.clone(), Arc::clone(&stop));
    let mover = thread::spawn(move || in_runtime(moves(address, is_stopped)));
    let sums = sums(&source, &target).await;
    stop.store(true, Ordering::Relaxed);
    let moved = mover.join().map_err(|_| anyhow::anyhow!("a panic"))??;
    let sums = sums?;
    ensure!(moved > 10, "only {moved} moves");
    ensure!(sums.iter().all(|sum| *sum == 1_000), "{sums:?}");
    Ok(())
}

async fn moves(source: String, is_stopped: Arc<AtomicBool>) -> Result<u32> {
    let mut db = open(&source).await?;
    let mut moved = 0;
    while !is_stopped.load(Ordering::Relaxed) {
        for statement in [
            "BEGIN",
            "UPDATE purse SET amount = amount - 1 WHERE id = 1",
            "UPDATE purse SET amount = amount + 1 WHERE id = 2",
            "COMMIT",
        ] {
            db.execute("a move", statement).await?;
        }
        moved += 1;
    }
    Ok(moved)
}

/// What copies with a reader for each row have found.
async fn sums(source: &str, target: &str) -> Result<Vec<i64>> {
    let request = Request {
        create: true,
        jobs: 2,
        part_rows: 1,
    };
    let plan = plan(source, target).await?;
    let mut sums = Vec::new();
    for _ in 0..10 {
        let (mut from, mut to) = (open(source).await?, open(target).await?);
        rowkey_copy::copy(&mut from, &mut to, &plan, &request, &mut Silent).await?;
        let query = "SELECT CAST(SUM(amount) AS CHAR(20)) FROM purse";
        let rows = to.query("the sum", query, &[]).await?;
        sums.push(rows.first().context("no row")?.text(0)?.trim().parse()?);
        ensure!(parts(target).await? == [2]);
        to.execute("the next round", "DROP TABLE purse").await?;
        to.execute("the next round", "DROP TABLE rowkey_copy")
            .await?;
    }
    Ok(sums)
}

/// The only row without a key is in no range of keys.
async fn null_of_domain(source: String, target: String) -> Result<()> {
    let mut from = open(&source).await?;
    for statement in [
        "CREATE DOMAIN number AS integer NOT NULL",
        "CREATE TABLE thing (k number UNIQUE, v integer)",
        "INSERT INTO thing SELECT n, n FROM generate_series(1, 100) n",
        "INSERT INTO thing VALUES ((SELECT 1::number WHERE false), -1)",
    ] {
        from.execute("the source", statement).await?;
    }
    let table = "CREATE TABLE thing (k integer UNIQUE, v integer)";
    let mut to = open(&target).await?;
    to.execute("the target", table).await?;
    let plan = plan(&source, &target).await?;
    let request = Request {
        create: false,
        ..parallel()
    };
    let report = rowkey_copy::copy(&mut from, &mut to, &plan, &request, &mut Silent).await?;
    ensure!(report.tables[0].rows == 101, "{report:?}");
    Ok(())
}

async fn one_job(source: String, target: String) -> Result<()> {
    shop::create(&source, &target).await?;
    let plan = plan(&source, &target).await?;
    let report = copy(&source, &target, &plan).await?;
    ensure!(
        report.notes.iter().any(|note| note.contains("one job")),
        "{report:?}"
    );
    let compared = compare(&source, &target, &plan).await?;
    ensure!(compared.is_equal(), "{compared:?}");
    Ok(())
}
