//! A typed key next to the driver's own type in the same column, one statement a row.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use rowkey::generate::{Generate, GenerateWith, SystemEntropy};
use rowkey::{DistributedId, EntityKey, ShortPrefixComb, UnixMillis};
use rust_decimal::Decimal;
use uuid::Uuid;

use crate::driver::{Driver, Id};
use crate::fill::{CombKey, NumberKey, column};
use crate::server::Database;

/// Rows that are inserted, and found again, in a round.
pub(crate) const ROWS: u64 = 2_000;

/// Rounds, of which the fastest counts.
pub(crate) const ROUNDS: u64 = 7;

/// What a typed key costs end to end.
#[derive(Debug)]
pub(crate) struct Pair {
    pub(crate) key: &'static str,
    pub(crate) peer: &'static str,
    pub(crate) insert: Times,
    pub(crate) select: Times,
}

/// The fastest rounds of both.
#[derive(Debug)]
pub(crate) struct Times {
    pub(crate) key: Duration,
    pub(crate) peer: Duration,
}

impl Times {
    const NEVER: Self = Self {
        key: Duration::MAX,
        peer: Duration::MAX,
    };
}

/// A short COMB next to `Uuid`.
pub(crate) async fn uuid<D: Driver>(database: &mut Database<D>, rows: u64) -> Result<Pair>
where
    CombKey: Id<D>,
    Uuid: Id<D>,
{
    let make = |_| {
        let id = ShortPrefixComb::generate_with(&(), &UnixMillis::now(), &mut SystemEntropy::new());
        Ok(CombKey::from_format(id?)?)
    };
    let column = column::<CombKey>(database.backend)?;
    let names = ("short COMB key", "`Uuid`");
    measure(database, names, &column, rows, make, Uuid::from).await
}

/// A DistributedId next to `Decimal`.
pub(crate) async fn decimal<D: Driver>(database: &mut Database<D>, rows: u64) -> Result<Pair>
where
    NumberKey: Id<D>,
    Decimal: Id<D>,
{
    let make = |_| Ok(NumberKey::from_format(DistributedId::generate())?);
    let column = column::<NumberKey>(database.backend)?;
    let names = ("DistributedId key", "`Decimal` of rust_decimal");
    let decimal = |key: NumberKey| Decimal::from_i128_with_scale(key.to_u128().cast_signed(), 0);
    measure(database, names, &column, rows, make, decimal).await
}

async fn measure<D: Driver, K: Id<D>, P: Id<D>>(
    database: &mut Database<D>,
    (key, peer): (&'static str, &'static str),
    column: &str,
    rows: u64,
    make: impl FnMut(u64) -> Result<K>,
    peer_of: impl Fn(K) -> P,
) -> Result<Pair> {
    let keys = (0..ROWS.min(rows)).map(make).collect::<Result<Vec<_>>>()?;
    let peers: Vec<P> = keys.iter().copied().map(peer_of).collect();
    let (mut insert, mut select) = (Times::NEVER, Times::NEVER);
    for round in 0..ROUNDS {
        // Neither is always the one that finds the machine warm.
        for turn in [round, round + 1] {
            if turn % 2 == 0 {
                let (inserted, selected) = round_trip(database, column, &keys).await?;
                insert.key = insert.key.min(inserted);
                select.key = select.key.min(selected);
            } else {
                let (inserted, selected) = round_trip(database, column, &peers).await?;
                insert.peer = insert.peer.min(inserted);
                select.peer = select.peer.min(selected);
            }
        }
    }
    Ok(Pair {
        key,
        peer,
        insert,
        select,
    })
}

/// Inserts the ids into a new table within one transaction, then finds each.
async fn round_trip<D: Driver, I: Id<D>>(
    database: &mut Database<D>,
    column: &str,
    ids: &[I],
) -> Result<(Duration, Duration)> {
    database.create_table(column).await?;
    let db = &mut database.connection;
    D::execute(db, "BEGIN").await?;
    let begin = Instant::now();
    for id in ids {
        D::insert_one(db, *id).await?;
    }
    let inserted = begin.elapsed();
    D::execute(db, "COMMIT").await?;
    let begin = Instant::now();
    for id in ids {
        let found: I = D::select_one(db, *id).await?;
        ensure!(found == *id, "the database has returned another id");
    }
    let selected = begin.elapsed();
    database.drop_table().await?;
    Ok((inserted, selected))
}
