//! References whose rows would be refused after others have been copied, or whose words are lost.

use anyhow::{Context, Result, ensure};
use rowkey_copy::Triggers;
use rowkey_testkit::{Backend, Suite, test_name};

use crate::copy::held::{nothing_is_refused, preflight};
use crate::copy::newer_servers::{MYSQL_8, pair_since};
use crate::copy::{copy, copy_equal, copy_into_existing, execute, open, pair, plan};

const SERVERS: [Backend; 3] = [Backend::Postgres, Backend::MySql, Backend::MariaDb];

pub(crate) fn add_tests(suite: &mut Suite) {
    for target in SERVERS {
        let to = test_name(target);
        let name = format!("rules_of_existing_tables_in_{to}");
        pair_since(suite, MYSQL_8, &name, crate::LIVE, target, existing_rules);
        let name = format!("keys_are_kept_with_their_references_in_{to}");
        pair(suite, &name, [Backend::Sqlite], target, kept);
    }
    let name = "rules_beside_a_circle";
    let (sqlite, postgres) = (Backend::Sqlite, Backend::Postgres);
    pair(suite, name, [sqlite], postgres, rules_beside_a_circle);
    for target in crate::LIVE {
        let name = format!("trees_are_copied_into_{}", test_name(target));
        pair(suite, &name, crate::LIVE, target, trees);
    }
    for (source, target) in [
        (Backend::MySql, Backend::Postgres),
        (Backend::MariaDb, Backend::Postgres),
        (Backend::MySql, Backend::Sqlite),
        (Backend::Sqlite, Backend::Postgres),
        (Backend::Sqlite, Backend::MySql),
        (Backend::Sqlite, Backend::MariaDb),
        (Backend::Sqlite, Backend::Sqlite),
    ] {
        let name = format!("letters_of_references_count_in_{}", test_name(target));
        pair(suite, &name, [source], target, letters);
    }
    for target in crate::LIVE {
        let name = format!(
            "references_of_other_lengths_follow_ids_to_{}",
            test_name(target)
        );
        pair(suite, &name, SERVERS, target, other_lengths);
    }
    for target in [Backend::Sqlite, Backend::MariaDb] {
        let name = format!("padded_references_are_no_others_in_{}", test_name(target));
        pair(suite, &name, [Backend::Postgres], target, padded);
    }
    for target in SERVERS {
        let name = format!(
            "references_between_char_and_varchar_in_{}",
            test_name(target)
        );
        pair(suite, &name, SERVERS, target, without_spaces);
    }
    let name = "references_between_texts_and_uuids_of_sqlite";
    pair(suite, name, [sqlite], postgres, mixed_uuids);
    for target in [Backend::Sqlite, Backend::MariaDb] {
        let name = format!("spellings_of_references_count_in_{}", test_name(target));
        pair(suite, &name, [Backend::Postgres], target, spelled);
    }
    let name = "letters_of_a_collation_count";
    pair(suite, name, [Backend::Postgres], Backend::Postgres, alike);
    let name = "a_reference_to_a_missing_table";
    pair(suite, name, [Backend::Postgres], Backend::Sqlite, no_table);
    let name = "a_reference_that_was_never_validated";
    let postgres = [Backend::Postgres];
    pair(suite, name, postgres, Backend::MariaDb, not_validated);
    let name = "words_of_references_and_keys";
    pair(suite, name, postgres, Backend::Postgres, words);
    let name = "words_of_references_that_other_products_lack";
    pair(suite, name, postgres, Backend::MariaDb, lost_words);
}

