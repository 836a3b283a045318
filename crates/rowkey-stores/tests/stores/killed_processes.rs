//! Processes that are killed in the middle of a call.

use std::env;
use std::future;
use std::io::{Read as _, Write as _};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use rowkey_stores::{CreatedBy, create_once};
use rowkey_testkit::{Backend, TestDatabase, test_name};
use sqlx::{MySqlPool, PgPool, SqlitePool};

use crate::shop::{CommandId, Driver, OfferId, Shop, SqlServer};

const VARIABLE: &str = "ROWKEY_STORES_TEST_UNFINISHED_CREATION";
const NAME: &str = "book-offer";

pub(crate) async fn a_process_killed_between_insert_and_commit_leaves_nothing<D: Driver>(
    database: &TestDatabase,
) -> Result<()> {
    let shop = Shop::<D>::open(database).await?;
    let command = CommandId::generate();
    let (backend, url) = (test_name(shop.backend), database.url());
    let mut process = Command::new(env::current_exe()?)
        .env(VARIABLE, format!("{backend} {command} {url}"))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut output = process.stdout.take().context("it writes to a pipe")?;
    let mut inserted = [0];
    let has_inserted = output.read_exact(&mut inserted);
    // SIGKILL on Unix: the process cannot clean up.
    process.kill()?;
    process.wait()?;
    has_inserted.context("it inserts")?;

    let created = create_once(shop.driver.store().await?, command, NAME, {
        async |mut session| shop.add(&mut session, command).await
    })
    .await?;
    assert_eq!(created.by, CreatedBy::ThisCall);
    assert_eq!(shop.commands().await?, [command.to_string()]);
    Ok(())
}

/// The work of this process, if it was started to be killed.
pub(crate) fn run_if_this_process_is_to_be_killed() -> Option<Result<()>> {
    let work = env::var(VARIABLE).ok()?;
    Some(crate::run(async || {
        let mut words = work.splitn(3, ' ');
        let mut next = || words.next().context("the work is incomplete");
        let backend: Backend = next()?.parse()?;
        let command: CommandId = next()?.parse()?;
        let url = next()?;
        match backend {
            Backend::Postgres => insert_and_wait::<PgPool>(backend, command, url).await,
            Backend::MySql | Backend::MariaDb => {
                insert_and_wait::<MySqlPool>(backend, command, url).await
            }
            Backend::Sqlite => insert_and_wait::<SqlitePool>(backend, command, url).await,
            Backend::SqlServer => insert_and_wait::<SqlServer>(backend, command, url).await,
        }
    }))
}

async fn insert_and_wait<D: Driver>(backend: Backend, command: CommandId, url: &str) -> Result<()> {
    let driver = D::connect(url).await?;
    let shop = &Shop { backend, driver };
    let created = create_once(shop.driver.store().await?, command, NAME, {
        async |mut session| {
            shop.add(&mut session, command).await?;
            let mut output = std::io::stdout();
            let written = output.write_all(b"i").and_then(|()| output.flush());
            written.expect("the other process reads");
            future::pending::<Result<OfferId, D::Error>>().await
        }
    });
    created.await?;
    ensure!(false, "the closure has no end");
    Ok(())
}
