//! A copy continues after a key of any type, of one column or of several.

use anyhow::{Context, Result, ensure};
use rowkey_core::format::FormatKind;
use rowkey_sql::StoredForm;
use rowkey_tables::catalog::Catalog;
use rowkey_testkit::{Backend, Suite};

use crate::copy::values::{Content as C, literal, sql_type, values};
use crate::copy::{compare, copy, creating, execute, interrupted, open, pair, plan};

const KEYS: [&[C]; 12] = [
    &[C::Truth],
    &[C::Small],
    &[C::Big],
    &[C::Unsigned],
    &[C::Decimal],
    &[C::Double],
    &[C::Name],
    &[C::Date],
    &[C::Time],
    &[C::Timestamp],
    &[C::Uuid],
    &[C::Instant, C::Decimal, C::Name],
];

pub(crate) fn add_tests(suite: &mut Suite) {
    pair(
        suite,
        "resumed_behind_any_key",
        crate::LIVE,
        Backend::Postgres,
        any_key,
    );
    for target in crate::LIVE {
        let name = format!(
            "keys_in_several_forms_go_to_{}",
            crate::copy::test_name(target)
        );
        pair(suite, &name, [Backend::Sqlite], target, several_forms);
    }
    pair(
        suite,
        "keys_of_any_year",
        [Backend::Postgres],
        Backend::Postgres,
        any_year,
    );
    pair(
        suite,
        "keys_that_are_longer_than_an_index",
        [Backend::MariaDb],
        Backend::Postgres,
        long_keys,
    );
    for target in [Backend::Postgres, Backend::Sqlite] {
        let name = format!("uuids_of_mariadb_to_{}", crate::copy::test_name(target));
        pair(suite, &name, [Backend::MariaDb], target, uuids_of_mariadb);
    }
    for target in [Backend::MySql, Backend::MariaDb] {
        pair(
            suite,
            &format!(
                "keys_in_another_order_follow_the_rows_in_{}",
                crate::copy::test_name(target)
            ),
            [Backend::Postgres],
            target,
            late_keys,
        );
    }
}

/// Ids that no key may declare in MariaDB's own type go by that type, and the plan is right as it
/// was written.
async fn uuids_of_mariadb(source: String, target: String) -> Result<()> {
    let mut db = open(&source).await?;
    execute(&mut db, "the source", &[
        "CREATE TABLE thing (id uuid PRIMARY KEY, number integer NOT NULL) ENGINE = InnoDB",
        "CREATE TABLE part (id uuid PRIMARY KEY, thing uuid NOT NULL, FOREIGN KEY (thing) REFERENCES thing (id)) \
         ENGINE = InnoDB",
        "INSERT INTO thing SELECT UUID(), seq FROM seq_1_to_5000",
        "INSERT INTO part SELECT UUID(), id FROM thing",
    ]).await?;
    let plan = plan(&source, &target).await?;
    let report = copy(&source, &target, &plan).await?;
    ensure!(
        report.tables.iter().all(|table| table.rows == 5_000),
        "{report:?}"
    );
    ensure!(compare(&source, &target, &plan).await?.is_equal());
    Ok(())
}

/// How the two tables store their ids in the source, and in the target.
const FORMS: [(&str, &str, &str); 2] = [
    ("moved", "uuid:public", "uuid:sql-server"),
    ("kept", "uuid:public", "uuid:public"),
];

