//! Tables become Parquet files, and files become tables, with ids in public form in between.

mod customers;
mod damaged;
mod engines;
mod refusals;
mod round_trip;
mod types;

use std::path::Path;

use anyhow::{Context, Result, ensure};
use rowkey_copy::parquet;
use rowkey_copy::{ColumnPlan, Comparison, CopyPlan, Report};
use rowkey_doctor::stored_ids;
use rowkey_tables::{Address, Connection, Silent};
use rowkey_testkit::{Suite, TestDatabase};

pub(crate) fn add_tests(suite: &mut Suite) {
    round_trip::add_tests(suite);
    types::add_tests(suite);
    customers::add_tests(suite);
    refusals::add_tests(suite);
    damaged::add_tests(suite);
    engines::add_tests(suite);
}

/// Runs a scenario with a database.
pub(crate) fn on<F: Future<Output = Result<()>>>(
    source: &TestDatabase,
    scenario: impl FnOnce(String) -> F,
) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(scenario(source.url().to_owned()))
}

pub(crate) async fn open(url: &str) -> Result<Connection> {
    Ok(Connection::open(&url.parse::<Address>()?).await?)
}

/// A plan for files, as people see it.
pub(crate) async fn plan(source: &str) -> Result<CopyPlan> {
    let plan = parquet::plan(&mut open(source).await?, &mut Silent, stored_ids).await?;
    Ok(CopyPlan::from_toml(&plan.to_toml()?)?)
}

/// A plan for tables, as people see it.
pub(crate) async fn plan_back(folder: &Path, target: &str) -> Result<CopyPlan> {
    let plan = parquet::plan_back(folder, open(target).await?.backend())?;
    Ok(CopyPlan::from_toml(&plan.to_toml()?)?)
}

pub(crate) async fn write(source: &str, plan: &CopyPlan, folder: &Path) -> Result<Report> {
    Ok(parquet::write(&mut open(source).await?, plan, folder, &mut Silent).await?)
}

/// Makes the tables as well.
pub(crate) async fn read(folder: &Path, target: &str, plan: &CopyPlan) -> Result<Report> {
    let mut target = open(target).await?;
    Ok(parquet::read(folder, &mut target, plan, true, &mut Silent).await?)
}

pub(crate) async fn compare(url: &str, plan: &CopyPlan, folder: &Path) -> Result<Comparison> {
    Ok(parquet::compare(&mut open(url).await?, plan, folder, &mut Silent).await?)
}

/// Writes, reads and compares all tables, and returns what was copied.
pub(crate) async fn there_and_back(
    source: &str,
    there: &CopyPlan,
    folder: &Path,
    target: &str,
) -> Result<Report> {
    let written = write(source, there, folder).await?;
    let compared = compare(source, there, folder).await?;
    ensure!(compared.is_equal(), "{compared:?}");
    let back = plan_back(folder, target).await?;
    let read = read(folder, target, &back).await?;
    for (one, other) in written.tables.iter().zip(&read.tables) {
        ensure!(one.rows == other.rows, "{one:?} {other:?}");
        ensure!(one.hash == other.hash, "{one:?} {other:?}");
    }
    let compared = compare(target, &back, folder).await?;
    ensure!(compared.is_equal(), "{compared:?}");
    Ok(read)
}

/// A column of a plan.
pub(crate) fn column<'p>(
    plan: &'p mut CopyPlan,
    table: &str,
    name: &str,
) -> Result<&'p mut ColumnPlan> {
    let tables = plan.tables.iter_mut();
    let mut columns = tables
        .filter(|found| found.name.name == table)
        .flat_map(|table| &mut table.columns);
    columns
        .find(|column| column.name == name)
        .with_context(|| format!("{table}.{name}"))
}

/// The names of all files of a folder, hidden ones too.
pub(crate) fn files(folder: &Path) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}
