//! How far a change is, in a table of the database.

use std::borrow::Cow;
use std::time::Duration;

use rowkey_core::Backend;
use rowkey_core::storage::quote_identifier;
use rowkey_tables::Error;
use rowkey_tables::advisory_lock::AdvisoryLock;
use rowkey_tables::catalog::{Catalog, QualifiedName, Table};
use rowkey_tables::connection::{Connection, Row, Value};
use rowkey_tables::dialect::Dialect;

use crate::Phase;
use crate::engine::runs_changes;
use crate::plan::Plan;
use crate::refusals::Refusals;
use crate::work::Work;

/// The name of the table with the state. It exists while a change can go on or be undone.
pub(super) const TABLE: &str = "rowkey_relayout";

/// The phase of a change whose old columns are being dropped.
const CONTRACT: &str = "contract";

/// The prefix of a phase from which a change is being undone.
const UNDO: &str = "undo-";

/// The first number of PostgreSQL's advisory lock, and the name of the others'. PostgreSQL's second
/// number stands for the schema, in which the state is; tables of other schemas that a change has
/// begun to change have its triggers, and refuse another.
const LOCK_NUMBER: i32 = 0x726f_776b;
const LOCK_NAME: &str = "rowkey_relayout";

/// How long to wait for the lock.
const PATIENCE: Duration = Duration::from_secs(10);

/// The beginning of SQLite's transaction, in which the pragma would do nothing, and its end.
pub(super) const SQLITE_BEGIN: [&str; 2] = ["PRAGMA foreign_keys = OFF", "BEGIN IMMEDIATE"];
pub(super) const SQLITE_COMMIT: &str = "COMMIT";

/// Where a change goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    There,
    Back,
}

/// The state of a change, whose lock this process holds.
#[derive(Debug)]
pub(super) struct State {
    plan_hash: String,
    saved: Option<Saved>,
}

/// The row of the table.
#[derive(Debug)]
struct Saved {
    plan_hash: String,
    /// The phase that was begun last.
    phase: String,
    is_done: bool,
    /// The hash of the catalogue after the last phase that was done.
    catalog: String,
    /// The tables as they were before the first phase.
    tables: Vec<Table>,
}

/// Where a change was before its undo.
#[derive(Debug)]
pub(super) struct Before {
    phase: String,
    is_done: bool,
}

impl State {
    /// Takes the lock, and reads the state of the plan.
    ///
    /// In SQLite, the lock is the transaction in which everything happens, so that nothing is ever
    /// half done.
    pub(super) async fn open(connection: &mut Connection, plan: &Plan) -> Result<Self, Error> {
        let plan_hash = plan.hash()?;
        connection.allow_writing().await?;
        lock(connection).await?;
        let (saved, outcome) = match saved(connection).await {
            Ok(saved) => (saved, Ok(())),
            Err(error) => (None, Err(error)),
        };
        let state = Self { plan_hash, saved };
        if outcome.is_err() {
            return state.close(connection, outcome).await.map(|()| state);
        }
        if state
            .saved
            .as_ref()
            .is_some_and(|saved| saved.plan_hash != state.plan_hash)
        {
            let refusal = another_plan();
            return state.close(connection, Err(refusal)).await.map(|()| state);
        }
        Ok(state)
    }

    /// Releases the lock. In SQLite, this commits everything, or nothing.
    pub(super) async fn close<T>(
        &self,
        connection: &mut Connection,
        outcome: Result<T, Error>,
    ) -> Result<T, Error> {
        let released = unlock(connection, outcome.is_ok()).await;
        let outcome = outcome?;
        released.map(|()| outcome)
    }

    /// Whether a phase was begun.
    pub(super) fn has_begun(&self) -> bool {
        self.saved.is_some()
    }

    /// Whether a phase is done.
    pub(super) fn is_done(&self, phase: Phase) -> bool {
        let Some(saved) = &self.saved else {
            return false;
        };
        match position(&saved.phase) {
            Some(last) if last == phase => saved.is_done,
            Some(last) => phase < last,
            None => saved.phase == CONTRACT,
        }
    }

