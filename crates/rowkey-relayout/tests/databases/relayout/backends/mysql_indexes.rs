//! MySQL and MariaDB: indexes with more than whole columns.

use anyhow::{Context, Result, ensure};
use rowkey_core::Backend;
use rowkey_relayout::Phase;
use rowkey_testkit::Suite;

use super::mysql::execute;
use crate::relayout::shop::{NEW, OLD, Shop, number, refused};
use crate::relayout::verified::verified;

pub(crate) fn add_tests(suite: &mut Suite) {
    scenarios!(suite, &[Backend::MySql, Backend::MariaDb];
        "a_part_of_another_column_is_indexed" => part_of_another,
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
    let show = connection.query("the table", "SHOW CREATE TABLE loose", &[]);
    let rows = show.await?;
    let definition = rows.first().context("a table")?.text(1)?;
    let expected = "KEY `by_word` (`word`(10),`parent_id_key`)";
    ensure!(definition.contains(expected), "{definition}");
    let found = verified(&shop, &plan).await?;
    ensure!(found.differences.is_empty(), "{found:?}");
    Ok(())
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
