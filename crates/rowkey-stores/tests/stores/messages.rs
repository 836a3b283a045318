//! The messages to and from PostgreSQL.

use std::sync::{Arc, Mutex};

use anyhow::{Context, Result};
use rowkey::luuid::LuuidGroup;
use rowkey_stores::{in_transaction, reserve_block};
use rowkey_testkit::TestDatabase;
use sqlx::PgPool;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions, PgSslMode};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};

use crate::shop::Shop;

/// The messages of one connection that tests check.
#[derive(Debug, Default)]
struct Messages {
    /// The client's simple queries: one round trip each.
    queries: Vec<String>,
    /// The server's warnings, which are also in its log.
    notices: usize,
}

type Seen = Arc<Mutex<Messages>>;

/// Forwards messages and calls `see` with the kind and the content of each.
async fn pass(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    mut see: impl FnMut(u8, &[u8]),
) -> Result<()> {
    loop {
        let kind = from.read_u8().await?;
        let length = from.read_u32().await?;
        let mut content = vec![0; usize::try_from(length)?.saturating_sub(4)];
        from.read_exact(&mut content).await?;
        see(kind, &content);
        let mut message = vec![kind];
        message.extend(length.to_be_bytes());
        message.extend(content);
        to.write_all(&message).await?;
    }
}

/// Forwards one connection to the server.
async fn carry(listener: TcpListener, host: String, port: u16, seen: Seen) -> Result<()> {
    let (client, _) = listener.accept().await?;
    let server = TcpStream::connect((host, port)).await?;
    client.set_nodelay(true)?;
    server.set_nodelay(true)?;
    let (mut from_client, to_client) = client.into_split();
    let (from_server, mut to_server) = server.into_split();
    // The first message has no type byte.
    let length = from_client.read_u32().await?;
    let mut content = vec![0; usize::try_from(length)?.saturating_sub(4)];
    from_client.read_exact(&mut content).await?;
    to_server.write_u32(length).await?;
    to_server.write_all(&content).await?;

    let of = |seen: &Seen, change: &dyn Fn(&mut Messages)| {
        change(&mut seen.lock().expect("no test panics while it has this"));
    };
    let requests = pass(from_client, to_server, |kind, content| {
        if kind == b'Q' {
            let text = String::from_utf8_lossy(content);
            let text = text.trim_end_matches('\0');
            of(&seen, &|seen| seen.queries.push(text.to_owned()));
        }
    });
    let answers = pass(from_server, to_client, |kind, _| {
        if kind == b'N' {
            of(&seen, &|seen| seen.notices += 1);
        }
    });
    tokio::try_join!(requests, answers)?;
    Ok(())
}

/// Ending a transaction that may be open costs nothing if there is none.
pub(crate) async fn a_transaction_begins_with_one_message(database: &TestDatabase) -> Result<()> {
    Shop::<PgPool>::open(database).await?;
    let options: PgConnectOptions = database.url().parse()?;
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    let (host, port) = (options.get_host().to_owned(), options.get_port());
    let options = options
        .host("127.0.0.1")
        .port(address.port())
        .ssl_mode(PgSslMode::Disable);
    let seen = Seen::default();
    tokio::spawn(carry(listener, host, port, Arc::clone(&seen)));
    let pool = PgPoolOptions::new()
        .max_connections(1)
        .connect_with(options);
    let pool = &pool.await?;
    let take = || std::mem::take(&mut *seen.lock().expect("no test panics while it has this"));

    take();
    in_transaction(pool, async |_| Ok::<_, sqlx::Error>(())).await?;
    let messages = take();
    // The savepoint checks that there is a transaction to commit.
    let savepoint = "SAVEPOINT _sqlx_savepoint_1";
    let back = format!("ROLLBACK TO {savepoint}");
    assert_eq!(messages.queries, ["BEGIN", savepoint, &back, "COMMIT"]);
    assert_eq!(messages.notices, 0);

    let one = 1.try_into().context("it is not zero")?;
    reserve_block(pool, LuuidGroup::of("com.acme.Customer"), one).await?;
    take();
    reserve_block(pool, LuuidGroup::of("com.acme.Customer"), one).await?;
    let messages = take();
    let begin = "BEGIN ISOLATION LEVEL READ COMMITTED";
    assert_eq!(messages.queries, [begin, "COMMIT"]);
    assert_eq!(messages.notices, 0);
    Ok(())
}
