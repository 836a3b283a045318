//! Entities whose ids the server makes.

use std::cell::Cell;
use std::num::NonZeroU32;
use std::pin::pin;

use anyhow::{Context, Result, anyhow, ensure};
use futures_util::future::{self, Either};
use rowkey::luuid::LuuidGroup;
use rowkey::validate::ValidationError;
use rowkey::{AnyUuid, DistributedId, DistributedId128, EntityKey, UuidV4, UuidV7, entity_key};
use rowkey_stores::{
    Conflict, CreateError, Created, CreatedBy, Error, Origin, Store, create_once, find_or_create,
    reserve_block,
};
use rowkey_testkit::{Backend, TestDatabase};
use sqlx::{PgPool, SqlitePool};
use tiberius::Client;
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio_util::compat::Compat;

use crate::shop::{CommandId, Driver, OfferId, Shop, SqlServer};

const NAME: &str = "book-offer";

pub(crate) async fn a_command_creates_an_entity_with_an_id_of_the_server<D: Driver>(
    database: &TestDatabase,
) -> Result<()> {
    let shop = Shop::<D>::open(database).await?;
    let command = CommandId::generate();
    let created: Created<OfferId> = create_once(shop.driver.store().await?, command, NAME, {
        async |mut session| shop.add(&mut session, command).await
    })
    .await?;
    assert_eq!(created.by, CreatedBy::ThisCall);
    let found = shop
        .with_session(async |session| shop.find(session, created.entity).await)
        .await?;
    assert_eq!(found.map(|offer| offer.command), Some(command.to_string()));
    Ok(())
}

pub(crate) async fn a_repeated_command_gets_the_id_of_the_first_time<D: Driver>(
    database: &TestDatabase,
) -> Result<()> {
    let shop = Shop::<D>::open(database).await?;
    let store = shop.driver.store().await?;
    let command = CommandId::generate();
    let mut ids = Vec::new();
    for by in [
        CreatedBy::ThisCall,
        CreatedBy::EarlierCall,
        CreatedBy::EarlierCall,
    ] {
        let created = create_once(store.clone(), command, NAME, async |mut session| {
            shop.add(&mut session, command).await
        })
        .await?;
        assert_eq!(created.by, by);
        ids.push(created.entity);
    }
    assert_eq!(ids, [ids[0]; 3]);
    assert_eq!(shop.commands().await?, [command.to_string()]);
    Ok(())
}

pub(crate) async fn entity_and_command_id_are_committed_together_or_not_at_all<D: Driver>(
    database: &TestDatabase,
) -> Result<()> {
    let shop = Shop::<D>::open(database).await?;
    let store = shop.driver.store().await?;
    let command = CommandId::generate();
    let failed = create_once::<_, _, OfferId, _, _>(store.clone(), command, NAME, {
        async |mut session| {
            shop.add(&mut session, command).await?;
            D::execute(&mut session, "INSERT INTO no_such_table VALUES (1)").await?;
            Ok::<_, D::Error>(OfferId::generate())
        }
    })
    .await;
    assert!(matches!(failed, Err(CreateError::Closure(_))), "{failed:?}");
    assert!(shop.commands().await?.is_empty());
    let identifiers = "SELECT command_name FROM creation_identifiers";
    assert!(shop.strings(identifiers).await?.is_empty());

    create_once(store.clone(), command, NAME, async |mut session| {
        shop.add(&mut session, command).await
    })
    .await?;
    assert_eq!(shop.commands().await?, [command.to_string()]);
    assert_eq!(shop.strings(identifiers).await?, [NAME]);
    Ok(())
}

