//! Conditions select exactly the right rows: time spans, lists and intervals of keys.

use anyhow::{Context, Result, ensure};
use rowkey::UnixMillis;
use rowkey::format::FormatKind;
use rowkey::storage::{Column, Storage};

use crate::cases::Cases;
use crate::driver::Session;
use crate::keys::{Case, Span};
use crate::query::Query;
use crate::samples::{INTERVAL_MS, RING_MS, WRAP, made_within, samples};
use crate::table::{Record, Table, distinct_cases, distinct_cases_of};

/// Spans of a millisecond to more than a turn of the short COMBs' ring, before, across and after
/// its end; open ones, empty ones and reversed ones.
fn spans() -> Vec<(Option<i64>, Option<i64>)> {
    let minute = INTERVAL_MS;
    let bounded = [
        (WRAP, WRAP + 1),
        (WRAP - 1, WRAP),
        (WRAP - 1, WRAP + 1),
        (WRAP, WRAP),
        (WRAP + 1, WRAP - 1),
        (WRAP - 5 * minute, WRAP - 2 * minute),
        (WRAP - 5 * minute, WRAP),
        (WRAP - 5 * minute, WRAP + 4 * minute),
        (WRAP - 5 * minute - 1, WRAP + 4 * minute + 1),
        (WRAP + minute, WRAP + 255 * minute),
        (WRAP + 255 * minute, WRAP + 32_768 * minute),
        (WRAP + 3, WRAP + 4_500),
        (WRAP + RING_MS - minute, WRAP + RING_MS),
        (WRAP + RING_MS - minute, WRAP + RING_MS + minute),
        (WRAP, WRAP + RING_MS - minute),
        (WRAP, WRAP + RING_MS),
        (WRAP + 7, WRAP + RING_MS),
        (0, WRAP),
        (WRAP - 86_400_000, WRAP + 86_400_000),
    ];
    let open = [
        (None, None),
        (Some(WRAP), None),
        (None, Some(WRAP)),
        (Some(WRAP + 1_500), None),
        (None, Some(WRAP + 1_500)),
        (Some(i64::MIN), Some(i64::MAX)),
        (Some(i64::MAX), Some(i64::MIN)),
        (None, Some(-10_000_000_000_000)),
        (Some(400_000_000_000_000), None),
    ];
    bounded
        .map(|(from, to)| (Some(from), Some(to)))
        .into_iter()
        .chain(open)
        .collect()
}

/// The condition of a span selects the ids that were made in it, and no others.
pub(crate) async fn spans_of<D: Cases>(session: &mut Session<D>, storage: Storage) -> Result<()> {
    for (case, _) in distinct_cases_of(session, storage) {
        let Some(push_span) = case.push_span else {
            continue;
        };
        let format = case.format();
        let table = Table::create(session, &case).await?;
        // Some rows without a parent, which was made at no time.
        let records: Vec<Record> = Record::numbered(samples(format))
            .into_iter()
            .map(|record| match record.n % 3 {
                0 => record,
                _ => record.with_parent(record.id),
            })
            .collect();
        table.insert(session, &records).await?;

        for (from, to) in spans() {
            let span = Span {
                from: from.map(UnixMillis::new),
                to: to.map(UnixMillis::new),
            };
            let is_within = made_within(format, from, to);
            let expected: Vec<i64> = records
                .iter()
                .filter(|record| is_within(record.id))
                .map(|record| record.n)
                .collect();
            let found = table
                .numbers_where(session, |query| push_span(query, "id", span))
                .await
                .with_context(|| format!("{format}, {span:?}"))?;
            ensure!(
                found == expected,
                "{format}, {span:?}: {} rows instead of {}",
                found.len(),
                expected.len()
            );
            let found = table
                .numbers_where(session, |query| push_span(query, "parent", span))
                .await?;
            ensure!(
                found.iter().eq(expected.iter().filter(|n| *n % 3 != 0)),
                "{format}, {span:?}: {} parents",
                found.len()
            );
        }
    }
    Ok(())
}