/// A number and a span of time may be written in several ways.
async fn spelled(source: String, target: String) -> Result<()> {
    let tables = [
        "CREATE TABLE price (k numeric PRIMARY KEY)",
        "CREATE TABLE sale (id integer PRIMARY KEY, k numeric REFERENCES price)",
        "CREATE TABLE span (k interval PRIMARY KEY)",
        "CREATE TABLE visit (id integer PRIMARY KEY, k interval REFERENCES span)",
        "INSERT INTO price VALUES (1.0), (2.0)",
        "INSERT INTO sale VALUES (1, 1.00), (2, 2.0)",
        "INSERT INTO span VALUES ('1 day'), ('2 days')",
        "INSERT INTO visit VALUES (1, '24:00:00'), (2, '2 days')",
    ];
    let mut from = open(&source).await?;
    execute(&mut from, "the source", &tables).await?;
    let mut plan = plan(&source, &target).await?;
    for column in plan.tables.iter_mut().flat_map(|table| &mut table.columns) {
        if column.name == "k" {
            column.to = Some("varchar(80)".into());
        }
    }
    let looked = preflight(&source, &target, &plan).await?;
    let told = |table: &str, parent: &str| {
        let start = format!("{table}.k: a row refers to one of {parent} that is another text");
        let line = format!("`leave-out = [\"{table}_k_fkey\"]`");
        let mut refused = looked.refused.iter();
        refused.any(|one| one.starts_with(&start) && one.contains(&line))
    };
    ensure!(
        looked.refused.len() == 2 && told("sale", "price") && told("visit", "span"),
        "{looked:?}"
    );
    let same = [
        "UPDATE sale SET k = 1.0 WHERE id = 1",
        "UPDATE visit SET k = '1 day' WHERE id = 1",
    ];
    execute(&mut from, "the same", &same).await?;
    nothing_is_refused(&source, &target, &plan).await?;
    copy_equal(&source, &target, &plan).await
}

/// By a collation of the source alone.
async fn alike(source: String, target: String) -> Result<()> {
    let tables = [
        "CREATE COLLATION any_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false)",
        "CREATE TABLE place (code text COLLATE any_case PRIMARY KEY)",
        "CREATE TABLE visit (id integer PRIMARY KEY, code text COLLATE any_case REFERENCES place)",
        "INSERT INTO place VALUES ('a')",
        "INSERT INTO visit VALUES (1, 'A')",
    ];
    let mut from = open(&source).await?;
    execute(&mut from, "the source", &tables).await?;
    let plan = plan(&source, &target).await?;
    let looked = preflight(&source, &target, &plan).await?;
    let expected = "visit.code: a row refers to one of place that is another text for the target";
    ensure!(
        matches!(&looked.refused[..], [one] if one.starts_with(expected)),
        "{looked:?}"
    );
    from.execute("the same", "UPDATE visit SET code = 'a'")
        .await?;
    copy_equal(&source, &target, &plan).await
}

/// SQLite takes a reference to a table that does not exist, but not its rows.
async fn no_table(source: String, target: String) -> Result<()> {
    let tables = [
        "CREATE TABLE place (code varchar(40) PRIMARY KEY)",
        "CREATE TABLE visit (id integer PRIMARY KEY, code varchar(40) REFERENCES place (code))",
    ];
    let (mut from, mut to) = (open(&source).await?, open(&target).await?);
    execute(&mut from, "the source", &tables).await?;
    execute(&mut to, "the target", &tables[1..]).await?;
    let rows = [
        "INSERT INTO place VALUES ('a')",
        "INSERT INTO visit VALUES (1, 'a')",
    ];
    execute(&mut from, "the rows", &rows).await?;
    let mut plan = plan(&source, &target).await?;
    plan.tables.retain(|table| table.name.name == "visit");
    let looked = preflight(&source, &target, &plan).await?;
    let expected =
        "visit.code: its rows refer to those of place, a table that the target does not have";
    ensure!(
        matches!(&looked.refused[..], [one] if one.starts_with(expected)),
        "{looked:?}"
    );
    let place = [tables[0], "INSERT INTO place VALUES ('a')"];
    execute(&mut to, "the other table", &place).await?;
    copy_into_existing(&source, &target, &plan).await
}

