//! The chapter about existing columns, `docs/src/adoption.md`: each of its statements is run, on tables
//! that are as it says.

use anyhow::{Context, Result, ensure};
use rowkey::{Backend, EntityKey, UnixMillis, entity_key};
use sqlx::mysql::MySqlRow;
use sqlx::sqlite::SqliteRow;
use sqlx::{MySql, Postgres, Row, Sqlite};
use uuid::Uuid;

use super::Scenario;
use crate::driver::{BoundsOf, Driver, KeyOf, Session};
use crate::drivers::sqlx::{Sqlx, param};
use crate::query::Query;
use crate::samples::Random;

const CHAPTER: &str = include_str!("../../../docs/src/adoption.md");

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

#[entity_key]
struct ContextId(rowkey::Iuid);

#[entity_key]
struct HotId(rowkey::HotGuid);

#[entity_key]
struct NumberInBytesId(rowkey::DistributedId128);

#[entity_key(storage(postgres = "text", mysql = "text", sqlite = "text"))]
struct TextId(rowkey::UuidV4);

#[entity_key(storage(postgres = "text-upper", mysql = "text-upper", sqlite = "text-upper"))]
struct UpperTextId(rowkey::UuidV4);

#[entity_key(storage(postgres = "text-hex", mysql = "text-hex", sqlite = "text-hex"))]
struct HexId(rowkey::UuidV4);

#[entity_key(storage(
    postgres = "text-hex-upper",
    mysql = "text-hex-upper",
    sqlite = "text-hex-upper"
))]
struct UpperHexId(rowkey::UuidV4);

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
        ids_of_any_column_are_shown,
        byte_orders_are_told,
        net_bytes_are_put_in_order,
        suffix_combs_are_turned_round,
        constraints_keep_their_actions,
        other_columns_are_left_alone,
        old_random_ids_have_no_time,
        other_cases_are_told_and_not_found,
        text_is_declared_by_its_case,
        postgres_text_becomes_uuid,
        postgres_conversions_keep_constraints,
        postgres_bytes_become_uuid,
    ]
}

pub(crate) fn mysql(backend: Backend) -> Vec<Scenario<Sqlx<MySql>>> {
    let mut scenarios = scenarios![
        every_statement_is_run,
        versions_are_counted,
        clocks_are_found,
        counters_are_found,
        ids_of_any_column_are_shown,
        byte_orders_are_told,
        net_bytes_are_put_in_order,
        time_bytes_are_put_in_order,
        constraints_keep_their_actions,
        other_columns_are_left_alone,
        orphans_are_found,
        collations_decide_about_letter_case,
        suffix_combs_are_turned_round,
        old_random_ids_have_no_time,
        other_cases_are_told_and_not_found,
        text_is_declared_by_its_case,
        mysql_text_becomes_binary,
        updates_keep_the_time,
        bad_text_loses_no_row,
        mysql_columns_take_wrong_ids,
    ];
    if backend == Backend::MariaDb {
        scenarios.extend(scenarios![
            uuids_are_read_as_they_are,
            uuids_become_binary,
            damaged_uuids_are_found,
            mariadb_columns_take_wrong_ids,
        ]);
    }
    scenarios
}

