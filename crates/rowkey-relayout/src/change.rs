//! The phases of a change, one after the other, and back.
//!
//! A change has phases. Each can be repeated, and until [`contract`] everything can be undone:
//!
//! 1. [`Phase::Expand`] makes the new columns or tables, and triggers that fill them.
//! 2. [`Phase::Backfill`] converts the rows that exist, in batches.
//! 3. [`Phase::Check`] makes indexes and constraints, and compares the new values with the old
//!    ones.
//! 4. [`Phase::Swap`] exchanges old and new, in one exclusive moment. From then on, triggers fill
//!    the old columns.
//!
//! [`contract`] drops what is old, [`undo`] what is new.
//!
//! On SQL Server, none of this is run: [`script`], [`contract_script`] and [`undo_script`] return
//! the statements for you to run.

use std::time::Instant;

use rowkey_core::Backend;
use rowkey_tables::catalog::{Catalog, creation_time};
use rowkey_tables::dialect::Dialect;
use rowkey_tables::{Connection, Error, Progress, Silent, Step};

use crate::engine::runs_changes;
use crate::id_map;
use crate::phase::Phase;
use crate::plan::Plan;
use crate::refusals::Refusals;
use crate::runner::Runner;
use crate::state::{self, State, Way, refuse_privileges, work_of};
use crate::work::{Form, Work};

/// The plan of the change that has begun in a database, and is neither contracted nor undone.
///
/// A program that makes its plans itself asks this first. Once a change has begun, the catalogue is
/// another one: a plan made from it would not be the one that the change goes on with.
///
/// # Errors
///
/// [`Error::Database`] if the account may not read the table with the state, [`Error::Plan`] if
/// another version of this crate has written a plan that this one cannot read.
pub async fn begun(connection: &mut Connection) -> Result<Option<Plan>, Error> {
    state::begun(connection).await
}

/// The last phase of a plan's change that is done: [`run`] up to an earlier one does nothing.
/// Nothing if none is done, or the change is contracted or undone.
///
/// # Errors
///
/// [`Error::Refused`] if the change that has begun has another plan, [`Error::Database`] if the
/// account may not read the table with the state.
pub async fn reached(connection: &mut Connection, plan: &Plan) -> Result<Option<Phase>, Error> {
    state::reached(connection, plan).await
}

/// Calls the function of the backend's module.
macro_rules! with_backend {
    ($backend:expr, $function:ident($($argument:expr),*)) => {
        match $backend {
            #[cfg(feature = "postgres")]
            Backend::Postgres => crate::postgres::$function($($argument),*).await,
            #[cfg(feature = "mysql")]
            Backend::MySql | Backend::MariaDb => crate::mysql::$function($($argument),*).await,
            #[cfg(feature = "sqlite")]
            Backend::Sqlite => crate::sqlite::$function($($argument),*).await,
            #[cfg(feature = "sqlserver")]
            Backend::SqlServer => crate::sqlserver::$function($($argument),*).await,
            #[allow(unreachable_patterns, reason = "with all drivers, none is missing")]
            backend => Err(Error::NoDriver(backend)),
        }
    };
}

/// Does the phases up to one, from where an earlier run stopped.
///
/// # Errors
///
/// [`Error::Refused`] before the first change for what cannot be carried, for a changed catalogue,
/// for a plan that was edited after its first phase, and on SQL Server; [`Error::Differs`] if the
/// new values are not the old ones; [`Error::Database`] if the database refuses a statement. After
/// each of them, a repetition goes on.
pub async fn run(
    connection: &mut Connection,
    plan: &Plan,
    last: Phase,
    progress: &mut dyn Progress,
) -> Result<(), Error> {
    require_run(connection)?;
    let mut state = State::open(connection, plan).await?;
    let begun = Instant::now();
    let outcome = go_on(connection, plan, last, &mut state, progress).await;
    state.close(connection, outcome).await?;
    if connection.backend().has_one_writer() {
        // In SQLite, the lock of changes keeps out all writers.
        let waited = begun.elapsed().as_millis();
        progress.report(Step::Note(format!("{waited} ms exclusive for writers")));
    }
    Ok(())
}

