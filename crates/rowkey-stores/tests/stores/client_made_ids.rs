//! Entities whose ids clients make.

use std::cell::Cell;

use anyhow::{Result, anyhow};
use futures_util::future;
use rowkey::generate::{Clock, EntropyFn, Generate};
use rowkey::validate::{CreationWindow, ValidationError};
use rowkey::{EntityKey, ShortPrefixComb, UnixMillis};
use rowkey_stores::{
    Conflict, CreateError, Created, CreatedBy, Error, Origin, Store, find_or_create,
};
use rowkey_testkit::TestDatabase;

use crate::shop::{CommandId, Driver, Offer, OfferId, Shop};

/// 2023-11-14T22:13:20Z.
const NOW: UnixMillis = UnixMillis::new(1_700_000_000_000);
const MINUTE: i64 = 60_000;

/// A request of a client.
#[derive(Clone)]
struct Request {
    id: OfferId,
    command: CommandId,
    title: &'static str,
}

impl Request {
    /// A request with an id that the client has made at this time.
    fn made_at(time: UnixMillis) -> Self {
        let mut random = EntropyFn(|bytes: &mut [u8]| {
            let drawn = CommandId::generate().to_u128().to_be_bytes();
            bytes.copy_from_slice(&drawn[16 - bytes.len()..]);
        });
        let id = ShortPrefixComb::generate_with(&(), &time, &mut random);
        Self {
            id: id
                .and_then(OfferId::from_format)
                .expect("a time of the format"),
            command: CommandId::generate(),
            title: "Fjords",
        }
    }
}

/// The server, which counts how often it validates and inserts.
struct Server<'s, D: Driver> {
    shop: &'s Shop<D>,
    now: UnixMillis,
    validations: Cell<u32>,
}

impl<'s, D: Driver> Server<'s, D> {
    fn at(shop: &'s Shop<D>, now: UnixMillis) -> Self {
        Self {
            shop,
            now,
            validations: Cell::new(0),
        }
    }

    async fn handle(
        &self,
        store: impl Store<Session = D::Session>,
        request: &Request,
    ) -> Result<Created<Offer>, CreateError<D::Error>> {
        let origin = Origin {
            command: request.command.to_string(),
            payload: request.title.to_owned(),
        };
        let validate = || {
            self.validations.set(self.validations.get() + 1);
            CreationWindow::default().check(request.id, self.now.now())
        };
        find_or_create(store, &origin)
            .find(async |mut session| {
                let offer = self.shop.find(&mut session, request.id).await?;
                Ok(offer.map(|offer| {
                    let origin = Origin {
                        command: offer.command.clone(),
                        payload: offer.title.clone(),
                    };
                    (origin, offer)
                }))
            })
            .validate(validate)
            .create(async |mut session| {
                let offer = Offer {
                    id: request.id,
                    command: request.command.to_string(),
                    title: request.title.to_owned(),
                };
                self.shop.insert(&mut session, &offer).await?;
                Ok(offer)
            })
            .await
    }
}

pub(crate) async fn an_unknown_id_is_validated_and_created<D: Driver>(
    database: &TestDatabase,
) -> Result<()> {
    let shop = Shop::<D>::open(database).await?;
    let server = Server::at(&shop, NOW);
    let request = Request::made_at(NOW);
    let found = server.handle(shop.driver.store().await?, &request).await?;
    assert_eq!(
        (found.by, found.entity.id),
        (CreatedBy::ThisCall, request.id)
    );
    assert_eq!(server.validations.get(), 1);
    assert_eq!(shop.commands().await?, [request.command.to_string()]);
    Ok(())
}

pub(crate) async fn an_id_from_another_time_is_refused_for_a_new_entity<D: Driver>(
    database: &TestDatabase,
) -> Result<()> {
    let shop = Shop::<D>::open(database).await?;
    let store = shop.driver.store().await?;
    for minutes in [-11, 11] {
        let request = Request::made_at(UnixMillis::new(NOW.get() + minutes * MINUTE));
        let refused = Server::at(&shop, NOW).handle(store.clone(), &request).await;
        let is_outside = matches!(
            refused,
            Err(CreateError::Store(Error::Invalid(
                ValidationError::OutsideWindow { .. }
            )))
        );
        assert!(is_outside, "{refused:?}");
    }
    assert!(shop.commands().await?.is_empty());
    Ok(())
}

pub(crate) async fn the_clock_can_be_that_of_a_batch<D: Driver>(
    database: &TestDatabase,
) -> Result<()> {
    let shop = Shop::<D>::open(database).await?;
    let store = shop.driver.store().await?;
    let yesterday = UnixMillis::new(NOW.get() - 24 * 60 * MINUTE);
    let request = Request::made_at(yesterday);
    assert!(
        Server::at(&shop, NOW)
            .handle(store.clone(), &request)
            .await
            .is_err()
    );
    let found = Server::at(&shop, yesterday)
        .handle(store.clone(), &request)
        .await?;
    assert_eq!(found.by, CreatedBy::ThisCall);
    Ok(())
}

pub(crate) async fn a_late_repetition_finds_its_entity<D: Driver>(
    database: &TestDatabase,
) -> Result<()> {
    let shop = Shop::<D>::open(database).await?;
    let store = shop.driver.store().await?;
    let request = Request::made_at(NOW);
    let first = Server::at(&shop, NOW)
        .handle(store.clone(), &request)
        .await?;

    let next_day = Server::at(&shop, UnixMillis::new(NOW.get() + 24 * 60 * MINUTE));
    let again = next_day.handle(store.clone(), &request).await?;
    assert_eq!(
        again,
        Created {
            by: CreatedBy::EarlierCall,
            ..first
        }
    );
    assert_eq!(next_day.validations.get(), 0);
    assert_eq!(shop.commands().await?.len(), 1);
    Ok(())
}