pub(crate) async fn a_command_that_failed_can_be_sent_again<D: Driver>(
    database: &TestDatabase,
) -> Result<()> {
    let shop = Shop::<D>::open(database).await?;
    let store = shop.driver.store().await?;
    let command = CommandId::generate();

    let calls = Cell::new(0);
    let refused = create_once(store.clone(), command, NAME, async |_| {
        calls.set(calls.get() + 1);
        Err::<OfferId, _>(std::io::Error::other("sold out"))
    })
    .await;
    let error = anyhow::Error::from(refused.unwrap_err());
    assert_eq!(format!("{error:#}"), "the closure failed: sold out");
    assert_eq!(calls.get(), 1);

    let created = create_once(store.clone(), command, NAME, async |mut session| {
        shop.add(&mut session, command).await
    })
    .await?;
    assert_eq!(created.by, CreatedBy::ThisCall);
    Ok(())
}

pub(crate) async fn random_command_ids_work_as_well<D: Driver>(
    database: &TestDatabase,
) -> Result<()> {
    #[entity_key]
    struct RandomCommandId(UuidV4);

    let shop = Shop::<D>::open(database).await?;
    let store = shop.driver.store().await?;
    let commands = [RandomCommandId::generate(), RandomCommandId::generate()];
    let mut ids = Vec::new();
    for command in [commands[0], commands[1], commands[0]] {
        let created = create_once(store.clone(), command, NAME, async |mut session| {
            shop.add(&mut session, CommandId::generate()).await
        })
        .await?;
        ids.push(created.entity);
    }
    assert_eq!(ids[0], ids[2]);
    assert_ne!(ids[0], ids[1]);
    Ok(())
}

pub(crate) async fn uuids_of_version_1_work_but_are_not_in_the_order_of_their_time<D: Driver>(
    database: &TestDatabase,
) -> Result<()> {
    #[entity_key]
    struct AnyCommandId(AnyUuid);

    let shop = Shop::<D>::open(database).await?;
    let store = shop.driver.store().await?;
    // One tenth of a microsecond apart: the low half of the time, which comes first, has turned.
    let earlier: AnyCommandId = "ffffffff-e5dd-11f1-a4a0-02fc00000001".parse()?;
    let later: AnyCommandId = "00000000-e5de-11f1-a4a0-02fc00000001".parse()?;
    let mut ids = Vec::new();
    for (command, name) in [(earlier, "earlier"), (later, "later"), (earlier, "earlier")] {
        let created = create_once(store.clone(), command, name, async |mut session| {
            shop.add(&mut session, CommandId::generate()).await
        })
        .await?;
        ids.push(created.entity);
    }
    assert_eq!(ids[0], ids[2]);
    assert_ne!(ids[0], ids[1]);

    let in_the_index = "SELECT command_name FROM creation_identifiers ORDER BY command_id";
    assert_eq!(shop.strings(in_the_index).await?, ["later", "earlier"]);
    Ok(())
}

pub(crate) async fn entities_of_any_format_are_created<D: Driver>(
    database: &TestDatabase,
) -> Result<()> {
    #[entity_key]
    struct InvoiceId(DistributedId);
    #[entity_key]
    struct EventId(DistributedId128);

    async fn create<S: Store + Clone, K: EntityKey>(
        store: &S,
        name: &str,
        entity: K,
    ) -> Result<()> {
        let command = CommandId::generate();
        for _ in 0..2 {
            let created = create_once(store.clone(), command, name, async |_| {
                Ok::<_, std::io::Error>(entity)
            })
            .await?;
            assert_eq!(created.entity, entity);
        }
        Ok(())
    }

    let shop = Shop::<D>::open(database).await?;
    let store = shop.driver.store().await?;
    create(&store, "offer", OfferId::generate()).await?;
    create(&store, "invoice", InvoiceId::generate()).await?;
    create(&store, "first-invoice", InvoiceId::constant(1)).await?;
    create(&store, "last-event", EventId::constant(u128::MAX)).await
}