    /// Whether a phase was begun, and not undone.
    pub(super) fn is_begun(&self, phase: Phase) -> bool {
        let begun = self.saved.as_ref().and_then(|saved| position(&saved.phase));
        begun.is_some_and(|begun| phase <= begun)
    }

    /// Fails if an undo was interrupted.
    pub(super) fn require_not_undone(&self) -> Result<(), Error> {
        match &self.saved {
            Some(saved) if saved.phase.starts_with(UNDO) => Err(Error::refused(
                "the change",
                "it is being undone",
                "finish that with --undo",
            )),
            _ => Ok(()),
        }
    }

    /// The phase that was begun last.
    ///
    /// Fails if there is none, or if the old columns are being dropped.
    pub(super) fn reached_for_undo(&self) -> Result<Phase, Error> {
        let Some(saved) = &self.saved else {
            return Err(Error::refused(
                "undo",
                "no change has begun, or it was undone or contracted already",
                "there is nothing to undo",
            ));
        };
        let phase = saved.phase.strip_prefix(UNDO).unwrap_or(&saved.phase);
        position(phase).ok_or_else(|| {
            Error::refused(
                "undo",
                "the old columns are being dropped",
                "finish with --contract",
            )
        })
    }

    /// Fails unless the new columns are in use.
    pub(super) fn require_swapped(&self) -> Result<(), Error> {
        if !self.has_begun() {
            return Err(Error::refused(
                "contract",
                "no change has begun, or it was contracted already",
                "there is nothing to contract",
            ));
        }
        match self.is_done(Phase::Swap) {
            true => Ok(()),
            false => Err(Error::refused(
                "contract",
                "the old columns are still in use",
                "do the phases up to the swap first",
            )),
        }
    }

    /// The plan with the catalogue as it was before the first phase. Compares the catalogue of now
    /// with that after the last phase, unless that was interrupted or the change is swapped: from
    /// then on, new programs have migrations of their own.
    ///
    /// The way back does not compare: it is the way out if they have changed.
    pub(super) async fn work(
        &self,
        connection: &mut Connection,
        plan: &Plan,
        way: Way,
    ) -> Result<Work, Error> {
        let now = Catalog::read(connection).await?;
        let Some(saved) = &self.saved else {
            return work_of(connection, plan, &now).await;
        };
        let is_between = way == Way::There && saved.is_done && !self.is_done(Phase::Swap);
        if is_between && saved.catalog != now.hash(&changed_names(plan, &now)) {
            refuse_privileges(connection).await?;
            return Err(Error::refused(
                "the change",
                format!("its tables have changed since the phase {}", saved.phase),
                "take that back, or undo the change and write a new plan; or, if another version of rowkey has begun it, \
                 finish it with that version",
            ));
        }
        let before = Catalog {
            backend: now.backend,
            tables: saved.tables.clone(),
            unseen: Vec::new(),
        };
        let work = Work::new(plan, &before)?;
        if way == Way::There && !self.is_done(Phase::Swap) && !is_exchanged(&work, &now) {
            work.require_unaltered(&now)?;
        }
        if way == Way::There {
            refuse_new_references(&work, &now, self.is_done(Phase::Swap))?;
        }
        Ok(work)
    }

    /// Records that a phase begins.
    pub(super) async fn begin(
        &mut self,
        connection: &mut Connection,
        plan: &Plan,
        phase: Phase,
    ) -> Result<(), Error> {
        match &mut self.saved {
            Some(saved) => {
                saved.phase = phase.name().into();
                saved.is_done = false;
            }
            None => {
                let catalog = Catalog::read(connection).await?;
                let names = plan.tables();
                let tables = catalog.tables.into_iter();
                let saved = Saved {
                    plan_hash: self.plan_hash.clone(),
                    phase: phase.name().into(),
                    is_done: false,
                    catalog: plan.catalog.clone(),
                    tables: tables.filter(|table| names.contains(&table.name)).collect(),
                };
                create(connection).await?;
                insert(connection, &saved, plan).await?;
                self.saved = Some(saved);
            }
        }
        self.write(connection).await
    }

