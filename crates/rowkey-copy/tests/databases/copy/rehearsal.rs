//! What the target refuses of empty tables is found before the first row, and can be left out.

use anyhow::{Result, ensure};
use rowkey_copy::CopyPlan;
use rowkey_testkit::{Backend, Suite, test_name};

use crate::copy::held::{nothing_is_refused, preflight, tables};
use crate::copy::{compare, copy, execute, open, pair, plan};

const MYSQLS: [Backend; 2] = [Backend::MySql, Backend::MariaDb];

pub(crate) fn add_tests(suite: &mut Suite) {
    let postgres = [Backend::Postgres];
    for target in MYSQLS {
        let to = test_name(target);
        let name = |what: &str| format!("{what}_in_{to}");
        pair(
            suite,
            &name("a_required_reference_set_to_null"),
            postgres,
            target,
            set_null,
        );
        pair(
            suite,
            &name("an_index_of_documents"),
            postgres,
            target,
            documents,
        );
        pair(
            suite,
            &name("a_reference_of_another_size"),
            postgres,
            target,
            another_size,
        );
        pair(
            suite,
            &name("a_key_of_long_texts"),
            postgres,
            target,
            long_key,
        );
        pair(
            suite,
            &name("two_rehearsals_at_once"),
            [Backend::Sqlite],
            target,
            at_once,
        );
        pair(
            suite,
            &name("what_a_killed_rehearsal_left"),
            postgres,
            target,
            left,
        );
    }
    for target in postgres {
        let to = test_name(target);
        let name = format!("rows_that_are_too_long_for_an_index_of_{to}");
        pair(suite, &name, [Backend::Sqlite], target, long_rows);
        let name = format!("an_index_of_json_in_{to}");
        pair(suite, &name, [Backend::Sqlite], target, documents);
        let name = format!("a_reference_of_another_type_in_{to}");
        pair(suite, &name, crate::LIVE, target, another_type);
    }
    for target in crate::LIVE {
        let name = format!("a_reference_to_no_key_in_{}", test_name(target));
        pair(suite, &name, [Backend::Sqlite], target, no_key);
    }
    for target in crate::LIVE {
        let name = format!("a_reference_that_fails_at_the_end_in_{}", test_name(target));
        pair(suite, &name, MYSQLS, target, orphan);
    }
}

/// Both the preflight and the copy name the object and the line, before there is a table. With the
/// line, all rows are copied.
async fn refused_until_left_out(
    source: &str,
    target: &str,
    mut plan: CopyPlan,
    table: &str,
    name: &str,
) -> Result<()> {
    let line = format!("write `leave-out = [\"{name}\"]` below `name = \"{table}\"` in the plan");
    let looked = preflight(source, target, &plan).await?;
    ensure!(
        matches!(&looked.refused[..], [one] if one.contains(&line)),
        "{looked:?}"
    );
    let error = copy(source, target, &plan).await.unwrap_err().to_string();
    ensure!(error.contains(&line), "{error}");
    ensure!(tables(target).await? == 0);

    leave_out(&mut plan, table, name)?;
    nothing_is_refused(source, target, &plan).await?;
    let report = copy(source, target, &plan).await?;
    let note = format!("{name} is left out, as the plan says");
    ensure!(
        report.notes.iter().any(|told| told.contains(&note)),
        "{report:?}"
    );
    let compared = compare(source, target, &plan).await?;
    ensure!(compared.is_equal(), "{compared:?}");
    Ok(())
}

/// Writes the line into the plan as a person does, which changes nothing that a copy continues by.
fn leave_out(plan: &mut CopyPlan, table: &str, name: &str) -> Result<()> {
    let own = format!("name = \"{table}\"\n");
    let with_line = format!("{own}leave-out = [\"{name}\"]\n");
    let edited = CopyPlan::from_toml(&plan.to_toml()?.replacen(&own, &with_line, 1))?;
    ensure!(edited != *plan);
    ensure!(edited.hash()? == plan.hash()?);
    *plan = edited;
    Ok(())
}

async fn set_null(source: String, target: String) -> Result<()> {
    let tables = [
        "CREATE TABLE place (number integer PRIMARY KEY)",
        "CREATE TABLE visit (number integer PRIMARY KEY, place integer NOT NULL \
         CONSTRAINT visited REFERENCES place ON DELETE SET NULL)",
        "INSERT INTO place VALUES (1)",
        "INSERT INTO visit VALUES (7, 1)",
    ];
    execute(&mut open(&source).await?, "the source", &tables).await?;
    let plan = plan(&source, &target).await?;
    let found = preflight(&source, &target, &plan).await?;
    let why = "SET NULL needs a column that may be NULL";
    ensure!(found.refused[0].contains(why), "{found:?}");
    refused_until_left_out(&source, &target, plan, "visit", "visited").await
}