pub(crate) fn sqlite() -> Vec<Scenario<Sqlx<Sqlite>>> {
    scenarios![
        every_statement_is_run,
        versions_are_counted,
        clocks_are_found,
        ids_of_any_column_are_shown,
        byte_orders_are_told,
        net_bytes_are_put_in_order,
        suffix_combs_are_turned_round,
        constraints_keep_their_actions,
        other_columns_are_left_alone,
        old_random_ids_have_no_time,
        other_cases_are_told_and_not_found,
        text_is_declared_by_its_case,
        sqlite_text_becomes_blob,
        bad_text_loses_no_row,
        sqlite_columns_take_wrong_ids,
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

/// The statements of a block of the chapter, by what its fence says: a dialect, or `any`.
fn statements(dialect: &str, name: &str) -> Result<&'static str> {
    let (_, block) = [dialect, "any"]
        .into_iter()
        .find_map(|dialect| CHAPTER.split_once(&format!("```sql {dialect} {name}\n")))
        .with_context(|| format!("the chapter has no block `{dialect} {name}`"))?;
    let (sql, _) = block.split_once("```").context("the block has no end")?;
    Ok(sql)
}

/// Runs a block for the session's backend, which gives no rows.
async fn run<D: Driver>(session: &mut Session<D>, name: &str) -> Result<()> {
    let sql = statements(dialect(session.backend()), name)?;
    session.execute(sql).await
}

/// Runs statements as a client does that goes on after an error, and counts the errors.
async fn run_on<D: Driver>(session: &mut Session<D>, sql: &str) -> usize {
    let mut errors = 0;
    // A statement with a body in it is alone in its block.
    let statements: Vec<&str> = match sql.contains("$$") {
        true => vec![sql],
        false => sql.split(';').collect(),
    };
    for statement in statements {
        if !statement.trim().is_empty() {
            errors += usize::from(session.execute(statement).await.is_err());
        }
    }
    errors
}

/// Runs a block for the session's backend and reads each of its rows, with the view that it needs.
async fn ask<D: Driver, T>(
    session: &mut Session<D>,
    name: &str,
    read: impl FnMut(&D::Row<'_>) -> Result<T, D::Error>,
) -> Result<Vec<T>> {
    let sql = statements(dialect(session.backend()), name)?;
    let of_view = sql.contains("FROM order_ids");
    if of_view {
        run(session, "order-ids").await?;
    }
    let rows = session.fetch_text(sql, read).await;
    if of_view {
        session.execute("DROP VIEW order_ids").await?;
    }
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
    let of_sql_server = include_str!("other_makers.rs");
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
            !fence.contains("any ") || CHAPTER.matches(&format!(" {name}\n")).count() == 1,
            "`{name}` is there for any database and for one"
        );
        ensure!(
            scenarios.contains(&format!("\"{name}\""))
                || of_sql_server.contains(&format!("sql {dialect} {name}\\n")),
            "nothing runs `{dialect} {name}`"
        );
        blocks += usize::from(["any", self::dialect(session.backend())].contains(&dialect));
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

/// The default column for uuids.
fn id_type(backend: Backend) -> &'static str {
    match backend {
        Backend::Postgres => "uuid",
        Backend::Sqlite => "BLOB",
        _ => "BINARY(16)",
    }
}

/// Creates `orders` with the default column for uuids and with these values in it.
async fn create_orders<D: Driver>(session: &mut Session<D>, values: &[u128]) -> Result<()> {
    let backend = session.backend();
    let literals = values.iter().map(|&value| literal(backend, value));
    let id = format!("id {}", id_type(backend));
    create(session, &id, literals.collect()).await
}

/// Creates `orders` with this column for the key, and literals of keys in it.
async fn create<D: Driver>(
    session: &mut Session<D>,
    id: &str,
    literals: Vec<String>,
) -> Result<()> {
    let created_at = match session.backend() {
        Backend::Postgres => "timestamptz",
        Backend::Sqlite => "TEXT",
        // As MySQL up to 5.7 takes the first TIMESTAMP of a table for.
        _ => "TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP",
    };
    let table = format!("CREATE TABLE orders ({id} NOT NULL PRIMARY KEY, created_at {created_at})");
    session.execute(table).await?;
    let rows: Vec<String> = literals.iter().map(|id| format!("({id})")).collect();
    let insert = format!("INSERT INTO orders (id) VALUES {}", rows.join(", "));
    session.execute(insert).await
}

/// Creates `order_lines` with a column of this type and a line for each order.
async fn create_lines<D: Driver>(session: &mut Session<D>, id_type: &str) -> Result<()> {
    create_lines_with(session, &format!("{id_type} NOT NULL"), "").await
}

/// Creates `order_lines` with such a column, whose constraint has these actions, and a line for
/// each order.
async fn create_lines_with<D: Driver>(
    session: &mut Session<D>,
    order_id: &str,
    actions: &str,
) -> Result<()> {
    session
        .execute(format!(
            "CREATE TABLE order_lines (n INTEGER PRIMARY KEY, order_id {order_id}, \
             CONSTRAINT order_lines_order FOREIGN KEY (order_id) REFERENCES orders (id) {actions})"
        ))
        .await?;
    session
        .execute(
            "INSERT INTO order_lines SELECT (SELECT count(*) FROM orders p WHERE p.id < o.id), id \
             FROM orders o",
        )
        .await
}

async fn drop_tables<D: Driver>(session: &mut Session<D>) -> Result<()> {
    for table in ["order_lines", "orders"] {
        session
            .execute(format!("DROP TABLE IF EXISTS {table}"))
            .await?;
    }
    Ok(())
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

/// Whatever the column's type and however its text is written.
async fn ids_of_any_column_are_shown<D: Driver>(session: &mut Session<D>) -> Result<()> {
    let mut random = Random::Seeded(26);
    let values: Vec<u128> = (0..60).map(|n| timed(4, TIME + n, &mut random)).collect();
    let digits = |prefix: &str| -> Vec<String> {
        values
            .iter()
            .map(|value| format!("{prefix}{value:032x}'"))
            .collect()
    };
    let written = |write: fn(String) -> String| -> Vec<String> {
        values
            .iter()
            .map(|&value| format!("'{}'", write(hyphenated(value))))
            .collect()
    };
    let lower = written(|text| text);
    let upper = written(|text| text.to_uppercase());
    let columns = match session.backend() {
        Backend::Postgres => vec![
            ("uuid", lower.clone()),
            ("bytea", digits("'\\x")),
            ("text", lower),
            ("varchar(36)", upper),
            ("text", written(|text| format!("{{{text}}}"))),
            ("text", digits("'")),
        ],
        Backend::Sqlite => vec![
            ("BLOB", digits("x'")),
            ("TEXT", lower),
            ("TEXT", upper),
            ("TEXT", digits("'")),
        ],
        backend => {
            let mut columns = vec![
                ("BINARY(16)", digits("x'")),
                ("CHAR(36) CHARACTER SET ascii COLLATE ascii_bin", upper),
                ("VARCHAR(36) CHARACTER SET utf8", digits("'")),
            ];
            if backend == Backend::MariaDb {
                columns.push(("UUID", lower));
            }
            columns
        }
    };
    let clock = ["ids", "clock_in_front", "clock_at_the_end"];
    for (column, literals) in columns {
        create(session, &format!("id {column}"), literals).await?;
        ensure!(counts(session, "find-other-digits", ["other"]).await? == [0]);
        let version =
            |row: &D::Row<'_>| Ok((text::<D>(row, "version")?, D::get_integer(row, "ids")?));
        let versions = ask(session, "count-versions", version).await?;
        ensure!(versions == [("4".into(), 60)], "{column}: {versions:?}");
        let [ids, front, back] = counts(session, "find-clock", clock).await?;
        ensure!((ids, front) == (60, 60) && back < 5, "{column}");
        ensure!(byte_order(session).await? == "as_the_text", "{column}");
        drop_tables(session).await?;
    }

    let text = match session.backend() {
        Backend::Sqlite => "TEXT",
        _ => "VARCHAR(36)",
    };
    let others = ["'nobody'", "''", "'0123'"].map(str::to_owned).to_vec();
    create(session, &format!("id {text}"), others).await?;
    ensure!(counts(session, "find-other-digits", ["other"]).await? == [3]);
    Ok(())
}

/// Which order of bytes the chapter tells from its counts, by its order of questions.
async fn byte_order<D: Driver>(session: &mut Session<D>) -> Result<&'static str> {
    let columns = ["as_the_text", "as_net_writes", "time_in_front"];
    let [ids, found @ ..] = counts(
        session,
        "find-version-digit",
        ["ids", columns[0], columns[1], columns[2]],
    )
    .await?;
    let column = found.iter().position(|&found| found == ids);
    Ok(column.map_or("none", |column| columns[column]))
}

async fn byte_orders_are_told<D: Driver>(session: &mut Session<D>) -> Result<()> {
    let mut random = Random::Seeded(29);
    let mut made = |make: &mut dyn FnMut(u128, &mut Random) -> u128| -> Vec<u128> {
        (0..60).map(|n| make(n, &mut random)).collect()
    };
    // Of one afternoon: the clock's digits are those of all rows.
    let ones = made(&mut |n, random| {
        let time = 0x1ef_4a5b_0000_0000 + n * 10_000_000;
        let fields = (time & 0xffff_ffff) << 96 | (time >> 32 & 0xffff) << 80 | time >> 48 << 64;
        stamped(fields | random.next_u128() >> 64, 1)
    });
    let fours = made(&mut |_, random| v4(random));
    let sevens = made(&mut |n, random| timed(7, TIME + n, random));
    let prefixes = made(&mut |n, random| timed(4, TIME + n, random));
    let suffixes = made(&mut |n, random| exchanged(timed(4, TIME + n, random), 6));
    // Counters whose first digit is 1.
    let shorts = made(&mut |n, random| stamped((0x1000 + n) << 112 | random.next_u128() >> 16, 4));
    let mut mixed = fours.clone();
    mixed.extend(sevens.iter().map(|&id| net_bytes(id)));

    let mut columns = Vec::new();
    columns.push((
        ones.iter().copied().map(time_in_front).collect(),
        "time_in_front",
    ));
    for ids in [&ones, &fours, &sevens] {
        columns.push((
            ids.iter().copied().map(net_bytes).collect(),
            "as_net_writes",
        ));
    }
    for ids in [ones, fours, sevens, prefixes, suffixes, shorts] {
        columns.push((ids, "as_the_text"));
    }
    columns.push((mixed, "none"));
    for (ids, expected) in columns {
        create_orders(session, &ids).await?;
        let order = byte_order(session).await?;
        ensure!(
            order == expected,
            "{order}, not {expected}: {:032x}",
            ids[0]
        );
        drop_tables(session).await?;
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
    let values = sorted((0..60).map(|_| v4(&mut random)).collect());
    let stored: Vec<u128> = values.iter().copied().map(net_bytes).collect();
    create_orders(session, &stored).await?;

    // Silently other ids where any are taken, an error where the version counts.
    ensure!(orders::<D, AnyId>(session).await? == sorted(stored));
    let error = refusal::<D, RandomId>(session).await?;
    ensure!(error.contains("UuidV4"), "{error}");

    ensure!(byte_order(session).await? == "as_net_writes");
    run(session, "net-bytes-in-order").await?;
    ensure!(orders::<D, RandomId>(session).await? == values);
    ensure!(byte_order(session).await? == "as_the_text");
    Ok(())
}

/// Sixteen bytes of a version-1 UUID with the groups of its time turned round.
fn time_in_front(value: u128) -> u128 {
    let b = value.to_be_bytes();
    let front = [b[6], b[7], b[4], b[5], b[0], b[1], b[2], b[3]];
    u128::from(u64::from_be_bytes(front)) << 64 | value & u128::from(u64::MAX)
}

async fn time_bytes_are_put_in_order(session: &mut Session<Sqlx<MySql>>) -> Result<()> {
    let mut random = Random::Seeded(15);
    let values = sorted((0..60).map(|_| stamped(random.next_u128(), 1)).collect());
    let stored: Vec<u128> = values.iter().copied().map(time_in_front).collect();
    create_orders(session, &stored).await?;
    ensure!(byte_order(session).await? == "time_in_front");
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

    create_lines(session, id_type(session.backend())).await?;
    run(session, "with-lines").await?;
    commit_lines(session).await?;
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

/// Ends the transaction that `with-lines` has left open, where it has.
async fn commit_lines<D: Driver>(session: &mut Session<D>) -> Result<()> {
    match session.backend() {
        Backend::Postgres => Ok(()),
        _ => run(session, "commit-lines").await,
    }
}

/// What the constraints on `orders` are, in words of the backend.
async fn references<D: Driver>(session: &mut Session<D>) -> Result<Vec<String>> {
    let columns: &[&str] = match session.backend() {
        Backend::Postgres => &["child", "name", "definition"],
        Backend::Sqlite => &["child", "column_name", "on_delete", "on_update"],
        _ => &["child", "name", "column_name", "on_delete", "on_update"],
    };
    let words = |row: &D::Row<'_>| {
        let words = columns.iter().map(|column| text::<D>(row, column));
        Ok(words.collect::<Result<Vec<_>, _>>()?.join(" "))
    };
    ask(session, "find-references", words).await
}

/// Actions fire for no row, and are there afterwards.
async fn constraints_keep_their_actions<D: Driver>(session: &mut Session<D>) -> Result<()>
where
    SuffixId: KeyOf<D>,
{
    let mut random = Random::Seeded(30);
    let combs: Vec<u128> = (0..20)
        .map(|n| exchanged(timed(4, TIME + n, &mut random), 6))
        .collect();
    let mut actions = vec![
        "",
        "ON DELETE CASCADE",
        "ON UPDATE CASCADE",
        "ON DELETE SET NULL ON UPDATE SET NULL",
    ];
    if session.backend() == Backend::Postgres {
        actions.push("DEFERRABLE INITIALLY DEFERRED");
    }
    let id_type = id_type(session.backend());
    for actions in actions {
        create_orders(session, &combs).await?;
        create_lines_with(session, &format!("{id_type} NULL"), actions).await?;
        session
            .execute("INSERT INTO order_lines VALUES (99, NULL)")
            .await?;
        let before = references(session).await?;
        ensure!(before.len() == 1, "{before:?}");
        ensure!(
            actions
                .split(" ON ")
                .all(|action| before[0].contains(action.split(' ').next_back().unwrap_or(""))),
            "{before:?}"
        );
        let orphans = ["orphans", "without_order"];
        ensure!(counts(session, "find-orphans", orphans).await? == [0, 1]);
        let sql = statements(dialect(session.backend()), "with-lines")?;
        ensure!(run_on(session, sql).await == 0);
        ensure!(
            counts(session, "find-orphans", orphans).await? == [0, 1],
            "{actions}"
        );
        commit_lines(session).await?;
        ensure!(
            counts(session, "find-orphans", orphans).await? == [0, 1],
            "{actions}"
        );
        ensure!(
            in_column_order::<D, SuffixId>(session).await? == combs,
            "{actions}"
        );
        ensure!(orders_with_lines::<D, SuffixId>(session).await? == sorted(combs.clone()));
        ensure!(references(session).await? == before, "{actions}");
        drop_tables(session).await?;
    }
    Ok(())
}

/// An update of the ids leaves alone a time that the server would set to the present.
async fn updates_keep_the_time(session: &mut Session<Sqlx<MySql>>) -> Result<()> {
    let mut random = Random::Seeded(33);
    let values: Vec<u128> = (0..5).map(|_| v4(&mut random)).collect();
    create_orders(session, &values).await?;
    create_lines(session, "BINARY(16)").await?;
    let mut updates = vec![
        statements("mysql", "suffix-to-prefix")?,
        statements("mysql", "short-suffix-to-prefix")?,
        statements("mysql", "net-bytes-in-order")?,
        statements("mysql", "time-bytes-in-order")?,
    ];
    let with_lines = [
        statements("mysql", "with-lines")?,
        statements("mysql", "commit-lines")?,
    ]
    .concat();
    updates.push(&with_lines);
    session
        .execute("UPDATE orders SET created_at = '2024-03-21 04:19:11'")
        .await?;
    session.execute("SET foreign_key_checks = 0").await?;
    for update in updates {
        let before = ids_as_text(session, "orders", "id").await?;
        session.execute(update).await?;
        let after = ids_as_text(session, "orders", "id").await?;
        ensure!(before != after, "{update} changes nothing");
        let sql = "SELECT count(*) AS n FROM orders WHERE created_at <> '2024-03-21 04:19:11'";
        let late = session
            .fetch_text(sql, |row| row.try_get::<i64, _>("n"))
            .await?;
        ensure!(late == [0], "{update} changes the time of {late:?} rows");
    }
    Ok(())
}

/// Updates are refused, or change no row, where the column is not sixteen bytes.
async fn other_columns_are_left_alone<D: Driver>(session: &mut Session<D>) -> Result<()> {
    let (_, texts) = texts(31);
    let mut columns: Vec<(&str, Vec<String>)> = match session.backend() {
        Backend::Postgres => vec![("text", texts.clone())],
        Backend::Sqlite => vec![("TEXT", texts.clone())],
        _ => vec![
            ("CHAR(36) CHARACTER SET latin1", texts.clone()),
            ("VARBINARY(36)", texts.clone()),
        ],
    };
    match session.backend() {
        Backend::Postgres => columns.push(("bytea", vec![r"'\x0123'".into()])),
        Backend::Sqlite => columns.push(("BLOB", vec!["x'0123'".into()])),
        Backend::MariaDb => columns.push(("UUID", texts)),
        _ => {}
    }
    let mut names = vec![
        "suffix-to-prefix",
        "short-suffix-to-prefix",
        "net-bytes-in-order",
    ];
    if dialect(session.backend()) == "mysql" {
        names.push("time-bytes-in-order");
    }
    for (column, literals) in columns {
        create(session, &format!("id {column}"), literals).await?;
        let digits =
            async |session: &mut Session<D>| ids_as_text::<D>(session, "orders", "id").await;
        let before = digits(session).await?;
        for name in &names {
            run_on(session, statements(dialect(session.backend()), name)?).await;
            ensure!(digits(session).await? == before, "{column}: {name}");
        }
        drop_tables(session).await?;
    }
    Ok(())
}

/// The values of a column in their order, as text of any kind.
async fn ids_as_text<D: Driver>(
    session: &mut Session<D>,
    table: &str,
    column: &str,
) -> Result<Vec<String>> {
    let shown = match session.backend() {
        Backend::Postgres => format!("{column}::text"),
        _ => format!("hex({column})"),
    };
    let sql = format!("SELECT {shown} AS shown FROM {table} ORDER BY 1");
    Ok(session
        .fetch_text(sql, |row| text::<D>(row, "shown"))
        .await?)
}

/// Random ids and then COMBs: a key over COMBs reads them all, and its bounds mean some of them.
async fn old_random_ids_have_no_time<D: Driver>(session: &mut Session<D>) -> Result<()>
where
    AnyId: KeyOf<D>,
    RandomId: KeyOf<D>,
    PrefixId: BoundsOf<D>,
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
    BoundsOf::push_bounds(&mut query, "id", always);
    let found = session.fetch(query, |_| Ok(())).await?.len();
    ensure!(found == combs.len(), "{found} rows");
    Ok(())
}

/// Text that is in another case than the key's is refused where it is read; a look-up cannot tell.
async fn other_cases_are_told_and_not_found<D: Driver>(session: &mut Session<D>) -> Result<()>
where
    TextId: KeyOf<D>,
{
    const LOWER: &str = "UPDATE orders SET id = lower(id)";
    ensure!(CHAPTER.contains("`lower(id)`"));
    let (values, texts) = texts(25);
    create(session, text_column(session.backend()), texts).await?;
    ensure!(counts(session, "letter-case", CASES).await? == [6, 5, 1]);
    refuses_upper_case::<D>(session).await?;
    ensure!(finds::<D, TextId>(session, values[4]).await?);
    ensure!(!finds::<D, TextId>(session, values[5]).await?);
    session.execute(LOWER).await?;
    ensure!(counts(session, "letter-case", CASES).await? == [6, 6, 0]);
    ensure!(finds::<D, TextId>(session, values[5]).await?);
    ensure!(orders::<D, TextId>(session).await? == values);
    Ok(())
}

/// What `letter-case` counts.
const CASES: [&str; 3] = ["ids", "in_lower_case", "in_upper_case"];

/// A column of text that tells the letter cases apart.
fn text_column(backend: Backend) -> &'static str {
    match backend {
        Backend::MySql | Backend::MariaDb => "id CHAR(36) CHARACTER SET ascii COLLATE ascii_bin",
        _ => "id VARCHAR(36)",
    }
}

