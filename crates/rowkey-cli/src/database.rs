//! Connections to databases, for the commands that need one.

use std::env;
use std::future::Future;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use rowkey_tables::{Address, Connection, Error, Progress, Step};
use tokio::runtime::Builder;
use tokio::time::timeout;

use crate::failure::Failure;
use crate::secret_file::SecretFile;

/// How long connecting may take. A server of another protocol may wait for the client to begin,
/// which waits for the server.
const PATIENCE: Duration = Duration::from_secs(30);

const SECRET: SecretFile = SecretFile {
    content: "the address of the database",
    limit: "an address is shorter",
    elsewhere: "give the address in the variable ROWKEY_URL or ROWKEY_TARGET_URL",
};

/// Where the database is.
#[derive(Debug, Args)]
pub(crate) struct Database {
    /// The address, without a password: postgres://user@host/database
    ///
    /// mysql: and mariadb: likewise, sqlite:FILE, or SQL Server's connection string with `server=`.
    /// An address with a password goes into the variable ROWKEY_URL or into a file, because other
    /// users can see command lines. For a copy from Parquet files, parquet:FOLDER, if the command
    /// was built with the feature `parquet`.
    #[arg(long, conflicts_with = "url_file")]
    url: Option<String>,

    /// A file that contains only the address, which may have a password
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    url_file: Option<PathBuf>,
}

impl Database {
    /// The address on the command line, which has no password once [`address`](Self::address) has
    /// accepted it.
    pub(crate) fn option(&self) -> Option<&str> {
        self.url.as_deref()
    }

    /// The address from the option, the file or the environment.
    pub(crate) fn address(&self) -> Result<Address, Failure> {
        let found = address(SOURCE, self.url.as_deref(), self.url_file.as_deref())?;
        found.ok_or_else(|| {
            Failure::wrong_usage(
                "no database is named",
                "give --url, --url-file or the variable ROWKEY_URL",
            )
        })
    }

    /// The folder of files that is named instead.
    #[cfg(feature = "parquet")]
    pub(crate) fn folder(&self) -> Option<PathBuf> {
        folder(SOURCE, self.url.as_deref(), self.url_file.as_deref())
    }

    /// Connects, and does something with the connection.
    pub(crate) fn with<T>(
        &self,
        work: impl AsyncFnOnce(&mut Connection) -> Result<T, Error>,
    ) -> Result<T, Failure> {
        with(&self.address()?, work)
    }
}

/// The database that a copy writes.
#[derive(Debug, Args)]
pub(crate) struct Target {
    /// The address of the database to copy to, without a password
    ///
    /// An address with a password goes into the variable ROWKEY_TARGET_URL or into a file.
    /// parquet:FOLDER for Parquet files, if the command was built with the feature `parquet`.
    #[arg(long, value_name = "URL", conflicts_with = "target_file")]
    target: Option<String>,

    /// A file that contains only the address of the database to copy to
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    target_file: Option<PathBuf>,
}

impl Target {
    fn address(&self) -> Result<Address, Failure> {
        let found = address(TARGET, self.target.as_deref(), self.target_file.as_deref())?;
        found.ok_or_else(|| {
            Failure::wrong_usage(
                "no database to copy to is named",
                "give --target, --target-file or the variable ROWKEY_TARGET_URL",
            )
        })
    }

    /// The folder of files that is named instead.
    #[cfg(feature = "parquet")]
    pub(crate) fn folder(&self) -> Option<PathBuf> {
        folder(TARGET, self.target.as_deref(), self.target_file.as_deref())
    }

    /// Connects, and does something with the connection.
    #[cfg(feature = "parquet")]
    pub(crate) fn with<T>(
        &self,
        work: impl AsyncFnOnce(&mut Connection) -> Result<T, Error>,
    ) -> Result<T, Failure> {
        with(&self.address()?, work)
    }
}

fn with<T>(
    address: &Address,
    work: impl AsyncFnOnce(&mut Connection) -> Result<T, Error>,
) -> Result<T, Failure> {
    block_on(1, async {
        let mut connection = open(address, PATIENCE).await?;
        work(&mut connection).await
    })
}

