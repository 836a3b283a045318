//! The table that is copied: ten columns, two of them ids whose bytes are exchanged on the way.

use anyhow::{Context, Result, ensure};
use rowkey_core::Backend;
use rowkey_core::format::FormatKind;
use rowkey_sql::StoredForm;
use rowkey_tables::Connection;
use sqlx::postgres::PgPoolCopyExt;
use sqlx::{AssertSqlSafe, ConnectOptions, Connection as _, MySqlConnection, PgPool};

pub(crate) const TABLE: &str = "booking";
/// The format of the ids.
pub(crate) const FORMAT: &str = "prefix-comb";
const MYSQL_FORM: &str = "uuid:suffix";
const POSTGRES_FORM: &str = "uuid:public";

/// The definitions of the columns, without those of ids.
const MYSQL_COLUMNS: &str = "number bigint NOT NULL, quantity int NOT NULL, price decimal(12,2) NOT NULL, \
    weight double NOT NULL, is_open tinyint(1) NOT NULL, \
    title varchar(80) CHARACTER SET utf8mb4 NOT NULL, made datetime(6) NOT NULL, day date NOT NULL";
const POSTGRES_COLUMNS: &str = "number bigint NOT NULL, quantity integer NOT NULL, \
    price numeric(12,2) NOT NULL, weight double precision NOT NULL, is_open boolean NOT NULL, \
    title varchar(80) NOT NULL, made timestamp NOT NULL, day date NOT NULL";

pub(crate) const COLUMNS: &str =
    "id, parent_id, number, quantity, price, weight, is_open, title, made, day";

/// The names of the columns of ids.
pub(crate) const IDS: [&str; 2] = ["id", "parent_id"];

/// How a server stores the ids.
pub(crate) fn form_name(backend: Backend) -> &'static str {
    match backend {
        Backend::Postgres => POSTGRES_FORM,
        _ => MYSQL_FORM,
    }
}

pub(crate) fn form(backend: Backend) -> Result<StoredForm> {
    let format: FormatKind = FORMAT.parse()?;
    StoredForm::named(format, backend, form_name(backend)).map_err(anyhow::Error::msg)
}

/// The statement that makes the table.
pub(crate) fn definition(backend: Backend) -> Result<String> {
    let key = form(backend)?.sql_type();
    let (columns, options) = match backend {
        Backend::Postgres => (POSTGRES_COLUMNS, ""),
        _ => (MYSQL_COLUMNS, " ENGINE = InnoDB"),
    };
    Ok(format!(
        "CREATE TABLE {TABLE} (id {key} NOT NULL PRIMARY KEY, parent_id {key} NOT NULL, {columns}){options}"
    ))
}

/// Makes the table with its rows, in the order in which the database keeps them.
pub(crate) async fn create(url: &str, rows: u64) -> Result<()> {
    let mut connection = Connection::open(&url.parse()?).await?;
    let backend = connection.backend();
    let (definition, form) = (definition(backend)?, form(backend)?);
    connection.execute("the table", &definition).await?;
    let mut ids: Vec<(Vec<u8>, u64)> = Vec::new();
    for row in 0..rows {
        ids.push((stored(form, id(row))?, row));
    }
    ids.sort_unstable();
    let parts = ids.chunks(5_000);
    match backend {
        Backend::Postgres => fill_postgres(url, form, parts).await?,
        _ => fill_mysql(url, form, parts).await?,
    }
    let settle = match backend {
        Backend::Postgres => format!("VACUUM ANALYZE {TABLE}"),
        _ => format!("ANALYZE TABLE {TABLE}"),
    };
    connection.query("the statistics", &settle, &[]).await?;
    ensure!(count(url).await? == rows, "not all rows are there");
    Ok(())
}

/// How many rows the table has.
pub(crate) async fn count(url: &str) -> Result<u64> {
    let mut connection = Connection::open(&url.parse()?).await?;
    let query = format!("SELECT COUNT(*) FROM {TABLE}");
    let rows = connection.query("a count", &query, &[]).await?;
    let count = rows.first().context("a count")?.integer(0)?;
    Ok(count.cast_unsigned())
}