async fn documents(source: String, target: String) -> Result<()> {
    let mut db = open(&source).await?;
    let sql_type = match db.backend() {
        Backend::Postgres => "jsonb",
        _ => "json",
    };
    let table = format!("CREATE TABLE event (number integer PRIMARY KEY, payload {sql_type})");
    let tables = [
        table.as_str(),
        "CREATE INDEX event_payload ON event (payload, number)",
        "INSERT INTO event VALUES (1, '{}')",
    ];
    execute(&mut db, "the source", &tables).await?;
    let mut plan = plan(&source, &target).await?;
    if db.backend() == Backend::Sqlite {
        plan.tables[0].columns[1].to = Some("json".into());
        plan.tables[0].columns[1].refused = None;
    }
    refused_until_left_out(&source, &target, plan, "event", "event_payload").await
}

async fn another_size(source: String, target: String) -> Result<()> {
    let tables = [
        "CREATE TABLE place (number bigint PRIMARY KEY)",
        "CREATE TABLE visit (number integer PRIMARY KEY, \
         place integer CONSTRAINT visited REFERENCES place)",
        "INSERT INTO place VALUES (1)",
        "INSERT INTO visit VALUES (7, 1)",
    ];
    execute(&mut open(&source).await?, "the source", &tables).await?;
    let mut plan = plan(&source, &target).await?;
    plan.tables[1].columns[1].to = Some("int".into());
    refused_until_left_out(&source, &target, plan, "visit", "visited").await
}

async fn another_type(source: String, target: String) -> Result<()> {
    let mut db = open(&source).await?;
    let tables = [
        "CREATE TABLE place (id varchar(36) PRIMARY KEY)",
        "CREATE TABLE visit (number integer PRIMARY KEY, place varchar(36), \
         CONSTRAINT visited FOREIGN KEY (place) REFERENCES place (id))",
        "INSERT INTO place VALUES ('9a1f1b1c-7f3e-4e51-9c0a-0d4b8e5f2a11')",
        "INSERT INTO visit VALUES (7, '9a1f1b1c-7f3e-4e51-9c0a-0d4b8e5f2a11')",
    ];
    execute(&mut db, "the source", &tables).await?;
    let mut plan = plan(&source, &target).await?;
    for (table, column, to) in [(0, 0, "uuid"), (1, 1, "character varying(36)")] {
        let column = &mut plan.tables[table].columns[column];
        (column.to, column.format) = (Some(to.into()), None);
        (column.stored_from, column.stored_to) = (None, None);
    }
    let name = match db.backend() {
        Backend::Sqlite => "visit_place_fkey",
        _ => "visited",
    };
    refused_until_left_out(&source, &target, plan, "visit", name).await
}

/// Tables of a process that was killed are dropped, and names of `leave-out` are checked.
async fn left(source: String, target: String) -> Result<()> {
    let table = "CREATE TABLE place (number integer PRIMARY KEY)";
    open(&source).await?.execute("the source", table).await?;
    let left = [
        "CREATE TABLE rowkey_rehearsal_0 (number integer PRIMARY KEY)",
        "CREATE TABLE rowkey_rehearsal_7 (place integer, \
         FOREIGN KEY (place) REFERENCES rowkey_rehearsal_0 (number))",
    ];
    execute(&mut open(&target).await?, "what is left", &left).await?;
    let mut plan = plan(&source, &target).await?;
    nothing_is_refused(&source, &target, &plan).await?;
    ensure!(tables(&target).await? == 0);
    leave_out(&mut plan, "place", "visited")?;
    let looked = preflight(&source, &target, &plan).await?;
    let expected = "`leave-out` of place: the table gets no index and no reference visited";
    ensure!(
        matches!(&looked.refused[..], [one] if one.starts_with(expected)),
        "{looked:?}"
    );
    plan.tables[0].leave_out = vec!["primary key".into()];
    let looked = preflight(&source, &target, &plan).await?;
    ensure!(
        matches!(&looked.refused[..], [one] if one.ends_with("no reference primary key; delete the line")),
        "{looked:?}"
    );
    Ok(())
}

/// The tables that are made have the same names in each of them.
async fn at_once(source: String, target: String) -> Result<()> {
    let mut db = open(&source).await?;
    for number in 0..9 {
        let table = format!(
            "CREATE TABLE place_{number} (number integer PRIMARY KEY, name varchar(9) UNIQUE, \
             other integer REFERENCES place_{number} (number))"
        );
        db.execute("a table", &table).await?;
    }
    let plan = plan(&source, &target).await?;
    let look = || preflight(&source, &target, &plan);
    let (one, two, three) = tokio::try_join!(look(), look(), look())?;
    for looked in [one, two, three] {
        ensure!(looked.refused.is_empty(), "{looked:?}");
    }
    ensure!(tables(&target).await? == 0);
    Ok(())
}

