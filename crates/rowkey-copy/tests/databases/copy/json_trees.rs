//! JSON as text goes into columns that keep it as a tree, which loses some of it.

use anyhow::{Context, Result, ensure};
use rowkey_copy::CopyPlan;
use rowkey_testkit::{Backend, Suite, test_name};

use crate::copy::held::{nothing_is_refused, preflight};
use crate::copy::newer_servers::{MYSQL_8, pair_since};
use crate::copy::{compare, copy, copy_equal, execute, open, plan};

pub(crate) fn add_tests(suite: &mut Suite) {
    for target in [Backend::Postgres, Backend::MySql] {
        let to = test_name(target);
        let name = format!("names_that_a_tree_has_once_in_{to}");
        pair_since(suite, MYSQL_8, &name, crate::LIVE, target, repeated);
        let name = format!("names_that_were_lost_are_seen_in_{to}");
        pair_since(suite, MYSQL_8, &name, crate::LIVE, target, lost_before);
        let name = format!("values_that_a_tree_changes_in_{to}");
        pair_since(suite, MYSQL_8, &name, crate::LIVE, target, changed);
    }
}

const TABLE: &str = "CREATE TABLE note (id integer NOT NULL PRIMARY KEY, body ";

/// The type that keeps JSON as it was written, and the one that makes a tree of it.
fn text(backend: Backend) -> &'static str {
    match backend {
        Backend::Postgres => "json",
        Backend::MySql | Backend::MariaDb => "longtext CHARACTER SET utf8mb4",
        _ => "text",
    }
}

fn tree(backend: Backend) -> &'static str {
    match backend {
        Backend::Postgres => "jsonb",
        _ => "json",
    }
}

async fn create(source: &str) -> Result<()> {
    let mut from = open(source).await?;
    let table = format!("{TABLE}{})", text(from.backend()));
    let rows = r#"INSERT INTO note VALUES (1, '{"a": {"a": 1}, "b": [{"a": 1}]}'),
        (7, '{"a": 1, "b": 0, "a": 2}'), (8, '[{"b": {"x": 1, "x": 1}}]'), (9, NULL)"#;
    execute(&mut from, "the source", &[&table, rows]).await
}

async fn plan_of_trees(source: &str, target: &str) -> Result<CopyPlan> {
    let mut plan = plan(source, target).await?;
    let to = tree(open(target).await?.backend());
    plan.tables[0].columns[1].to = Some(to.into());
    Ok(plan)
}

/// They are named with a type that keeps them, and no row is written without them.
async fn repeated(source: String, target: String) -> Result<()> {
    create(&source).await?;
    let mut plan = plan_of_trees(&source, &target).await?;
    let looked = preflight(&source, &target, &plan).await?;
    let [refused] = &looked.refused[..] else {
        anyhow::bail!("{looked:?}");
    };
    for expected in [
        "note.body: JSON has the name \"a\" twice in an object",
        "in the row 7; 2 values have no place, others in the row 8",
    ] {
        ensure!(refused.contains(expected), "{refused}");
    }
    let advised = refused.split("write `to = \"").nth(1);
    let advised = advised.and_then(|rest| rest.split('"').next());
    let advised = advised.with_context(|| refused.clone())?;

    plan.policy.preflight = false;
    let error = copy(&source, &target, &plan).await.unwrap_err().to_string();
    ensure!(
        error.contains("\"a\" twice") && error.contains("in the row 7"),
        "{error}"
    );
    let mut to = open(&target).await?;
    let query = "SELECT COUNT(*) FROM note WHERE id > 1";
    let found = to.query("the rows", query, &[]).await?[0].integer(0)?;
    ensure!(found == 0, "{found}");
    let anew = ["DROP TABLE note", "DROP TABLE rowkey_copy"];
    execute(&mut to, "no tables", &anew).await?;

    plan.policy.preflight = true;
    plan.tables[0].columns[1].to = Some(advised.into());
    nothing_is_refused(&source, &target, &plan).await?;
    copy_equal(&source, &target, &plan).await?;
    let query = "SELECT id FROM note WHERE CAST(body AS char(99)) LIKE '%\"a\": 1%\"a\": 2%'";
    let found = to.query("the names", query, &[]).await?;
    ensure!(found.len() == 1 && found[0].integer(0)? == 7, "{found:?}");
    Ok(())
}

/// Rows that another tool has written are not the same.
async fn lost_before(source: String, target: String) -> Result<()> {
    create(&source).await?;
    let mut to = open(&target).await?;
    let table = format!("{TABLE}{})", tree(to.backend()));
    let rows = r#"INSERT INTO note VALUES (1, '{"a": {"a": 1}, "b": [{"a": 1}]}'),
        (7, '{"b": 0, "a": 2}'), (8, '[{"b": {"x": 1}}]'), (9, NULL)"#;
    execute(&mut to, "the target", &[&table, rows]).await?;
    let plan = plan(&source, &target).await?;
    let compared = compare(&source, &target, &plan).await?;
    let difference = compared.tables[0].difference.as_ref();
    let keys = difference.map(|found| found.keys.clone());
    ensure!(keys == Some(vec!["7".into(), "8".into()]), "{compared:?}");
    Ok(())
}

/// What a server changes or refuses is named, and nothing else.
async fn changed(source: String, target: String) -> Result<()> {
    let mut from = open(&source).await?;
    let is_postgres = open(&target).await?.backend() == Backend::Postgres;
    let table = format!("{TABLE}{})", text(from.backend()));
    from.execute("the source", &table).await?;
    let name = |length: usize| format!("{{\"{}\": 1}}", "x".repeat(length));
    let (both, postgres, mysql) = ((false, false), (false, true), (true, false));
    let neither = (true, true);
    let values = [
        ("[1.0, 1e2, 0.10, 5e-324, 1E5]".to_owned(), neither),
        ("[-0.0]".to_owned(), postgres),
        ("[-0]".to_owned(), both),
        ("[1e400]".to_owned(), mysql),
        ("[1e-400]".to_owned(), mysql),
        ("[1e131072]".to_owned(), both),
        ("[123456789012345678901234567890]".to_owned(), mysql),
        (format!("{}{}", "[".repeat(100), "]".repeat(100)), neither),
        (format!("{}{}", "[".repeat(101), "]".repeat(101)), mysql),
        (name(65_535), neither),
        (name(65_536), mysql),
    ];
    let mut refused = Vec::new();
    for (id, (value, (kept, other))) in values.iter().enumerate() {
        let row = format!("INSERT INTO note VALUES ({id}, '{value}')");
        from.execute("a row", &row).await?;
        let is_kept = if is_postgres { *kept } else { *other };
        if !is_kept {
            refused.push(id);
        }
    }
    let plan = plan_of_trees(&source, &target).await?;
    let looked = preflight(&source, &target, &plan).await?;
    let found = looked.values.first().map(|found| found.values);
    ensure!(found == Some(refused.len() as u64), "{looked:?}");
    for id in refused {
        let value = format!("DELETE FROM note WHERE id = {id}");
        from.execute("a row", &value).await?;
    }
    nothing_is_refused(&source, &target, &plan).await?;
    copy_equal(&source, &target, &plan).await
}