/// Reading the one row in upper case fails, and says what to declare for a column of such.
async fn refuses_upper_case<D: Driver>(session: &mut Session<D>) -> Result<()>
where
    TextId: KeyOf<D>,
{
    let error = refusal::<D, TextId>(session).await?;
    ensure!(error.contains("declare `text-upper`"), "{error}");
    Ok(())
}

/// Each way to write ids as text is read and found by the storage of the chapter's table.
async fn text_is_declared_by_its_case<D: Driver>(session: &mut Session<D>) -> Result<()>
where
    TextId: KeyOf<D>,
    UpperTextId: KeyOf<D>,
    HexId: KeyOf<D>,
    UpperHexId: KeyOf<D>,
{
    async fn check<D: Driver, K: KeyOf<D>>(
        session: &mut Session<D>,
        write: fn(u128) -> String,
        cases: [i64; 3],
    ) -> Result<()> {
        let (values, _) = texts(37);
        let literals = values.iter().map(|&value| format!("'{}'", write(value)));
        create(session, text_column(session.backend()), literals.collect()).await?;
        ensure!(counts(session, "letter-case", CASES).await? == cases);
        ensure!(orders::<D, K>(session).await? == values);
        ensure!(finds::<D, K>(session, values[3]).await?);
        drop_tables(session).await
    }

    check::<D, TextId>(session, hyphenated, [6, 6, 0]).await?;
    let upper = |value| hyphenated(value).to_uppercase();
    check::<D, UpperTextId>(session, upper, [6, 0, 6]).await?;
    check::<D, HexId>(session, |value| format!("{value:032x}"), [6, 6, 0]).await?;
    check::<D, UpperHexId>(session, |value| format!("{value:032X}"), [6, 0, 6]).await
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
    create(session, "id text", texts).await?;
    create_lines(session, "text").await?;
    let others = counts(session, "find-other-text", ["other"]).await?;
    ensure!(others == [1]);
    refuses_upper_case(session).await?;
    ensure!(finds::<_, TextId>(session, values[0]).await?);
    ensure!(!finds::<_, TextId>(session, values[5]).await?);
    let before = ids_as_text(session, "order_lines", "order_id").await?;

    // What is no uuid stops it, and nothing has changed.
    session
        .execute("INSERT INTO orders (id) VALUES ('nobody')")
        .await?;
    ensure!(run(session, "text-to-uuid").await.is_err());
    ensure!(ids_as_text(session, "order_lines", "order_id").await? == before);
    session
        .execute("DELETE FROM orders WHERE id = 'nobody'")
        .await?;
    let braces = values[0] ^ 1;
    let text = hyphenated(braces);
    session
        .execute(format!("INSERT INTO orders (id) VALUES ('{{{text}}}')"))
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
    create(session, "id bytea", bytes.collect()).await?;
    create_lines(session, "bytea").await?;
    ensure!(orders::<_, BinaryId>(session).await? == values);
    let error = refusal::<_, RandomId>(session).await?;
    ensure!(error.contains("expected a uuid"), "{error}");
    run(session, "bytea-to-uuid").await?;
    ensure!(orders_with_lines::<_, RandomId>(session).await? == values);
    Ok(())
}

