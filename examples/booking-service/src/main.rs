//! The booking service as a program: settings, start, end.

mod secret;

use std::error::Error;
use std::io::{self, IsTerminal, Write};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use booking_service::http::{self, Service};
use booking_service::store::{self, Store};
use clap::Parser;
use rowkey::generate::SystemClock;
use rowkey::public_id::PublicIdSecrets;
use tokio::net::TcpListener;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::oneshot;
use tokio::time::{interval, timeout};
use tracing_subscriber::EnvFilter;

/// How long requests may still run after a signal. Otherwise a client that never sends the rest of its
/// request would keep the service running.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(10);

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// A booking service with typed keys.
///
/// The secret of the invoices' public ids, 32 random bytes in base64, is taken from the variable
/// BOOKING_PUBLIC_ID_KEY or from the file that BOOKING_PUBLIC_ID_KEY_FILE names, which only its owner
/// may be able to read. RUST_LOG sets the log level.
#[derive(Debug, Parser)]
#[command(version)]
struct Settings {
    /// The database: sqlite:…, postgres://…, mysql://… or mariadb://… (in the variable if it has a
    /// password)
    #[arg(
        long,
        env = "DATABASE_URL",
        hide_env_values = true,
        default_value = "sqlite:booking.db?mode=rwc"
    )]
    database_url: String,

    /// The address to listen on; port 0 is any free one.
    #[arg(long, env = "BOOKING_LISTEN", default_value = "127.0.0.1:3000")]
    listen: String,

    /// How long a statement waits for rows that others have locked, in whole seconds on MySQL and
    /// MariaDB; the answer is 503 then. The wait for the row of a creating command can take ten times
    /// as long. A number with a unit, such as 500ms or 1m
    #[arg(long, env = "BOOKING_LOCK_TIMEOUT", default_value = "2s", value_parser = http::duration)]
    lock_timeout: Duration,

    #[command(flatten)]
    limits: http::Limits,
}

#[tokio::main]
async fn main() -> Result<()> {
    let settings = Settings::parse();
    let filter = EnvFilter::try_from_default_env().or_else(|_| EnvFilter::try_new("info"))?;
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        // Colours are for terminals: in a file they make searching harder.
        .with_ansi(io::stderr().is_terminal())
        .with_writer(io::stderr)
        .init();

    // Before anything is opened that a signal would leave open.
    let mut signals = Signals::new()?;
    let secrets = PublicIdSecrets::new(secret::from_environment()?);
    let store = store::connect(&settings.database_url, settings.lock_timeout).await?;
    let service = Service {
        store: Arc::clone(&store),
        clock: Arc::new(SystemClock),
        invoice_ids: Arc::new(secrets.cipher()),
    };
    let listener = TcpListener::bind(&settings.listen)
        .await
        .with_context(|| format!("cannot listen on {}", settings.listen))?;
    let address = listener.local_addr()?;
    writeln!(io::stdout(), "listening on http://{address}")?;

    tokio::spawn(forget_old_commands(Arc::clone(&store)));
    let (abort, aborted) = oneshot::channel();
    let served = http::serve(
        listener,
        http::router(service),
        settings.limits,
        async move {
            signals.next().await;
            tracing::info!("stopping; another signal ends the running requests");
            tokio::spawn(async move {
                let _ = timeout(SHUTDOWN_TIMEOUT, signals.next()).await;
                let _ = abort.send(());
            });
        },
    );
    tokio::select! {
        () = served => {}
        Ok(()) = aborted => bail!("running requests were aborted"),
    }
    store.close().await;
    tracing::info!("stopped");
    Ok(())
}

/// Forgets old commands now and every day.
async fn forget_old_commands(store: Arc<dyn Store>) {
    let mut days = interval(DAY);
    loop {
        days.tick().await;
        if let Err(error) = store.forget_old_commands().await {
            let error: &dyn Error = &error;
            tracing::warn!(error, "old commands could not be forgotten");
        }
    }
}

/// The signals that end a service.
struct Signals {
    terminate: Signal,
    interrupt: Signal,
}

impl Signals {
    fn new() -> io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
        })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}