/// InnoDB keeps rows in the order of the key.
async fn late_keys(source: String, target: String) -> Result<()> {
    const ROWS: u128 = 60;
    let mut db = open(&source).await?;
    for (table, stored, _) in FORMS {
        let form = form(Backend::Postgres, stored)?;
        let create =
            format!("CREATE TABLE {table} (id uuid PRIMARY KEY, parent uuid REFERENCES {table})");
        db.execute("a table", &create).await?;
        for row in 0..ROWS {
            let id = |row| form.literal(id(row));
            let insert = format!("INSERT INTO {table} VALUES ({}, {})", id(row), id(row / 2));
            db.execute("a row", &insert).await?;
        }
    }
    let mut plan = plan(&source, &target).await?;
    plan.policy.batch_rows = 5;
    plan.policy.transaction_rows = 10;
    for (table, stored, becomes) in FORMS {
        let mut tables = plan.tables.iter_mut();
        let table = tables
            .find(|planned| planned.name.name == table)
            .context("a table")?;
        for column in &mut table.columns {
            column.to = None;
            column.format = Some("uuid-v7".into());
            column.stored_from = Some(stored.into());
            column.stored_to = Some(becomes.into());
        }
    }
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("plan.toml");
    std::fs::write(&path, plan.to_toml()?)?;
    let has_key = async |table: &str| -> Result<bool> {
        let catalog = Catalog::read(&mut open(&target).await?).await?;
        let found = catalog.tables.iter().find(|found| found.name.name == table);
        Ok(found
            .context("a table of the target")?
            .primary_key()
            .is_some())
    };
    let ended = interrupted::run(&source, &target, &path, 8, &creating())?;
    ensure!(ended.code().is_none(), "it has come to its end");
    ensure!(!has_key("moved").await?, "the key is there before the rows");
    ensure!(
        has_key("kept").await?,
        "a key that costs nothing is missing"
    );
    let report = copy(&source, &target, &plan).await?;
    ensure!(
        report
            .tables
            .iter()
            .all(|table| u128::from(table.rows) == ROWS),
        "{report:?}"
    );
    for (table, ..) in FORMS {
        ensure!(has_key(table).await?, "{table} has no key");
    }
    let compared = compare(&source, &target, &plan).await?;
    ensure!(compared.is_equal(), "{compared:?}");
    let mut db = open(&target).await?;
    let form = form(db.backend(), FORMS[0].2)?;
    let [own, parent] = [ROWS, ROWS + 1].map(|row| form.literal(id(row)));
    let insert = format!("INSERT INTO moved VALUES ({own}, {own}), ({parent}, {parent})");
    db.execute("rows with parents", &insert).await?;
    let orphan = form.literal(id(ROWS + 2));
    let insert = format!("UPDATE moved SET parent = {orphan} WHERE id = {own}");
    ensure!(
        db.execute("an orphan", &insert).await.is_err(),
        "references are missing"
    );
    Ok(())
}

/// UUIDs of version 7, one in a second.
fn id(row: u128) -> u128 {
    (1_767_225_600_000 + row * 1_000) << 80 | 7 << 76 | 2 << 62 | row
}

fn form(backend: Backend, name: &str) -> Result<StoredForm> {
    StoredForm::named(FormatKind::UuidV7, backend, name).map_err(anyhow::Error::msg)
}

/// The values of a key that its database tells apart: MySQL ignores spaces at the end.
fn key_values(content: C) -> Vec<String> {
    let mut values = values(content);
    values.retain(|value| !value.ends_with(' '));
    values
}

async fn create(source: &str) -> Result<usize> {
    let mut db = open(source).await?;
    let backend = db.backend();
    let options = match backend {
        Backend::MySql | Backend::MariaDb => {
            " ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"
        }
        _ => "",
    };
    let mut rows = 0;
    for (number, key) in KEYS.iter().enumerate() {
        let names: Vec<String> = (0..key.len()).map(|part| format!("part{part}")).collect();
        let columns = names.iter().zip(*key).map(|(name, content)| {
            let sql_type = sql_type(backend, *content).trim_end_matches(" NULL");
            format!("{name} {sql_type} NOT NULL")
        });
        let columns: Vec<String> = columns.collect();
        let table = format!(
            "CREATE TABLE key{number} ({}, PRIMARY KEY ({})){options}",
            columns.join(", "),
            names.join(", ")
        );
        db.execute("a table", &table).await?;
        // Every value of a part with some of the others.
        for row in 0..8 * key.len() {
            let parts = key.iter().enumerate().map(|(part, content)| {
                let values = key_values(*content);
                let at = if part == 0 && key.len() > 1 {
                    row / 8
                } else {
                    row
                };
                literal(backend, *content, &values[at % values.len()])
            });
            let parts: Vec<String> = parts.collect();
            if key.len() == 1 && row >= key_values(key[0]).len() {
                break;
            }
            let insert = format!("INSERT INTO key{number} VALUES ({})", parts.join(", "));
            // Of several columns, some rows are the same.
            rows += usize::from(db.execute("a row", &insert).await.is_ok());
        }
    }
    Ok(rows)
}

