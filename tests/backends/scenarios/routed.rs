//! Tables with a column of the number in their keys: the databases compute the number that Rust
//! does, refuse another, and find a key in its partition.

use anyhow::{Context, Result, ensure};
use rowkey::error::ErrorKind;
use rowkey::sql::Partitions;
use rowkey::storage::{Nullability, TableName};
use rowkey::{Backend, Error};

use crate::cases::Cases;
use crate::driver::{Ability, Driver, ROUTING_COLUMN, Session};
use crate::partitioned::{add_partitions, partitions_read};
use crate::query::Query;
use crate::routed::{ColumnSql, List, Routed};
use crate::samples::Random;
use crate::scenario::Scenario;

/// How many ids of each column have their number computed, at least.
const COUNT: u32 = 2_000;

/// How many come in one statement.
const ROWS_AT_A_TIME: usize = 500;

pub(crate) fn scenarios<D: Cases>(backend: Backend) -> Vec<Scenario<D>> {
    let refused = Scenario::new("rows_with_another_number_are_refused", |session| {
        Box::pin(rows_with_another_number(session))
    });
    let mut scenarios = vec![refused];
    if matches!(
        backend,
        Backend::Postgres | Backend::MySql | Backend::MariaDb
    ) {
        scenarios.extend([
            Scenario::new("keys_are_found_in_their_list", |session| {
                Box::pin(partitions(session, Kind::Lists))
            }),
            Scenario::new("keys_are_found_in_their_range", |session| {
                Box::pin(partitions(session, Kind::Ranges))
            }),
        ]);
    }
    scenarios
}

/// What one driver of a database shows for all.
pub(crate) fn numbers<D: Cases>() -> Scenario<D> {
    Scenario::new("databases_compute_the_numbers_in_keys", |session| {
        Box::pin(numbers_in_keys(session))
    })
}

/// A name for the table of a case.
pub(super) fn table_name<D: Driver>(routed: &Routed<D>, backend: Backend) -> String {
    let column = routed.case.plan.column(backend);
    let (storage, layout) = (column.storage(), column.layout());
    format!("{} in {storage}:{layout}", routed.part)
}

