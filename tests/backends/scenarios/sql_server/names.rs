//! Names of tables and columns.

use anyhow::{Result, ensure};
use rowkey::Backend;
use rowkey::driver::tiberius::{Condition, RowKeys};
use rowkey::format::FormatKind;
use rowkey::storage::Nullability;
use tiberius::Query as Statement;

use crate::driver::Session;
use crate::drivers::tiberius::Tiberius;
use crate::keys::uuid;
use crate::samples::samples;

/// Names that mean something in SQL, or are as long as names can be, are names.
pub(super) async fn long_and_strange_names_are_quoted(
    session: &mut Session<Tiberius>,
) -> Result<()> {
    let longest = "k".repeat(128);
    check_names(session, &["order", "i\"d", "it's; --", "é", &longest]).await
}

/// So are those that would end a quotation.
pub(super) async fn brackets_in_names_are_quoted(session: &mut Session<Tiberius>) -> Result<()> {
    check_names(session, &["my]key", "[id]", "]"]).await
}

pub(super) async fn check_names(session: &mut Session<Tiberius>, names: &[&str]) -> Result<()> {
    let key = uuid::ShortPrefixComb::try_from(samples(FormatKind::ShortPrefixComb)[0])?;
    for &name in names {
        let table = session.quoted(name);
        let definition = uuid::ShortPrefixComb::PLAN.column_definition(
            Backend::SqlServer,
            name,
            Nullability::NotNull,
        )?;
        session
            .execute(format!("CREATE TABLE {table} ({definition} PRIMARY KEY)"))
            .await?;
        let insert = format!("INSERT INTO {table} VALUES (@P1)");
        session.connection().execute(insert, &[&key]).await?;
        let condition = Condition::in_keys((name, name), &[key], 1)?;
        let mut query = Statement::new(format!("SELECT * FROM {table} WHERE {condition}"));
        condition.bind(&mut query)?;
        let rows = query.query(session.connection()).await?;
        let rows = rows.into_first_result().await?;
        // By its position: some server has cut the longest name.
        let found = rows
            .iter()
            .map(|row| row.try_key::<uuid::ShortPrefixComb>(0));
        let found: Vec<_> = found.collect();
        ensure!(found == [Ok(key)], "{name}: {found:?}");
    }
    Ok(())
}
