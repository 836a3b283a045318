//! The script for SQL Server: new columns beside the old ones, filled by triggers, which take their
//! places in one transaction. It has not run on SQL Server itself, so people run it.
//!
//! Each statement looks for what it is to make, so that a script can be run again, and is a batch
//! of its own, because a batch is compiled as a whole.

mod backfill;
mod columns;
mod constraints;
mod exchange;
mod names;
mod new_ids;
mod refuse;
mod session;
#[cfg(all(test, feature = "sqlite"))]
mod tests;
mod triggers;

pub(super) use self::backfill::backfill;
pub(super) use self::exchange::{contract, swap, undo};
pub(super) use self::refuse::refuse;

use self::names::quoted;
use super::id_map::{NewIds, Values};
use super::runner::Runner;
use super::work::{ChangedTable, Form, Work};
use rowkey_tables::Error;

/// Adds the columns, and the triggers that fill them, in one transaction for each table: programs
/// never see the one without the other.
pub(super) async fn expand(runner: &mut Runner<'_>, work: &Work) -> Result<(), Error> {
    // A tool that goes on after an error would do a phase although the one before has failed.
    runner.begins("stop at the first error: sqlcmd -b -I");
    session::prepare(runner).await?;
    let values = Values::of(work)?;
    if let Some(ids) = NewIds::of(work)? {
        runner.run("the map of ids", &ids.map.create()).await?;
    }
    for table in &work.tables {
        let Some(first) = table.columns.first() else {
            continue;
        };
        let doing = format!("the new columns of {}", table.name());
        let is_there = format!(
            "{} IS NOT NULL",
            names::length(table, &first.shadow_name())?
        );
        let statements = expansion(work, &values, table)?;
        session::in_transaction(runner, work, &doing, &is_there, &statements).await?;
    }
    Ok(())
}

fn expansion(work: &Work, values: &Values, table: &ChangedTable) -> Result<Vec<String>, Error> {
    let name = table.name().quoted(work.backend)?;
    let mut statements = Vec::new();
    for column in &table.columns {
        let (shadow, sql_type) = (quoted(&column.shadow_name())?, work.to.sql_type());
        statements.push(format!("ALTER TABLE {name} ADD {shadow} {sql_type} NULL"));
    }
    for column in &table.columns {
        statements.extend(columns::comment(table, column)?);
        statements.extend(columns::privileges(table, column)?);
    }
    statements.push(triggers::fill(work, values, table)?);
    Ok(statements)
}

/// Compares the new values with the old ones.
pub(super) async fn check(runner: &mut Runner<'_>, work: &Work) -> Result<(), Error> {
    session::prepare(runner).await?;
    for table in &work.tables {
        exchange::compare(runner, work, table, Form::New).await?;
    }
    Ok(())
}