/// The numbers of a case in ascending order, with both ends and every bit.
fn sample_numbers<D: Driver>(routed: &Routed<D>) -> Vec<u32> {
    let bits = (0..32).map(|bit| 1 << bit);
    let mut numbers: Vec<u32> = bits.chain([0, 2, 3, 5, 254, 255, u32::MAX]).collect();
    numbers.retain(|number| *number <= routed.max);
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

async fn numbers_in_keys<D: Cases>(session: &mut Session<D>) -> Result<()> {
    let backend = session.backend();
    for routed in D::routed() {
        let name = table_name(&routed, backend);
        check_numbers(session, &routed, &name).await.context(name)?;
    }
    Ok(())
}

async fn check_numbers<D: Cases>(
    session: &mut Session<D>,
    routed: &Routed<D>,
    name: &str,
) -> Result<()> {
    let backend = session.backend();
    let table = session.quoted(name);
    let plan = routed.case.plan;
    let id = plan.column_definition(backend, "id", Nullability::NotNull)?;
    session
        .execute(format!("CREATE TABLE {table} ({id}, PRIMARY KEY (id))"))
        .await?;

    let mut random = Random::Seeded(u64::from(routed.max));
    let known = sample_numbers(routed);
    let mut ids: Vec<u128> = Vec::new();
    for number in known {
        for bits in [0, u64::MAX] {
            ids.push((routed.made)(number, &mut Random::Constant(bits)));
        }
    }
    for _ in 0..COUNT {
        let number = random.next() as u32 & routed.max;
        ids.push((routed.made)(number, &mut random));
    }
    ids.sort_unstable();
    ids.dedup();
    ensure!(ids.len() >= COUNT as usize);
    for chunk in ids.chunks(ROWS_AT_A_TIME) {
        let mut insert = Query::new(format!("INSERT INTO {table} (id) VALUES "));
        for (index, id) in chunk.iter().enumerate() {
            insert
                .push(if index == 0 { "(" } else { ", (" })
                .push_param((routed.case.param)(*id))
                .push(")");
        }
        session.run(insert).await?;
    }

    let expression = (routed.sql)(backend, name.into())?.expression;
    let number = cast(backend, &expression);
    let select = format!("SELECT t.id AS id, {number} AS n FROM {table} AS t");
    let rows = session
        .fetch(Query::new(select), |row| {
            Ok(((routed.case.get)(row, "id")?, D::get_integer(row, "n")?))
        })
        .await?;
    ensure!(rows.len() == ids.len(), "{} rows", rows.len());
    for (id, number) in rows {
        let expected = (routed.number)(id);
        ensure!(number == expected, "{id:032x}: {number}, not {expected}");
    }
    Ok(())
}

/// The number as an integer of 64 bits.
fn cast(backend: Backend, number: &str) -> String {
    match backend {
        Backend::MySql | Backend::MariaDb => format!("CAST({number} AS SIGNED)"),
        _ => format!("CAST({number} AS BIGINT)"),
    }
}

/// Creates a table with the column of a number.
pub(super) async fn create<D: Cases>(
    session: &mut Session<D>,
    routed: &Routed<D>,
    name: &str,
    partitions: Option<&Partitions>,
) -> Result<()> {
    let backend = session.backend();
    let ColumnSql {
        definition,
        check,
        primary_key,
        triggers,
        ..
    } = (routed.sql)(backend, name.into())?;
    let plan = routed.case.plan;
    let id = plan.column_definition(backend, "id", Nullability::NotNull)?;
    let mut statements = Vec::new();
    let (mut clause, mut after) = (String::new(), Vec::new());
    if let Some(partitions) = partitions {
        statements.extend(partitions.before_create(backend)?);
        clause = partitions.partition_by(backend)?;
        after = partitions.after_create(backend)?;
    }
    let table = session.quoted(name);
    statements.push(format!(
        "CREATE TABLE {table} ({id}, {definition}, n BIGINT NOT NULL, {primary_key}, {check}) {clause}"
    ));
    statements.extend(after);
    statements.extend(triggers);
    for statement in statements {
        session.execute(statement).await?;
    }
    Ok(())
}

/// Inserts a row with a number.
pub(super) async fn insert<D: Cases>(
    session: &mut Session<D>,
    routed: &Routed<D>,
    name: &str,
    id: u128,
    number: i64,
) -> Result<(), D::Error> {
    let (table, column) = (session.quoted(name), session.quoted(ROUTING_COLUMN));
    let mut insert = Query::new(format!("INSERT INTO {table} (id, {column}, n) VALUES ("));
    insert
        .push_param((routed.case.param)(id))
        .push(", ")
        .push_param(D::integer(number))
        .push(", ")
        .push_param(D::integer(number))
        .push(")");
    session.run(insert).await
}

async fn rows_with_another_number<D: Cases>(session: &mut Session<D>) -> Result<()> {
    let backend = session.backend();
    for routed in D::routed() {
        let name = table_name(&routed, backend);
        create(session, &routed, &name, None).await?;
        check_refusals(session, &routed, &name)
            .await
            .context(name)?;
    }
    Ok(())
}

async fn check_refusals<D: Cases>(
    session: &mut Session<D>,
    routed: &Routed<D>,
    name: &str,
) -> Result<()> {
    let (table, column) = (session.quoted(name), session.quoted(ROUTING_COLUMN));
    let mut random = Random::Seeded(7);
    let max = i64::from(routed.max);
    let ids = [0, 1, 2, routed.max].map(|number| (routed.made)(number, &mut random));
    for (id, number) in ids.into_iter().zip([0, 1, 2, max]) {
        ensure!((routed.number)(id) == number);
        for other in [number - 1, number + 1, max - number, number << 8, -1] {
            // Beyond the column, too.
            if other != number {
                let inserted = insert(session, routed, name, id, other).await;
                ensure!(inserted.is_err(), "{number} is stored as {other}");
            }
        }
        insert(session, routed, name, id, number).await?;
        // The id alone is as unique as before.
        for again in [number, number + 1] {
            let inserted = insert(session, routed, name, id, again).await;
            ensure!(inserted.is_err(), "{number} is stored twice");
        }
    }

    let [_, first, second, last] = ids;
    let set = |what: &[(&str, u128)], found: u128| {
        let mut update = Query::new(format!("UPDATE {table} SET "));
        for (index, (column, id)) in what.iter().enumerate() {
            update
                .push(if index == 0 { "" } else { ", " })
                .push(column)
                .push(" = ");
            let value = match *column {
                "id" => (routed.case.param)(*id),
                _ => D::integer((routed.number)(*id)),
            };
            update.push_param(value);
        }
        update.push(" WHERE ");
        (routed.push)(&mut update, found);
        update
    };
    let replacement = (routed.made)(5, &mut random);
    for changed in [
        set(&[(&column, second)], first),
        set(&[("id", replacement)], last),
    ] {
        ensure!(session.run(changed).await.is_err(), "an update is taken");
    }
    let both = set(&[("id", replacement), (&column, replacement)], last);
    session.run(both).await?;
    let number = cast(session.backend(), &column);
    let query = format!("SELECT {number} AS number FROM {table} ORDER BY {column}");
    let found = session
        .fetch(Query::new(query), |row| D::get_integer(row, "number"))
        .await?;
    ensure!(found == [0, 1, 2, 5], "{found:?} are stored");
    Ok(())
}

/// How a table is partitioned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Lists,
    Ranges,
}

/// The partitions by their names; the numbers of a range are its ends.
pub(super) const PARTITIONS: [(&str, &[u32]); 3] = [
    ("Kazakh stan", &[0, 7]),
    ("brazil", &[8, 99]),
    ("norway", &[100, 200]),
];

/// One that is added later.
pub(super) const LATER: (&str, &[u32]) = ("peru", &[201, 240]);

/// Numbers of no partition.
pub(super) const OTHERS: [u32; 2] = [241, 255];

/// The names of all partitions.
fn known() -> impl Iterator<Item = &'static str> {
    let known = PARTITIONS.into_iter().chain([LATER]);
    known.map(|(name, _)| name).chain(["rest"])
}

