//! What both connections are told before the first row.

use std::fs::canonicalize;
use std::hash::{BuildHasher as _, RandomState};
use std::path::Path;
use std::time::Duration;

use rowkey_tables::advisory_lock::AdvisoryLock;
use rowkey_tables::catalog::{
    Catalog, Dependent, DependentKind, ForeignKey, Key, QualifiedName, ReferenceAttribute, Table,
};
use rowkey_tables::dialect::Dialect;
use rowkey_tables::text_literal::text_literal;
use rowkey_tables::{Connection, Error, Value};

use crate::engine::{TableLock, engine};
use crate::rows::select::first;
use crate::tables::prepared::PreparedTable;
use crate::tables::table_side::TableSide;

/// How long to wait for another process with the same plan.
const PATIENCE: Duration = Duration::from_secs(30);

/// Begins to see the source as it is now, until the connection ends. Otherwise, each query sees what
/// is committed while it runs.
pub(crate) async fn begin_reading(source: &mut Connection) -> Result<(), Error> {
    if sees_one_moment(source).await? {
        for statement in source.backend().snapshot() {
            source.execute(VIEW, statement).await?;
        }
    }
    Ok(())
}

/// Whether all queries of a source can see it at the same moment.
pub(super) async fn sees_one_moment(source: &mut Connection) -> Result<bool, Error> {
    let Some(query) = engine(source.backend()).sessions.views else {
        return Ok(true);
    };
    let rows = source.query(VIEW, query, &[]).await?;
    rows.first()
        .map_or(Ok(false), |row| Ok(row.optional_integer(0)? == Some(1)))
}

/// What a person should know about a source that is not seen at one moment.
pub(super) const NO_MOMENT: &str = "the database of the source does not allow snapshots, so that its rows were \
     not all read as they were at one moment: let nobody write meanwhile, or let its owner run ALTER DATABASE \
     CURRENT SET ALLOW_SNAPSHOT_ISOLATION ON before; `rowkey verify` says whether both sides are equal";