/// Spaces that a `char` loses matter where there are some.
async fn without_spaces(source: String, target: String) -> Result<()> {
    let (mut from, mut to) = (open(&source).await?, open(&target).await?);
    for (db, types) in [
        (&mut from, ["varchar(9)", "char(5)"]),
        (&mut to, ["char(5)", "char(5)"]),
    ] {
        let parent = format!("CREATE TABLE parent (code {} PRIMARY KEY)", types[0]);
        let child = format!(
            "CREATE TABLE child (id integer PRIMARY KEY, code {}, \
             FOREIGN KEY (code) REFERENCES parent (code))",
            types[1]
        );
        execute(db, "the tables", &[&parent, &child]).await?;
    }
    let rows = [
        "INSERT INTO parent VALUES ('abcde'), ('fghij')",
        "INSERT INTO child VALUES (1, 'abcde'), (2, NULL)",
    ];
    execute(&mut from, "the rows", &rows).await?;
    let plan = plan(&source, &target).await?;
    nothing_is_refused(&source, &target, &plan).await?;
    copy_into_existing(&source, &target, &plan).await
}

/// The name of a column's type does not keep SQLite from comparing texts.
async fn mixed_uuids(source: String, target: String) -> Result<()> {
    let (mut from, mut to) = (open(&source).await?, open(&target).await?);
    for (db, id) in [(&mut from, "text"), (&mut to, "uuid")] {
        let network = format!("CREATE TABLE network (id {id} PRIMARY KEY)");
        let device =
            "CREATE TABLE device (id integer PRIMARY KEY, nid uuid REFERENCES network (id))";
        execute(db, "the tables", &[&network, device]).await?;
    }
    let rows = [
        "PRAGMA foreign_keys = OFF",
        "INSERT INTO network VALUES ('0a7c2f3e-1111-4222-8333-444455556666')",
        "INSERT INTO device VALUES (1, '0a7c2f3e-1111-4222-8333-444455556666'), \
         (2, '9a7c2f3e-1111-4222-8333-444455556666')",
    ];
    execute(&mut from, "the rows", &rows).await?;
    let plan = plan(&source, &target).await?;
    let found = preflight(&source, &target, &plan).await?;
    ensure!(
        matches!(&found.refused[..], [one] if one.contains("does not exist") && one.contains("9a7c2f3e")),
        "{found:?}"
    );
    from.execute("no such row", "DELETE FROM device WHERE id = 2")
        .await?;
    nothing_is_refused(&source, &target, &plan).await?;
    copy_into_existing(&source, &target, &plan).await
}

/// What refers to an id is one, however long a text it may have.
async fn other_lengths(source: String, target: String) -> Result<()> {
    let mut db = open(&source).await?;
    let id = "2e5ee839-e536-49aa-8aa0-e700747a12ad";
    let rows = format!("INSERT INTO owner VALUES ('{id}')");
    let short = format!("INSERT INTO short VALUES (1, '{id}')");
    let long = format!("INSERT INTO long_one VALUES (1, '{id}')");
    let tables = [
        "CREATE TABLE owner (id varchar(40) NOT NULL PRIMARY KEY)",
        "CREATE TABLE short (id integer NOT NULL PRIMARY KEY, owner char(36), \
         FOREIGN KEY (owner) REFERENCES owner (id))",
        "CREATE TABLE long_one (id integer NOT NULL PRIMARY KEY, owner varchar(255), \
         FOREIGN KEY (owner) REFERENCES owner (id))",
        &rows,
        &short,
        &long,
    ];
    execute(&mut db, "the source", &tables).await?;
    let plan = plan(&source, &target).await?;
    let columns = plan.tables.iter().flat_map(|table| &table.columns);
    let ids = columns.filter(|column| column.format.is_some());
    ensure!(ids.count() == 3, "{plan:?}");
    nothing_is_refused(&source, &target, &plan).await?;
    copy_equal(&source, &target, &plan).await
}

