//! Into tables that a framework's migrations have made in the target, with types of their own and
//! with rows.

use anyhow::{Context, Result, ensure};
use rowkey_copy::{Choices, CopyPlan, ExistingRows, Request};
use rowkey_tables::{Connection, Silent};
use rowkey_testkit::{Backend, Suite, test_name};

use crate::copy::held::{nothing_is_refused, preflight};
use crate::copy::newer_servers::{MYSQL_8, pair_since};
use crate::copy::{compare, copy_into_existing, execute, open, pair, planned};

pub(crate) fn add_tests(suite: &mut Suite) {
    suite.test(
        "the_source_under_another_address_is_no_target",
        crate::LIVE,
        |source| {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()?;
            runtime.block_on(same(source.url().to_owned()))
        },
    );
    for target in crate::LIVE {
        let to = test_name(target);
        let name = format!("tables_of_migrations_are_filled_in_{to}");
        pair(suite, &name, crate::LIVE, target, filled);
        let name = format!("rows_of_migrations_are_kept_in_{to}");
        pair(suite, &name, crate::LIVE, target, kept);
        let name = format!("rows_are_kept_by_a_copy_that_goes_on_in_{to}");
        pair_since(
            suite,
            MYSQL_8,
            &name,
            [Backend::Postgres],
            target,
            kept_twice,
        );
        let name = format!("rows_that_are_kept_mean_the_same_in_{to}");
        pair(suite, &name, crate::LIVE, target, kept_others);
        let name = format!("a_tree_of_migrations_is_emptied_in_{to}");
        pair(suite, &name, [Backend::Sqlite], target, tree);
        let name = format!("references_of_other_types_lead_somewhere_in_{to}");
        pair(suite, &name, crate::LIVE, target, other_types);
        let name = format!("rows_of_migrations_are_merged_in_{to}");
        pair(suite, &name, crate::LIVE, target, merged);
        let name = format!("keys_that_are_merged_have_letters_of_the_source_in_{to}");
        pair(suite, &name, [Backend::Postgres], target, merged_keys);
        let name = format!("a_plan_names_all_misfits_in_{to}");
        pair_since(suite, MYSQL_8, &name, crate::LIVE, target, misfits);
        let name = format!("types_that_exist_win_in_{to}");
        let sources = [Backend::Postgres, Backend::Sqlite];
        pair(suite, &name, sources, target, existing_types);
    }
}

/// The plan and the preflight name every column without a place, of every table, at once; and say
/// which times become moments.
async fn misfits(source: String, target: String) -> Result<()> {
    let (mut from, mut to) = (open(&source).await?, open(&target).await?);
    let time = match from.backend() {
        Backend::Postgres => "timestamp",
        _ => "datetime",
    };
    let moment = match to.backend() {
        Backend::MySql | Backend::MariaDb => "timestamp NULL",
        _ => "timestamptz",
    };
    let lost = "CREATE TABLE two (id integer PRIMARY KEY, gone varchar(9), lost varchar(9))";
    let made = format!("CREATE TABLE one (id integer PRIMARY KEY, gone varchar(9), made {time})");
    let computed = "CREATE TABLE three (id integer PRIMARY KEY, \
                    twice integer GENERATED ALWAYS AS (id * 2) STORED)";
    execute(&mut from, "the tables", &[&made, lost, computed]).await?;
    let needs =
        "CREATE TABLE two (id integer PRIMARY KEY, need integer NOT NULL, want integer NOT NULL)";
    let made =
        format!("CREATE TABLE one (id integer PRIMARY KEY, made {moment}, need integer NOT NULL)");
    let keyed = "CREATE TABLE three (id integer, kind integer NOT NULL, PRIMARY KEY (id, kind))";
    execute(&mut to, "the tables", &[&made, needs, keyed]).await?;
    let choices = Choices {
        cuts_fractions: true,
        ..Choices::default()
    };
    let planned = planned(&source, &target, choices).await?;
    let found = preflight(&source, &target, &planned.plan).await?;
    let note = "one.made: times without a zone are taken for those of UTC";
    ensure!(found.notes.iter().any(|one| one == note), "{found:?}");
    for found in [planned.misfits.join("\n"), found.refused.join("\n")] {
        for expected in [
            "one.gone",
            "the target's table has no such column; add it there",
            "two.gone",
            "two.lost",
            "one.need in the target: the plan has no values for it",
            "two.need in the target",
            "two.want in the target",
            "three.kind in the target",
            "give it a default until the rows are there",
        ] {
            ensure!(found.contains(expected), "{expected}: {found}");
        }
        let is_said = |words| found.contains(words);
        ensure!(!is_said("give it a type") && !is_said("twice"), "{found}");
    }
    Ok(())
}

