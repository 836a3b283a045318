//! Into tables that have partitions, and those of PostgreSQL that inherit.

use anyhow::{Result, ensure};
use rowkey_copy::{ExistingRows, Request};
use rowkey_tables::Silent;
use rowkey_testkit::{Backend, Suite, test_name};

use crate::copy::held::{nothing_is_refused, preflight};
use crate::copy::{copy_into_existing, execute, open, pair, plan};

pub(crate) fn add_tests(suite: &mut Suite) {
    let postgres = Backend::Postgres;
    let name = "tables_that_the_target_has_partitioned";
    pair(suite, name, crate::LIVE, postgres, partitioned);
    for target in [postgres, Backend::MySql, Backend::MariaDb] {
        let name = format!("partitions_that_{}_has_not", test_name(target));
        pair(suite, &name, crate::LIVE, target, missing);
        let name = format!("partitions_of_several_columns_in_{}", test_name(target));
        pair(suite, &name, [Backend::Sqlite], target, several_columns);
        let name = format!("partitions_of_lists_in_{}", test_name(target));
        pair(suite, &name, [Backend::Sqlite], target, lists);
    }
    for target in [Backend::MySql, Backend::MariaDb] {
        let name = format!("partitions_without_end_of_{}", test_name(target));
        pair(suite, &name, [Backend::Sqlite], target, without_end);
    }
    let name = "tables_that_inherit_from_others_of_the_target";
    pair(suite, name, [postgres], postgres, inherited);
}

const SHOP: &str = "CREATE TABLE shop (id integer NOT NULL PRIMARY KEY, region_id integer NOT NULL, \
                    FOREIGN KEY (region_id) REFERENCES region (id))";

/// The rows of the target are read through its partitions, whatever the source has.
async fn partitioned(source: String, target: String) -> Result<()> {
    let (mut from, mut to) = (open(&source).await?, open(&target).await?);
    let of_source = [
        "CREATE TABLE region (id integer NOT NULL PRIMARY KEY)",
        SHOP,
        "INSERT INTO region VALUES (1), (2)",
        "INSERT INTO shop VALUES (10, 1), (11, 2)",
    ];
    execute(&mut from, "the source", &of_source).await?;
    let of_target = [
        "CREATE TABLE region (id integer PRIMARY KEY) PARTITION BY LIST (id)",
        "CREATE TABLE region_of_others PARTITION OF region DEFAULT",
        SHOP,
    ];
    execute(&mut to, "the target", &of_target).await?;
    let mut plan = plan(&source, &target).await?;
    nothing_is_refused(&source, &target, &plan).await?;
    copy_into_existing(&source, &target, &plan).await?;
    // What is there is what was copied.
    nothing_is_refused(&source, &target, &plan).await?;
    let again =
        rowkey_copy::copy(&mut from, &mut to, &plan, &Request::default(), &mut Silent).await?;
    ensure!(
        again.tables.iter().all(|table| table.rows_before == 2),
        "{again:?}"
    );

    let anew = ["DELETE FROM shop", "DROP TABLE rowkey_copy"];
    execute(&mut to, "the regions alone", &anew).await?;
    let mut tables = plan.tables.iter_mut();
    let region = tables.find(|table| table.name.name == "region").unwrap();
    region.existing_rows = Some(ExistingRows::Keep);
    nothing_is_refused(&source, &target, &plan).await?;
    copy_into_existing(&source, &target, &plan).await
}

