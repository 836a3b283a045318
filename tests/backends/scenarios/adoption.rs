//! The chapter about existing columns, `docs/adoption.md`: each of its statements is run, on tables
//! that are as it says.

use anyhow::{Context, Result, ensure};
use rowkey::{Backend, EntityKey, UnixMillis, entity_key};
use sqlx::mysql::MySqlRow;
use sqlx::sqlite::SqliteRow;
use sqlx::{MySql, Postgres, Row, Sqlite};
use uuid::Uuid;

use super::Scenario;
use crate::driver::{Driver, KeyOf, Session};
use crate::drivers::sqlx::{Sqlx, param};
use crate::query::Query;
use crate::samples::Random;

const CHAPTER: &str = include_str!("../../../docs/adoption.md");

/// 2024-03-21T04:19:11Z.
const TIME: u128 = 1_710_994_751_000;

#[entity_key]
struct RandomId(rowkey::UuidV4);

#[entity_key]
struct AnyId(rowkey::AnyUuid);

#[entity_key]
struct PrefixId(rowkey::PrefixComb);

#[entity_key]
struct SuffixId(rowkey::SuffixComb);

#[entity_key]
struct ShortSuffixId(rowkey::ShortSuffixComb);

#[entity_key]
struct NumberId(rowkey::DistributedId);

#[entity_key(storage(postgres = "text", mysql = "text", sqlite = "text"))]
struct TextId(rowkey::UuidV4);

#[entity_key(storage(postgres = "binary"))]
struct BinaryId(rowkey::UuidV4);

mod native {
    use rowkey::entity_key;

    #[entity_key(storage(mariadb = "native-uuid"))]
    pub(super) struct RandomId(rowkey::UuidV4);

    #[entity_key(storage(mariadb = "native-uuid"))]
    pub(super) struct TimeId(rowkey::UuidV7);

    #[entity_key(storage(mariadb = "native-uuid"))]
    pub(super) struct PrefixId(rowkey::PrefixComb);

    #[entity_key(storage(mariadb = "native-uuid"))]
    pub(super) struct ShortPrefixId(rowkey::ShortPrefixComb);

    #[entity_key(storage(mariadb = "native-uuid"))]
    pub(super) struct SuffixId(rowkey::SuffixComb);
}

macro_rules! scenarios {
    ($($function:ident),* $(,)?) => {
        vec![$(Scenario::new(concat!("adoption_", stringify!($function)), |session| {
            Box::pin($function(session))
        })),*]
    };
}

pub(crate) fn postgres() -> Vec<Scenario<Sqlx<Postgres>>> {
    scenarios![
        every_statement_is_run,
        versions_are_counted,
        clocks_are_found,
        counters_are_found,
        net_bytes_are_put_in_order,
        suffix_combs_are_turned_round,
        old_random_ids_have_no_time,
        upper_case_is_not_found,
        postgres_text_becomes_uuid,
        postgres_bytes_become_uuid,
    ]
}

pub(crate) fn mysql(backend: Backend) -> Vec<Scenario<Sqlx<MySql>>> {
    let mut scenarios = scenarios![
        every_statement_is_run,
        versions_are_counted,
        clocks_are_found,
        versions_of_text_are_counted,
        counters_are_found,
        net_bytes_are_put_in_order,
        time_bytes_are_put_in_order,
        orphans_are_found,
        collations_decide_about_letter_case,
        suffix_combs_are_turned_round,
        old_random_ids_have_no_time,
        upper_case_is_not_found,
        mysql_text_becomes_binary,
    ];
    if backend == Backend::MariaDb {
        scenarios.extend(scenarios![
            uuids_are_read_as_they_are,
            uuids_become_binary,
            damaged_uuids_are_found,
        ]);
    }
    scenarios
}

pub(crate) fn sqlite() -> Vec<Scenario<Sqlx<Sqlite>>> {
    scenarios![
        every_statement_is_run,
        versions_are_counted,
        versions_of_text_are_counted,
        clocks_are_found,
        net_bytes_are_put_in_order,
        suffix_combs_are_turned_round,
        old_random_ids_have_no_time,
        upper_case_is_not_found,
        sqlite_text_becomes_blob,
        sqlite_digits_are_padded,
        sqlite_numbers_are_found,
    ]
}

/// How the chapter calls the SQL of a backend. That of MySQL is MariaDB's, too.
fn dialect(backend: Backend) -> &'static str {
    match backend {
        Backend::MariaDb => "mysql",
        other => other.name(),
    }
}

/// The statements of a block of the chapter, by what its fence says.
fn statements(dialect: &str, name: &str) -> Result<&'static str> {
    let fence = format!("```sql {dialect} {name}\n");
    let (_, block) = CHAPTER
        .split_once(&fence)
        .with_context(|| format!("the chapter has no block `{dialect} {name}`"))?;
    let (sql, _) = block.split_once("```").context("the block has no end")?;
    Ok(sql)
}