const CUSTOMERS: u128 = 200;

/// A random UUID, so to speak.
pub(crate) fn uuid(number: u128) -> String {
    let random = number.wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
    let id = random & !(0xf << 76) & !(3 << 62) | 4 << 76 | 2 << 62;
    let hex = format!("{id:032x}");
    [
        &hex[..8],
        &hex[8..12],
        &hex[12..16],
        &hex[16..20],
        &hex[20..],
    ]
    .join("-")
}

/// The tables as a framework makes them, which has other types on each database.
async fn create(db: &mut Connection) -> Result<()> {
    let (id, truth, moment, counted, options) = match db.backend() {
        Backend::Postgres => (
            "uuid",
            "boolean",
            "timestamptz",
            "integer GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY",
            "",
        ),
        Backend::Sqlite => (
            "char(32)",
            "bool",
            "datetime",
            "integer NOT NULL PRIMARY KEY AUTOINCREMENT",
            "",
        ),
        _ => (
            "char(32)",
            "bool",
            "datetime(6)",
            "integer AUTO_INCREMENT NOT NULL PRIMARY KEY",
            " ENGINE = InnoDB",
        ),
    };
    let tables = [
        format!("CREATE TABLE django_migrations (id {counted}, app varchar(9), name varchar(9))"),
        format!("CREATE TABLE kind (id {counted}, name varchar(80) NOT NULL){options}"),
        format!(
            "CREATE TABLE customer (id {id} NOT NULL PRIMARY KEY, kind_id integer NOT NULL, \
             email varchar(80) NOT NULL UNIQUE, active {truth} NOT NULL, made {moment} NOT NULL, \
             FOREIGN KEY (kind_id) REFERENCES kind (id)){options}"
        ),
        format!(
            "CREATE TABLE purchase (id {id} NOT NULL PRIMARY KEY, customer_id {id} NOT NULL, \
             FOREIGN KEY (customer_id) REFERENCES customer (id)){options}"
        ),
    ];
    let tables: Vec<&str> = tables.iter().map(String::as_str).collect();
    execute(db, "the tables", &tables).await
}

/// The rows of the source. Migrations have put two of its kinds into the target, in another order.
async fn fill(source: &mut Connection, target: &mut Connection) -> Result<()> {
    let kinds = "INSERT INTO kind (id, name) VALUES (1, 'person'), (2, 'firm'), (7, 'club')";
    source.execute("the kinds", kinds).await?;
    let kinds = "INSERT INTO kind (id, name) VALUES (1, 'firm'), (2, 'person')";
    target.execute("the kinds", kinds).await?;
    let truth = |number: u128| match source.backend() {
        Backend::Postgres => (!number.is_multiple_of(3)).to_string(),
        _ => u8::from(!number.is_multiple_of(3)).to_string(),
    };
    let id = |number| match source.backend() {
        Backend::Postgres => uuid(number),
        _ => uuid(number).replace('-', ""),
    };
    let customers = (1..=CUSTOMERS).map(|number| {
        let kind = [1, 2, 7][number as usize % 3];
        let made = format!("2026-05-{:02} 10:00:00", 1 + number % 28);
        format!(
            "('{}', {kind}, 'c{number}@example.org', {}, '{made}')",
            id(number),
            truth(number)
        )
    });
    let customers: Vec<String> = customers.collect();
    let customers = format!("INSERT INTO customer VALUES {}", customers.join(", "));
    source.execute("the customers", &customers).await?;
    Ok(())
}

async fn created(source: &str, target: &str) -> Result<()> {
    let (mut from, mut to) = (open(source).await?, open(target).await?);
    create(&mut from).await?;
    create(&mut to).await?;
    fill(&mut from, &mut to).await
}

async fn plan(source: &str, target: &str, rows: Option<ExistingRows>) -> Result<CopyPlan> {
    let choices = Choices {
        existing_rows: rows,
        ..Choices::default()
    };
    Ok(planned(source, target, choices).await?.plan)
}