/// A row without a partition would end the copy.
async fn missing(source: String, target: String) -> Result<()> {
    let (mut from, mut to) = (open(&source).await?, open(&target).await?);
    let rows = [
        "CREATE TABLE event (id integer NOT NULL PRIMARY KEY, kind integer)",
        "INSERT INTO event VALUES (1, 1), (20, 2), (300, 3)",
    ];
    execute(&mut from, "the source", &rows).await?;
    let add = match to.backend() {
        Backend::Postgres => {
            let tables = [
                "CREATE TABLE event (id integer PRIMARY KEY, kind integer) PARTITION BY RANGE (id)",
                "CREATE TABLE low PARTITION OF event FOR VALUES FROM (0) TO (10)",
                "CREATE TABLE middle PARTITION OF event FOR VALUES FROM (10) TO (100) PARTITION BY HASH (id)",
                "CREATE TABLE half PARTITION OF middle FOR VALUES WITH (MODULUS 2, REMAINDER 0)",
                "CREATE TABLE other PARTITION OF middle FOR VALUES WITH (MODULUS 2, REMAINDER 1)",
            ];
            execute(&mut to, "the target", &tables).await?;
            "CREATE TABLE high PARTITION OF event DEFAULT"
        }
        _ => {
            let table = "CREATE TABLE event (id integer PRIMARY KEY, kind integer) PARTITION BY RANGE (id) \
                         (PARTITION low VALUES LESS THAN (10), PARTITION middle VALUES LESS THAN (100))";
            to.execute("the target", table).await?;
            "ALTER TABLE event ADD PARTITION (PARTITION high VALUES LESS THAN MAXVALUE)"
        }
    };
    let plan = plan(&source, &target).await?;
    let looked = preflight(&source, &target, &plan).await?;
    let why = "rows of the source break its partitions, such as the one with the key \"300\"";
    ensure!(
        matches!(&looked.refused[..], [one] if one.contains(why)),
        "{looked:?}"
    );
    to.execute("a partition", add).await?;
    nothing_is_refused(&source, &target, &plan).await?;
    if to.backend() == Backend::Postgres {
        let own = "ALTER TABLE high ADD CHECK (kind < 5)";
        to.execute("a rule of a partition", own).await?;
        let looked = preflight(&source, &target, &plan).await?;
        let own_rules = |note: &&String| note.contains("the own rules of the partition ");
        let told: Vec<&String> = looked.notes.iter().filter(own_rules).collect();
        let is_told = matches!(told[..], [one] if one.contains(" high of the target"));
        ensure!(is_told && looked.refused.is_empty(), "{looked:?}");
    }
    copy_into_existing(&source, &target, &plan).await
}

/// A list has NULL only if it says so, and other values do not disappear beside it.
async fn lists(source: String, target: String) -> Result<()> {
    let (mut from, mut to) = (open(&source).await?, open(&target).await?);
    let tables = [
        "CREATE TABLE without_null (id integer NOT NULL PRIMARY KEY, kind integer)",
        "CREATE TABLE with_null (id integer NOT NULL PRIMARY KEY, kind integer)",
        "INSERT INTO without_null VALUES (1, 1), (2, NULL)",
        "INSERT INTO with_null VALUES (1, NULL), (2, 9)",
    ];
    execute(&mut from, "the source", &tables).await?;
    for (name, list) in [("without_null", "1, 2"), ("with_null", "NULL, 1")] {
        let table =
            format!("CREATE TABLE {name} (id integer, kind integer) PARTITION BY LIST (kind)");
        let statements = match to.backend() {
            Backend::Postgres => vec![
                table,
                format!("CREATE TABLE {name}_all PARTITION OF {name} FOR VALUES IN ({list})"),
            ],
            _ => vec![format!("{table} (PARTITION one VALUES IN ({list}))")],
        };
        for statement in statements {
            to.execute("the target", &statement).await?;
        }
    }
    let plan = plan(&source, &target).await?;
    let looked = preflight(&source, &target, &plan).await?;
    let why = "rows of the source break its partitions, such as the one with the key \"2\"";
    let is_told = |one: &String| one.contains(why);
    ensure!(
        looked.refused.len() == 2 && looked.refused.iter().all(is_told),
        "{looked:?}"
    );
    from.execute("another kind", "UPDATE without_null SET kind = 2")
        .await?;
    from.execute("another kind", "UPDATE with_null SET kind = NULL")
        .await?;
    nothing_is_refused(&source, &target, &plan).await?;
    copy_into_existing(&source, &target, &plan).await
}