    /// Records that a phase is done.
    pub(super) async fn finish(
        &mut self,
        connection: &mut Connection,
        plan: &Plan,
    ) -> Result<(), Error> {
        let catalog = Catalog::read(connection).await?;
        if let Some(saved) = &mut self.saved {
            saved.is_done = true;
            saved.catalog = catalog.hash(&changed_names(plan, &catalog));
        }
        self.write(connection).await
    }

    /// Records that the old columns are being dropped.
    pub(super) async fn begin_contract(
        &mut self,
        connection: &mut Connection,
    ) -> Result<(), Error> {
        self.begin_end(connection, CONTRACT.into()).await
    }

    /// Records that the change is being undone from a phase. Returns where it was.
    pub(super) async fn begin_undo(
        &mut self,
        connection: &mut Connection,
        reached: Phase,
    ) -> Result<Before, Error> {
        // After an interrupted undo, it is not known whether the phase was done. It can be
        // repeated.
        let saved = self.saved.as_ref();
        let is_done = saved.is_some_and(|saved| saved.is_done && saved.phase == reached.name());
        self.begin_end(connection, format!("{UNDO}{}", reached.name()))
            .await?;
        Ok(Before {
            phase: reached.name().into(),
            is_done,
        })
    }

    /// Records that nothing was undone.
    pub(super) async fn forget_undo(
        &mut self,
        connection: &mut Connection,
        before: Before,
    ) -> Result<(), Error> {
        if let Some(saved) = &mut self.saved {
            saved.phase = before.phase;
            saved.is_done = before.is_done;
        }
        self.write(connection).await
    }

    async fn begin_end(&mut self, connection: &mut Connection, end: String) -> Result<(), Error> {
        if let Some(saved) = &mut self.saved {
            saved.phase = end;
            saved.is_done = false;
        }
        self.write(connection).await
    }

    /// Removes the state: the change is finished, or undone.
    pub(super) async fn remove(&mut self, connection: &mut Connection) -> Result<(), Error> {
        let table = quote_identifier(connection.backend(), TABLE)?;
        let drop = format!("DROP TABLE {table}");
        connection
            .execute("the table with the state", &drop)
            .await?;
        self.saved = None;
        Ok(())
    }

    async fn write(&self, connection: &mut Connection) -> Result<(), Error> {
        let Some(saved) = &self.saved else {
            return Ok(());
        };
        let backend = connection.backend();
        let table = quote_identifier(backend, TABLE)?;
        let [one, two, three, ..] = placeholders(backend);
        let update =
            format!("UPDATE {table} SET phase = {one}, is_done = {two}, catalog = {three}");
        let values = [
            Value::from(saved.phase.as_str()),
            Value::Integer(i64::from(saved.is_done)),
            Value::from(saved.catalog.as_str()),
        ];
        let doing = "the state of the change";
        // MySQL and MariaDB count a row only if it changes.
        connection.update(doing, &update, &values).await?;
        let query = format!("SELECT count(*) FROM {table}");
        match connection.count(doing, &query, &[]).await? {
            1 => Ok(()),
            rows => Err(Error::Differs {
                what: format!("the table {TABLE}"),
                found: format!("it has {rows} rows instead of one"),
            }),
        }
    }
}

/// The tables of a plan that exist now. After the swap there are others with the same names.
fn changed_names(plan: &Plan, catalog: &Catalog) -> Vec<rowkey_tables::catalog::QualifiedName> {
    let mut names = plan.tables();
    names.retain(|name| catalog.table(name).is_ok());
    names
}

fn position(phase: &str) -> Option<Phase> {
    Phase::ALL.into_iter().find(|known| known.name() == phase)
}

/// The first placeholders of a statement.
fn placeholders(backend: Backend) -> [String; 6] {
    std::array::from_fn(|index| backend.placeholder(index + 1))
}

