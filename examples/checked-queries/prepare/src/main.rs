//! Describes the queries of `checked-queries` with databases and stores the results in its `.sqlx`:
//! `cargo xtask prepare`.
//!
//! Each database gets the tables of `migrations`, and the modules of that database are compiled
//! against it. With `--check` nothing is written, and results that differ from `.sqlx` are an
//! error.

use std::collections::BTreeMap;
use std::env;
use std::fs::{self, File};
use std::path::Path;
use std::process::{self, Command};
use std::time::SystemTime;

use anyhow::{Context, Result, bail, ensure};
use rowkey_testkit::{Backend, Search, Server, test_name, url_variable};
use sqlx::migrate::Migrator;
use sqlx::mysql::MySqlConnectOptions;
use sqlx::{
    AssertSqlSafe, ConnectOptions, Connection, Executor, MySqlConnection, PgConnection,
    SqliteConnection, query_scalar,
};

/// The crate with the queries.
const CRATE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// The database of MySQL's queries. Its name is part of the results.
const MYSQL_DATABASE: &str = "rowkey_checked_queries";

/// Marks that database as one that may be dropped, because a killed run leaves it behind.
const MYSQL_COMMENT: &str = "made by cargo xtask prepare";

/// The files of `.sqlx`, by their names.
type Answers = BTreeMap<String, String>;

fn main() -> Result<()> {
    let is_check = match &env::args().skip(1).collect::<Vec<_>>()[..] {
        [] => false,
        [argument] if argument == "--check" => true,
        arguments => bail!("expected nothing or `--check`, found {arguments:?}"),
    };

    let mut answers = Answers::new();
    // Preparing takes long, so missing settings are reported first.
    let servers = [server(Backend::Postgres)?, server(Backend::Sqlite)?];
    server(Backend::MariaDb)?;
    let mariadb = url_variable(Backend::MariaDb).context("MariaDB has an address")?;
    let mariadb = env::var(mariadb).context(mariadb)?;

    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        for server in servers {
            let database = server.create_database()?;
            ask(server.backend(), database.url(), &mut answers).await?;
        }
        ask_mariadb(&mariadb, &mut answers).await
    })?;

    let kept = Path::new(CRATE).join(".sqlx");
    if is_check {
        let is_kept = kept.try_exists()? && answers == read(&kept)?;
        ensure!(
            is_kept,
            "{} is out of date: run `cargo xtask prepare`",
            kept.display()
        );
    } else {
        write(&kept, &answers).with_context(|| format!("could not write {}", kept.display()))?;
    }
    println!("{} checked queries", answers.len());
    Ok(())
}

fn server(backend: Backend) -> Result<Server> {
    match Server::find(backend)? {
        Search::Found(server) => Ok(server),
        Search::Missing(reason) | Search::Required(reason) => bail!("{reason}"),
    }
}

/// Prepares the queries for MySQL and MariaDB on MariaDB. The database always has the same name, so
/// only one run at a time can use a server.
async fn ask_mariadb(url: &str, answers: &mut Answers) -> Result<()> {
    let options: MySqlConnectOptions = url.parse()?;
    let mut server = MySqlConnection::connect_with(&options).await?;

    // The server releases it when the connection ends.
    let is_alone: Option<i32> = query_scalar("SELECT GET_LOCK(?, 0)")
        .bind(MYSQL_DATABASE)
        .fetch_one(&mut server)
        .await?;
    ensure!(
        is_alone == Some(1),
        "another `cargo xtask prepare` uses the database {MYSQL_DATABASE} of this server"
    );
    let comment: Option<String> = query_scalar(
        "SELECT schema_comment FROM information_schema.schemata WHERE schema_name = ?",
    )
    .bind(MYSQL_DATABASE)
    .fetch_optional(&mut server)
    .await?;
    ensure!(
        comment.is_none_or(|comment| comment == MYSQL_COMMENT),
        "the server has a database {MYSQL_DATABASE} that `cargo xtask prepare` did not make: \
         drop it, or use another server"
    );

    let removal = || AssertSqlSafe(format!("DROP DATABASE IF EXISTS {MYSQL_DATABASE}"));
    server.execute(removal()).await?;
    let creation = format!("CREATE DATABASE {MYSQL_DATABASE} COMMENT '{MYSQL_COMMENT}'");
    server.execute(AssertSqlSafe(creation)).await?;
    let url = options.database(MYSQL_DATABASE).to_url_lossy();
    let outcome = ask(Backend::MariaDb, url.as_str(), answers).await;
    server.execute(removal()).await?;
    outcome
}

/// Creates the tables in a database and compiles its queries against it.
async fn ask(backend: Backend, url: &str, answers: &mut Answers) -> Result<()> {
    let migrations = Path::new(CRATE).join("../../migrations");
    let migrator = Migrator::new(migrations.join(test_name(backend))).await?;
    let feature = match backend {
        Backend::Postgres => {
            migrator.run(&mut PgConnection::connect(url).await?).await?;
            "postgres"
        }
        Backend::Sqlite => {
            migrator
                .run(&mut SqliteConnection::connect(url).await?)
                .await?;
            "sqlite"
        }
        _ => {
            migrator
                .run(&mut MySqlConnection::connect(url).await?)
                .await?;
            "mysql"
        }
    };
    for (file, answer) in compile(feature, url)? {
        ensure!(
            answers.insert(file, answer).is_none(),
            "there is a query for {backend} with the text of one for another database"
        );
    }
    Ok(())
}

/// Compiles one module against a database and returns the results.
fn compile(feature: &str, url: &str) -> Result<Answers> {
    let answers = env::temp_dir().join(format!("rowkey_checked_queries_{}", process::id()));
    fs::create_dir_all(&answers)?;
    touch()?;
    let status = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["check", "--quiet", "--no-default-features", "--features"])
        .arg(feature)
        .arg("--manifest-path")
        .arg(Path::new(CRATE).join("Cargo.toml"))
        .env("DATABASE_URL", url)
        .env("SQLX_OFFLINE", "false")
        .env("SQLX_OFFLINE_DIR", &answers)
        .status();
    let found = read(&answers);
    fs::remove_dir_all(&answers)?;
    // The next build must read `.sqlx` again.
    touch()?;
    ensure!(status?.success(), "the module `{feature}` does not compile");
    found
}

/// Makes cargo recompile the queries: it does not know which other files sqlx's macros read.
fn touch() -> Result<()> {
    let source = Path::new(CRATE).join("src/lib.rs");
    let source = File::options().append(true).open(source)?;
    Ok(source.set_modified(SystemTime::now())?)
}

/// Makes a folder contain exactly these files.
fn write(folder: &Path, files: &Answers) -> Result<()> {
    if folder.try_exists()? {
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir(folder)?;
    for (name, text) in files {
        fs::write(folder.join(name), text)?;
    }
    Ok(())
}

fn read(folder: &Path) -> Result<Answers> {
    let entries = fs::read_dir(folder).with_context(|| format!("no {}", folder.display()))?;
    entries
        .map(|entry| {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            Ok((name, fs::read_to_string(entry.path())?))
        })
        .collect()
}
