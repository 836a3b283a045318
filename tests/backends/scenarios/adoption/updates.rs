//! What the updates of the pages leave as it is.

use anyhow::{Result, ensure};
use rowkey::Backend;
use sqlx::{MySql, Row};

use super::orders::{create, create_lines, create_orders, drop_tables, ids_as_text};
use super::page_session::PageSession;
use super::values::{texts, v4};
use crate::driver::Driver;
use crate::drivers::sqlx::Sqlx;
use crate::samples::Random;

/// An update of the ids leaves alone a time that the server would set to the present.
pub(super) async fn updates_keep_the_time(
    session: &mut PageSession<'_, Sqlx<MySql>>,
) -> Result<()> {
    let mut random = Random::Seeded(33);
    let values: Vec<u128> = (0..5).map(|_| v4(&mut random)).collect();
    create_orders(session, &values).await?;
    create_lines(session, "BINARY(16)").await?;
    let updates: [&[&str]; 5] = [
        &["suffix-to-prefix"],
        &["short-suffix-to-prefix"],
        &["net-bytes-in-order"],
        &["time-bytes-in-order"],
        &["with-lines", "commit-lines"],
    ];
    session
        .execute("UPDATE orders SET created_at = '2024-03-21 04:19:11'")
        .await?;
    session.execute("SET foreign_key_checks = 0").await?;
    for update in updates {
        let before = ids_as_text(session, "orders", "id").await?;
        for block in update {
            session.run_block(block).await?;
        }
        let after = ids_as_text(session, "orders", "id").await?;
        ensure!(before != after, "{update:?} changes nothing");
        let sql = "SELECT count(*) AS n FROM orders WHERE created_at <> '2024-03-21 04:19:11'";
        let late = session
            .fetch_text(sql, |row| row.try_get::<i64, _>("n"))
            .await?;
        ensure!(late == [0], "{update:?} changes the time of {late:?} rows");
    }
    Ok(())
}

/// Updates are refused, or change no row, where the column is not sixteen bytes.
pub(super) async fn other_columns_are_left_alone<D: Driver>(
    session: &mut PageSession<'_, D>,
) -> Result<()> {
    let (_, texts) = texts(31);
    let mut columns: Vec<(&str, Vec<String>)> = match session.backend() {
        Backend::Postgres => vec![("text", texts.clone())],
        Backend::Sqlite => vec![("TEXT", texts.clone())],
        _ => vec![
            ("CHAR(36) CHARACTER SET latin1", texts.clone()),
            ("VARBINARY(36)", texts.clone()),
        ],
    };
    match session.backend() {
        Backend::Postgres => columns.push(("bytea", vec![r"'\x0123'".into()])),
        Backend::Sqlite => columns.push(("BLOB", vec!["x'0123'".into()])),
        Backend::MariaDb => columns.push(("UUID", texts)),
        _ => {}
    }
    let mut names = vec![
        "suffix-to-prefix",
        "short-suffix-to-prefix",
        "net-bytes-in-order",
    ];
    if matches!(session.backend(), Backend::MySql | Backend::MariaDb) {
        names.push("time-bytes-in-order");
    }
    for (column, literals) in columns {
        create(session, &format!("id {column}"), literals).await?;
        let digits = async |session: &mut PageSession<'_, D>| {
            ids_as_text::<D>(session, "orders", "id").await
        };
        let before = digits(session).await?;
        for name in &names {
            session.try_block(name).await?;
            ensure!(digits(session).await? == before, "{column}: {name}");
        }
        drop_tables(session).await?;
    }
    Ok(())
}
