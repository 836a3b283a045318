//! What only SQL Server has, on its way to other databases and into existing tables of its own.

use anyhow::{Context, Result, ensure};
use rowkey_copy::Request;
use rowkey_core::UuidV7;
use rowkey_core::format::FormatKind;
use rowkey_core::generate::Generate;
use rowkey_core::storage::StoragePlan;
use rowkey_tables::{Silent, Value};
use rowkey_testkit::{Backend, Suite, test_name};

use crate::LIVE;
use crate::copy::held::{nothing_is_refused, preflight};
use crate::copy::{compare, copy, execute, open, pair, plan};

pub(crate) fn add_tests(suite: &mut Suite) {
    let source = [Backend::SqlServer];
    for target in LIVE {
        let to = test_name(target);
        pair(suite, &format!("guids_to_{to}"), source, target, guids);
    }
    let target = Backend::Postgres;
    pair(suite, "types_of_sql_server", source, target, types);
    let (name, target) = ("existing_tables_of_sql_server", Backend::SqlServer);
    pair(suite, name, [Backend::Postgres], target, existing);
}

const TYPES: &str = "CREATE TABLE thing (number int NOT NULL PRIMARY KEY, tiny tinyint, price money, \
    small smallmoney, old datetime, older smalldatetime, short char(4), wide nchar(4), body varchar(max), \
    fixed binary(3), document xml, changed rowversion)";

const ROWS: [&str; 4] = [
    "INSERT INTO thing (number, tiny, price, small, old, older, short, wide, body, fixed, document) VALUES \
     (1, 255, -922337203685477.5808, 214748.3647, '2024-01-31T23:59:59.997', '2079-06-06T23:59:00', \
     'ab', N'ä', 'it''s', 0x0001ff, '<a>1</a>')",
    "INSERT INTO thing (number, tiny, price, small, old, older, short, wide, body, fixed, document) VALUES \
     (2, 0, 922337203685477.5807, -214748.3648, '1753-01-01T00:00:00.003', '1900-01-01T00:00:00', \
     '', N'', '', 0xffffff, '')",
    "INSERT INTO thing (number) VALUES (3)",
    "DELETE FROM thing WHERE number = 4",
];

/// Each has a place, but for one that the plan has to name and one that is left out.
async fn types(source: String, target: String) -> Result<()> {
    let mut db = open(&source).await?;
    for statement in [&[TYPES][..], &ROWS].concat() {
        db.execute("the source", statement).await?;
    }
    let mut plan = plan(&source, &target).await?;
    let columns = &mut plan.tables[0].columns;
    ensure!(
        !columns.iter().any(|column| column.name == "changed"),
        "{columns:?}"
    );
    let refused = copy(&source, &target, &plan).await.unwrap_err().to_string();
    ensure!(refused.contains("thing.document (xml)"), "{refused}");
    let columns = &mut plan.tables[0].columns;
    let document = columns.iter_mut().find(|column| column.name == "document");
    document.context("a column")?.to = Some("text".into());
    nothing_is_refused(&source, &target, &plan).await?;
    let report = copy(&source, &target, &plan).await?;
    ensure!(
        report
            .notes
            .contains(&"thing.changed is left out".to_owned()),
        "{report:?}"
    );
    let compared = compare(&source, &target, &plan).await?;
    ensure!(compared.is_equal(), "{compared:?}");
    let query = "SELECT tiny::text, price::text, small::text, old::text, older::text, short, wide, body, \
                 encode(fixed, 'hex'), document FROM thing ORDER BY number";
    let rows = open(&target).await?.query("the rows", query, &[]).await?;
    let expected = [
        [
            "255",
            "-922337203685477.5808",
            "214748.3647",
            "2024-01-31 23:59:59.997",
            "2079-06-06 23:59:00",
            "ab  ",
            "ä   ",
            "it's",
            "0001ff",
            "<a>1</a>",
        ],
        [
            "0",
            "922337203685477.5807",
            "-214748.3648",
            "1753-01-01 00:00:00.003",
            "1900-01-01 00:00:00",
            "    ",
            "    ",
            "",
            "ffffff",
            "",
        ],
    ];
    for (row, expected) in rows.iter().zip(expected) {
        let expected = expected.map(Value::from);
        ensure!(row.0 == expected, "{row:?}");
    }
    ensure!(rows.len() == 3 && rows[2].0.iter().all(|value| *value == Value::Null));
    Ok(())
}

