//! Tables partitioned by the time in their keys: rows are in the partition of their time, and
//! queries of a time span read nothing else.

use anyhow::{Context, Result, bail, ensure};
use rowkey::error::ErrorKind;
use rowkey::format::FormatKind;
use rowkey::sql::{Partitions, day_starts};
use rowkey::storage::{Nullability, Storage, TableName};
use rowkey::{Backend, UnixMillis};

use crate::cases::Cases;
use crate::driver::{Ability, Session};
use crate::keys::{Case, PushSpan, Span};
use crate::partitioned::{add_partitions, partitions_read};
use crate::query::Query;
use crate::samples::{WRAP, made_within, position, samples};
use crate::scenario::Scenario;
use crate::table::{Record, Table, distinct_cases, distinct_cases_of};

const DAY: i64 = 86_400_000;

/// 2022-03-16T00:00:00Z, two days before the samples' centre.
const FIRST: i64 = WRAP - WRAP % DAY - 2 * DAY;

/// The days from the first edge on, as partitions are called.
const DAYS: [&str; 5] = ["20220316", "20220317", "20220318", "20220319", "20220320"];

/// The partitions, as PostgreSQL appends them to the name of the table.
fn known() -> impl Iterator<Item = &'static str> {
    DAYS.into_iter().chain(["rest"])
}

pub(crate) fn scenarios<D: Cases>(backend: Backend) -> Vec<Scenario<D>> {
    if !matches!(
        backend,
        Backend::Postgres | Backend::MySql | Backend::MariaDb
    ) {
        return Vec::new();
    }
    let storages = Storage::ALL
        .into_iter()
        .filter(|storage| *storage != Storage::NativeUuid || backend == Backend::MariaDb);
    let rows_elsewhere = Scenario::new("rows_without_a_partition", |session| {
        Box::pin(rows_without_a_partition(session))
    });
    let other_schema = Scenario::new("partitions_of_a_table_in_another_schema", |session| {
        Box::pin(partitions_in_another_schema(session))
    });
    storages
        .map(|storage| {
            let name = format!("partitions_of_{}", storage.name().replace('-', "_"));
            Scenario::new(name, move |session| {
                Box::pin(partitions_of(session, storage))
            })
        })
        .chain([rows_elsewhere, other_schema])
        .collect()
}

/// The edges of this many daily partitions from a day on.
fn days(from: i64, count: usize) -> impl Iterator<Item = UnixMillis> {
    day_starts(UnixMillis::new(FIRST + from * DAY)).take(count + 1)
}

async fn partitions_of<D: Cases>(session: &mut Session<D>, storage: Storage) -> Result<()> {
    let backend = session.backend();
    for (case, column) in distinct_cases_of(session, storage) {
        let Some(push_span) = case.push_span else {
            continue;
        };
        let format = case.format();
        let name = Table::name_of(&case, backend);
        let partitions = Partitions::by_time(case.plan, name.as_str(), "id", days(0, 4));
        let is_ring = matches!(
            format,
            FormatKind::ShortPrefixComb | FormatKind::ShortSuffixComb
        );
        let partitions = match partitions {
            Err(error) if error.kind() == ErrorKind::Declaration && is_ring => continue,
            partitions => partitions?.with_rest(),
        };
        let clause = partitions.partition_by(backend);
        let is_refused = storage == Storage::Decimal && backend != Backend::Postgres;
        let clause = match clause {
            // Nothing is refused that the server would take.
            Err(error) if error.kind() == ErrorKind::Declaration && is_refused => {
                let edge = column.literal(samples(format)[0]);
                let clause = format!(
                    "PARTITION BY RANGE COLUMNS (id) (PARTITION first VALUES LESS THAN ({edge}))"
                );
                let created = Table::create_with(session, &case, &clause).await;
                ensure!(created.is_err(), "{format}: the server does partition it");
                continue;
            }
            clause => clause?,
        };
        let table = Table::create_with(session, &case, &clause).await?;
        for statement in partitions.after_create(backend)? {
            session.execute(statement).await?;
        }
        let records = Record::numbered(samples(format));
        table.insert(session, &records).await?;
        check(session, &table, &case, push_span, &records)
            .await
            .with_context(|| format!("{format}"))?;

        let later = Partitions::by_time(case.plan, name.as_str(), "id", days(4, 1))?.with_rest();
        add_partitions(session, &name, later.additions(backend)?).await?;
        let expected = match backend {
            Backend::Postgres => Vec::new(),
            _ => numbers(
                &records,
                |time| (FIRST + 4 * DAY..FIRST + 5 * DAY).contains(&time),
                format,
            ),
        };
        let found = rows_in(session, &name, DAYS[4]).await?;
        ensure!(found == expected, "{format}: {found:?} are in the new day");
    }
    Ok(())
}

