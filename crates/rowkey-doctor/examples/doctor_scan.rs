//! How fast `doctor` reads a whole column, against a plain streamed SELECT of it through the same
//! driver, and how much memory it takes for ten times the rows.
//!
//! ```console
//! $ cargo run --release -p rowkey-doctor --features postgres,mysql --example doctor_scan -- URL [ROWS]
//! ```
//!
//! It makes the table `rowkey_doctor_scan` in the database of the address, and drops it at the end.
//! Both scans take turns, each of them being the first in every other round; the ratio of a round
//! is the time of the SELECT by that of the doctor. The memory is the peak of a process that does
//! nothing else.

use std::env;
use std::hint::black_box;
use std::process::Command;
use std::str::FromStr;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use futures_util::TryStreamExt;
use rowkey_core::Backend;
use rowkey_doctor::{Request, examine};
use rowkey_tables::{Address, Connection, Silent};
use sqlx::ConnectOptions;
#[cfg(feature = "sqlite")]
use sqlx::Connection as _;
use sqlx::types::Uuid;

const TABLE: &str = "rowkey_doctor_scan";
const ROWS: u64 = 1_000_000;
const ROUNDS: usize = 9;

/// Asks a process to do one scan and to print its peak of memory.
const ONLY_SCAN: &str = "only-scan";

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let mut arguments = env::args().skip(1);
    let url = arguments.next().context("the address of a database")?;
    let number = arguments.next();
    let mut connection = Connection::open(&url.parse::<Address>()?).await?;
    if number.as_deref() == Some(ONLY_SCAN) {
        scan(&mut connection).await?;
        println!("{}", peak_memory()?);
        return Ok(());
    }
    let rows = number.map_or(Ok(ROWS), |number| number.parse())?;
    let outcome = measure(&mut connection, &url, rows).await;
    connection
        .execute(
            "dropping the table",
            &format!("DROP TABLE IF EXISTS {TABLE}"),
        )
        .await?;
    outcome
}

async fn measure(connection: &mut Connection, url: &str, rows: u64) -> Result<()> {
    create(connection).await?;
    fill(connection, 0, rows).await?;
    println!(
        "{} {}, {rows} rows",
        connection.backend(),
        connection.version()
    );
    let mut plain = Plain::open(url).await?;
    plain.scan().await?;
    scan(connection).await?;
    let mut ratios = Vec::new();
    for round in 0..ROUNDS {
        let (of_plain, of_doctor) = match round % 2 {
            0 => (plain.scan().await?, scan(connection).await?),
            _ => {
                let of_doctor = scan(connection).await?;
                (plain.scan().await?, of_doctor)
            }
        };
        ratios.push(of_plain.as_secs_f64() / of_doctor.as_secs_f64());
        println!("SELECT {of_plain:7.1?}, doctor {of_doctor:7.1?}");
    }
    ratios.sort_by(f64::total_cmp);
    println!(
        "speed of the doctor: {:.2} of the SELECT's, the median of {ROUNDS}",
        ratios[ROUNDS / 2]
    );

    println!("peak memory at {rows} rows: {}", memory_of_scan(url)?);
    fill(connection, rows, 10 * rows).await?;
    println!(
        "peak memory at {} rows: {}",
        10 * rows,
        memory_of_scan(url)?
    );
    Ok(())
}

async fn create(connection: &mut Connection) -> Result<()> {
    let sql_type = match connection.backend() {
        Backend::Postgres => "uuid",
        Backend::Sqlite => "BLOB",
        _ => "BINARY(16)",
    };
    let table = format!(
        "DROP TABLE IF EXISTS {TABLE}; CREATE TABLE {TABLE} (id {sql_type} PRIMARY KEY, title varchar(60))"
    );
    connection.execute("the table", &table).await?;
    Ok(())
}

