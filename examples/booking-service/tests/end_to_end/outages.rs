//! A database that cannot be reached for a while.

use std::net::SocketAddr;
use std::process::Command;

use anyhow::{Context, Result};
use rowkey_testkit::TestDatabase;
use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection, SqliteConnection};
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{JoinHandle, JoinSet};

use crate::requests::{Request, any_customer};
use crate::service::Service;

/// The maximum number of the service's connections.
const POOL: usize = 10;

/// A proxy to the database's server that can be closed.
struct Road {
    server: SocketAddr,
    entrance: SocketAddr,
    traffic: JoinHandle<()>,
}

impl Road {
    /// A proxy, and the URL of the database through it.
    async fn to(database: &TestDatabase) -> Result<(Self, String)> {
        let url = database.url();
        let (_, rest) = url.split_once("://").context("no address")?;
        let authority = rest.split(['/', '?']).next().unwrap_or_default();
        let host = authority.rsplit('@').next().unwrap_or_default();
        let server = tokio::net::lookup_host(host).await?.next();
        let server = server.context("no such server")?;
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let entrance = listener.local_addr()?;
        let road = Self {
            server,
            entrance,
            traffic: tokio::spawn(carry(listener, server)),
        };
        Ok((road, url.replacen(host, &entrance.to_string(), 1)))
    }

    /// Ends all connections, and accepts no new ones.
    async fn close(&mut self) {
        self.traffic.abort();
        // Only now have the aborted tasks ended.
        let _ = (&mut self.traffic).await;
    }

    async fn open(&mut self) -> Result<()> {
        let listener = TcpListener::bind(self.entrance).await?;
        self.traffic = tokio::spawn(carry(listener, self.server));
        Ok(())
    }
}

async fn carry(listener: TcpListener, server: SocketAddr) {
    // The tasks of the set end with it.
    let mut connections = JoinSet::new();
    while let Ok((mut client, _)) = listener.accept().await {
        connections.spawn(async move {
            if let Ok(mut server) = TcpStream::connect(server).await {
                // Either side may disconnect at any time.
                let _ = copy_bidirectional(&mut client, &mut server).await;
            }
        });
    }
}

/// The outcome of a command is unknown; the client sends it again when the database is back.
pub(crate) async fn an_unreachable_database_is_reported(database: &TestDatabase) -> Result<()> {
    let (mut road, url) = Road::to(database).await?;
    let service = Service::start_with(database, |command| {
        command.env("DATABASE_URL", url);
    });
    let service = service.await?;
    let client = service.client();
    let known = any_customer(client).await?;
    let request = Request::customer("Ada");

    road.close().await;
    let problem = client.get("/health").await?.refused(503);
    assert!(!problem.to_string().contains("127.0.0.1"), "{problem}");
    let problem = client.send(&request).await?.refused(503);
    assert!(!problem.to_string().contains("127.0.0.1"), "{problem}");

    road.open().await?;
    let customer = client.send(&request).await?.created();
    assert_ne!(customer["id"], known["id"]);
    client.get("/health").await?;
    service.stop().await
}

/// A file that another process has locked is an unavailable database.
pub(crate) async fn a_locked_file_is_reported(database: &TestDatabase) -> Result<()> {
    let service = Service::start(database).await?;
    let client = service.client();
    let mut other = SqliteConnection::connect(database.url()).await?;
    let locked = other.begin_with("BEGIN EXCLUSIVE").await?;
    let request = Request::customer("Ada");
    client.send(&request).await?.refused(503);

    locked.rollback().await?;
    client.send(&request).await?.created();
    service.stop().await
}

/// Clients do not notice connections that break in the middle of commands.
pub(crate) async fn broken_connections_are_replaced(database: &TestDatabase) -> Result<()> {
    let (mut road, url) = Road::to(database).await?;
    let service = Service::start_with(database, |command| {
        command.env("DATABASE_URL", url);
    });
    let service = service.await?;
    let client = service.client();
    for round in 0..5 {
        let request = Request::customer(&format!("customer {round}"));
        let customer = client.send(&request).await?.created();
        road.close().await;
        road.open().await?;
        assert_eq!(client.send(&request).await?.ok(), customer);
    }
    service.stop().await
}

/// A former primary accepts no commands any more. The client gets 503, and the connection is
/// closed: the next one may lead to the new primary.
pub(crate) async fn a_read_only_server_is_left(database: &TestDatabase) -> Result<()> {
    let mut server = PgConnection::connect(database.url()).await?;
    // Other tests share the server, so the settings and connections are those of a role of this
    // test.
    let role: String = sqlx::query_scalar("SELECT current_schema()::text")
        .fetch_one(&mut server)
        .await?;
    let make = format!("CREATE ROLE {role} SUPERUSER LOGIN PASSWORD '{role}'");
    server.execute(AssertSqlSafe(make)).await?;
    let (scheme, rest) = database.url().split_once("://").context("no address")?;
    let place = rest.split_once('@').map_or(rest, |(_, place)| place);
    let url = format!("{scheme}://{role}:{role}@{place}");
    let as_role = |command: &mut Command| {
        command.env("DATABASE_URL", url);
    };
    let service = Service::start_with(database, as_role).await?;
    let client = service.client();
    let known = Request::customer("Ada");
    let customer = client.send(&known).await?.created();

    // A role's settings apply to its new connections, and do not change for existing ones.
    let begin = format!("ALTER ROLE {role} SET default_transaction_read_only = on");
    server.execute(AssertSqlSafe(begin)).await?;
    let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = $1";
    sqlx::query(end).bind(&role).execute(&mut server).await?;
    let request = Request::customer("Grace");
    for _ in 0..3 {
        client.send(&request).await?.refused_as(503, "unavailable");
        // Requests that only read are answered.
        assert_eq!(client.send(&known).await?.ok(), customer);
    }

    let end = format!("ALTER ROLE {role} RESET default_transaction_read_only");
    server.execute(AssertSqlSafe(end)).await?;
    // At most once for each old connection.
    let mut answer = client.send(&request).await?;
    for _ in 0..POOL {
        if answer.status == 503 {
            answer = client.send(&request).await?;
        }
    }
    answer.created();
    service.stop().await?;
    let clear = format!("DROP OWNED BY {role}; DROP ROLE {role}");
    server.execute(AssertSqlSafe(clear)).await?;
    Ok(())
}