pub(crate) async fn a_command_id_with_another_name_is_a_conflict<D: Driver>(
    database: &TestDatabase,
) -> Result<()> {
    let shop = Shop::<D>::open(database).await?;
    let store = shop.driver.store().await?;
    let command = CommandId::generate();
    let create = async |name: &str| {
        create_once(store.clone(), command, name, async |mut session| {
            shop.add(&mut session, command).await
        })
        .await
    };
    create(NAME).await?;
    // Names are compared by their bytes, even if the database would not.
    for other in ["book-room", "Book-offer", "book-offer-"] {
        let error = create(other).await.unwrap_err();
        assert!(error.is_conflict());
        let CreateError::Store(Error::Conflict(conflict)) = error else {
            return Err(error.into());
        };
        assert_eq!(
            conflict,
            Conflict::CommandName {
                given: other.to_owned(),
                found: NAME.to_owned(),
            }
        );
    }
    assert_eq!(shop.commands().await?, [command.to_string()]);
    Ok(())
}

pub(crate) async fn an_id_of_another_type_is_an_error<D: Driver>(
    database: &TestDatabase,
) -> Result<()> {
    #[entity_key]
    struct VisitId(UuidV7);

    let shop = Shop::<D>::open(database).await?;
    let store = shop.driver.store().await?;
    let command = CommandId::generate();
    create_once(store.clone(), command, NAME, async |mut session| {
        shop.add(&mut session, command).await
    })
    .await?;
    let mistaken = create_once(store.clone(), command, NAME, async |_| {
        Ok::<_, D::Error>(VisitId::generate())
    })
    .await;
    let error = mistaken.unwrap_err();
    assert!(
        matches!(
            error,
            CreateError::Store(Error::Entity { key: "VisitId", .. })
        ),
        "{error}"
    );
    Ok(())
}

pub(crate) async fn names_that_databases_would_mix_up_are_refused<D: Driver>(
    database: &TestDatabase,
) -> Result<()> {
    let shop = Shop::<D>::open(database).await?;
    let store = shop.driver.store().await?;
    let longest = "n".repeat(100);
    let too_long = "n".repeat(101);
    let create = async |name: &str| {
        let command = CommandId::generate();
        create_once(store.clone(), command, name, async |mut session| {
            shop.add(&mut session, command).await
        })
        .await
    };
    create(&longest).await?;
    for name in ["", "book offer", "book-offer ", "bök", "nul\0", &too_long] {
        let error = create(name).await.unwrap_err();
        assert!(
            matches!(error, CreateError::Store(Error::CommandName { .. })),
            "{error}"
        );
    }
    Ok(())
}

pub(crate) async fn a_call_that_is_dropped_before_the_commit_leaves_nothing<D: Driver>(
    database: &TestDatabase,
) -> Result<()> {
    let shop = Shop::<D>::open(database).await?;
    let command = CommandId::generate();
    let (inserted, mut is_inserted) = oneshot::channel();
    let inserted = Cell::new(Some(inserted));
    {
        let call = pin!(create_once(shop.driver.store().await?, command, NAME, {
            async |mut session| {
                shop.add(&mut session, command).await?;
                if let Some(inserted) = inserted.take() {
                    let _ = inserted.send(());
                }
                future::pending::<Result<OfferId, D::Error>>().await
            }
        }));
        match future::select(call, &mut is_inserted).await {
            Either::Left(_) => return Err(anyhow!("it continued without the closure")),
            Either::Right((inserted, _)) => inserted?,
        }
    }
    let created = create_once(shop.driver.store().await?, command, NAME, {
        async |mut session| shop.add(&mut session, command).await
    })
    .await?;
    assert_eq!(created.by, CreatedBy::ThisCall);
    assert_eq!(shop.commands().await?, [command.to_string()]);
    Ok(())
}

