//! The server makes ids by `NewId`, as the default of a column or in a trigger: of the format, of
//! the statement's time, and of random bits.

use std::collections::HashSet;
use std::ops::RangeInclusive;

use anyhow::{Context, Result, ensure};
use rowkey::format::{FieldKind, FormatKind, interval_counter};
use rowkey::sql::{Conversion, NewId, StoredForm};
use rowkey::storage::{Column, Layout, Nullability, Storage};
use rowkey::{Backend, UnixMillis};

use super::conversions::forms;
use crate::cases::Cases;
use crate::driver::{Assumption, Driver, Session};
use crate::keys::Case;
use crate::query::Query;
use crate::samples::{INTERVAL_MS, position, samples};
use crate::scenario::Scenario;
use crate::table::distinct_cases;

/// As many rows as the random bits are counted in.
const ROWS: usize = 10_000;

/// Rows of the other forms of a format.
const FEW_ROWS: usize = 400;

/// How far the time of a distributed id is behind the clock.
const LEEWAY_MS: i64 = 1_000;

/// What the server makes the ids with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Maker {
    Default,
    Trigger,
}

pub(crate) fn scenarios<D: Cases>() -> Vec<Scenario<D>> {
    let is_made = |format: &FormatKind| {
        let form = StoredForm::named(*format, Backend::Postgres, "text");
        form.is_ok_and(|form| NewId::new(form).is_ok())
    };
    let of_format = FormatKind::ALL
        .into_iter()
        .filter(is_made)
        .flat_map(|format| {
            let named = |scenario| format!("{scenario}_{}", format.name().replace('-', "_"));
            [
                Scenario::new(named("the_server_makes"), move |session| {
                    Box::pin(the_server_makes(session, format))
                }),
                Scenario::new(named("the_server_makes_every_form_of"), move |session| {
                    Box::pin(the_server_makes_every_form_of(session, format))
                }),
                Scenario::new(named("the_server_makes_earlier"), move |session| {
                    Box::pin(the_server_makes_earlier(session, format))
                }),
            ]
        });
    let others = [
        Scenario::new("a_default_lets_programs_write_ids", |session| {
            Box::pin(a_default_lets_programs_write_ids(session))
        }),
        Scenario::new("the_server_counts_other_intervals", |session| {
            Box::pin(the_server_counts_other_intervals(session))
        }),
    ];
    of_format.chain(others).collect()
}

/// The function of PostgreSQL and MariaDB for ids of version 7.
pub(crate) fn own_function<D: Cases>() -> Scenario<D> {
    Scenario::new("the_servers_own_function_makes_uuid_v7", |session| {
        Box::pin(the_servers_own_function_makes_uuid_v7(session))
    })
    .assuming(Assumption::UuidV7)
}

/// What a server can make ids with. MySQL has had defaults since 8.0.13.
async fn makers<D: Driver>(session: &mut Session<D>) -> Result<Vec<Maker>> {
    if session.backend() != Backend::MySql {
        return Ok(vec![Maker::Default]);
    }
    let versions = session
        .fetch_text("SELECT VERSION() AS t", |row| D::get_text(row, "t"))
        .await?;
    let version = versions.into_iter().flatten().next().context("a version")?;
    let major: u32 = version.split('.').next().unwrap_or_default().parse()?;
    Ok(match major {
        ..8 => vec![Maker::Trigger],
        _ => vec![Maker::Trigger, Maker::Default],
    })
}

/// Creates a table whose ids the server makes, beside the number of a row.
async fn create_table<D: Driver>(
    session: &mut Session<D>,
    table: &str,
    new_id: NewId,
    maker: Maker,
) -> Result<()> {
    let column = match maker {
        Maker::Default => new_id.column_definition("id")?,
        Maker::Trigger => new_id.column_definition_for_trigger("id")?,
    };
    let (table_name, primary) = (session.quoted(table), session.quoted("id"));
    session
        .execute(format!(
            "CREATE TABLE {table_name} ({column}, n BIGINT NOT NULL, PRIMARY KEY ({primary}))"
        ))
        .await?;
    if maker == Maker::Trigger {
        let trigger = new_id.trigger(&format!("{table}_id"), table, "id")?;
        session.execute(trigger).await?;
    }
    Ok(())
}

