//! A number of statements with ids of one kind, to count what they take.

use std::env;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::{Context, Poll};
use std::thread;
use std::time::Duration;

use anyhow::{Result, bail, ensure};
use rowkey::generate::DistributedIdState;
use rowkey::generate::{Entropy, EntropyFn, Generate};
use rowkey::{Backend, EntityKey, ShortPrefixComb, UnixMillis};
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use sqlx::{MySql, Postgres, Sqlite};
use uuid::Uuid;

use crate::driver::{Driver, Id};
use crate::fill::{CombKey, NumberKey};

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
    /// Ids that are made, whatever is done with them.
    pub(crate) ids: usize,
    /// How many of them are inserted.
    pub(crate) inserts: usize,
    /// How many of these are found again.
    pub(crate) selects: usize,
}

/// Does the work on a table `measured` that is there. Nothing stays in it.
pub(crate) async fn run(work: Work) -> Result<()> {
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
    let backend: Backend = work.backend.parse()?;
    match work.kind {
        Kind::Uuid => {
            let keys = (0..work.ids).map(|_| make.comb());
            let keys = keys.collect::<Result<Vec<_>>>()?;
            match backend {
                Backend::Postgres => on::<Postgres, _, _>(&work, keys, Uuid::from).await,
                Backend::MariaDb => on::<MySql, _, _>(&work, keys, Uuid::from).await,
                _ => on::<Sqlite, _, _>(&work, keys, Uuid::from).await,
            }
        }
        Kind::Decimal => {
            let keys = (0..work.ids).map(|_| make.number());
            let keys = keys.collect::<Result<Vec<_>>>()?;
            match backend {
                Backend::Postgres => on::<Postgres, _, _>(&work, keys, decimal_of).await,
                Backend::MariaDb => on::<MySql, _, _>(&work, keys, decimal_of).await,
                _ => bail!("sqlx has no `Decimal` for SQLite"),
            }
        }
    }
}

async fn on<D: Driver, K: Id<D>, P: Id<D>>(
    work: &Work,
    keys: Vec<K>,
    peer_of: impl Fn(K) -> P,
) -> Result<()> {
    let db = &mut D::connect(&env::var(URL_VARIABLE)?).await?;
    match work.side {
        Side::Key => with::<D, K>(db, work, &keys).await,
        Side::Peer => {
            let peers: Vec<P> = keys.into_iter().map(peer_of).collect();
            with::<D, P>(db, work, &peers).await
        }
    }
}

async fn with<D: Driver, I: Id<D>>(db: &mut D::Connection, work: &Work, ids: &[I]) -> Result<()> {
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