/// Runs a block for the session's backend, which gives no rows.
async fn run<D: Driver>(session: &mut Session<D>, name: &str) -> Result<()> {
    let sql = statements(dialect(session.backend()), name)?;
    session.execute(sql).await
}

/// Runs a block for the session's backend and reads each of its rows.
async fn ask<D: Driver, T>(
    session: &mut Session<D>,
    name: &str,
    read: impl FnMut(&D::Row<'_>) -> Result<T, D::Error>,
) -> Result<Vec<T>> {
    let sql = statements(dialect(session.backend()), name)?;
    let rows = session.fetch_text(sql, read).await;
    rows.with_context(|| name.to_owned())
}

/// Runs a block that answers with one row of integers.
async fn counts<D: Driver, const N: usize>(
    session: &mut Session<D>,
    name: &str,
    columns: [&str; N],
) -> Result<[i64; N]> {
    let mut counts = [0; N];
    let read = |row: &D::Row<'_>| {
        for (count, column) in counts.iter_mut().zip(columns) {
            *count = D::get_integer(row, column)?;
        }
        Ok(())
    };
    let rows = ask(session, name, read).await?.len();
    ensure!(rows == 1, "{name}: {rows} rows");
    Ok(counts)
}

/// Reads a text that is not NULL from a row.
fn text<D: Driver>(row: &D::Row<'_>, column: &str) -> Result<String, D::Error> {
    Ok(D::get_text(row, column)?.unwrap_or_else(|| "NULL".to_owned()))
}

/// No block is there that no scenario asks for.
async fn every_statement_is_run<D: Driver>(session: &mut Session<D>) -> Result<()> {
    let scenarios = include_str!("adoption.rs");
    let mut blocks = 0;
    for fence in CHAPTER
        .lines()
        .filter_map(|line| line.strip_prefix("```sql"))
    {
        let (dialect, name) = fence
            .trim_start()
            .split_once(' ')
            .with_context(|| format!("`{fence}` names no dialect and block"))?;
        statements(dialect, name)?;
        ensure!(
            scenarios.contains(&format!("\"{name}\"")),
            "nothing runs `{dialect} {name}`"
        );
        blocks += usize::from(dialect == self::dialect(session.backend()));
    }
    ensure!(blocks >= 8, "there are {blocks} blocks");
    Ok(())
}

/// A random UUID of version 4.
fn v4(random: &mut Random) -> u128 {
    stamped(random.next_u128(), 4)
}

fn stamped(value: u128, version: u128) -> u128 {
    value & !(0xf << 76) & !(0b11 << 62) | version << 76 | 0b10 << 62
}

/// A UUID with the time in front.
fn timed(version: u128, millis: u128, random: &mut Random) -> u128 {
    stamped(millis << 80 | random.next_u128() >> 48, version)
}

/// The ends of sixteen bytes exchanged, so many bytes of each, from bytes 0 and 10 on.
fn exchanged(value: u128, count: usize) -> u128 {
    let mut bytes = value.to_be_bytes();
    let (front, back) = bytes.split_at_mut(10);
    front[..count].swap_with_slice(&mut back[..count]);
    u128::from_be_bytes(bytes)
}

/// Sixteen bytes as .NET writes them.
fn net_bytes(value: u128) -> u128 {
    u128::from_be_bytes(Uuid::from_u128(value).to_bytes_le())
}

fn hyphenated(value: u128) -> String {
    Uuid::from_u128(value).to_string()
}

/// A literal of sixteen bytes, for a column of the default type.
fn literal(backend: Backend, value: u128) -> String {
    match backend {
        Backend::Postgres => format!("'{}'", hyphenated(value)),
        _ => format!("X'{value:032x}'"),
    }
}

/// Creates `orders` with the default column for uuids and with these values in it.
async fn create_orders<D: Driver>(session: &mut Session<D>, values: &[u128]) -> Result<()> {
    let backend = session.backend();
    let id = match backend {
        Backend::Postgres => "id uuid",
        Backend::Sqlite => "id BLOB",
        _ => "id BINARY(16)",
    };
    let created_at = match backend {
        Backend::Postgres => "created_at timestamptz",
        _ => "created_at TIMESTAMP NULL",
    };
    let literals = values.iter().map(|&value| literal(backend, value));
    create(session, &[id, created_at], literals.collect()).await
}

