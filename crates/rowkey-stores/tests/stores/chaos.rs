//! Clients that repeat their commands while calls are dropped, connections are killed and closures
//! fail or panic: every command is executed once, and every connection can be used afterwards.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU32, Ordering};
use std::{env, io, thread};

use anyhow::{Context, Result, anyhow, ensure};
use futures_util::{FutureExt as _, future};
use rowkey_stores::blocking::{self, BlockingStore};
use rowkey_stores::{
    CreateError, Created, Error, Origin, create_once, find_or_create, is_unavailable,
};
use rowkey_testkit::{Backend, TestDatabase};

use crate::dropped_calls::{Dice, drop_after};
use crate::shop::{CONNECTIONS, CommandId, Driver, Offer, OfferId, Shop};

const NAME: &str = "book-offer";
const CLIENTS: u32 = 6;

/// How many commands each client sends.
fn commands() -> u32 {
    match env::var_os("ROWKEY_CHAOS").is_some_and(|value| value == "1") {
        true => 300,
        false => 20,
    }
}

/// What happens to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    /// The call is dropped after it has waited so many times.
    Dropped(u32),
    /// The server ends the connection after the insert.
    Killed,
    /// The closure fails after the insert.
    Failed,
    Answered,
}

impl Fate {
    fn of(dice: &mut Dice, backend: Backend) -> Self {
        let has_kills = matches!(
            backend,
            Backend::Postgres | Backend::MySql | Backend::MariaDb
        );
        match dice.below(12) {
            0..4 => Self::Dropped(1 + dice.below(24)),
            4 if has_kills => Self::Killed,
            5 => Self::Failed,
            _ => Self::Answered,
        }
    }
}

