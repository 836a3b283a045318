//! The phases on MySQL and MariaDB.
//!
//! Every table with a changed column is built a second time, with the new columns, all other
//! columns, indexes and foreign keys. Triggers keep the two equal. The swap renames all tables in
//! one statement.
//!
//! A cascade fires no trigger, so the new tables need foreign keys of their own, which do there
//! what those of the old tables do. That is why a table is filled completely before those that
//! refer to it get their triggers.

mod backfill;
mod compare;
mod names;
mod new_ids;
mod ranges;
mod rebuilt;
mod refuse;
mod session;
mod shadow;
mod swap;
mod triggers;

pub(super) use self::names::old_table;
pub(super) use self::refuse::{refuse, refuse_contract, refuse_privileges};
use super::Phase;
use super::id_map::NewIds;
use super::runner::Runner;
use super::work::Work;
use rowkey_tables::Error;

pub(super) async fn expand(runner: &mut Runner<'_>, work: &Work) -> Result<(), Error> {
    session::prepare(runner, work).await?;
    refuse::name_what_is_left(runner, work);
    shadow::create_swapped(runner).await?;
    if let Some(ids) = NewIds::of(work)? {
        shadow::create_map(runner, &ids.map).await?;
    }
    for table in &rebuilt::in_order(work)? {
        shadow::create(runner, work, table).await?;
    }
    Ok(())
}

pub(super) async fn backfill(runner: &mut Runner<'_>, work: &Work) -> Result<(), Error> {
    session::prepare(runner, work).await?;
    for table in &rebuilt::in_order(work)? {
        triggers::create(runner, work, table, names::Role::Forward).await?;
        backfill::fill(runner, work, table).await?;
        if table.key_may_follow() {
            compare::settle(runner, work, table).await?;
        }
    }
    Ok(())
}

pub(super) async fn check(runner: &mut Runner<'_>, work: &Work) -> Result<(), Error> {
    session::prepare(runner, work).await?;
    let tables = rebuilt::in_order(work)?;
    let mut has_later = false;
    for table in &tables {
        has_later |= shadow::add_later_foreign_keys(runner, work, table).await?;
    }
    for table in &tables {
        match has_later {
            true => compare::settle(runner, work, table).await?,
            false => compare::compare(runner, table).await?,
        }
    }
    Ok(())
}

pub(super) async fn swap(runner: &mut Runner<'_>, work: &Work) -> Result<(), Error> {
    session::prepare(runner, work).await?;
    let tables = rebuilt::in_order(work)?;
    // TRUNCATE fires no trigger.
    if !swap::is_done(runner).await? {
        for table in &tables {
            compare::compare(runner, table).await?;
        }
    }
    swap::forward(runner, work, &tables).await
}

pub(super) async fn undo(runner: &mut Runner<'_>, work: &Work, _: Phase) -> Result<(), Error> {
    session::prepare(runner, work).await?;
    swap::undo(runner, work, &rebuilt::in_order(work)?).await
}

pub(super) async fn contract(runner: &mut Runner<'_>, work: &Work) -> Result<(), Error> {
    session::prepare(runner, work).await?;
    swap::contract(runner, work, &rebuilt::in_order(work)?).await
}