async fn any_key(source: String, target: String) -> Result<()> {
    let rows = create(&source).await?;
    let mut plan = plan(&source, &target).await?;
    plan.policy.batch_rows = 1;
    plan.policy.transaction_rows = 1;
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("plan.toml");
    std::fs::write(&path, plan.to_toml()?)?;
    let mut runs = 0;
    while interrupted::run(&source, &target, &path, 5, &creating())?
        .code()
        .is_none()
    {
        runs += 1;
        ensure!(runs < rows, "it does not come to an end");
    }
    // In SQLite, keys with times are text in any form, and their tables are copied in one
    // transaction.
    let from = open(&source).await?.backend();
    let at_least = if from == Backend::Sqlite { 5 } else { rows / 5 };
    ensure!(runs >= at_least, "{runs} runs for {rows} rows");
    let report = copy(&source, &target, &plan).await?;
    let copied: u64 = report.tables.iter().map(|table| table.rows).sum();
    ensure!(copied == rows as u64, "{copied} of {rows} rows");
    let compared = compare(&source, &target, &plan).await?;
    ensure!(compared.is_equal(), "{compared:?}");
    Ok(())
}

/// Those that no literal of the usual form has, too.
async fn any_year(source: String, target: String) -> Result<()> {
    let rows = [
        "CREATE TABLE price (valid_to timestamptz, day date, at timestamp, PRIMARY KEY (valid_to, day, at))",
        "INSERT INTO price SELECT valid_to::timestamptz, day::date, at::timestamp FROM \
         unnest(ARRAY['infinity', '-infinity', '4713-01-01 00:00:00 BC', '294276-12-31 23:59:59.999999', 'now']) valid_to, \
         unnest(ARRAY['infinity', '-infinity', '4713-01-01 BC', '5874897-12-31', 'today']) day, \
         unnest(ARRAY['infinity', '-infinity', '0044-03-15 12:00:00.000001 BC', '20000-01-01', 'now']) at",
    ];
    execute(&mut open(&source).await?, "the source", &rows).await?;
    resumed(&source, &target).await
}

/// MariaDB knows by their hashes that they are unique, and sorts them by their beginning.
async fn long_keys(source: String, target: String) -> Result<()> {
    let mut db = open(&source).await?;
    let table = "CREATE TABLE page (address text NOT NULL UNIQUE, title varchar(9)) ENGINE=InnoDB";
    db.execute("the source", table).await?;
    for number in 0..125 {
        let insert = format!(
            "INSERT INTO page VALUES (CONCAT(REPEAT('a', 1500), {}), 'a')",
            number * 7 % 125
        );
        db.execute("a row", &insert).await?;
    }
    resumed(&source, &target).await
}

/// What SQLite has in several forms does not tell where a copy has stopped.
async fn several_forms(source: String, target: String) -> Result<()> {
    let mut db = open(&source).await?;
    let tables = [
        "CREATE TABLE visit (day date NOT NULL, number integer NOT NULL, PRIMARY KEY (day, number))",
        "CREATE TABLE guest (id uuid NOT NULL PRIMARY KEY, name text)",
        "CREATE TABLE option (is_on boolean NOT NULL PRIMARY KEY)",
        "CREATE TABLE price (amount decimal(9, 2) NOT NULL PRIMARY KEY)",
        "CREATE TABLE tag (name text COLLATE NOCASE NOT NULL, UNIQUE (name COLLATE BINARY))",
        "INSERT INTO option VALUES ('t'), ('f')",
        "INSERT INTO price VALUES (1.5), (2), ('3.25')",
    ];
    execute(&mut db, "the source", &tables).await?;
    for number in 0..60 {
        let time = if number % 2 == 0 { " 00:00:00" } else { "" };
        let day = 1 + number % 28;
        let visit = format!("INSERT INTO visit VALUES ('2024-02-{day:02}{time}', {number})");
        let id = format!("{number:08x}-8694-439b-aea5-966c26f8ad91");
        let id = if number % 3 == 0 {
            id.to_uppercase()
        } else {
            id
        };
        let guest = format!("INSERT INTO guest VALUES ('{id}', 'a')");
        let tag = format!("INSERT INTO tag VALUES ('a{number}'), ('A{number}')");
        execute(&mut db, "the rows", &[&visit, &guest, &tag]).await?;
    }
    resumed(&source, &target).await
}

/// A copy that is interrupted several times has each row once.
async fn resumed(source: &str, target: &str) -> Result<()> {
    let mut plan = plan(source, target).await?;
    plan.policy.batch_rows = 7;
    plan.policy.transaction_rows = 7;
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("plan.toml");
    std::fs::write(&path, plan.to_toml()?)?;
    for steps in 3..15 {
        interrupted::run(source, target, &path, steps, &creating())?;
    }
    copy(source, target, &plan).await?;
    let compared = compare(source, target, &plan).await?;
    ensure!(compared.is_equal(), "{compared:?}");
    Ok(())
}
