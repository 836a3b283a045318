//! Copies that stop in the middle, in a world that goes on.

use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use rowkey_copy::CopyPlan;
use rowkey_tables::{Address, Connection, Step};
use rowkey_testkit::{Backend, Suite, test_name};

use crate::LIVE;
use crate::copy::{
    compare, copy, copy_equal, creating, execute, interrupted, open, pair, plan, server, shop,
};

/// Rows that a server cannot send before somebody reads them.
const TEXTS: usize = 24_000;
const PER_STATEMENT: usize = 2_000;

pub(crate) fn add_tests(suite: &mut Suite) {
    for target in [Backend::MariaDb, Backend::Postgres, Backend::Sqlite] {
        let to = test_name(target);
        pair(
            suite,
            &format!("changed_meanwhile_to_{to}"),
            LIVE,
            target,
            changed_meanwhile,
        );
        pair(
            suite,
            &format!("what_is_missing_is_named_in_{to}"),
            LIVE,
            target,
            missing_objects,
        );
    }
    pair(
        suite,
        "a_table_that_is_filled_anew_meanwhile",
        [Backend::Postgres],
        Backend::Sqlite,
        filled_anew,
    );
    let servers = [Backend::Postgres, Backend::MySql, Backend::MariaDb];
    pair(
        suite,
        "a_lost_source_is_no_end",
        servers,
        Backend::Sqlite,
        lost_source,
    );
    let name = "a_lost_target_is_no_end";
    match server::is_installed() {
        true => pair(
            suite,
            name,
            [Backend::MariaDb],
            Backend::Sqlite,
            lost_target,
        ),
        false => suite.ignore_on(Backend::MariaDb, name, "no programs of PostgreSQL's server"),
    }
}

/// A view of before would have neither the old rows, which TRUNCATE has taken away, nor the new ones.
async fn filled_anew(source: String, target: String) -> Result<()> {
    let mut other = open(&source).await?;
    let table = "CREATE TABLE stock (id integer PRIMARY KEY)";
    execute(
        &mut other,
        "the source",
        &[table, "INSERT INTO stock VALUES (1)"],
    )
    .await?;
    let mut plan = plan(&source, &target).await?;
    plan.policy.preflight = false;
    let anew = ["BEGIN", "TRUNCATE stock", "INSERT INTO stock VALUES (2)"];
    execute(&mut other, "anew", &anew).await?;
    let commit = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        other.execute("anew", "COMMIT").await
    };
    let (copied, committed) = tokio::join!(copy(&source, &target, &plan), commit);
    committed?;
    ensure!(copied?.tables[0].rows == 1);
    let compared = compare(&source, &target, &plan).await?;
    ensure!(compared.is_equal(), "{compared:?}");
    Ok(())
}

/// A plan with small transactions, and its file.
async fn small_plan(source: &str, target: &str) -> Result<(CopyPlan, tempfile::TempDir)> {
    let mut plan = plan(source, target).await?;
    plan.policy.batch_rows = 7;
    plan.policy.transaction_rows = 20;
    let folder = tempfile::tempdir()?;
    std::fs::write(folder.path().join("plan.toml"), plan.to_toml()?)?;
    Ok((plan, folder))
}

/// How many steps a copy has before its indexes: the look at the values, and transactions of 21
/// rows.
const STEPS: usize = 1 + shop::OFFERS.div_ceil(21) + shop::VISITS.div_ceil(21);

/// Rows that were copied, and then changed, are named.
async fn changed_meanwhile(source: String, target: String) -> Result<()> {
    shop::create(&source, &target).await?;
    let (plan, folder) = small_plan(&source, &target).await?;
    let file = folder.path().join("plan.toml");
    interrupted::run(&source, &target, &file, STEPS as u32 - 3, &creating())?;
    let mut db = open(&source).await?;
    let change = "UPDATE visit SET small = 5 WHERE number = 3";
    db.execute("a change", change).await?;
    // Behind the last key, nothing was copied yet.
    let change = "UPDATE visit SET small = 6 WHERE number = 300";
    db.execute("a change", change).await?;
    let report = copy(&source, &target, &plan).await?;
    let [offer, visit] = &report.tables[..] else {
        anyhow::bail!("{report:?}");
    };
    ensure!(
        offer.changed.is_none() && offer.rows_before > 0,
        "{report:?}"
    );
    let changed = visit.changed.as_ref().context("no change was found")?;
    ensure!(changed.keys == ["3"] && changed.parts == 1, "{report:?}");
    // Whoever repeats it must not be told that it is complete.
    let again = copy(&source, &target, &plan).await?;
    let changed = again.tables[1].changed.as_ref().context("told only once")?;
    ensure!(changed.keys == ["3"], "{again:?}");
    Ok(())
}

