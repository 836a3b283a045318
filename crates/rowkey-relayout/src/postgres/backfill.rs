//! The rows that exist, in the order in which they are on the disk.
//!
//! A row that any program writes after the first phase is filled by the trigger. So only rows that
//! nobody touches are left, and those stay where they are: one pass over the blocks finds them all.

use std::time::{Duration, Instant};

use super::names::quoted;
use super::session;
use super::triggers::{DAMAGED, LAST};
use super::values::Values;
use rowkey_tables::{Error, Value};

use crate::batch_size::BatchSize;
use crate::refused_rows::shown;
use crate::runner::Runner;
use crate::work::{ChangedTable, Work};

/// In how many parts the rows of a batch are updated, each in a transaction of its own.
///
/// The blocks of a table are full, so the new versions of the first part's rows go to other blocks,
/// and every index gets an entry for each. The old versions leave room in their blocks, which the
/// server reclaims when it reads them for the next part. The new versions of that one stay there,
/// and the indexes as they are. With four parts, a table grows by about half, and in one statement
/// by more than its size. A transaction that is open in another session keeps the old versions, and
/// then this advantage is lost, but no other.
const PARTS: u32 = 4;

/// How many blocks at the beginning of a table tell how many rows a block has.
const SAMPLED_BLOCKS: i64 = 64;

/// The pause before another look for rows that programs had locked.
const PAUSE: Duration = Duration::from_millis(100);

pub(crate) async fn backfill(runner: &mut Runner<'_>, work: &Work) -> Result<(), Error> {
    session::prepare(runner).await?;
    // A batch that a crash of the server loses is filled again, and the end of the phase is not
    // lost.
    let setting = "SET synchronous_commit = off";
    runner.run("the session", setting).await?;
    let values = Values::of(runner, work).await?;
    for table in &work.tables {
        let statements = Statements::of(work, &values, table)?;
        let outcome = fill(runner, work, table, &statements).await;
        outcome.map_err(|error| with_row(error, table))?;
    }
    runner
        .run("the session", "RESET synchronous_commit")
        .await
        .map(|_| ())
}

/// The parts of a table's statements.
struct Statements {
    table: String,
    /// `"id_key" = …`.
    assignments: String,
    /// Whether a row is not filled.
    is_open: String,
}

impl Statements {
    fn of(work: &Work, values: &Values<'_>, table: &ChangedTable) -> Result<Self, Error> {
        let (mut assignments, mut is_open) = (Vec::new(), Vec::new());
        for column in &table.columns {
            let (old, shadow) = (quoted(&column.column.name)?, quoted(&column.shadow_name())?);
            let value = values.new_value(column, "")?;
            assignments.push(format!("{shadow} = {value}"));
            is_open.push(format!("{shadow} IS NULL AND {old} IS NOT NULL"));
        }
        Ok(Self {
            table: table.name().quoted(work.backend)?,
            assignments: assignments.join(", "),
            is_open: is_open.join(" OR "),
        })
    }

    /// Fills a part of the open rows in some blocks.
    fn update(&self, blocks: &Blocks, part: u32) -> String {
        format!(
            "UPDATE {} SET {} WHERE {}",
            self.table,
            self.assignments,
            self.open_rows(blocks, part)
        )
    }

    /// The same without waiting for rows that programs have locked.
    fn update_of_unlocked(&self, blocks: &Blocks, part: u32) -> String {
        let Self {
            table, assignments, ..
        } = self;
        format!(
            "UPDATE {table} SET {assignments} WHERE ctid = ANY (ARRAY(SELECT ctid FROM {table} \
             WHERE {} FOR NO KEY UPDATE SKIP LOCKED))",
            self.open_rows(blocks, part)
        )
    }

