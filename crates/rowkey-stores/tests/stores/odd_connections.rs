//! Connections and files in a state that callers cannot see: open transactions, locks, unusual
//! settings.

use std::cell::Cell;
use std::num::NonZeroU32;

use anyhow::{Context, Result};
use futures_util::future;
use rowkey::luuid::{LuuidGroup, NumberSource as _};
use rowkey_stores::{
    Borrowed, CreatedBy, NumberBlocks, Store, create_once, in_transaction, prune, reserve_block,
};
use rowkey_testkit::{Backend, TestDatabase};

use crate::dropped_calls::SERIALIZABLE;
use crate::shop::{CommandId, Driver, Shop};

const NAME: &str = "book-offer";
const CUSTOMERS: LuuidGroup = LuuidGroup::of("com.acme.Customer");

pub(crate) async fn next_number(store: impl Store) -> Result<u64> {
    let mut block = reserve_block(store, CUSTOMERS, NonZeroU32::MIN).await?;
    block.next().context("a block is not empty")
}

/// In SQLite with a rollback journal, a reader that continues makes every commit fail.
pub(crate) async fn a_block_whose_commit_failed_is_not_used<D: Driver>(
    database: &TestDatabase,
) -> Result<()> {
    let journal = "PRAGMA busy_timeout = 10; PRAGMA journal_mode = DELETE";
    let driver = D::pool(database.url(), 4, journal).await?;
    driver.migrate(Backend::Sqlite).await?;
    assert_eq!(next_number(driver.store().await?).await?, 1);

    let mut reader = driver.connection().await?;
    D::execute(&mut reader, "BEGIN").await?;
    let read = D::strings(&mut reader, "SELECT CAST(next_key AS TEXT) FROM key_blocks");
    assert_eq!(read.await?, ["2"]);
    let numbers = NumberBlocks::new(driver.store().await?, NonZeroU32::MIN);
    let refused = numbers.next_number(CUSTOMERS).await;
    let error = refused.err().context("the commit fails")?;
    assert!(format!("{error:?}").contains("locked"), "{error:?}");
    D::execute(&mut reader, "COMMIT").await?;
    assert_eq!(next_number(driver.store().await?).await?, 2);
    assert_eq!(next_number(driver.store().await?).await?, 3);
    Ok(())
}

/// Each statement begins a transaction that is never committed.
const WITHOUT_AUTOCOMMIT: &str = "SET autocommit = 0";

pub(crate) async fn a_block_stays_reserved_without_autocommit<D: Driver>(
    database: &TestDatabase,
) -> Result<()> {
    Shop::<D>::open(database).await?;
    for number in 1..=3 {
        let process = D::pool(database.url(), 4, WITHOUT_AUTOCOMMIT).await?;
        assert_eq!(next_number(process.store().await?).await?, number);
    }
    Ok(())
}

pub(crate) async fn commands_are_found_and_pruned_without_autocommit<D: Driver>(
    database: &TestDatabase,
) -> Result<()> {
    let shop = &Shop::<D>::open(database).await?;
    let pool = D::pool(database.url(), 4, WITHOUT_AUTOCOMMIT).await?;
    let store = pool.store().await?;
    let create = async |command: CommandId| {
        let created = create_once(store.clone(), command, NAME, async |mut session| {
            shop.add(&mut session, command).await
        });
        anyhow::Ok(created.await?)
    };
    // All connections have a snapshot from before the others' commands.
    let commands = [
        CommandId::generate(),
        CommandId::generate(),
        CommandId::generate(),
    ];
    for command in commands {
        let created = future::try_join_all((0..4).map(|_| create(command))).await?;
        let by_this = created
            .iter()
            .filter(|created| created.by == CreatedBy::ThisCall);
        assert_eq!(by_this.count(), 1);
    }
    assert_eq!(shop.commands().await?.len(), 3);
    assert_eq!(prune(store.clone(), 1).await?, 2);
    let left = shop.strings("SELECT command_name FROM creation_identifiers");
    assert_eq!(left.await?.len(), 1);
    Ok(())
}

