//! MySQL and MariaDB: indexes with more than whole columns.

use anyhow::{Context, Result, ensure};
use rowkey_core::Backend;
use rowkey_relayout::Phase;
use rowkey_tables::Connection;
use rowkey_testkit::Suite;

use super::mysql::execute;
use crate::relayout::shop::{NEW, OLD, Shop, number, refused};
use crate::relayout::verified::verified;

pub(crate) fn add_tests(suite: &mut Suite) {
    scenarios!(suite, &[Backend::MySql, Backend::MariaDb];
        "a_part_of_another_column_is_indexed" => part_of_another,
        "an_index_keeps_its_order_or_is_refused_with_it" => order,
    );
    scenarios!(suite, &[Backend::MySql];
        "indexes_on_an_expression_are_refused_by_name" => expressions,
    );
}

/// Of the column that changes, the index has all.
async fn part_of_another(shop: Shop) -> Result<()> {
    shop.create(OLD).await?;
    shop.fill(OLD, 20, 58).await?;
    let mut connection = shop.connect().await?;
    let add = "ALTER TABLE loose ADD word varchar(40) NULL, ADD KEY by_word (word(10), parent_id)";
    execute(&mut connection, &[add]).await?;
    let plan = shop.plan(OLD, NEW).await?;
    shop.run(&plan, Phase::Swap).await?;
    let definition = definition_of_loose(&mut connection).await?;
    let expected = "KEY `by_word` (`word`(10),`parent_id_key`)";
    ensure!(definition.contains(expected), "{definition}");
    let found = verified(&shop, &plan).await?;
    ensure!(found.differences.is_empty(), "{found:?}");
    Ok(())
}

/// People make the index again as the refusal shows it.
async fn order(shop: Shop) -> Result<()> {
    shop.create(OLD).await?;
    shop.fill(OLD, 20, 58).await?;
    let mut connection = shop.connect().await?;
    let add = [
        "CREATE INDEX by_begin ON loose (parent_id(4), number DESC)",
        "CREATE INDEX by_number ON loose (number, parent_id DESC)",
    ];
    execute(&mut connection, &add).await?;
    // MySQL before 8.0 takes the word, and sorts in ascending order.
    let before = definition_of_loose(&mut connection).await?;
    let order = if before.contains(" DESC") {
        " DESC"
    } else {
        ""
    };
    let plan = shop.plan(OLD, NEW).await?;
    let shown = format!("KEY by_begin (parent_id(4), number{order})");
    refused(shop.run(&plan, Phase::Swap).await, &[&shown])?;
    execute(&mut connection, &["DROP INDEX by_begin ON loose"]).await?;
    let plan = shop.plan(OLD, NEW).await?;
    shop.run(&plan, Phase::Swap).await?;
    let definition = definition_of_loose(&mut connection).await?;
    let expected = format!("KEY `by_number` (`number`,`parent_id_key`{order})");
    ensure!(definition.contains(&expected), "{definition}");
    Ok(())
}

async fn definition_of_loose(connection: &mut Connection) -> Result<String> {
    let show = connection.query("the table", "SHOW CREATE TABLE loose", &[]);
    let rows = show.await?;
    Ok(rows.first().context("a table")?.text(1)?.to_owned())
}

async fn expressions(shop: Shop) -> Result<()> {
    shop.create(OLD).await?;
    let mut connection = shop.connect().await?;
    let create = [
        "CREATE INDEX by_hex ON parent ((hex(id)))",
        "CREATE INDEX by_both ON child (number, (concat(hex(parent_id), number)))",
        "CREATE INDEX by_upper ON parent ((upper(title)), id)",
    ];
    let has_expressions = "SELECT COUNT(*) FROM information_schema.columns \
         WHERE table_schema = 'information_schema' AND table_name = 'STATISTICS' AND column_name = 'EXPRESSION'";
    if number(&mut connection, has_expressions).await? == 0 {
        // MySQL 5.6 makes no such index.
        let made = connection.execute("an index", create[0]).await;
        ensure!(made.is_err(), "{made:?}");
        return Ok(());
    }
    execute(&mut connection, &create).await?;
    let plan = shop.plan(OLD, NEW).await?;
    let found = refused(shop.run(&plan, Phase::Swap).await, &["by_hex", "by_both"])?;
    ensure!(!found.contains("by_upper"), "{found}");
    let drop = ["DROP INDEX by_hex ON parent", "DROP INDEX by_both ON child"];
    execute(&mut connection, &drop).await?;
    let plan = shop.plan(OLD, NEW).await?;
    shop.run(&plan, Phase::Swap).await?;
    let found = verified(&shop, &plan).await?;
    ensure!(found.differences.is_empty(), "{found:?}");
    Ok(())
}
