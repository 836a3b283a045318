//! Ranges of a table's key, for engines that read in parallel.
//!
//! Each range is a condition in SQL. Every row fulfils exactly one of them, whatever the table
//! contains when they are used, because they have no gap and no overlap in the order that the
//! column itself has. How equal they are depends on the keys that were looked at: all of a small
//! table, a random part of a large one.

mod bounds;
mod key;
mod ranges;
mod request;
mod sample;
#[cfg(feature = "spark")]
mod spark;

use self::bounds::Bounds;
use self::key::KeyColumn;
pub use self::request::{MAX_RANGES, Request, TableRanges};
use self::request::{chosen, column, key};
use rowkey_tables::catalog::{Catalog, Column, Table};
use rowkey_tables::{Connection, Error, Progress, Step};

use crate::mapping::check_backend;
use crate::mapping::partitions::require_once;
use crate::plans::plan::CopyPlan;

/// How many rows a range has, unless a number of ranges is asked for.
const ROWS: u64 = 100_000;

/// Finds ranges of about equal size for the tables of a plan. Nothing is sorted but the keys that
/// are looked at.
///
/// # Errors
///
/// [`Error::Refused`] for a table that has changed since the plan was written, and for a column
/// whose values have no literal that means the same in every session; [`Error::Missing`] for a
/// table or column that is not there.
pub async fn ranges(
    source: &mut Connection,
    plan: &CopyPlan,
    request: &Request,
    progress: &mut dyn Progress,
) -> Result<Vec<TableRanges>, Error> {
    let catalog = read_catalog(source, plan).await?;
    ranges_of(source, plan, &catalog, request, progress).await
}

/// A complete PySpark job that copies the tables of a plan by such ranges. It contains names,
/// conditions and statements, but no address and no password.
///
/// # Errors
///
/// Those of [`ranges`], and [`Error::Refused`] for a table or a column that the job would not copy
/// exactly.
#[cfg(feature = "spark")]
#[cfg_attr(docsrs, doc(cfg(feature = "spark")))]
pub async fn spark_job(
    source: &mut Connection,
    plan: &CopyPlan,
    request: &Request,
    progress: &mut dyn Progress,
) -> Result<String, Error> {
    let catalog = read_catalog(source, plan).await?;
    let mut tables = spark::tables(plan, &catalog, request)?;
    for table in &mut tables {
        table.find_counter(source).await?;
    }
    let found = ranges_of(source, plan, &catalog, request, progress).await?;
    spark::job(plan, &tables, &found)
}

async fn read_catalog(source: &mut Connection, plan: &CopyPlan) -> Result<Catalog, Error> {
    check_backend("the source", source.backend(), plan.source()?)?;
    let mut catalog = Catalog::read(source).await?;
    plan.check_catalog(&catalog)?;
    plan.respell_source(&mut catalog);
    Ok(catalog)
}

async fn ranges_of(
    source: &mut Connection,
    plan: &CopyPlan,
    catalog: &Catalog,
    request: &Request,
    progress: &mut dyn Progress,
) -> Result<Vec<TableRanges>, Error> {
    let planned = chosen(plan, request)?;
    sample::prepare(source).await?;
    let mut found = Vec::new();
    for planned in planned {
        let table = catalog.table(&planned.name)?;
        require_once(plan, catalog, table)?;
        progress.report(Step::Begins(format!("dividing {}", table.name)));
        let columns = match &request.column {
            Some(name) => vec![column(table, name)?],
            None => key(table),
        };
        found.push(divide(source, table, &columns, request).await?);
    }
    Ok(found)
}

/// Conditions that each say where another part of a table begins, for parts of about so many rows.
/// None if the table has no more than one, or if its key has a type without literals.
pub(crate) async fn beginnings(
    source: &mut Connection,
    table: &Table,
    columns: &[&Column],
    rows: u32,
) -> Result<Vec<String>, Error> {
    let backend = source.backend();
    let key = columns
        .iter()
        .map(|column| KeyColumn::new(backend, table, column));
    let Ok(key) = key.collect::<Result<Vec<_>, _>>() else {
        return Ok(Vec::new());
    };
    if key.is_empty() {
        return Ok(Vec::new());
    }
    sample::prepare(source).await?;
    let found = sample::rows(source, table).await?;
    let ranges = found.div_ceil(rows.max(1).into());
    let ranges = u32::try_from(ranges).map_or(MAX_RANGES, |ranges| ranges.min(MAX_RANGES));
    let request = Request {
        ranges: Some(ranges),
        ..Request::default()
    };
    let firsts = bounds(source, table, &key, &request).await?;
    let beginnings = firsts.iter().map(|first| ranges::not_before(&key, first));
    Ok(beginnings.collect())
}

async fn divide(
    source: &mut Connection,
    table: &Table,
    columns: &[&Column],
    request: &Request,
) -> Result<TableRanges, Error> {
    let backend = source.backend();
    let key: Result<Vec<KeyColumn>, _> = columns
        .iter()
        .map(|column| KeyColumn::new(backend, table, column))
        .collect();
    let key = key?;
    let bounds = match key.is_empty() {
        true => Vec::new(),
        false => bounds(source, table, &key, request).await?,
    };
    Ok(TableRanges {
        table: table.name.clone(),
        columns: columns.iter().map(|column| column.name.clone()).collect(),
        ranges: ranges::conditions(&key, &bounds),
    })
}

/// The first keys of all ranges but the first one, as literals.
async fn bounds(
    source: &mut Connection,
    table: &Table,
    key: &[KeyColumn],
    request: &Request,
) -> Result<Vec<Vec<String>>, Error> {
    let rows = sample::rows(source, table).await?;
    let ranges = request.ranges.map_or(rows.div_ceil(ROWS), u64::from);
    let ranges = ranges.clamp(1, MAX_RANGES.into());
    if ranges == 1 {
        return Ok(Vec::new());
    }
    let wanted = ranges * u64::from(request.keys_per_range.max(1));
    let query = sample::query(source, table, key, rows, wanted).await?;
    let mut bounds = Bounds::new(ranges);
    let doing = format!("the keys of {}", table.name);
    source
        .for_each(&doing, &query, &[], |mut row| {
            let count = row.count(key.len())?;
            row.0.truncate(key.len());
            bounds.add(row.0, count);
            Ok(())
        })
        .await?;
    let firsts = bounds.firsts().into_iter().map(|values| {
        let literals = key.iter().zip(&values);
        literals
            .map(|(column, value)| column.literal(value))
            .collect()
    });
    firsts.collect()
}
