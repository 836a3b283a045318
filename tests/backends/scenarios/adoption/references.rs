//! Columns that refer to the ids.

use anyhow::{Result, ensure};
use rowkey::Backend;
use sqlx::MySql;

use super::keys::SuffixId;
use super::orders::{
    create_lines, create_lines_with, create_orders, drop_tables, id_type, in_column_order,
    orders_with_lines, text,
};
use super::page_session::PageSession;
use super::values::{TIME, exchanged, sorted, timed, v4};
use crate::driver::{Driver, KeyOf};
use crate::drivers::sqlx::Sqlx;
use crate::samples::Random;

/// Ends the transaction that `with-lines` has left open, where it has.
pub(super) async fn commit_lines<D: Driver>(session: &mut PageSession<'_, D>) -> Result<()> {
    match session.backend() {
        Backend::Postgres => Ok(()),
        _ => session.run_block("commit-lines").await,
    }
}

/// What the constraints on `orders` are, in words of the backend.
pub(super) async fn references<D: Driver>(session: &mut PageSession<'_, D>) -> Result<Vec<String>> {
    let columns: &[&str] = match session.backend() {
        Backend::Postgres => &["child", "name", "definition"],
        Backend::Sqlite => &["child", "column_name", "on_delete", "on_update"],
        _ => &["child", "name", "column_name", "on_delete", "on_update"],
    };
    let words = |row: &D::Row<'_>| {
        let words = columns.iter().map(|column| text::<D>(row, column));
        Ok(words.collect::<Result<Vec<_>, _>>()?.join(" "))
    };
    session.rows_of("find-references", words).await
}

/// Actions fire for no row, and are there afterwards.
pub(super) async fn constraints_keep_their_actions<D: Driver>(
    session: &mut PageSession<'_, D>,
) -> Result<()>
where
    SuffixId: KeyOf<D>,
{
    let mut random = Random::Seeded(30);
    let combs: Vec<u128> = (0..20)
        .map(|n| exchanged(timed(4, TIME + n, &mut random), 6))
        .collect();
    let mut actions = vec![
        "",
        "ON DELETE CASCADE",
        "ON UPDATE CASCADE",
        "ON DELETE SET NULL ON UPDATE SET NULL",
    ];
    if session.backend() == Backend::Postgres {
        actions.push("DEFERRABLE INITIALLY DEFERRED");
    }
    let id_type = id_type(session.backend());
    for actions in actions {
        create_orders(session, &combs).await?;
        create_lines_with(session, &format!("{id_type} NULL"), actions).await?;
        session
            .execute("INSERT INTO order_lines VALUES (99, NULL)")
            .await?;
        let before = references(session).await?;
        ensure!(before.len() == 1, "{before:?}");
        ensure!(
            actions
                .split(" ON ")
                .all(|action| before[0].contains(action.split(' ').next_back().unwrap_or(""))),
            "{before:?}"
        );
        let orphans = ["orphans", "without_order"];
        ensure!(session.counts_of("find-orphans", orphans).await? == [0, 1]);
        ensure!(session.try_block("with-lines").await? == 0);
        ensure!(
            session.counts_of("find-orphans", orphans).await? == [0, 1],
            "{actions}"
        );
        commit_lines(session).await?;
        ensure!(
            session.counts_of("find-orphans", orphans).await? == [0, 1],
            "{actions}"
        );
        ensure!(
            in_column_order::<D, SuffixId>(session).await? == combs,
            "{actions}"
        );
        ensure!(orders_with_lines::<D, SuffixId>(session).await? == sorted(combs.clone()));
        ensure!(references(session).await? == before, "{actions}");
        drop_tables(session).await?;
    }
    Ok(())
}

/// The server does not look again at what was changed while it did not look.
pub(super) async fn orphans_are_found(session: &mut PageSession<'_, Sqlx<MySql>>) -> Result<()> {
    let mut random = Random::Seeded(27);
    let values: Vec<u128> = (0..5).map(|_| v4(&mut random)).collect();
    create_orders(session, &values).await?;
    create_lines(session, "BINARY(16)").await?;
    ensure!(session.counts_of("find-orphans", ["orphans"]).await? == [0]);
    session.execute("SET foreign_key_checks = 0").await?;
    session.run_block("suffix-to-prefix").await?;
    session.execute("SET foreign_key_checks = 1").await?;
    ensure!(session.counts_of("find-orphans", ["orphans"]).await? == [5]);
    Ok(())
}
