//! What a column holds: versions, timestamps and counters.

use anyhow::{Result, ensure};
use rowkey::Backend;

use super::byte_order::byte_order;
use super::keys::{AnyId, RandomId};
use super::orders::{create, create_orders, drop_tables, literal, orders, refusal, text};
use super::page_session::PageSession;
use super::values::{TIME, exchanged, hyphenated, sorted, stamped, timed, v4};
use crate::driver::{Driver, KeyOf};
use crate::samples::Random;

pub(super) async fn versions_are_counted<D: Driver>(session: &mut PageSession<'_, D>) -> Result<()>
where
    AnyId: KeyOf<D>,
    RandomId: KeyOf<D>,
{
    let mut random = Random::Seeded(11);
    let mut values: Vec<u128> = (0..5).map(|_| v4(&mut random)).collect();
    values.extend((0..3).map(|n| timed(7, TIME + n, &mut random)));
    // Variants that are not the RFC's.
    values.extend([0x0001_0000_0000_4000_c000_0000_0000_0000, 7]);
    create_orders(session, &values).await?;

    let count = |row: &D::Row<'_>| Ok((text::<D>(row, "version")?, D::get_integer(row, "ids")?));
    let mut found = session.rows_of("count-versions", count).await?;
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
pub(super) async fn ids_of_any_column_are_shown<D: Driver>(
    session: &mut PageSession<'_, D>,
) -> Result<()> {
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
        ensure!(session.counts_of("find-other-digits", ["other"]).await? == [0]);
        let version =
            |row: &D::Row<'_>| Ok((text::<D>(row, "version")?, D::get_integer(row, "ids")?));
        let versions = session.rows_of("count-versions", version).await?;
        ensure!(versions == [("4".into(), 60)], "{column}: {versions:?}");
        let [ids, front, back] = session.counts_of("find-clock", clock).await?;
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
    ensure!(session.counts_of("find-other-digits", ["other"]).await? == [3]);
    Ok(())
}

pub(super) async fn clocks_are_found<D: Driver>(session: &mut PageSession<'_, D>) -> Result<()> {
    let mut random = Random::Seeded(12);
    let mut values: Vec<u128> = (0..20).map(|_| v4(&mut random)).collect();
    values.extend((0..10).map(|n| timed(4, TIME + n, &mut random)));
    values.extend((0..7).map(|n| exchanged(timed(4, TIME + n, &mut random), 6)));
    create_orders(session, &values).await?;
    let counts = session
        .counts_of("find-clock", ["ids", "clock_in_front", "clock_at_the_end"])
        .await?;
    ensure!(counts == [37, 10, 7], "{counts:?}");
    Ok(())
}

pub(super) async fn counters_are_found<D: Driver>(session: &mut PageSession<'_, D>) -> Result<()> {
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
    let counts = session
        .counts_of(
            "find-counter",
            ["ids", "counter_in_front", "counter_at_the_end"],
        )
        .await?;
    ensure!(counts == [30, 10, 5], "{counts:?}");
    Ok(())
}