/// Takes the lock. In SQLite, where the driver waits for other writers, it is the transaction.
async fn lock(connection: &mut Connection) -> Result<(), Error> {
    let doing = "the lock of changes";
    if connection.backend().has_one_writer() {
        let begin = SQLITE_BEGIN.join("; ");
        return connection.execute(doing, &begin).await.map(|_| ());
    }
    match advisory_lock().take(connection, doing, PATIENCE).await? {
        true => Ok(()),
        false => Err(Error::refused(
            "the database",
            "another process is changing tables in it",
            "wait for its end: one change at a time",
        )),
    }
}

/// In MySQL and MariaDB, locks are the server's, and their names have at most 64 characters.
///
/// A process from before the first release names it otherwise (by SHA1, which MySQL 9.7 no longer
/// has) and does not exclude this one. Taking both isn't possible: a session of MySQL 5.6 has one
/// lock.
fn advisory_lock() -> AdvisoryLock {
    AdvisoryLock {
        numbers: format!("{LOCK_NUMBER}, hashtext(current_schema())"),
        name: format!("LEFT(CONCAT('{LOCK_NAME}.', SHA2(DATABASE(), 256)), 64)"),
    }
}

async fn unlock(connection: &mut Connection, is_done: bool) -> Result<(), Error> {
    let statement = match connection.backend() {
        backend if backend.has_one_writer() && is_done => SQLITE_COMMIT.into(),
        backend if backend.has_one_writer() => "ROLLBACK".into(),
        backend => advisory_lock().release(backend),
    };
    connection
        .execute("the end of the lock", &statement)
        .await
        .map(|_| ())
}

async fn exists(connection: &mut Connection) -> Result<bool, Error> {
    let query = connection.backend().has_table(TABLE);
    let exists = connection.is("the state of changes", &query, &[]).await?;
    if exists && !runs_changes(connection.backend()) {
        return Err(Error::refused(
            format!("the table {TABLE}"),
            "rowkey from before the first release, which still ran changes on SQL Server, has begun one",
            "finish or undo it with that version: the last is of commit 63bab7a4",
        ));
    }
    Ok(exists)
}

async fn create(connection: &mut Connection) -> Result<(), Error> {
    let [text, short, number] = connection.backend().plain_types();
    let table = quote_identifier(connection.backend(), TABLE)?;
    if exists(connection).await? {
        return Ok(());
    }
    // One row: a second is a duplicate.
    let create = format!(
        "CREATE TABLE {table} (one {number} NOT NULL PRIMARY KEY, plan_hash {short} NOT NULL, \
         phase {short} NOT NULL, is_done {number} NOT NULL, catalog {short} NOT NULL, \
         plan_text {text} NOT NULL, tables {text} NOT NULL)"
    );
    connection
        .execute("the table with the state", &create)
        .await
        .map(|_| ())
}

async fn insert(connection: &mut Connection, saved: &Saved, plan: &Plan) -> Result<(), Error> {
    let backend = connection.backend();
    let table = quote_identifier(backend, TABLE)?;
    let [one, two, three, four, five, six] = placeholders(backend);
    let insert = format!(
        "INSERT INTO {table} (one, plan_hash, phase, is_done, catalog, plan_text, tables) \
         VALUES (1, {one}, {two}, {three}, {four}, {five}, {six})"
    );
    let tables = serde_json::to_string(&saved.tables).map_err(Error::database("the state"))?;
    let values = [
        Value::from(saved.plan_hash.as_str()),
        Value::from(saved.phase.as_str()),
        Value::Integer(0),
        Value::from(saved.catalog.as_str()),
        Value::Text(plan.to_toml()?),
        Value::Text(tables),
    ];
    connection
        .update("the state of the change", &insert, &values)
        .await
        .map(|_| ())
}

/// The plan of the change that has begun.
pub(super) async fn begun(connection: &mut Connection) -> Result<Option<Plan>, Error> {
    let rows = rows(connection, "plan_text").await?;
    rows.first()
        .map(|row| Plan::from_toml(row.text(0)?))
        .transpose()
}

