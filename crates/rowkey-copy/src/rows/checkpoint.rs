//! How far a copy has come, in a table of the target.

use rowkey_tables::catalog::{Catalog, Table};
use rowkey_tables::{Connection, Error};

use crate::batch::RowSum;
use crate::engine::engine;
use crate::plans::plan::CopyPlan;
use crate::rows::write::Tally;

pub(crate) const TABLE: &str = "rowkey_copy";

pub(crate) const COLUMNS: &str =
    "job, number, part, state, row_count, row_sum, last_key, until_key";

/// What the statements are for, in errors.
const DOING: &str = "the state of the copy";

/// How many rows SQL Server inserts at once.
const ROWS: usize = 1_000;

/// What is done with a part of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum State {
    /// The table may have been made, and may have some rows of the part.
    Begun,
    /// It has all rows of the part.
    Copied,
    /// It has its indexes, constraints and counters too.
    Done,
}

impl State {
    const ALL: [Self; 3] = [Self::Begun, Self::Copied, Self::Done];

    fn name(self) -> &'static str {
        match self {
            Self::Begun => "begun",
            Self::Copied => "copied",
            Self::Done => "done",
        }
    }
}

/// The state of a part of a table of the plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Checkpoint {
    pub(crate) state: State,
    /// The rows that were copied.
    pub(crate) copied: RowSum,
    /// The key of the last row that was copied.
    pub(crate) last_key: Vec<u8>,
    /// The last key of the part; none for the last part.
    pub(crate) until_key: Vec<u8>,
}

impl Checkpoint {
    /// Before the first row.
    pub(crate) fn beginning(until_key: Vec<u8>) -> Self {
        Self {
            state: State::Begun,
            copied: RowSum::default(),
            last_key: Vec::new(),
            until_key,
        }
    }
}

/// Whether all of a job is done.
pub(crate) fn is_over(tables: &[Vec<Checkpoint>]) -> bool {
    let mut parts = tables.iter().flatten();
    parts.all(|part| part.state == State::Done)
}

/// The rows that were copied, of all parts of a table.
pub(crate) fn rows_of(parts: &[Checkpoint]) -> RowSum {
    let mut total = RowSum::default();
    parts.iter().for_each(|part| total.append(part.copied));
    total
}

/// The checkpoints of the parts of each table of a job; nothing if it has not begun.
pub(crate) async fn read(
    target: &mut Connection,
    job: &str,
    tables: usize,
) -> Result<Option<Vec<Vec<Checkpoint>>>, Error> {
    make_table(target).await?;
    read_existing(target, job, tables).await
}

/// The same for a plan, if the target has the table in which they are.
pub(crate) async fn find(
    target: &mut Connection,
    catalog: &Catalog,
    plan: &CopyPlan,
) -> Result<Option<Vec<Vec<Checkpoint>>>, Error> {
    match has_table(catalog) {
        true => read_existing(target, &plan.hash()?, plan.tables.len()).await,
        false => Ok(None),
    }
}

/// Whether a target has the table.
pub(crate) fn has_table(catalog: &Catalog) -> bool {
    let is_it = |table: &Table| table.name.schema.is_none() && table.name.name == TABLE;
    catalog.tables.iter().any(is_it)
}

/// Whether any copy has begun in the target.
pub(crate) async fn is_any(target: &mut Connection) -> Result<bool, Error> {
    let query = format!("SELECT count(*) FROM {TABLE}");
    Ok(target.count(DOING, &query, &[]).await? > 0)
}

