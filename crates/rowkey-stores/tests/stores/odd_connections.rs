//! Connections and files in a state that callers cannot see: open transactions, locks, unusual
//! settings.

use std::cell::Cell;
use std::num::NonZeroU32;
use std::time::Duration;

use anyhow::{Context, Result};
use futures_util::future;
use rowkey::luuid::{LuuidGroup, NumberSource as _};
use rowkey_stores::{
    Borrowed, CreatedBy, NumberBlocks, Store, create_once, in_transaction, prune, reserve_block,
};
use rowkey_testkit::{Backend, TestDatabase};
use sqlx::mysql::{MySqlConnectOptions, MySqlPoolOptions};
use sqlx::postgres::PgPoolOptions;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions};
use sqlx::{Executor, MySqlConnection, MySqlPool, PgPool, SqlitePool};

use crate::shop::{CommandId, Driver, Shop};

const NAME: &str = "book-offer";
const CUSTOMERS: LuuidGroup = LuuidGroup::of("com.acme.Customer");

pub(crate) async fn next_number(store: impl Store) -> Result<u64> {
    let mut block = reserve_block(store, CUSTOMERS, NonZeroU32::MIN).await?;
    block.next().context("a block is not empty")
}

/// In SQLite with a rollback journal, a reader that continues makes every commit fail.
pub(crate) async fn a_block_whose_commit_failed_is_not_used(database: &TestDatabase) -> Result<()> {
    let options: SqliteConnectOptions = database.url().parse()?;
    let options = options
        .journal_mode(SqliteJournalMode::Delete)
        .busy_timeout(Duration::from_millis(10));
    let pool = SqlitePoolOptions::new().connect_with(options).await?;
    pool.migrate(Backend::Sqlite).await?;
    assert_eq!(next_number(&pool).await?, 1);

    let mut reader = pool.acquire().await?;
    reader.execute("BEGIN").await?;
    reader.fetch_all("SELECT next_key FROM key_blocks").await?;
    let numbers = NumberBlocks::new(pool.clone(), NonZeroU32::MIN);
    assert!(numbers.next_number(CUSTOMERS).await.is_err());
    reader.execute("COMMIT").await?;
    assert_eq!(next_number(&pool).await?, 2);
    assert_eq!(next_number(&pool).await?, 3);
    Ok(())
}

/// A pool of MySQL connections on which each statement begins a transaction that is never committed.
async fn without_autocommit(database: &TestDatabase) -> Result<MySqlPool> {
    let options: MySqlConnectOptions = database.url().parse()?;
    let options = MySqlPoolOptions::new()
        .max_connections(4)
        .after_connect(|connection, _| {
            Box::pin(async move {
                connection.execute("SET autocommit = 0").await?;
                Ok(())
            })
        })
        .connect_with(options);
    Ok(options.await?)
}

pub(crate) async fn a_block_stays_reserved_without_autocommit(
    database: &TestDatabase,
) -> Result<()> {
    let _shop = Shop::<MySqlPool>::open(database).await?;
    for number in 1..=3 {
        let process = without_autocommit(database).await?;
        assert_eq!(next_number(&process).await?, number);
        process.close().await;
    }
    Ok(())
}

