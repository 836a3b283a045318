//! Conversions that copy the tables, in MySQL, MariaDB and SQLite.

use anyhow::{Result, ensure};
use rowkey::Backend;
use sqlx::sqlite::SqliteRow;
use sqlx::{MySql, Row, Sqlite};

use super::keys::{RandomId, TextId};
use super::letter_case::refuses_upper_case;
use super::orders::{
    create, create_lines, create_lines_with, drop_copies, drop_tables, finds, ids_as_text,
    orders_with_lines, refusal,
};
use super::page_session::PageSession;
use super::references::references;
use super::values::{hyphenated, texts};
use crate::driver::{Driver, KeyOf};
use crate::drivers::sqlx::Sqlx;

/// What `compare-tables` counts.
pub(super) const MISSING: [&str; 3] = ["orders_missing", "lines_missing", "orphans"];

pub(super) async fn mysql_text_becomes_binary(
    session: &mut PageSession<'_, Sqlx<MySql>>,
) -> Result<()> {
    let (values, texts) = texts(19);
    let column = "CHAR(36) CHARACTER SET ascii COLLATE ascii_bin";
    create(session, &format!("id {column}"), texts).await?;
    create_lines(session, column).await?;
    refuses_upper_case(session).await?;
    ensure!(finds::<_, TextId>(session, values[0]).await?);
    ensure!(!finds::<_, TextId>(session, values[5]).await?);
    let error = refusal::<_, RandomId>(session).await?;
    ensure!(error.contains("expected 16 bytes"), "{error}");

    ensure!(session.counts_of("find-other-text", ["other"]).await? == [0]);
    session.run_block("text-to-binary").await?;
    ensure!(session.counts_of("compare-tables", MISSING).await? == [0; 3]);
    session.run_block("exchange-tables").await?;
    ensure!(orders_with_lines::<_, RandomId>(session).await? == values);
    ensure!(
        session
            .execute("INSERT INTO order_lines VALUES (99, repeat('x', 16))")
            .await
            .is_err(),
        "the constraint is gone"
    );
    drop_copies(session, "old").await
}

pub(super) async fn sqlite_text_becomes_blob(
    session: &mut PageSession<'_, Sqlx<Sqlite>>,
) -> Result<()> {
    let (values, texts) = texts(23);
    create(session, "id TEXT", texts).await?;
    create_lines(session, "TEXT").await?;
    let kind = |row: &SqliteRow| Ok((row.try_get("type")?, row.try_get("length")?));
    let kinds: Vec<(String, i64)> = session.rows_of("count-types", kind).await?;
    ensure!(kinds == [("text".to_owned(), 36)], "{kinds:?}");
    ensure!(session.counts_of("find-other-text", ["other"]).await? == [1]);
    refuses_upper_case(session).await?;
    ensure!(finds::<_, TextId>(session, values[0]).await?);
    ensure!(!finds::<_, TextId>(session, values[5]).await?);

    let definitions = session
        .rows_of("find-definitions", |row| row.try_get("name"))
        .await?;
    ensure!(
        definitions.contains(&"order_lines".to_owned()),
        "{definitions:?}"
    );
    session.run_block("text-to-blob").await?;
    ensure!(session.counts_of("compare-tables", MISSING).await? == [0; 3]);
    session.run_block("exchange-tables").await?;
    drop_copies(session, "old").await?;
    ensure!(orders_with_lines::<_, RandomId>(session).await? == values);
    ensure!(finds::<_, RandomId>(session, values[5]).await?);
    let unknown = "INSERT INTO order_lines VALUES (99, x'00000000000040008000000000000000')";
    ensure!(
        session.execute(unknown).await.is_err(),
        "the constraint is gone"
    );

    // Neither text that isn't a UUID nor a text that is too short gets into such a table.
    for text in ["nobody", "0123"] {
        let insert = format!("INSERT INTO orders (id) VALUES (unhex(replace('{text}', '-', '')))");
        ensure!(session.execute(insert).await.is_err(), "{text}");
    }
    Ok(())
}