/// Fails if a change has begun: a plan can only be looked at before.
pub(super) async fn require_none(connection: &mut Connection, plan: &Plan) -> Result<(), Error> {
    match saved(connection).await? {
        None => Ok(()),
        Some(saved) if saved.plan_hash != plan.hash()? => Err(another_plan()),
        Some(saved) => Err(Error::refused(
            "the plan",
            format!("its change has begun, and has reached {}", saved.phase),
            "go on with it, or undo it: then it can be looked at again",
        )),
    }
}

/// The last phase of a plan's change that is done; nothing if none is, or the change has ended.
pub(super) async fn reached(
    connection: &mut Connection,
    plan: &Plan,
) -> Result<Option<Phase>, Error> {
    let state = State {
        plan_hash: plan.hash()?,
        saved: saved(connection).await?,
    };
    let saved = state.saved.as_ref();
    if saved.is_some_and(|saved| saved.plan_hash != state.plan_hash) {
        return Err(another_plan());
    }
    let mut phases = Phase::ALL.into_iter().rev();
    Ok(phases.find(|phase| state.is_done(*phase)))
}

/// What is recorded about the exchange of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Recorded {
    /// The change has not begun, or is contracted or undone.
    Nothing,
    NotSwapped,
    /// The exchange was interrupted, before it or after it.
    Swapping,
    Swapped,
}

/// Whether the change of a plan is swapped, as far as that is recorded.
///
/// Fails while the old columns are being dropped, when some are empty and others are not, while the
/// change is being undone, and if the key's change has another plan.
pub(super) async fn recorded(connection: &mut Connection, plan: &Plan) -> Result<Recorded, Error> {
    let Some(saved) = saved(connection).await? else {
        return Ok(Recorded::Nothing);
    };
    if saved.phase == CONTRACT {
        return Err(Error::refused(
            "the comparison with the old values",
            "they are being dropped",
            "finish that with --contract",
        ));
    }
    let plan_hash = plan.hash()?;
    if saved.plan_hash != plan_hash {
        // A change of another key may be on its way after the one of this plan.
        let is_of_key = |begun: &Plan| {
            (&begun.key.table, &begun.key.column) == (&plan.key.table, &plan.key.column)
        };
        return match begun(connection).await?.as_ref().is_some_and(is_of_key) {
            true => Err(another_plan()),
            false => Ok(Recorded::Nothing),
        };
    }
    let state = State {
        plan_hash,
        saved: Some(saved),
    };
    state.require_not_undone()?;
    Ok(match state.is_begun(Phase::Swap) {
        true if state.is_done(Phase::Swap) => Recorded::Swapped,
        true => Recorded::Swapping,
        false => Recorded::NotSwapped,
    })
}

fn another_plan() -> Error {
    Error::refused(
        "the plan",
        "a change with another plan has begun in this database, or this plan was edited since",
        format!(
            "go on with the plan as it was, undo it, or contract it: the column `plan_text` of the table \
             {TABLE} has its text"
        ),
    )
}

async fn saved(connection: &mut Connection) -> Result<Option<Saved>, Error> {
    let rows = rows(connection, "plan_hash, phase, is_done, catalog, tables").await?;
    rows.first().map(saved_of).transpose()
}

/// What the table has in some columns; nothing if there is none, which a change that ends meanwhile
/// drops.
async fn rows(connection: &mut Connection, columns: &str) -> Result<Vec<Row>, Error> {
    if !exists(connection).await? {
        return Ok(Vec::new());
    }
    let table = quote_identifier(connection.backend(), TABLE)?;
    let query = format!("SELECT {columns} FROM {table}");
    match connection
        .query("the state of the change", &query, &[])
        .await
    {
        Err(error) => match error.sql_state().map(Cow::into_owned).as_deref() {
            Some("42703" | "42S22") => Err(another_version("it has other columns".into())),
            _ if !exists(connection).await? => Ok(Vec::new()),
            // SQLite has one number for all that its SQL does not find.
            Some("1") => Err(another_version("it has other columns".into())),
            _ => Err(error),
        },
        rows => rows,
    }
}