/// Where a row goes that is older or newer than all partitions, and there is no rest.
async fn rows_without_a_partition<D: Cases>(session: &mut Session<D>) -> Result<()> {
    let backend = session.backend();
    for (case, column) in distinct_cases(session) {
        if column.storage() != Storage::Uuid || case.format() != FormatKind::UuidV7 {
            continue;
        }
        let name = Table::name_of(&case, backend);
        let partitions = Partitions::by_time(case.plan, name.as_str(), "id", days(0, 2))?;
        let clause = partitions.partition_by(backend)?;
        let table = Table::create_with(session, &case, &clause).await?;
        for statement in partitions.after_create(backend)? {
            session.execute(statement).await?;
        }
        let records = Record::numbered(samples(case.format()));
        let made = |record: &Record| position(case.format(), record.id).unwrap_or_default();
        let in_the_middle = records
            .iter()
            .find(|record| (FIRST..FIRST + 2 * DAY).contains(&made(record)));
        let (older, newer) = (
            records.iter().min_by_key(|record| made(record)),
            records.iter().max_by_key(|record| made(record)),
        );
        let [Some(older), Some(newer), Some(in_the_middle)] = [older, newer, in_the_middle] else {
            bail!("no samples");
        };
        table.insert(session, &[*in_the_middle]).await?;
        let is_newer_taken = table.insert(session, &[*newer]).await.is_ok();
        let is_older_taken = table.insert(session, &[*older]).await.is_ok();
        ensure!(!is_newer_taken, "{newer:?} has a partition");
        ensure!(
            is_older_taken == (backend != Backend::Postgres),
            "{older:?}"
        );
        if is_older_taken {
            ensure!(rows_in(session, &name, DAYS[0]).await?.contains(&older.n));
        }
        return Ok(());
    }
    bail!("no key over UUIDv7")
}

/// A table that is not where names without a schema are looked for.
async fn partitions_in_another_schema<D: Cases>(session: &mut Session<D>) -> Result<()> {
    let (kind, schema) = match session.backend() {
        Backend::Postgres => ("SCHEMA", "ware house".to_owned()),
        // Of the whole server, so that its name is one of this test alone.
        _ => {
            let own = "SELECT DATABASE() AS name";
            let names = session
                .fetch_text(own, |row| D::get_text(row, "name"))
                .await?;
            let own = names.into_iter().flatten().next();
            let own = own.context("a session has a database")?;
            ("DATABASE", format!("{own} ware house"))
        }
    };
    let quoted = session.quoted(&schema);
    session.execute(format!("CREATE {kind} {quoted}")).await?;
    let outcome = check_schema(session, &schema).await;
    let cascade = if kind == "SCHEMA" { " CASCADE" } else { "" };
    session
        .execute(format!("DROP {kind} {quoted}{cascade}"))
        .await?;
    outcome
}

async fn check_schema<D: Cases>(session: &mut Session<D>, schema: &str) -> Result<()> {
    const NAME: &str = "order lines";

    let backend = session.backend();
    let cases = distinct_cases(session);
    let case = cases.into_iter().find(|(case, column)| {
        column.storage() == Storage::Uuid && case.format() == FormatKind::UuidV7
    });
    let (case, column) = case.context("there is a key over UUIDv7")?;
    let push_span = case.push_span.context("its ids tell their time")?;

    let table = TableName::from((schema, NAME));
    let partitions = Partitions::by_time(case.plan, table, "id", days(0, 4))?.with_rest();
    let quoted = table.quoted(backend)?;
    let id = case
        .plan
        .column_definition(backend, "id", Nullability::NotNull)?;
    let clause = partitions.partition_by(backend)?;
    session
        .execute(format!(
            "CREATE TABLE {quoted} ({id} PRIMARY KEY, n BIGINT NOT NULL) {clause}"
        ))
        .await?;
    for statement in partitions.after_create(backend)? {
        session.execute(statement).await?;
    }
    let records = Record::numbered(samples(case.format()));
    for record in &records {
        let (id, n) = (column.literal(record.id), record.n);
        session
            .execute(format!("INSERT INTO {quoted} (id, n) VALUES ({id}, {n})"))
            .await?;
    }

    let (from, to) = (FIRST + DAY, FIRST + 2 * DAY);
    let mut query = Query::new(format!("SELECT n FROM {quoted} WHERE "));
    let span = Span {
        from: Some(UnixMillis::new(from)),
        to: Some(UnixMillis::new(to)),
    };
    push_span(&mut query, "id", span);
    let mut found = session.fetch(query, |row| D::get_integer(row, "n")).await?;
    found.sort_unstable();
    let expected = numbers(&records, |time| (from..to).contains(&time), case.format());
    ensure!(!expected.is_empty(), "no sample is of that day");
    ensure!(found == expected, "{found:?} are found, not {expected:?}");
    if D::can(Ability::Explain, backend) {
        let mut query = Query::new(format!("SELECT n FROM {quoted} WHERE "));
        push_span(&mut query, "id", span);
        let read = partitions_read(session, NAME, known(), query).await?;
        ensure!(read == DAYS[1..2], "{read:?} are read");
    }

    if backend == Backend::Postgres {
        // The rows of the new day have to leave the rest first.
        let rest = TableName::from((schema, "order lines_rest")).quoted(backend)?;
        session.execute(format!("DELETE FROM {rest}")).await?;
    }
    let later = Partitions::by_time(case.plan, table, "id", days(4, 1))?.with_rest();
    for statement in later.additions(backend)? {
        session.execute(statement).await?;
    }
    Ok(())
}

