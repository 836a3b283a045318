//! A typed key next to the driver's own type in the same column, one statement a row.
//!
//! A difference of a percent is less than what other work on the machine adds to a statement. So
//! the two take short turns on one table, in the order key, type, type, key and then the other way
//! round: whatever makes statements slower from one turn to the next meets both alike. Each round
//! of four turns gives a ratio, and the ratios a median with the interval that it lies in.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use rowkey::EntityKey;
use rowkey::generate::SystemEntropy;
use rust_decimal::Decimal;
use uuid::Uuid;

use crate::driver::{Driver, Id};
use crate::fill::{CombKey, NumberKey, column};
use crate::instructions::{self, Instructions};
use crate::statements::{Kind, Maker, decimal_of};
use crate::table;

/// Statements of a turn.
pub(crate) const TURN: u64 = 25;

/// Rounds of four turns.
const ROUNDS: u64 = 800;

/// How many rounds there are where a table has so many rows.
pub(crate) fn rounds(rows: u64) -> u64 {
    ROUNDS.min(rows / (4 * TURN))
}

/// What a typed key costs end to end.
#[derive(Debug)]
pub(crate) struct Pair {
    pub(crate) kind: Kind,
    pub(crate) insert: Times,
    pub(crate) select: Times,
    /// Of the client; nothing if Valgrind is not there to count them.
    pub(crate) instructions: Option<Instructions>,
}

/// The times of both, as medians.
#[derive(Debug)]
pub(crate) struct Times {
    /// Of a statement.
    pub(crate) key: Duration,
    /// Of a statement.
    pub(crate) peer: Duration,
    pub(crate) ratio: Ratio,
}

/// The median of the rounds' ratios.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ratio {
    pub(crate) median: f64,
    /// The interval that the median lies in, with a probability of 95 %.
    pub(crate) low: f64,
    pub(crate) high: f64,
}

/// A short COMB next to `Uuid`.
pub(crate) async fn uuid<D: Driver>(db: &mut D::Connection, url: &str, rows: u64) -> Result<Pair>
where
    CombKey: Id<D>,
    Uuid: Id<D>,
{
    let mut make = Maker::new(SystemEntropy::new());
    measure::<D, _, _>(db, url, Kind::Uuid, rows, || make.comb(), Uuid::from).await
}

/// A DistributedId next to `Decimal`.
pub(crate) async fn decimal<D: Driver>(db: &mut D::Connection, url: &str, rows: u64) -> Result<Pair>
where
    NumberKey: Id<D>,
    Decimal: Id<D>,
{
    let mut make = Maker::new(SystemEntropy::new());
    let make = || make.number();
    measure::<D, _, _>(db, url, Kind::Decimal, rows, make, decimal_of).await
}

async fn measure<D: Driver, K: Id<D> + EntityKey, P: Id<D>>(
    db: &mut D::Connection,
    url: &str,
    kind: Kind,
    rows: u64,
    mut make: impl FnMut() -> Result<K>,
    peer_of: impl Fn(K) -> P,
) -> Result<Pair> {
    let column = column::<K>(D::BACKEND)?;
    table::create::<D>(db, &column).await?;
    let (mut inserts, mut selects) = (Vec::new(), Vec::new());
    for round in 0..=rounds(rows) {
        let mut turn = || (0..TURN).map(|_| make()).collect::<Result<Vec<_>>>();
        let keys = [turn()?, turn()?];
        let peers = [turn()?, turn()?].map(|keys| keys.into_iter().map(&peer_of).collect());
        let is_key_first = round % 2 == 0;
        D::execute(db, "BEGIN").await?;
        let inserted = four_turns(is_key_first, async |is_key, number| match is_key {
            true => insert::<D, K>(db, &keys[number]).await,
            false => insert::<D, P>(db, &peers[number]).await,
        });
        let inserted = inserted.await?;
        let selected = four_turns(is_key_first, async |is_key, number| match is_key {
            true => select::<D, K>(db, &keys[number]).await,
            false => select::<D, P>(db, &peers[number]).await,
        });
        let selected = selected.await?;
        D::execute(db, "COMMIT").await?;
        // The first round is there to prepare the statements.
        if round > 0 {
            inserts.push(inserted);
            selects.push(selected);
        }
    }
    table::drop::<D>(db).await?;

    table::create::<D>(db, &column).await?;
    let instructions = instructions::count(D::BACKEND, url, kind).await?;
    table::drop::<D>(db).await?;
    Ok(Pair {
        kind,
        insert: summary(&inserts),
        select: summary(&selects),
        instructions,
    })
}

/// The times that the key and its peer take in two turns each: `take` is asked whether it is the
/// key's, and for its first or second one.
async fn four_turns(
    is_key_first: bool,
    mut take: impl AsyncFnMut(bool, usize) -> Result<Duration>,
) -> Result<[Duration; 2]> {
    let mut times = [Duration::ZERO; 2];
    for (side, number) in [(true, 0), (false, 0), (false, 1), (true, 1)] {
        let is_key = side == is_key_first;
        times[usize::from(!is_key)] += take(is_key, number).await?;
    }
    Ok(times)
}

async fn insert<D: Driver, I: Id<D>>(db: &mut D::Connection, ids: &Vec<I>) -> Result<Duration> {
    let begin = Instant::now();
    for id in ids {
        D::insert_one(db, *id).await?;
    }
    Ok(begin.elapsed())
}

async fn select<D: Driver, I: Id<D>>(db: &mut D::Connection, ids: &Vec<I>) -> Result<Duration> {
    let begin = Instant::now();
    for id in ids {
        let found: I = D::select_one(db, *id).await?;
        ensure!(found == *id, "the database has returned another id");
    }
    Ok(begin.elapsed())
}

/// The medians of what key and peer took in each round.
fn summary(rounds: &[[Duration; 2]]) -> Times {
    let each = |of: fn(f64, f64) -> f64| {
        let seconds = rounds
            .iter()
            .map(|round| round.map(|one| one.as_secs_f64()));
        Ratio::of(seconds.map(|[key, peer]| of(key, peer)).collect())
    };
    let per_statement = |of| Duration::from_secs_f64(each(of).median / (2 * TURN) as f64);
    Times {
        key: per_statement(|key, _| key),
        peer: per_statement(|_, peer| peer),
        ratio: each(|key, peer| key / peer),
    }
}

impl Ratio {
    /// Of at least one value.
    ///
    /// How many of `n` values are below the true median is a matter of tossing `n` coins, whatever
    /// the values are distributed like. So the interval is that between two of the sorted values:
    /// 1.96 standard deviations, of `sqrt(n) / 2` each, to either side of the middle.
    fn of(mut values: Vec<f64>) -> Self {
        values.sort_unstable_by(f64::total_cmp);
        let count = values.len();
        let middle = count as f64 / 2.0;
        let below = (middle - 0.98 * (count as f64).sqrt()).floor() as usize;
        let low = below.saturating_sub(1);
        Self {
            median: (values[(count - 1) / 2] + values[count / 2]) / 2.0,
            low: values[low],
            high: values[count - 1 - low],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_is_that_of_the_sign_test() {
        // For 100 values, tables have the 40th and the 61st; the approximation is at most one wider.
        let ratio = Ratio::of((1..=100).rev().map(f64::from).collect());
        assert_eq!(ratio.median, 50.5);
        assert_eq!((ratio.low, ratio.high), (40.0, 61.0));
        // Of few values, not even all of them are enough.
        let ratio = Ratio::of(vec![2.0, 1.0, 3.0]);
        assert_eq!((ratio.median, ratio.low, ratio.high), (2.0, 1.0, 3.0));
    }
}
