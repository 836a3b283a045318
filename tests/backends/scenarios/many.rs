//! A hundred thousand keys, made as an application makes them.

use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, Ordering};

use anyhow::{Context, Result, ensure};
use rowkey::format::{FormatKind, TimeOrdered};
use rowkey::generate::{DistributedId128Generator, DistributedIdGenerator};
use rowkey::generate::{EntropyFn, Generate};
use rowkey::storage::Nullability;
use rowkey::{
    Backend, DistributedId, DistributedId128, PrefixComb, ShortPrefixComb, ShortSuffixComb,
    UnixMillis, UuidV7,
};

use crate::driver::{Ability, Assumption, BoundsOf, Driver, KeyList, Session};
use crate::index_use::check_index_use;
use crate::keys::{Case, Span, binary, decimal, native_uuid, text, text_compact, uuid};
use crate::query::Query;
use crate::samples::{INTERVAL_MS, RING_MS, Random, WRAP, made_within, position};
use crate::scenario::Scenario;

/// How many keys there are.
const COUNT: usize = 100_000;

/// How many come in one statement: SQL Server takes 2,098 parameters at most.
const ROWS_AT_A_TIME: usize = 1_000;

/// How many are made while the clock stands still.
const BURST: usize = 4;

/// Formats with time in plans of different kinds: as they are, in another layout, as numbers, as
/// bytes and as text.
pub(crate) fn scenarios<D: Driver>(backend: Backend) -> Vec<Scenario<D>>
where
    uuid::ShortPrefixComb: BoundsOf<D>,
    uuid::ShortSuffixComb: BoundsOf<D>,
    uuid::PrefixComb: BoundsOf<D>,
    uuid::UuidV7: BoundsOf<D>,
    decimal::DistributedId: BoundsOf<D>,
    decimal::DistributedId128: BoundsOf<D>,
    binary::DistributedId: BoundsOf<D>,
    text::UuidV7: BoundsOf<D>,
    text_compact::DistributedId: BoundsOf<D>,
    native_uuid::PrefixComb: BoundsOf<D>,
{
    let mut scenarios = scenarios_of_one_value(backend);
    scenarios.push(scenario::<D, decimal::DistributedId128>(
        backend,
        "many_distributed_ids128_as_decimals",
        distributed_ids128,
    ));
    if backend == Backend::MariaDb {
        scenarios.push(scenario::<D, native_uuid::PrefixComb>(
            backend,
            "many_prefix_combs_as_native_uuids",
            made_with_clock::<PrefixComb>,
        ));
    }
    scenarios
}

/// Those whose keys are sent as the same value to every database.
pub(crate) fn scenarios_of_one_value<D: Driver>(backend: Backend) -> Vec<Scenario<D>>
where
    uuid::ShortPrefixComb: BoundsOf<D>,
    uuid::ShortSuffixComb: BoundsOf<D>,
    uuid::PrefixComb: BoundsOf<D>,
    uuid::UuidV7: BoundsOf<D>,
    decimal::DistributedId: BoundsOf<D>,
    binary::DistributedId: BoundsOf<D>,
    text::UuidV7: BoundsOf<D>,
    text_compact::DistributedId: BoundsOf<D>,
{
    vec![
        scenario::<D, uuid::ShortPrefixComb>(
            backend,
            "many_short_prefix_combs",
            made_with_clock::<ShortPrefixComb>,
        ),
        scenario::<D, uuid::ShortSuffixComb>(
            backend,
            "many_short_suffix_combs",
            made_with_clock::<ShortSuffixComb>,
        ),
        scenario::<D, uuid::UuidV7>(backend, "many_uuids_v7", made_with_clock::<UuidV7>),
        scenario::<D, decimal::DistributedId>(backend, "many_distributed_ids", distributed_ids),
        scenario::<D, binary::DistributedId>(
            backend,
            "many_distributed_ids_as_bytes",
            distributed_ids,
        ),
        scenario::<D, text_compact::DistributedId>(
            backend,
            "many_distributed_ids_as_compact_text",
            distributed_ids,
        ),
        scenario::<D, uuid::PrefixComb>(
            backend,
            "many_prefix_combs",
            made_with_clock::<PrefixComb>,
        ),
        scenario::<D, text::UuidV7>(backend, "many_uuids_v7_as_text", made_with_clock::<UuidV7>),
    ]
}