/// Inserts rows without ids, in statements of a thousand, and tells between which milliseconds the
/// server's clock has been.
async fn insert_rows<D: Driver>(
    session: &mut Session<D>,
    table: &str,
    rows: usize,
) -> Result<RangeInclusive<i64>> {
    let before = seconds(session).await?;
    let table = session.quoted(table);
    let numbers: Vec<usize> = (0..rows).collect();
    for chunk in numbers.chunks(1_000) {
        let rows: Vec<String> = chunk.iter().map(|n| format!("({n})")).collect();
        session
            .execute(format!(
                "INSERT INTO {table} (n) VALUES {}",
                rows.join(", ")
            ))
            .await?;
    }
    let after = seconds(session).await?;
    Ok(before * 1_000..=after * 1_000 + 999)
}

/// The server's clock, in another way than that of the expressions.
async fn seconds<D: Driver>(session: &mut Session<D>) -> Result<i64> {
    let sql = match session.backend() {
        Backend::Postgres => "SELECT CAST(floor(extract(epoch FROM now())) AS bigint) AS n",
        Backend::MySql | Backend::MariaDb => "SELECT CAST(UNIX_TIMESTAMP() AS SIGNED) AS n",
        Backend::Sqlite => "SELECT CAST(strftime('%s', 'now') AS INTEGER) AS n",
        Backend::SqlServer => "SELECT DATEDIFF_BIG(second, '1970-01-01', SYSUTCDATETIME()) AS n",
    };
    let seconds = session
        .fetch_text(sql, |row| D::get_integer(row, "n"))
        .await?;
    seconds.first().copied().context("a clock")
}

/// The keys of a format, and their columns.
fn cases_of<D: Cases>(session: &Session<D>, format: FormatKind) -> Vec<(Case<D>, Column)> {
    let mut cases = distinct_cases(session);
    cases.retain(|(_, column)| column.format() == format);
    cases
}

/// Rows are inserted without ids, and the driver reads keys.
async fn the_server_makes<D: Cases>(session: &mut Session<D>, format: FormatKind) -> Result<()> {
    let mut made = 0;
    for (case, column) in cases_of(session, format) {
        let Ok(new_id) = NewId::new(column.into()) else {
            continue;
        };
        // The others are for their form.
        let rows = if made == 0 { ROWS } else { FEW_ROWS };
        for maker in makers(session).await? {
            // PostgreSQL keeps the plan of a prepared statement, and the name has to be another.
            let table = format!("made_{made}");
            create_table(session, &table, new_id, maker).await?;
            let times = insert_rows(session, &table, rows).await?;
            let query = Query::new(format!("SELECT id FROM {table}"));
            let ids = session
                .fetch(query, |row| (case.get)(row, "id"))
                .await
                .with_context(|| format!("{column:?} by {maker:?}"))?;
            check_ids(format, &ids, rows, &times)
                .with_context(|| format!("{column:?} by {maker:?}"))?;
            made += 1;
        }
    }
    ensure!(made > 0, "no key over {format} is made");
    Ok(())
}