/// Creates `orders` with these columns, of which the first is the key, and literals of keys in it.
async fn create<D: Driver>(
    session: &mut Session<D>,
    columns: &[&str],
    literals: Vec<String>,
) -> Result<()> {
    let [id, others @ ..] = columns else {
        anyhow::bail!("there is no key");
    };
    let others: String = others.iter().map(|column| format!(", {column}")).collect();
    let table = format!("CREATE TABLE orders ({id} NOT NULL PRIMARY KEY{others})");
    session.execute(table).await?;
    let rows: Vec<String> = literals.iter().map(|id| format!("({id})")).collect();
    let insert = format!("INSERT INTO orders (id) VALUES {}", rows.join(", "));
    session.execute(insert).await
}

/// Creates `order_lines` with a column of this type and a line for each order.
async fn create_lines<D: Driver>(session: &mut Session<D>, id_type: &str) -> Result<()> {
    session
        .execute(format!(
            "CREATE TABLE order_lines (n INTEGER PRIMARY KEY, order_id {id_type} NOT NULL, \
             CONSTRAINT order_lines_order FOREIGN KEY (order_id) REFERENCES orders (id))"
        ))
        .await?;
    session
        .execute(
            "INSERT INTO order_lines SELECT (SELECT count(*) FROM orders p WHERE p.id < o.id), id \
             FROM orders o",
        )
        .await
}

/// A query of its own for each key: PostgreSQL refuses a prepared one after a column's type has
/// changed, and keys of one type are read before, those of the other after it.
fn select<D: Driver, K: KeyOf<D>>(sql: &str) -> String {
    format!("/* {} */ {sql}", K::NAME)
}

/// The keys of `orders`, in public order.
async fn orders<D: Driver, K: KeyOf<D>>(session: &mut Session<D>) -> Result<Vec<u128>> {
    let mut keys = in_column_order::<D, K>(session).await?;
    keys.sort_unstable();
    Ok(keys)
}

async fn in_column_order<D: Driver, K: KeyOf<D>>(session: &mut Session<D>) -> Result<Vec<u128>> {
    let query = Query::new(select::<D, K>("SELECT id FROM orders ORDER BY id"));
    let key = |row: &D::Row<'_>| Ok(K::get(row, "id")?.to_u128());
    Ok(session.fetch(query, key).await?)
}

/// What reading all of `orders` as keys ends with.
async fn refusal<D: Driver, K: KeyOf<D>>(session: &mut Session<D>) -> Result<String> {
    match in_column_order::<D, K>(session).await {
        Ok(keys) => anyhow::bail!("read as {}: {keys:x?}", K::NAME),
        Err(error) => Ok(error.to_string()),
    }
}

/// The keys of orders that have a line, which exists for each.
async fn orders_with_lines<D: Driver, K: KeyOf<D>>(session: &mut Session<D>) -> Result<Vec<u128>> {
    let query = Query::new(select::<D, K>(
        "SELECT l.order_id AS id FROM order_lines l JOIN orders o ON o.id = l.order_id",
    ));
    let key = |row: &D::Row<'_>| Ok(K::get(row, "id")?.to_u128());
    let mut keys = session.fetch(query, key).await?;
    keys.sort_unstable();
    Ok(keys)
}

/// Whether a query by this key finds a row.
async fn finds<D: Driver, K: KeyOf<D>>(session: &mut Session<D>, value: u128) -> Result<bool> {
    let mut query = Query::new(select::<D, K>("SELECT id FROM orders WHERE id = "));
    query.push_param(K::try_from(value)?.param());
    Ok(!session.fetch(query, |_| Ok(())).await?.is_empty())
}

fn sorted(mut values: Vec<u128>) -> Vec<u128> {
    values.sort_unstable();
    values
}

async fn versions_are_counted<D: Driver>(session: &mut Session<D>) -> Result<()>
where
    AnyId: KeyOf<D>,
    RandomId: KeyOf<D>,
{
    let mut random = Random::Seeded(11);
    let mut values: Vec<u128> = (0..5).map(|_| v4(&mut random)).collect();
    values.extend((0..3).map(|n| timed(7, TIME + n, &mut random)));
    // Variants that are none of the RFC's.
    values.extend([0x0001_0000_0000_4000_c000_0000_0000_0000, 7]);
    create_orders(session, &values).await?;

    let count = |row: &D::Row<'_>| Ok((text::<D>(row, "version")?, D::get_integer(row, "ids")?));
    let mut found = ask(session, "count-versions", count).await?;
    ensure!(
        found[..2] == [("4".into(), 5), ("7".into(), 3)],
        "{found:?}"
    );
    found[2..].sort();
    ensure!(
        found[2..] == [("0".into(), 1), ("4".into(), 1)],
        "{found:?}"
    );

    ensure!(orders::<D, AnyId>(session).await? == sorted(values));
    let error = refusal::<D, RandomId>(session).await?;
    ensure!(error.contains("UuidV4"), "{error}");
    Ok(())
}

