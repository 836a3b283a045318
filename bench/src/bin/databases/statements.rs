//! A number of statements with ids of one kind, to count what they take.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::{Context, Poll};
use std::thread;
use std::time::Duration;

use anyhow::{Result, bail, ensure};
use rowkey::generate::DistributedIdState;
use rowkey::generate::{Entropy, EntropyFn, GenerateWith};
use rowkey::{EntityKey, ShortPrefixComb, UnixMillis};
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use sqlx::{MySql, Postgres, Sqlite};
use uuid::Uuid;

use crate::driver::{Driver, Id};
use crate::fill::{CombKey, NumberKey};
use crate::server;

/// Longer than a database takes for a statement, usually.
const PATIENCE: Duration = Duration::from_millis(3);

/// The pattern that matches [`attempt`] in a profile.
pub(crate) const COUNTED: &str = "*::statements::attempt*";

/// The first argument of this program when it is to do this.
pub(crate) const COMMAND: &str = "statements";

/// A typed key and the driver's own type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Kind {
    /// A short COMB and `Uuid`.
    Uuid,
    /// A DistributedId and `Decimal`.
    Decimal,
}

/// Which of the two.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) enum Side {
    Key,
    Peer,
}

/// The databases that are measured.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) enum Server {
    Postgres,
    MariaDb,
    Sqlite,
}

/// What is to be done.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Work {
    pub(crate) server: Server,
    pub(crate) kind: Kind,
    pub(crate) side: Side,
    /// Ids that are made, whatever is done with them.
    pub(crate) ids: usize,
    /// How many of them are inserted.
    pub(crate) inserts: usize,
    /// How many of these are found again.
    pub(crate) selects: usize,
}

/// Does the work on a table `measured` that is there. Nothing stays in it.
pub(crate) async fn run(database: &str, work: Work) -> Result<()> {
    // The same ids each time, so that two runs differ in nothing else.
    let mut state = 0_u64;
    let mut make = Maker::new(EntropyFn(move |bytes: &mut [u8]| {
        for byte in bytes {
            // The multiplier and the summand of MMIX.
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            *byte = (state >> 56) as u8;
        }
    }));
    let (mut combs, mut numbers) = (Vec::new(), Vec::new());
    for _ in 0..work.ids {
        match work.kind {
            Kind::Uuid => combs.push(make.comb()?),
            Kind::Decimal => numbers.push(make.number()?),
        }
    }
    match work.server {
        Server::Postgres => {
            let db = server::connect_postgres(database).await?;
            on_server::<Postgres>(db, work, combs, numbers).await
        }
        Server::MariaDb => {
            let db = server::connect_mariadb(database).await?;
            on_server::<MySql>(db, work, combs, numbers).await
        }
        Server::Sqlite => match work.kind {
            Kind::Uuid => {
                let db = server::connect_sqlite(database.as_ref()).await?;
                on_uuid::<Sqlite>(db, work, combs).await
            }
            Kind::Decimal => bail!("sqlx has no `Decimal` for SQLite"),
        },
    }
}

async fn on_server<D: Driver>(
    db: D::Connection,
    work: Work,
    combs: Vec<CombKey>,
    numbers: Vec<NumberKey>,
) -> Result<()>
where
    CombKey: Id<D>,
    Uuid: Id<D>,
    NumberKey: Id<D>,
    Decimal: Id<D>,
{
    match (work.kind, work.side) {
        (Kind::Uuid, _) => on_uuid::<D>(db, work, combs).await,
        (Kind::Decimal, Side::Key) => with::<D, _>(db, work, numbers).await,
        (Kind::Decimal, Side::Peer) => {
            with::<D, _>(db, work, numbers.into_iter().map(decimal_of).collect()).await
        }
    }
}

async fn on_uuid<D: Driver>(db: D::Connection, work: Work, combs: Vec<CombKey>) -> Result<()>
where
    CombKey: Id<D>,
    Uuid: Id<D>,
{
    match work.side {
        Side::Key => with::<D, _>(db, work, combs).await,
        Side::Peer => with::<D, _>(db, work, combs.into_iter().map(Uuid::from).collect()).await,
    }
}

async fn with<D: Driver, I: Id<D>>(mut db: D::Connection, work: Work, ids: Vec<I>) -> Result<()> {
    let db = &mut db;
    // It is not committed.
    D::execute(db, "BEGIN").await?;
    for id in &ids[..work.inserts] {
        patiently(D::insert_one(db, *id)).await?;
    }
    for id in &ids[..work.selects] {
        let found: I = patiently(D::select_one(db, *id)).await?;
        ensure!(found == *id, "the database has returned another id");
    }
    Ok(())
}

/// Waits for a future in such a way that it always takes the same number of attempts.
///
/// Who asks at once may find no answer, or a part of it, and ask again; how often that happens is a
/// matter of chance. So whenever there is something to wait for, this sleeps until it is there.
async fn patiently<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    poll_fn(|context| {
        let progress = attempt(future.as_mut(), context);
        if progress.is_pending() {
            thread::sleep(PATIENCE);
        }
        progress
    })
    .await
}

/// Gets on with a statement: the only function whose instructions are counted.
// In the profile under this name.
#[inline(never)]
fn attempt<F: Future>(future: Pin<&mut F>, context: &mut Context<'_>) -> Poll<F::Output> {
    future.poll(context)
}

/// The same number as the driver's own type.
pub(crate) fn decimal_of(key: NumberKey) -> Decimal {
    Decimal::from_i128_with_scale(key.to_u128().cast_signed(), 0)
}

/// Makes keys of both kinds.
pub(crate) struct Maker<E> {
    entropy: E,
    state: DistributedIdState,
    time: i64,
}

impl<E: Entropy> Maker<E> {
    pub(crate) fn new(entropy: E) -> Self {
        Self {
            entropy,
            state: DistributedIdState::new(),
            // The same each time.
            time: 1_780_000_000_000,
        }
    }

    fn now(&mut self) -> UnixMillis {
        self.time += 1;
        UnixMillis::new(self.time)
    }

    pub(crate) fn comb(&mut self) -> Result<CombKey> {
        let now = self.now();
        let id = ShortPrefixComb::generate_with(&(), &now, &mut self.entropy)?;
        Ok(CombKey::from_format(id)?)
    }

    pub(crate) fn number(&mut self) -> Result<NumberKey> {
        let now = self.now();
        Ok(self.state.next(now, self.entropy.next_u64())?.try_into()?)
    }
}
