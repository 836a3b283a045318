//! Filling a table with ids of one kind: how long it takes, and how large the index becomes.

use std::time::{Duration, Instant};

use anyhow::Result;
use rowkey::generate::{Entropy, Generate, SystemEntropy};
use rowkey::storage::Nullability;
use rowkey::{
    Backend, DistributedId, EntityKey, ShortPrefixComb, UnixMillis, UuidV4, UuidV7, entity_key,
};
use rowkey_bench::interval::Interval;

use crate::driver::{Driver, Id};
use crate::table;

/// Rows of a statement, which is a transaction of its own.
pub(crate) const BATCH: u64 = 1_000;

/// Fewer rows than this are not measured: the time would be that of a few statements.
pub(crate) const MIN_ROWS: u64 = 10 * BATCH;

/// Turns over all kinds at all rates.
pub(crate) const TURNS: usize = 5;

/// Rows of a minute, by the clock that ids are made with.
pub(crate) const RATE: u64 = 3_000;

/// How far that clock advances from one row to the next.
pub(crate) const fn step_millis(rate: u64) -> u64 {
    60_000 / rate
}

/// The time of the first row. The ring of short COMBs does not turn in the weeks after it.
const START: i64 = 1_780_000_000_000;

#[entity_key]
pub(crate) struct RandomKey(UuidV4);

#[entity_key]
pub(crate) struct CombKey(ShortPrefixComb);

#[entity_key]
pub(crate) struct V7Key(UuidV7);

#[entity_key]
pub(crate) struct NumberKey(DistributedId);

/// What a table is filled with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Counted up: all others are compared with it.
    Number,
    DistributedId,
    V7,
    SortedComb,
    Comb,
    Random,
}

/// What is measured in a turn: the kinds, and how many rows come in every minute.
const SUBJECTS: [(Kind, u64); 10] = [
    (Kind::Number, RATE),
    (Kind::DistributedId, RATE),
    (Kind::V7, RATE),
    (Kind::SortedComb, 60),
    (Kind::Comb, 60),
    (Kind::SortedComb, RATE),
    (Kind::Comb, RATE),
    (Kind::SortedComb, 60_000),
    (Kind::Comb, 60_000),
    (Kind::Random, RATE),
];

/// What became of one kind of ids at one rate.
#[derive(Debug)]
pub(crate) struct Fill {
    pub(crate) kind: Kind,
    pub(crate) rate: u64,
    /// Of each turn.
    passes: Vec<Pass>,
}

#[derive(Debug)]
struct Pass {
    seconds: f64,
    index_bytes: i64,
}

impl Kind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Number => "bigint, counted up",
            Self::DistributedId => "DistributedId",
            Self::V7 => "UUIDv7",
            Self::SortedComb => "short COMB, sorted batches",
            Self::Comb => "short COMB",
            Self::Random => "UUIDv4",
        }
    }
}

impl Fill {
    pub(crate) fn seconds(&self) -> Interval {
        Interval::of(self.passes.iter().map(|pass| pass.seconds))
    }

    pub(crate) fn index_bytes(&self) -> f64 {
        Interval::of(self.passes.iter().map(|pass| pass.index_bytes as f64)).median
    }

    /// How many times as long as another it took in the same turn.
    pub(crate) fn ratio(&self, other: &Self) -> Interval {
        let turns = self.passes.iter().zip(&other.passes);
        Interval::of(turns.map(|(one, other)| one.seconds / other.seconds))
    }
}

/// Every kind at the usual rate, with its ratio to [`Kind::Number`].
pub(crate) fn kinds(fills: &[Fill]) -> impl Iterator<Item = (&Fill, Interval)> {
    let reference = fills.iter().find(|fill| fill.kind == Kind::Number);
    let usual = fills.iter().filter(|fill| fill.rate == RATE);
    usual.filter_map(move |fill| Some((fill, fill.ratio(reference?))))
}

/// Short COMBs at each rate, without and with sorted batches.
pub(crate) fn batches(fills: &[Fill]) -> impl Iterator<Item = [&Fill; 2]> {
    let of = |kind| fills.iter().filter(move |fill| fill.kind == kind);
    of(Kind::Comb).zip(of(Kind::SortedComb)).map(<[_; 2]>::from)
}