async fn copy(source: &str, target: &str, plan: &CopyPlan) -> Result<rowkey_copy::Report> {
    let (mut source, mut target) = (open(source).await?, open(target).await?);
    let request = Request::default();
    Ok(rowkey_copy::copy(&mut source, &mut target, plan, &request, &mut Silent).await?)
}

/// A column that exists keeps its type, whatever that has to which it refers.
async fn existing_types(source: String, target: String) -> Result<()> {
    let (mut from, mut to) = (open(&source).await?, open(&target).await?);
    let id = uuid(1);
    let things = format!("INSERT INTO thing VALUES ('{id}')");
    let parts = format!("INSERT INTO part VALUES (1, '{id}')");
    let tables = [
        "CREATE TABLE owner (id bigint NOT NULL PRIMARY KEY)",
        "CREATE TABLE item (id integer NOT NULL PRIMARY KEY, owner bigint REFERENCES owner (id))",
        "CREATE TABLE thing (id text NOT NULL PRIMARY KEY)",
        "CREATE TABLE part (id integer NOT NULL PRIMARY KEY, thing text REFERENCES thing (id))",
        "INSERT INTO owner VALUES (1)",
        "INSERT INTO item VALUES (1, 1)",
        &things,
        &parts,
    ];
    execute(&mut from, "the source", &tables).await?;
    let number = match to.backend() {
        Backend::MySql | Backend::MariaDb => "bigint unsigned",
        _ => "integer",
    };
    let owner = format!("CREATE TABLE owner (id {number} NOT NULL PRIMARY KEY)");
    let tables = [
        &*owner,
        "CREATE TABLE item (id integer NOT NULL PRIMARY KEY, owner bigint)",
        "CREATE TABLE thing (id char(36) NOT NULL PRIMARY KEY)",
        "CREATE TABLE part (id integer NOT NULL PRIMARY KEY, thing varchar(36))",
    ];
    execute(&mut to, "the target", &tables).await?;
    let has_sequences = matches!(to.backend(), Backend::Postgres | Backend::MariaDb);
    if has_sequences {
        to.execute("of programs", "CREATE SEQUENCE numbers_of_items")
            .await?;
    }
    let plan = plan(&source, &target, None).await?;
    let found = preflight(&source, &target, &plan).await?;
    ensure!(found.refused.is_empty(), "{found:?}");
    let is_lost = from.backend() == Backend::Sqlite && to.backend() != Backend::Sqlite;
    let note = "item.id: the source counts it, and the target does not";
    ensure!(
        found.notes.iter().any(|told| told == note) == is_lost,
        "{found:?}"
    );
    let others = "no column of the target counts with these sequences: numbers_of_items; ";
    let others = found.notes.iter().filter(|told| told.starts_with(others));
    ensure!(
        others.count() == usize::from(is_lost && has_sequences),
        "{found:?}"
    );
    copy_into_existing(&source, &target, &plan).await
}

