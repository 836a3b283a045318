//! Numbers of LUUID keys from blocks.

use std::collections::HashSet;
use std::env;
use std::io::{self, Write as _};
use std::num::NonZeroU32;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, ensure};
use futures_util::future;
use rowkey::luuid::{LuuidGroup, NumberSource};
use rowkey_stores::{Error, NumberBlocks, reserve_block};
use rowkey_testkit::{Backend, TestDatabase, test_name};
use sqlx::{MySqlPool, PgPool, SqlitePool};

use crate::shop::{Driver, Shop, SqlServer};

const CUSTOMERS: LuuidGroup = LuuidGroup::of("com.acme.Customer");
const ORDERS: LuuidGroup = LuuidGroup::of("com.acme.Order");
const LAST_NUMBER: u64 = (1 << 48) - 1;

fn size(size: u32) -> NonZeroU32 {
    NonZeroU32::new(size).expect("a block is not empty")
}

async fn blocks<D: Driver>(shop: &Shop<D>, block_size: u32) -> Result<NumberBlocks<D::Store>> {
    Ok(NumberBlocks::new(
        shop.driver.store().await?,
        size(block_size),
    ))
}

async fn take(
    numbers: &impl NumberSource<Error = Error>,
    group: LuuidGroup,
    count: usize,
) -> Result<Vec<u64>, Error> {
    let mut taken = Vec::new();
    for _ in 0..count {
        taken.push(numbers.next_number(group).await?);
    }
    Ok(taken)
}

pub(crate) async fn numbers_begin_with_one_and_have_no_gaps_within_a_process<D: Driver>(
    database: &TestDatabase,
) -> Result<()> {
    let shop = Shop::<D>::open(database).await?;
    let numbers = blocks(&shop, 3).await?;
    assert_eq!(
        take(&numbers, CUSTOMERS, 8).await?,
        [1, 2, 3, 4, 5, 6, 7, 8]
    );
    Ok(())
}

pub(crate) async fn each_group_has_its_own_numbers<D: Driver>(
    database: &TestDatabase,
) -> Result<()> {
    let shop = Shop::<D>::open(database).await?;
    let numbers = blocks(&shop, 2).await?;
    assert_eq!(take(&numbers, CUSTOMERS, 3).await?, [1, 2, 3]);
    assert_eq!(take(&numbers, ORDERS, 1).await?, [1]);
    assert_eq!(take(&numbers, CUSTOMERS, 1).await?, [4]);
    assert_eq!(take(&numbers, ORDERS, 2).await?, [2, 3]);
    Ok(())
}

pub(crate) async fn another_process_continues_after_the_reserved_block<D: Driver>(
    database: &TestDatabase,
) -> Result<()> {
    let shop = Shop::<D>::open(database).await?;
    let (first, second) = (blocks(&shop, 10).await?, blocks(&shop, 10).await?);
    assert_eq!(take(&first, CUSTOMERS, 1).await?, [1]);
    assert_eq!(take(&second, CUSTOMERS, 1).await?, [11]);
    assert_eq!(take(&first, CUSTOMERS, 1).await?, [2]);
    drop((first, second));
    let after_a_restart = blocks(&shop, 10).await?;
    assert_eq!(take(&after_a_restart, CUSTOMERS, 1).await?, [21]);
    Ok(())
}

pub(crate) async fn the_last_block_ends_with_the_last_number<D: Driver>(
    database: &TestDatabase,
) -> Result<()> {
    let shop = Shop::<D>::open(database).await?;
    let numbers = blocks(&shop, 10).await?;
    take(&numbers, CUSTOMERS, 10).await?;
    let near_the_end = LAST_NUMBER - 2;
    shop.execute(&format!("UPDATE key_blocks SET next_key = {near_the_end}"))
        .await?;
    let last = [near_the_end, near_the_end + 1, LAST_NUMBER];
    assert_eq!(take(&numbers, CUSTOMERS, 3).await?, last);
    for _ in 0..2 {
        let used_up = numbers.next_number(CUSTOMERS).await;
        assert!(
            matches!(
                &used_up,
                Err(Error::Key(error)) if *error == CUSTOMERS.used_up()
            ),
            "{used_up:?}"
        );
    }
    assert_eq!(take(&numbers, ORDERS, 1).await?, [1]);
    Ok(())
}

pub(crate) async fn an_invalid_number_in_the_table_is_an_error<D: Driver>(
    database: &TestDatabase,
) -> Result<()> {
    let shop = Shop::<D>::open(database).await?;
    let store = shop.driver.store().await?;
    reserve_block(store.clone(), CUSTOMERS, size(5)).await?;
    for corrupt in [0, -5] {
        let set = format!("UPDATE key_blocks SET next_key = {corrupt}");
        shop.execute(&set).await?;
        for _ in 0..2 {
            let refused = reserve_block(store.clone(), CUSTOMERS, size(10)).await;
            let is_reported = matches!(
                refused,
                Err(Error::NextNumber { group, next_number })
                    if group == CUSTOMERS.get() && next_number == corrupt
            );
            assert!(is_reported, "{refused:?}");
        }
    }
    Ok(())
}

