//! Every row of a table is in exactly one range, and the ranges are about equal, on each live
//! database.

mod keys;

use anyhow::{Context, Result, ensure};
use rowkey_copy::chunks::{self, Request, TableRanges};
use rowkey_copy::{Choices, CopyPlan};
use rowkey_doctor::stored_ids;
use rowkey_tables::{Connection, Silent};
use rowkey_testkit::{Backend, Suite, TestDatabase};

use crate::LIVE;

pub(crate) fn add_tests(suite: &mut Suite) {
    suite.test("keys_of_every_type", LIVE, |db| run(db, keys_of_every_type));
    suite.test("a_random_part_of_the_keys", LIVE, |db| run(db, random_part));
    suite.test("rows_without_a_key", LIVE, |db| run(db, rows_without_a_key));
    suite.test("few_and_equal_keys", LIVE, |db| run(db, few_and_equal_keys));
    suite.test("keys_of_two_columns", LIVE, |db| run(db, two_columns));
    suite.test("wrong_requests", LIVE, |db| run(db, wrong_requests));
}

fn run<F: Future<Output = Result<()>>>(
    database: &TestDatabase,
    scenario: impl FnOnce(Connection) -> F,
) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async { scenario(Connection::open(&database.url().parse()?).await?).await })
}

async fn plan(db: &mut Connection) -> Result<CopyPlan> {
    let mut target = Connection::open(&"sqlite::memory:".parse()?).await?;
    let choices = Choices::default();
    let planned = rowkey_copy::plan(db, &mut target, choices, &mut Silent, stored_ids).await?;
    Ok(planned.plan)
}

fn request(ranges: u32) -> Request {
    Request {
        ranges: Some(ranges),
        ..Request::default()
    }
}

async fn find(db: &mut Connection, request: &Request) -> Result<Vec<TableRanges>> {
    let plan = plan(db).await?;
    Ok(chunks::ranges(db, &plan, request, &mut Silent).await?)
}

async fn number(db: &mut Connection, query: &str) -> Result<u64> {
    let rows = db.query(query, query, &[]).await?;
    Ok(rows.first().context("a row")?.integer(0)?.try_into()?)
}

/// How many rows are in each range, after every row was found to be in exactly one of them.
async fn sizes(db: &mut Connection, found: &TableRanges) -> Result<Vec<u64>> {
    let table = &found.table;
    let mut sizes = Vec::new();
    for range in &found.ranges {
        ensure!(!range.contains('\n'), "{range}");
        let query = format!("SELECT COUNT(*) FROM {table} WHERE {range}");
        sizes.push(number(db, &query).await?);
    }
    let any: Vec<String> = found
        .ranges
        .iter()
        .map(|range| format!("({range})"))
        .collect();
    let query = format!("SELECT COUNT(*) FROM {table} WHERE {}", any.join(" OR "));
    let in_any = number(db, &query).await?;
    let rows = number(db, &format!("SELECT COUNT(*) FROM {table}")).await?;
    ensure!(in_any == rows, "{in_any} of {rows} rows are in {found:?}");
    ensure!(sizes.iter().sum::<u64>() == rows, "{sizes:?}: {found:?}");
    Ok(sizes)
}

/// The ranges are equal, but for a part of their mean.
fn check_sizes(found: &TableRanges, sizes: &[u64], part: f64) -> Result<()> {
    let mean = sizes.iter().sum::<u64>() as f64 / sizes.len() as f64;
    for size in sizes {
        let distance = (*size as f64 - mean).abs();
        ensure!(distance <= mean * part + 1.0, "{sizes:?}: {found:?}");
    }
    Ok(())
}

/// Inserts literals, many in one statement.
async fn insert(db: &mut Connection, table: &str, literals: &[String]) -> Result<()> {
    for part in literals.chunks(500) {
        let insert = format!("INSERT INTO {table} VALUES ({})", part.join("), ("));
        db.execute(&insert, &insert).await?;
    }
    Ok(())
}

fn options(db: &Connection) -> &'static str {
    match db.backend() {
        Backend::MySql | Backend::MariaDb => " ENGINE = InnoDB ROW_FORMAT = DYNAMIC",
        _ => "",
    }
}

async fn keys_of_every_type(mut db: Connection) -> Result<()> {
    const KEYS: usize = 500;
    let backend = db.backend();
    let keys = keys::keys(backend, KEYS);
    ensure!(keys.len() > 9);
    for (number, key) in keys.iter().enumerate() {
        let (sql_type, options) = (&key.sql_type, options(&db));
        let table =
            format!("CREATE TABLE key{number} (id {sql_type} NOT NULL PRIMARY KEY){options}");
        db.execute(&table, &table).await?;
        insert(&mut db, &format!("key{number}"), &key.literals).await?;
    }
    for ranges in [1, 2, 7, 40] {
        let found = find(&mut db, &request(ranges)).await?;
        ensure!(found.len() == keys.len());
        for found in &found {
            ensure!(found.ranges.len() == ranges as usize, "{found:?}");
            let sizes = sizes(&mut db, found).await?;
            check_sizes(found, &sizes, 0.1)?;
        }
    }
    Ok(())
}