async fn open(address: &Address, patience: Duration) -> Result<Connection, Error> {
    let opened = timeout(patience, Connection::open(address)).await;
    opened.unwrap_or_else(|_| {
        Err(Error::refused(
            format!("connecting to {address}"),
            format!("the server has not answered within {patience:?}"),
            format!(
                "check the host and the port: a server that speaks the protocol of {} has to be there, and \
                 reachable",
                address.protocol().backend()
            ),
        ))
    })
}

/// Connects to two databases, and does something with both connections.
pub(crate) fn with_both<T>(
    source: &Database,
    target: &Target,
    work: impl AsyncFnOnce(&mut Connection, &mut Connection) -> Result<T, Error>,
) -> Result<T, Failure> {
    with_both_in(1, source, target, work)
}

/// Connects to two databases, and does something with both connections that may use some threads.
pub(crate) fn with_both_in<T>(
    threads: u32,
    source: &Database,
    target: &Target,
    work: impl AsyncFnOnce(&mut Connection, &mut Connection) -> Result<T, Error>,
) -> Result<T, Failure> {
    let (source, target) = (source.address()?, target.address()?);
    if source == target {
        return Err(Failure::wrong_usage(
            "both addresses are the same",
            "give the address of another database to copy to",
        ));
    }
    block_on(threads, async {
        let mut source = open(&source, PATIENCE).await?;
        let mut target = open(&target, PATIENCE).await?;
        work(&mut source, &mut target).await
    })
}

/// The names of the places that an address can be in.
#[derive(Clone, Copy)]
struct Places {
    variable: &'static str,
    file: &'static str,
}

const SOURCE: Places = Places {
    variable: "ROWKEY_URL",
    file: "--url-file",
};

const TARGET: Places = Places {
    variable: "ROWKEY_TARGET_URL",
    file: "--target-file",
};

/// The folder of an address like `parquet:FOLDER`, from an option or the environment.
#[cfg(feature = "parquet")]
fn folder(places: Places, option: Option<&str>, file: Option<&Path>) -> Option<PathBuf> {
    let variable = match (option, file) {
        (None, None) => env::var(places.variable).ok(),
        _ => None,
    };
    let folder = option.or(variable.as_deref())?.strip_prefix("parquet:")?;
    (!folder.is_empty()).then(|| folder.into())
}

/// The address from an option, a file or the environment.
fn address(
    places: Places,
    option: Option<&str>,
    file: Option<&Path>,
) -> Result<Option<Address>, Failure> {
    let Places {
        variable,
        file: file_option,
    } = places;
    if let Some(url) = option {
        let address: Address = url.parse().map_err(Failure::from)?;
        return match address.has_password() {
            false => Ok(Some(address)),
            true => Err(Failure::wrong_usage(
                "the address on the command line has a password, which other users can see",
                format!(
                    "put the address into the variable {variable}, or into a file for {file_option}"
                ),
            )),
        };
    }
    if let Some(path) = file {
        let text = SECRET
            .read(path)
            .map_err(|failure| failure.at(file_option))?;
        return text.parse().map(Some).map_err(Failure::from);
    }
    match env::var(variable) {
        Ok(url) => {
            let address = url.parse().map(Some);
            address.map_err(|error| Failure::from(error).at(variable))
        }
        Err(env::VarError::NotUnicode(_)) => Err(Failure::bad_input(
            format_args!("the value of the variable {variable} is not text"),
            "it is the address of a database",
        )),
        Err(env::VarError::NotPresent) => Ok(None),
    }
}

/// Runs a future to its end, or until it is interrupted. Dropping it closes its connections, so
/// that servers take open transactions back.
fn block_on<T>(threads: u32, work: impl Future<Output = Result<T, Error>>) -> Result<T, Failure> {
    let mut runtime = match threads {
        1 => Builder::new_current_thread(),
        _ => Builder::new_multi_thread(),
    };
    let runtime = runtime
        .enable_all()
        .build()
        .map_err(|error| Failure::bad_input(error, "the system refuses it"))?;
    runtime.block_on(async {
        tokio::select! {
            outcome = work => outcome.map_err(Failure::from),
            _ = tokio::signal::ctrl_c() => Err(Failure::interrupted()),
        }
    })
}

