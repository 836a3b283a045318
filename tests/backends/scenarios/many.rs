//! A hundred thousand keys of the default plans, made as an application makes them.

use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, Ordering};

use anyhow::{Context, Result, ensure};
use rowkey::generate::{EntropyFn, GenerateWith};
use rowkey::{
    DistributedId, DistributedIdGenerator, EntityKey, FormatKind, Nullability, ShortPrefixComb,
    ShortSuffixComb, UnixMillis, UuidV7,
};
use sqlx::postgres::PgHasArrayType;
use sqlx::{MySql, Postgres, QueryBuilder, Sqlite};

use super::Scenario;
use crate::driver::{Driver, KeyOf, Session};
use crate::keys::{Case, Span, decimal, uuid};
use crate::samples::{INTERVAL_MS, RING_MS, Random, WRAP, made_within, position};

/// How many keys there are.
const COUNT: usize = 100_000;

/// How many are made while the clock stands still.
const BURST: usize = 4;

/// Appends the rows of these ids to `INSERT INTO <table> (id) `.
type PushRows<D> = fn(&mut QueryBuilder<D>, &[u128]);

/// The formats with time that have plans of different kinds by default: as they are, in another
/// layout, and as numbers.
macro_rules! scenarios {
    ($DB:ty, $push_rows:ident) => {{
        vec![
            Scenario::<$DB>::new("many_short_prefix_combs", |session| {
                type K = uuid::ShortPrefixComb;
                let made = made_with_clock::<ShortPrefixComb>();
                Box::pin(many(session, Case::with_time::<K>(), $push_rows::<K>, made))
            }),
            Scenario::new("many_short_suffix_combs", |session| {
                type K = uuid::ShortSuffixComb;
                let made = made_with_clock::<ShortSuffixComb>();
                Box::pin(many(session, Case::with_time::<K>(), $push_rows::<K>, made))
            }),
            Scenario::new("many_uuids_v7", |session| {
                type K = uuid::UuidV7;
                let made = made_with_clock::<UuidV7>();
                Box::pin(many(session, Case::with_time::<K>(), $push_rows::<K>, made))
            }),
            Scenario::new("many_distributed_ids", |session| {
                type K = decimal::DistributedId;
                let made = distributed_ids();
                Box::pin(many(session, Case::with_time::<K>(), $push_rows::<K>, made))
            }),
        ]
    }};
}

pub(crate) fn postgres() -> Vec<Scenario<Postgres>> {
    fn unnested<K: KeyOf<Postgres> + PgHasArrayType>(
        query: &mut QueryBuilder<Postgres>,
        ids: &[u128],
    ) {
        let keys: Vec<K> = ids.iter().map(|id| key(*id)).collect();
        query
            .push("SELECT * FROM unnest(")
            .push_bind(keys)
            .push(")");
    }
    scenarios!(Postgres, unnested)
}

pub(crate) fn mysql() -> Vec<Scenario<MySql>> {
    fn rows<K: KeyOf<MySql>>(query: &mut QueryBuilder<MySql>, ids: &[u128]) {
        query.push_values(ids, |mut row, id| {
            row.push_bind(key::<K>(*id));
        });
    }
    scenarios!(MySql, rows)
}

pub(crate) fn sqlite() -> Vec<Scenario<Sqlite>> {
    fn rows<K: KeyOf<Sqlite>>(query: &mut QueryBuilder<Sqlite>, ids: &[u128]) {
        query.push_values(ids, |mut row, id| {
            row.push_bind(key::<K>(*id));
        });
    }
    scenarios!(Sqlite, rows)
}

fn key<K: EntityKey>(id: u128) -> K {
    K::try_from(id).unwrap_or_else(|error| panic!("{id:x} is made by the format: {error}"))
}

/// An id and the time when it was made.
type Made = (u128, i64);

/// Instants from a third of the ring before its end to a third after it.
fn times() -> impl Iterator<Item = i64> {
    let steps = (COUNT / BURST) as i64;
    let step = RING_MS * 2 / 3 / steps;
    (-steps / 2..steps / 2).flat_map(move |count| [WRAP + count * step; BURST])
}

fn made_with_clock<F: GenerateWith<Context = ()>>() -> Vec<Made> {
    let mut random = Random::Seeded(3);
    let mut entropy = EntropyFn(move |bytes: &mut [u8]| {
        for chunk in bytes.chunks_mut(8) {
            chunk.copy_from_slice(&random.next().to_le_bytes()[..chunk.len()]);
        }
    });
    let made = |time| {
        let id = F::generate_with(&(), &UnixMillis::new(time), &mut entropy);
        (id.expect("the times are in range").to_u128(), time)
    };
    times().map(made).collect()
}