/// With actions, references that are NULL, and an id that is there in both cases.
async fn postgres_conversions_keep_constraints(
    session: &mut Session<Sqlx<Postgres>>,
) -> Result<()> {
    let (values, texts) = texts(33);
    let bytes: Vec<String> = values
        .iter()
        .map(|value| format!(r"'\x{value:032x}'"))
        .collect();
    let columns = [
        ("text", "text-to-uuid", texts, values[0]),
        ("bytea", "bytea-to-uuid", bytes, 0),
    ];
    for (column, name, literals, twice) in columns {
        create(session, &format!("id {column}"), literals).await?;
        let actions = "ON UPDATE CASCADE ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED";
        create_lines_with(session, column, actions).await?;
        session
            .execute("INSERT INTO order_lines VALUES (99, NULL)")
            .await?;
        let before = references(session).await?;
        ensure!(before[0].ends_with(actions), "{before:?}");
        let sql = statements("postgres", name)?;

        // Twice the same, or of another length.
        let bad = match twice {
            0 => r"'\x0123'".to_owned(),
            id => format!("'{}'", hyphenated(id).to_uppercase()),
        };
        session
            .execute(format!("INSERT INTO orders (id) VALUES ({bad})"))
            .await?;
        ensure!(run_on(session, sql).await == 1);
        ensure!(references(session).await? == before);
        session
            .execute(format!("DELETE FROM orders WHERE id = {bad}"))
            .await?;

        ensure!(run_on(session, sql).await == 0);
        ensure!(references(session).await? == before);
        ensure!(orders_with_lines::<_, RandomId>(session).await? == values);
        let orphans = ["orphans", "without_order"];
        ensure!(counts(session, "find-orphans", orphans).await? == [0, 1]);
        drop_tables(session).await?;
    }
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
    create(session, column, texts).await?;
    ensure!(counts(session, "letter-case", CASES).await? == [6, 5, 1]);
    // It is found here, and what is found is refused.
    ensure!(finds::<_, TextId>(session, values[5]).await?);
    refuses_upper_case(session).await?;
    Ok(())
}