/// All connections still show the rows from before the command.
pub(crate) async fn a_command_is_found_behind_old_snapshots<D: Driver>(
    database: &TestDatabase,
) -> Result<()> {
    let shop = Shop::<D>::open(database).await?;
    let pool = D::pool(database.url(), 4, WITHOUT_AUTOCOMMIT).await?;
    let connections = future::try_join_all((0..4).map(|_| pool.connection())).await?;
    for mut connection in connections {
        let read = "SELECT command_name FROM creation_identifiers";
        assert!(D::strings(&mut connection, read).await?.is_empty());
    }
    let command = CommandId::generate();
    let calls = Cell::new(0);
    let create = async |session: &mut D::Session| {
        calls.set(calls.get() + 1);
        shop.add(session, command).await
    };
    let first = create_once(shop.driver.store().await?, command, NAME, {
        async |mut session| create(&mut session).await
    });
    let again = create_once(pool.store().await?, command, NAME, {
        async |mut session| create(&mut session).await
    });
    let (first, again) = (first.await?, again.await?);
    assert_eq!(
        (again.entity, again.by),
        (first.entity, CreatedBy::EarlierCall)
    );
    assert_eq!(calls.get(), 1);
    Ok(())
}

/// If a snapshot lasted for the whole transaction, those that wait for each other would fail.
pub(crate) async fn numbers_are_reserved_at_any_default_isolation<D: Driver>(
    database: &TestDatabase,
) -> Result<()> {
    Shop::<D>::open(database).await?;
    let driver = D::pool(database.url(), 16, SERIALIZABLE).await?;
    let store = driver.store().await?;
    let tasks = (0..16).map(async |_| {
        for _ in 0..50 {
            next_number(store.clone()).await?;
        }
        anyhow::Ok(())
    });
    future::try_join_all(tasks).await?;
    assert_eq!(next_number(store.clone()).await?, 801);
    Ok(())
}

/// A transaction of SQLite that has read cannot write any more once another one has written, so it
/// takes the write lock first.
pub(crate) async fn no_other_writer_comes_between_a_read_and_a_write<D: Driver>(
    database: &TestDatabase,
) -> Result<()> {
    let shop = Shop::<D>::open(database).await?;
    let other = &Shop {
        backend: shop.backend,
        driver: D::pool(database.url(), 1, IMPATIENT).await?,
    };
    let calls = Cell::new(0);
    let add = async |mut session: Borrowed<_>| {
        calls.set(calls.get() + 1);
        D::strings(&mut session, "SELECT command FROM offers").await?;
        let other_session = other.driver.connection().await;
        let mut other_session = other_session.expect("the pool has a connection");
        let locked = other.add(&mut other_session, CommandId::generate()).await;
        assert!(locked.is_err(), "another one has written");
        shop.add(&mut session, CommandId::generate()).await
    };
    in_transaction(shop.driver.store().await?, add).await?;
    create_once(shop.driver.store().await?, CommandId::generate(), NAME, add).await?;
    assert_eq!(calls.get(), 2);
    assert_eq!(shop.commands().await?.len(), 2);
    Ok(())
}

const IMPATIENT: &str = "PRAGMA busy_timeout = 0";

/// A lock that another connection holds during the first attempt only.
pub(crate) async fn a_file_that_was_locked_is_tried_again<D: Driver>(
    database: &TestDatabase,
) -> Result<()> {
    let shop = &Shop::<D>::open(database).await?;
    let impatient = D::pool(database.url(), 4, IMPATIENT).await?;
    let attempts = Cell::new(0);
    let created = create_once(
        impatient.store().await?,
        CommandId::generate(),
        NAME,
        async |mut session| {
            attempts.set(attempts.get() + 1);
            if attempts.get() > 1 {
                return shop.add(&mut session, CommandId::generate()).await;
            }
            // Without the initial lock.
            D::execute(&mut session, "ROLLBACK; BEGIN").await?;
            let other = shop.driver.connection().await;
            let mut other = other.expect("the pool has a connection");
            D::execute(&mut other, "BEGIN IMMEDIATE").await?;
            let locked = shop.add(&mut session, CommandId::generate()).await;
            D::execute(&mut other, "ROLLBACK").await?;
            locked
        },
    );
    assert_eq!(created.await?.by, CreatedBy::ThisCall);
    assert_eq!(attempts.get(), 2);
    Ok(())
}