/// The same statement for text and for MariaDB's own type, as the chapter says.
async fn versions_of_text_are_counted<D: Driver>(session: &mut Session<D>) -> Result<()> {
    const INSTEAD: &str = "upper(replace(id, '-', ''))";
    ensure!(CHAPTER.contains(INSTEAD));
    let sql = statements(dialect(session.backend()), "count-versions")?.replace("hex(id)", INSTEAD);
    let columns: &[&str] = match session.backend() {
        Backend::MariaDb => &[
            "id CHAR(36) CHARACTER SET ascii COLLATE ascii_bin",
            "id UUID",
        ],
        Backend::MySql => &["id CHAR(36) CHARACTER SET ascii COLLATE ascii_bin"],
        _ => &["id TEXT"],
    };
    for column in columns {
        let (_, texts) = texts(26);
        create(session, &[column], texts).await?;
        let version =
            |row: &D::Row<'_>| Ok((text::<D>(row, "version")?, D::get_integer(row, "rfc")?));
        let found = session.fetch_text(&sql, version).await?;
        ensure!(found == [("4".into(), 1)], "{column}: {found:?}");
        session.execute("DROP TABLE orders").await?;
    }
    Ok(())
}

async fn clocks_are_found<D: Driver>(session: &mut Session<D>) -> Result<()> {
    let mut random = Random::Seeded(12);
    let mut values: Vec<u128> = (0..20).map(|_| v4(&mut random)).collect();
    values.extend((0..10).map(|n| timed(4, TIME + n, &mut random)));
    values.extend((0..7).map(|n| exchanged(timed(4, TIME + n, &mut random), 6)));
    create_orders(session, &values).await?;
    let counts = counts(
        session,
        "find-clock",
        ["ids", "clock_in_front", "clock_at_the_end"],
    )
    .await?;
    ensure!(counts == [37, 10, 7], "{counts:?}");
    Ok(())
}

async fn counters_are_found<D: Driver>(session: &mut Session<D>) -> Result<()> {
    let mut random = Random::Seeded(13);
    // Six minutes around the end of the ring: the instant has counter 0.
    let ring = 1_647_575_040_u128;
    let mut values = Vec::new();
    for n in 0..30_u128 {
        let seconds = ring - 180 + n * 12;
        let counter = seconds / 60 % 65_536;
        let comb = stamped(counter << 112 | random.next_u128() >> 16, 4);
        values.push((
            seconds,
            match n {
                0..10 => comb,
                10..15 => exchanged(comb, 2),
                _ => v4(&mut random),
            },
        ));
    }
    let ids: Vec<u128> = values.iter().map(|&(_, id)| id).collect();
    create_orders(session, &ids).await?;
    let backend = session.backend();
    for (seconds, id) in values {
        let time = match backend {
            Backend::Postgres => format!("to_timestamp({seconds})"),
            _ => format!("from_unixtime({seconds})"),
        };
        let id = literal(backend, id);
        let update = format!("UPDATE orders SET created_at = {time} WHERE id = {id}");
        session.execute(update).await?;
    }
    let counts = counts(
        session,
        "find-counter",
        ["ids", "counter_in_front", "counter_at_the_end"],
    )
    .await?;
    ensure!(counts == [30, 10, 5], "{counts:?}");
    Ok(())
}

async fn net_bytes_are_put_in_order<D: Driver>(session: &mut Session<D>) -> Result<()>
where
    AnyId: KeyOf<D>,
    RandomId: KeyOf<D>,
{
    let mut random = Random::Seeded(14);
    let values = sorted((0..40).map(|_| v4(&mut random)).collect());
    let stored: Vec<u128> = values.iter().copied().map(net_bytes).collect();
    create_orders(session, &stored).await?;

    // Silently other ids where any are taken, an error where the version counts.
    ensure!(orders::<D, AnyId>(session).await? == sorted(stored));
    let error = refusal::<D, RandomId>(session).await?;
    ensure!(error.contains("UuidV4"), "{error}");

    ensure!(version_digits(session).await? == ["as_net_writes"]);
    run(session, "net-bytes-in-order").await?;
    ensure!(orders::<D, RandomId>(session).await? == values);
    ensure!(version_digits(session).await? == ["as_the_text"]);
    Ok(())
}

/// The columns in which all rows have the digit of version 4.
async fn version_digits<D: Driver>(session: &mut Session<D>) -> Result<Vec<&'static str>> {
    let mut columns = vec!["as_the_text", "as_net_writes", "time_in_front"];
    let is_version = |row: &D::Row<'_>, column: &str| Ok(text::<D>(row, column)? == "4");
    for column in columns.clone() {
        let rows = ask(session, "find-version-digit", |row| is_version(row, column)).await?;
        if rows.contains(&false) {
            columns.retain(|other| *other != column);
        }
    }
    Ok(columns)
}