/// Keys read what it makes as the default of a column, and find it by its time.
async fn the_servers_own_function_makes_uuid_v7<D: Cases>(session: &mut Session<D>) -> Result<()> {
    let format = FormatKind::UuidV7;
    let backend = session.backend();
    let mut made = 0;
    for (case, column) in cases_of(session, format) {
        let function = match (backend, column.storage(), column.layout()) {
            (Backend::Postgres, Storage::Uuid, Layout::Public) => "uuidv7()",
            (Backend::Postgres, Storage::Text, _) => "uuidv7()::text",
            (Backend::Postgres, Storage::Binary, Layout::Public) => "uuid_send(uuidv7())",
            (Backend::MariaDb, Storage::NativeUuid | Storage::Text, _) => "UUID_v7()",
            (Backend::MariaDb, Storage::Binary, Layout::Public) => {
                "UNHEX(REPLACE(UUID_v7(), '-', ''))"
            }
            _ => continue,
        };
        let id = case
            .plan
            .column_definition(backend, "id", Nullability::NotNull)?;
        let table = format!("own_{made}");
        session
            .execute(format!(
                "CREATE TABLE {table} ({id} DEFAULT ({function}), n BIGINT NOT NULL, PRIMARY KEY (id))"
            ))
            .await?;
        let times = insert_rows(session, &table, FEW_ROWS).await?;
        let query = Query::new(format!("SELECT id FROM {table} ORDER BY id"));
        let ids = session.fetch(query, |row| (case.get)(row, "id")).await?;
        ensure!(ids.len() == FEW_ROWS, "{column:?} has {} ids", ids.len());
        ensure!(
            ids.is_sorted_by(|one, next| one < next),
            "{column:?} has another order"
        );
        for id in ids {
            ensure!(
                format.admits(id),
                "{column:?}: {id:032x} is not of the format"
            );
            check_time(format, id, &times)?;
        }
        made += 1;
    }
    ensure!(made > 1, "{made} columns have such a default");
    Ok(())
}

/// The forms that no key has, such as layouts that lose the order, are made as well.
async fn the_server_makes_every_form_of<D: Driver>(
    session: &mut Session<D>,
    format: FormatKind,
) -> Result<()> {
    let backend = session.backend();
    let public = StoredForm::named(format, backend, "text:public").map_err(anyhow::Error::msg)?;
    let makers = makers(session).await?;
    let maker = *makers.last().context("a maker")?;
    let mut made = 0;
    for form in forms(backend, format) {
        let (Ok(new_id), Ok(text)) = (NewId::new(form), Conversion::new(form, public)) else {
            continue;
        };
        create_table(session, "made", new_id, maker).await?;
        let times = insert_rows(session, "made", FEW_ROWS).await?;
        let sql = format!(
            "SELECT {} AS t FROM made WHERE {}",
            text.expression("id")?,
            form.condition(&session.quoted("id"))?
        );
        let texts = session
            .fetch_text(&sql, |row| D::get_text(row, "t"))
            .await
            .with_context(|| sql.clone())?;
        let ids: Vec<u128> = texts
            .into_iter()
            .map(|text| Ok(format.parse_public(&text.context("an id")?)?))
            .collect::<Result<_>>()?;
        check_ids(format, &ids, FEW_ROWS, &times).with_context(|| format!("{form:?}"))?;
        session.execute("DROP TABLE made").await?;
        made += 1;
    }
    ensure!(made > 0, "no form of {format} is made");
    Ok(())
}

/// Whether they are as many different ids of the format, of the time, with random bits.
fn check_ids(
    format: FormatKind,
    ids: &[u128],
    rows: usize,
    times: &RangeInclusive<i64>,
) -> Result<()> {
    ensure!(ids.len() == rows, "{} of {rows} are ids", ids.len());
    let different: HashSet<u128> = ids.iter().copied().collect();
    ensure!(different.len() == rows, "{} are different", different.len());
    for id in ids {
        ensure!(format.admits(*id), "{id:032x} is not of the format");
        check_time(format, *id, times)?;
    }
    let mut random = 0;
    for field in format.fields() {
        let (first, width) = (u32::from(field.first_bit), u32::from(field.width));
        let bits = u128::MAX >> (128 - width) << (128 - first - width);
        match field.kind {
            FieldKind::Random => random |= bits,
            FieldKind::Version(value) | FieldKind::Variant(value) | FieldKind::Constant(value) => {
                let fixed = u128::from(value) << (128 - first - width);
                let other = ids.iter().find(|id| **id & bits != fixed);
                ensure!(other.is_none(), "{other:032x?} has other fixed bits");
            }
            _ => {}
        }
    }
    check_random_bits(ids, random)?;
    // Bytes that are the same, or related, would be of one draw.
    for distance in (8..128).step_by(8) {
        let related: Vec<u128> = ids.iter().map(|id| id ^ (id >> distance)).collect();
        check_random_bits(&related, random & random >> distance)
            .with_context(|| format!("bits {distance} apart"))?;
    }
    Ok(())
}