pub(crate) async fn tasks_share_a_block<D: Driver>(database: &TestDatabase) -> Result<()> {
    let shop = Shop::<D>::open(database).await?;
    let numbers = &blocks(&shop, 100).await?;
    let tasks = (0..20).map(|_| take(numbers, CUSTOMERS, 5));
    let mut taken = future::try_join_all(tasks).await?.concat();
    taken.sort_unstable();
    assert!(taken.into_iter().eq(1..=100));
    assert_eq!(take(numbers, CUSTOMERS, 1).await?, [101]);
    Ok(())
}

pub(crate) async fn a_block_is_not_rolled_back_with_a_callers_transaction<D: Driver>(
    database: &TestDatabase,
) -> Result<()> {
    let shop = Shop::<D>::open(database).await?;
    let store = shop.driver.store().await?;
    let mut session = shop.driver.connection().await?;
    let begin = match shop.backend {
        Backend::MySql | Backend::MariaDb => "START TRANSACTION",
        _ => "BEGIN TRANSACTION",
    };
    D::execute(&mut session, begin).await?;
    let block = reserve_block(shop.driver.store().await?, CUSTOMERS, size(5)).await?;
    assert!(block.eq(1..=5));
    D::execute(&mut session, "ROLLBACK").await?;
    drop(session);
    let block = reserve_block(store, CUSTOMERS, size(5)).await?;
    assert!(block.eq(6..=10));
    Ok(())
}

pub(crate) async fn four_processes_get_no_number_twice<D: Driver>(
    database: &TestDatabase,
) -> Result<()> {
    const PROCESSES: usize = 4;
    let work = Work {
        backend: database.backend(),
        url: database.url().to_owned(),
        numbers: 50_000,
        // Does not divide the count of numbers, so that each process leaves some.
        block_size: 999,
    };
    let shop = Shop::<D>::open(database).await?;
    let processes: Vec<Child> = (0..PROCESSES)
        .map(|_| work.start())
        .collect::<io::Result<_>>()?;

    let mut numbers = HashSet::new();
    for process in processes {
        let output = process.wait_with_output()?;
        ensure!(
            output.status.success(),
            "a process ended with {}",
            output.status
        );
        let (chunks, rest) = output.stdout.as_chunks::<8>();
        ensure!(rest.is_empty() && chunks.len() == work.numbers);
        let before = numbers.len();
        numbers.extend(chunks.iter().map(|bytes| u64::from_le_bytes(*bytes)));
        ensure!(
            numbers.len() == before + work.numbers,
            "a number was used twice"
        );
    }
    let end = shop
        .strings("SELECT CAST(next_key AS char(20)) FROM key_blocks")
        .await?;
    let reserved: usize = end[0].trim().parse::<usize>()? - 1;
    let unused = reserved - PROCESSES * work.numbers;
    assert!(
        unused <= PROCESSES * work.block_size as usize,
        "{unused} are unused"
    );
    Ok(())
}

/// The work of one of several processes: it takes numbers and writes them to its standard output.
pub(crate) struct Work {
    backend: Backend,
    url: String,
    numbers: usize,
    block_size: u32,
}

impl Work {
    const VARIABLE: &str = "ROWKEY_STORES_TEST_WORK";

    fn start(&self) -> io::Result<Child> {
        let Self {
            backend,
            url,
            numbers,
            block_size,
        } = self;
        let work = format!("{} {numbers} {block_size} {url}", test_name(*backend));
        Command::new(env::current_exe()?)
            .env(Self::VARIABLE, work)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
    }

    /// The work that this process was started for, if not for running tests.
    pub(crate) fn of_this_process() -> Option<Result<Self>> {
        let work = env::var(Self::VARIABLE).ok()?;
        Some(Self::parse(&work).context("the work is incomplete"))
    }

    fn parse(work: &str) -> Option<Self> {
        let mut words = work.splitn(4, ' ');
        Some(Self {
            backend: words.next()?.parse().ok()?,
            numbers: words.next()?.parse().ok()?,
            block_size: words.next()?.parse().ok()?,
            url: words.next()?.to_owned(),
        })
    }

    pub(crate) fn run(self) -> Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let numbers = runtime.block_on(async {
            match self.backend {
                Backend::Postgres => self.take::<PgPool>().await,
                Backend::MySql | Backend::MariaDb => self.take::<MySqlPool>().await,
                Backend::Sqlite => self.take::<SqlitePool>().await,
                Backend::SqlServer => self.take::<SqlServer>().await,
            }
        })?;
        let bytes: Vec<u8> = numbers.into_iter().flat_map(u64::to_le_bytes).collect();
        Ok(io::stdout().write_all(&bytes)?)
    }

    async fn take<D: Driver>(&self) -> Result<Vec<u64>> {
        let store = D::connect(&self.url).await?.store().await?;
        let numbers = NumberBlocks::new(store, size(self.block_size));
        Ok(take(&numbers, CUSTOMERS, self.numbers).await?)
    }
}