/// The spaces at the end of PostgreSQL's `char` do not count there, and are copied.
async fn padded(source: String, target: String) -> Result<()> {
    let (mut from, mut to) = (open(&source).await?, open(&target).await?);
    let tables = [
        "CREATE TABLE owner (id varchar(40) PRIMARY KEY)",
        "CREATE TABLE thing (id integer PRIMARY KEY, owner char(9) REFERENCES owner)",
        "INSERT INTO owner VALUES ('complete!'), ('short')",
        "INSERT INTO thing VALUES (1, 'complete!'), (2, 'short')",
    ];
    execute(&mut from, "the source", &tables).await?;
    let other =
        "thing.owner: a row refers to one of owner that is another text for the target: \"short\"";
    let made = plan(&source, &target).await?;
    let refused = preflight(&source, &target, &made).await?.refused;
    ensure!(
        matches!(&refused[..], [one] if one.starts_with(other)),
        "{refused:?}"
    );
    if to.backend() == Backend::Sqlite {
        // As the column says that is referred to.
        for (collation, is_refused) in [("BINARY", true), ("RTRIM", false)] {
            let owner = format!("CREATE TABLE owner (id text COLLATE {collation} PRIMARY KEY)");
            let tables = [
                "DROP TABLE IF EXISTS thing",
                "DROP TABLE IF EXISTS owner",
                &owner,
                "CREATE TABLE thing (id integer PRIMARY KEY, owner text REFERENCES owner (id))",
            ];
            execute(&mut to, "the target", &tables).await?;
            let plan = plan(&source, &target).await?;
            let refused = preflight(&source, &target, &plan).await?.refused;
            ensure!(refused.is_empty() != is_refused, "{collation}: {refused:?}");
        }
        let made = plan(&source, &target).await?;
        return copy_into_existing(&source, &target, &made).await;
    }
    let row = "UPDATE thing SET owner = 'complete!'";
    from.execute("a whole one", row).await?;
    copy_equal(&source, &target, &made).await
}

/// The target has a reference that the source has not, and a circle.
async fn existing_rules(source: String, target: String) -> Result<()> {
    let (mut from, mut to) = (open(&source).await?, open(&target).await?);
    let tables = [
        "CREATE TABLE country (id integer PRIMARY KEY, capital integer)",
        "CREATE TABLE town (id integer PRIMARY KEY, country integer, mayor integer, size integer)",
    ];
    execute(&mut from, "the source", &tables).await?;
    execute(&mut to, "the target", &tables).await?;
    let rules = [
        "ALTER TABLE country ADD CONSTRAINT capital FOREIGN KEY (capital) REFERENCES town (id)",
        "ALTER TABLE town ADD CONSTRAINT country FOREIGN KEY (country) REFERENCES country (id)",
        "ALTER TABLE town ADD CONSTRAINT has_size CHECK (size > 5)",
    ];
    execute(&mut to, "the rules", &rules).await?;
    if to.backend() == Backend::Postgres {
        // A session that does not look at references runs no triggers either.
        let trigger = [
            "CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'",
            "CREATE TRIGGER nothing BEFORE INSERT ON town FOR EACH ROW EXECUTE FUNCTION nothing()",
        ];
        execute(&mut to, "a trigger", &trigger).await?;
    }
    let rows = [
        "INSERT INTO country VALUES (1, NULL)",
        "INSERT INTO town VALUES (1, 1, NULL, 7), (2, NULL, NULL, NULL)",
    ];
    execute(&mut from, "the rows", &rows).await?;
    let mut plan = plan(&source, &target).await?;
    for table in &mut plan.tables {
        table.triggers = Some(Triggers::Run);
    }
    let looked = preflight(&source, &target, &plan).await?;
    ensure!(looked.refused.is_empty(), "{looked:?}");
    let is_unseen = looked
        .notes
        .iter()
        .any(|told| told.contains("not looked at"));
    ensure!(!is_unseen, "{looked:?}");

    let rows = [
        "UPDATE country SET capital = 1",
        "INSERT INTO town VALUES (3, 8, NULL, 9), (4, 1, NULL, 2)",
    ];
    execute(&mut from, "the rows", &rows).await?;
    let looked = preflight(&source, &target, &plan).await?;
    let mut expected = vec!["town.country: a row refers to one of country that does not exist: "];
    // The others look at references after the rows.
    if to.backend() == Backend::Postgres {
        expected.push(
            "country in the target: its rows refer to those of town by capital, which are copied later; move the plan's \
             entry of town up; or, in a circle, run `ALTER TABLE \"country\" DROP CONSTRAINT \"capital\"` there now, and \
             after the copy `ALTER TABLE \"country\" ADD CONSTRAINT \"capital\" FOREIGN KEY (\"capital\") REFERENCES \
             \"town\" (\"id\") ON DELETE NO ACTION ON UPDATE NO ACTION`",
        );
    }
    expected.push("town in the target: rows of the source break its check has_size, such as the one with the key \"4\"; ");
    for expected in &expected {
        let is_told = looked.refused.iter().any(|told| told.contains(expected));
        ensure!(is_told, "{expected}: {looked:?}");
    }
    ensure!(looked.refused.len() == expected.len(), "{looked:?}");
    Ok(())
}