pub(crate) async fn a_closure_that_rolls_back_has_created_nothing<D: Driver>(
    database: &TestDatabase,
) -> Result<()> {
    let shop = Shop::<D>::open(database).await?;
    let store = shop.driver.store().await?;
    let command = CommandId::generate();
    for _ in 0..3 {
        let ended = create_once(store.clone(), command, NAME, async |mut session| {
            let id = shop.add(&mut session, command).await?;
            D::execute(&mut session, "ROLLBACK").await?;
            Ok::<_, D::Error>(id)
        })
        .await;
        assert!(
            matches!(ended, Err(CreateError::Store(Error::TransactionEnded))),
            "{ended:?}"
        );
        assert!(shop.commands().await?.is_empty());
    }
    // The connections still work.
    for _ in 0..3 {
        let command = CommandId::generate();
        let failed = create_once(store.clone(), command, NAME, async |mut session| {
            shop.add(&mut session, command).await?;
            D::execute(&mut session, "INSERT INTO no_such_table VALUES (1)").await?;
            Ok::<_, D::Error>(OfferId::generate())
        })
        .await;
        assert!(matches!(failed, Err(CreateError::Closure(_))), "{failed:?}");
        assert!(shop.commands().await?.is_empty());
    }
    let created = create_once(store.clone(), command, NAME, async |mut session| {
        shop.add(&mut session, command).await
    })
    .await?;
    assert_eq!(created.by, CreatedBy::ThisCall);
    assert_eq!(shop.commands().await?, [command.to_string()]);
    Ok(())
}

pub(crate) async fn a_transaction_that_sqlite_ends_does_not_spoil_its_connection(
    database: &TestDatabase,
) -> Result<()> {
    let shop = Shop::<SqlitePool>::open(database).await?;
    let store = shop.driver.store().await?;
    shop.execute("CREATE TABLE rooms (number int PRIMARY KEY)")
        .await?;
    shop.execute("INSERT INTO rooms VALUES (1)").await?;
    for _ in 0..3 {
        let command = CommandId::generate();
        let failed = create_once(store.clone(), command, NAME, async |mut session| {
            let id = shop.add(&mut session, command).await?;
            let taken = "INSERT OR ROLLBACK INTO rooms VALUES (1)";
            SqlitePool::execute(&mut session, taken).await?;
            Ok::<_, sqlx::Error>(id)
        })
        .await;
        assert!(matches!(failed, Err(CreateError::Closure(_))), "{failed:?}");
        assert!(shop.commands().await?.is_empty());
        assert!(store.begin_with("BEGIN IMMEDIATE").await.is_ok());
    }
    Ok(())
}

pub(crate) async fn a_duplicate_of_the_closure_is_no_repeated_command<D: Driver>(
    database: &TestDatabase,
) -> Result<()> {
    let shop = Shop::<D>::open(database).await?;
    let store = shop.driver.store().await?;
    let first = create_once(store.clone(), CommandId::generate(), NAME, {
        async |mut session| shop.add(&mut session, CommandId::generate()).await
    })
    .await?;
    let offer = shop
        .with_session(async |session| shop.find(session, first.entity).await)
        .await?
        .ok_or_else(|| anyhow!("there is an offer"))?;

    let calls = Cell::new(0);
    let duplicate = create_once(store.clone(), CommandId::generate(), NAME, {
        async |mut session| {
            calls.set(calls.get() + 1);
            shop.insert(&mut session, &offer).await?;
            Ok::<_, D::Error>(offer.id)
        }
    })
    .await;
    assert!(
        matches!(duplicate, Err(CreateError::Closure(_))),
        "{duplicate:?}"
    );
    assert_eq!(calls.get(), 1);
    Ok(())
}

pub(crate) async fn concurrent_duplicates_create_one_entity_per_command<D: Driver>(
    database: &TestDatabase,
) -> Result<()> {
    const TASKS: usize = 32;

    let shop = &Shop::<D>::open(database).await?;
    let count = match shop.backend {
        // Each task has a connection of its own there, and making one takes long.
        Backend::SqlServer => 20,
        _ => 200,
    };
    let commands: &Vec<CommandId> = &(0..count).map(|_| CommandId::generate()).collect();
    // All tasks send the same command at about the same time.
    let stores = shop.stores(TASKS).await?;
    let tasks = stores.iter().map(|store| async move {
        let mut answers = Vec::new();
        for &command in commands {
            let created = create_once(store.clone(), command, NAME, async |mut session| {
                shop.add(&mut session, command).await
            })
            .await?;
            answers.push(created);
        }
        anyhow::Ok(answers)
    });
    let answers = future::try_join_all(tasks).await?;

    for (position, command) in commands.iter().enumerate() {
        let first = answers[0][position].entity;
        assert!(answers.iter().all(|task| task[position].entity == first));
        let by_this = answers
            .iter()
            .filter(|task| task[position].by == CreatedBy::ThisCall);
        assert_eq!(by_this.count(), 1);
        let offer = shop
            .with_session(async |session| shop.find(session, first).await)
            .await?;
        assert_eq!(offer.map(|offer| offer.command), Some(command.to_string()));
    }
    assert_eq!(shop.commands().await?.len(), count);
    Ok(())
}