/// A row refers to one that does not exist. Without a look before, the rows that were copied stay.
async fn orphan(source: String, target: String) -> Result<()> {
    let tables = [
        "CREATE TABLE place (number integer PRIMARY KEY)",
        "CREATE TABLE visit (number integer PRIMARY KEY, place integer, \
         CONSTRAINT visited FOREIGN KEY (place) REFERENCES place (number))",
        "SET foreign_key_checks = 0",
        "INSERT INTO place VALUES (1)",
        "INSERT INTO visit VALUES (7, 1), (8, 2)",
    ];
    execute(&mut open(&source).await?, "the source", &tables).await?;
    let mut plan = plan(&source, &target).await?;
    let line = "write `leave-out = [\"visited\"]` below `name = \"visit\"` in the plan";
    let looked = preflight(&source, &target, &plan).await?;
    ensure!(
        matches!(&looked.refused[..], [one] if one.contains(line)
            && one.starts_with("visit.place: a row refers to one of place that does not exist: \"2\"")),
        "{looked:?}"
    );
    plan.policy.preflight = false;
    let error = copy(&source, &target, &plan).await.unwrap_err().to_string();
    ensure!(error.contains(line), "{error}");
    leave_out(&mut plan, "visit", "visited")?;
    let report = copy(&source, &target, &plan).await?;
    let before = report
        .tables
        .iter()
        .map(|table| (table.rows_before, table.rows));
    ensure!(before.eq([(1, 1), (2, 2)]), "{report:?}");
    let compared = compare(&source, &target, &plan).await?;
    ensure!(compared.is_equal(), "{compared:?}");
    Ok(())
}

/// SQLite looks at what a reference leads to when it looks at rows.
async fn no_key(source: String, target: String) -> Result<()> {
    let tables = [
        "PRAGMA foreign_keys = OFF",
        "CREATE TABLE place (id integer PRIMARY KEY, code varchar(9))",
        "CREATE TABLE visit (id integer PRIMARY KEY, code varchar(9) REFERENCES place (code))",
        "INSERT INTO visit VALUES (1, 'a')",
    ];
    execute(&mut open(&source).await?, "the source", &tables).await?;
    let plan = plan(&source, &target).await?;
    refused_until_left_out(&source, &target, plan, "visit", "visit_code_fkey").await
}

/// A key of InnoDB has 3,072 bytes at most, in all of its columns.
async fn long_key(source: String, target: String) -> Result<()> {
    let rows = [
        "CREATE TABLE price (a text, b text, c text, d text, e text, PRIMARY KEY (a, b, c, d, e))",
        "INSERT INTO price VALUES ('a', 'b', 'c', 'd', 'e'), ('a', 'b', 'c', 'd', 'ee')",
    ];
    execute(&mut open(&source).await?, "the source", &rows).await?;
    let mut plan = plan(&source, &target).await?;
    let columns = ", such as `to = \"varchar(153) CHARACTER SET utf8mb4 COLLATE ";
    let looked = preflight(&source, &target, &plan).await?;
    ensure!(
        matches!(&looked.refused[..], [one] if one.contains("the table price") && one.contains(columns)),
        "{looked:?}"
    );
    ensure!(tables(&target).await? == 0);
    for column in &mut plan.tables[0].columns {
        let to = column.to.as_mut().expect("a type was proposed");
        *to = to.replace("varchar(191)", "varchar(153)");
    }
    nothing_is_refused(&source, &target, &plan).await?;
    copy(&source, &target, &plan).await?;
    let compared = compare(&source, &target, &plan).await?;
    ensure!(compared.is_equal(), "{compared:?}");
    Ok(())
}

/// PostgreSQL compresses what it can before it looks at the length.
async fn long_rows(source: String, target: String) -> Result<()> {
    let rows = [
        "CREATE TABLE page (id integer PRIMARY KEY, address text, title text)",
        "CREATE INDEX addresses ON page (address, title)",
        "INSERT INTO page VALUES (1, printf('%.*c', 5000, 'x'), hex(randomblob(2000)))",
    ];
    let mut from = open(&source).await?;
    execute(&mut from, "the source", &rows).await?;
    refused_until_left_out(
        &source,
        &target,
        plan(&source, &target).await?,
        "page",
        "addresses",
    )
    .await?;
    let shorter = "UPDATE page SET title = 'a'";
    from.execute("what is compressed", shorter).await?;
    let mut to = open(&target).await?;
    execute(
        &mut to,
        "anew",
        &["DROP TABLE page", "DROP TABLE rowkey_copy"],
    )
    .await?;
    copy(&source, &target, &plan(&source, &target).await?).await?;
    let unique = [
        "DROP TABLE page",
        "CREATE TABLE note (id integer PRIMARY KEY, words text UNIQUE)",
        "INSERT INTO note VALUES (1, hex(randomblob(4500)))",
    ];
    execute(&mut from, "the source", &unique).await?;
    execute(
        &mut to,
        "anew",
        &["DROP TABLE page", "DROP TABLE rowkey_copy"],
    )
    .await?;
    let plan = plan(&source, &target).await?;
    refused_until_left_out(&source, &target, plan, "note", "note_words_key").await
}