pub(crate) async fn commands_are_found_and_pruned_without_autocommit(
    database: &TestDatabase,
) -> Result<()> {
    let shop = &Shop::<MySqlPool>::open(database).await?;
    let pool = &without_autocommit(database).await?;
    let create = async |command: CommandId| {
        let created = create_once(pool, command, NAME, async |mut session| {
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
    assert_eq!(prune(pool, 1).await?, 2);
    let left = shop.strings("SELECT command_name FROM creation_identifiers");
    assert_eq!(left.await?.len(), 1);
    Ok(())
}

/// All connections still show the rows from before the command.
pub(crate) async fn a_command_is_found_behind_old_snapshots(database: &TestDatabase) -> Result<()> {
    let shop = Shop::<MySqlPool>::open(database).await?;
    let pool = &without_autocommit(database).await?;
    let connections = future::try_join_all((0..4).map(|_| pool.acquire())).await?;
    for mut connection in connections {
        let read = "SELECT command_name FROM creation_identifiers";
        assert!(connection.fetch_all(read).await?.is_empty());
    }
    let command = CommandId::generate();
    let calls = Cell::new(0);
    let create = async |session: &mut MySqlConnection| {
        calls.set(calls.get() + 1);
        shop.add(session, command).await
    };
    let first = create_once(&shop.driver, command, NAME, {
        async |mut session| create(&mut session).await
    });
    let again = create_once(pool, command, NAME, {
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
pub(crate) async fn numbers_are_reserved_at_any_default_isolation(
    database: &TestDatabase,
) -> Result<()> {
    let _shop = Shop::<PgPool>::open(database).await?;
    let pool = &PgPoolOptions::new()
        .max_connections(16)
        .after_connect(|connection, _| {
            Box::pin(async move {
                let set = "SET default_transaction_isolation = 'serializable'";
                connection.execute(set).await?;
                Ok(())
            })
        })
        .connect(database.url())
        .await?;
    let tasks = (0..16).map(async |_| {
        for _ in 0..50 {
            next_number(pool).await?;
        }
        anyhow::Ok(())
    });
    future::try_join_all(tasks).await?;
    assert_eq!(next_number(pool).await?, 801);
    Ok(())
}

/// A transaction of SQLite that has read cannot write any more once another one has written, so it
/// takes the write lock first.
pub(crate) async fn no_other_writer_comes_between_a_read_and_a_write(
    database: &TestDatabase,
) -> Result<()> {
    let shop = Shop::<SqlitePool>::open(database).await?;
    let options: SqliteConnectOptions = database.url().parse()?;
    let other = SqlitePoolOptions::new().connect_with(options.busy_timeout(Duration::ZERO));
    let other = &Shop {
        backend: shop.backend,
        driver: other.await?,
    };
    let calls = Cell::new(0);
    let add = async |mut session: Borrowed<_>| {
        calls.set(calls.get() + 1);
        SqlitePool::strings(&mut session, "SELECT command FROM offers").await?;
        let mut other_session = other.driver.acquire().await?;
        let locked = other.add(&mut other_session, CommandId::generate()).await;
        assert!(locked.is_err(), "another one has written");
        shop.add(&mut session, CommandId::generate()).await
    };
    in_transaction(&shop.driver, add).await?;
    create_once(&shop.driver, CommandId::generate(), NAME, add).await?;
    assert_eq!(calls.get(), 2);
    assert_eq!(shop.commands().await?.len(), 2);
    Ok(())
}

/// A lock that another connection holds during the first attempt only.
pub(crate) async fn a_file_that_was_locked_is_tried_again(database: &TestDatabase) -> Result<()> {
    let shop = &Shop::<SqlitePool>::open(database).await?;
    let options: SqliteConnectOptions = database.url().parse()?;
    let impatient = SqlitePoolOptions::new().connect_with(options.busy_timeout(Duration::ZERO));
    let impatient = impatient.await?;
    let attempts = Cell::new(0);
    let created = create_once(
        &impatient,
        CommandId::generate(),
        NAME,
        async |mut session| {
            attempts.set(attempts.get() + 1);
            if attempts.get() > 1 {
                return shop.add(&mut session, CommandId::generate()).await;
            }
            // Without the initial lock.
            let restart = sqlx::raw_sql("ROLLBACK; BEGIN");
            restart.execute(&mut *session).await?;
            let mut other = shop.driver.acquire().await?;
            other.execute("BEGIN IMMEDIATE").await?;
            let locked = shop.add(&mut session, CommandId::generate()).await;
            other.execute("ROLLBACK").await?;
            locked
        },
    );
    assert_eq!(created.await?.by, CreatedBy::ThisCall);
    assert_eq!(attempts.get(), 2);
    Ok(())
}