/// A session that does not look at references does not look at these rules either.
async fn rules_beside_a_circle(source: String, target: String) -> Result<()> {
    let (mut from, mut to) = (open(&source).await?, open(&target).await?);
    let tables = [
        "CREATE TABLE country (id integer PRIMARY KEY, capital integer)",
        "CREATE TABLE town (id integer PRIMARY KEY, country integer, x integer, y integer)",
        "CREATE TABLE place (x integer, y integer, PRIMARY KEY (x, y))",
    ];
    execute(&mut from, "the source", &tables).await?;
    execute(&mut to, "the target", &tables).await?;
    let circle = [
        "ALTER TABLE country ADD FOREIGN KEY (capital) REFERENCES town (id)",
        "ALTER TABLE town ADD FOREIGN KEY (country) REFERENCES country (id)",
    ];
    execute(&mut to, "the circle", &circle).await?;
    let rows = [
        "INSERT INTO country VALUES (1, 1)",
        "INSERT INTO town VALUES (1, 1, NULL, NULL)",
    ];
    execute(&mut from, "the rows", &rows).await?;
    let plan = plan(&source, &target).await?;
    for rule in [
        "UNIQUE (x) DEFERRABLE",
        "EXCLUDE (x WITH =) DEFERRABLE",
        "FOREIGN KEY (x, y) REFERENCES place (x, y) MATCH FULL",
    ] {
        let add = format!("ALTER TABLE town ADD CONSTRAINT rule {rule}");
        to.execute("a rule", &add).await?;
        let looked = preflight(&source, &target, &plan).await?;
        let is_told = |told: &String| told.contains("which are copied later");
        ensure!(looked.refused.iter().any(is_told), "{rule}: {looked:?}");
        let drop = "ALTER TABLE town DROP CONSTRAINT rule";
        to.execute("without the rule", drop).await?;
    }
    nothing_is_refused(&source, &target, &plan).await?;
    copy_into_existing(&source, &target, &plan).await
}

/// Rows of a table of the target that refer to later ones, and tables that refer to each other.
async fn trees(source: String, target: String) -> Result<()> {
    let mut dbs = [open(&source).await?, open(&target).await?];
    for db in &mut dbs {
        let (options, alters) = match db.backend() {
            Backend::MySql | Backend::MariaDb => (" ENGINE = InnoDB", true),
            backend => ("", backend == Backend::Postgres),
        };
        let (circle, last) = match alters {
            true => (
                "",
                "ALTER TABLE pool ADD FOREIGN KEY (first_id) REFERENCES queue (id)",
            ),
            false => (", FOREIGN KEY (first_id) REFERENCES queue (id)", "SELECT 1"),
        };
        let tables = [
            &format!(
                "CREATE TABLE pool (id integer NOT NULL PRIMARY KEY, first_id integer{circle}){options}"
            ),
            &format!(
                "CREATE TABLE queue (id integer NOT NULL PRIMARY KEY, pool_id integer NOT NULL, \
                 FOREIGN KEY (pool_id) REFERENCES pool (id)){options}"
            ),
            &format!(
                "CREATE TABLE deployment (id integer NOT NULL PRIMARY KEY, queue_id integer, \
                 FOREIGN KEY (queue_id) REFERENCES queue (id)){options}"
            ),
            &format!(
                "CREATE TABLE node (id integer NOT NULL PRIMARY KEY, up integer, \
                 FOREIGN KEY (up) REFERENCES node (id)){options}"
            ),
            last,
        ];
        execute(db, "the tables", &tables).await?;
    }
    let [mut from, mut to] = dbs;
    let rows = [
        "INSERT INTO pool VALUES (1, NULL)",
        "INSERT INTO queue VALUES (1, 1)",
        "UPDATE pool SET first_id = 1",
        "INSERT INTO deployment VALUES (1, 1)",
        "INSERT INTO node VALUES (9, NULL)",
        "INSERT INTO node VALUES (1, 9), (2, 1), (3, 9)",
    ];
    execute(&mut from, "the rows", &rows).await?;
    let mut plan = plan(&source, &target).await?;
    plan.policy.batch_rows = 1;
    plan.policy.transaction_rows = 1;
    let names: Vec<&str> = plan.tables.iter().map(|table| &*table.name.name).collect();
    ensure!(
        names == ["node", "pool", "queue", "deployment"],
        "{names:?}"
    );
    nothing_is_refused(&source, &target, &plan).await?;
    copy_into_existing(&source, &target, &plan).await?;
    // A later session looks at references again.
    let orphan = to.execute("an orphan", "INSERT INTO deployment VALUES (2, 9)");
    ensure!(orphan.await.is_err() || to.backend() == Backend::Sqlite);
    Ok(())
}