/// The error of a closure.
#[derive(Debug, thiserror::Error)]
enum Failure<E> {
    #[error("the database failed")]
    Database(#[source] E),
    #[error("the closure fails")]
    Chosen,
}

/// Inserts the offer of a command, once or not at all.
async fn insert<D: Driver>(
    shop: &Shop<D>,
    session: &mut D::Session,
    offer: &Offer,
    fate: Fate,
    calls: &AtomicU32,
) -> Result<(), Failure<D::Error>> {
    let inserted = shop.insert(session, offer).await;
    inserted.map_err(Failure::Database)?;
    match fate {
        Fate::Failed => Err(Failure::Chosen),
        Fate::Killed if calls.fetch_add(1, Ordering::Relaxed) == 0 => {
            shop.kill(session).await.expect("an administrator may kill");
            Ok(())
        }
        _ => Ok(()),
    }
}

/// One request with an id of the server or, for every other command, of the client.
async fn request<D: Driver>(
    shop: &Shop<D>,
    store: D::Store,
    command: CommandId,
    id: Option<OfferId>,
    fate: Fate,
) -> Result<Created<OfferId>, CreateError<Failure<D::Error>>> {
    let calls = &AtomicU32::new(0);
    let offer = |id| Offer {
        id,
        command: command.to_string(),
        title: "Fjords".to_owned(),
    };
    let Some(id) = id else {
        return create_once(store, command, NAME, async |mut session| {
            let id = OfferId::generate();
            insert(shop, &mut session, &offer(id), fate, calls).await?;
            Ok(id)
        })
        .await;
    };
    let origin = Origin {
        command: command.to_string(),
        payload: (),
    };
    find_or_create(store, &origin)
        .find(async |mut session| {
            let found = shop
                .find(&mut session, id)
                .await
                .map_err(Failure::Database)?;
            Ok(found.map(|offer| {
                let (command, payload) = (offer.command, ());
                (Origin { command, payload }, id)
            }))
        })
        .validate(|| Ok::<_, Error>(()))
        .create(async |mut session| {
            insert(shop, &mut session, &offer(id), fate, calls).await?;
            Ok(id)
        })
        .await
}

/// A client repeats each command until it is answered, and then once more.
async fn client<D: Driver>(shop: &Shop<D>, number: u32) -> Result<Vec<String>> {
    let mut dice = Dice(u64::from(number));
    let mut sent = Vec::new();
    for _ in 0..commands() {
        let command = CommandId::generate();
        let id = (dice.below(2) == 0).then(OfferId::generate);
        let mut answers = Vec::new();
        let mut unavailable = 0;
        while answers.len() < 2 {
            let fate = Fate::of(&mut dice, shop.backend);
            let store = shop.driver.store().await?;
            let call = request(shop, store, command, id, fate);
            let outcome = match fate {
                Fate::Dropped(waits) => {
                    drop_after(waits, call).await;
                    continue;
                }
                _ => call.await,
            };
            match outcome {
                Ok(created) => answers.push(created.entity),
                Err(CreateError::Closure(Failure::Chosen)) if fate == Fate::Failed => {}
                // In SQLite, dropped calls of others can hold the lock for longer than all attempts
                // last.
                Err(error) if is_unavailable(&error) && unavailable < 3 => unavailable += 1,
                Err(error) => return Err(anyhow!(error).context(format!("{fate:?}"))),
            }
        }
        ensure!(answers[0] == answers[1], "{answers:?} for {command}");
        sent.push(command.to_string());
    }
    Ok(sent)
}

/// Every command has one offer, and every connection of the pool writes what others see.
async fn check<D: Driver>(
    shop: &Shop<D>,
    database: &TestDatabase,
    mut sent: Vec<String>,
) -> Result<()> {
    sent.sort();
    ensure!(
        shop.commands().await? == sent,
        "commands are lost or doubled"
    );

    let observer = Shop {
        backend: shop.backend,
        driver: D::connect(database.url()).await?,
    };
    let all = future::try_join_all((0..CONNECTIONS).map(|_| shop.driver.connection()));
    for mut connection in all.await? {
        let command = CommandId::generate();
        let id = shop.add(&mut connection, command).await?;
        let seen = observer
            .with_session(async |session| observer.find(session, id).await)
            .await?;
        seen.context("a connection is in a transaction")?;
    }
    Ok(())
}

pub(crate) async fn commands_are_executed_once_whatever_breaks<D: Driver>(
    database: &TestDatabase,
) -> Result<()> {
    let shop = &Shop::<D>::open(database).await?;
    let clients = (0..CLIENTS).map(|number| client(shop, number));
    let sent = future::try_join_all(clients).await?.concat();
    check(shop, database, sent).await
}

/// Diesel's connections block, so each client has a thread. Closures panic where calls would be
/// dropped.
pub(crate) async fn threads_execute_commands_once_whatever_breaks<D>(
    database: &TestDatabase,
) -> Result<()>
where
    D: Driver<Store: BlockingStore> + Sync,
{
    let shop = &Shop::<D>::open(database).await?;
    let store = &shop.driver.store().await?;
    let sent = thread::scope(|scope| {
        let threads: Vec<_> = (0..CLIENTS)
            .map(|number| scope.spawn(move || blocking_client(shop, store.clone(), number)))
            .collect();
        let sent = threads.into_iter().map(|thread| match thread.join() {
            Ok(sent) => sent,
            Err(_) => Err(anyhow!("a client panics")),
        });
        sent.collect::<Result<Vec<_>>>()
    })?;
    check(shop, database, sent.concat()).await
}

/// The outcome of a future that waits for nothing.
fn outcome<T>(future: impl Future<Output = T>) -> T {
    future.now_or_never().expect("Diesel's connections block")
}

/// As [`request`], for connections that block.
fn blocking_request<D: Driver<Store: BlockingStore>>(
    shop: &Shop<D>,
    store: D::Store,
    command: CommandId,
    id: Option<OfferId>,
    fate: Fate,
) -> Result<Created<OfferId>, CreateError<Failure<D::Error>>> {
    let mut calls = 0;
    let mut insert = |session: &mut D::Session, id| {
        calls += 1;
        let offer = Offer {
            id,
            command: command.to_string(),
            title: "Fjords".to_owned(),
        };
        outcome(shop.insert(session, &offer)).map_err(Failure::Database)?;
        match fate {
            Fate::Dropped(_) => panic!("the closure panics"),
            Fate::Failed => return Err(Failure::Chosen),
            Fate::Killed if calls == 1 => {
                // The statement fails with the connection.
                let killed = outcome(D::execute(session, kill_itself(shop.backend)));
                killed.map_err(Failure::Database)?;
            }
            _ => {}
        }
        Ok(id)
    };
    let Some(id) = id else {
        return blocking::create_once(store, command, NAME, |session| {
            insert(session, OfferId::generate())
        });
    };
    let origin = Origin {
        command: command.to_string(),
        payload: (),
    };
    blocking::find_or_create(store, &origin)
        .find(|session| {
            let found = outcome(shop.find(session, id)).map_err(Failure::Database)?;
            Ok(found.map(|offer| {
                let (command, payload) = (offer.command, ());
                (Origin { command, payload }, id)
            }))
        })
        .validate(|| Ok::<_, Error>(()))
        .create(|session| insert(session, id))
}

fn blocking_client<D: Driver<Store: BlockingStore>>(
    shop: &Shop<D>,
    store: D::Store,
    number: u32,
) -> Result<Vec<String>> {
    let mut dice = Dice(u64::from(number));
    let mut sent = Vec::new();
    for _ in 0..commands() {
        let command = CommandId::generate();
        let id = (dice.below(2) == 0).then(OfferId::generate);
        let mut answers = Vec::new();
        while answers.len() < 2 {
            let fate = Fate::of(&mut dice, shop.backend);
            let call = || blocking_request(shop, store.clone(), command, id, fate);
            match (catch_unwind(AssertUnwindSafe(call)), fate) {
                (Ok(Ok(created)), _) => answers.push(created.entity),
                (Ok(Err(CreateError::Closure(Failure::Chosen))), Fate::Failed) => {}
                (Err(_), Fate::Dropped(_)) => {}
                (Ok(Err(error)), _) => return Err(anyhow!(error).context(format!("{fate:?}"))),
                (Err(_), _) => return Err(io::Error::other("another panic").into()),
            }
        }
        ensure!(answers[0] == answers[1], "{answers:?} for {command}");
        sent.push(command.to_string());
    }
    Ok(sent)
}

/// A statement that ends its own connection.
fn kill_itself(backend: Backend) -> &'static str {
    match backend {
        Backend::Postgres => "SELECT pg_terminate_backend(pg_backend_pid())",
        _ => "KILL CONNECTION_ID()",
    }
}