pub(crate) async fn concurrent_duplicates_are_not_misled_by_unique_keys_of_the_entity<D: Driver>(
    database: &TestDatabase,
) -> Result<()> {
    let shop = &Shop::<D>::open(database).await?;
    shop.execute("CREATE UNIQUE INDEX one_offer_per_command ON offers (command)")
        .await?;
    let stores = &shop.stores(16).await?;
    for _ in 0..10 {
        let command = CommandId::generate();
        let calls = stores.iter().map(|store| async move {
            let created = create_once(store.clone(), command, NAME, async |mut session| {
                shop.add(&mut session, command).await
            })
            .await?;
            anyhow::Ok(created.entity)
        });
        let ids = future::try_join_all(calls).await?;
        assert!(ids.iter().all(|id| *id == ids[0]));
    }
    Ok(())
}

pub(crate) async fn a_connection_killed_between_insert_and_commit_is_tried_again<D: Driver>(
    database: &TestDatabase,
) -> Result<()> {
    let shop = Shop::<D>::open(database).await?;
    let command = CommandId::generate();
    let calls = Cell::new(0);
    let created = create_once(shop.driver.store().await?, command, NAME, {
        async |mut session| {
            calls.set(calls.get() + 1);
            let id = shop.add(&mut session, command).await?;
            if calls.get() == 1 {
                shop.kill(&mut session)
                    .await
                    .expect("an administrator may kill");
            }
            Ok::<_, D::Error>(id)
        }
    })
    .await?;
    assert_eq!((created.by, calls.get()), (CreatedBy::ThisCall, 2));
    assert_eq!(shop.commands().await?, [command.to_string()]);
    let found = shop
        .with_session(async |session| shop.find(session, created.entity).await)
        .await?;
    assert!(found.is_some());
    Ok(())
}

/// A client of tiberius is one connection, so there is none for another attempt. The caller gets an
/// error and sends the command again.
pub(crate) async fn a_killed_session_has_created_nothing(database: &TestDatabase) -> Result<()> {
    let shop = &Shop::<SqlServer>::open(database).await?;
    for is_after_insert in [false, true] {
        let command = CommandId::generate();
        let create = async |is_killed: bool| {
            create_once(shop.driver.store().await?, command, NAME, {
                async |mut session| {
                    if is_killed && !is_after_insert {
                        shop.kill(&mut session).await.expect("sa may kill");
                    }
                    let id = shop.add(&mut session, command).await?;
                    if is_killed && is_after_insert {
                        shop.kill(&mut session).await.expect("sa may kill");
                    }
                    Ok::<_, tiberius::error::Error>(id)
                }
            })
            .await
            .map_err(anyhow::Error::from)
        };
        let before = shop.commands().await?;
        let error = create(true).await.err().context("the session is killed")?;
        ensure!(rowkey_stores::is_unavailable(&*error), "{error:?}");
        assert_eq!(shop.commands().await?, before);

        assert_eq!(create(false).await?.by, CreatedBy::ThisCall);
        assert_eq!(shop.commands().await?.len(), before.len() + 1);
    }
    Ok(())
}