/// All rows are there, and nothing else.
async fn missing_objects(source: String, target: String) -> Result<()> {
    shop::create(&source, &target).await?;
    let (plan, folder) = small_plan(&source, &target).await?;
    let file = folder.path().join("plan.toml");
    interrupted::run(&source, &target, &file, STEPS as u32 + 1, &creating())?;
    let compared = compare(&source, &target, &plan).await?;
    let named = |what: &str| compared.unfinished.iter().any(|line| line.contains(what));
    ensure!(!compared.is_equal(), "{compared:?}");
    ensure!(
        compared
            .tables
            .iter()
            .all(|table| table.difference.is_none())
    );
    ensure!(named("has not ended") && named("visit_day"), "{compared:?}");
    let has_references = open(&target).await?.backend() != Backend::Sqlite;
    ensure!(
        named("reference visit_offer") == has_references,
        "{compared:?}"
    );
    copy_equal(&source, &target, &plan).await?;
    Ok(())
}

async fn create_texts(source: &str) -> Result<()> {
    let mut db = open(source).await?;
    let (text, options) = match db.backend() {
        Backend::Postgres => ("varchar(400)", ""),
        _ => ("varchar(400) CHARACTER SET utf8mb4", " ENGINE = InnoDB"),
    };
    let table = format!("CREATE TABLE page (number integer PRIMARY KEY, body {text}){options}");
    db.execute("the table", &table).await?;
    for first in (0..TEXTS).step_by(PER_STATEMENT) {
        let rows = (first..first + PER_STATEMENT)
            .map(|number| format!("({number}, '{}')", format!("{number:08} ").repeat(40)));
        let rows: Vec<String> = rows.collect();
        let insert = format!("INSERT INTO page VALUES {}", rows.join(", "));
        db.execute("the rows", &insert).await?;
    }
    Ok(())
}

/// Copies until the third transaction has been written, and then lets something happen.
async fn copy_with(
    source: &mut Connection,
    target: &str,
    plan: &CopyPlan,
    happens: impl FnOnce() -> Result<()> + Send,
) -> Result<rowkey_copy::Report> {
    let mut target = open(target).await?;
    let (mut happens, mut heard, mut outcome) = (Some(happens), 0, Ok(()));
    let mut progress = |step: Step| {
        heard += u32::from(matches!(step, Step::Rows { .. }));
        if heard == 3
            && let Some(happens) = happens.take()
        {
            outcome = happens();
        }
    };
    let report = rowkey_copy::copy(source, &mut target, plan, &creating(), &mut progress).await;
    outcome?;
    ensure!(heard >= 3, "it has ended before");
    Ok(report?)
}

/// The same plan ends what has stopped.
async fn ends(source: &str, target: &str, plan: &CopyPlan) -> Result<()> {
    let report = copy(source, target, plan).await?;
    let table = &report.tables[0];
    ensure!(table.rows == TEXTS as u64, "{report:?}");
    ensure!(table.rows_before > 0, "{report:?}");
    ensure!(table.rows_before < table.rows, "{report:?}");
    let compared = compare(source, target, plan).await?;
    ensure!(compared.is_equal(), "{compared:?}");
    Ok(())
}

/// The source's server ends the connection.
async fn lost_source(source: String, target: String) -> Result<()> {
    create_texts(&source).await?;
    let mut plan = plan(&source, &target).await?;
    plan.policy.batch_rows = 100;
    plan.policy.transaction_rows = 500;
    let mut reading = open(&source).await?;
    let (query, end) = match reading.backend() {
        Backend::Postgres => ("SELECT pg_backend_pid()", "SELECT pg_terminate_backend(#)"),
        _ => ("SELECT CONNECTION_ID()", "KILL #"),
    };
    let number = reading.query("the connection", query, &[]).await?[0].integer(0)?;
    let end = end.replace('#', &number.to_string());
    let address = source.clone();
    let killed = move || {
        let kill = move || {
            in_runtime(async move {
                let mut other = open(&address).await?;
                other.execute("the end of the connection", &end).await?;
                Ok(())
            })
        };
        thread::spawn(kill)
            .join()
            .map_err(|_| anyhow::anyhow!("a panic"))?
    };
    let stopped = copy_with(&mut reading, &target, &plan, killed).await;
    let error = stopped.err().context("it did not notice")?.to_string();
    ensure!(error.contains("reading page"), "{error}");
    ends(&source, &target, &plan).await
}

/// The target's server ends, and comes back.
async fn lost_target(source: String, _: String) -> Result<()> {
    let server = server::PostgresServer::start()?;
    create_texts(&source).await?;
    let target = server.url();
    let mut plan = plan(&source, &target).await?;
    plan.policy.batch_rows = 100;
    plan.policy.transaction_rows = 500;
    let mut reading = open(&source).await?;
    let stopped = copy_with(&mut reading, &target, &plan, || server.crash()).await;
    ensure!(stopped.is_err(), "it did not notice");
    let unreachable = Connection::open(&target.parse::<Address>()?).await;
    ensure!(unreachable.is_err(), "the server is still there");
    server.start_again()?;
    ends(&source, &target, &plan).await
}

pub(crate) fn in_runtime<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?
        .block_on(work)
}
