//! Closures that continue after the end of their transaction, or after a failure in it.

use std::cell::Cell;

use anyhow::Result;
use rowkey_stores::{
    CreateError, CreatedBy, Error, Origin, create_once, find_or_create, forget, in_transaction,
};
use rowkey_testkit::{Backend, TestDatabase};

use crate::shop::{CommandId, Driver, OfferId, Shop};

const NAME: &str = "book-offer";
const ORIGIN: Origin<(), ()> = Origin {
    command: (),
    payload: (),
};

/// Success has to mean that everything was committed.
pub(crate) async fn a_failure_that_a_closure_ignores_is_an_error<D: Driver>(
    database: &TestDatabase,
) -> Result<()> {
    let shop = Shop::<D>::open(database).await?;
    let store = shop.driver.store().await?;
    let add = async |session: &mut D::Session| {
        shop.add(session, CommandId::generate()).await?;
        let _ = D::execute(session, "INSERT INTO no_such_table VALUES (1)").await;
        Ok::<_, D::Error>(())
    };

    let added = in_transaction(store.clone(), async |mut session| add(&mut session).await).await;
    check(&shop, added).await?;
    let found = find_or_create(store.clone(), &ORIGIN)
        .find(async |_| Ok(None))
        .validate(|| Ok::<_, Error>(()))
        .create(async |mut session| add(&mut session).await);
    check(&shop, found.await).await?;
    let created = create_once(store, CommandId::generate(), NAME, async |mut session| {
        add(&mut session).await?;
        Ok(OfferId::generate())
    });
    check(&shop, created.await).await
}

async fn check<D: Driver, T>(
    shop: &Shop<D>,
    outcome: Result<T, CreateError<D::Error>>,
) -> Result<()> {
    let rows = shop.commands().await?.len();
    match outcome {
        Ok(_) => assert_eq!(rows, 1),
        Err(CreateError::Store(_)) => assert_eq!(rows, 0),
        Err(error) => return Err(error.into()),
    }
    match shop.backend {
        // Some servers that speak TDS abort the transaction, as PostgreSQL does.
        Backend::SqlServer => {}
        Backend::Postgres => assert_eq!(rows, 0),
        _ => assert_eq!(rows, 1),
    }
    shop.execute("DELETE FROM offers").await
}

/// As after a deadlock that a closure ignores in MySQL or SQL Server.
pub(crate) async fn a_transaction_that_its_closure_ends_is_an_error<D: Driver>(
    database: &TestDatabase,
) -> Result<()> {
    let shop = Shop::<D>::open(database).await?;
    let store = shop.driver.store().await?;
    for end in ["ROLLBACK", "COMMIT"] {
        let ended = in_transaction(store.clone(), async |mut session| {
            shop.add(&mut session, CommandId::generate()).await?;
            D::execute(&mut session, end).await
        });
        let ended = ended.await;
        assert!(matches!(ended, Err(CreateError::Store(_))), "{ended:?}");
        let found = find_or_create(store.clone(), &ORIGIN)
            .find(async |_| Ok(None))
            .validate(|| Ok::<_, Error>(()))
            .create(async |mut session| D::execute(&mut session, end).await);
        let found = found.await;
        assert!(matches!(found, Err(CreateError::Store(_))), "{found:?}");
    }
    let command = CommandId::generate();
    let created = create_once(store, command, NAME, async |mut session| {
        D::execute(&mut session, "ROLLBACK").await?;
        Ok::<_, D::Error>(OfferId::generate())
    });
    let created = created.await;
    assert!(
        matches!(created, Err(CreateError::Store(Error::TransactionEnded))),
        "{created:?}"
    );
    let identifiers = "SELECT command_name FROM creation_identifiers";
    assert!(shop.strings(identifiers).await?.is_empty());
    Ok(())
}

/// The row of the command is committed without its entity.
pub(crate) async fn a_command_whose_closure_commits_and_fails_is_unfinished<D: Driver>(
    database: &TestDatabase,
) -> Result<()> {
    let shop = Shop::<D>::open(database).await?;
    let store = shop.driver.store().await?;
    let command = CommandId::generate();
    let calls = Cell::new(0);
    let create = async |is_first: bool| {
        create_once(store.clone(), command, NAME, async |mut session| {
            calls.set(calls.get() + 1);
            if is_first {
                D::execute(&mut session, "COMMIT").await?;
                D::execute(&mut session, "INSERT INTO no_such_table VALUES (1)").await?;
            }
            shop.add(&mut session, command).await
        })
        .await
    };
    let failed = create(true).await;
    assert!(matches!(failed, Err(CreateError::Closure(_))), "{failed:?}");

    let again = create(false).await.unwrap_err();
    let message = again.to_string();
    assert!(
        matches!(again, CreateError::Store(Error::Unfinished { .. })),
        "{again:?}"
    );
    assert!(message.contains(&command.to_string()), "{message}");
    assert_eq!(calls.get(), 1);

    shop.execute("DELETE FROM creation_identifiers WHERE entity_id IS NULL")
        .await?;
    let created = create(false).await?;
    assert_eq!(created.by, CreatedBy::ThisCall);
    let mut session = shop.driver.connection().await?;
    assert!(forget(&mut *session, created.entity).await?);
    Ok(())
}

/// PostgreSQL can defer the check of unique keys to the commit.
pub(crate) async fn a_duplicate_at_the_commit_fails_once<D: Driver>(
    database: &TestDatabase,
) -> Result<()> {
    let shop = Shop::<D>::open(database).await?;
    let store = shop.driver.store().await?;
    shop.execute(
        "ALTER TABLE offers ADD CONSTRAINT one_offer_per_title UNIQUE (title) \
         DEFERRABLE INITIALLY DEFERRED",
    )
    .await?;
    let calls = Cell::new(0);
    let create = async || {
        create_once(store.clone(), CommandId::generate(), NAME, {
            async |mut session| {
                calls.set(calls.get() + 1);
                shop.add(&mut session, CommandId::generate()).await
            }
        })
        .await
    };
    create().await?;
    let duplicate = create().await;
    assert!(
        matches!(duplicate, Err(CreateError::Store(Error::Database(_)))),
        "{duplicate:?}"
    );
    assert_eq!(calls.get(), 2);
    Ok(())
}