/// One round: the only thing to say is what becomes of the rows that are there.
async fn filled(source: String, target: String) -> Result<()> {
    created(&source, &target).await?;
    let refused = preflight(&source, &target, &plan(&source, &target, None).await?).await?;
    ensure!(
        matches!(&refused.refused[..], [one]
            if one.contains("kind") && one.contains("it has rows") && one.contains("or `\"merge\"`")),
        "{refused:?}"
    );
    let plan = plan(&source, &target, Some(ExistingRows::Delete)).await?;
    // Rows of a table that the plan doesn't know would be deleted with those that they refer to.
    let mut to = open(&target).await?;
    let options = match to.backend() {
        Backend::MySql | Backend::MariaDb => " ENGINE = InnoDB",
        _ => "",
    };
    let other = format!(
        "CREATE TABLE other (id integer PRIMARY KEY, kind_id integer, \
         FOREIGN KEY (kind_id) REFERENCES kind (id) ON DELETE CASCADE){options}"
    );
    to.execute("another table", &other).await?;
    to.execute("a row", "INSERT INTO other VALUES (1, 2)")
        .await?;
    let found = preflight(&source, &target, &plan).await?;
    ensure!(
        matches!(&found.refused[..], [one] if one.contains("other, whose rows stay, refers to them")),
        "{found:?}"
    );
    ensure!(copy(&source, &target, &plan).await.is_err());
    to.execute("no row", "DELETE FROM other").await?;
    ensure!(plan.left_out == ["django_migrations".into()], "{plan:?}");
    nothing_is_refused(&source, &target, &plan).await?;
    copy_into_existing(&source, &target, &plan).await?;
    let mut db = open(&target).await?;
    let id = match db.backend() {
        Backend::Postgres => uuid(3),
        _ => uuid(3).replace('-', ""),
    };
    let query = format!(
        "SELECT k.name FROM customer c JOIN kind k ON k.id = c.kind_id WHERE c.id = '{id}' \
         AND c.email = 'c3@example.org'"
    );
    let row = db.one_row("a customer", &query, &[]).await?;
    ensure!(row.text(0)? == "person", "{row:?}");
    let next = "INSERT INTO kind (name) VALUES ('next')";
    db.execute("the next kind", next).await?;
    let query = "SELECT id FROM kind WHERE name = 'next'";
    let row = db.one_row("the next kind", query, &[]).await?;
    ensure!(row.integer(0)? == 8, "{row:?}");

    // The same plan has nothing left to do, and another one does not delete what programs wrote.
    copy(&source, &target, &plan).await?;
    let mut other = plan;
    other.policy.batch_rows = 999;
    for table in &mut other.tables {
        table.existing_rows = Some(ExistingRows::Delete);
    }
    let error = copy(&source, &target, &other).await.err();
    let error = error.context("it was not refused")?.to_string();
    ensure!(error.contains("another plan"), "{error}");
    let row = db.one_row("the next kind", query, &[]).await?;
    ensure!(row.integer(0)? == 8, "{row:?}");
    Ok(())
}

/// What the target has stays, and none of the source's rows of that table comes.
async fn kept(source: String, target: String) -> Result<()> {
    created(&source, &target).await?;
    let same = [
        "UPDATE kind SET name = 'person' WHERE id = 1",
        "UPDATE kind SET name = 'firm' WHERE id = 2",
        "INSERT INTO kind (id, name) VALUES (9, 'guest')",
    ];
    execute(&mut open(&target).await?, "the same kinds", &same).await?;
    let mut plan = plan(&source, &target, Some(ExistingRows::Delete)).await?;
    let kind = plan.tables.iter_mut();
    let mut kind = kind.filter(|table| table.name.name == "kind");
    kind.next().context("no kind")?.existing_rows = Some(ExistingRows::Keep);
    let found = preflight(&source, &target, &plan).await?;
    let refused = "customer.kind_id: a row refers to one of kind that the target, which keeps its rows, \
                   does not have: 7; ";
    ensure!(
        matches!(&found.refused[..], [only] if only.contains(refused)),
        "{found:?}"
    );
    let change = "UPDATE customer SET kind_id = 1 WHERE kind_id = 7";
    open(&source).await?.execute("known kinds", change).await?;
    let found = preflight(&source, &target, &plan).await?;
    ensure!(found.refused.is_empty(), "{found:?}");
    ensure!(
        found
            .notes
            .iter()
            .any(|note| note.starts_with("kind: the target keeps its rows")),
        "{found:?}"
    );
    let report = copy(&source, &target, &plan).await?;
    let kinds = report
        .tables
        .iter()
        .find(|table| table.becomes.name == "kind");
    ensure!(kinds.is_some_and(|kinds| kinds.rows == 0), "{report:?}");
    let compared = compare(&source, &target, &plan).await?;
    let is_told = compared.kept.iter().any(|kept| kept.starts_with("kind: "));
    ensure!(is_told && compared.is_equal(), "{compared:?}");
    let query = "SELECT name FROM kind WHERE id = 9";
    let row = open(&target).await?.one_row("a kind", query, &[]).await?;
    ensure!(row.text(0)? == "guest", "{row:?}");
    Ok(())
}