/// The checkpoints in a table that exists.
async fn read_existing(
    target: &mut Connection,
    job: &str,
    tables: usize,
) -> Result<Option<Vec<Vec<Checkpoint>>>, Error> {
    let query = format!(
        "SELECT job, state, row_count, row_sum, last_key, until_key, number, part FROM {TABLE} \
         ORDER BY job, number, part"
    );
    let mut found: Vec<Vec<Checkpoint>> = Vec::new();
    for row in target.query(DOING, &query, &[]).await? {
        let state = row.text(1)?;
        let state = State::ALL.into_iter().find(|known| known.name() == state);
        let (Some(state), Ok(hash), Ok(last_key), Ok(until_key)) = (
            state,
            u128::from_str_radix(row.text(3)?, 16),
            hex::decode(row.text(4)?),
            hex::decode(row.text(5)?),
        ) else {
            return Err(damaged());
        };
        if row.text(0)? == job {
            let (number, part) = (row.integer(6)?, row.integer(7)?);
            if part == 0 {
                found.push(Vec::new());
            }
            let place = found.len() as i64 - 1;
            let parts = found.last_mut().ok_or_else(damaged)?;
            if (number, part) != (place, parts.len() as i64) {
                return Err(damaged());
            }
            let rows = row.count(2).map_err(|_| damaged())?;
            parts.push(Checkpoint {
                state,
                copied: RowSum { rows, hash },
                last_key,
                until_key,
            });
        } else if state != State::Done {
            return Err(Error::refused(
                "the target",
                "a copy with another plan, or with this one before it was edited, has not ended \
                 there",
                "end it with its plan, or drop its tables and the table rowkey_copy",
            ));
        }
    }
    match found.len() {
        0 => Ok(None),
        count if count == tables => Ok(Some(found)),
        _ => Err(damaged()),
    }
}

pub(crate) fn damaged() -> Error {
    Error::Differs {
        what: format!("the table {TABLE} in the target"),
        found: "it is not as this program writes it".into(),
    }
}

async fn make_table(target: &mut Connection) -> Result<(), Error> {
    let has = &engine(target.backend()).target;
    let (create, text, options) = ((has.create)(TABLE), has.state_text, has.state_options);
    let statement = format!(
        "{create} (job varchar(64) NOT NULL, number integer NOT NULL, \
         part integer NOT NULL, state varchar(20) NOT NULL, row_count bigint NOT NULL, \
         row_sum varchar(32) NOT NULL, last_key {text} NOT NULL, until_key {text} NOT NULL, \
         PRIMARY KEY (job, number, part)){options}"
    );
    target.execute(DOING, &statement).await?;
    Ok(())
}

/// The row that says whether a job makes its tables. To versions that do not know it, it's another
/// job, which is done.
fn mark(job: &str, creates: bool) -> String {
    let how = if creates { "created" } else { "existing" };
    format!("{}-{how}", &job[..40])
}

/// Whether a job that has begun makes its tables; nothing if an older version has begun it.
pub(crate) async fn creates(target: &mut Connection, job: &str) -> Result<Option<bool>, Error> {
    for creates in [true, false] {
        let mark = mark(job, creates);
        let query = format!("SELECT count(*) FROM {TABLE} WHERE job = '{mark}'");
        if target.count(DOING, &query, &[]).await? > 0 {
            return Ok(Some(creates));
        }
    }
    Ok(None)
}

/// The row with the database from which a job copies, where others have a key. To versions that do
/// not know it, it's another job, which is done.
fn source_mark(job: &str) -> String {
    format!("{}-source", &job[..40])
}

/// What is wrong if a job that has begun copies from another database than this one. Older versions
/// have not written from which.
pub(crate) async fn other_source(
    target: &mut Connection,
    job: &str,
    source: &str,
) -> Result<Option<Error>, Error> {
    let mark = source_mark(job);
    let query = format!("SELECT last_key FROM {TABLE} WHERE job = '{mark}'");
    let rows = target.query(DOING, &query, &[]).await?;
    let Some(row) = rows.first() else {
        return Ok(None);
    };
    let begun = hex::decode(row.text(0)?).map_err(|_| damaged())?;
    if begun == source.as_bytes() {
        return Ok(None);
    }
    let begun = String::from_utf8(begun).map_err(|_| damaged())?;
    Ok(Some(Error::refused(
        "the source",
        format!(
            "it is {source}, and the target has rows of {begun}, which were copied with this plan"
        ),
        format!(
            "copy into another target; if it is the same database, which was moved, run DELETE FROM {TABLE} \
             WHERE job = '{mark}' in the target, and repeat the command"
        ),
    )))
}

