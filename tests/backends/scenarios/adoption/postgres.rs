//! Conversions in PostgreSQL.

use anyhow::{Result, ensure};
use sqlx::Postgres;

use super::keys::{BinaryId, RandomId, TextId};
use super::letter_case::refuses_upper_case;
use super::orders::{
    create, create_lines, create_lines_with, drop_tables, finds, ids_as_text, orders,
    orders_with_lines, refusal,
};
use super::page_session::PageSession;
use super::references::references;
use super::values::{hyphenated, sorted, texts, v4};
use crate::drivers::sqlx::Sqlx;
use crate::samples::Random;

pub(super) async fn postgres_text_becomes_uuid(
    session: &mut PageSession<'_, Sqlx<Postgres>>,
) -> Result<()> {
    let (values, texts) = texts(17);
    create(session, "id text", texts).await?;
    create_lines(session, "text").await?;
    let others = session.counts_of("find-other-text", ["other"]).await?;
    ensure!(others == [1]);
    refuses_upper_case(session).await?;
    ensure!(finds::<_, TextId>(session, values[0]).await?);
    ensure!(!finds::<_, TextId>(session, values[5]).await?);
    let before = ids_as_text(session, "order_lines", "order_id").await?;

    // Text that isn't a UUID stops it, and nothing has changed.
    session
        .execute("INSERT INTO orders (id) VALUES ('nobody')")
        .await?;
    ensure!(session.run_block("text-to-uuid").await.is_err());
    ensure!(ids_as_text(session, "order_lines", "order_id").await? == before);
    session
        .execute("DELETE FROM orders WHERE id = 'nobody'")
        .await?;
    let braces = values[0] ^ 1;
    let text = hyphenated(braces);
    session
        .execute(format!("INSERT INTO orders (id) VALUES ('{{{text}}}')"))
        .await?;

    session.run_block("text-to-uuid").await?;
    ensure!(orders_with_lines::<_, RandomId>(session).await? == values);
    ensure!(finds::<_, RandomId>(session, values[5]).await?);
    ensure!(finds::<_, RandomId>(session, braces).await?);
    Ok(())
}

pub(super) async fn postgres_bytes_become_uuid(
    session: &mut PageSession<'_, Sqlx<Postgres>>,
) -> Result<()> {
    let mut random = Random::Seeded(18);
    let values = sorted((0..6).map(|_| v4(&mut random)).collect());
    let bytes = values.iter().map(|value| format!("'\\x{value:032x}'"));
    create(session, "id bytea", bytes.collect()).await?;
    create_lines(session, "bytea").await?;
    ensure!(orders::<_, BinaryId>(session).await? == values);
    let error = refusal::<_, RandomId>(session).await?;
    ensure!(error.contains("expected a uuid"), "{error}");
    session.run_block("bytea-to-uuid").await?;
    ensure!(orders_with_lines::<_, RandomId>(session).await? == values);
    Ok(())
}

/// With actions, references that are NULL, and an id that is there in both cases.
pub(super) async fn postgres_conversions_keep_constraints(
    session: &mut PageSession<'_, Sqlx<Postgres>>,
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

        // Twice the same, or of another length.
        let bad = match twice {
            0 => r"'\x0123'".to_owned(),
            id => format!("'{}'", hyphenated(id).to_uppercase()),
        };
        session
            .execute(format!("INSERT INTO orders (id) VALUES ({bad})"))
            .await?;
        ensure!(session.try_block(name).await? == 1);
        ensure!(references(session).await? == before);
        session
            .execute(format!("DELETE FROM orders WHERE id = {bad}"))
            .await?;

        ensure!(session.try_block(name).await? == 0);
        ensure!(references(session).await? == before);
        ensure!(orders_with_lines::<_, RandomId>(session).await? == values);
        let orphans = ["orphans", "without_order"];
        ensure!(session.counts_of("find-orphans", orphans).await? == [0, 1]);
        drop_tables(session).await?;
    }
    Ok(())
}