/// What stops a copy does not make one of a table whose rows are kept.
async fn kept_twice(source: String, target: String) -> Result<()> {
    let (mut from, mut to) = (open(&source).await?, open(&target).await?);
    let tables = [
        "CREATE TABLE amount (id integer PRIMARY KEY, size integer)",
        "CREATE TABLE setting (id integer PRIMARY KEY, name varchar(9))",
        "INSERT INTO amount VALUES (1, 0)",
        "INSERT INTO setting VALUES (5, 'source')",
    ];
    execute(&mut from, "the source", &tables).await?;
    let tables = [
        "CREATE TABLE amount (id integer PRIMARY KEY, size integer, CHECK (size > 0))",
        "CREATE TABLE setting (id integer PRIMARY KEY, name varchar(9))",
        "INSERT INTO setting VALUES (1, 'target')",
    ];
    execute(&mut to, "the target", &tables).await?;
    let mut plan = plan(&source, &target, Some(ExistingRows::Keep)).await?;
    for table in &mut plan.tables {
        if table.name.name == "amount" {
            table.existing_rows = None;
        }
    }
    plan.policy.preflight = false;
    ensure!(copy(&source, &target, &plan).await.is_err());
    from.execute("a size", "UPDATE amount SET size = 1").await?;
    copy(&source, &target, &plan).await?;
    let rows = to
        .query("the rows", "SELECT name FROM setting", &[])
        .await?;
    ensure!(rows.len() == 1 && rows[0].text(0)? == "target", "{rows:?}");
    Ok(())
}

/// A copied row must not refer to another one than in the source. Only what is not refused is advised.
async fn kept_others(source: String, target: String) -> Result<()> {
    let (mut from, mut to) = (open(&source).await?, open(&target).await?);
    let tables = [
        "CREATE TABLE model (id integer NOT NULL PRIMARY KEY, app varchar(9) NOT NULL, name varchar(9) NOT NULL)",
        "CREATE TABLE permission (id integer NOT NULL PRIMARY KEY, model_id integer, \
         FOREIGN KEY (model_id) REFERENCES model (id))",
    ];
    execute(&mut from, "the source", &tables).await?;
    execute(&mut to, "the target", &tables).await?;
    let rows = [
        "INSERT INTO model VALUES (1, 'a', 'x'), (2, 'a', 'y'), (3, 'a', 'z'), (4, 'd', 'd')",
        "INSERT INTO permission VALUES (1, 1), (2, 2), (3, 3), (4, NULL)",
    ];
    execute(&mut from, "the rows", &rows).await?;
    // Nothing refers to the fourth.
    let rows =
        "INSERT INTO model VALUES (1, 'a', 'x'), (2, 'a', 'z'), (3, 'a', 'y'), (4, 'e', 'f')";
    to.execute("the rows", rows).await?;
    let mut plan = plan(&source, &target, Some(ExistingRows::Keep)).await?;
    let other = "permission.model_id: a row refers to one of model that is another one in the target, which keeps \
                 its rows: 2 (what differs is name)";
    let (merge, delete) = (
        "`existing-rows = \"merge\"`",
        "`existing-rows = \"delete\"`",
    );
    let found = preflight(&source, &target, &plan).await?;
    ensure!(
        matches!(&found.refused[..], [one]
            if one.starts_with(other) && one.contains(merge) && one.contains(delete)),
        "{found:?}"
    );

    let others = [
        "CREATE UNIQUE INDEX model_name ON model (app, name)",
        "CREATE TABLE other (id integer NOT NULL PRIMARY KEY, model_id integer, \
         FOREIGN KEY (model_id) REFERENCES model (id))",
        "INSERT INTO other VALUES (1, 1)",
    ];
    execute(&mut to, "what is in the way", &others).await?;
    let missing = [
        "INSERT INTO model VALUES (5, 'f', 'f')",
        "INSERT INTO permission VALUES (5, 5)",
    ];
    execute(&mut from, "a missing row", &missing).await?;
    let found = preflight(&source, &target, &plan).await?;
    let is_told = |words: &str| found.refused.iter().any(|told| told.contains(words));
    ensure!(
        found.refused.len() == 2
            && is_told(other)
            && is_told("does not have: 5; add the row there")
            && !is_told(merge)
            && !is_told(delete),
        "{found:?}"
    );

    // What does not matter is no entry of the plan.
    let add = "INSERT INTO model VALUES (5, 'f', 'f')";
    to.execute("the missing row", add).await?;
    let mut tables = plan.tables.iter_mut();
    let model = tables.find(|table| table.name.name == "model");
    let columns = &mut model.context("no such table")?.columns;
    columns.retain(|column| column.name != "name");
    nothing_is_refused(&source, &target, &plan).await?;
    copy_into_existing(&source, &target, &plan).await
}