/// A client goes on after an error: the check reports it, and no row is lost.
pub(super) async fn bad_text_loses_no_row<D: Driver>(session: &mut PageSession<'_, D>) -> Result<()>
where
    RandomId: KeyOf<D>,
{
    let (column, convert) = match session.backend() {
        Backend::Sqlite => ("TEXT", "text-to-blob"),
        _ => (
            "VARCHAR(38) CHARACTER SET ascii COLLATE ascii_bin",
            "text-to-binary",
        ),
    };
    let (values, texts) = texts(34);
    let in_both_cases = format!("'{}'", hyphenated(values[0]).to_uppercase());
    let in_braces = format!("'{{{}}}'", hyphenated(values[0] ^ 1));
    // Each on its own line, the first as a reference that is NULL.
    let bad = [
        "NULL",
        "''",
        "'0123'",
        "'nobody'",
        &in_braces,
        &in_both_cases,
    ];
    for bad in bad {
        create(session, &format!("id {column}"), texts.clone()).await?;
        if bad != "NULL" {
            session
                .execute(format!("INSERT INTO orders (id) VALUES ({bad})"))
                .await?;
        }
        create_lines_with(session, &format!("{column} NULL"), "ON DELETE CASCADE").await?;
        if bad == "NULL" {
            session
                .execute("INSERT INTO order_lines VALUES (99, NULL)")
                .await?;
        }
        let before = (
            ids_as_text(session, "orders", "id").await?,
            ids_as_text(session, "order_lines", "order_id").await?,
        );
        session.try_block(convert).await?;
        let missing = session.counts_of("compare-tables", MISSING).await?;
        ensure!(
            missing.iter().any(|&missing| missing > 0),
            "{bad}: {missing:?}"
        );
        let after = (
            ids_as_text(session, "orders", "id").await?,
            ids_as_text(session, "order_lines", "order_id").await?,
        );
        ensure!(before == after, "{bad}");

        // Mended, with the column and the constraint as they were.
        drop_copies(session, "new").await?;
        session
            .execute(format!("DELETE FROM orders WHERE id = {bad}"))
            .await?;
        let as_it_was = |sql: &str| {
            sql.replace("order_id BLOB NOT NULL", "order_id BLOB")
                .replace("order_id BINARY(16) NOT NULL", "order_id BINARY(16)")
                .replace("orders_new (id)", "orders_new (id) ON DELETE CASCADE")
        };
        let errors = session.try_changed_block(convert, as_it_was).await?;
        ensure!(errors == 0, "{bad}");
        ensure!(
            session.counts_of("compare-tables", MISSING).await? == [0; 3],
            "{bad}"
        );
        ensure!(session.try_block("exchange-tables").await? == 0, "{bad}");
        drop_copies(session, "old").await?;
        ensure!(
            orders_with_lines::<D, RandomId>(session).await? == values,
            "{bad}"
        );
        let orphans = ["orphans", "without_order"];
        let nulls = i64::from(bad == "NULL");
        ensure!(
            session.counts_of("find-orphans", orphans).await? == [0, nulls],
            "{bad}"
        );
        let references = references(session).await?;
        ensure!(
            references.len() == 1 && references[0].contains("CASCADE"),
            "{references:?}"
        );
        drop_tables(session).await?;
    }

    // Without what the conversion needs, such as a function that the client's version lacks.
    create(session, &format!("id {column}"), texts).await?;
    create_lines(session, column).await?;
    let without_unhex = |sql: &str| sql.replace("unhex", "no_unhex");
    ensure!(session.try_changed_block(convert, without_unhex).await? == 2);
    let missing = session.counts_of("compare-tables", MISSING).await?;
    ensure!(missing == [6, 6, 0], "{missing:?}");
    Ok(())
}
