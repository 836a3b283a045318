//! Calls that are dropped in the middle, and their pool's connections afterwards.

use std::collections::BTreeSet;
use std::future::poll_fn;
use std::num::NonZeroU32;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::task::Poll;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use futures_util::future;
use rowkey::luuid::{LuuidGroup, NumberSource as _};
use rowkey_stores::{
    Error, NumberBlocks, Origin, create_once, find_or_create, in_transaction, is_unavailable,
};
use rowkey_testkit::{Backend, TestDatabase};
use tokio::sync::{Barrier, mpsc};

use crate::odd_connections::next_number;
use crate::shop::{CONNECTIONS, CommandId, Driver, Offer, OfferId, Shop};

const NAME: &str = "book-offer";
const CUSTOMERS: LuuidGroup = LuuidGroup::of("com.acme.Customer");

/// Polls a future up to a number of times and drops it; returns whether it had finished.
pub(crate) async fn drop_after(waits: u32, future: impl Future) -> bool {
    let mut future = pin!(future);
    let mut waited = 0;
    poll_fn(|context| match future.as_mut().poll(context) {
        Poll::Ready(_) => Poll::Ready(true),
        Poll::Pending => {
            waited += 1;
            match waited < waits {
                true => Poll::Pending,
                false => Poll::Ready(false),
            }
        }
    })
    .await
}

/// The functions that begin with a look-up, and those that begin with a transaction.
#[derive(Clone, Copy, Debug)]
enum Entry {
    CreateOnce,
    FindOrCreate,
    InTransaction,
    NumberBlocks,
}

impl Entry {
    const ALL: [Self; 4] = [
        Self::CreateOnce,
        Self::FindOrCreate,
        Self::InTransaction,
        Self::NumberBlocks,
    ];

    /// Inserts an offer with a new command, or takes a number.
    async fn call<D: Driver>(self, shop: &Shop<D>) -> Result<()> {
        let pool = shop.driver.store().await?;
        let command = CommandId::generate();
        match self {
            Self::CreateOnce => {
                let created = create_once(pool, command, NAME, async |mut session| {
                    shop.add(&mut session, command).await
                });
                created.await?;
            }
            Self::FindOrCreate => {
                let origin = Origin {
                    command,
                    payload: (),
                };
                find_or_create(pool, &origin)
                    .find(async |mut session| {
                        let found =
                            D::strings(&mut session, "SELECT title FROM offers WHERE 1 = 0");
                        let found = found.await?;
                        Ok(found
                            .into_iter()
                            .next()
                            .map(|_| (origin, OfferId::generate())))
                    })
                    .validate(|| Ok::<_, Error>(()))
                    .create(async |mut session| shop.add(&mut session, command).await)
                    .await?;
            }
            Self::InTransaction => {
                let added = in_transaction(pool, async |mut session| {
                    shop.add(&mut session, command).await
                });
                added.await?;
            }
            Self::NumberBlocks => {
                let numbers = NumberBlocks::new(pool, NonZeroU32::MIN);
                numbers.next_number(CUSTOMERS).await?;
            }
        }
        Ok(())
    }
}

/// Pseudo-random numbers, the same in each run (SplitMix64).
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn below(&mut self, end: u32) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        u32::try_from((mixed ^ (mixed >> 31)) % u64::from(end)).unwrap_or(0)
    }

    fn entry(&mut self) -> Entry {
        Entry::ALL[self.below(4) as usize]
    }
}

/// A request that is dropped while its transaction begins may leave the connection in the middle of
/// that transaction, and the driver does not know.
pub(crate) async fn numbers_stay_reserved_after_dropped_calls<D: Driver>(
    database: &TestDatabase,
) -> Result<()> {
    Shop::<D>::open(database).await?;
    let mut last = 0;
    for waits in 1..100 {
        // A process with a single connection that drops a call and then takes a number.
        let driver = D::pool(database.url(), 1, "").await?;
        let create = async |_| Ok::<_, D::Error>(OfferId::generate());
        let create = create_once(driver.store().await?, CommandId::generate(), NAME, create);
        let is_done = drop_after(waits, create).await;
        let number = next_number(driver.store().await?).await?;
        ensure!(number > last, "{number} after {last}, with {waits} waits");
        last = number;
        if is_done {
            return Ok(());
        }
    }
    bail!("the call is never done")
}

/// The process of the server for a session.
async fn process<D: Driver>(session: &mut D::Session) -> Result<String> {
    let number = D::strings(session, "SELECT pg_backend_pid()::text").await?;
    number.into_iter().next().context("a session has a process")
}

