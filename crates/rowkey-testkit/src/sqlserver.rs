//! Databases of SQL Server, over tiberius.

use std::time::Duration;

use tiberius::error::Error;
use tiberius::{Client, Config};
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep};
use tokio_util::compat::TokioAsyncWriteCompatExt;

/// Waits for others that make or drop a database: all are made from one template, which only one may
/// use at a time. The lock is released with the connection.
const ONE_AT_A_TIME: &str = "EXEC sp_getapplock @Resource = 'rowkey_test', \
     @LockMode = 'Exclusive', @LockOwner = 'Session', @LockTimeout = 60000;";

/// How long to wait for the last connection to a database that is to be dropped.
const DROP_PATIENCE: Duration = Duration::from_secs(30);

/// How long to wait after a refusal to drop.
const DROP_PAUSE: Duration = Duration::from_millis(100);

/// Runs a statement in a separate connection.
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

/// Makes a database.
pub(crate) async fn create_database(url: &str, name: &str) -> tiberius::Result<()> {
    execute(url, format!("{ONE_AT_A_TIME} CREATE DATABASE {name}")).await
}

/// Drops a database as soon as the server allows it.
///
/// The server refuses while there are connections, and takes some time to notice that they are closed.
pub(crate) async fn drop_database(url: &str, name: &str) -> tiberius::Result<()> {
    let start = Instant::now();
    loop {
        let dropped = execute(url, format!("{ONE_AT_A_TIME} DROP DATABASE {name}")).await;
        match dropped {
            Err(Error::Server(_)) if start.elapsed() + DROP_PAUSE < DROP_PATIENCE => {
                sleep(DROP_PAUSE).await;
            }
            outcome => return outcome,
        }
    }
}

/// The address with another database.
///
/// It comes last, so that it overrides a database that the address already names, as `database` or by a
/// synonym such as `initial catalog`.
pub(crate) fn with_database(url: &str, name: &str) -> String {
    format!("{url};database={name}")
}

#[cfg(test)]
mod tests {
    use std::io::{self, Read, Write};
    use std::net::{TcpListener, TcpStream};
    use std::thread::{self, JoinHandle};

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
            // Shows everything but passwords.
            assert_eq!(format!("{other:?}"), format!("{expected:?}"), "{url}");
        }
    }

    #[test]
    fn a_database_is_dropped_when_the_server_no_longer_refuses() {
        let (url, server) = server(&[Some(3702), Some(3702), None]);
        block_on(drop_database(&url, "mine")).unwrap();
        assert_eq!(server.join().unwrap().unwrap(), ());
    }

    #[test]
    fn a_refusal_to_make_a_database_is_reported_at_once() {
        let (url, server) = server(&[Some(262)]);
        let error = block_on(create_database(&url, "mine")).unwrap_err();
        assert_eq!(error.code(), Some(262));
        assert_eq!(server.join().unwrap().unwrap(), ());
    }

    fn block_on<T>(work: impl Future<Output = T>) -> T {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        runtime.unwrap().block_on(work)
    }

    /// A server and its address. Each connection has one statement, which fails or succeeds; after the
    /// last one the server is gone.
    fn server(outcomes: &'static [Option<u32>]) -> (String, JoinHandle<io::Result<()>>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let server = thread::spawn(move || {
            for outcome in outcomes {
                serve(listener.accept()?.0, *outcome)?;
            }
            Ok(())
        });
        (format!("server=127.0.0.1,{port};user=sa"), server)
    }

    fn serve(mut client: TcpStream, outcome: Option<u32>) -> io::Result<()> {
        const BATCH: u8 = 0x01;
        const LOGIN: u8 = 0x10;
        /// No encryption, as the only option.
        const PRE_LOGIN_ANSWER: [u8; 7] = [1, 0, 6, 0, 1, 0xff, 2];
        /// Version 7.4 of the protocol, from a program without a name.
        const LOGIN_ANSWER: [u8; 13] = [0xad, 10, 0, 1, 0x74, 0, 0, 4, 0, 0, 0, 0, 0];

        let mut header = [0; 8];
        while header[0] != BATCH {
            client.read_exact(&mut header)?;
            let length = u16::from_be_bytes([header[2], header[3]]);
            client.read_exact(&mut vec![0; usize::from(length) - header.len()])?;
            let answer = match (header[0], outcome) {
                (LOGIN, _) => [&LOGIN_ANSWER[..], &done(0)].concat(),
                (BATCH, Some(code)) => [error(code), done(2)].concat(),
                (BATCH, None) => done(0),
                _ => PRE_LOGIN_ANSWER.to_vec(),
            };
            let [high, low] = (answer.len() as u16 + 8).to_be_bytes();
            client.write_all(&[4, 1, high, low, 0, 0, 1, 0])?;
            client.write_all(&answer)?;
        }
        Ok(())
    }

    /// An error of severity 16 without a message.
    fn error(code: u32) -> Vec<u8> {
        [
            &[0xaa, 14, 0],
            &code.to_le_bytes()[..],
            &[1, 16, 0, 0, 0, 0, 1, 0, 0, 0],
        ]
        .concat()
    }

    fn done(status: u8) -> Vec<u8> {
        [&[0xfd, status][..], &[0; 11]].concat()
    }
}