/// Fails where the statements are only printed.
fn require_run(connection: &Connection) -> Result<(), Error> {
    if runs_changes(connection.backend()) {
        return Ok(());
    }
    Err(Error::refused(
        "the change",
        "rowkey prints the statements for SQL Server and does not run them",
        "print them with `rowkey relayout` or `rowkey rekey`, or call `script`, `contract_script` or \
         `undo_script`",
    ))
}

async fn go_on(
    connection: &mut Connection,
    plan: &Plan,
    last: Phase,
    state: &mut State,
    progress: &mut dyn Progress,
) -> Result<(), Error> {
    state.require_not_undone()?;
    let (was_begun, was_checked) = (state.has_begun(), state.is_done(Phase::Check));
    for phase in Phase::ALL.into_iter().filter(|phase| *phase <= last) {
        if state.is_done(phase) {
            continue;
        }
        let work = state.work(connection, plan, Way::There).await?;
        if phase == Phase::Expand && !state.has_begun() {
            let catalog = Catalog::read(connection).await?;
            refusals_of(connection, &work, &catalog).await?.result()?;
        }
        if phase == Phase::Swap && was_checked {
            if !state.is_begun(phase) {
                refuse_damaged_values(connection, &work).await?;
            }
            #[cfg(feature = "postgres")]
            if work.backend == Backend::Postgres {
                let mut runner = Runner::live(connection, progress);
                crate::postgres::require_filled(&mut runner, &work).await?;
            }
        }
        state.begin(connection, plan, phase).await?;
        let mut runner = Runner::live(connection, progress);
        runner.begins(phase.name());
        do_phase(&mut runner, &work, phase).await?;
        // The swap tells it too late for programs that start at once.
        if (phase, last) == (Phase::Check, Phase::Check) {
            runner.tell_mark(&work);
        }
        // In SQLite, nobody else has written since this run has begun.
        if phase == Phase::Check && (was_begun || !work.backend.has_one_writer()) {
            refuse_damaged_values(connection, &work).await?;
        }
        state.finish(connection, plan).await?;
    }
    Ok(())
}

/// Fails for values that programs have written since the beginning, and that aren't ids of the
/// format: after the swap, they would stand in the way back.
async fn refuse_damaged_values(connection: &mut Connection, work: &Work) -> Result<(), Error> {
    let mut refusals = Refusals::default();
    refusals
        .add_damaged_values(connection, work, Form::Old)
        .await?;
    refusals.result()
}

async fn do_phase(runner: &mut Runner<'_>, work: &Work, phase: Phase) -> Result<(), Error> {
    match phase {
        Phase::Expand => with_backend!(work.backend, expand(runner, work)),
        Phase::Backfill => with_backend!(work.backend, backfill(runner, work)),
        Phase::Check => with_backend!(work.backend, check(runner, work)),
        Phase::Swap => with_backend!(work.backend, swap(runner, work)),
    }
}

/// Everything that the change refuses before it begins.
pub(crate) async fn refuse(
    connection: &mut Connection,
    plan: &Plan,
    catalog: &Catalog,
) -> Result<Refusals, Error> {
    state::require_none(connection, plan).await?;
    let work = work_of(connection, plan, catalog).await?;
    refusals_of(connection, &work, catalog).await
}