async fn several_columns(source: String, target: String) -> Result<()> {
    let (mut from, mut to) = (open(&source).await?, open(&target).await?);
    let tables = [
        "CREATE TABLE place (id integer NOT NULL PRIMARY KEY, x integer, y integer)",
        "INSERT INTO place VALUES (1, 1, 5), (2, 9, 0), (3, 9, 1)",
    ];
    execute(&mut from, "the source", &tables).await?;
    let table = "CREATE TABLE place (id integer, x integer, y integer) PARTITION BY RANGE";
    let statements = match to.backend() {
        Backend::Postgres => vec![
            format!("{table} (x, y)"),
            "CREATE TABLE low PARTITION OF place FOR VALUES FROM (0, 0) TO (9, 1)".to_owned(),
        ],
        _ => vec![format!(
            "{table} COLUMNS (x, y) (PARTITION low VALUES LESS THAN (9, 1))"
        )],
    };
    for statement in statements {
        to.execute("the target", &statement).await?;
    }
    let plan = plan(&source, &target).await?;
    let looked = preflight(&source, &target, &plan).await?;
    let why = "rows of the source break its partitions, such as the one with the key \"3\"";
    ensure!(
        matches!(&looked.refused[..], [one] if one.contains(why)),
        "{looked:?}"
    );
    from.execute("another place", "DELETE FROM place WHERE id = 3")
        .await?;
    nothing_is_refused(&source, &target, &plan).await?;
    copy_into_existing(&source, &target, &plan).await
}

/// What partitions of several columns take is known only if one takes all rows.
async fn without_end(source: String, target: String) -> Result<()> {
    let (mut from, mut to) = (open(&source).await?, open(&target).await?);
    let tables = [
        "CREATE TABLE place (id integer NOT NULL PRIMARY KEY, x integer, y integer)",
        "INSERT INTO place VALUES (1, 9, 7), (2, NULL, NULL)",
    ];
    execute(&mut from, "the source", &tables).await?;
    let table = "CREATE TABLE place (id integer, x integer, y integer) PARTITION BY RANGE COLUMNS (x, y) \
                 (PARTITION low VALUES LESS THAN (9, MAXVALUE))";
    to.execute("the target", table).await?;
    let plan = plan(&source, &target).await?;
    for is_noted in [true, false] {
        let looked = preflight(&source, &target, &plan).await?;
        let note = "place: whether all rows fulfil the partitions of the target was not looked at";
        let is_told = looked.notes.iter().any(|told| told.starts_with(note));
        ensure!(
            looked.refused.is_empty() && is_told == is_noted,
            "{looked:?}"
        );
        let last = "PARTITION last VALUES LESS THAN (MAXVALUE, MAXVALUE)";
        if is_noted {
            let add = format!("ALTER TABLE place ADD PARTITION ({last})");
            to.execute("a partition", &add).await?;
        }
    }
    copy_into_existing(&source, &target, &plan).await
}

/// Rows of a table that inherits are no rows of the other one, on both sides.
async fn inherited(source: String, target: String) -> Result<()> {
    let tables = [
        "CREATE TABLE book (id integer PRIMARY KEY, title text)",
        "CREATE TABLE atlas (scale integer, PRIMARY KEY (id)) INHERITS (book)",
    ];
    let (mut from, mut to) = (open(&source).await?, open(&target).await?);
    let rows = [
        "INSERT INTO book VALUES (1, 'a')",
        "INSERT INTO atlas VALUES (2, 'b', 1000)",
    ];
    execute(&mut from, "the source", &[tables, rows].concat()).await?;
    execute(&mut to, "the target", &tables).await?;
    let plan = plan(&source, &target).await?;
    nothing_is_refused(&source, &target, &plan).await?;
    copy_into_existing(&source, &target, &plan).await?;
    let again =
        rowkey_copy::copy(&mut from, &mut to, &plan, &Request::default(), &mut Silent).await?;
    let is_counted = |note: &String| note.contains("programs have added");
    ensure!(!again.notes.iter().any(is_counted), "{again:?}");

    // Merged into the one table, with a row of the other that has the same key.
    let anew = [
        "DROP TABLE rowkey_copy",
        "DELETE FROM ONLY book",
        "UPDATE atlas SET id = 1",
    ];
    execute(&mut to, "the target's atlas", &anew).await?;
    let mut plan = plan;
    plan.tables.retain(|table| table.name.name == "book");
    plan.tables[0].existing_rows = Some(ExistingRows::Merge);
    nothing_is_refused(&source, &target, &plan).await?;
    copy_into_existing(&source, &target, &plan).await?;
    let titles = "SELECT COUNT(*) FROM ONLY book WHERE id = 1 AND title = 'a'";
    ensure!(to.count("the book", titles, &[]).await? == 1);
    let atlas = "SELECT COUNT(*) FROM atlas WHERE id = 1 AND title = 'b'";
    ensure!(to.count("the atlas", atlas, &[]).await? == 1);
    Ok(())
}