async fn time_bytes_are_put_in_order(session: &mut Session<Sqlx<MySql>>) -> Result<()> {
    let mut random = Random::Seeded(15);
    let values = sorted((0..20).map(|_| stamped(random.next_u128(), 1)).collect());
    let stored: Vec<u128> = values
        .iter()
        .map(|value| {
            let b = value.to_be_bytes();
            let front = [b[6], b[7], b[4], b[5], b[0], b[1], b[2], b[3]];
            u128::from(u64::from_be_bytes(front)) << 64 | value & u128::from(u64::MAX)
        })
        .collect();
    create_orders(session, &stored).await?;
    let digit = |row: &MySqlRow| text::<Sqlx<MySql>>(row, "time_in_front");
    let digits = ask(session, "find-version-digit", digit).await?;
    ensure!(digits.iter().all(|digit| digit == "1"), "{digits:?}");
    run(session, "time-bytes-in-order").await?;
    ensure!(orders::<_, AnyId>(session).await? == values);
    Ok(())
}

/// Suffix COMBs as they were made: read as such only after their ends are exchanged.
async fn suffix_combs_are_turned_round<D: Driver>(session: &mut Session<D>) -> Result<()>
where
    RandomId: KeyOf<D>,
    SuffixId: KeyOf<D>,
    ShortSuffixId: KeyOf<D>,
{
    let mut random = Random::Seeded(16);
    let combs: Vec<u128> = (0..20)
        .map(|n| exchanged(timed(4, TIME + n, &mut random), 6))
        .collect();
    let by_value = sorted(combs.clone());
    create_orders(session, &combs).await?;
    ensure!(orders::<D, RandomId>(session).await? == by_value);
    let misread = orders::<D, SuffixId>(session).await?;
    ensure!(misread == sorted(combs.iter().map(|&id| exchanged(id, 6)).collect()));
    run(session, "suffix-to-prefix").await?;
    ensure!(in_column_order::<D, SuffixId>(session).await? == combs);
    run(session, "suffix-to-prefix").await?;
    ensure!(orders::<D, RandomId>(session).await? == by_value);

    let id_type = match session.backend() {
        Backend::Postgres => "uuid",
        Backend::Sqlite => "BLOB",
        _ => "BINARY(16)",
    };
    create_lines(session, id_type).await?;
    run(session, "with-lines").await?;
    ensure!(in_column_order::<D, SuffixId>(session).await? == combs);
    ensure!(orders_with_lines::<D, SuffixId>(session).await? == by_value);
    let unknown = format!(
        "INSERT INTO order_lines VALUES (99, {})",
        literal(session.backend(), 7)
    );
    ensure!(
        session.execute(unknown).await.is_err(),
        "the constraint is gone"
    );

    session.execute("DROP TABLE order_lines").await?;
    session.execute("DROP TABLE orders").await?;
    let combs: Vec<u128> = (0..20_u128)
        .map(|n| exchanged(stamped(n << 112 | random.next_u128() >> 16, 4), 2))
        .collect();
    create_orders(session, &combs).await?;
    run(session, "short-suffix-to-prefix").await?;
    ensure!(in_column_order::<D, ShortSuffixId>(session).await? == combs);
    Ok(())
}

/// Random ids and then COMBs: a key over COMBs reads them all, and its bounds mean some of them.
async fn old_random_ids_have_no_time<D: Driver>(session: &mut Session<D>) -> Result<()>
where
    AnyId: KeyOf<D>,
    RandomId: KeyOf<D>,
    PrefixId: KeyOf<D>,
{
    let mut random = Random::Seeded(24);
    let mut values: Vec<u128> = (0..20).map(|_| v4(&mut random)).collect();
    let combs: Vec<u128> = (0..10).map(|n| timed(4, TIME + n, &mut random)).collect();
    values.extend(&combs);
    create_orders(session, &values).await?;
    let values = sorted(values);
    ensure!(in_column_order::<D, AnyId>(session).await? == values);
    ensure!(in_column_order::<D, RandomId>(session).await? == values);
    ensure!(in_column_order::<D, PrefixId>(session).await? == values);

    let mut query = Query::new("SELECT id FROM orders WHERE ");
    let always = PrefixId::bounds(UnixMillis::new(0)..UnixMillis::new(4_102_444_800_000));
    D::push_bounds(&mut query, "id", always);
    let found = session.fetch(query, |_| Ok(())).await?.len();
    ensure!(found == combs.len(), "{found} rows");
    Ok(())
}