/// The numbers of the rows of some times, ascending.
fn numbers(records: &[Record], is_meant: impl Fn(i64) -> bool, format: FormatKind) -> Vec<i64> {
    let is_meant = |record: &&Record| position(format, record.id).is_some_and(&is_meant);
    records
        .iter()
        .filter(is_meant)
        .map(|record| record.n)
        .collect()
}

/// The numbers of the rows in a partition, ascending.
async fn rows_in<D: Cases>(
    session: &mut Session<D>,
    table: &str,
    partition: &str,
) -> Result<Vec<i64>> {
    let from = match session.backend() {
        Backend::Postgres => session.quoted(&format!("{table}_{partition}")),
        _ => {
            let name = match partition {
                "rest" => "rest".to_owned(),
                day => format!("p{day}"),
            };
            let (table, name) = (session.quoted(table), session.quoted(&name));
            format!("{table} PARTITION ({name})")
        }
    };
    let query = Query::new(format!("SELECT n FROM {from} ORDER BY n"));
    Ok(session.fetch(query, |row| D::get_integer(row, "n")).await?)
}

async fn check<D: Cases>(
    session: &mut Session<D>,
    table: &Table<'_, D>,
    case: &Case<D>,
    push_span: PushSpan<D>,
    records: &[Record],
) -> Result<()> {
    let (backend, format) = (session.backend(), case.format());
    let name = Table::name_of(case, backend);
    let end = FIRST + 4 * DAY;
    // What is older is in the rest or in the first partition.
    let is_old_in_first = backend != Backend::Postgres;
    for (index, day) in (0..4).zip(DAYS) {
        let (from, to) = (FIRST + index * DAY, FIRST + (index + 1) * DAY);
        let expected = numbers(
            records,
            |time| time >= from && time < to || index == 0 && is_old_in_first && time < from,
            format,
        );
        let found = rows_in(session, &name, day).await?;
        ensure!(!expected.is_empty(), "no sample is of {day}");
        ensure!(
            found == expected,
            "{found:?} are in {day}, not {expected:?}"
        );
    }
    let expected = numbers(
        records,
        |time| time >= end || !is_old_in_first && time < FIRST,
        format,
    );
    let found = rows_in(session, &name, "rest").await?;
    ensure!(
        found == expected,
        "{found:?} are in the rest, not {expected:?}"
    );

    // From, to, and the partitions that are read.
    let hour = 3_600_000;
    for (from, to, read) in [
        (FIRST + DAY, FIRST + 2 * DAY, &DAYS[1..2]),
        (FIRST + DAY + hour, FIRST + DAY + 2 * hour, &DAYS[1..2]),
        (FIRST + 2 * DAY, FIRST + 2 * DAY + 1_000, &DAYS[2..3]),
        (FIRST + 3 * DAY - 1_000, FIRST + 3 * DAY, &DAYS[2..3]),
        (FIRST + 2 * DAY - hour, FIRST + 2 * DAY + hour, &DAYS[1..3]),
        (FIRST + DAY, FIRST + 4 * DAY, &DAYS[1..4]),
        (end, end + DAY, &["rest"]),
    ] {
        let span = Span {
            from: Some(UnixMillis::new(from)),
            to: Some(UnixMillis::new(to)),
        };
        let is_within = made_within(format, Some(from), Some(to));
        let within = records.iter().filter(|record| is_within(record.id));
        let expected: Vec<i64> = within.map(|record| record.n).collect();
        let found = table
            .numbers_where(session, |query| push_span(query, "id", span))
            .await?;
        ensure!(
            found == expected,
            "{span:?} finds {found:?}, not {expected:?}"
        );
        if D::can(Ability::Explain, backend) {
            let mut query = table.query("SELECT n FROM", " WHERE ");
            push_span(&mut query, "id", span);
            let found = partitions_read(session, &name, known(), query).await?;
            ensure!(found == read, "{span:?} reads {found:?}, not {read:?}");
        }
    }
    Ok(())
}
