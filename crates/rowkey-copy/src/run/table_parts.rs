//! Parts of tables, and those who copy them at the same time.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::future::{try_join, try_join3};
use rowkey_tables::catalog::{Column, Table};
use rowkey_tables::{Connection, Error, Progress, Step};
use tokio::sync::mpsc::{self, Sender};
use tokio::task::{JoinError, JoinSet};

use crate::batch::Batch;
use crate::chunks;
use crate::engine::engine;
use crate::plans::plan::CopyPolicy;
use crate::rows::canonical::{key_of, read_key};
use crate::rows::checkpoint::{self, Checkpoint, Place, State};
use crate::rows::merge::Merge;
use crate::rows::read::read;
use crate::rows::select::KeyRange;
use crate::rows::write::{Encoder, Limit, Tally, write};
use crate::session;
use crate::tables::table_side::TableSide;

/// How many batches of a reader wait.
const WAITING: usize = 2;

/// After how many bytes a transaction ends, however few rows it has.
const TRANSACTION_BYTES: u64 = 64 << 20;

/// How many transactions wait to be reported.
const UNREPORTED: usize = 64;

/// The beginnings of the parts of a table, each of about so many rows.
pub(crate) async fn divide(
    source: &mut Connection,
    table: &Table,
    side: &TableSide,
    rows: u32,
) -> Result<Vec<Checkpoint>, Error> {
    let key = side.key_columns().map(|column| {
        table.column(&column.name).ok_or_else(|| Error::Missing {
            what: format!("{}.{}", table.name, column.name),
        })
    });
    let key: Vec<&Column> = key.collect::<Result<_, _>>()?;
    // The settings with which keys are looked at are not those of a copy.
    session::mark(source).await?;
    let beginnings = chunks::beginnings(source, table, &key, rows).await?;
    session::back_to_mark(source).await?;
    session::unmark(source).await?;
    let mut lasts = Vec::new();
    for condition in beginnings {
        lasts.extend(first_key(source, side, &condition).await?);
    }
    // Two of them may have found the same row.
    lasts.dedup();
    lasts.push(Vec::new());
    Ok(lasts.into_iter().map(Checkpoint::beginning).collect())
}

/// The key of the first row that fulfils a condition, in canonical form.
async fn first_key(
    source: &mut Connection,
    side: &TableSide,
    condition: &str,
) -> Result<Option<Vec<u8>>, Error> {
    let query = side.select_first(condition)?;
    let (sender, mut batches) = mpsc::channel(1);
    let first = async {
        let batch: Option<Batch> = batches.recv().await;
        let row = batch
            .as_ref()
            .and_then(|batch| Some((batch, batch.rows().next()?)));
        Ok(row.map(|(batch, row)| key_of(batch, row, &side.key)))
    };
    let (_, first) = try_join(read(source, side, &query, 1, sender), first).await?;
    Ok(first)
}

/// A part of a table.
pub(crate) struct Part {
    pub(crate) place: Place,
    pub(crate) from: Arc<TableSide>,
    pub(crate) to: Arc<TableSide>,
    /// The last key of the part before.
    after_key: Vec<u8>,
    pub(crate) checkpoint: Checkpoint,
}

impl Part {
    /// The parts of a table.
    pub(crate) fn of(
        job: &str,
        number: usize,
        from: &TableSide,
        to: &TableSide,
        checkpoints: &[Checkpoint],
    ) -> impl Iterator<Item = Self> {
        let (from, to) = (Arc::new(from.clone()), Arc::new(to.clone()));
        let mut after_key = Vec::new();
        checkpoints
            .iter()
            .enumerate()
            .map(move |(part, checkpoint)| Self {
                place: Place {
                    job: job.to_owned(),
                    number,
                    part,
                },
                from: Arc::clone(&from),
                to: Arc::clone(&to),
                after_key: std::mem::replace(&mut after_key, checkpoint.until_key.clone()),
                checkpoint: checkpoint.clone(),
            })
    }

    /// The query for the rows that are not copied yet.
    fn rest(&self) -> Result<String, Error> {
        let last = match self.checkpoint.copied.rows {
            0 => &self.after_key,
            _ if self.from.key.is_empty() => return Err(self.damaged()),
            _ => &self.checkpoint.last_key,
        };
        self.select(last, &self.checkpoint.until_key, true)
    }

    /// The query for the rows that are copied, if there are any.
    pub(crate) fn copied(&self) -> Result<Option<String>, Error> {
        let last = match (self.checkpoint.state, self.checkpoint.copied.rows) {
            (State::Begun, 0) | (State::Done, _) => return Ok(None),
            (State::Begun, _) => &self.checkpoint.last_key,
            (State::Copied, _) => &self.checkpoint.until_key,
        };
        self.select(&self.after_key, last, false).map(Some)
    }

    fn select(&self, after: &[u8], until: &[u8], in_order: bool) -> Result<String, Error> {
        let (after, until) = (self.key(after)?, self.key(until)?);
        let range = KeyRange {
            after: after.as_ref(),
            until: until.as_ref(),
        };
        self.from.select(range, in_order)
    }

    /// A key from its canonical form; no bytes are none.
    fn key(&self, bytes: &[u8]) -> Result<Option<Batch>, Error> {
        match (bytes, self.from.key.len()) {
            ([], _) => Ok(None),
            (_, 0) => Err(self.damaged()),
            (bytes, columns) => match read_key(bytes, columns) {
                Some(key) => Ok(Some(key)),
                None => Err(self.damaged()),
            },
        }
    }