    /// The condition for a part of the open rows in some blocks, from all over each block. The last
    /// part has all that are left.
    fn open_rows(&self, blocks: &Blocks, part: u32) -> String {
        let Blocks { start, end } = blocks;
        let rows = format!(
            "ctid >= '({start},0)' AND ctid < '({end},0)' AND ({})",
            self.is_open
        );
        match PARTS - part {
            0 | 1 => rows,
            parts_left => format!("{rows} AND random() * {parts_left} < 1"),
        }
    }
}

/// Some blocks of a table.
type Blocks = std::ops::Range<i64>;

async fn fill(
    runner: &mut Runner<'_>,
    work: &Work,
    table: &ChangedTable,
    statements: &Statements,
) -> Result<(), Error> {
    if runner.is_dry() {
        runner.begins(&format!("repeated for all blocks of {}", table.name()));
        for part in 0..PARTS {
            let update = statements.update(&(0..SAMPLED_BLOCKS), part);
            runner.run("a batch", &update).await?;
        }
        return Ok(());
    }
    let mut size = BatchSize::new(&work.policy);
    for _ in 0..work.policy.lock_attempts {
        if !is_open(runner, table, statements).await? {
            return Ok(());
        }
        pass(runner, work, table, statements, &mut size).await?;
        if !is_open(runner, table, statements).await? {
            return Ok(());
        }
        tokio::time::sleep(PAUSE).await;
    }
    let suppressed_by = suppressed_by(runner, table, statements).await?;
    Err(match suppressed_by {
        Some(names) => Error::refused(
            format!("the rows of {}", table.name()),
            format!(
                "updates leave some of them as they are, although nobody has locked them: {names}"
            ),
            "disable it for the time of the change, then repeat the command: it goes on",
        ),
        None => Error::refused(
            format!("the rows of {}", table.name()),
            "programs keep some of them locked",
            "look for long transactions in pg_stat_activity, then repeat the command: it goes on",
        ),
    })
}

/// What may suppress updates of rows that nobody has locked, if there are such rows: a trigger that
/// has been made or enabled since the first phase, and returns NULL.
async fn suppressed_by(
    runner: &mut Runner<'_>,
    table: &ChangedTable,
    statements: &Statements,
) -> Result<Option<String>, Error> {
    let query = format!(
        "SELECT count(*) FROM (SELECT FROM {} WHERE {} LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED) AS free",
        statements.table, statements.is_open
    );
    let doing = format!("the rows of {} that nobody has locked", table.name());
    if !runner.is(&doing, &query, &[]).await? {
        return Ok(None);
    }
    // BEFORE and UPDATE are two bits of the type.
    let query = "SELECT COALESCE(string_agg('the trigger ' || tgname, ', ' ORDER BY tgname), \
                 'something in the database') FROM pg_trigger \
                 WHERE tgrelid = to_regclass($1) AND NOT tgisinternal AND tgenabled <> 'D' \
                 AND tgtype & 18 = 18 AND tgname::text NOT LIKE $2 || '%'";
    let name = Value::Text(statements.table.clone());
    let doing = format!("the triggers of {}", table.name());
    let row = runner.one_row(&doing, query, &[name, LAST.into()]).await?;
    Ok(Some(row.text(0)?.to_owned()))
}

async fn is_open(
    runner: &mut Runner<'_>,
    table: &ChangedTable,
    statements: &Statements,
) -> Result<bool, Error> {
    let query = format!(
        "SELECT EXISTS (SELECT FROM {} WHERE {})",
        statements.table, statements.is_open
    );
    let doing = format!("the rows of {} that are left", table.name());
    runner.is(&doing, &query, &[]).await
}

