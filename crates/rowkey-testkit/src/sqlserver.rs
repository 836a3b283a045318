//! Databases of SQL Server, over tiberius.

use std::time::Duration;

use tiberius::error::Error;
use tiberius::{Client, Config};
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep};
use tokio_util::compat::TokioAsyncWriteCompatExt;

/// Waits for other processes that make or drop a database: all databases are made from one
/// template, which only one may use at a time. The lock is released with the connection.
const ONE_AT_A_TIME: &str = "EXEC sp_getapplock @Resource = 'rowkey_test', \
     @LockMode = 'Exclusive', @LockOwner = 'Session', @LockTimeout = 60000;";

/// How long to wait for the last connection to a database that is to be dropped.
const DROP_PATIENCE: Duration = Duration::from_secs(30);

/// How long to wait after a refusal to drop.
const DROP_PAUSE: Duration = Duration::from_millis(100);

pub(crate) async fn execute(url: &str, statement: String) -> tiberius::Result<()> {
    let mut config = Config::from_ado_string(url)?;
    // The callers limit the time.
    config.command_timeout(None);
    let stream = TcpStream::connect(config.get_addr()).await?;
    stream.set_nodelay(true)?;
    let mut server = Client::connect(config, stream.compat_write()).await?;
    // Not as a query with parameters, which cannot make or drop databases.
    server.simple_query(statement).await?.into_results().await?;
    server.close().await
}

pub(crate) async fn create_database(url: &str, name: &str) -> tiberius::Result<()> {
    execute(url, format!("{ONE_AT_A_TIME} CREATE DATABASE {name}")).await
}

/// Drops a database as soon as the server allows it.
///
/// The server refuses while there are connections, and takes some time to notice that they are
/// closed.
pub(crate) async fn drop_database(url: &str, name: &str) -> tiberius::Result<()> {
    let statement = format!("{ONE_AT_A_TIME} DROP DATABASE {name}");
    let is_refusal = |error: &Error| matches!(error, Error::Server(_));
    while_refused(is_refusal, || execute(url, statement.clone())).await
}

async fn while_refused<E, F: Future<Output = Result<(), E>>>(
    is_refusal: impl Fn(&E) -> bool,
    work: impl Fn() -> F,
) -> Result<(), E> {
    let start = Instant::now();
    loop {
        match work().await {
            Err(error) if is_refusal(&error) && start.elapsed() + DROP_PAUSE < DROP_PATIENCE => {
                sleep(DROP_PAUSE).await;
            }
            outcome => return outcome,
        }
    }
}

/// The name comes last, so that it overrides a database that the address already names, as
/// `database` or by a synonym such as `initial catalog`.
pub(crate) fn with_database(url: &str, name: &str) -> String {
    format!("{url};database={name}")
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::future::ready;

    use super::*;

    #[test]
    fn an_address_leads_to_the_database_and_is_otherwise_unchanged() {
        let kept = [
            "server=h,1433;user=u",
            "server=h;user=u;password='a;database=b'",
            "server=h;user=u;password=\"a\"\"b;'c\"",
            "server=h;user=u;password={a;b}",
            "server=h;user=u;password=a=b'c ",
        ];
        let changed = [
            ("server=h;user=u;", "server=h;user=u"),
            ("server=h;DataBase=other;user=u", "server=h;user=u"),
            ("server=h;database='ot;her'", "server=h"),
            ("server=h;Initial Catalog=other", "server=h"),
            ("server=h;databaseName=other", "server=h"),
            ("server=h;initial catalog=a;database=b", "server=h"),
        ];
        for (url, bare) in changed.into_iter().chain(kept.map(|url| (url, url))) {
            let mut expected = Config::from_ado_string(bare).unwrap();
            expected.database("mine");
            let other = with_database(url, "mine");
            assert!(other.starts_with(url), "{url}");
            let other = Config::from_ado_string(&other).unwrap();
            // The output shows everything but passwords.
            assert_eq!(format!("{other:?}"), format!("{expected:?}"), "{url}");
        }
    }

    #[test]
    fn a_refusal_to_drop_a_database_is_not_the_last_word() {
        for (outcomes, expected, left) in [
            (&[Ok(()), Err(3702), Err(3702)][..], Ok(()), 0),
            (&[Ok(()), Err(262)], Err(262), 1),
        ] {
            let outcomes = RefCell::new(outcomes.to_vec());
            let is_refusal = |error: &u32| *error == 3702;
            let work = while_refused(is_refusal, || ready(outcomes.borrow_mut().pop().unwrap()));
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build();
            assert_eq!(runtime.unwrap().block_on(work), expected);
            assert_eq!(outcomes.borrow().len(), left);
        }
    }
}
