//! Digits in SQLite.

use anyhow::{Result, ensure};
use sqlx::Sqlite;

use super::keys::NumberId;
use super::orders::{create, in_column_order, refusal};
use super::page_session::PageSession;
use super::values::{hyphenated, sorted, stamped};
use crate::drivers::sqlx::Sqlx;

pub(super) async fn sqlite_digits_are_padded(
    session: &mut PageSession<'_, Sqlx<Sqlite>>,
) -> Result<()> {
    let values = [7, 10_u128.pow(27), 42_000_000_000_000_000_000];
    create(
        session,
        "id TEXT",
        values.map(|id| format!("'{id}'")).into(),
    )
    .await?;
    let error = refusal::<_, NumberId>(session).await?;
    ensure!(error.contains("text of exactly 28 digits"), "{error}");
    let others = ["''", "'12a'", "'12345678901234567890123456789'", "x'0123'"];
    for other in others {
        session
            .execute(format!("INSERT INTO orders (id) VALUES ({other})"))
            .await?;
    }
    session.run_block("pad-digits").await?;
    for other in others {
        let error = refusal::<_, NumberId>(session).await?;
        ensure!(error.contains("28 digits"), "{error}");
        session
            .execute(format!("DELETE FROM orders WHERE id = {other}"))
            .await?;
    }
    ensure!(session.counts_of("find-other-numbers", ["other"]).await? == [0]);
    ensure!(in_column_order::<_, NumberId>(session).await? == sorted(values.into()));
    Ok(())
}

pub(super) async fn sqlite_numbers_are_found(
    session: &mut PageSession<'_, Sqlx<Sqlite>>,
) -> Result<()> {
    for declared in ["DECIMAL", "NUMERIC", "UUID", "GUID", "STRING", "BINARY(16)"] {
        let ids = [7, 8, 10_u128.pow(27) + 1].map(|id| format!("'{id:028}'"));
        create(session, &format!("id {declared}"), ids.into()).await?;
        let text = hyphenated(stamped(1, 4));
        let others = format!(
            "INSERT INTO orders (id) VALUES ('{text}'), (x'{:032x}')",
            stamped(2, 4)
        );
        session.execute(others).await?;
        let counts = session
            .counts_of("find-damaged", ["numbers", "lost"])
            .await?;
        ensure!(counts == [3, 1], "{declared}: {counts:?}");
        let error = refusal::<_, NumberId>(session).await?;
        ensure!(error.contains("TEXT"), "{error}");
        session.execute("DROP TABLE orders").await?;
    }
    Ok(())
}