/// Of many rows, only some keys are looked at, and the ranges are still nearly equal.
async fn random_part(mut db: Connection) -> Result<()> {
    const KEYS: usize = 30_000;
    let options = options(&db);
    for (number, key) in keys::keys(db.backend(), KEYS).iter().enumerate().take(6) {
        let table = format!("many{number}");
        let create = format!(
            "CREATE TABLE {table} (id {} NOT NULL PRIMARY KEY){options}",
            key.sql_type
        );
        db.execute(&create, &create).await?;
        insert(&mut db, &table, &key.literals).await?;
    }
    let request = Request {
        keys_per_range: 250,
        ..request(4)
    };
    for found in &find(&mut db, &request).await? {
        let sizes = sizes(&mut db, found).await?;
        ensure!(sizes.len() == 4);
        // Six times the deviation that 250 keys have.
        check_sizes(found, &sizes, 0.5)?;
    }
    Ok(())
}

async fn rows_without_a_key(mut db: Connection) -> Result<()> {
    let table = format!(
        "CREATE TABLE visit (id bigint UNIQUE, day integer, note varchar(9)){}",
        options(&db)
    );
    db.execute(&table, &table).await?;
    let rows: Vec<String> = (0..1_000)
        .map(|row| match row % 10 {
            0 => "NULL, NULL, 'x'".into(),
            _ => format!("{row}, {}, 'x'", row % 3),
        })
        .collect();
    insert(&mut db, "visit", &rows).await?;
    let found = find(&mut db, &request(4)).await?;
    ensure!(found[0].columns == ["id"], "{found:?}");
    let mut sizes_by_id = sizes(&mut db, &found[0]).await?;
    sizes_by_id[0] -= 100;
    ensure!(sizes_by_id.len() == 4);
    check_sizes(&found[0], &sizes_by_id, 0.05)?;
    // A column that isn't a key, with few values.
    let request = Request {
        table: Some("visit".into()),
        column: Some("day".into()),
        ..request(50)
    };
    let found = find(&mut db, &request).await?;
    ensure!(
        sizes(&mut db, &found[0]).await? == [400, 300, 300],
        "{found:?}"
    );
    Ok(())
}

async fn few_and_equal_keys(mut db: Connection) -> Result<()> {
    let table = format!(
        "CREATE TABLE visit (number bigint NOT NULL PRIMARY KEY, name varchar(40), price decimal_type){}",
        options(&db)
    );
    let table = table.replace(
        "decimal_type",
        match db.backend() {
            Backend::Sqlite => "DECIMAL_TEXT(30,2)",
            _ => "decimal(30,2)",
        },
    );
    db.execute(&table, &table).await?;
    let by = |column: &str| Request {
        table: Some("visit".into()),
        column: Some(column.into()),
        ..request(5)
    };
    for rows in [0, 1, 300] {
        for column in ["number", "name", "price"] {
            let found = find(&mut db, &by(column)).await?;
            let sizes = sizes(&mut db, &found[0]).await?;
            match (rows, column) {
                (300, "number") => check_sizes(&found[0], &sizes, 0.1)?,
                _ => ensure!(sizes == [rows], "{rows} by {column}: {sizes:?}"),
            }
        }
        let rows: Vec<String> = match rows {
            0 => vec!["0, 'the same', 1.5".into()],
            1 => (1..300)
                .map(|row| format!("{row}, 'the same', 1.5"))
                .collect(),
            _ => Vec::new(),
        };
        insert(&mut db, "visit", &rows).await?;
    }
    Ok(())
}

/// The first column alone has two values.
async fn two_columns(mut db: Connection) -> Result<()> {
    let table = format!(
        "CREATE TABLE visit (shop integer NOT NULL, name varchar(40) NOT NULL, \
         PRIMARY KEY (shop, name)){}",
        options(&db)
    );
    db.execute(&table, &table).await?;
    let rows: Vec<String> = (0..2_000)
        .map(|row| format!("{}, 'it''s {row}'", row % 2))
        .collect();
    insert(&mut db, "visit", &rows).await?;
    let found = find(&mut db, &request(8)).await?;
    ensure!(found[0].columns == ["shop", "name"], "{found:?}");
    let sizes = sizes(&mut db, &found[0]).await?;
    ensure!(sizes.len() == 8, "{sizes:?}");
    check_sizes(&found[0], &sizes, 0.05)
}

async fn wrong_requests(mut db: Connection) -> Result<()> {
    let table = format!(
        "CREATE TABLE visit (id bigint NOT NULL PRIMARY KEY){}",
        options(&db)
    );
    db.execute(&table, &table).await?;
    let mut plan = plan(&mut db).await?;
    let mut failure = async |plan: &CopyPlan, table: &str, column: &str| {
        let request = Request {
            table: Some(table.into()),
            column: Some(column.into()),
            ..request(5)
        };
        let found = chunks::ranges(&mut db, plan, &request, &mut Silent).await;
        anyhow::Ok(found.err().context("an error")?.to_string())
    };
    let unknown = failure(&plan, "offer", "id").await?;
    ensure!(unknown.contains("the table offer"), "{unknown}");
    let unknown = failure(&plan, "visit", "day").await?;
    ensure!(
        unknown.contains("the column day of the table visit"),
        "{unknown}"
    );
    plan.tables[0].catalog = "another".into();
    let changed = failure(&plan, "visit", "id").await?;
    ensure!(
        changed.contains("it has changed in the source"),
        "{changed}"
    );
    plan.source = "sql-server".into();
    let other = failure(&plan, "visit", "id").await?;
    ensure!(other.contains("the plan is for SQL Server"), "{other}");
    Ok(())
}
