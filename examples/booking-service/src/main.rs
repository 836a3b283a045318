//! The booking service as a program: settings, start, end.

use std::env;
use std::error::Error;
use std::io::{self, IsTerminal, Write};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use booking_service::http::{self, Service};
use booking_service::store::{self, Store};
use clap::Parser;
use rowkey::generate::SystemClock;
use rowkey::public_id::{PublicIdSecret, PublicIdSecrets};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::oneshot;
use tokio::time::{interval, sleep};
use tracing_subscriber::EnvFilter;

/// How long requests may still run after a signal. Otherwise a client that never sends the rest of
/// its request would keep the service running.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(10);

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// The variable with the secret of public ids.
const SECRET: &str = "BOOKING_PUBLIC_ID_KEY";

/// A booking service with typed keys.
///
/// The secret of the invoices' public ids, 32 random bytes in base64, is taken from the variable
/// BOOKING_PUBLIC_ID_KEY. RUST_LOG sets the log level.
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
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let secrets = PublicIdSecrets::new(secret()?);
    let store = store::connect(&settings.database_url).await?;
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
    let (stop, stopped) = oneshot::channel::<()>();
    let served = axum::serve(listener, http::router(service)).with_graceful_shutdown(async {
        let _ = stopped.await;
    });
    let aborted = async {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        tracing::info!("stopping");
        drop(stop);
        sleep(SHUTDOWN_TIMEOUT).await;
    };
    tokio::select! {
        served = served => served?,
        () = aborted => bail!("running requests were aborted"),
    }
    store.close().await;
    tracing::info!("stopped");
    Ok(())
}

/// The secret of public ids, or a random one.
fn secret() -> Result<PublicIdSecret> {
    if env::var_os(SECRET).is_some() {
        return PublicIdSecret::from_env(SECRET).context(SECRET);
    }
    tracing::warn!("{SECRET} is not set: public ids will change at the next start");
    let mut secret = [0; 32];
    getrandom::fill(&mut secret).context("cannot generate the secret of public ids")?;
    Ok(PublicIdSecret::from_bytes(&secret)?)
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
