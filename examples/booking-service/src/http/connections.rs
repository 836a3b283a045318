//! Limits on the connections of clients: their number and their slowness.
//!
//! Each connection waits either for the service, which always finishes, or for the client: to send a
//! request or the rest of one, or to read an answer. Clients that take too long are disconnected. When
//! there are too many connections, a new one replaces the one that has waited longest for its client.
//! So clients that open connections and do nothing do not lock out other clients.

use std::collections::BTreeMap;
use std::io;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use jiff::SignedDuration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio::time::error::Elapsed;
use tokio::time::{sleep, timeout};
use tower::Service;

/// The pause after the system has refused a connection, usually because the process has no file
/// descriptor left.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Limits for clients.
#[derive(Clone, Debug, clap::Args)]
pub struct Limits {
    /// The maximum number of connections, each of which takes a file descriptor. At that number a new
    /// connection replaces the one that has waited longest for its client to send or read something.
    /// While the service works on a request of each connection, new ones wait in the system's queue
    #[arg(long, env = "BOOKING_MAX_CONNECTIONS", default_value = "512")]
    pub max_connections: NonZeroUsize,

    /// How long a client may take to send the head of a request after it connects or gets an
    /// answer: also how long a connection may be idle. A number with a unit, such as 500ms or 1m
    #[arg(long, env = "BOOKING_HEAD_TIMEOUT", default_value = "30s", value_parser = duration)]
    pub head_timeout: Duration,

    /// How long a client may take to send the body of a request; after that the answer is 408
    #[arg(long, env = "BOOKING_BODY_TIMEOUT", default_value = "10s", value_parser = duration)]
    pub body_timeout: Duration,
}

/// Reads a duration such as `30s`, which is not zero.
///
/// # Errors
///
/// The reason why the text is no such duration.
pub fn duration(text: &str) -> Result<Duration, String> {
    let duration: SignedDuration = text.parse().map_err(|error| format!("{error}"))?;
    match Duration::try_from(duration) {
        Ok(duration) if !duration.is_zero() => Ok(duration),
        _ => Err("expected a duration greater than zero".to_owned()),
    }
}

/// Serves HTTP/1.1 until `stop`, and then until all open requests are answered.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    limits: Limits,
    stop: impl Future<Output = ()>,
) {
    let places = Places::new(limits.max_connections);
    let running = GracefulShutdown::new();
    let accept_all = async {
        loop {
            let stream = accept(&listener, &places).await;
            let connection = Connection {
                stream,
                client: Client::new(&places, places.take().await, limits.body_timeout),
                router: router.clone(),
                head_timeout: limits.head_timeout,
            };
            tokio::spawn(connection.run(running.watcher()));
        }
    };
    tokio::select! {
        () = accept_all => {}
        () = stop => {}
    }
    drop(listener);
    running.shutdown().await;
}