/// What a client gets if another request has used its id.
async fn refusal<D: Driver>(shop: &Shop<D>, first: &Request, second: &Request) -> Result<Conflict> {
    let store = shop.driver.store().await?;
    let server = Server::at(shop, NOW);
    let created = server.handle(store.clone(), first).await?;
    let error = match server.handle(store.clone(), second).await {
        Ok(found) => return Err(anyhow!("another client's offer was found: {found:?}")),
        Err(error) => error,
    };
    assert!(error.is_conflict());
    let untouched = server.handle(store.clone(), first).await?;
    assert_eq!(untouched.entity, created.entity);
    match error {
        CreateError::Store(Error::Conflict(conflict)) => Ok(conflict),
        error => Err(error.into()),
    }
}

pub(crate) async fn the_same_id_of_another_command_is_a_conflict<D: Driver>(
    database: &TestDatabase,
) -> Result<()> {
    let shop = Shop::<D>::open(database).await?;
    let first = Request::made_at(NOW);
    let second = Request {
        command: CommandId::generate(),
        ..first.clone()
    };
    assert_eq!(refusal(&shop, &first, &second).await?, Conflict::Command);
    Ok(())
}

pub(crate) async fn the_same_id_with_another_payload_is_a_conflict<D: Driver>(
    database: &TestDatabase,
) -> Result<()> {
    let shop = Shop::<D>::open(database).await?;
    let first = Request::made_at(NOW);
    let second = Request {
        title: "Geysers",
        ..first.clone()
    };
    let conflict = refusal(&shop, &first, &second).await?;
    assert_eq!(conflict, Conflict::Payload);
    // Not of a command, which `Origin` can be without.
    assert_eq!(
        conflict.to_string(),
        "the entity was created from another payload"
    );
    Ok(())
}

pub(crate) async fn a_duplicate_of_another_unique_key_is_the_closures_error<D: Driver>(
    database: &TestDatabase,
) -> Result<()> {
    let shop = Shop::<D>::open(database).await?;
    shop.execute("CREATE UNIQUE INDEX one_offer_per_title ON offers (title)")
        .await?;
    let store = shop.driver.store().await?;
    let server = Server::at(&shop, NOW);
    server.handle(store.clone(), &Request::made_at(NOW)).await?;
    let refused = server.handle(store.clone(), &Request::made_at(NOW)).await;
    assert!(
        matches!(refused, Err(CreateError::Closure(_))),
        "{refused:?}"
    );
    assert_eq!(shop.commands().await?.len(), 1);
    Ok(())
}

pub(crate) async fn a_failed_creation_leaves_nothing<D: Driver>(
    database: &TestDatabase,
) -> Result<()> {
    let shop = Shop::<D>::open(database).await?;
    let store = shop.driver.store().await?;
    let request = Request::made_at(NOW);
    let origin = Origin {
        command: (),
        payload: (),
    };
    let failed = find_or_create(store.clone(), &origin)
        .find(async |_| Ok(None))
        .validate(|| Ok::<_, ValidationError>(()))
        .create(async |mut session| {
            shop.add(&mut session, request.command).await?;
            D::execute(&mut session, "INSERT INTO no_such_table VALUES (1)").await
        })
        .await;
    assert!(matches!(failed, Err(CreateError::Closure(_))), "{failed:?}");
    assert!(shop.commands().await?.is_empty());
    let found = Server::at(&shop, NOW)
        .handle(store.clone(), &request)
        .await?;
    assert_eq!(found.by, CreatedBy::ThisCall);
    Ok(())
}

pub(crate) async fn one_of_several_commands_with_the_same_id_wins<D: Driver>(
    database: &TestDatabase,
) -> Result<()> {
    let shop = &Shop::<D>::open(database).await?;
    let stores = &shop.stores(12).await?;
    for round in 1..=10 {
        let template = &Request::made_at(NOW);
        let calls = stores.iter().map(|store| async move {
            let request = Request {
                command: CommandId::generate(),
                ..template.clone()
            };
            match Server::at(shop, NOW).handle(store.clone(), &request).await {
                Ok(found) => {
                    assert_eq!(found.by, CreatedBy::ThisCall);
                    assert_eq!(found.entity.command, request.command.to_string());
                    Ok(true)
                }
                Err(error) if error.is_conflict() => Ok(false),
                Err(error) => Err(anyhow::Error::from(error)),
            }
        });
        let won = future::try_join_all(calls).await?;
        assert_eq!(won.iter().filter(|won| **won).count(), 1);
        assert_eq!(shop.commands().await?.len(), round);
    }
    Ok(())
}

pub(crate) async fn concurrent_duplicates_find_the_entity_of_the_first<D: Driver>(
    database: &TestDatabase,
) -> Result<()> {
    let shop = &Shop::<D>::open(database).await?;
    let stores = &shop.stores(12).await?;
    for round in 1..=10 {
        let request = &Request::made_at(NOW);
        let calls = stores.iter().map(|store| async move {
            anyhow::Ok(Server::at(shop, NOW).handle(store.clone(), request).await?)
        });
        let found = future::try_join_all(calls).await?;
        let first = &found[0].entity;
        assert!(found.iter().all(|found| found.entity == *first));
        let by_this = found.iter().filter(|found| found.by == CreatedBy::ThisCall);
        assert_eq!(by_this.count(), 1);
        assert_eq!(shop.commands().await?.len(), round);
    }
    Ok(())
}