/// Reads a file that the user names.
pub(crate) fn read_file(path: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(path).map_err(|error| {
        Failure::bad_input(
            format_args!("the file {} cannot be read: {error}", path.display()),
            "name an existing file",
        )
    })
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let hint = match &error {
            Error::Core(error) => return error.clone().into(),
            Error::Address { .. } => "an address looks like postgres://user@host:5432/database",
            Error::NoDriver(_) => "build rowkey-cli with its feature `databases`",
            Error::Unreachable { .. } => "check the address, the server and the login",
            Error::Database { .. } => {
                "the end of the message is the database's own: look at the value, the name or the \
                 privilege in it; the same command can then be repeated"
            }
            Error::Missing { .. } => "`rowkey inventory` shows the tables and columns",
            Error::Plan(_) => "`rowkey plan` writes a plan",
            Error::Differs { .. } => "nothing was lost: `rowkey verify` shows the differences",
            _ => "see the message",
        };
        let hint = match error {
            Error::Refused { what, why, instead } => {
                let message = in_one_line(&format!("{what}: {why}"));
                return Failure::bad_input(message, in_one_line(&instead));
            }
            _ => hint,
        };
        Failure::bad_input(in_one_line(&with_sources(&error)), hint)
    }
}

/// A message with a list of reasons, for the one line of an error.
fn in_one_line(text: &str) -> String {
    text.split('\n')
        .map(str::trim)
        .collect::<Vec<_>>()
        .join(" ")
        .trim()
        .to_owned()
}

/// The message of an error and those of its sources that it does not contain.
fn with_sources(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut link = error.source();
    while let Some(source) = link {
        let message = source.to_string();
        // PostgreSQL's driver adds a line of the server's own source.
        let words = message.split(" at line ").next().unwrap_or(&message);
        if !text.contains(words) {
            text = format!("{text}: {message}");
        }
        link = source.source();
    }
    text
}

/// Shows steps on standard error: a bar on a terminal, otherwise a line for each step, in JSON if
/// the answer is.
pub(crate) fn progress(json: bool) -> Box<dyn Progress> {
    if !std::io::stderr().is_terminal() {
        return Box::new(move |step: Step| Lines { json }.show(&step));
    }
    let bar = ProgressBar::new_spinner();
    bar.enable_steady_tick(Duration::from_millis(100));
    Box::new(move |step: Step| show(&bar, step))
}

fn show(bar: &ProgressBar, step: Step) {
    match step {
        Step::Rows {
            table,
            done,
            expected,
        } => {
            let template = match expected {
                Some(_) => "{msg} {bar:30} {human_pos} of {human_len}, {per_sec}, {eta}",
                None => "{msg} {spinner} {human_pos}, {per_sec}",
            };
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style);
            }
            if let Some(expected) = expected {
                bar.set_length(expected.max(done));
            }
            bar.set_message(table);
            bar.set_position(done);
        }
        step => bar.suspend(|| eprintln!("{step}")),
    }
}

/// Steps as lines.
struct Lines {
    json: bool,
}

impl Lines {
    fn show(&self, step: &Step) {
        match (self.json, step) {
            (false, step) => eprintln!("{step}"),
            (
                true,
                Step::Rows {
                    table,
                    done,
                    expected,
                },
            ) => {
                let line =
                    serde_json::json!({ "table": table, "rows": done, "expected": expected });
                eprintln!("{line}");
            }
            (true, step) => eprintln!("{}", serde_json::json!({ "step": step.to_string() })),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn a_silent_server_is_given_up() {
        let silent = TcpListener::bind("127.0.0.1:0").unwrap();
        let place = silent.local_addr().unwrap();
        for (scheme, protocol) in [("postgres", "PostgreSQL"), ("mysql", "MySQL")] {
            let address: Address = format!("{scheme}://u:secret@{place}/d").parse().unwrap();
            let patience = Duration::from_millis(50);
            let opened = block_on(1, async { open(&address, patience).await.map(drop) });
            let failure = format!("{:?}", opened.unwrap_err());
            let shown = format!("{scheme}://u@{place}/d: the server has not answered within 50ms");
            assert!(
                failure.contains(&shown) && failure.contains(protocol),
                "{failure}"
            );
            assert!(!failure.contains("secret"), "{failure}");
        }
    }
}