pub(super) fn divided<D: Driver>(
    routed: &Routed<D>,
    kind: Kind,
    table: TableName<'_>,
    partitions: &[List<'_>],
) -> Result<Partitions, Error> {
    match kind {
        Kind::Lists => (routed.lists)(table, partitions),
        Kind::Ranges => {
            let ends = |(name, numbers): &(&'static str, &[u32])| {
                (*name, numbers[0], numbers[numbers.len() - 1])
            };
            let partitions: Vec<(&'static str, &[u32])> = PARTITIONS
                .into_iter()
                .chain([LATER])
                .filter(|known| partitions.iter().any(|(name, _)| *name == known.0))
                .collect();
            let ranges: Vec<_> = partitions.iter().map(ends).collect();
            (routed.ranges)(table, &ranges)
        }
    }
}

async fn partitions<D: Cases>(session: &mut Session<D>, kind: Kind) -> Result<()> {
    let backend = session.backend();
    let has_rest = !(kind == Kind::Lists && backend == Backend::MySql);
    for routed in D::routed() {
        let name = table_name(&routed, backend);
        check_partitions(session, &routed, kind, &name, has_rest)
            .await
            .with_context(|| name.clone())?;
    }
    Ok(())
}

async fn check_partitions<D: Cases>(
    session: &mut Session<D>,
    routed: &Routed<D>,
    kind: Kind,
    name: &str,
    has_rest: bool,
) -> Result<()> {
    let backend = session.backend();
    let with_rest = |partitions: Partitions| {
        if has_rest {
            partitions.with_rest()
        } else {
            partitions
        }
    };
    let partitions = divided(routed, kind, name.into(), &PARTITIONS)?;
    if !has_rest {
        let rest = partitions.clone().with_rest().partition_by(backend);
        let kind = rest.as_ref().err().map(Error::kind);
        ensure!(kind == Some(ErrorKind::Declaration), "{rest:?}");
    }
    let partitions = with_rest(partitions);
    create(session, routed, name, Some(&partitions)).await?;

    let mut random = Random::Seeded(11);
    let mut expected: Vec<(&str, u128)> = Vec::new();
    for (partition, numbers) in PARTITIONS.into_iter().chain([LATER]) {
        for number in numbers {
            expected.push((partition, (routed.made)(*number, &mut random)));
        }
    }
    for number in OTHERS {
        expected.push(("rest", (routed.made)(number, &mut random)));
    }
    // What is in no partition yet.
    for (partition, id) in &mut expected {
        if *partition == LATER.0 {
            *partition = "rest";
        }
        let inserted = insert(session, routed, name, *id, (routed.number)(*id)).await;
        let is_taken = has_rest || *partition != "rest";
        ensure!(inserted.is_ok() == is_taken, "{partition}: {inserted:?}");
        // A partition does not hide what is wrong.
        let other = insert(session, routed, name, *id, (routed.number)(*id) - 1).await;
        ensure!(other.is_err(), "{partition}: another number is taken");
    }
    if !has_rest {
        expected.retain(|(partition, _)| *partition != "rest");
    }
    check_lookups(session, routed, name, &expected).await?;

    let later = with_rest(divided(routed, kind, name.into(), &[LATER])?);
    add_partitions(session, name, later.additions(backend)?).await?;
    if backend == Backend::Postgres {
        expected.retain(|(partition, _)| *partition != "rest");
    }
    for (partition, id) in &mut expected {
        let number = (routed.number)(*id);
        if LATER.1.iter().any(|later| i64::from(*later) == number) {
            *partition = LATER.0;
        }
    }
    let new = (routed.made)(LATER.1[0], &mut random);
    insert(session, routed, name, new, (routed.number)(new)).await?;
    expected.push((LATER.0, new));
    check_lookups(session, routed, name, &expected).await
}

/// Every row is found by its key, in its partition and nowhere else.
async fn check_lookups<D: Cases>(
    session: &mut Session<D>,
    routed: &Routed<D>,
    name: &str,
    expected: &[(&str, u128)],
) -> Result<()> {
    let backend = session.backend();
    let table = session.quoted(name);
    for (partition, id) in expected {
        let number = (routed.number)(*id);
        let select = || {
            let mut select = Query::new(format!("SELECT n FROM {table} WHERE "));
            (routed.push)(&mut select, *id);
            select
        };
        let found = session
            .fetch(select(), |row| D::get_integer(row, "n"))
            .await?;
        ensure!(found == [number], "{number}: {found:?}");
        if D::can(Ability::Explain, backend) {
            let read = partitions_read(session, name, known(), select()).await?;
            ensure!(read == [*partition], "{number} reads {read:?}");
            // A key alone says nothing of the partition.
            let mut by_key = Query::new(format!("SELECT n FROM {table} WHERE id = "));
            by_key.push_param((routed.case.param)(*id));
            let read = partitions_read(session, name, known(), by_key).await?;
            ensure!(read.len() >= PARTITIONS.len(), "{number}: {read:?}");
        }
    }
    Ok(())
}
