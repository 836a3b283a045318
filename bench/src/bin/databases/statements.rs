//! A number of statements with ids of one kind, to count what they take.

use std::env;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::{Context, Poll};
use std::thread;
use std::time::Duration;

use anyhow::{Result, bail};
use rowkey::generate::{Entropy, EntropyFn, Generate};
use rowkey::{Backend, EntityKey, UnixMillis};
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use sqlx::{MySql, Postgres, Sqlite};
use uuid::Uuid;

use crate::driver::{Driver, Id};
use crate::fill::{CombKey, NumberKey, made};

/// Statements of each sort that are counted.
pub(crate) const STATEMENTS: usize = 200;

/// Longer than a database takes for a statement, usually.
const PATIENCE: Duration = Duration::from_millis(3);

/// The pattern that matches [`attempt`] in a profile.
pub(crate) const COUNTED: &str = "*::statements::attempt*";

/// The first argument of this program when it is to do this.
pub(crate) const COMMAND: &str = "statements";

/// The variable with the address of the database, which may have a password in it.
pub(crate) const URL_VARIABLE: &str = "ROWKEY_BENCH_URL";

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

/// What is to be done.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Work {
    /// By its name.
    pub(crate) backend: String,
    pub(crate) kind: Kind,
    pub(crate) side: Side,
    /// How many of them are inserted.
    pub(crate) inserts: usize,
    /// How many of these are found again.
    pub(crate) selects: usize,
}

/// Does the work on a table `measured` that is there. Nothing stays in it.
pub(crate) async fn run(work: Work) -> Result<()> {
    // The same ids each time, so that two runs differ in nothing else.
    let mut state = 0_u64;
    let make = Maker::new(EntropyFn(move |bytes: &mut [u8]| {
        for byte in bytes {
            // The multiplier and the summand of MMIX.
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            *byte = (state >> 56) as u8;
        }
    }));
    let backend: Backend = work.backend.parse()?;
    match (work.kind, backend) {
        (Kind::Uuid, Backend::Postgres) => on::<Postgres, CombKey>(&work, make).await,
        (Kind::Uuid, Backend::MariaDb) => on::<MySql, CombKey>(&work, make).await,
        (Kind::Uuid, _) => on::<Sqlite, CombKey>(&work, make).await,
        (Kind::Decimal, Backend::Postgres) => on::<Postgres, NumberKey>(&work, make).await,
        (Kind::Decimal, Backend::MariaDb) => on::<MySql, NumberKey>(&work, make).await,
        (Kind::Decimal, _) => bail!("sqlx has no `Decimal` for SQLite"),
    }
}

async fn on<D: Driver, K>(work: &Work, mut make: Maker<impl Entropy>) -> Result<()>
where
    K: KeyWithPeer<Peer: Id<D>> + Id<D>,
{
    let db = &mut D::connect(&env::var(URL_VARIABLE)?).await?;
    // As many for each work.
    let keys = make.keys::<K>(2 * STATEMENTS)?;
    match work.side {
        Side::Key => with::<D, K>(db, work, &keys).await,
        Side::Peer => {
            let peers: Vec<_> = keys.into_iter().map(K::peer).collect();
            with::<D, K::Peer>(db, work, &peers).await
        }
    }
}

async fn with<D: Driver, I: Id<D>>(db: &mut D::Connection, work: &Work, ids: &[I]) -> Result<()> {
    // It is not committed.
    D::execute(db, "BEGIN").await?;
    for id in &ids[..work.inserts] {
        patiently(D::insert_one(db, id.clone())).await?;
    }
    for id in &ids[..work.selects] {
        patiently(D::find_again(db, id)).await?;
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

/// A typed key next to the driver's own type.
pub(crate) trait KeyWithPeer: EntityKey<Format: Generate<Context = ()>> {
    const KIND: Kind;

    /// Both, as cells of a table.
    const TYPES: &'static str;

    /// The driver's own type.
    type Peer;

    /// The same id as the driver's own type.
    fn peer(self) -> Self::Peer;
}

impl KeyWithPeer for CombKey {
    const KIND: Kind = Kind::Uuid;
    const TYPES: &'static str = "short COMB key | `Uuid`";
    type Peer = Uuid;

    fn peer(self) -> Uuid {
        self.into()
    }
}

impl KeyWithPeer for NumberKey {
    const KIND: Kind = Kind::Decimal;
    const TYPES: &'static str = "DistributedId key | `Decimal` of rust_decimal";
    type Peer = Decimal;

    fn peer(self) -> Decimal {
        Decimal::from_i128_with_scale(self.to_u128().cast_signed(), 0)
    }
}

/// Makes keys of both kinds.
pub(crate) struct Maker<E> {
    entropy: E,
    time: i64,
}

impl<E: Entropy> Maker<E> {
    pub(crate) fn new(entropy: E) -> Self {
        Self {
            entropy,
            // The same each time.
            time: 1_780_000_000_000,
        }
    }

    pub(crate) fn keys<K: KeyWithPeer>(&mut self, count: usize) -> Result<Vec<K>> {
        let keys = (0..count).map(|_| {
            self.time += 1;
            made(UnixMillis::new(self.time), &mut self.entropy)
        });
        keys.collect()
    }
}