fn scenario<D: Driver, K: BoundsOf<D>>(
    backend: Backend,
    name: &str,
    made: fn() -> Vec<Made>,
) -> Scenario<D>
where
    K::Format: TimeOrdered,
{
    let storage = K::PLAN.column(backend).storage();
    let scenario = Scenario::new(name, move |session| {
        Box::pin(many(session, Case::with_time::<K>(), made()))
    });
    scenario.assuming(Assumption::OrderOf(storage))
}

/// An id and the time when it was made.
type Made = (u128, i64);

/// Instants from a third of the ring before its end to a third after it.
fn times() -> impl Iterator<Item = i64> {
    let steps = (COUNT / BURST) as i64;
    let step = RING_MS * 2 / 3 / steps;
    (-steps / 2..steps / 2).flat_map(move |count| [WRAP + count * step; BURST])
}

fn made_with_clock<F: Generate<Context = ()>>() -> Vec<Made> {
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

fn distributed_ids128() -> Vec<Made> {
    let now = AtomicI64::new(0);
    let clock = || UnixMillis::new(now.load(Ordering::Relaxed));
    let generator = DistributedId128Generator::new().with_clock(clock);
    let made = |time| {
        // A step is random, and can be more than what is left of the millisecond.
        now.fetch_max(time, Ordering::Relaxed);
        loop {
            let id: Result<DistributedId128, _> = generator.try_generate();
            match id {
                Ok(id) => return (id.to_u128(), now.load(Ordering::Relaxed)),
                Err(_) => now.fetch_add(1, Ordering::Relaxed),
            };
        }
    };
    times().map(made).collect()
}

/// The rows come in the order in which they were made, as far as the format orders them, and a time
/// span is found by searching the primary key.
async fn many<D: Driver>(session: &mut Session<D>, case: Case<D>, made: Vec<Made>) -> Result<()> {
    let format = case.format();
    let backend = session.backend();
    let id = case
        .plan
        .column_definition(backend, "id", Nullability::NotNull)?;
    session
        .execute(format!("CREATE TABLE many ({id}, PRIMARY KEY (id))"))
        .await?;
    let ids: Vec<u128> = made.iter().map(|(id, _)| *id).collect();
    let ids = Random::Seeded(4).shuffled(&ids);
    ensure!(ids.len() == COUNT);
    let begin = match backend {
        Backend::SqlServer => "BEGIN TRANSACTION",
        _ => "BEGIN",
    };
    session.execute(begin).await?;
    for chunk in ids.chunks(ROWS_AT_A_TIME) {
        let mut insert = Query::new("INSERT INTO many (id) VALUES ");
        for (index, id) in chunk.iter().enumerate() {
            insert
                .push(if index == 0 { "(" } else { ", (" })
                .push_param((case.param)(*id))
                .push(")");
        }
        session.run(insert).await?;
    }
    session.execute("COMMIT").await?;

    let all = Query::new("SELECT id FROM many ORDER BY id");
    let found = session.fetch(all, |row| (case.get)(row, "id")).await?;
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

    if D::can(Ability::Explain, backend) {
        let analyze = match backend {
            Backend::MySql | Backend::MariaDb => "ANALYZE TABLE many",
            _ => "ANALYZE",
        };
        session.execute(analyze).await?;
    }
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
        let mut count = Query::new("SELECT COUNT(*) AS n FROM many WHERE ");
        push_span(&mut count, "id", span);
        let counted = session.fetch(count, |row| D::get_integer(row, "n")).await?;
        let is_within = made_within(format, Some(from), Some(to));
        let expected = found.iter().filter(|id| is_within(**id)).count();
        ensure!(expected >= 10, "{format}, {span:?}: too few keys");
        ensure!(
            counted == [expected as i64],
            "{format}, {span:?}: {counted:?} rows instead of {expected}"
        );

        check_index_use(session, |query| {
            query.push("SELECT id FROM many WHERE ");
            push_span(query, "id", span);
        })
        .await
        .with_context(|| format!("{format}, {span:?}"))?;
    }
    for len in [3, 100] {
        let list = || KeyList::In(found.iter().copied().step_by(97).take(len).collect());
        check_index_use(session, |query| {
            query.push("SELECT id FROM many WHERE ");
            (case.push_list)(query, "id", list());
        })
        .await
        .with_context(|| format!("{format}, {len} keys"))?;
    }
    Ok(())
}