async fn upper_case_is_not_found<D: Driver>(session: &mut Session<D>) -> Result<()>
where
    TextId: KeyOf<D>,
{
    const LOWER: &str = "UPDATE orders SET id = lower(id)";
    ensure!(CHAPTER.contains(LOWER));
    let (values, texts) = texts(25);
    let column = match session.backend() {
        Backend::MySql | Backend::MariaDb => "id CHAR(36) CHARACTER SET ascii COLLATE ascii_bin",
        _ => "id VARCHAR(36)",
    };
    create(session, &[column], texts).await?;
    ensure!(orders::<D, TextId>(session).await? == values);
    ensure!(finds::<D, TextId>(session, values[4]).await?);
    ensure!(!finds::<D, TextId>(session, values[5]).await?);
    session.execute(LOWER).await?;
    ensure!(finds::<D, TextId>(session, values[5]).await?);
    Ok(())
}

/// Some UUIDs and their texts, of which the last is in upper case.
fn texts(seed: u64) -> (Vec<u128>, Vec<String>) {
    let mut random = Random::Seeded(seed);
    let values = sorted((0..6).map(|_| v4(&mut random)).collect());
    let mut texts: Vec<String> = values.iter().map(|&value| hyphenated(value)).collect();
    texts[5] = texts[5].to_uppercase();
    let texts = texts.iter().map(|text| format!("'{text}'")).collect();
    (values, texts)
}

async fn postgres_text_becomes_uuid(session: &mut Session<Sqlx<Postgres>>) -> Result<()> {
    let (values, texts) = texts(17);
    create(session, &["id text"], texts).await?;
    create_lines(session, "text").await?;
    let others = counts(session, "find-other-text", ["other"]).await?;
    ensure!(others == [1]);
    ensure!(orders::<_, TextId>(session).await? == values);
    ensure!(finds::<_, TextId>(session, values[0]).await?);
    ensure!(!finds::<_, TextId>(session, values[5]).await?);

    // What is no uuid stops it, and nothing has changed.
    session
        .execute("INSERT INTO orders VALUES ('nobody')")
        .await?;
    ensure!(run(session, "text-to-uuid").await.is_err());
    session.execute("ROLLBACK").await?;
    ensure!(orders_with_lines::<_, TextId>(session).await? == values);
    session
        .execute("DELETE FROM orders WHERE id = 'nobody'")
        .await?;
    let braces = values[0] ^ 1;
    let text = hyphenated(braces);
    session
        .execute(format!("INSERT INTO orders VALUES ('{{{text}}}')"))
        .await?;

    run(session, "text-to-uuid").await?;
    ensure!(orders_with_lines::<_, RandomId>(session).await? == values);
    ensure!(finds::<_, RandomId>(session, values[5]).await?);
    ensure!(finds::<_, RandomId>(session, braces).await?);
    Ok(())
}

async fn postgres_bytes_become_uuid(session: &mut Session<Sqlx<Postgres>>) -> Result<()> {
    let mut random = Random::Seeded(18);
    let values = sorted((0..6).map(|_| v4(&mut random)).collect());
    let bytes = values.iter().map(|value| format!("'\\x{value:032x}'"));
    create(session, &["id bytea"], bytes.collect()).await?;
    create_lines(session, "bytea").await?;
    ensure!(orders::<_, BinaryId>(session).await? == values);
    let error = refusal::<_, RandomId>(session).await?;
    ensure!(error.contains("expected a uuid"), "{error}");
    run(session, "bytea-to-uuid").await?;
    ensure!(orders_with_lines::<_, RandomId>(session).await? == values);
    Ok(())
}

/// The server does not look again at what was changed while it did not look.
async fn orphans_are_found(session: &mut Session<Sqlx<MySql>>) -> Result<()> {
    let mut random = Random::Seeded(27);
    let values: Vec<u128> = (0..5).map(|_| v4(&mut random)).collect();
    create_orders(session, &values).await?;
    create_lines(session, "BINARY(16)").await?;
    ensure!(counts(session, "find-orphans", ["orphans"]).await? == [0]);
    session.execute("SET foreign_key_checks = 0").await?;
    run(session, "suffix-to-prefix").await?;
    session.execute("SET foreign_key_checks = 1").await?;
    ensure!(counts(session, "find-orphans", ["orphans"]).await? == [5]);
    Ok(())
}

async fn collations_decide_about_letter_case(session: &mut Session<Sqlx<MySql>>) -> Result<()> {
    let (values, texts) = texts(28);
    let column = "id CHAR(36) CHARACTER SET utf8 COLLATE utf8_general_ci";
    create(session, &[column], texts).await?;
    ensure!(orders::<_, TextId>(session).await? == values);
    ensure!(finds::<_, TextId>(session, values[5]).await?);
    Ok(())
}