/// Rows that refer to each other go together.
async fn tree(source: String, target: String) -> Result<()> {
    let table = "CREATE TABLE page (id integer NOT NULL PRIMARY KEY, up integer, \
                 FOREIGN KEY (up) REFERENCES page (id))";
    let rows = "INSERT INTO page VALUES (1, NULL), (2, 1)";
    execute(&mut open(&source).await?, "the source", &[table, rows]).await?;
    let rows = "INSERT INTO page VALUES (3, NULL), (7, 3)";
    execute(&mut open(&target).await?, "the target", &[table, rows]).await?;
    let plan = plan(&source, &target, Some(ExistingRows::Delete)).await?;
    nothing_is_refused(&source, &target, &plan).await?;
    copy_into_existing(&source, &target, &plan).await
}

/// A reference that only the target has, between columns of two types of whole numbers: the tables
/// are in its order.
async fn other_types(source: String, target: String) -> Result<()> {
    let create = |sizes: [&str; 2], reference: &str| {
        [
            format!("CREATE TABLE parent (id {} NOT NULL PRIMARY KEY)", sizes[0]),
            format!(
                "CREATE TABLE child (number integer NOT NULL PRIMARY KEY, id {}{reference})",
                sizes[1]
            ),
        ]
    };
    let (mut from, mut to) = (open(&source).await?, open(&target).await?);
    for table in create(["integer", "bigint"], "") {
        from.execute("a table", &table).await?;
    }
    let reference = ", FOREIGN KEY (id) REFERENCES parent (id)";
    for table in create(["bigint", "bigint"], reference) {
        to.execute("a table", &table).await?;
    }
    let rows = [
        "INSERT INTO parent VALUES (1)",
        "INSERT INTO child VALUES (1, 99), (2, 1), (3, NULL)",
    ];
    execute(&mut from, "the rows", &rows).await?;
    let plan = plan(&source, &target, None).await?;
    let found = preflight(&source, &target, &plan).await?;
    ensure!(
        matches!(&found.refused[..], [only] if only.contains("child.id: a row refers to one of parent")),
        "{found:?}"
    );
    from.execute("no such row", "DELETE FROM child WHERE id = 99")
        .await?;
    nothing_is_refused(&source, &target, &plan).await?;
    copy_into_existing(&source, &target, &plan).await
}

/// A row with a key of the source becomes the source's, and others stay.
async fn merged(source: String, target: String) -> Result<()> {
    created(&source, &target).await?;
    let mut from = open(&source).await?;
    let mut to = open(&target).await?;
    // Each has a transaction of its own below.
    let few = "DELETE FROM customer WHERE email <> 'c3@example.org'";
    from.execute("few customers", few).await?;
    to.execute(
        "a row of the target",
        "INSERT INTO kind (id, name) VALUES (9, 'guest')",
    )
    .await?;
    for db in [&mut from, &mut to] {
        let unique = "CREATE UNIQUE INDEX kind_name ON kind (name)";
        db.execute("a unique name", unique).await?;
    }
    let mut plan = plan(&source, &target, Some(ExistingRows::Merge)).await?;
    // Kinds 1 and 2 have each other's names in the target.
    let found = preflight(&source, &target, &plan).await?;
    ensure!(
        matches!(&found.refused[..], [one]
            if one.contains("2 of its rows have name of rows that are to be merged")
                && one.contains("firm")
                && one.contains("for this table and all that refer to it")),
        "{found:?}"
    );
    ensure!(copy(&source, &target, &plan).await.is_err());
    to.execute("another name", "UPDATE kind SET name = 'old' WHERE id = 1")
        .await?;
    to.execute(
        "the same name",
        "UPDATE kind SET name = 'firm' WHERE id = 2",
    )
    .await?;
    plan.policy.batch_rows = 1;
    plan.policy.transaction_rows = 1;
    nothing_is_refused(&source, &target, &plan).await?;
    copy(&source, &target, &plan).await?;
    let query = "SELECT id, name FROM kind ORDER BY id";
    let rows = to.query("the kinds", query, &[]).await?;
    let rows: Result<Vec<_>, _> = rows
        .iter()
        .map(|row| Ok::<_, rowkey_tables::Error>((row.integer(0)?, row.text(1)?)))
        .collect();
    let expected = [(1, "person"), (2, "firm"), (7, "club"), (9, "guest")];
    ensure!(rows? == expected);
    let compared = compare(&source, &target, &plan).await?;
    ensure!(compared.is_equal(), "{compared:?}");
    let next = "INSERT INTO kind (name) VALUES ('next')";
    to.execute("the next kind", next).await?;
    let change = "UPDATE kind SET name = 'changed' WHERE id = 7";
    to.execute("a change", change).await?;
    let compared = compare(&source, &target, &plan).await?;
    let kinds = compared
        .tables
        .iter()
        .find(|table| table.table.name == "kind");
    let difference = kinds.and_then(|kinds| kinds.difference.as_ref());
    ensure!(
        difference.is_some_and(|difference| difference.keys == ["7"]),
        "{compared:?}"
    );

    // Nothing tells which rows are the same.
    for db in [&mut from, &mut to] {
        db.execute(
            "a table without a key",
            "CREATE TABLE word (text varchar(9))",
        )
        .await?;
    }
    to.execute("a word", "INSERT INTO word VALUES ('a')")
        .await?;
    let plan = self::plan(&source, &target, Some(ExistingRows::Merge)).await?;
    let found = preflight(&source, &target, &plan).await?;
    ensure!(
        matches!(&found.refused[..], [one] if one.contains("word") && one.contains("no primary key")),
        "{found:?}"
    );
    Ok(())
}

