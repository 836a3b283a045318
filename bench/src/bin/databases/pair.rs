//! A typed key next to the driver's own type in the same column, one statement a row.
//!
//! A difference of a percent is less than what other work on the machine adds to a statement. So
//! the two take short turns on one table, in the order key, type, type, key and then the other way
//! round: whatever makes statements slower from one turn to the next meets both alike. Each round
//! of four turns gives a ratio, and the ratios a median with the interval that it lies in.

use std::time::{Duration, Instant};

use anyhow::Result;
use rowkey::generate::SystemEntropy;
use rowkey_bench::interval::Interval;

use crate::driver::{Driver, Id};
use crate::fill::column;
use crate::instructions::{self, Instructions};
use crate::statements::{KeyWithPeer, Maker};
use crate::table;

/// Statements of a turn.
pub(crate) const TURN: usize = 25;

/// Rounds of four turns.
const ROUNDS: u64 = 800;

/// The rounds for a table of `rows` rows.
pub(crate) fn rounds(rows: u64) -> u64 {
    ROUNDS.min(rows / (4 * TURN as u64))
}

/// What a typed key costs end to end.
#[derive(Debug)]
pub(crate) struct Pair {
    /// Of both, as cells of a table.
    pub(crate) types: &'static str,
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
    /// Of the rounds.
    pub(crate) ratio: Interval,
}

/// Measures a key next to its peer.
pub(crate) async fn measure<D: Driver, K>(
    db: &mut D::Connection,
    url: &str,
    rows: u64,
) -> Result<Pair>
where
    K: KeyWithPeer<Peer: Id<D>> + Id<D>,
{
    let mut make = Maker::new(SystemEntropy::new());
    let column = column::<K>(D::BACKEND)?;
    table::create::<D>(db, &column).await?;
    let (mut inserts, mut selects) = (Vec::new(), Vec::new());
    for round in 0..=rounds(rows) {
        let mut make = || make.keys::<K>(TURN);
        let keys = [make()?, make()?];
        let peers = [make()?, make()?].map(|keys| keys.into_iter().map(K::peer).collect());
        let is_key_first = round % 2 == 0;
        D::execute(db, "BEGIN").await?;
        for (sort, rounds) in [(Sort::Insert, &mut inserts), (Sort::Select, &mut selects)] {
            let mut times = [Duration::ZERO; 2];
            for (is_first, number) in [(true, 0), (false, 0), (false, 1), (true, 1)] {
                match is_first == is_key_first {
                    true => times[0] += turn::<D, K>(db, sort, &keys[number]).await?,
                    false => times[1] += turn::<D, K::Peer>(db, sort, &peers[number]).await?,
                }
            }
            // The first round is there to prepare the statements.
            if round > 0 {
                rounds.push(times);
            }
        }
        D::execute(db, "COMMIT").await?;
    }
    table::drop::<D>(db).await?;

    table::create::<D>(db, &column).await?;
    let instructions = instructions::count(D::BACKEND, url, K::KIND).await?;
    table::drop::<D>(db).await?;
    Ok(Pair {
        types: K::TYPES,
        insert: summary(&inserts),
        select: summary(&selects),
        instructions,
    })
}

/// What statements do.
#[derive(Clone, Copy)]
enum Sort {
    Insert,
    Select,
}

async fn turn<D: Driver, I: Id<D>>(
    db: &mut D::Connection,
    sort: Sort,
    ids: &Vec<I>,
) -> Result<Duration> {
    let begin = Instant::now();
    for id in ids {
        match sort {
            Sort::Insert => D::insert_one(db, id.clone()).await?,
            Sort::Select => D::find_again(db, id).await?,
        }
    }
    Ok(begin.elapsed())
}

/// The medians of what key and peer took in each round.
fn summary(rounds: &[[Duration; 2]]) -> Times {
    let each = |of: fn(f64, f64) -> f64| {
        let seconds = rounds
            .iter()
            .map(|round| round.map(|one| one.as_secs_f64()));
        Interval::of(seconds.map(|[key, peer]| of(key, peer)))
    };
    let per_statement = |of| Duration::from_secs_f64(each(of).median / (2 * TURN) as f64);
    Times {
        key: per_statement(|key, _| key),
        peer: per_statement(|_, peer| peer),
        ratio: each(|key, peer| key / peer),
    }
}