/// A driver may return an error before the server has ended its statement.
async fn has_state<D: Driver>(observer: &Shop<D>, process: &str, expected: &str) -> Result<()> {
    let query = format!("SELECT state FROM pg_stat_activity WHERE pid = {process}");
    let deadline = Instant::now() + Duration::from_secs(20);
    loop {
        let state = observer.strings(&query).await?;
        if state == [expected] {
            return Ok(());
        }
        ensure!(Instant::now() < deadline, "{state:?} instead of {expected}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// The driver does not know of the transaction, as after a program has dropped sqlx's
/// `pool.begin()`.
pub(crate) async fn a_connection_left_in_a_transaction_is_no_obstacle<D: Driver>(
    database: &TestDatabase,
) -> Result<()> {
    let observer = Shop::<D>::open(database).await?;
    for isolation in ISOLATIONS {
        for is_aborted in [false, true] {
            for entry in Entry::ALL {
                let outcome =
                    call_after_leftover(&observer, database, isolation, is_aborted, entry).await;
                outcome.with_context(|| format!("{entry:?}, {isolation}, {is_aborted}"))?;
            }
        }
    }
    Ok(())
}

pub(crate) const SERIALIZABLE: &str = "SET default_transaction_isolation = 'serializable'";
const ISOLATIONS: [&str; 2] = [
    SERIALIZABLE,
    "SET default_transaction_isolation = 'read committed'",
];

async fn call_after_leftover<D: Driver>(
    observer: &Shop<D>,
    database: &TestDatabase,
    isolation: &'static str,
    is_aborted: bool,
    entry: Entry,
) -> Result<()> {
    let shop = Shop {
        backend: Backend::Postgres,
        driver: D::pool(database.url(), 1, isolation).await?,
    };
    let mut session = shop.driver.connection().await?;
    let number = process::<D>(&mut session).await?;
    leave_in_transaction::<D>(&mut session, is_aborted).await?;
    let expected = match is_aborted {
        false => "idle in transaction",
        true => "idle in transaction (aborted)",
    };
    has_state(observer, &number, expected).await?;
    drop(session);
    entry.call(&shop).await?;

    let mut session = shop.driver.connection().await?;
    let number = process::<D>(&mut session).await?;
    has_state(observer, &number, "idle").await
}

async fn leave_in_transaction<D: Driver>(session: &mut D::Session, is_aborted: bool) -> Result<()> {
    D::execute(session, "BEGIN").await?;
    if is_aborted {
        let failed = D::execute(session, "INSERT INTO no_such_table VALUES (1)").await;
        assert!(failed.is_err());
    }
    Ok(())
}

/// A call meets one such connection after the other, more of them than it has attempts.
pub(crate) async fn a_pool_left_in_transactions_is_no_obstacle<D: Driver>(
    database: &TestDatabase,
) -> Result<()> {
    Shop::<D>::open(database).await?;
    for entry in Entry::ALL {
        let shop = Shop {
            backend: Backend::Postgres,
            driver: D::connect(database.url()).await?,
        };
        let all = future::try_join_all((0..CONNECTIONS).map(|_| shop.driver.connection()));
        for mut session in all.await? {
            leave_in_transaction::<D>(&mut session, true).await?;
        }
        let called = entry.call(&shop).await;
        called.with_context(|| format!("{entry:?}"))?;
    }
    Ok(())
}

/// Each connection is usable afterwards, and what a program writes on it is committed.
pub(crate) async fn dropped_calls_spoil_no_connection<D: Driver>(
    database: &TestDatabase,
) -> Result<()> {
    let observer = Shop::<D>::open(database).await?;
    drop_calls(&observer, database.url(), 1, "").await?;
    drop_calls(&observer, database.url(), 3, "").await?;
    if observer.backend == Backend::Postgres {
        // SELECT and then BEGIN with another isolation is an error, which aborts both.
        drop_calls(&observer, database.url(), 1, SERIALIZABLE).await?;
    }
    Ok(())
}

/// Drops calls on a pool at random places, and has calls on it and statements that must succeed.
async fn drop_calls<D: Driver>(
    observer: &Shop<D>,
    url: &str,
    connections: u32,
    setup: &'static str,
) -> Result<()> {
    let shop = Shop {
        backend: observer.backend,
        driver: D::pool(url, connections, setup).await?,
    };
    let mut dice = Dice(u64::from(connections));
    for round in 0..40 {
        for _ in 0..10 {
            let (entry, waits) = (dice.entry(), 1 + dice.below(16));
            drop_after(waits, entry.call(&shop)).await;
        }
        // Would abort the transaction that a connection was left in.
        let failed = shop.execute("INSERT INTO no_such_table VALUES (1)").await;
        assert!(failed.is_err());
        let entry = dice.entry();
        let called = entry.call(&shop).await;
        called.with_context(|| format!("{entry:?} of {connections} in round {round}"))?;
        write_on_each(&shop, observer, connections).await?;
    }
    Ok(())
}

/// Inserts an offer on each connection of a pool and checks that the others see it.
async fn write_on_each<D: Driver>(
    shop: &Shop<D>,
    observer: &Shop<D>,
    connections: u32,
) -> Result<()> {
    let all = future::try_join_all((0..connections).map(|_| shop.driver.connection()));
    let title = CommandId::generate().to_string();
    for mut connection in all.await? {
        let offer = Offer {
            id: OfferId::generate(),
            command: CommandId::generate().to_string(),
            title: title.clone(),
        };
        shop.insert(&mut connection, &offer).await?;
    }
    let count = format!("SELECT title FROM offers WHERE title = '{title}'");
    assert_eq!(observer.strings(&count).await?.len(), connections as usize);
    Ok(())
}

/// The handler waits for a task, as the book recommends.
pub(crate) async fn calls_in_tasks_of_their_own_outlive_their_handlers<D: Driver>(
    database: &TestDatabase,
) -> Result<()> {
    const DROPS: usize = 1_000;
    const CONNECTIONS: usize = 3;

    let observer = Shop::<D>::open(database).await?;
    let shop = Shop {
        backend: database.backend(),
        driver: D::pool(database.url(), CONNECTIONS as u32, "").await?,
    };
    let before = numbers_of_connections(&shop, CONNECTIONS).await?;
    let mut dice = Dice(4_000);
    let (outcomes, mut ended) = mpsc::unbounded_channel();
    for _ in 0..DROPS {
        let polls = Arc::new(AtomicU32::new(0));
        let call = {
            let (store, polls) = (shop.driver.store().await?, Arc::clone(&polls));
            let outcomes = outcomes.clone();
            async move {
                let create = async |_| Ok::<_, D::Error>(OfferId::generate());
                let mut call = pin!(create_once(store, CommandId::generate(), NAME, create));
                let counted = poll_fn(|context| {
                    polls.fetch_add(1, Ordering::Relaxed);
                    call.as_mut().poll(context)
                });
                outcomes.send(counted.await)
            }
        };
        let handler = async { tokio::spawn(call).await };
        let waits = 1 + dice.below(16);
        let mut handler = pin!(handler);
        poll_fn(|context| {
            let is_done = handler.as_mut().poll(context).is_ready();
            if is_done || polls.load(Ordering::Relaxed) >= waits {
                return Poll::Ready(());
            }
            context.waker().wake_by_ref();
            Poll::Pending
        })
        .await;
    }
    // A call returns its connection between its look-up and its transaction, so the calls that
    // still run have not ended when all connections are in the pool.
    drop(outcomes);
    while let Some(outcome) = ended.recv().await {
        outcome?;
    }
    let after = numbers_of_connections(&shop, CONNECTIONS).await?;
    assert_eq!(before, after);
    let executed = observer.strings("SELECT command_name FROM creation_identifiers");
    assert_eq!(executed.await?.len(), DROPS);
    Ok(())
}

/// The server's numbers for the connections of a pool.
async fn numbers_of_connections<D: Driver>(
    shop: &Shop<D>,
    connections: usize,
) -> Result<BTreeSet<String>> {
    let own_number = match shop.backend {
        Backend::Postgres => "SELECT pg_backend_pid()::text",
        _ => "SELECT CAST(CONNECTION_ID() AS CHAR)",
    };
    let all = Barrier::new(connections);
    // By calls, because SeaORM's connections of MySQL are closed if a test has borrowed them.
    let number = async |store| {
        let number = in_transaction(store, async |mut session| {
            let number = D::strings(&mut session, own_number).await?;
            all.wait().await;
            Ok::<_, D::Error>(number)
        });
        anyhow::Ok(number.await?)
    };
    let stores = shop.stores(connections).await?;
    let numbers = future::try_join_all(stores.into_iter().map(number)).await?;
    Ok(numbers.concat().into_iter().collect())
}

/// As after a failover, if the pool's connections are to the former primary: each of them is
/// closed, and the next one goes to the new primary.
pub(crate) async fn a_read_only_server_is_unavailable_and_its_connection_is_closed<D: Driver>(
    database: &TestDatabase,
) -> Result<()> {
    let observer = Shop::<D>::open(database).await?;
    let shop = Shop {
        backend: Backend::Postgres,
        driver: D::pool(database.url(), 1, "").await?,
    };
    for (count, entry) in Entry::ALL.into_iter().enumerate() {
        let set = "SET default_transaction_read_only = on";
        shop.execute(set).await?;
        let failed = entry.call(&shop).await.unwrap_err();
        assert!(is_unavailable(&*failed), "{entry:?}: {failed:#}");
        assert_eq!(observer.commands().await?.len(), count.min(3), "{entry:?}");
        let called = entry.call(&shop).await;
        called.with_context(|| format!("{entry:?}, on the next connection"))?;
    }
    Ok(())
}