/// One pass over the blocks that the table has now.
async fn pass(
    runner: &mut Runner<'_>,
    work: &Work,
    table: &ChangedTable,
    statements: &Statements,
    size: &mut BatchSize,
) -> Result<(), Error> {
    let extent = Extent::of(runner, table, statements).await?;
    let shown_name = table.name().to_string();
    let timeout = session::lock_timeout(runner, work).await?;
    let begin = format!("SET lock_timeout = {timeout}");
    runner.run("the session", &begin).await?;
    let (mut first, mut done) = (0, 0);
    while first < extent.blocks {
        let end = first + (i64::from(size.rows()) / extent.rows_per_block).max(1);
        let begun = Instant::now();
        for part in 0..PARTS {
            done += update(runner, statements, &(first..end), part).await?;
        }
        size.took(begun.elapsed());
        runner.rows(&shown_name, done, table.table.estimated_rows);
        if work.policy.pause_ms > 0 {
            tokio::time::sleep(Duration::from_millis(work.policy.pause_ms.into())).await;
        }
        first = end;
    }
    runner
        .run("the session", "SET lock_timeout = 0")
        .await
        .map(|_| ())
}

/// A statement never waits long for a row that a program has locked: that row, if it is still open,
/// is left for the next part or pass.
async fn update(
    runner: &mut Runner<'_>,
    statements: &Statements,
    blocks: &Blocks,
    part: u32,
) -> Result<u64, Error> {
    let doing = "a batch of rows";
    match runner.run(doing, &statements.update(blocks, part)).await {
        Err(error) if session::is_lock_failure(&error) => {
            let statement = statements.update_of_unlocked(blocks, part);
            match runner.run(doing, &statement).await {
                Err(error) if session::is_lock_failure(&error) => Ok(0),
                outcome => outcome,
            }
        }
        outcome => outcome,
    }
}

/// How large a table is.
struct Extent {
    blocks: i64,
    rows_per_block: i64,
}

impl Extent {
    async fn of(
        runner: &mut Runner<'_>,
        table: &ChangedTable,
        statements: &Statements,
    ) -> Result<Self, Error> {
        let query = format!(
            "SELECT pg_relation_size(to_regclass($1)) / current_setting('block_size')::bigint, \
             (SELECT count(*) FROM {} WHERE ctid < '({SAMPLED_BLOCKS},0)')",
            statements.table
        );
        let doing = format!("the size of {}", table.name());
        let name = Value::Text(statements.table.clone());
        let row = runner.one_row(&doing, &query, &[name]).await?;
        let (blocks, sampled) = (row.integer(0)?, row.integer(1)?);
        Ok(Self {
            blocks,
            rows_per_block: (sampled / blocks.clamp(1, SAMPLED_BLOCKS)).max(1),
        })
    }
}

/// A value that was damaged since the first look, or that a trigger refused.
fn with_row(error: Error, table: &ChangedTable) -> Error {
    let is_damaged = error.sql_state().as_deref() == Some(DAMAGED);
    match is_damaged {
        true => Error::Differs {
            what: table.name().to_string(),
            found: error.reason(),
        },
        false => error,
    }
}

/// Fails if a row is not as the other form says, and shows up to three.
pub(super) async fn fail_if_any(
    runner: &mut Runner<'_>,
    table: &ChangedTable,
    differs: &str,
    columns: &str,
) -> Result<(), Error> {
    let doing = format!("the comparison of {}", table.name());
    let name = table.name().quoted(rowkey_core::Backend::Postgres)?;
    let query = format!("SELECT count(*) FROM {name} WHERE {differs}");
    if runner.is_dry() {
        return runner.run(&doing, &query).await.map(|_| ());
    }
    let count = runner.count(&doing, &query).await?;
    if count == 0 {
        return Ok(());
    }
    let query = format!("SELECT {columns} FROM {name} WHERE {differs} LIMIT 3");
    let rows = runner.query(&doing, &query, &[]).await?;
    let examples: Vec<String> = rows
        .iter()
        .map(|row| row.0.iter().map(shown).collect::<Vec<_>>().join(", "))
        .collect();
    let rows = match count {
        1 => "1 row".to_owned(),
        count => format!("{count} rows"),
    };
    Err(Error::Differs {
        what: table.name().to_string(),
        found: format!(
            "{rows} whose new ids are not the old ones in the new form: {}",
            examples.join("; ")
        ),
    })
}
