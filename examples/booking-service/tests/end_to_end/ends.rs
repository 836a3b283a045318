//! How the service starts and ends.

use anyhow::Result;
use rowkey_testkit::{Backend, TestDatabase};
use rustix::process::Signal;
use serde_json::Value;

use crate::client::text;
use crate::database::Database;
use crate::raw::{RawConnection, head_of};
use crate::requests::{Request, any_booking, any_customer};
use crate::service::{self, Service};

/// Open requests are answered; new connections are refused.
pub(crate) async fn requests_in_flight_are_answered(database: &TestDatabase) -> Result<()> {
    for signal in [Signal::TERM, Signal::INT] {
        let mut service = Service::start(database).await?;
        let customer = any_customer(service.client()).await?;
        let request = Request::offer(&customer);
        let body = request.body.to_string();
        let mut connection = RawConnection::open(service.address()).await?;
        let head = head_of(&request, body.len(), "Expect: 100-continue\r\n");
        connection.write(head).await?;
        // The service waits for the body by now.
        let head = connection.read_head().await?;
        assert!(head.starts_with("HTTP/1.1 100 "), "{head}");

        service.terminate(signal)?;
        service.refuses_connections().await?;
        // Another one can start before this one has ended.
        let successor = Service::start(database).await?;
        let (start, end) = body.split_at(body.len() / 2);
        connection.write(start).await?;
        connection.write(end).await?;
        let answer = connection.read_to_end().await?;
        assert!(answer.starts_with("HTTP/1.1 201 "), "{answer}");
        service.ended().await?;

        let offer = successor.client().send(&request).await?.ok();
        let (_, body) = answer.split_once("\r\n\r\n").unwrap_or_default();
        assert_eq!(serde_json::from_str::<Value>(body)?, offer);
        successor.stop().await?;
    }
    Ok(())
}

/// A client that keeps an idle connection open does not prevent the service from ending.
pub(crate) async fn idle_connections_are_closed(database: &TestDatabase) -> Result<()> {
    let service = Service::start(database).await?;
    let mut connections = Vec::new();
    for _ in 0..3 {
        let mut connection = RawConnection::open(service.address()).await?;
        connection
            .write("GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
            .await?;
        connection.read_head().await?;
        connections.push(connection);
    }
    // A connection on which nothing was sent.
    connections.push(RawConnection::open(service.address()).await?);
    service.stop().await
}

/// A client that never sends the rest of its request delays the service's end only for a while.
pub(crate) async fn requests_that_never_end_are_given_up(database: &TestDatabase) -> Result<()> {
    let service = Service::start(database).await?;
    let mut connection = RawConnection::open(service.address()).await?;
    connection.write("GET /health HT").await?;
    // It has been read by the time that this one is answered.
    service.client().get("/health").await?;
    service.terminate(Signal::TERM)?;
    service.killed().await
}

/// Entities exist after a restart, and their commands can be repeated.
pub(crate) async fn entities_outlive_the_process(database: &TestDatabase) -> Result<()> {
    let service = Service::start(database).await?;
    let request = Request::customer("Ada");
    let customer = service.client().send(&request).await?.created();
    service.stop().await?;
    let service = Service::start(database).await?;
    assert_eq!(service.client().send(&request).await?.ok(), customer);
    let other = any_customer(service.client()).await?;
    assert_ne!(other["number"], customer["number"]);
    let rows = Database::open(database).await?;
    assert_eq!(rows.rows("customers").await?, 2);
    service.stop().await
}

/// Without settings, the service makes a file with a database.
pub(crate) async fn nothing_has_to_be_set(database: &TestDatabase) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let service = Service::start_with(database, |command| {
        command
            .env_remove("DATABASE_URL")
            .env_remove("BOOKING_LISTEN")
            .env_remove("BOOKING_PUBLIC_ID_KEY")
            // Port 3000 may be in use.
            .args(["--listen", "127.0.0.1:0"])
            .current_dir(&folder);
    });
    let service = service.await?;
    any_customer(service.client()).await?;
    service.stop().await?;
    assert!(folder.path().join("booking.db").is_file());
    Ok(())
}

