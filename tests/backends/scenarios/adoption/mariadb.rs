//! MariaDB's own UUID type.

use anyhow::{Result, ensure};
use sqlx::MySql;
use sqlx::mysql::MySqlRow;

use super::copies::MISSING;
use super::keys::{AnyId, native};
use super::orders::{
    create, create_lines, drop_copies, ids_as_text, in_column_order, insert, orders,
    orders_with_lines, refusal, text,
};
use super::page_session::PageSession;
use super::values::{TIME, exchanged, hyphenated, sorted, stamped, texts, timed};
use crate::drivers::sqlx::{Sqlx, param};
use crate::query::Query;
use crate::samples::Random;

pub(super) async fn uuids_are_read_as_they_are(
    session: &mut PageSession<'_, Sqlx<MySql>>,
) -> Result<()> {
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
    session.run_block("prefix-to-suffix").await?;
    ensure!(in_column_order::<_, native::PrefixId>(session).await? == prefixes);
    session.execute("DROP TABLE orders").await?;

    let shorts: Vec<u128> = (0..20_u128)
        .map(|n| stamped(n << 112 | random.next_u128() >> 16, 4))
        .collect();
    create(session, "id UUID", quoted(&shorts)).await?;
    session.run_block("short-prefix-to-suffix").await?;
    ensure!(in_column_order::<_, native::ShortPrefixId>(session).await? == shorts);
    Ok(())
}

pub(super) async fn uuids_become_binary(session: &mut PageSession<'_, Sqlx<MySql>>) -> Result<()> {
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
    values.extend(damaged);
    session.run_block("find-damaged").await?;
    ensure!(session.try_block("uuid-to-binary").await? == 0);
    ensure!(session.counts_of("compare-with-originals", MISSING).await? == [0; 3]);
    drop_copies(session, "new").await?;

    session
        .execute("INSERT INTO order_lines VALUES (99, NULL)")
        .await?;
    ensure!(session.try_block("uuid-to-binary").await? == 1);
    let missing = session.counts_of("compare-with-originals", MISSING).await?;
    ensure!(missing == [0, 11, 0], "{missing:?}");
    drop_copies(session, "new").await?;
    let nullable = |sql: &str| sql.replace("order_id BINARY(16) NOT NULL", "order_id BINARY(16)");
    ensure!(
        session
            .try_changed_block("uuid-to-binary", nullable)
            .await?
            == 0
    );
    ensure!(session.counts_of("compare-with-originals", MISSING).await? == [0; 3]);
    session.run_block("exchange-tables").await?;
    ensure!(orders_with_lines::<_, AnyId>(session).await? == sorted(values));
    let orphans = ["orphans", "without_order"];
    ensure!(session.counts_of("find-orphans", orphans).await? == [0, 1]);
    drop_copies(session, "old").await
}

/// Sixteen bytes that the type takes and gives back otherwise, among others that it keeps.
pub(super) async fn damaged_uuids_are_found(
    session: &mut PageSession<'_, Sqlx<MySql>>,
) -> Result<()> {
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

    let originals = async |session: &mut PageSession<'_, Sqlx<MySql>>| -> Result<Vec<String>> {
        session.run_block("find-damaged").await?;
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