/// All lines are named at once, also those that follow from others.
async fn kept(source: String, target: String) -> Result<()> {
    let id = "9a1f1b1c-7f3e-4e51-9c0a-0d4b8e5f2a11";
    let rows = ["place", "site", "visit"].map(|table| match table {
        "visit" => format!("INSERT INTO visit VALUES (1, '{id}')"),
        table => format!("INSERT INTO {table} VALUES ('{id}')"),
    });
    let tables = [
        "CREATE TABLE place (id char(36) PRIMARY KEY)",
        "CREATE TABLE site (id char(36) PRIMARY KEY REFERENCES place (id))",
        "CREATE TABLE visit (number integer PRIMARY KEY, site char(36) REFERENCES site (id))",
    ];
    let mut db = open(&source).await?;
    execute(&mut db, "the tables", &tables).await?;
    for row in &rows {
        db.execute("a row", row).await?;
    }
    let mut plan = plan(&source, &target).await?;
    let keep = |plan: &mut rowkey_copy::CopyPlan, table: &str, column: &str| {
        let mut tables = plan.tables.iter_mut();
        let table = tables.find(|found| found.name.name == table);
        let mut columns = table.into_iter().flat_map(|table| &mut table.columns);
        let found = columns.find(|found| found.name == column);
        found.map(|column| column.keep = true)
    };
    keep(&mut plan, "place", "id").context("no such column")?;
    let looked = preflight(&source, &target, &plan).await?;
    ensure!(looked.refused.len() == 2, "{looked:?}");
    for (table, column) in [("site", "id"), ("visit", "site")] {
        let line = format!("write `keep = true` for {table}.{column} too");
        let is_told = looked.refused.iter().any(|told| told.contains(&line));
        ensure!(is_told, "{looked:?}");
        keep(&mut plan, table, column).context("no such column")?;
    }
    nothing_is_refused(&source, &target, &plan).await?;
    copy_equal(&source, &target, &plan).await?;
    Ok(())
}

/// The source ignores case where the target does not.
async fn letters(source: String, target: String) -> Result<()> {
    let mut from = open(&source).await?;
    let text = match from.backend() {
        Backend::Sqlite => "varchar(20) COLLATE NOCASE",
        _ => "varchar(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci",
    };
    let tables = [
        format!("CREATE TABLE place (name {text} PRIMARY KEY)"),
        format!(
            "CREATE TABLE visit (id integer PRIMARY KEY, place {text}, \
             CONSTRAINT visited FOREIGN KEY (place) REFERENCES place (name))"
        ),
    ];
    for table in &tables {
        from.execute("a table", table).await?;
    }
    let rows = [
        "INSERT INTO place VALUES ('Rome')",
        "INSERT INTO visit VALUES (1, 'Rome'), (2, NULL), (3, 'ROME')",
    ];
    execute(&mut from, "the rows", &rows).await?;
    let mut plan = plan(&source, &target).await?;
    for column in plan.tables.iter_mut().flat_map(|table| &mut table.columns) {
        if let (Backend::MySql | Backend::MariaDb, "name" | "place") =
            (open(&target).await?.backend(), column.name.as_str())
        {
            column.to = Some("varchar(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin".into());
        }
    }
    let looked = preflight(&source, &target, &plan).await?;
    let expected =
        "visit.place: a row refers to one of place that is another text for the target: ";
    ensure!(
        matches!(&looked.refused[..], [one] if one.starts_with(expected)),
        "{looked:?}"
    );
    from.execute(
        "other letters",
        "UPDATE visit SET place = 'Rome' WHERE id = 3",
    )
    .await?;
    copy_equal(&source, &target, &plan).await
}