    fn damaged(&self) -> Error {
        Error::Differs {
            what: format!("the table {} in the target", checkpoint::TABLE),
            found: format!("it does not tell a key of {}", self.to.name),
        }
    }

    /// Copies the rest of its rows.
    async fn copy(
        &self,
        source: &mut Connection,
        target: &mut Connection,
        policy: CopyPolicy,
        written: &Sender<Written>,
    ) -> Result<(), Error> {
        let query = self.rest()?;
        let merge = Merge::of(&self.to)?;
        if let Some(merge) = &merge {
            merge.begin(target).await?;
        }
        let to = merge.as_ref().map_or(&*self.to, |merge| &merge.staged);
        let (sender, batches) = mpsc::channel(WAITING);
        let mut encoder = Encoder::start(to, target.statement_limit(), batches)?;
        let rows = policy.batch_rows as usize;
        let reading = read(source, &self.from, &query, rows, sender);
        let writing = self.write(target, merge.as_ref(), &mut encoder, policy, written);
        try_join(reading, writing).await?;
        if let Some(merge) = &merge {
            merge.end(target).await?;
        }
        checkpoint::reach(target, &self.place, State::Copied).await
    }

    async fn write(
        &self,
        target: &mut Connection,
        merge: Option<&Merge>,
        encoder: &mut Encoder,
        policy: CopyPolicy,
        written: &Sender<Written>,
    ) -> Result<(), Error> {
        let doing = format!("writing {}", self.to.name);
        let to = merge.map_or(&*self.to, |merge| &merge.staged);
        let (limit, state) = match self.to.key.is_empty() {
            // Without a key, nothing tells where to go on.
            true => (Limit::NONE, State::Copied),
            false => {
                let (rows, bytes) = (policy.transaction_rows.into(), TRANSACTION_BYTES);
                (Limit { rows, bytes }, State::Begun)
            }
        };
        let mut tally = Tally {
            total: self.checkpoint.copied,
            last_key: self.checkpoint.last_key.clone(),
        };
        while let Some(first) = encoder.next().await? {
            let before = tally.total.rows;
            let begin = engine(self.to.backend).sessions.begin;
            target.execute(&doing, begin).await?;
            write(target, to, first, encoder, limit, &mut tally).await?;
            if let Some(merge) = merge {
                merge.apply(target).await?;
            }
            let added = Written {
                table: self.place.number,
                rows: tally.total.rows - before,
            };
            // Nobody listens if another job has ended with an error.
            let _ = written.send(added).await;
            // So that it is told before anything else happens.
            tokio::task::yield_now().await;
            checkpoint::advance(target, &self.place, state, before, &tally).await?;
            target.execute(&doing, "COMMIT").await?;
        }
        Ok(())
    }
}

/// Rows that are about to be committed.
struct Written {
    /// The number of the table.
    table: usize,
    rows: u64,
}

/// How far a table has come, for people.
pub(crate) struct TableProgress {
    pub(crate) table: String,
    pub(crate) done: u64,
    pub(crate) expected: Option<u64>,
}

/// The parts that are not begun in this run.
pub(crate) struct Queue {
    parts: Mutex<VecDeque<Part>>,
    policy: CopyPolicy,
    is_unchecked: bool,
}

impl Queue {
    /// Parts whose references are looked at at once, or when all rows are written.
    pub(crate) fn new(parts: VecDeque<Part>, policy: CopyPolicy, is_unchecked: bool) -> Arc<Self> {
        Arc::new(Self {
            parts: Mutex::new(parts),
            policy,
            is_unchecked,
        })
    }

    fn waiting(&self) -> MutexGuard<'_, VecDeque<Part>> {
        self.parts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Copies one part after the other.
    async fn work(
        &self,
        source: &mut Connection,
        target: &mut Connection,
        written: Sender<Written>,
    ) -> Result<(), Error> {
        loop {
            let next = self.waiting().pop_front();
            let Some(part) = next else {
                return Ok(());
            };
            part.copy(source, target, self.policy, &written).await?;
        }
    }
}

/// Copies parts with some connections, and with others that are only for this.
pub(crate) async fn copy(
    queue: Arc<Queue>,
    source: &mut Connection,
    target: &mut Connection,
    readers: Vec<Connection>,
    tables: &mut [TableProgress],
    progress: &mut dyn Progress,
) -> Result<(), Error> {
    let count = queue.waiting().len().saturating_sub(1);
    let others = readers.into_iter().take(count);
    let (sender, mut written) = mpsc::channel(UNREPORTED);
    // If one of them fails, the others end with it.
    let mut working = JoinSet::new();
    for mut source in others {
        let mut target = target.another().await?;
        session::set_target(&mut target).await?;
        if queue.is_unchecked {
            session::uncheck(&mut target).await?;
        }
        let (queue, sender) = (Arc::clone(&queue), sender.clone());
        working.spawn(async move { queue.work(&mut source, &mut target, sender).await });
    }
    let others = async {
        while let Some(ended) = working.join_next().await {
            ended.map_err(panicked)??;
        }
        Ok(())
    };
    let reporting = async {
        while let Some(Written { table, rows }) = written.recv().await {
            let Some(table) = tables.get_mut(table) else {
                continue;
            };
            table.done += rows;
            progress.report(Step::Rows {
                table: table.table.clone(),
                done: table.done,
                expected: table.expected,
            });
        }
        Ok(())
    };
    try_join3(queue.work(source, target, sender), others, reporting).await?;
    Ok(())
}

fn panicked(_: JoinError) -> Error {
    Error::Differs {
        what: "one of several jobs".into(),
        found: "it has ended by a defect of this program".into(),
    }
}