fn saved_of(row: &Row) -> Result<Saved, Error> {
    let phase = row.text(1)?;
    if phase != CONTRACT && position(phase.strip_prefix(UNDO).unwrap_or(phase)).is_none() {
        return Err(another_version(format!("it has the phase {phase}")));
    }
    let tables = serde_json::from_str(row.text(4)?);
    Ok(Saved {
        plan_hash: row.text(0)?.into(),
        phase: phase.into(),
        is_done: row.is(2)?,
        catalog: row.text(3)?.into(),
        tables: tables
            .map_err(|why| another_version(format!("its tables cannot be read: {why}")))?,
    })
}

fn another_version(why: String) -> Error {
    Error::refused(
        format!("the table {TABLE}"),
        format!("{why}. The change was begun by another version of rowkey"),
        "finish or undo it with that version, or rename the table if it is not rowkey's",
    )
}

/// The plan with the catalogue before the first phase. An account without some privileges sees
/// other tables than the one that wrote the plan, so that those are named first.
pub(super) async fn work_of(
    connection: &mut Connection,
    plan: &Plan,
    catalog: &Catalog,
) -> Result<Work, Error> {
    if !plan.is_of(catalog) {
        refuse_privileges(connection).await?;
    }
    Work::new(plan, catalog)
}

/// Fails for privileges that a change needs, whatever its plan.
pub(super) async fn refuse_privileges(connection: &mut Connection) -> Result<(), Error> {
    match connection.backend().rebuilds_tables() {
        #[cfg(feature = "mysql")]
        true => crate::mysql::refuse_privileges(connection).await,
        _ => Ok(()),
    }
}

/// Fails for a foreign key of another table that was added after the change had begun, and would go
/// on referring to the old column or table.
fn refuse_new_references(work: &Work, now: &Catalog, is_swapped: bool) -> Result<(), Error> {
    let mut refusals = Refusals::default();
    let is_rebuilt = work.backend.rebuilds_tables();
    for table in &work.tables {
        let old = old_table(work.backend, table.name());
        let target = match (is_swapped, old) {
            (true, Some(old)) => old,
            // From then on, they refer to the new column.
            (true, None) => continue,
            (false, _) => table.name().clone(),
        };
        for (other, key) in now.references_to(&target) {
            let is_own = work.tables.iter().any(|one| {
                let name = one.name();
                *name == other.name || old_table(work.backend, name).as_ref() == Some(&other.name)
            });
            let mut targets = key.target_columns.iter();
            let is_concerned = is_rebuilt || targets.any(|one| table.changed(one).is_some());
            if !is_own && is_concerned {
                refusals.add(
                    format!("the reference {} of {} to {target}", key.name, other.name),
                    "it was added after the change had begun, and would stay with the old ids",
                    match is_swapped {
                        true => "drop it, and add it to the new table",
                        false => "drop it, and add it after the swap, or undo the change and write a new plan",
                    },
                );
            }
        }
    }
    refusals.result()
}

/// Whether the new columns have taken the places of the old ones.
fn is_exchanged(work: &Work, now: &Catalog) -> bool {
    let has_old = |name: &QualifiedName| {
        old_table(work.backend, name).is_some_and(|old| now.table(&old).is_ok())
    };
    work.columns().any(|(table, column)| {
        let found = now.table(table.name());
        let is_retired = found.is_ok_and(|found| found.column(&column.retired_name).is_some());
        is_retired || has_old(table.name())
    })
}

/// The table with the old columns after the swap, on the databases that do not keep them in the
/// same table.
pub(crate) fn old_table(backend: Backend, table: &QualifiedName) -> Option<QualifiedName> {
    match backend.rebuilds_tables() {
        #[cfg(feature = "mysql")]
        true => Some(table.sibling(crate::mysql::old_table(&table.name))),
        _ => None,
    }
}