/// What was made from an instant until now is found, also by clocks that are a little ahead, and
/// across the end of the ring; nothing else is, and no row without a key.
pub(crate) async fn spans_until_now_of<D: Cases>(
    session: &mut Session<D>,
    storage: Storage,
) -> Result<()> {
    let minute = INTERVAL_MS;
    let spans = [
        (WRAP - 5 * minute, WRAP + 1),
        (WRAP - 5 * minute, WRAP - 2 * minute),
        (WRAP - 30 * minute, WRAP - 12 * minute),
        (WRAP + minute, WRAP + 255 * minute),
        (WRAP + 32_768 * minute, WRAP + RING_MS),
        (0, WRAP),
    ];
    for (case, _) in distinct_cases_of(session, storage) {
        let Some(push_since) = case.push_since else {
            continue;
        };
        let format = case.format();
        let table = Table::create(session, &case).await?;
        let records: Vec<Record> = Record::numbered(samples(format))
            .into_iter()
            .map(|record| Record {
                parent: (record.n % 2 == 0).then_some(record.id),
                ..record
            })
            .collect();
        table.insert(session, &records).await?;

        for (since, now) in spans {
            let is_ring = matches!(
                format,
                FormatKind::ShortPrefixComb | FormatKind::ShortSuffixComb
            );
            let until = is_ring.then_some(now + 10 * minute + 1);
            let is_within = made_within(format, Some(since), until);
            let expected = records
                .iter()
                .filter(|record| record.parent.is_some_and(&is_within))
                .map(|record| record.n);
            let found = table
                .numbers_where(session, |query| {
                    push_since(
                        query,
                        "parent",
                        UnixMillis::new(since),
                        UnixMillis::new(now),
                    );
                })
                .await
                .with_context(|| format!("{format}, {since} until {now}"))?;
            ensure!(
                found.iter().copied().eq(expected),
                "{format}, {since} until {now}: {} rows",
                found.len()
            );
        }
    }
    Ok(())
}

/// Lists of keys hit the rows that were meant, also among keys that are equal as floating-point
/// numbers.
pub(crate) async fn neighbours_are_told_apart<D: Cases>(session: &mut Session<D>) -> Result<()> {
    let conditions = [
        ("id = ", " OR id = ", "", &[1, 3][..]),
        ("id IN (", ", ", ")", &[1, 3]),
        ("id NOT IN (", ", ", ")", &[0, 2, 4]),
        (
            "CASE id WHEN ",
            " THEN 1 WHEN ",
            " THEN 1 ELSE 0 END = 1",
            &[1, 3],
        ),
        ("NOT (id <> ", " AND id <> ", ")", &[1, 3]),
    ];
    for (case, column) in distinct_cases(session) {
        check_neighbours(session, &case, column, &conditions).await?;
    }
    Ok(())
}

/// So do intervals of keys.
pub(crate) async fn intervals_of<D: Cases>(
    session: &mut Session<D>,
    storage: Storage,
) -> Result<()> {
    let conditions = [
        ("id BETWEEN ", " AND ", "", &[1, 2, 3][..]),
        ("id >= ", " AND id < ", "", &[1, 2]),
    ];
    for (case, column) in distinct_cases(session) {
        if column.storage() == storage {
            check_neighbours(session, &case, column, &conditions).await?;
        }
    }
    Ok(())
}

/// What is before, between and after two keys, and which of five neighbours it selects.
type Condition = (&'static str, &'static str, &'static str, &'static [i64]);

/// Checks conditions with the second and the fourth of five neighbours.
async fn check_neighbours<D: Cases>(
    session: &mut Session<D>,
    case: &Case<D>,
    column: Column,
    conditions: &[Condition],
) -> Result<()> {
    let format = case.format();
    // The lowest bits are random in every format but the suffix COMB, where they are the time.
    let base = samples(format)[0] & !7;
    let mut ids: Vec<u128> = (base..base + 5).collect();
    ids.sort_by(|a, b| column.compare(*a, *b));
    let table = Table::create(session, case).await?;
    let records: Vec<Record> = Record::numbered(ids.iter().copied())
        .into_iter()
        .map(|record| record.with_parent(record.id))
        .collect();
    table.insert(session, &records).await?;

    let two = |query: &mut Query<D>, before: &str, between: &str, after: &str| {
        query
            .push(before)
            .push_param((case.param)(ids[1]))
            .push(between)
            .push_param((case.param)(ids[3]))
            .push(after);
    };
    for (before, between, after, expected) in conditions {
        // Also in the column without an index, which can hide how values are compared.
        for by in ["id", "parent"] {
            let [before, between] = [before, between].map(|text| text.replace("id", by));
            let found = table
                .numbers_where(session, |query| two(query, &before, &between, after))
                .await?;
            ensure!(
                found == *expected,
                "{format} as {}: {before}?{between}?{after} finds {found:?}",
                column.storage()
            );
        }
    }
    Ok(())
}