async fn not_validated(source: String, target: String) -> Result<()> {
    let tables = [
        "CREATE TABLE place (number integer PRIMARY KEY)",
        "CREATE TABLE visit (number integer PRIMARY KEY, place integer)",
        "INSERT INTO visit VALUES (1, 7)",
        "ALTER TABLE visit ADD CONSTRAINT visited FOREIGN KEY (place) REFERENCES place NOT VALID",
    ];
    execute(&mut open(&source).await?, "the source", &tables).await?;
    let plan = plan(&source, &target).await?;
    let looked = preflight(&source, &target, &plan).await?;
    let expected = "visit.place: a row refers to one of place that does not exist: \"7\"; delete such rows, or \
                    add those that they refer to, or write `leave-out = [\"visited\"]` below";
    ensure!(
        matches!(&looked.refused[..], [one] if one.starts_with(expected)),
        "{looked:?}"
    );
    Ok(())
}

/// With words between the columns and the actions, and behind these.
const WITH_WORDS: [&str; 2] = [
    "CREATE TABLE place (country integer, number integer, PRIMARY KEY (country, number), \
     CONSTRAINT once EXCLUDE (number WITH =), CONSTRAINT included UNIQUE (country, number) INCLUDE (code), \
     code integer CONSTRAINT coded UNIQUE DEFERRABLE INITIALLY DEFERRED)",
    "CREATE TABLE visit (id integer PRIMARY KEY, country integer, number integer, \
     CONSTRAINT visited FOREIGN KEY (country, number) REFERENCES place MATCH FULL \
     ON DELETE SET NULL (number) ON UPDATE CASCADE DEFERRABLE INITIALLY DEFERRED)",
];

async fn lost_words(source: String, target: String) -> Result<()> {
    execute(&mut open(&source).await?, "the source", &WITH_WORDS).await?;
    let plan = plan(&source, &target).await?;
    let looked = preflight(&source, &target, &plan).await?;
    for words in ["MATCH FULL", "(number)", "DEFERRABLE INITIALLY DEFERRED"] {
        let note =
            format!("visit: {words} of the reference of country, number to place is left out");
        ensure!(looked.notes.contains(&note), "{looked:?}");
    }
    Ok(())
}

async fn words(source: String, target: String) -> Result<()> {
    let mut from = open(&source).await?;
    execute(&mut from, "the source", &WITH_WORDS).await?;
    let plan = plan(&source, &target).await?;
    let looked = preflight(&source, &target, &plan).await?;
    for note in [
        "place: DEFERRABLE of the key coded is left out",
        "place: INCLUDE of the key included is left out",
        "place: the exclusion constraint once is left out",
    ] {
        ensure!(
            looked.refused.is_empty() && looked.notes.iter().any(|told| told == note),
            "{note}: {looked:?}"
        );
    }
    copy(&source, &target, &plan).await?;
    let query = "SELECT pg_get_constraintdef(oid) FROM pg_constraint \
                 WHERE conname = 'visited' AND conrelid = 'visit'::regclass";
    let mut definitions = Vec::new();
    for db in [&mut from, &mut open(&target).await?] {
        definitions.push(db.query("the reference", query, &[]).await?);
    }
    ensure!(definitions[0] == definitions[1], "{definitions:?}");
    Ok(())
}