/// Measures every kind, after a pass that does not count.
///
/// Tables are filled one after the other: random ids would drive the pages of others out of the
/// cache. So that other load meets all kinds alike, they take turns, every second time in the
/// reverse order, and are compared within a turn.
pub(crate) async fn all<D: Driver>(db: &mut D::Connection, rows: u64) -> Result<Vec<Fill>>
where
    i64: Id<D>,
    RandomKey: Id<D>,
    CombKey: Id<D>,
    V7Key: Id<D>,
    NumberKey: Id<D>,
{
    let mut table = Table::<D> { db, rows };
    // Whatever is first makes files grow, logs fill and caches shrink for all that follow.
    table.pass(Kind::Number, RATE).await?;
    let mut fills = SUBJECTS.map(|(kind, rate)| Fill {
        kind,
        rate,
        passes: Vec::new(),
    });
    for turn in 1..=TURNS {
        let mut order: Vec<&mut Fill> = fills.iter_mut().collect();
        if turn % 2 == 0 {
            order.reverse();
        }
        for fill in order {
            let pass = table.pass(fill.kind, fill.rate).await?;
            let (name, rate) = (fill.kind.name(), fill.rate);
            let seconds = pass.seconds;
            eprintln!(
                "{}, turn {turn}: {name}, {rate} a minute: {seconds:.1} s",
                D::BACKEND
            );
            fill.passes.push(pass);
        }
    }
    Ok(fills.into())
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
    async fn pass(&mut self, kind: Kind, rate: u64) -> Result<Pass>
    where
        RandomKey: Id<D>,
        CombKey: Id<D>,
        V7Key: Id<D>,
        NumberKey: Id<D>,
    {
        let sorted = |keys: &mut Vec<CombKey>| CombKey::sort_for(D::BACKEND, keys);
        match kind {
            Kind::Number => self.numbers(rate).await,
            Kind::DistributedId => self.keys(rate, at::<NumberKey>, unsorted).await,
            Kind::V7 => self.keys(rate, at::<V7Key>, unsorted).await,
            Kind::SortedComb => self.keys(rate, at, sorted).await,
            Kind::Comb => self.keys(rate, at::<CombKey>, unsorted).await,
            Kind::Random => self.keys(rate, at::<RandomKey>, unsorted).await,
        }
    }

    async fn numbers(&mut self, rate: u64) -> Result<Pass> {
        let column = match D::BACKEND {
            Backend::Sqlite => "id INTEGER NOT NULL",
            _ => "id BIGINT NOT NULL",
        };
        let make = |row, _| Ok(row as i64);
        self.fill(rate, column, make, unsorted).await
    }

    async fn keys<K: EntityKey + Id<D>>(
        &mut self,
        rate: u64,
        mut make: impl FnMut(UnixMillis) -> Result<K>,
        sort: impl Fn(&mut Vec<K>),
    ) -> Result<Pass> {
        let column = column::<K>(D::BACKEND)?;
        self.fill(rate, &column, |_, now| make(now), sort).await
    }

    async fn fill<I: Id<D>>(
        &mut self,
        rate: u64,
        column: &str,
        mut make: impl FnMut(u64, UnixMillis) -> Result<I>,
        sort: impl Fn(&mut Vec<I>),
    ) -> Result<Pass> {
        table::create::<D>(self.db, column).await?;
        let step = step_millis(rate);
        let mut elapsed = Duration::ZERO;
        let mut done = 0;
        while done < self.rows {
            let end = self.rows.min(done + BATCH);
            let mut ids = (done..end)
                .map(|row| make(row, UnixMillis::new(START + (row * step) as i64)))
                .collect::<Result<Vec<_>>>()?;
            sort(&mut ids);
            let begin = Instant::now();
            D::insert(self.db, &ids).await?;
            elapsed += begin.elapsed();
            done = end;
        }
        let index_bytes = table::index_bytes::<D>(self.db).await?;
        table::drop::<D>(self.db).await?;
        Ok(Pass {
            seconds: elapsed.as_secs_f64(),
            index_bytes,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fills_are_compared_with_those_of_the_same_turn_and_rate() {
        let fills = SUBJECTS.map(|(kind, rate)| {
            let factor = match kind {
                Kind::SortedComb => rate as f64,
                _ => 1.0,
            };
            // The second turn is a hundred times as slow for all.
            let pass = |slowness| Pass {
                seconds: factor * slowness,
                index_bytes: 1,
            };
            let passes = vec![pass(1.0), pass(100.0)];
            Fill { kind, rate, passes }
        });
        let ratios: Vec<_> = kinds(&fills).map(|(_, ratio)| ratio.to_text(0)).collect();
        let [same, sorted] = ["1 (1 to 1)", "3000 (3000 to 3000)"];
        assert_eq!(ratios, [same, same, same, sorted, same, same]);
        for [unsorted, sorted] in batches(&fills) {
            assert_eq!(unsorted.rate, sorted.rate);
            assert_eq!(sorted.ratio(unsorted).median, sorted.rate as f64);
        }
        assert_eq!(batches(&fills).count(), 3);
    }
}