async fn mysql_text_becomes_binary(session: &mut Session<Sqlx<MySql>>) -> Result<()> {
    let (values, texts) = texts(19);
    let column = "CHAR(36) CHARACTER SET ascii COLLATE ascii_bin";
    create(session, &format!("id {column}"), texts).await?;
    create_lines(session, column).await?;
    refuses_upper_case(session).await?;
    ensure!(finds::<_, TextId>(session, values[0]).await?);
    ensure!(!finds::<_, TextId>(session, values[5]).await?);
    let error = refusal::<_, RandomId>(session).await?;
    ensure!(error.contains("expected 16 bytes"), "{error}");

    ensure!(counts(session, "find-other-text", ["other"]).await? == [0]);
    run(session, "text-to-binary").await?;
    ensure!(counts(session, "compare-tables", MISSING).await? == [0; 3]);
    run(session, "exchange-tables").await?;
    ensure!(orders_with_lines::<_, RandomId>(session).await? == values);
    ensure!(
        session
            .execute("INSERT INTO order_lines VALUES (99, repeat('x', 16))")
            .await
            .is_err(),
        "the constraint is gone"
    );
    drop_copies(session, "old").await
}

/// What `compare-tables` counts.
const MISSING: [&str; 3] = ["orders_missing", "lines_missing", "orphans"];