/// Writes down that a job begins, with the parts of each table, whether it makes these, and from
/// which database it copies.
pub(crate) async fn begin(
    target: &mut Connection,
    job: &str,
    tables: &[Vec<Checkpoint>],
    creates: bool,
    source: &str,
) -> Result<(), Error> {
    let parts = tables.iter().enumerate().flat_map(|(number, parts)| {
        let parts = parts.iter().enumerate();
        parts.map(move |(part, checkpoint)| {
            let until_key = hex::encode(&checkpoint.until_key);
            let state = checkpoint.state.name();
            format!("('{job}', {number}, {part}, '{state}', 0, '0', '', '{until_key}')")
        })
    });
    let mut parts: Vec<String> = parts.collect();
    let done = State::Done.name();
    for (mark, source) in [
        (mark(job, creates), String::new()),
        (source_mark(job), hex::encode(source)),
    ] {
        parts.push(format!(
            "('{mark}', 0, 0, '{done}', 0, '0', '{source}', '')"
        ));
    }
    // In one transaction, because a copy that has only a part of them would not go on.
    let begin = engine(target.backend()).sessions.begin;
    target.execute(DOING, begin).await?;
    for parts in parts.chunks(ROWS) {
        let statement = format!(
            "INSERT INTO {TABLE} ({COLUMNS}) VALUES {}",
            parts.join(", ")
        );
        target.execute(DOING, &statement).await?;
    }
    target.execute(DOING, "COMMIT").await?;
    Ok(())
}

/// Where the row of a part is.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// The hash of the plan.
    pub(crate) job: String,
    /// The number of the table.
    pub(crate) number: usize,
    pub(crate) part: usize,
}

impl Place {
    fn condition(&self) -> String {
        let Self { job, number, part } = self;
        format!("job = '{job}' AND number = {number} AND part = {part}")
    }
}

/// Writes down which rows a transaction has added; fails if another process has added some.
pub(crate) async fn advance(
    target: &mut Connection,
    place: &Place,
    state: State,
    before: u64,
    tally: &Tally,
) -> Result<(), Error> {
    let last_key = hex::encode(&tally.last_key);
    let statement = format!(
        "UPDATE {TABLE} SET state = '{}', row_count = {}, row_sum = '{}', last_key = '{last_key}' \
         WHERE {} AND row_count = {before} AND state = '{}'",
        state.name(),
        tally.total.rows,
        tally.total.hash_text(),
        place.condition(),
        State::Begun.name(),
    );
    let changed = match engine(target.backend()).sessions.counts_changes {
        true => target.execute(DOING, &statement).await?,
        false => target.update(DOING, &statement, &[]).await?,
    };
    match changed {
        1 => Ok(()),
        _ => Err(Error::refused(
            "the plan",
            "another process has copied with it meanwhile",
            "wait until that has ended",
        )),
    }
}

/// Writes down that a part is in a state.
pub(crate) async fn reach(
    target: &mut Connection,
    place: &Place,
    state: State,
) -> Result<(), Error> {
    let statement = format!(
        "UPDATE {TABLE} SET state = '{}' WHERE {}",
        state.name(),
        place.condition()
    );
    target.execute(DOING, &statement).await?;
    Ok(())
}

/// Writes down that a job is done.
pub(crate) async fn end(target: &mut Connection, job: &str) -> Result<(), Error> {
    let state = State::Done.name();
    let statement = format!("UPDATE {TABLE} SET state = '{state}' WHERE job = '{job}'");
    target.execute(DOING, &statement).await?;
    Ok(())
}