async fn refusals_of(
    connection: &mut Connection,
    work: &Work,
    catalog: &Catalog,
) -> Result<Refusals, Error> {
    if let Some(created) = &work.created {
        // Without new ids, only a comparison needs it, after the swap.
        let (key, _) = work.key()?;
        creation_time::unix_millis(work.backend, &key.table, created, "")?;
    }
    let mut refusals: Refusals = with_backend!(work.backend, refuse(connection, work, catalog))?;
    let is_refused = !refusals.is_empty();
    match refusals.add_polymorphic(connection, work, catalog).await {
        // What is wrong with a definition may also be wrong with a query on the values.
        Err(Error::Database { .. }) if is_refused => {}
        outcome => outcome?,
    }
    // SQLite compares types of values itself.
    if !is_refused && !work.backend.stores_any_type() {
        refusals.add_other_texts(connection, work).await?;
    }
    refusals.add_unplanned(connection, work, catalog).await?;
    refusals
        .add_map_of_another_format(connection, work, catalog)
        .await?;
    Ok(refusals)
}

/// Takes everything back, from whichever phase was reached, and keeps what was written since.
///
/// # Errors
///
/// [`Error::Refused`] if there is nothing to undo, and after [`contract`]; otherwise as [`run`].
pub async fn undo(
    connection: &mut Connection,
    plan: &Plan,
    progress: &mut dyn Progress,
) -> Result<(), Error> {
    require_run(connection)?;
    let mut state = State::open(connection, plan).await?;
    let outcome = take_back(connection, plan, &mut state, progress).await;
    state.close(connection, outcome).await
}

async fn take_back(
    connection: &mut Connection,
    plan: &Plan,
    state: &mut State,
    progress: &mut dyn Progress,
) -> Result<(), Error> {
    let reached = state.reached_for_undo()?;
    refuse_privileges(connection).await?;
    let work = state.work(connection, plan, Way::Back).await?;
    let before = state.begin_undo(connection, reached).await?;
    let mut runner = Runner::live(connection, progress);
    runner.begins("undo");
    let outcome = with_backend!(work.backend, undo(&mut runner, &work, reached));
    if let Err(Error::Refused { .. }) = &outcome {
        // It is refused before the exchange, and the change can still be contracted. What an
        // interrupted undo has made is on the old columns, and goes with them.
        state.forget_undo(connection, before).await?;
    }
    outcome?;
    id_map::forget_ids_of_another_format(connection, &work).await?;
    state.remove(connection).await
}

/// Drops the old columns or tables. After that, nothing can be undone.
///
/// # Errors
///
/// [`Error::Refused`] before the swap; otherwise as [`run`].
pub async fn contract(
    connection: &mut Connection,
    plan: &Plan,
    progress: &mut dyn Progress,
) -> Result<(), Error> {
    require_run(connection)?;
    let mut state = State::open(connection, plan).await?;
    let outcome = drop_old(connection, plan, &mut state, progress).await;
    state.close(connection, outcome).await
}

async fn drop_old(
    connection: &mut Connection,
    plan: &Plan,
    state: &mut State,
    progress: &mut dyn Progress,
) -> Result<(), Error> {
    state.require_not_undone()?;
    state.require_swapped()?;
    refuse_privileges(connection).await?;
    let work = state.work(connection, plan, Way::There).await?;
    // Afterwards, nothing can be undone. SQLite does all at once.
    if state.is_begun(Phase::Swap) {
        #[cfg(feature = "postgres")]
        if work.backend == Backend::Postgres {
            let mut runner = Runner::live(connection, progress);
            crate::postgres::require_kept(&mut runner, &work).await?;
        }
        #[cfg(feature = "mysql")]
        if work.backend.rebuilds_tables() {
            crate::mysql::refuse_contract(&work, &Catalog::read(connection).await?)?;
        }
    }
    state.begin_contract(connection).await?;
    let mut runner = Runner::live(connection, progress);
    runner.begins("contract");
    with_backend!(work.backend, contract(&mut runner, &work))?;
    state.remove(connection).await
}