/// Drops the tables that the conversion has made, or those that it has left.
async fn drop_copies<D: Driver>(session: &mut Session<D>, end: &str) -> Result<()> {
    for table in ["order_lines", "orders"] {
        session
            .execute(format!("DROP TABLE IF EXISTS {table}_{end}"))
            .await?;
    }
    Ok(())
}

/// A client goes on after an error: the check says so, and no row is lost.
async fn bad_text_loses_no_row<D: Driver>(session: &mut Session<D>) -> Result<()>
where
    RandomId: KeyOf<D>,
{
    let dialect = dialect(session.backend());
    let (column, name) = match session.backend() {
        Backend::Sqlite => ("TEXT", "text-to-blob"),
        _ => (
            "VARCHAR(38) CHARACTER SET ascii COLLATE ascii_bin",
            "text-to-binary",
        ),
    };
    let convert = statements(dialect, name)?;
    let (values, texts) = texts(34);
    let in_both_cases = format!("'{}'", hyphenated(values[0]).to_uppercase());
    let in_braces = format!("'{{{}}}'", hyphenated(values[0] ^ 1));
    // Each in a line of its own, the first as a reference that is NULL.
    let bad = [
        "NULL",
        "''",
        "'0123'",
        "'nobody'",
        &in_braces,
        &in_both_cases,
    ];
    for bad in bad {
        create(session, &format!("id {column}"), texts.clone()).await?;
        if bad != "NULL" {
            session
                .execute(format!("INSERT INTO orders (id) VALUES ({bad})"))
                .await?;
        }
        create_lines_with(session, &format!("{column} NULL"), "ON DELETE CASCADE").await?;
        if bad == "NULL" {
            session
                .execute("INSERT INTO order_lines VALUES (99, NULL)")
                .await?;
        }
        let before = (
            ids_as_text(session, "orders", "id").await?,
            ids_as_text(session, "order_lines", "order_id").await?,
        );
        run_on(session, convert).await;
        let missing = counts(session, "compare-tables", MISSING).await?;
        ensure!(
            missing.iter().any(|&missing| missing > 0),
            "{bad}: {missing:?}"
        );
        let after = (
            ids_as_text(session, "orders", "id").await?,
            ids_as_text(session, "order_lines", "order_id").await?,
        );
        ensure!(before == after, "{bad}");

        // Mended, with the column and the constraint as they were.
        drop_copies(session, "new").await?;
        session
            .execute(format!("DELETE FROM orders WHERE id = {bad}"))
            .await?;
        let convert = convert
            .replace("order_id BLOB NOT NULL", "order_id BLOB")
            .replace("order_id BINARY(16) NOT NULL", "order_id BINARY(16)")
            .replace("orders_new (id)", "orders_new (id) ON DELETE CASCADE");
        ensure!(run_on(session, &convert).await == 0, "{bad}");
        ensure!(
            counts(session, "compare-tables", MISSING).await? == [0; 3],
            "{bad}"
        );
        let exchange = statements(dialect, "exchange-tables")?;
        ensure!(run_on(session, exchange).await == 0, "{bad}");
        drop_copies(session, "old").await?;
        ensure!(
            orders_with_lines::<D, RandomId>(session).await? == values,
            "{bad}"
        );
        let orphans = ["orphans", "without_order"];
        let nulls = i64::from(bad == "NULL");
        ensure!(
            counts(session, "find-orphans", orphans).await? == [0, nulls],
            "{bad}"
        );
        let references = references(session).await?;
        ensure!(
            references.len() == 1 && references[0].contains("CASCADE"),
            "{references:?}"
        );
        drop_tables(session).await?;
    }

    // Without what the conversion needs, such as a function that the client's version lacks.
    create(session, &format!("id {column}"), texts).await?;
    create_lines(session, column).await?;
    ensure!(run_on(session, &convert.replace("unhex", "no_unhex")).await == 2);
    let missing = counts(session, "compare-tables", MISSING).await?;
    ensure!(missing == [6, 6, 0], "{missing:?}");
    Ok(())
}

/// A column of text: sixteen bytes find nothing there, and may be written to it all the same.
async fn mysql_columns_take_wrong_ids(session: &mut Session<Sqlx<MySql>>) -> Result<()> {
    let (values, texts) = texts(35);
    create(session, "id CHAR(36) CHARACTER SET latin1", texts).await?;
    ensure!(!finds::<_, RandomId>(session, values[0]).await?);
    insert::<_, RandomId>(session, values[0]).await?;
    let rows = ids_as_text(session, "orders", "id").await?.len();
    ensure!(rows == values.len() + 1, "{rows} rows");
    let live = "SELECT column_type AS live FROM information_schema.columns \
                WHERE table_schema = database() AND table_name = 'orders' AND column_name = 'id'";
    let live = session
        .fetch_text(live, |row| text::<Sqlx<MySql>>(row, "live"))
        .await?;
    ensure!(live == ["char(36)"], "{live:?}");
    let expected = RandomId::PLAN.column_type(session.backend())?;
    ensure!(!expected.eq_ignore_ascii_case(&live[0]), "{expected}");
    Ok(())
}

