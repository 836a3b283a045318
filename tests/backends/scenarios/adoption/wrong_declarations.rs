//! Keys that are declared for another column than there is.

use anyhow::{Result, ensure};
use sqlx::{MySql, Sqlite};

use super::keys::{ContextId, HotId, NumberInBytesId, RandomId, SuffixId, TextId, native};
use super::orders::{create, create_orders, finds, ids_as_text, insert, refusal, text};
use super::page_session::PageSession;
use super::values::{exchanged, hyphenated, stamped, texts};
use crate::drivers::sqlx::Sqlx;

/// A column of text: sixteen bytes find nothing there, and may be written to it all the same.
pub(super) async fn mysql_columns_take_wrong_ids(
    session: &mut PageSession<'_, Sqlx<MySql>>,
) -> Result<()> {
    let (values, texts) = texts(35);
    create(session, "id CHAR(36) CHARACTER SET latin1", texts).await?;
    ensure!(!finds::<_, RandomId>(session, values[0]).await?);
    insert::<_, RandomId>(session, values[0]).await?;
    let rows = ids_as_text(session, "orders", "id").await?.len();
    ensure!(rows == values.len() + 1, "{rows} rows");
    let live = "SELECT column_type AS live FROM information_schema.columns \
                WHERE table_schema = database() AND table_name = 'orders' AND column_name = 'id'";
    let live = session
        .fetch_text(live, |row| text::<Sqlx<MySql>>(row, "live"))
        .await?;
    ensure!(live == ["char(36)"], "{live:?}");
    let expected = RandomId::PLAN.column_type(session.backend())?;
    ensure!(!expected.eq_ignore_ascii_case(&live[0]), "{expected}");
    Ok(())
}

/// MariaDB's own type takes sixteen bytes and damages some; BINARY(16) takes no text.
pub(super) async fn mariadb_columns_take_wrong_ids(
    session: &mut PageSession<'_, Sqlx<MySql>>,
) -> Result<()> {
    const DAMAGED: u128 = 0x01a1_fe39_0be4_8001_8080_0001_2345_6789;
    const COMB: u128 = 0xd01c_25cc_63a7_47cc_b5ba_018e_5f3b_ff48;
    create(
        session,
        "id UUID",
        vec!["'00000000-0000-4000-8000-000000000000'".into()],
    )
    .await?;
    session.execute("DELETE FROM orders").await?;
    for (n, value) in [DAMAGED + 1, DAMAGED + 2].into_iter().enumerate() {
        match n {
            0 => insert::<_, HotId>(session, value).await?,
            _ => insert::<_, NumberInBytesId>(session, value).await?,
        }
    }
    insert::<_, ContextId>(session, DAMAGED).await?;
    insert::<_, SuffixId>(session, COMB).await?;
    let texts = "SELECT CAST(id AS CHAR) AS id FROM orders";
    let mut texts = session
        .fetch_text(texts, |row| text::<Sqlx<MySql>>(row, "id"))
        .await?;
    texts.sort();
    let stored = [
        hyphenated(exchanged(COMB, 6)),
        "23456789-0001-8080-8001-01a1fe390be4".to_owned(),
        "2345678a-0001-8080-8001-01a1fe390be4".to_owned(),
        "2345678b-0001-8080-8001-01a1fe390be4".to_owned(),
    ];
    ensure!(texts == stored, "{texts:?}");
    // Conditions do not fail, and find what is whole.
    ensure!(!finds::<_, ContextId>(session, DAMAGED).await?);
    ensure!(finds::<_, SuffixId>(session, COMB).await?);
    let error = refusal::<_, ContextId>(session).await?;
    ensure!(error.contains("expected 16 bytes"), "{error}");

    session.execute("DROP TABLE orders").await?;
    let value = stamped(COMB, 4);
    create_orders(session, &[value]).await?;
    ensure!(!finds::<_, native::RandomId>(session, value).await?);
    ensure!(
        insert::<_, native::RandomId>(session, value ^ 1)
            .await
            .is_err()
    );
    Ok(())
}

/// A column of text takes the id a second time, as a blob, unless the table is strict.
pub(super) async fn sqlite_columns_take_wrong_ids(
    session: &mut PageSession<'_, Sqlx<Sqlite>>,
) -> Result<()> {
    let (values, texts) = texts(36);
    create(session, "id TEXT", texts).await?;
    ensure!(!finds::<_, RandomId>(session, values[0]).await?);
    insert::<_, RandomId>(session, values[0]).await?;
    let rows = ids_as_text(session, "orders", "id").await?.len();
    ensure!(rows == values.len() + 1, "{rows} rows");
    session.execute("DROP TABLE orders").await?;
    session
        .execute("CREATE TABLE orders (id TEXT NOT NULL PRIMARY KEY) STRICT")
        .await?;
    ensure!(insert::<_, RandomId>(session, values[0]).await.is_err());
    session.execute("DROP TABLE orders").await?;
    session
        .execute("CREATE TABLE orders (id BLOB CHECK (length(id) = 16)) STRICT")
        .await?;
    insert::<_, RandomId>(session, values[0]).await?;
    ensure!(insert::<_, TextId>(session, values[0]).await.is_err());
    Ok(())
}