/// Ids whose bytes the server's order needs in another order, read in parts and in that order.
async fn guids(source: String, target: String) -> Result<()> {
    const GUIDS: usize = 300;
    let mut db = open(&source).await?;
    let table = "CREATE TABLE thing (id uniqueidentifier NOT NULL PRIMARY KEY, title nvarchar(9))";
    db.execute("the source", table).await?;
    let ids: Vec<UuidV7> = (0..GUIDS).map(|_| UuidV7::generate()).collect();
    let form = |backend| StoragePlan::default_for(FormatKind::UuidV7).column(backend);
    let rows: Vec<String> = ids
        .iter()
        .map(|id| {
            format!(
                "({}, N'a')",
                form(Backend::SqlServer).literal(id.to_uuid().as_u128())
            )
        })
        .collect();
    let insert = format!("INSERT INTO thing (id, title) VALUES {}", rows.join(", "));
    db.execute("the ids", &insert).await?;
    let mut plan = plan(&source, &target).await?;
    plan.policy.batch_rows = 7;
    plan.policy.transaction_rows = 20;
    let (from, to) = (
        &plan.tables[0].columns[0].stored_from,
        &plan.tables[0].columns[0].stored_to,
    );
    ensure!(
        from.as_deref() == Some("uuid:sql-server") && to.as_deref() == Some("uuid:public"),
        "{plan:?}"
    );
    let request = Request {
        create: true,
        jobs: 3,
        part_rows: 50,
    };
    let (mut one, mut other) = (open(&source).await?, open(&target).await?);
    let report = rowkey_copy::copy(&mut one, &mut other, &plan, &request, &mut Silent).await?;
    ensure!(report.tables[0].rows == GUIDS as u64, "{report:?}");
    for id in &ids {
        let literal = form(other.backend()).literal(id.to_uuid().as_u128());
        let query = format!("SELECT COUNT(*) FROM thing WHERE id = {literal}");
        let rows = other.query("an id", &query, &[]).await?;
        ensure!(rows[0].integer(0)? == 1, "{id} is not there");
    }
    let compared = compare(&source, &target, &plan).await?;
    ensure!(compared.is_equal(), "{compared:?}");
    Ok(())
}

/// Types that a new table does not get, a column that is counted, and what these refuse.
async fn existing(source: String, target: String) -> Result<()> {
    let mut db = open(&source).await?;
    execute(&mut db, "the source", &[
        "CREATE TABLE thing (number integer NOT NULL PRIMARY KEY, price numeric(19,4), opens time(3), \
         name varchar(9))",
        "INSERT INTO thing VALUES (7, 922337203685477.5807, '23:59:59.999', 'it''s'), \
         (9, -0.0001, '00:00', NULL)",
    ]).await?;
    let mut to = open(&target).await?;
    let table = "CREATE TABLE thing (number int IDENTITY PRIMARY KEY, price money, opens time(3), \
                 name varchar(9), changed rowversion)";
    to.execute("the target", table).await?;
    let mut plan = plan(&source, &target).await?;
    for (column, sql_type) in
        plan.tables[0]
            .columns
            .iter_mut()
            .zip(["int", "money", "time(3)", "varchar(9)"])
    {
        column.to = Some(sql_type.into());
    }
    db.execute(
        "a row",
        "INSERT INTO thing VALUES (10, 922337203685477.5808, '24:00', 'ä')",
    )
    .await?;
    let found = preflight(&source, &target, &plan).await?;
    let refused = found.refused.join("\n");
    for expected in [
        "thing.price: a value is 922337203685477.5808",
        "thing.opens",
        "U+00E4",
    ] {
        ensure!(refused.contains(expected), "{refused}");
    }
    db.execute("no row", "DELETE FROM thing WHERE number = 10")
        .await?;
    let request = Request::default();
    let (mut one, mut other) = (open(&source).await?, open(&target).await?);
    rowkey_copy::copy(&mut one, &mut other, &plan, &request, &mut Silent).await?;
    let compared = compare(&source, &target, &plan).await?;
    ensure!(compared.is_equal(), "{compared:?}");
    to.execute("a row", "INSERT INTO thing (price) VALUES (1)")
        .await?;
    let rows = to
        .query("its number", "SELECT MAX(number) FROM thing", &[])
        .await?;
    ensure!(rows[0].integer(0)? == 10, "{rows:?}");
    Ok(())
}