/// Inserts an order by its key.
async fn insert<D: Driver, K: KeyOf<D>>(session: &mut Session<D>, value: u128) -> Result<()> {
    let mut query = Query::new("INSERT INTO orders (id) VALUES (");
    query.push_param(K::try_from(value)?.param()).push(")");
    Ok(session.run(query).await?)
}

/// MariaDB's own type takes sixteen bytes and damages some; BINARY(16) takes no text.
async fn mariadb_columns_take_wrong_ids(session: &mut Session<Sqlx<MySql>>) -> Result<()> {
    const DAMAGED: u128 = 0x01a1_fe39_0be4_8001_8080_0001_2345_6789;
    const COMB: u128 = 0xd01c_25cc_63a7_47cc_b5ba_018e_5f3b_ff48;
    create(
        session,
        "id UUID",
        vec!["'00000000-0000-4000-8000-000000000000'".into()],
    )
    .await?;
    session.execute("DELETE FROM orders").await?;
    for (n, value) in [DAMAGED + 1, DAMAGED + 2].into_iter().enumerate() {
        match n {
            0 => insert::<_, HotId>(session, value).await?,
            _ => insert::<_, NumberInBytesId>(session, value).await?,
        }
    }
    insert::<_, ContextId>(session, DAMAGED).await?;
    insert::<_, SuffixId>(session, COMB).await?;
    let texts = "SELECT CAST(id AS CHAR) AS id FROM orders";
    let mut texts = session
        .fetch_text(texts, |row| text::<Sqlx<MySql>>(row, "id"))
        .await?;
    texts.sort();
    let stored = [
        hyphenated(exchanged(COMB, 6)),
        "23456789-0001-8080-8001-01a1fe390be4".to_owned(),
        "2345678a-0001-8080-8001-01a1fe390be4".to_owned(),
        "2345678b-0001-8080-8001-01a1fe390be4".to_owned(),
    ];
    ensure!(texts == stored, "{texts:?}");
    // Conditions are no errors, and find what is whole.
    ensure!(!finds::<_, ContextId>(session, DAMAGED).await?);
    ensure!(finds::<_, SuffixId>(session, COMB).await?);
    let error = refusal::<_, ContextId>(session).await?;
    ensure!(error.contains("expected 16 bytes"), "{error}");

    session.execute("DROP TABLE orders").await?;
    let value = stamped(COMB, 4);
    create_orders(session, &[value]).await?;
    ensure!(!finds::<_, native::RandomId>(session, value).await?);
    ensure!(
        insert::<_, native::RandomId>(session, value ^ 1)
            .await
            .is_err()
    );
    Ok(())
}

/// A column of text takes the id a second time, as a blob, unless the table is strict.
async fn sqlite_columns_take_wrong_ids(session: &mut Session<Sqlx<Sqlite>>) -> Result<()> {
    let (values, texts) = texts(36);
    create(session, "id TEXT", texts).await?;
    ensure!(!finds::<_, RandomId>(session, values[0]).await?);
    insert::<_, RandomId>(session, values[0]).await?;
    let rows = ids_as_text(session, "orders", "id").await?.len();
    ensure!(rows == values.len() + 1, "{rows} rows");
    session.execute("DROP TABLE orders").await?;
    session
        .execute("CREATE TABLE orders (id TEXT NOT NULL PRIMARY KEY) STRICT")
        .await?;
    ensure!(insert::<_, RandomId>(session, values[0]).await.is_err());
    session.execute("DROP TABLE orders").await?;
    session
        .execute("CREATE TABLE orders (id BLOB CHECK (length(id) = 16)) STRICT")
        .await?;
    insert::<_, RandomId>(session, values[0]).await?;
    ensure!(insert::<_, TextId>(session, values[0]).await.is_err());
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

    create(session, "id UUID", quoted(&sevens)).await?;
    ensure!(in_column_order::<_, native::TimeId>(session).await? == sevens);
    let error = refusal::<_, AnyId>(session).await?;
    ensure!(error.contains("expected 16 bytes"), "{error}");
    session.execute("DROP TABLE orders").await?;

    create(session, "id UUID", quoted(&suffixes)).await?;
    ensure!(in_column_order::<_, native::SuffixId>(session).await? == suffixes);
    session.execute("DROP TABLE orders").await?;

    create(session, "id UUID", quoted(&prefixes)).await?;
    ensure!(orders::<_, native::RandomId>(session).await? == prefixes);
    ensure!(in_column_order::<_, native::RandomId>(session).await? != prefixes);
    ensure!(orders::<_, native::PrefixId>(session).await? == sorted(suffixes));
    session.execute(mariadb("prefix-to-suffix")?).await?;
    ensure!(in_column_order::<_, native::PrefixId>(session).await? == prefixes);
    session.execute("DROP TABLE orders").await?;

    let shorts: Vec<u128> = (0..20_u128)
        .map(|n| stamped(n << 112 | random.next_u128() >> 16, 4))
        .collect();
    create(session, "id UUID", quoted(&shorts)).await?;
    session.execute(mariadb("short-prefix-to-suffix")?).await?;
    ensure!(in_column_order::<_, native::ShortPrefixId>(session).await? == shorts);
    Ok(())
}