async fn accept(listener: &TcpListener, places: &Places) -> TcpStream {
    loop {
        match listener.accept().await {
            Ok((stream, address)) => {
                tracing::trace!(%address, "a connection");
                return stream;
            }
            Err(error) if is_of_the_client(&error) => {}
            Err(error) => {
                tracing::warn!(%error, "a connection cannot be accepted");
                places.waiting().end_the_first();
                sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

/// Whether a client has gone before its connection was accepted.
fn is_of_the_client(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(
        error.kind(),
        ConnectionAborted | ConnectionRefused | ConnectionReset
    )
}

struct Connection {
    stream: TcpStream,
    client: Arc<Client>,
    router: Router,
    head_timeout: Duration,
}

impl Connection {
    async fn run(self, watcher: Watcher) {
        let Self {
            stream,
            client,
            router,
            head_timeout,
        } = self;
        let (client, router) = (&client, &router);
        let answer = service_fn(|mut request: Request<Incoming>| {
            client.services_turn();
            request.extensions_mut().insert(Arc::clone(client));
            let answer = router.clone().call(request);
            async move {
                let answer = answer.await;
                client.clients_turn();
                answer
            }
        });
        let http = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(head_timeout)
            .serve_connection(TokioIo::new(stream), answer);
        tokio::select! {
            // First, so that the answer is written before another connection can take the place.
            biased;
            ended = watcher.watch(http) => {
                if let Err(error) = ended {
                    tracing::debug!(%error, "a connection was cut off");
                }
            }
            () = client.leave.notified() => tracing::debug!("a connection was closed to make room"),
        }
    }
}

/// The client of a connection.
pub(crate) struct Client {
    places: Arc<Places>,
    body_timeout: Duration,
    leave: Arc<Notify>,
    /// Its number among the waiting connections, or 0.
    turn: AtomicU64,
    /// The place of the connection.
    _place: OwnedSemaphorePermit,
}

impl Client {
    fn new(places: &Arc<Places>, place: OwnedSemaphorePermit, body_timeout: Duration) -> Arc<Self> {
        let client = Self {
            places: Arc::clone(places),
            body_timeout,
            leave: Arc::default(),
            turn: AtomicU64::new(0),
            _place: place,
        };
        client.clients_turn();
        Arc::new(client)
    }

    /// Waits for the body that the client sends.
    ///
    /// # Errors
    ///
    /// If it takes too long.
    pub(crate) async fn sends<T>(&self, body: impl Future<Output = T>) -> Result<T, Elapsed> {
        self.clients_turn();
        let sent = timeout(self.body_timeout, body).await;
        self.services_turn();
        sent
    }

    fn clients_turn(&self) {
        let turn = self.places.waiting().begin(&self.leave);
        self.turn.store(turn, Ordering::Relaxed);
        self.places.changed.notify_one();
    }

    fn services_turn(&self) {
        let turn = self.turn.swap(0, Ordering::Relaxed);
        self.places.waiting().connections.remove(&turn);
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.services_turn();
    }
}

/// The places that connections take.
struct Places {
    free: Arc<Semaphore>,
    waiting: Mutex<Waiting>,
    /// A connection has begun to wait for its client.
    changed: Notify,
}

impl Places {
    fn new(limit: NonZeroUsize) -> Arc<Self> {
        Arc::new(Self {
            free: Arc::new(Semaphore::new(limit.get().min(Semaphore::MAX_PERMITS))),
            waiting: Mutex::default(),
            changed: Notify::new(),
        })
    }

    /// A place. If all are taken, it is that of the connection that has waited longest for its client.
    async fn take(&self) -> OwnedSemaphorePermit {
        loop {
            if let Ok(place) = Arc::clone(&self.free).try_acquire_owned() {
                return place;
            }
            let is_freed = self.waiting().end_the_first();
            tokio::select! {
                Ok(place) = Arc::clone(&self.free).acquire_owned() => return place,
                () = self.changed.notified(), if !is_freed => {}
            }
        }
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        // No code panics while it is locked.
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The connections that wait for their clients, the longest first.
#[derive(Default)]
struct Waiting {
    connections: BTreeMap<u64, Arc<Notify>>,
    turns: u64,
}

impl Waiting {
    fn begin(&mut self, leave: &Arc<Notify>) -> u64 {
        self.turns += 1;
        self.connections.insert(self.turns, Arc::clone(leave));
        self.turns
    }

    /// Ends the connection that has waited longest, if there is one.
    fn end_the_first(&mut self) -> bool {
        let first = self.connections.pop_first();
        if let Some((_, leave)) = &first {
            leave.notify_one();
        }
        first.is_some()
    }
}

#[cfg(test)]
mod tests {
    use axum::routing::get;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::sync::oneshot;

    use super::*;

    #[test]
    fn durations_have_units_and_are_finite() {
        assert_eq!(duration("1m 30s"), Ok(Duration::from_secs(90)));
        for wrong in ["", "30", "0s", "-1s", "never"] {
            assert!(duration(wrong).is_err(), "{wrong}");
        }
    }

    /// Even if it is the only connection that is allowed.
    #[tokio::test]
    async fn a_connection_that_the_service_works_for_keeps_its_place() {
        let (begun, go_on) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
        let (has_begun, goes_on) = (Arc::clone(&begun), Arc::clone(&go_on));
        let router = Router::new().route("/", get(async || "here")).route(
            "/work",
            get(async move || {
                has_begun.notify_one();
                goes_on.notified().await;
                "done"
            }),
        );
        let limits = Limits {
            max_connections: NonZeroUsize::MIN,
            head_timeout: Duration::from_secs(3_600),
            body_timeout: Duration::from_secs(3_600),
        };
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel();
        let served = serve(listener, router, limits, async {
            stopped.await.unwrap();
        });
        let served = tokio::spawn(served);

        let request = async |path: &str| {
            let mut stream = TcpStream::connect(address).await.unwrap();
            let head = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n");
            stream.write_all(head.as_bytes()).await.unwrap();
            stream
        };
        let mut first = request("/work").await;
        begun.notified().await;
        let mut second = request("/").await;
        go_on.notify_one();
        // Each is closed as soon as the next one needs its place.
        let mut answer = String::new();
        first.read_to_string(&mut answer).await.unwrap();
        assert!(answer.ends_with("done"), "{answer}");
        let _third = request("/").await;
        answer.clear();
        second.read_to_string(&mut answer).await.unwrap();
        assert!(answer.ends_with("here"), "{answer}");
        stop.send(()).unwrap();
        served.await.unwrap();
    }
}
