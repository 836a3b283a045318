//! Filling a table with ids of one kind: how long it takes, and how large the index becomes.

use std::time::{Duration, Instant};

use anyhow::Result;
use rowkey::generate::DistributedIdState;
use rowkey::generate::{Entropy, GenerateWith, SystemEntropy};
use rowkey::storage::Nullability;
use rowkey::{
    Backend, DistributedId, EntityKey, ShortPrefixComb, UnixMillis, UuidV4, UuidV7, entity_key,
};

use crate::driver::{Driver, Id};
use crate::server::Database;

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
pub(crate) async fn all<D: Driver>(database: &mut Database<D>, rows: u64) -> Result<Vec<Fill>>
where
    i64: Id<D>,
    RandomKey: Id<D>,
    CombKey: Id<D>,
    V7Key: Id<D>,
    NumberKey: Id<D>,
{
    let backend = database.backend;
    let mut entropy = SystemEntropy::new();
    let mut state = DistributedIdState::new();

    // Whatever is first makes files grow, logs fill and caches shrink for all that follow.
    reference(database, "warm-up", rows).await?;
    let mut fills = vec![reference(database, REFERENCE, rows).await?];
    let column = column::<NumberKey>(backend)?;
    let next = |_, now| Ok(state.next(now, entropy.next_u64())?.try_into()?);
    let next: &mut dyn FnMut(u64, UnixMillis) -> Result<NumberKey> = &mut { next };
    fills.push(fill(database, "DistributedId", column, rows, next, unsorted).await?);
    let column = self::column::<V7Key>(backend)?;
    fills.push(fill(database, "UUIDv7", column, rows, made::<V7Key>, unsorted).await?);
    let column = self::column::<CombKey>(backend)?;
    let sorted = |keys: &mut Vec<CombKey>| CombKey::sort_for(backend, keys);
    let kind = "short COMB, sorted batches";
    fills.push(
        fill(
            database,
            kind,
            column.clone(),
            rows,
            made::<CombKey>,
            sorted,
        )
        .await?,
    );
    fills.push(
        fill(
            database,
            "short COMB",
            column,
            rows,
            made::<CombKey>,
            unsorted,
        )
        .await?,
    );
    let column = self::column::<RandomKey>(backend)?;
    fills.push(
        fill(
            database,
            "UUIDv4",
            column,
            rows,
            made::<RandomKey>,
            unsorted,
        )
        .await?,
    );
    fills.push(reference(database, REFERENCE_AGAIN, rows).await?);
    Ok(fills)
}

/// A pass with numbers that are counted up.
async fn reference<D: Driver>(
    database: &mut Database<D>,
    kind: &'static str,
    rows: u64,
) -> Result<Fill>
where
    i64: Id<D>,
{
    let column = integer_column(database.backend);
    fill(
        database,
        kind,
        column,
        rows,
        |row, _| Ok(row as i64),
        unsorted,
    )
    .await
}

fn unsorted<I>(_: &mut Vec<I>) {}

/// A key made at this time.
fn made<K>(_: u64, now: UnixMillis) -> Result<K>
where
    K: EntityKey<Format: GenerateWith<Context = ()>>,
{
    let id = K::Format::generate_with(&(), &now, &mut SystemEntropy::new())?;
    Ok(K::from_format(id)?)
}

/// The definition of a key's column.
pub(crate) fn column<K: EntityKey>(backend: Backend) -> Result<String> {
    Ok(K::PLAN.column_definition(backend, "id", Nullability::NotNull)?)
}

fn integer_column(backend: Backend) -> String {
    let column_type = match backend {
        Backend::Sqlite => "INTEGER",
        _ => "BIGINT",
    };
    format!("id {column_type} NOT NULL")
}

async fn fill<D: Driver, I: Id<D>>(
    database: &mut Database<D>,
    kind: &'static str,
    column: String,
    rows: u64,
    mut make: impl FnMut(u64, UnixMillis) -> Result<I>,
    sort: impl Fn(&mut Vec<I>),
) -> Result<Fill> {
    database.create_table(&column).await?;
    let start = UnixMillis::now().get() - rows as i64 * STEP_MILLIS;
    let mut elapsed = Duration::ZERO;
    let mut done = 0;
    while done < rows {
        let end = rows.min(done + BATCH);
        let mut ids = (done..end)
            .map(|row| make(row, UnixMillis::new(start + row as i64 * STEP_MILLIS)))
            .collect::<Result<Vec<_>>>()?;
        sort(&mut ids);
        let begin = Instant::now();
        D::insert(&mut database.connection, &ids).await?;
        elapsed += begin.elapsed();
        done = end;
    }
    let index_bytes = database.index_bytes().await?;
    database.drop_table().await?;
    eprintln!(
        "{}: {kind}: {:.1} s",
        database.backend,
        elapsed.as_secs_f64()
    );
    Ok(Fill {
        kind,
        elapsed,
        index_bytes,
    })
}