/// Random UUIDs, which the doctor has to look at most closely.
async fn fill(connection: &mut Connection, from: u64, to: u64) -> Result<()> {
    const BATCH: u64 = 1_000;
    let (begin, end) = match connection.backend() {
        Backend::Postgres => ("'", "'"),
        _ => ("X'", "'"),
    };
    connection.execute("filling the table", "BEGIN").await?;
    for first in (from..to).step_by(BATCH as usize) {
        let rows = (first..to.min(first + BATCH)).map(|number| {
            let random = mixed(2 * number) as u128 | u128::from(mixed(2 * number + 1)) << 64;
            let id = random & !(0xf000 << 64) & !(3 << 126 >> 64) | 0x4000 << 64 | 2 << 62;
            format!("({begin}{id:032x}{end},'an offer with a title of some length')")
        });
        let rows: Vec<String> = rows.collect();
        let insert = format!("INSERT INTO {TABLE} VALUES {}", rows.join(","));
        connection.execute("filling the table", &insert).await?;
    }
    connection.execute("filling the table", "COMMIT").await?;
    Ok(())
}

/// The numbers in a random order: SplitMix64.
fn mixed(number: u64) -> u64 {
    let mixed = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

async fn scan(connection: &mut Connection) -> Result<Duration> {
    let request = Request {
        full: true,
        ..Request::new(TABLE, "id")
    };
    let start = Instant::now();
    let report = examine(connection, &request, &mut Silent).await?;
    ensure!(report.sampled == report.rows && report.rows > 0, "{report}");
    Ok(start.elapsed())
}

/// sqlx without anything around it.
enum Plain {
    #[cfg(feature = "postgres")]
    Postgres(sqlx::PgConnection),
    #[cfg(feature = "mysql")]
    MySql(sqlx::MySqlConnection),
    #[cfg(feature = "sqlite")]
    Sqlite(sqlx::SqliteConnection),
}

/// Reads every id, as a program would.
macro_rules! read_all {
    ($connection:expr) => {{
        let query = sqlx::AssertSqlSafe(format!("SELECT id FROM {TABLE}"));
        let mut ids = sqlx::query_scalar::<_, Uuid>(query).fetch($connection);
        while let Some(id) = ids.try_next().await? {
            black_box(id);
        }
    }};
}

impl Plain {
    async fn open(url: &str) -> Result<Self> {
        Ok(match url.split(':').next() {
            #[cfg(feature = "postgres")]
            Some("postgres" | "postgresql") => {
                let options = sqlx::postgres::PgConnectOptions::from_str(url)?;
                Self::Postgres(options.disable_statement_logging().connect().await?)
            }
            #[cfg(feature = "mysql")]
            Some("mysql" | "mariadb") => {
                let options = sqlx::mysql::MySqlConnectOptions::from_str(url)?;
                Self::MySql(options.disable_statement_logging().connect().await?)
            }
            #[cfg(feature = "sqlite")]
            Some("sqlite") => Self::Sqlite(sqlx::SqliteConnection::connect(url).await?),
            other => anyhow::bail!("no driver of sqlx for {other:?} in this program"),
        })
    }

    async fn scan(&mut self) -> Result<Duration> {
        let start = Instant::now();
        match self {
            #[cfg(feature = "postgres")]
            Self::Postgres(connection) => read_all!(connection),
            #[cfg(feature = "mysql")]
            Self::MySql(connection) => read_all!(connection),
            #[cfg(feature = "sqlite")]
            Self::Sqlite(connection) => read_all!(connection),
        }
        Ok(start.elapsed())
    }
}

/// The peak of memory of a process that scans.
fn memory_of_scan(url: &str) -> Result<String> {
    let output = Command::new(env::current_exe()?)
        .args([url, ONLY_SCAN])
        .output()?;
    ensure!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(String::from_utf8(output.stdout)?.trim().to_owned())
}

/// As Linux counts it.
fn peak_memory() -> Result<String> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    Ok(line
        .context("Linux counts the peak of memory")?
        .trim()
        .to_owned())
}