pub(crate) async fn deadlocks_are_tried_again<D: Driver>(database: &TestDatabase) -> Result<()> {
    let shop = &Shop::<D>::open(database).await?;
    shop.execute("CREATE TABLE stock (room int PRIMARY KEY, free int)")
        .await?;
    shop.execute("INSERT INTO stock VALUES (1, 1000), (2, 1000)")
        .await?;

    // Each call locks one room, waits until the other call has locked the other room, and then
    // locks that one too.
    let (calls, barrier) = (&Cell::new(0), &tokio::sync::Barrier::new(2));
    let book = |first: u8, second: u8| async move {
        let command = CommandId::generate();
        let store = shop.driver.store().await?;
        let calls_of_this = Cell::new(0);
        let created = create_once(store, command, NAME, async |mut session| {
            calls.set(calls.get() + 1);
            calls_of_this.set(calls_of_this.get() + 1);
            for room in [first, second] {
                let sql = format!("UPDATE stock SET free = free - 1 WHERE room = {room}");
                D::execute(&mut session, &sql).await?;
                if room == first && calls_of_this.get() == 1 {
                    barrier.wait().await;
                }
            }
            shop.add(&mut session, command).await
        })
        .await?;
        anyhow::Ok(created.by)
    };
    let (one, other) = future::try_join(book(1, 2), book(2, 1)).await?;
    assert_eq!((one, other), (CreatedBy::ThisCall, CreatedBy::ThisCall));
    // A busy server may end both transactions.
    assert!(calls.get() >= 3, "{}", calls.get());
    assert_eq!(shop.commands().await?.len(), 2);
    Ok(())
}

pub(crate) async fn a_client_within_a_transaction_is_refused(
    database: &TestDatabase,
) -> Result<()> {
    let shop = Shop::<SqlServer>::open(database).await?;
    let mut client = shop.driver.connection().await?;
    let command = CommandId::generate();

    SqlServer::execute(&mut client, "BEGIN TRANSACTION").await?;
    let refused = create_once(&mut *client, command, NAME, async |mut session| {
        shop.add(&mut session, command).await
    })
    .await;
    assert!(
        matches!(refused, Err(CreateError::Store(Error::OpenTransaction))),
        "{refused:?}"
    );
    let group = LuuidGroup::of("com.acme.Customer");
    let refused = reserve_block(&mut *client, group, NonZeroU32::MIN).await;
    assert!(
        matches!(refused, Err(Error::OpenTransaction)),
        "{refused:?}"
    );
    SqlServer::execute(&mut client, "ROLLBACK TRANSACTION").await?;
    assert!(shop.commands().await?.is_empty());

    let created = create_once(&mut *client, command, NAME, async |mut session| {
        shop.add(&mut session, command).await
    })
    .await?;
    assert_eq!(created.by, CreatedBy::ThisCall);
    assert!(
        reserve_block(&mut *client, group, NonZeroU32::MIN)
            .await?
            .eq(1..=1)
    );
    Ok(())
}

/// Calls with closures that borrow can be spawned on a multi-threaded runtime.
#[expect(dead_code, reason = "it is enough that this compiles")]
fn calls_can_be_spawned(pool: PgPool, mut client: Client<Compat<TcpStream>>, title: String) {
    let command = CommandId::generate();
    tokio::spawn(async move {
        let title = title.as_str();
        create_once(&pool, command, NAME, async |mut session| {
            sqlx::query("INSERT INTO offers (title) VALUES ($1)")
                .bind(title)
                .execute(&mut *session)
                .await?;
            Ok::<_, sqlx::Error>(OfferId::generate())
        })
        .await?;
        create_once(&mut client, command, NAME, async |mut session| {
            let sql = "INSERT INTO offers (title) VALUES (@P1)";
            session.execute(sql, &[&title]).await?;
            Ok::<_, tiberius::error::Error>(OfferId::generate())
        })
        .await?;
        let origin = Origin {
            command,
            payload: title,
        };
        find_or_create(&pool, &origin)
            .find(async |mut session| {
                let query = sqlx::query_scalar("SELECT title FROM offers").bind(title);
                let title: Option<String> = query.fetch_optional(&mut *session).await?;
                Ok::<_, sqlx::Error>(title.map(|title| (origin, title)))
            })
            .validate(|| Ok::<_, ValidationError>(()))
            .create(async |_| Ok(title.to_owned()))
            .await?;
        anyhow::Ok(())
    });
}