/// The SQL of the phases up to one, for people to read. Nothing is changed.
///
/// # Errors
///
/// As [`run`], before its first change.
pub async fn script(
    connection: &mut Connection,
    plan: &Plan,
    last: Phase,
) -> Result<Vec<String>, Error> {
    let work = unchanged(connection, plan).await?;
    let catalog = Catalog::read(connection).await?;
    refusals_of(connection, &work, &catalog).await?.result()?;
    let mut silent = Silent;
    let mut runner = Runner::dry(connection, &mut silent);
    begin_in_script(&mut runner, &work).await?;
    for phase in Phase::ALL.into_iter().filter(|phase| *phase <= last) {
        runner.begins(phase.name());
        do_phase(&mut runner, &work, phase).await?;
    }
    end_in_script(&mut runner, &work).await?;
    Ok(runner.into_script())
}

/// The tables of a plan before the first phase.
async fn unchanged(connection: &mut Connection, plan: &Plan) -> Result<Work, Error> {
    match runs_changes(connection.backend()) {
        true => state::require_none(connection, plan).await?,
        // Refuses what an older version has begun.
        false => drop(state::begun(connection).await?),
    }
    let catalog = Catalog::read(connection).await?;
    work_of(connection, plan, &catalog).await
}

/// The SQL of [`contract`], before or after the phases. On SQL Server, where nothing says which
/// phases have run, only before them. Nothing is changed.
///
/// # Errors
///
/// [`Error::Refused`] while another process changes tables, [`Error::Database`] if the database
/// refuses a query.
pub async fn contract_script(
    connection: &mut Connection,
    plan: &Plan,
) -> Result<Vec<String>, Error> {
    let work = match runs_changes(connection.backend()) {
        true => changed(connection, plan).await?,
        false => unchanged(connection, plan).await?,
    };
    let mut silent = Silent;
    let mut runner = Runner::dry(connection, &mut silent);
    runner.begins("contract");
    begin_in_script(&mut runner, &work).await?;
    with_backend!(work.backend, contract(&mut runner, &work))?;
    end_in_script(&mut runner, &work).await?;
    Ok(runner.into_script())
}

/// The tables of a plan as they were before the first phase.
async fn changed(connection: &mut Connection, plan: &Plan) -> Result<Work, Error> {
    let state = State::open(connection, plan).await?;
    let work = state.work(connection, plan, Way::Back).await;
    state.close(connection, work).await
}

/// The SQL that takes a change of SQL Server's tables back, after the swap and before it. Call this
/// before the first phase, because nothing says which phases have run. Nothing is changed.
///
/// # Errors
///
/// [`Error::Refused`] after the first phase, and where [`undo`] runs: what it does depends on what
/// was written since.
pub async fn undo_script(connection: &mut Connection, plan: &Plan) -> Result<Vec<String>, Error> {
    if runs_changes(connection.backend()) {
        return Err(Error::refused(
            "the undo",
            "what it runs depends on what was written since, so it cannot be printed",
            "run it",
        ));
    }
    let work = unchanged(connection, plan).await?;
    let mut silent = Silent;
    let mut runner = Runner::dry(connection, &mut silent);
    for (heading, reached) in [
        ("undo, after the swap", Phase::Swap),
        ("undo, before the swap", Phase::Check),
    ] {
        runner.begins(heading);
        with_backend!(work.backend, undo(&mut runner, &work, reached))?;
    }
    Ok(runner.into_script())
}

/// In SQLite, the lock of changes is the transaction of all phases.
async fn begin_in_script(runner: &mut Runner<'_>, work: &Work) -> Result<(), Error> {
    if work.backend.has_one_writer() {
        for statement in state::SQLITE_BEGIN {
            runner.run("the transaction", statement).await?;
        }
    }
    Ok(())
}

async fn end_in_script(runner: &mut Runner<'_>, work: &Work) -> Result<(), Error> {
    if work.backend.has_one_writer() {
        runner.run("the transaction", state::SQLITE_COMMIT).await?;
    }
    Ok(())
}