/// Begins to see some tables of the source as they are now, and so do as many others, which see the
/// same.
pub(super) async fn begin_reading_together(
    source: &mut Connection,
    others: u32,
    tables: &[PreparedTable<'_>],
) -> Result<Vec<Connection>, Error> {
    let mut opened = Vec::new();
    for _ in 0..others {
        opened.push(source.another().await?);
    }
    let sessions = &engine(source.backend()).sessions;
    if let Some(query) = sessions.export_view {
        let hold = held(source, tables).await?;
        begin_reading(source).await?;
        // Before the first query, with which the view begins.
        if let Some(hold) = hold {
            source.execute(VIEW, &hold).await?;
        }
        let row = source.one_row(VIEW, query, &[]).await?;
        let view = text_literal(source.backend(), row.text(0)?);
        for other in &mut opened {
            begin_reading(other).await?;
            let share = format!("SET TRANSACTION SNAPSHOT {view}");
            other.execute(VIEW, &share).await?;
        }
        return Ok(opened);
    }
    let lock = match &sessions.lock_tables {
        Some(how) if others > 0 => Some((lock_tables(source, tables, how).await?, how.end)),
        _ => None,
    };
    for connection in [source].into_iter().chain(&mut opened) {
        begin_reading(connection).await?;
        begin_view(connection, tables).await?;
    }
    if let Some((mut lock, end)) = lock {
        lock.execute(VIEW, end).await?;
    }
    Ok(opened)
}

const VIEW: &str = "the view of the source";

/// The statement that keeps others from emptying the tables, whose rows of before a view would not
/// see then.
async fn held(
    source: &mut Connection,
    tables: &[PreparedTable<'_>],
) -> Result<Option<String>, Error> {
    let Some(hold) = &engine(source.backend()).sessions.hold else {
        return Ok(None);
    };
    let mut held = Vec::new();
    for table in tables {
        let name = table.from.quoted()?;
        // Whoever may read some columns only may hold no table.
        if source
            .is(VIEW, hold.is_allowed, &[Value::Text(name.clone())])
            .await?
        {
            held.push(name);
        }
    }
    Ok((!held.is_empty()).then(|| (hold.statement)(&held)))
}

/// Looks at a row, where a view begins with the first one that is asked for.
async fn begin_view(source: &mut Connection, tables: &[PreparedTable<'_>]) -> Result<(), Error> {
    let backend = source.backend();
    if let (true, Some(table)) = (engine(backend).sessions.view_begins_late, tables.first()) {
        let query = first(
            backend,
            1,
            &format!("SELECT 1 FROM {}", table.from.quoted()?),
        );
        source.query(VIEW, &query, &[]).await?;
    }
    Ok(())
}

/// Lets nobody write some tables, where views that begin one after the other would differ, until
/// the connection unlocks them. Programs that write wait for some seconds behind one that does not
/// commit.
async fn lock_tables(
    source: &Connection,
    tables: &[PreparedTable<'_>],
    how: &TableLock,
) -> Result<Connection, Error> {
    let tables = tables.iter().map(|table| table.from.quoted());
    let tables: Vec<String> = tables.collect::<Result<_, Error>>()?;
    let mut lock = source.another().await?;
    lock.execute(VIEW, how.begin).await?;
    for statement in (how.lock)(&tables) {
        lock.execute(VIEW, &statement).await.map_err(|error| {
            Error::refused(
                "a copy with several jobs",
                format!(
                    "for a moment, nobody may write the tables of the source, so that all readers see the \
                     same, and that failed: {}",
                    error.reason()
                ),
                how.instead,
            )
        })?;
    }
    Ok(lock)
}

/// Remembers where the view of the source is, if a query that is refused ends it.
pub(super) async fn mark(source: &mut Connection) -> Result<(), Error> {
    if engine(source.backend()).sessions.refusals_end_view {
        source.execute(VIEW, "SAVEPOINT rowkey").await?;
    }
    Ok(())
}

/// Forgets the mark: PostgreSQL shares no view from inside a savepoint.
pub(super) async fn unmark(source: &mut Connection) -> Result<(), Error> {
    if engine(source.backend()).sessions.refusals_end_view {
        source.execute(VIEW, "RELEASE SAVEPOINT rowkey").await?;
    }
    Ok(())
}

/// Goes on with the view of the source behind a query that was refused.
pub(super) async fn back_to_mark(source: &mut Connection) -> Result<(), Error> {
    if engine(source.backend()).sessions.refusals_end_view {
        source.execute(VIEW, "ROLLBACK TO SAVEPOINT rowkey").await?;
    }
    Ok(())
}

/// Refuses a target that is the source under another address: its rows might be deleted before they
/// are read.
pub(super) async fn require_two_databases(
    source: &mut Connection,
    target: &mut Connection,
) -> Result<(), Error> {
    if source.backend() != target.backend() {
        return Ok(());
    }
    let sessions = &engine(source.backend()).sessions;
    let here = place(source, sessions.place).await?;
    let there = place(target, sessions.place).await?;
    let number = RandomState::new().hash_one(()) >> 1;
    let is_same = match (sessions.lock)(format!("rowkey_place_{number}")) {
        // A database without a file is in memory, and nobody else's.
        None => here == there && !here.is_empty(),
        // Servers may be the same under several addresses, and have a name in common.
        Some(_) if here != there => false,
        Some(name) => {
            let numbers = number.to_string();
            let lock = AdvisoryLock { numbers, name };
            let release = lock.release(source.backend());
            lock.take(source, WHICH, Duration::ZERO).await?;
            let is_free = lock.take(target, WHICH, Duration::ZERO).await?;
            source.query(WHICH, &release, &[]).await?;
            if is_free {
                target.query(WHICH, &release, &[]).await?;
            }
            !is_free
        }
    };
    match is_same {
        false => Ok(()),
        true => Err(Error::refused(
            "the target",
            "it is the source, under another address",
            "give the address of another database to copy to",
        )),
    }
}

/// The database of a connection, whatever its address; without its server, where that is not told.
/// Call this before a view begins: a query that is refused would end the view.
pub(crate) async fn identity(connection: &mut Connection) -> Result<String, Error> {
    let sessions = &engine(connection.backend()).sessions;
    match place(connection, sessions.identity).await {
        Err(error) if error.sql_state().is_some() => place(connection, sessions.place).await,
        identity => identity,
    }
}

async fn place(connection: &mut Connection, query: &str) -> Result<String, Error> {
    let row = connection.one_row(WHICH, query, &[]).await?;
    let place = row.optional_text(0)?.unwrap_or_default();
    let path = Path::new(place);
    // A file may have several paths. Names of databases are none.
    Ok(match path.is_absolute() {
        true => canonicalize(path).map_or(place.into(), |path| path.display().to_string()),
        false => place.into(),
    })
}

const WHICH: &str = "which database it is";

/// Makes the target refuse what it would otherwise change.
pub(crate) async fn begin_writing(target: &mut Connection, job: &str) -> Result<(), Error> {
    set_target(target).await?;
    lock(target, job).await
}

/// The settings of the session that writes.
pub(super) async fn set_target(target: &mut Connection) -> Result<(), Error> {
    target.allow_writing().await?;
    if let Some(set) = engine(target.backend()).sessions.write {
        target.execute(TARGET, set).await?;
    }
    Ok(())
}

/// Begins to write rows without a look for those that they refer to, where a session can do that.
pub(super) async fn uncheck(target: &mut Connection) -> Result<(), Error> {
    if let Some(unchecked) = &engine(target.backend()).sessions.unchecked {
        target.execute(TARGET, unchecked.off).await?;
    }
    Ok(())
}

/// Ends [`uncheck`]: the session looks for those rows again.
pub(super) async fn check(target: &mut Connection) -> Result<(), Error> {
    if let Some(unchecked) = &engine(target.backend()).sessions.unchecked {
        target.execute(TARGET, unchecked.on).await?;
    }
    Ok(())
}

/// Whether the target can get the rows of existing tables without a look for those that they refer
/// to. Where that is not free, it is for references to later tables only, and for an account that may.
pub(super) async fn can_uncheck(
    target: &mut Connection,
    catalog: &Catalog,
    sides: &[&TableSide],
) -> Result<bool, Error> {
    let Some(unchecked) = &engine(target.backend()).sessions.unchecked else {
        return Ok(false);
    };
    if unchecked.is_free {
        return Ok(true);
    }
    let written = sides.iter().filter(|side| !side.keeps_rows());
    let written: Vec<&QualifiedName> = written.map(|side| &side.name).collect();
    let mut has_later = false;
    for (number, name) in written.iter().enumerate() {
        let Ok(table) = catalog.table(name) else {
            continue;
        };
        if !only_refers(table) {
            return Ok(false);
        }
        let mut keys = table.foreign_keys.iter();
        has_later |= keys.any(|key| written[number + 1..].contains(&&key.target));
    }
    if !has_later {
        return Ok(false);
    }
    match uncheck(target).await {
        Err(error) if error.is_denied() => Ok(false),
        outcome => {
            outcome?;
            check(target).await?;
            Ok(true)
        }
    }
}

/// Whether a session that does not look at references leaves out nothing else of a table of
/// PostgreSQL, and nothing that a look at the end does not see. Triggers also look at constraints
/// that can be deferred.
fn only_refers(table: &Table) -> bool {
    let is_left_out = |one: &Dependent| match one.kind {
        DependentKind::Trigger | DependentKind::Rule => true,
        DependentKind::Check => one.definition.contains("DEFERRABLE"),
        _ => false,
    };
    let is_deferrable = |key: &Key| key.constraint().contains("DEFERRABLE");
    let has_rules = |key: &ForeignKey| {
        use ReferenceAttribute::{MatchFull, NotEnforced, Period};
        let rules = [MatchFull, Period, NotEnforced];
        rules.iter().any(|rule| key.attributes.has(rule))
    };
    !table.dependents.iter().any(is_left_out)
        && !table.keys.iter().any(is_deferrable)
        && !table.foreign_keys.iter().any(has_rules)
}

const TARGET: &str = "the session of the target";

/// Makes sure that a job has one process.
async fn lock(target: &mut Connection, job: &str) -> Result<(), Error> {
    let name = format!("rowkey_copy_{}", &job[..32]);
    let number = i64::from_str_radix(&job[..15], 16).expect("a job is a hash in hexadecimal");
    let Some(name) = (engine(target.backend()).sessions.lock)(name) else {
        return Ok(());
    };
    let numbers = number.to_string();
    let lock = AdvisoryLock { numbers, name };
    match lock.take(target, "the lock of the copy", PATIENCE).await? {
        true => Ok(()),
        false => Err(Error::refused(
            "the plan",
            "another process copies with it",
            "wait until that has ended",
        )),
    }
}