type Part<'p> = &'p [(Vec<u8>, u64)];

async fn fill_mysql<'p>(
    url: &str,
    form: StoredForm,
    parts: impl Iterator<Item = Part<'p>>,
) -> Result<()> {
    let options: sqlx::mysql::MySqlConnectOptions = url.parse()?;
    let mut connection = options.disable_statement_logging().connect().await?;
    for part in parts {
        let mut insert = format!("INSERT INTO {TABLE} ({COLUMNS}) VALUES ");
        for (place, (_, row)) in part.iter().enumerate() {
            let comma = if place == 0 { "" } else { "," };
            let (id, parent) = (form.literal(id(*row)), form.literal(id(row / 7)));
            let [number, quantity, price, weight, is_open, title, made, day] = others(*row);
            insert += &format!(
                "{comma}({id},{parent},{number},{quantity},{price},{weight},{is_open},'{title}','{made}','{day}')"
            );
        }
        execute(&mut connection, insert).await?;
    }
    Ok(connection.close().await?)
}

async fn execute(connection: &mut MySqlConnection, statement: String) -> Result<()> {
    sqlx::raw_sql(AssertSqlSafe(statement))
        .execute(connection)
        .await?;
    Ok(())
}

async fn fill_postgres<'p>(
    url: &str,
    form: StoredForm,
    parts: impl Iterator<Item = Part<'p>>,
) -> Result<()> {
    let pool = PgPool::connect(url).await?;
    let statement = format!("COPY {TABLE} ({COLUMNS}) FROM STDIN");
    let mut copy = pool.copy_in_raw(&statement).await?;
    for part in parts {
        let mut text = String::new();
        for (_, row) in part {
            let ids = [id(*row), id(row / 7)].map(|id| form.literal(id));
            let [id, parent] = ids.each_ref().map(|id| id.trim_matches('\''));
            text += &format!("{id}\t{parent}\t{}\n", others(*row).join("\t"));
        }
        copy.send(text.as_bytes()).await?;
    }
    copy.finish().await?;
    pool.close().await;
    Ok(())
}

/// The bytes by which both databases sort.
fn stored(form: StoredForm, id: u128) -> Result<Vec<u8>> {
    use rowkey_core::storage::Stored;
    match form.encode(id) {
        Stored::Uuid(bytes) => Ok(bytes.to_vec()),
        Stored::Bytes(bytes) => Ok(bytes.as_slice().to_vec()),
        other => anyhow::bail!("ids are stored as {other:?}"),
    }
}

/// The id of a row: one in 20 ms, with random bits that the number of the row gives.
fn id(row: u64) -> u128 {
    let millis = u128::from(1_767_225_600_000 + row * 20);
    let random = u128::from(mixed(row)) << 64 | u128::from(mixed(!row));
    let any = millis << 80 | random >> 48;
    // Version 4 and the variant of the RFC.
    let version = 0xf << 76;
    let variant = 0b11 << 62;
    any & !version & !variant | 4 << 76 | 0b10 << 62
}

/// The values of the other columns.
fn others(row: u64) -> [String; 8] {
    let random = mixed(row ^ 0x5555);
    let (minute, second, micros) = (row / 60 % 60, row % 60, random % 1_000_000);
    let (hour, day) = (row / 3_600 % 24, 1 + row / 86_400 % 28);
    let cents = random % 10_000_000;
    [
        (row + 1).to_string(),
        (random % 40).to_string(),
        format!("{}.{:02}", cents / 100, cents % 100),
        format!("{}", (random % 1_000_003) as f64 / 1_009.0),
        (random & 1).to_string(),
        format!("Fjords in winter, tour {} of {}", row, random % 97),
        format!("2026-03-{day:02} {hour:02}:{minute:02}:{second:02}.{micros:06}"),
        format!("2026-{:02}-{:02}", 1 + random % 12, 1 + random % 28),
    ]
}

/// SplitMix64.
fn mixed(number: u64) -> u64 {
    let mut z = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}
