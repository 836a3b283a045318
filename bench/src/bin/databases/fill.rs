//! Filling a table with ids of one kind: how long it takes, and how large the index becomes.

use std::time::{Duration, Instant};

use anyhow::Result;
use rowkey::generate::{Entropy, Generate, SystemEntropy};
use rowkey::storage::Nullability;
use rowkey::{
    Backend, DistributedId, EntityKey, ShortPrefixComb, UnixMillis, UuidV4, UuidV7, entity_key,
};

use crate::driver::{Driver, Id};
use crate::table;

/// Rows of a statement, which is a transaction of its own.
pub(crate) const BATCH: u64 = 1_000;

/// Fewer rows than this are not measured: the time would be that of a few statements.
pub(crate) const MIN_ROWS: u64 = 10 * BATCH;

/// How far the clock that ids are made with advances from one row to the next.
pub(crate) const STEP_MILLIS: i64 = 20;

#[entity_key]
pub(crate) struct RandomKey(UuidV4);

#[entity_key]
pub(crate) struct CombKey(ShortPrefixComb);

#[entity_key]
pub(crate) struct V7Key(UuidV7);

#[entity_key]
pub(crate) struct NumberKey(DistributedId);

/// What became of one kind of ids.
#[derive(Debug)]
pub(crate) struct Fill {
    pub(crate) kind: &'static str,
    pub(crate) elapsed: Duration,
    pub(crate) index_bytes: i64,
}

/// The ids that all others are compared with, measured first.
pub(crate) const REFERENCE: &str = "bigint, counted up";

/// The same measured once more, last: it shows what the place in the order is worth.
pub(crate) const REFERENCE_AGAIN: &str = "bigint, counted up, again";

/// How many times as long as the reference it took; that is the mean of its two passes.
pub(crate) fn ratio(fill: &Fill, all: &[Fill]) -> f64 {
    let passes = all
        .iter()
        .filter(|one| [REFERENCE, REFERENCE_AGAIN].contains(&one.kind))
        .map(|one| one.elapsed.as_secs_f64());
    let (count, sum) = passes.fold((0.0, 0.0), |(count, sum), pass| (count + 1.0, sum + pass));
    fill.elapsed.as_secs_f64() / (sum / count)
}

/// Measures every kind, after a pass that does not count.
pub(crate) async fn all<D: Driver>(db: &mut D::Connection, rows: u64) -> Result<Vec<Fill>>
where
    i64: Id<D>,
    RandomKey: Id<D>,
    CombKey: Id<D>,
    V7Key: Id<D>,
    NumberKey: Id<D>,
{
    let sorted = |keys: &mut Vec<CombKey>| CombKey::sort_for(D::BACKEND, keys);
    let mut table = Table::<D> { db, rows };

    // Whatever is first makes files grow, logs fill and caches shrink for all that follow.
    table.numbers("warm-up").await?;
    Ok(vec![
        table.numbers(REFERENCE).await?,
        table
            .keys("DistributedId", at::<NumberKey>, unsorted)
            .await?,
        table.keys("UUIDv7", at::<V7Key>, unsorted).await?,
        table.keys("short COMB, sorted batches", at, sorted).await?,
        table.keys("short COMB", at::<CombKey>, unsorted).await?,
        table.keys("UUIDv4", at::<RandomKey>, unsorted).await?,
        table.numbers(REFERENCE_AGAIN).await?,
    ])
}

fn unsorted<I>(_: &mut Vec<I>) {}

/// A key made at this time. A DistributedId is the first of its millisecond.
pub(crate) fn made<K>(now: UnixMillis, entropy: &mut impl Entropy) -> Result<K>
where
    K: EntityKey<Format: Generate<Context = ()>>,
{
    Ok(K::from_format(K::Format::generate_with(
        &(),
        &now,
        entropy,
    )?)?)
}

fn at<K: EntityKey<Format: Generate<Context = ()>>>(now: UnixMillis) -> Result<K> {
    made(now, &mut SystemEntropy::new())
}

/// The definition of a key's column.
pub(crate) fn column<K: EntityKey>(backend: Backend) -> Result<String> {
    Ok(K::PLAN.column_definition(backend, "id", Nullability::NotNull)?)
}

/// A table that is filled anew for each kind of ids.
struct Table<'a, D: Driver> {
    db: &'a mut D::Connection,
    rows: u64,
}

impl<D: Driver> Table<'_, D>
where
    i64: Id<D>,
{
    /// Fills it with numbers that are counted up.
    async fn numbers(&mut self, kind: &'static str) -> Result<Fill> {
        let column = match D::BACKEND {
            Backend::Sqlite => "id INTEGER NOT NULL",
            _ => "id BIGINT NOT NULL",
        };
        self.fill(kind, column, |row, _| Ok(row as i64), unsorted)
            .await
    }

    async fn keys<K: EntityKey + Id<D>>(
        &mut self,
        kind: &'static str,
        mut make: impl FnMut(UnixMillis) -> Result<K>,
        sort: impl Fn(&mut Vec<K>),
    ) -> Result<Fill> {
        let column = column::<K>(D::BACKEND)?;
        self.fill(kind, &column, |_, now| make(now), sort).await
    }

    async fn fill<I: Id<D>>(
        &mut self,
        kind: &'static str,
        column: &str,
        mut make: impl FnMut(u64, UnixMillis) -> Result<I>,
        sort: impl Fn(&mut Vec<I>),
    ) -> Result<Fill> {
        table::create::<D>(self.db, column).await?;
        let start = UnixMillis::now().get() - self.rows as i64 * STEP_MILLIS;
        let mut elapsed = Duration::ZERO;
        let mut done = 0;
        while done < self.rows {
            let end = self.rows.min(done + BATCH);
            let mut ids = (done..end)
                .map(|row| make(row, UnixMillis::new(start + row as i64 * STEP_MILLIS)))
                .collect::<Result<Vec<_>>>()?;
            sort(&mut ids);
            let begin = Instant::now();
            D::insert(self.db, &ids).await?;
            elapsed += begin.elapsed();
            done = end;
        }
        let index_bytes = table::index_bytes::<D>(self.db).await?;
        table::drop::<D>(self.db).await?;
        let seconds = elapsed.as_secs_f64();
        eprintln!("{}: {kind}: {seconds:.1} s", D::BACKEND);
        Ok(Fill {
            kind,
            elapsed,
            index_bytes,
        })
    }
}
