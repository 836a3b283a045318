//! Slow clients.

use std::net::SocketAddr;

use anyhow::Result;
use rowkey_testkit::TestDatabase;
use rustix::process::{Resource, getrlimit, setrlimit};

use crate::client::Client;
use crate::raw::{RawConnection, bytes_of, head_of};
use crate::requests::{Request, any_customer};
use crate::service::Service;

/// More than the service's places, and than a process may usually have open files.
const MANY: usize = 1_010;

/// A timeout that does not expire during a test.
const NEVER: &str = "1h";

/// A timeout that expires during a test.
const SOON: &str = "50ms";

async fn start(database: &TestDatabase, settings: &[(&str, &str)]) -> Result<Service> {
    let service = Service::start_with(database, |command| {
        command.envs(settings.iter().copied());
    });
    service.await
}

/// Connections to the service, each of which has sent these bytes.
async fn connections(
    address: SocketAddr,
    count: usize,
    bytes: impl AsRef<[u8]>,
) -> Result<Vec<RawConnection>> {
    // They are files of this process, too.
    let mut files = getrlimit(Resource::Nofile);
    files.current = files.maximum;
    setrlimit(Resource::Nofile, files)?;
    let mut connections = Vec::new();
    for _ in 0..count {
        let mut connection = RawConnection::open(address).await?;
        connection.write(&bytes).await?;
        connections.push(connection);
    }
    Ok(connections)
}

/// The head of a command that makes the service ask for the body.
fn head_with_a_body_to_come(request: &Request) -> String {
    head_of(
        request,
        request.body.to_string().len(),
        "Expect: 100-continue\r\n",
    )
}

/// Other clients are served at once while the service waits for silent ones.
pub(crate) async fn silent_connections_do_not_lock_others_out(
    database: &TestDatabase,
) -> Result<()> {
    for bytes in ["", "GET /health HT"] {
        let service = start(database, &[("BOOKING_HEAD_TIMEOUT", NEVER)]).await?;
        service.limit_open_files(1_024)?;
        let silent = connections(service.address(), MANY, bytes).await?;
        // A new connection each, as the first one is idle between them.
        for _ in 0..3 {
            let client = Client::new(service.address());
            assert_eq!(client.get("/health").await?.status, 200);
            any_customer(&client).await?;
        }
        drop(silent);
        service.stop().await?;
    }
    Ok(())
}

/// Connections that wait for bodies give up their places to others.
pub(crate) async fn missing_bodies_do_not_lock_others_out(database: &TestDatabase) -> Result<()> {
    let settings = [
        ("BOOKING_MAX_CONNECTIONS", "8"),
        ("BOOKING_BODY_TIMEOUT", NEVER),
    ];
    let service = start(database, &settings).await?;
    let head = head_with_a_body_to_come(&Request::customer("Ada"));
    let mut slow = Vec::new();
    for _ in 0..30 {
        let mut connection = connections(service.address(), 1, &head).await?;
        // It has its place by now, and the service waits for it.
        assert!(
            connection[0]
                .read_head()
                .await?
                .starts_with("HTTP/1.1 100 ")
        );
        slow.append(&mut connection);
    }
    any_customer(service.client()).await?;
    // The first ones have made room for the others.
    assert_eq!(slow[0].read_to_end().await?, "");
    drop(slow);
    service.stop().await
}

/// The service limits its waits, even if it has places for all clients.
pub(crate) async fn slow_clients_are_disconnected(database: &TestDatabase) -> Result<()> {
    let settings = [
        ("BOOKING_HEAD_TIMEOUT", SOON),
        ("BOOKING_BODY_TIMEOUT", SOON),
    ];
    let service = start(database, &settings).await?;
    for bytes in ["", "GET /health HTTP/1.1\r\nHost: loc"] {
        for mut connection in connections(service.address(), 3, bytes).await? {
            let answer = connection.read_to_end().await?;
            assert!(!answer.contains(" 200 "), "{answer}");
        }
    }
    // A connection that was answered, and is idle now.
    let request = "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n";
    for mut connection in connections(service.address(), 3, request).await? {
        let answer = connection.read_to_end().await?;
        assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    }
    // Half of a body, and no body.
    let request = Request::customer("Ada");
    let all = bytes_of(&request);
    let without_body = head_of(&request, request.body.to_string().len(), "");
    for bytes in [&all[..all.len() - 10], without_body.as_bytes()] {
        for mut connection in connections(service.address(), 3, bytes).await? {
            let answer = connection.read_to_end().await?;
            assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
            assert!(answer.contains("urn:booking-service:late-body"), "{answer}");
        }
    }
    service.client().send(&request).await?.created();
    service.stop().await
}