fn distributed_ids() -> Vec<Made> {
    let now = AtomicI64::new(0);
    let clock = || UnixMillis::new(now.load(Ordering::Relaxed));
    let generator = DistributedIdGenerator::new().with_clock(clock);
    let made = |time| {
        now.store(time, Ordering::Relaxed);
        let id: DistributedId = generator.try_generate().expect("four in a millisecond");
        (id.to_u128(), time)
    };
    times().map(made).collect()
}

/// The rows come in the order in which they were made, as far as the format tells, and a time span
/// is found by searching the primary key.
async fn many<D: Driver>(
    session: &mut Session<D>,
    case: Case<D>,
    push_rows: PushRows<D>,
    made: Vec<Made>,
) -> Result<()> {
    let format = case.format();
    let backend = session.backend();
    let id = case
        .plan
        .column_definition(backend, "id", Nullability::NotNull)?;
    session
        .fetch_text(format!("CREATE TABLE many ({id}, PRIMARY KEY (id))"))
        .await?;
    let ids: Vec<u128> = made.iter().map(|(id, _)| *id).collect();
    let ids = Random::Seeded(4).shuffled(&ids);
    ensure!(ids.len() == COUNT);
    session.fetch_text("BEGIN").await?;
    for chunk in ids.chunks(10_000) {
        let mut insert = QueryBuilder::new("INSERT INTO many (id) ");
        push_rows(&mut insert, chunk);
        session.fetch(insert).await?;
    }
    session.fetch_text("COMMIT").await?;

    let rows = session
        .fetch(QueryBuilder::new("SELECT id FROM many ORDER BY id"))
        .await?;
    let found: Vec<u128> = rows
        .iter()
        .map(|row| (case.read)(row, "id"))
        .collect::<sqlx::Result<_>>()?;
    let mut expected = ids;
    let column = case.plan.column(backend);
    expected.sort_unstable_by(|a, b| column.compare(*a, *b));
    ensure!(found == expected, "{format} is not in column order");

    let time_of: HashMap<u128, i64> = made.iter().copied().collect();
    let is_ring = matches!(
        format,
        FormatKind::ShortPrefixComb | FormatKind::ShortSuffixComb
    );
    // The ring begins anew at its end: what was made after that comes first.
    let place = |id: &u128| {
        let time = time_of[id];
        if is_ring {
            (time < WRAP, time.div_euclid(INTERVAL_MS))
        } else {
            (true, time)
        }
    };
    ensure!(
        found.is_sorted_by_key(place),
        "{format} is not in the order in which it was made"
    );
    ensure!(found.is_sorted_by_key(|id| position(format, *id)));

    let analyze = match backend {
        rowkey::Backend::MySql | rowkey::Backend::MariaDb => "ANALYZE TABLE many",
        _ => "ANALYZE",
    };
    session.fetch_text(analyze).await?;
    let push_span = case.push_span.context("a format with time")?;
    let hour = 3_600_000;
    for (from, to) in [
        (WRAP + hour, WRAP + 2 * hour),
        (WRAP - hour, WRAP),
        // Two intervals, for the short COMBs.
        (WRAP - hour, WRAP + hour),
    ] {
        let span = Span {
            from: Some(UnixMillis::new(from)),
            to: Some(UnixMillis::new(to)),
        };
        let mut count = QueryBuilder::new("SELECT COUNT(*) AS n FROM many WHERE ");
        push_span(&mut count, "id", span)?;
        let rows = session.fetch(count).await?;
        let is_within = made_within(format, Some(from), Some(to));
        let expected = found.iter().filter(|id| is_within(**id)).count();
        ensure!(expected >= 10, "{format}, {span:?}: too few keys");
        let counted = D::get_integer(&rows[0], "n")?;
        ensure!(
            counted == expected as i64,
            "{format}, {span:?}: {counted} rows instead of {expected}"
        );

        let explain = format!("{} SELECT id FROM many WHERE ", D::EXPLAIN);
        let mut explain = QueryBuilder::new(explain);
        push_span(&mut explain, "id", span)?;
        D::check_index_use(&session.fetch(explain).await?)
            .with_context(|| format!("{format}, {span:?}"))?;
    }
    Ok(())
}