fn check_time(format: FormatKind, id: u128, times: &RangeInclusive<i64>) -> Result<()> {
    let (start, end) = times.clone().into_inner();
    let Some(found) = position(format, id) else {
        return Ok(());
    };
    let is_within = match format {
        FormatKind::ShortPrefixComb | FormatKind::ShortSuffixComb => {
            let counter = |time| interval_counter(UnixMillis::new(time), INTERVAL_MS as u64);
            let counters = [i64::from(counter(start)?), i64::from(counter(end)?)];
            counters.contains(&found)
        }
        FormatKind::DistributedId => times.contains(&(found + LEEWAY_MS)),
        _ => times.contains(&found),
    };
    ensure!(
        is_within,
        "{id:032x} has the time {found}, not one of {times:?}"
    );
    Ok(())
}

/// Whether each of these bits is set about as often as not: up to ten standard deviations from it,
/// which are 5 % in ten thousand ids.
fn check_random_bits(ids: &[u128], mask: u128) -> Result<()> {
    let tolerance = 5.0 / (ids.len() as f64).sqrt();
    for bit in (0..128).filter(|bit| mask >> bit & 1 == 1) {
        let set = ids.iter().filter(|id| **id >> bit & 1 == 1).count();
        let share = set as f64 / ids.len() as f64;
        ensure!(
            (share - 0.5).abs() <= tolerance,
            "bit {} is set in {share} of the ids",
            127 - bit
        );
    }
    Ok(())
}

/// Rows that are already there get ids of the time at which they were made; those of no time, or of
/// one that the format does not hold, get none.
async fn the_server_makes_earlier<D: Cases>(
    session: &mut Session<D>,
    format: FormatKind,
) -> Result<()> {
    let backend = session.backend();
    let instants = [
        i64::MIN >> 8,
        -8_520_336_000_001,
        -8_520_336_000_000,
        -2_208_988_800_001,
        -2_208_988_800_000,
        -60_001,
        -60_000,
        -1,
        0,
        1,
        59_999,
        60_000,
        1_647_575_039_999,
        1_647_575_040_000,
        1_700_000_000_000,
        (1 << 45) - 2_208_988_800_001,
        (1 << 45) - 2_208_988_800_000,
        (1 << 48) - 8_520_336_000_001,
        (1 << 48) - 8_520_336_000_000,
        (1 << 48) - 1,
        82_718_061_255_301 - 8_520_336_000_000,
        82_718_061_255_302 - 8_520_336_000_000,
        1 << 48,
        i64::MAX >> 8,
    ];
    let mut made = 0;
    for (case, column) in cases_of(session, format) {
        let Ok(new_id) = NewId::new(column.into()) else {
            continue;
        };
        let ms = session.quoted("ms");
        let table = format!("earlier_{made}");
        let Ok(expression) = new_id.expression_at(&ms) else {
            ensure!(format == FormatKind::UuidV4, "{format} carries time");
            return Ok(());
        };
        let id = case
            .plan
            .column_definition(backend, "id", Nullability::Nullable)?;
        session
            .execute(format!(
                "CREATE TABLE {table} ({id}, n BIGINT, {ms} BIGINT NULL)"
            ))
            .await?;
        let rows = instants.iter().enumerate();
        let mut rows: Vec<String> = rows.map(|(n, ms)| format!("({n}, {ms})")).collect();
        rows.push(format!("({}, NULL)", instants.len()));
        session
            .execute(format!(
                "INSERT INTO {table} (n, {ms}) VALUES {}",
                rows.join(", ")
            ))
            .await?;
        session
            .execute(format!("UPDATE {table} SET id = {expression}"))
            .await?;
        let query = Query::new(format!("SELECT id FROM {table} ORDER BY n"));
        let ids = session
            .fetch(query, |row| (case.get_optional)(row, "id"))
            .await
            .with_context(|| format!("{column:?}"))?;
        let times = instants.into_iter().map(Some).chain([None]);
        for (time, id) in times.zip(ids) {
            let expected = time.and_then(|time| expected_position(column, time));
            let found = id.and_then(|id| position(format, id));
            ensure!(
                found == expected && id.is_some() == expected.is_some(),
                "{column:?} has {id:032x?} for {time:?}"
            );
            made += 1;
        }
    }
    ensure!(made > instants.len(), "{made} ids of {format} are made");
    Ok(())
}