async fn mysql_text_becomes_binary(session: &mut Session<Sqlx<MySql>>) -> Result<()> {
    let (values, texts) = texts(19);
    let column = "CHAR(36) CHARACTER SET ascii COLLATE ascii_bin";
    create(session, &[&format!("id {column}")], texts).await?;
    create_lines(session, column).await?;
    ensure!(orders::<_, TextId>(session).await? == values);
    ensure!(finds::<_, TextId>(session, values[0]).await?);
    ensure!(!finds::<_, TextId>(session, values[5]).await?);
    let error = refusal::<_, RandomId>(session).await?;
    ensure!(error.contains("expected 16 bytes"), "{error}");

    session
        .execute("INSERT INTO orders VALUES ('0123')")
        .await?;
    let others = counts(session, "find-other-text", ["other"]).await?;
    ensure!(others == [1]);
    run(session, "text-to-binary").await?;
    ensure!(orders_with_lines::<_, RandomId>(session).await? == values);
    ensure!(
        finds::<_, AnyId>(session, 0x0123 << 112).await?,
        "the rest is not zero"
    );
    Ok(())
}

fn mariadb(name: &str) -> Result<&'static str> {
    statements("mariadb", name)
}

async fn uuids_are_read_as_they_are(session: &mut Session<Sqlx<MySql>>) -> Result<()> {
    let mut random = Random::Seeded(20);
    let prefixes: Vec<u128> = (0..20).map(|n| timed(4, TIME + n, &mut random)).collect();
    let suffixes: Vec<u128> = prefixes.iter().map(|&id| exchanged(id, 6)).collect();
    let sevens: Vec<u128> = (0..20).map(|n| timed(7, TIME + n, &mut random)).collect();
    let quoted = |ids: &[u128]| {
        ids.iter()
            .map(|&id| format!("'{}'", hyphenated(id)))
            .collect()
    };

    create(session, &["id UUID"], quoted(&sevens)).await?;
    ensure!(in_column_order::<_, native::TimeId>(session).await? == sevens);
    let error = refusal::<_, AnyId>(session).await?;
    ensure!(error.contains("expected 16 bytes"), "{error}");
    session.execute("DROP TABLE orders").await?;

    create(session, &["id UUID"], quoted(&suffixes)).await?;
    ensure!(in_column_order::<_, native::SuffixId>(session).await? == suffixes);
    session.execute("DROP TABLE orders").await?;

    create(session, &["id UUID"], quoted(&prefixes)).await?;
    ensure!(orders::<_, native::RandomId>(session).await? == prefixes);
    ensure!(in_column_order::<_, native::RandomId>(session).await? != prefixes);
    ensure!(orders::<_, native::PrefixId>(session).await? == sorted(suffixes));
    session.execute(mariadb("prefix-to-suffix")?).await?;
    ensure!(in_column_order::<_, native::PrefixId>(session).await? == prefixes);
    session.execute("DROP TABLE orders").await?;

    let shorts: Vec<u128> = (0..20_u128)
        .map(|n| stamped(n << 112 | random.next_u128() >> 16, 4))
        .collect();
    create(session, &["id UUID"], quoted(&shorts)).await?;
    session.execute(mariadb("short-prefix-to-suffix")?).await?;
    ensure!(in_column_order::<_, native::ShortPrefixId>(session).await? == shorts);
    Ok(())
}

async fn uuids_become_binary(session: &mut Session<Sqlx<MySql>>) -> Result<()> {
    let (mut values, mut texts) = texts(21);
    let mut random = Random::Seeded(21);
    values.push(timed(7, TIME, &mut random));
    texts.push(format!("'{}'", hyphenated(values[6])));
    create(session, &["id UUID"], texts).await?;
    create_lines(session, "UUID").await?;
    session.execute(mariadb("uuid-to-binary")?).await?;
    ensure!(orders_with_lines::<_, AnyId>(session).await? == sorted(values));
    Ok(())
}

