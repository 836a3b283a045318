//! References that only their values show.

use anyhow::{Result, ensure};
use rowkey_relayout::Phase;
use rowkey_relayout::plan::Plan;
use rowkey_relayout::preflight::Preflight;
use rowkey_testkit::{Backend, Suite};

use crate::LIVE;
use crate::relayout::shop::{self, NEW, NUMBERS, OLD, Shop, number};

const TEXT: &str = "text";

pub(crate) fn add_tests(suite: &mut Suite) {
    scenarios!(suite, &LIVE;
        "ids_in_columns_of_any_name_are_asked_about" => of_any_name,
        "ids_among_others_are_asked_about" => among_others,
        "numbers_in_columns_of_any_name_are_none" => numbers,
    );
}

async fn refused(shop: &Shop, plan: &Plan) -> Result<Vec<String>> {
    let mut connection = shop.connect().await?;
    let found = Preflight::read(&mut connection, plan).await?;
    let mut notes = found.notes.iter();
    ensure!(
        !notes.any(|note| note.contains("which columns of")),
        "{found:?}"
    );
    Ok(found.refused)
}

/// The plan with the lines that a refusal says to write.
fn with_left_out(plan: &Plan, refused: &str) -> Result<Plan> {
    let mut pasted = plan.to_toml()?;
    let lines: Vec<&str> = refused.lines().collect();
    for entry in lines.windows(3).filter(|entry| entry[0] == "[[left-out]]") {
        pasted += &format!("\n{}\n", entry.join("\n"));
    }
    Ok(Plan::from_toml(&pasted)?)
}

async fn of_any_name(shop: Shop) -> Result<()> {
    for (from, to) in [(OLD, NEW), (TEXT, NEW)] {
        shop.create(from).await?;
        shop.fill(from, 200, 1).await?;
        let mut connection = shop.connect().await?;
        let create = "CREATE TABLE seen AS SELECT number, parent_id AS whoever, parent_id AS owner_id \
                      FROM child";
        connection.execute("a table", create).await?;
        let plan = shop.plan(from, to).await?;
        let found = refused(&shop, &plan).await?;
        let values = number(&mut connection, "SELECT count(*) FROM seen").await?;
        ensure!(values > 0 && found.len() == 2, "{found:?}");
        for (column, reason) in ["whoever", "owner_id"].iter().zip(&found) {
            let part = format!(
                "seen.{column}: it looks like a reference to parent.id (its values are ids of parent; \
                 {values} of {values} values exist there)"
            );
            ensure!(reason.contains(&part), "{part} in {reason}");
        }
        shop::refused(shop.run(&plan, Phase::Swap).await, &["seen.whoever"])?;
        let plan = with_left_out(&plan, &found.join("\n"))?;
        shop.run(&plan, Phase::Swap).await?;
        shop.undo(&plan).await?;
        for table in ["seen", "loose", "part", "line", "child", "parent"] {
            let drop = format!("DROP TABLE {table}");
            connection.execute("the end of it", &drop).await?;
        }
    }
    Ok(())
}

/// Texts of another type and another set of characters, beside others that are no ids.
async fn among_others(shop: Shop) -> Result<()> {
    shop.create(TEXT).await?;
    shop.fill(TEXT, 200, 1).await?;
    let mut connection = shop.connect().await?;
    let (padded, text) = match shop.dialect.backend {
        Backend::MySql | Backend::MariaDb => (
            "char(40) CHARACTER SET utf8mb4",
            "text CHARACTER SET latin1",
        ),
        _ => ("char(40)", "text"),
    };
    for statement in [
        format!(
            "CREATE TABLE audit (table_name varchar(20), row_id {padded}, details {text}, code varchar(12))"
        ),
        "INSERT INTO audit SELECT 'parent', id, 'made by somebody', 'none' FROM parent".into(),
        "INSERT INTO audit SELECT 'part', '018e5f3b-ff48-7bff-8000-0123456789ab', 'é', 'none' FROM parent"
            .into(),
    ] {
        connection.execute("a table", &statement).await?;
    }
    let plan = shop.plan(TEXT, NEW).await?;
    let found = refused(&shop, &plan).await?;
    let part = "audit.row_id: it looks like a reference to parent.id (some of its values are ids of parent; \
                200 of 400 values exist there)";
    ensure!(
        matches!(&found[..], [only] if only.contains(part)
            && only.contains("--reference audit.row_id if it refers to parent only")),
        "{found:?}"
    );
    let plan = with_left_out(&plan, &found.join("\n"))?;
    ensure!(refused(&shop, &plan).await?.is_empty());
    Ok(())
}

/// Those of two tables are the same by chance.
async fn numbers(shop: Shop) -> Result<()> {
    shop.create(NUMBERS).await?;
    shop.fill(NUMBERS, 50, 1).await?;
    let mut connection = shop.connect().await?;
    let create = "CREATE TABLE seen AS SELECT number, parent_id AS whoever FROM loose";
    connection.execute("a table", create).await?;
    let plan = shop.plan(NUMBERS, NEW).await?;
    let found = refused(&shop, &plan).await?;
    ensure!(found.is_empty(), "{found:?}");
    Ok(())
}