/// One line for each request, with method, path and status.
pub(crate) async fn requests_are_logged(database: &TestDatabase) -> Result<()> {
    let service = Service::start(database).await?;
    let client = service.client();
    let customer = any_customer(client).await?;
    let path = format!("/customers/{}", text(&customer, "id"));
    client.get(&path).await?.ok();
    client.get("/customers/nobody").await?.refused(400);
    let log = service.log()?;
    for (method, path, status) in [
        ("POST", "/customers", "201"),
        ("GET", path.as_str(), "200"),
        ("GET", "/customers/nobody", "400"),
    ] {
        let matches = |line: &&str| {
            [method, path, status]
                .iter()
                .all(|word| line.contains(word))
        };
        assert!(
            log.lines().any(|line| matches(&line)),
            "no line with {method} {path} {status} in\n{log}"
        );
    }
    // A file is not a terminal.
    assert!(!log.contains('\x1b'), "{log}");
    service.stop().await
}

/// Not even the most verbose log contains a secret.
pub(crate) async fn no_secret_is_logged(database: &TestDatabase) -> Result<()> {
    let mut url = database.url().to_owned();
    if database.backend() == Backend::Postgres && password(&url).is_none() {
        // A server that requires no password accepts any.
        url = url.replacen('@', ":hunter2@", 1);
    }
    let service = Service::start_with(database, |command| {
        command.env("DATABASE_URL", &url).env("RUST_LOG", "trace");
    });
    let service = service.await?;
    any_booking(service.client()).await?;
    let log = service.log()?;
    assert!(log.contains("TRACE"), "{log}");
    for secret in [Some(service::PUBLIC_ID_KEY), password(&url)] {
        let is_logged = secret.is_some_and(|secret| log.contains(secret));
        assert!(!is_logged, "{secret:?} is in the log");
    }
    service.stop().await
}

/// The password in the URL of a server.
fn password(url: &str) -> Option<&str> {
    let (_, rest) = url.split_once("://")?;
    let (account, _) = rest.split_once('@')?;
    let (_, password) = account.split_once(':')?;
    (!password.is_empty()).then_some(password)
}

/// A missing database is reported in the log, without the password.
pub(crate) async fn a_start_that_fails_reveals_no_secret(database: &TestDatabase) -> Result<()> {
    let urls = match database.backend() {
        Backend::Postgres => vec![
            "postgres://ada:hunter2@127.0.0.1:1/bookings",
            "postgres://ada:hunter2@127.0.0.1:port/bookings",
        ],
        Backend::MySql => vec!["mysql://ada:hunter2@127.0.0.1:1/bookings"],
        Backend::MariaDb => vec!["mariadb://ada:hunter2@127.0.0.1:1/bookings"],
        _ => vec![
            "sqlite:/no/such/folder/hunter2.db",
            "oracle://ada:hunter2@127.0.0.1/bookings",
        ],
    };
    let runs = urls.into_iter().map(|url| (url, service::PUBLIC_ID_KEY));
    for (url, key) in runs.chain([(database.url(), "aHVudGVyMg==")]) {
        let mut command = service::command(url);
        command
            .env("BOOKING_PUBLIC_ID_KEY", key)
            .stderr(std::process::Stdio::piped());
        let output = tokio::process::Command::from(command)
            .kill_on_drop(true)
            .spawn()?
            .wait_with_output();
        let output = tokio::time::timeout(service::PATIENCE, output).await??;
        assert!(!output.status.success(), "{url}");
        assert!(output.stdout.is_empty(), "{url}: {output:?}");
        let log = String::from_utf8(output.stderr)?;
        assert!(!log.is_empty(), "{url}");
        let is_path = url.starts_with("sqlite:");
        assert!(is_path || !log.contains("hunter2"), "{url}: {log}");
        assert!(!log.contains(key), "{url}: {log}");
        assert!(!log.contains("panicked"), "{url}: {log}");
    }
    Ok(())
}
