//! The booking service as a program: settings, start, end.

use std::env;
use std::error::Error;
use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use booking_service::http::{self, Service};
use booking_service::store::{self, Store};
use clap::Parser;
use rowkey::generate::SystemClock;
use rowkey::public_id::{PublicIdSecret, PublicIdSecrets};
use tokio::net::TcpListener;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::oneshot;
use tokio::time::{interval, timeout};
use tracing_subscriber::EnvFilter;
use zeroize::Zeroizing;

const PUBLIC_ID_KEY: &str = "BOOKING_PUBLIC_ID_KEY";
const PUBLIC_ID_KEY_FILE: &str = "BOOKING_PUBLIC_ID_KEY_FILE";

/// How long requests may still run after a signal. A client that never sends the rest of its request
/// would keep the service running.
const PATIENCE: Duration = Duration::from_secs(10);

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// A booking service with typed keys.
///
/// The key of the invoices' public ids, 32 random bytes in base64, is taken from the variable
/// BOOKING_PUBLIC_ID_KEY or from the file that BOOKING_PUBLIC_ID_KEY_FILE names. RUST_LOG says what
/// is logged.
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
    /// MariaDB; the answer is 503 then. What remembers creating commands is waited for up to ten times.
    /// A number with a unit, such as 500ms or 1m
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
        // Colours are for terminals: in a file they are in the way of whoever searches it.
        .with_ansi(io::stderr().is_terminal())
        .with_writer(io::stderr)
        .init();

    // Before anything is open that a signal would leave behind.
    let mut signals = Signals::new()?;
    let secrets = PublicIdSecrets::new(public_id_secret()?);
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
    let (give_up, given_up) = oneshot::channel();
    let served = http::serve(
        listener,
        http::router(service),
        settings.limits,
        async move {
            signals.next().await;
            tracing::info!("stopping; another signal ends the requests that still run");
            tokio::spawn(async move {
                let _ = timeout(PATIENCE, signals.next()).await;
                let _ = give_up.send(());
            });
        },
    );
    tokio::select! {
        () = served => {}
        Ok(()) = given_up => bail!("requests that still ran were given up"),
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
            tracing::warn!(error, "old commands are still remembered");
        }
    }
}

/// The secret of public ids that the environment has.
fn public_id_secret() -> Result<PublicIdSecret> {
    let is_set = |name| env::var_os(name).is_some();
    match (is_set(PUBLIC_ID_KEY), env::var_os(PUBLIC_ID_KEY_FILE)) {
        (true, Some(_)) => bail!("{PUBLIC_ID_KEY} and {PUBLIC_ID_KEY_FILE} are both set"),
        (true, None) => PublicIdSecret::from_env(PUBLIC_ID_KEY).context(PUBLIC_ID_KEY),
        (false, Some(path)) => secret_in_file(path.as_ref()).context(PUBLIC_ID_KEY_FILE),
        (false, None) => {
            tracing::warn!(
                "neither {PUBLIC_ID_KEY} nor {PUBLIC_ID_KEY_FILE} is set: public ids are others \
                 after the next start"
            );
            let mut secret = [0; 32];
            getrandom::fill(&mut secret)
                .context("there is no randomness for the secret of public ids")?;
            Ok(PublicIdSecret::from_bytes(&secret)?)
        }
    }
}

/// The secret in a file. Its text is overwritten once it has been read.
fn secret_in_file(path: &Path) -> Result<PublicIdSecret> {
    let text = fs::read_to_string(path)
        .map(Zeroizing::new)
        .with_context(|| format!("{} cannot be read", path.display()))?;
    Ok(PublicIdSecret::from_base64(&text)?)
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
