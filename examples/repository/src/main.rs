//! Demonstrates the repository on a database.
//!
//! Run it with `cargo run -p repository`, optionally followed by the URL of a database.

use std::env;
use std::error::Error;
use std::ffi::OsString;
use std::io;
use std::process::ExitCode;

const USAGE: &str = "\
Usage: repository [URL]

The URL of a database, such as postgres://user@host/name, mysql://user@host/name,
mariadb://user@host/name or sqlite:customers.db?mode=rwc. For SQL Server, a connection string, such
as 'server=host;user=user;password=secret;database=name'. Without an argument, DATABASE_URL is used, and
without that, an SQLite database in memory. Its tables are created if they are missing.
";

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let mut arguments = env::args_os().skip(1);
    let url = match (arguments.next(), arguments.next()) {
        (Some(option), None) if option == "--help" || option == "-h" => {
            print!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        (Some(option), None) if option.as_encoded_bytes().starts_with(b"-") => {
            let option = option.display();
            eprint!("error: unknown option `{option}`\n\n{USAGE}");
            return ExitCode::from(2);
        }
        (url, None) => url,
        (_, Some(_)) => {
            eprint!("error: expected at most one argument\n\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match run(url).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(url: Option<OsString>) -> Result<(), Box<dyn Error>> {
    let url = url
        .or_else(|| env::var_os("DATABASE_URL").filter(|url| !url.is_empty()))
        .unwrap_or_else(|| "sqlite::memory:".into());
    let url = url.to_str().ok_or("the database URL is not UTF-8")?;
    // A URL begins with a scheme, a connection string with the name of a setting.
    let repository = match url.find([':', '=']) {
        Some(position) if url[position..].starts_with('=') => {
            repository::tiberius::connect(url).await?
        }
        _ => repository::sqlx::connect(url).await?,
    };
    repository::tour(&*repository, &mut io::stdout()).await
}