/// The place of an id of an instant in the format's order of time.
fn expected_position(column: Column, time: i64) -> Option<i64> {
    let range = match column.format() {
        FormatKind::ShortPrefixComb | FormatKind::ShortSuffixComb => {
            let counter = interval_counter(UnixMillis::new(time), INTERVAL_MS as u64);
            return counter.ok().map(i64::from);
        }
        FormatKind::DistributedId => -2_208_988_800_000..(1 << 45) - 2_208_988_800_000,
        FormatKind::DistributedId128 => {
            // Not all ids of the last millisecond, unless the column holds 128 bits.
            let end =
                (column.max_value() >> 80) as i64 + i64::from(column.max_value() == u128::MAX);
            -8_520_336_000_000..end - 8_520_336_000_000
        }
        _ => 0..1 << 48,
    };
    range.contains(&time).then_some(time)
}

/// A default is for rows without an id.
async fn a_default_lets_programs_write_ids<D: Cases>(session: &mut Session<D>) -> Result<()> {
    let format = FormatKind::PrefixComb;
    let (case, column) = cases_of(session, format).swap_remove(0);
    let new_id = NewId::new(column.into())?;
    for maker in makers(session).await? {
        create_table(session, "made", new_id, maker).await?;
        let own = samples(format)[0];
        let mut insert = Query::new("INSERT INTO made (id, n) VALUES (");
        insert.push_param((case.param)(own)).push(", 7)");
        session.run(insert).await?;
        insert_rows(session, "made", 3).await?;
        let query = Query::new("SELECT id FROM made ORDER BY n");
        let ids = session.fetch(query, |row| (case.get)(row, "id")).await?;
        ensure!(ids.len() == 4 && ids[3] == own, "{ids:x?}");
        ensure!(!ids[..3].contains(&own), "{ids:x?}");
        session.execute("DROP TABLE made").await?;
    }
    Ok(())
}

/// A counter of any interval is that of the format, also before 1970.
async fn the_server_counts_other_intervals<D: Cases>(session: &mut Session<D>) -> Result<()> {
    let format = FormatKind::ShortPrefixComb;
    let (case, column) = cases_of(session, format).swap_remove(0);
    let id = case
        .plan
        .column_definition(session.backend(), "id", Nullability::Nullable)?;
    let ms = session.quoted("ms");
    session
        .execute(format!(
            "CREATE TABLE counted ({id}, n BIGINT, {ms} BIGINT)"
        ))
        .await?;
    let instants: [i64; 9] = [
        i64::MIN >> 2,
        -1_647_575_040_001,
        -86_400_000,
        -30_001,
        -1,
        0,
        29_999,
        1_647_575_040_000,
        i64::MAX >> 2,
    ];
    let rows = instants.iter().enumerate();
    let rows: Vec<String> = rows.map(|(n, time)| format!("({n}, {time})")).collect();
    session
        .execute(format!(
            "INSERT INTO counted (n, {ms}) VALUES {}",
            rows.join(", ")
        ))
        .await?;
    for interval_ms in [1, 7, 30_000, 86_400_000, i64::MAX as u64, u64::MAX] {
        let new_id = NewId::new(column.into())?.with_interval(interval_ms)?;
        let expression = new_id.expression_at(&ms)?;
        session
            .execute(format!("UPDATE counted SET id = {expression}"))
            .await?;
        let query = Query::new("SELECT id FROM counted ORDER BY n");
        let ids = session.fetch(query, |row| (case.get)(row, "id")).await?;
        let found: Vec<Option<i64>> = ids.iter().map(|id| position(format, *id)).collect();
        let counters = instants.map(|time| interval_counter(UnixMillis::new(time), interval_ms));
        let expected: Vec<Option<i64>> = counters
            .into_iter()
            .map(|counter| Ok(Some(i64::from(counter?))))
            .collect::<Result<_>>()?;
        ensure!(
            found == expected,
            "{interval_ms}: {found:?}, not {expected:?}"
        );
    }
    Ok(())
}