/// Where letters do not count, the target's key is the same; and rows that are there refer to new
/// ones.
async fn merged_keys(source: String, target: String) -> Result<()> {
    let (mut from, mut to) = (open(&source).await?, open(&target).await?);
    let text = match to.backend() {
        Backend::Postgres => "varchar(9)",
        Backend::Sqlite => "varchar(9) COLLATE NOCASE",
        _ => "varchar(9) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci",
    };
    for (db, text) in [(&mut from, "varchar(9)"), (&mut to, text)] {
        let word = format!("CREATE TABLE word (name {text} PRIMARY KEY, size integer)");
        let node = "CREATE TABLE node (id integer PRIMARY KEY, up integer, \
                    FOREIGN KEY (up) REFERENCES node (id))";
        execute(db, "the tables", &[&word, node]).await?;
    }
    let rows = [
        "INSERT INTO word VALUES ('a', 1), ('b', 2)",
        "INSERT INTO node VALUES (2, NULL)",
        "INSERT INTO node VALUES (1, 2)",
    ];
    execute(&mut from, "the rows", &rows).await?;
    let key = match to.backend() {
        Backend::Postgres => "a",
        _ => "A",
    };
    let rows = [
        &format!("INSERT INTO word VALUES ('{key}', 9), ('c', 3)"),
        "INSERT INTO node VALUES (1, NULL)",
    ];
    execute(&mut to, "the target's rows", &rows).await?;
    let plan = plan(&source, &target, Some(ExistingRows::Merge)).await?;
    copy_into_existing(&source, &target, &plan).await
}

/// Its rows would be deleted before they are read.
async fn same(source: String) -> Result<()> {
    let mut db = open(&source).await?;
    let target = match db.backend() {
        Backend::Sqlite => {
            let file = source
                .trim_start_matches("sqlite:")
                .trim_start_matches("//");
            let (folder, name) = file.rsplit_once('/').context("no folder")?;
            format!("sqlite:{folder}/./{name}")
        }
        _ => source.replace("127.0.0.1", "localhost"),
    };
    ensure!(target != source, "{source}");
    execute(
        &mut db,
        "a table",
        &[
            "CREATE TABLE t (id integer PRIMARY KEY)",
            "INSERT INTO t VALUES (1)",
        ],
    )
    .await?;
    drop(db);
    let plan = plan(&source, &target, Some(ExistingRows::Delete)).await?;
    for refused in [
        copy(&source, &target, &plan).await.map(drop),
        preflight(&source, &target, &plan).await.map(drop),
    ] {
        let why = format!("{:#}", refused.err().context("it was not refused")?);
        ensure!(
            why.contains("it is the source, under another address"),
            "{why}"
        );
    }
    let row = open(&source)
        .await?
        .one_row("rows", "SELECT count(*) FROM t", &[])
        .await?;
    ensure!(row.count(0)? == 1, "{row:?}");
    Ok(())
}