/// Sixteen bytes that the type takes and gives back otherwise, among others that it keeps.
async fn damaged_uuids_are_found(session: &mut Session<Sqlx<MySql>>) -> Result<()> {
    let mut random = Random::Seeded(22);
    let mut kept: Vec<u128> = [4, 7, 8]
        .into_iter()
        .flat_map(|version| [version; 20])
        .map(|version| stamped(random.next_u128(), version))
        .collect();
    // Byte 8 of version 8 is above the window.
    kept.iter_mut().for_each(|id| *id |= 0x01 << 56);
    let damaged: Vec<u128> = (0..30)
        .map(|_| stamped(random.next_u128(), 8) & !(0xff << 56) | 0x80 << 56)
        .collect();
    create(
        session,
        &["id UUID"],
        kept.iter()
            .map(|&id| format!("'{}'", hyphenated(id)))
            .collect(),
    )
    .await?;
    for id in &damaged {
        let mut insert = Query::new("INSERT INTO orders VALUES (");
        insert
            .push_param(param(id.to_be_bytes().to_vec()))
            .push(")");
        session.run(insert).await?;
    }

    let texts = async |session: &mut Session<Sqlx<MySql>>, name, column| -> Result<Vec<String>> {
        let text = |row: &MySqlRow| text::<Sqlx<MySql>>(row, column);
        let mut texts = session.fetch_text(mariadb(name)?, text).await?;
        texts.sort();
        Ok(texts)
    };
    let found = texts(session, "find-damaged", "id").await?;
    ensure!(found.len() == damaged.len(), "{found:?}");
    let originals = texts(session, "original-of-damaged", "original").await?;
    let expected: Vec<String> = sorted(damaged).into_iter().map(hyphenated).collect();
    ensure!(originals == expected, "{originals:?}");

    // A number can come back as a UUID of version 4. Its leading zeros are in the last group then.
    session.execute("DELETE FROM orders").await?;
    let number = 0x0384_a786_457d_4ab2_ad82_883d_u128;
    ensure!(number >> 72 & 0xff >= 0x80 && (1..=0x5f).contains(&(number >> 56 & 0xff)));
    let mut insert = Query::new("INSERT INTO orders VALUES (");
    insert
        .push_param(param(number.to_be_bytes().to_vec()))
        .push(")");
    session.run(insert).await?;
    let id = |row: &MySqlRow| text::<Sqlx<MySql>>(row, "id");
    let damaged = session
        .fetch_text("SELECT CAST(id AS CHAR) AS id FROM orders", id)
        .await?;
    ensure!(damaged[0].contains("-00000000"), "{damaged:?}");
    ensure!(texts(session, "find-damaged", "id").await?.is_empty());
    Ok(())
}

async fn sqlite_text_becomes_blob(session: &mut Session<Sqlx<Sqlite>>) -> Result<()> {
    let (values, texts) = texts(23);
    create(session, &["id TEXT", "created_at TEXT"], texts).await?;
    create_lines(session, "TEXT").await?;
    let kind = |row: &SqliteRow| Ok((row.try_get("type")?, row.try_get("length")?));
    let kinds: Vec<(String, i64)> = ask(session, "count-types", kind).await?;
    ensure!(kinds == [("text".to_owned(), 36)], "{kinds:?}");
    let upper = counts(session, "find-upper-case", ["upper_case"]).await?;
    ensure!(upper == [1]);
    ensure!(orders::<_, TextId>(session).await? == values);
    ensure!(finds::<_, TextId>(session, values[0]).await?);
    ensure!(!finds::<_, TextId>(session, values[5]).await?);

    let broken = ask(session, "text-to-blob", |_| Ok(())).await?;
    ensure!(broken.is_empty(), "{} lines have no order", broken.len());
    ensure!(orders_with_lines::<_, RandomId>(session).await? == values);
    ensure!(finds::<_, RandomId>(session, values[5]).await?);
    let unknown = "INSERT INTO order_lines VALUES (99, x'00000000000040008000000000000000')";
    ensure!(
        session.execute(unknown).await.is_err(),
        "the constraint is gone"
    );

    // Neither what is no text of a uuid nor a shorter one gets into such a table.
    for text in ["nobody", "0123"] {
        let insert = format!("INSERT INTO orders (id) VALUES (unhex(replace('{text}', '-', '')))");
        ensure!(session.execute(insert).await.is_err(), "{text}");
    }
    Ok(())
}

async fn sqlite_digits_are_padded(session: &mut Session<Sqlx<Sqlite>>) -> Result<()> {
    let values = [7, 10_u128.pow(27), 42_000_000_000_000_000_000];
    create(
        session,
        &["id TEXT"],
        values.map(|id| format!("'{id}'")).into(),
    )
    .await?;
    let error = refusal::<_, NumberId>(session).await?;
    ensure!(error.contains("text of exactly 28 digits"), "{error}");
    run(session, "pad-digits").await?;
    ensure!(in_column_order::<_, NumberId>(session).await? == sorted(values.into()));
    Ok(())
}

async fn sqlite_numbers_are_found(session: &mut Session<Sqlx<Sqlite>>) -> Result<()> {
    for declared in ["DECIMAL", "NUMERIC", "UUID", "GUID", "STRING", "BINARY(16)"] {
        let ids = [7, 8, 10_u128.pow(27) + 1].map(|id| format!("'{id:028}'"));
        create(session, &[&format!("id {declared}")], ids.into()).await?;
        let text = hyphenated(stamped(1, 4));
        let others = format!(
            "INSERT INTO orders VALUES ('{text}'), (x'{:032x}')",
            stamped(2, 4)
        );
        session.execute(others).await?;
        let counts = counts(session, "find-damaged", ["numbers", "lost"]).await?;
        ensure!(counts == [3, 1], "{declared}: {counts:?}");
        let error = refusal::<_, NumberId>(session).await?;
        ensure!(error.contains("TEXT"), "{error}");
        session.execute("DROP TABLE orders").await?;
    }
    Ok(())
}
