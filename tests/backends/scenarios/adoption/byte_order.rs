//! The order of sixteen bytes.

use anyhow::{Result, ensure};
use sqlx::MySql;

use super::keys::{AnyId, RandomId};
use super::orders::{create_orders, drop_tables, orders, refusal};
use super::page_session::PageSession;
use super::values::{TIME, exchanged, net_bytes, sorted, stamped, time_in_front, timed, v4};
use crate::driver::{Driver, KeyOf};
use crate::drivers::sqlx::Sqlx;
use crate::samples::Random;

/// The order of bytes that the page reads from its counts.
pub(super) async fn byte_order<D: Driver>(
    session: &mut PageSession<'_, D>,
) -> Result<&'static str> {
    let columns = ["as_the_text", "as_net_writes", "time_in_front"];
    let [ids, found @ ..] = session
        .counts_of(
            "find-version-digit",
            ["ids", columns[0], columns[1], columns[2]],
        )
        .await?;
    let column = found.iter().position(|&found| found == ids);
    Ok(column.map_or("none", |column| columns[column]))
}

pub(super) async fn byte_orders_are_recognised<D: Driver>(
    session: &mut PageSession<'_, D>,
) -> Result<()> {
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

pub(super) async fn net_bytes_are_put_in_order<D: Driver>(
    session: &mut PageSession<'_, D>,
) -> Result<()>
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
    session.run_block("net-bytes-in-order").await?;
    ensure!(orders::<D, RandomId>(session).await? == values);
    ensure!(byte_order(session).await? == "as_the_text");
    Ok(())
}

pub(super) async fn time_bytes_are_put_in_order(
    session: &mut PageSession<'_, Sqlx<MySql>>,
) -> Result<()> {
    let mut random = Random::Seeded(15);
    let values = sorted((0..60).map(|_| stamped(random.next_u128(), 1)).collect());
    let stored: Vec<u128> = values.iter().copied().map(time_in_front).collect();
    create_orders(session, &stored).await?;
    ensure!(byte_order(session).await? == "time_in_front");
    session.run_block("time-bytes-in-order").await?;
    ensure!(orders::<_, AnyId>(session).await? == values);
    Ok(())
}
