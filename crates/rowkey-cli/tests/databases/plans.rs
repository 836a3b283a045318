//! Plans for which the doctor has to find something out, as files and as JSON.

use anyhow::{Result, ensure};
use rowkey_core::generate::Generate;
use rowkey_core::{Backend, UuidV4};
use rowkey_testkit::TestDatabase;
use serde_json::json;

use crate::offers::{block_on, connect};
use crate::run::rowkey;

/// Random UUIDs as text, which certainly is their public form.
fn create(database: &TestDatabase) -> Result<()> {
    block_on(async {
        let mut connection = connect(database).await?;
        let text = match database.backend() {
            Backend::Postgres | Backend::Sqlite => "varchar(36)",
            _ => "char(36) CHARACTER SET ascii COLLATE ascii_bin",
        };
        // A number that the database counts tells the order of insertion where the place of rows
        // does not.
        let place = match database.backend() {
            Backend::MySql | Backend::MariaDb => "place bigint NOT NULL AUTO_INCREMENT UNIQUE, ",
            _ => "",
        };
        let table = format!("CREATE TABLE offer ({place}id {text} NOT NULL PRIMARY KEY)");
        connection.execute("the table", &table).await?;
        let ids: Vec<String> = (0..400)
            .map(|_| format!("('{}')", UuidV4::generate()))
            .collect();
        let insert = format!("INSERT INTO offer (id) VALUES {}", ids.join(", "));
        connection.execute("the rows", &insert).await?;
        Ok(())
    })
}

pub(crate) fn text_of_random_uuids_is_public(database: &TestDatabase) -> Result<()> {
    create(database)?;
    let folder = tempfile::tempdir()?;
    let plan = rowkey(
        database,
        folder.path(),
        "plan --table offer --to uuid --json",
    )?
    .json()?;
    ensure!(plan["key"]["format"] == "uuid-v4", "{plan}");
    ensure!(plan["key"]["from"] == "text:public", "{plan}");
    ensure!(plan["policy"]["batch-rows"] == json!(50_000), "{plan}");
    // The file is the plan, whatever is printed.
    let command = "plan --table offer --to uuid --output plan.toml --json";
    let printed = rowkey(database, folder.path(), command)?.json()?;
    ensure!(printed == plan, "{printed}");
    rowkey(database, folder.path(), "preflight plan.toml")?.success()?;
    Ok(())
}

pub(crate) fn a_plan_is_made_in_the_schema_of_the_connection(
    database: &TestDatabase,
) -> Result<()> {
    create(database)?;
    let own = match database.backend() {
        Backend::Postgres => "SELECT current_schema()::text",
        Backend::Sqlite => "SELECT 'main'",
        _ => "SELECT DATABASE()",
    };
    let own = block_on(async {
        let rows = connect(database)
            .await?
            .query("the schema", own, &[])
            .await?;
        Ok(rows.first().map_or(Ok(""), |row| row.text(0))?.to_owned())
    })?;
    let folder = tempfile::tempdir()?;
    let run = |table: &str| {
        let command = format!("plan --table {table} --to uuid --json");
        rowkey(database, folder.path(), &command)
    };
    let plan = run(&format!("{own}.offer"))?.json()?;
    ensure!(plan["key"]["table"] == "offer", "{plan}");
    let refused = run("elsewhere.offer")?.failure(1)?;
    ensure!(refused.contains("elsewhere.offer"), "{refused}");
    ensure!(
        refused.contains(&own) && refused.contains("hint: "),
        "{refused}"
    );
    Ok(())
}