async fn uuids_become_binary(session: &mut Session<Sqlx<MySql>>) -> Result<()> {
    let (mut values, mut texts) = texts(21);
    let mut random = Random::Seeded(21);
    values.push(timed(7, TIME, &mut random));
    texts.push(format!("'{}'", hyphenated(values[6])));
    create(session, "id UUID", texts).await?;
    create_lines(session, "UUID").await?;
    // References to damaged ids, and of ones that are NULL.
    session
        .execute("ALTER TABLE order_lines MODIFY order_id UUID NULL")
        .await?;
    let damaged: Vec<u128> = (1..=3_u128)
        .map(|n| 0x01a1_fe39_0be4_8001_8080_0001_2345_6789 + n)
        .collect();
    for (n, id) in damaged.iter().enumerate() {
        insert::<_, AnyId>(session, *id).await?;
        let line = format!("INSERT INTO order_lines VALUES ({}, x'{id:032x}')", 50 + n);
        session.execute(line).await?;
    }
    session
        .execute("INSERT INTO order_lines VALUES (99, NULL)")
        .await?;
    values.extend(damaged);

    let convert = mariadb("uuid-to-binary")?;
    session.execute(mariadb("find-damaged")?).await?;
    let missing = async |session: &mut Session<Sqlx<MySql>>| {
        let read = |row: &MySqlRow| {
            let [orders, lines, orphans] = MISSING;
            let integer = |column| Sqlx::<MySql>::get_integer(row, column);
            Ok([integer(orders)?, integer(lines)?, integer(orphans)?])
        };
        anyhow::Ok(session.fetch_text(mariadb("compare-tables")?, read).await?)
    };
    ensure!(run_on(session, convert).await == 1);
    let found = missing(session).await?;
    ensure!(found == [[0, 11, 0]], "{found:?}");
    drop_copies(session, "new").await?;
    let nullable = convert.replace("order_id BINARY(16) NOT NULL", "order_id BINARY(16)");
    ensure!(run_on(session, &nullable).await == 0);
    ensure!(missing(session).await? == [[0, 0, 0]]);
    run(session, "exchange-tables").await?;
    ensure!(orders_with_lines::<_, AnyId>(session).await? == sorted(values));
    let orphans = ["orphans", "without_order"];
    ensure!(counts(session, "find-orphans", orphans).await? == [0, 1]);
    drop_copies(session, "old").await
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
        "id UUID",
        kept.iter()
            .map(|&id| format!("'{}'", hyphenated(id)))
            .collect(),
    )
    .await?;
    for id in &damaged {
        let mut insert = Query::new("INSERT INTO orders (id) VALUES (");
        insert
            .push_param(param(id.to_be_bytes().to_vec()))
            .push(")");
        session.run(insert).await?;
    }

    let originals = async |session: &mut Session<Sqlx<MySql>>| -> Result<Vec<String>> {
        session.execute(mariadb("find-damaged")?).await?;
        let found = ids_as_text(session, "orders_damaged", "original").await?;
        session.execute("DROP TABLE orders_damaged").await?;
        Ok(found)
    };
    let expected: Vec<String> = sorted(damaged)
        .into_iter()
        .map(|id| format!("{id:032X}"))
        .collect();
    let found = originals(session).await?;
    ensure!(found == expected, "{found:?}");

    // A number can come back as a UUID of version 4. Its leading zeros are in the last group then.
    session.execute("DELETE FROM orders").await?;
    let number = 0x0384_a786_457d_4ab2_ad82_883d_u128;
    ensure!(number >> 72 & 0xff >= 0x80 && (1..=0x5f).contains(&(number >> 56 & 0xff)));
    let mut insert = Query::new("INSERT INTO orders (id) VALUES (");
    insert
        .push_param(param(number.to_be_bytes().to_vec()))
        .push(")");
    session.run(insert).await?;
    let id = |row: &MySqlRow| text::<Sqlx<MySql>>(row, "id");
    let damaged = session
        .fetch_text("SELECT CAST(id AS CHAR) AS id FROM orders", id)
        .await?;
    ensure!(damaged[0].contains("-00000000"), "{damaged:?}");
    ensure!(originals(session).await?.is_empty());
    Ok(())
}

async fn sqlite_text_becomes_blob(session: &mut Session<Sqlx<Sqlite>>) -> Result<()> {
    let (values, texts) = texts(23);
    create(session, "id TEXT", texts).await?;
    create_lines(session, "TEXT").await?;
    let kind = |row: &SqliteRow| Ok((row.try_get("type")?, row.try_get("length")?));
    let kinds: Vec<(String, i64)> = ask(session, "count-types", kind).await?;
    ensure!(kinds == [("text".to_owned(), 36)], "{kinds:?}");
    ensure!(counts(session, "find-other-text", ["other"]).await? == [1]);
    refuses_upper_case(session).await?;
    ensure!(finds::<_, TextId>(session, values[0]).await?);
    ensure!(!finds::<_, TextId>(session, values[5]).await?);

    let definitions = ask(session, "find-definitions", |row| row.try_get("name")).await?;
    ensure!(
        definitions.contains(&"order_lines".to_owned()),
        "{definitions:?}"
    );
    run(session, "text-to-blob").await?;
    ensure!(counts(session, "compare-tables", MISSING).await? == [0; 3]);
    run(session, "exchange-tables").await?;
    drop_copies(session, "old").await?;
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
        "id TEXT",
        values.map(|id| format!("'{id}'")).into(),
    )
    .await?;
    let error = refusal::<_, NumberId>(session).await?;
    ensure!(error.contains("text of exactly 28 digits"), "{error}");
    let others = ["''", "'12a'", "'12345678901234567890123456789'", "x'0123'"];
    for other in others {
        session
            .execute(format!("INSERT INTO orders (id) VALUES ({other})"))
            .await?;
    }
    run(session, "pad-digits").await?;
    for other in others {
        let error = refusal::<_, NumberId>(session).await?;
        ensure!(error.contains("28 digits"), "{error}");
        session
            .execute(format!("DELETE FROM orders WHERE id = {other}"))
            .await?;
    }
    ensure!(counts(session, "find-other-numbers", ["other"]).await? == [0]);
    ensure!(in_column_order::<_, NumberId>(session).await? == sorted(values.into()));
    Ok(())
}

async fn sqlite_numbers_are_found(session: &mut Session<Sqlx<Sqlite>>) -> Result<()> {
    for declared in ["DECIMAL", "NUMERIC", "UUID", "GUID", "STRING", "BINARY(16)"] {
        let ids = [7, 8, 10_u128.pow(27) + 1].map(|id| format!("'{id:028}'"));
        create(session, &format!("id {declared}"), ids.into()).await?;
        let text = hyphenated(stamped(1, 4));
        let others = format!(
            "INSERT INTO orders (id) VALUES ('{text}'), (x'{:032x}')",
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
