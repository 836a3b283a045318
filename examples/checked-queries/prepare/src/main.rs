//! Describes the queries of the neighbouring crates with databases and stores the results in their
//! `.sqlx`: `cargo xtask prepare`.
//!
//! Each database gets the tables of `migrations`, and the modules of that database are compiled
//! against it. With `--check` nothing is written, and results that differ from `.sqlx` are an
//! error.

use std::collections::BTreeMap;
use std::env;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
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

/// The crate that the others depend on.
const SHOP: &str = "shop";

const CRATES: [&str; 3] = [SHOP, "in-config", "in-sql"];

/// The database of MySQL's queries. Its name is part of the results, and of `sqlx.toml`.
const MYSQL_DATABASE: &str = "rowkey_checked_queries";

/// Marks that database as one that may be dropped, because a killed run leaves it behind.
const MYSQL_COMMENT: &str = "made by cargo xtask prepare";

/// For each crate the files of its `.sqlx`, by their names.
type Answers = BTreeMap<&'static str, BTreeMap<String, String>>;

fn main() -> Result<()> {
    let is_check = match &env::args().skip(1).collect::<Vec<_>>()[..] {
        [] => false,
        [argument] if argument == "--check" => true,
        arguments => bail!("expected nothing or `--check`, found {arguments:?}"),
    };

    let mut answers = Answers::from(CRATES.map(|name| (name, BTreeMap::new())));
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

    for (name, answers) in answers {
        let kept = folder(name).join(".sqlx");
        if is_check {
            let is_kept = kept.try_exists()? && answers == read(&kept)?;
            ensure!(
                is_kept,
                "{} is out of date: run `cargo xtask prepare`",
                kept.display()
            );
        } else {
            write(&kept, &answers)
                .with_context(|| format!("could not write {}", kept.display()))?;
        }
        println!("{name}: {} checked queries", answers.len());
    }
    Ok(())
}

fn server(backend: Backend) -> Result<Server> {
    match Server::find(backend)? {
        Search::Found(server) => Ok(server),
        Search::Missing(reason) | Search::Required(reason) => bail!("{reason}"),
    }
}

/// Prepares the queries for MySQL and MariaDB on MariaDB. The database always has the same name, so only
/// one run at a time can use a server.
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
    let migrations = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../migrations");
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
    for name in CRATES {
        let mut found = compile(name, feature, url)?;
        if name != SHOP {
            // Cargo may have compiled the shop again.
            found.retain(|file, _| !answers[SHOP].contains_key(file));
        }
        let answers = answers.entry(name).or_default();
        for (file, answer) in found {
            ensure!(
                answers.insert(file, answer).is_none(),
                "{name} has a query for {backend} with the text of one for another database"
            );
        }
    }
    Ok(())
}

/// Compiles one module of a crate against a database and returns the results.
fn compile(name: &str, feature: &str, url: &str) -> Result<BTreeMap<String, String>> {
    let answers = env::temp_dir().join(format!("rowkey_checked_queries_{}", process::id()));
    fs::create_dir_all(&answers)?;
    touch(name)?;
    let status = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["check", "--quiet", "--no-default-features", "--features"])
        .arg(feature)
        .arg("--manifest-path")
        .arg(folder(name).join("Cargo.toml"))
        .env("DATABASE_URL", url)
        .env("SQLX_OFFLINE", "false")
        .env("SQLX_OFFLINE_DIR", &answers)
        .status();
    let found = read(&answers);
    fs::remove_dir_all(&answers)?;
    // The next build must read `.sqlx` again.
    touch(name)?;
    ensure!(
        status?.success(),
        "the module `{feature}` of {name} does not compile"
    );
    found
}

/// Makes cargo recompile a crate: it does not know which other files sqlx's macros read.
fn touch(name: &str) -> Result<()> {
    let source = folder(name).join("src/lib.rs");
    let source = File::options().append(true).open(source)?;
    Ok(source.set_modified(SystemTime::now())?)
}

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name(name)
}

/// Makes a folder contain exactly these files.
fn write(folder: &Path, files: &BTreeMap<String, String>) -> Result<()> {
    if folder.try_exists()? {
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir(folder)?;
    for (name, text) in files {
        fs::write(folder.join(name), text)?;
    }
    Ok(())
}

fn read(folder: &Path) -> Result<BTreeMap<String, String>> {
    let entries = fs::read_dir(folder).with_context(|| format!("no {}", folder.display()))?;
    entries
        .map(|entry| {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            Ok((name, fs::read_to_string(entry.path())?))
        })
        .collect()
}
