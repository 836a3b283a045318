//! Sequences that only programs use go on where those of the source would.

use anyhow::{Result, ensure};
use rowkey_copy::{Connection, Request};
use rowkey_tables::Silent;
use rowkey_testkit::{Backend, Suite, test_name};

use crate::copy::held::{nothing_is_refused, preflight};
use crate::copy::{copy, copy_into_existing, execute, open, pair, plan};

const WITH_SEQUENCES: [Backend; 2] = [Backend::Postgres, Backend::MariaDb];

pub(crate) fn add_tests(suite: &mut Suite) {
    for target in crate::LIVE {
        let name = |what: &str| format!("{what}_{}", test_name(target));
        let made = name("sequences_of_programs_are_made_in");
        pair(suite, &made, WITH_SEQUENCES, target, made_with_tables);
        let existing = name("sequences_of_programs_go_on_in");
        pair(suite, &existing, WITH_SEQUENCES, target, existing_tables);
    }
    for target in WITH_SEQUENCES {
        let name = |what: &str| format!("{what}_{}", test_name(target));
        let behind = name("sequences_of_programs_go_on_behind_rows_in");
        pair(suite, &behind, crate::LIVE, target, behind_rows);
        let table = name("a_table_of_numbers_is_a_sequence_in");
        pair(suite, &table, crate::LIVE, target, table_of_numbers);
    }
    for source in WITH_SEQUENCES {
        let name = "sequences_of_both_go_on_where_those_of_the_source_would";
        pair(suite, name, [source], Backend::Postgres, of_both);
        let name = "a_sequence_of_a_table_that_is_not_copied_stays";
        pair(suite, name, [source], Backend::Postgres, of_another);
    }
}

async fn source_of(url: &str) -> Result<()> {
    let mut source = open(url).await?;
    let (no_cache, next) = match source.backend() {
        Backend::MariaDb => (" NOCACHE", "SELECT NEXTVAL("),
        _ => ("", "SELECT nextval("),
    };
    let name = |name: &str| match source.backend() {
        Backend::MariaDb => name.to_owned(),
        _ => format!("'{name}'"),
    };
    let next_order = format!("{next}{})", name("order_seq"));
    let next_full = format!("{next}{})", name("full_seq"));
    let next_round = format!("{next}{})", name("round_seq"));
    let mut statements = vec![
        "CREATE TABLE orders (id bigint NOT NULL PRIMARY KEY)".to_owned(),
        "INSERT INTO orders VALUES (1), (2)".to_owned(),
        format!("CREATE SEQUENCE order_seq{no_cache}"),
        format!("CREATE SEQUENCE fresh_seq START WITH 7{no_cache}"),
        format!("CREATE SEQUENCE round_seq INCREMENT BY 5 MINVALUE 1 MAXVALUE 11 CYCLE{no_cache}"),
        format!("CREATE SEQUENCE full_seq MAXVALUE 2{no_cache}"),
        // That of a column is no program's.
        format!("CREATE SEQUENCE own_seq{no_cache}"),
        format!(
            "CREATE TABLE own (id integer NOT NULL PRIMARY KEY DEFAULT nextval({}))",
            name("own_seq")
        ),
    ];
    statements.extend(vec![next_order; 10]);
    statements.extend(vec![next_round; 2]);
    // The last one has been given.
    statements.extend(vec![next_full; 2]);
    for statement in statements {
        source.query("the source", &statement, &[]).await?;
    }
    Ok(())
}

async fn next(db: &mut Connection, name: &str) -> Result<i64> {
    let query = match db.backend() {
        Backend::MariaDb => format!("SELECT NEXTVAL({name})"),
        _ => format!("SELECT nextval('{name}')"),
    };
    Ok(db.one_row("a number", &query, &[]).await?.integer(0)?)
}

fn has_sequences(db: &Connection) -> bool {
    WITH_SEQUENCES.contains(&db.backend())
}

const LEFT_OUT: [&str; 4] = [
    "the sequence fresh_seq is left out; its next number is 7",
    "the sequence full_seq is left out; it has no number left",
    "the sequence order_seq is left out; its next number is 11",
    "the sequence round_seq is left out; its next number is 11",
];

fn of_sequences(notes: &[String]) -> Vec<&str> {
    let notes = notes.iter().map(String::as_str);
    notes.filter(|note| note.contains("sequence")).collect()
}

async fn made_with_tables(source: String, target: String) -> Result<()> {
    source_of(&source).await?;
    let plan = plan(&source, &target).await?;
    let names: Vec<&str> = plan.tables.iter().map(|table| &*table.name.name).collect();
    ensure!(names == ["orders", "own"], "{names:?}");
    let found = preflight(&source, &target, &plan).await?;
    let report = copy(&source, &target, &plan).await?;
    ensure!(
        of_sequences(&found.notes) == of_sequences(&report.notes),
        "{found:?} {report:?}"
    );
    let mut to = open(&target).await?;
    if !has_sequences(&to) {
        ensure!(of_sequences(&report.notes) == LEFT_OUT, "{report:?}");
        return Ok(());
    }
    ensure!(of_sequences(&report.notes).is_empty(), "{report:?}");
    for (name, expected) in [
        ("order_seq", [11, 12]),
        ("fresh_seq", [7, 8]),
        ("round_seq", [11, 1]),
    ] {
        let found = [next(&mut to, name).await?, next(&mut to, name).await?];
        ensure!(found == expected, "{name}: {found:?}");
    }
    ensure!(next(&mut to, "full_seq").await.is_err());
    // None goes back when the same copy is made once more.
    copy(&source, &target, &plan).await?;
    let number = next(&mut to, "order_seq").await?;
    ensure!(number == 13, "{number}");
    Ok(())
}

async fn existing_tables(source: String, target: String) -> Result<()> {
    source_of(&source).await?;
    let mut to = open(&target).await?;
    let tables = [
        "CREATE TABLE orders (id bigint NOT NULL PRIMARY KEY)",
        "CREATE TABLE own (id integer NOT NULL PRIMARY KEY)",
    ];
    execute(&mut to, "the target", &tables).await?;
    let is_able = has_sequences(&to);
    if is_able {
        let fresh = match to.backend() {
            Backend::MariaDb => "SELECT SETVAL(fresh_seq, 100)",
            _ => "SELECT setval('fresh_seq', 100)",
        };
        let order = match to.backend() {
            Backend::Postgres => "\"ORDER_SEQ\"",
            _ => "ORDER_SEQ",
        };
        to.execute(
            "a sequence",
            &format!("CREATE SEQUENCE {order} INCREMENT BY 50"),
        )
        .await?;
        to.execute("a sequence", "CREATE SEQUENCE fresh_seq")
            .await?;
        to.query("a sequence", fresh, &[]).await?;
    }
    let plan = plan(&source, &target).await?;
    nothing_is_refused(&source, &target, &plan).await?;
    let found = preflight(&source, &target, &plan).await?;
    let mut from = open(&source).await?;
    let report =
        rowkey_copy::copy(&mut from, &mut to, &plan, &Request::default(), &mut Silent).await?;
    let missing = [
        "the sequence full_seq is left out, because the target has none of this name; it has no number left",
        "the sequence round_seq is left out, because the target has none of this name; its next number is 11",
    ];
    let step = "the sequence ORDER_SEQ: it counts by 1 in the source, and by 50 in the target";
    let expected = match is_able {
        true => vec![missing[0], step, missing[1]],
        false => LEFT_OUT.to_vec(),
    };
    let told = of_sequences(&report.notes);
    let told: Vec<&str> = told
        .into_iter()
        .filter(|note| note.starts_with("the sequence"))
        .collect();
    ensure!(told == expected, "{report:?}");
    for note in expected.iter().filter(|note| **note != step) {
        ensure!(found.notes.iter().any(|one| one == note), "{found:?}");
    }
    if is_able {
        let order = match to.backend() {
            Backend::Postgres => "\"ORDER_SEQ\"",
            _ => "ORDER_SEQ",
        };
        for (name, expected) in [(order, 11), ("fresh_seq", 101)] {
            let number = next(&mut to, name).await?;
            ensure!(number == expected, "{name}: {number}");
        }
    }
    Ok(())
}

/// Those from which programs take keys that the source counts, or not.
async fn behind_rows(source: String, target: String) -> Result<()> {
    let (mut from, mut to) = (open(&source).await?, open(&target).await?);
    let counted = match from.backend() {
        Backend::Postgres => "serial PRIMARY KEY",
        Backend::Sqlite => "integer PRIMARY KEY AUTOINCREMENT",
        _ => "integer NOT NULL AUTO_INCREMENT PRIMARY KEY",
    };
    let given = "integer NOT NULL PRIMARY KEY";
    for table in ["member", "tenant", "item", "late", "far", "small"] {
        let id = if table == "member" { counted } else { given };
        let create = format!("CREATE TABLE {table} (id {id}, name varchar(9))");
        from.execute("a table", &create).await?;
        let create = format!("CREATE TABLE {table} (id {given}, name varchar(9))");
        to.execute("a table", &create).await?;
    }
    for db in [&mut from, &mut to] {
        let create = "CREATE TABLE bill (name varchar(9) NOT NULL PRIMARY KEY, number integer)";
        db.execute("a table", create).await?;
    }
    let rows = [
        "INSERT INTO bill VALUES ('a', 77)",
        "INSERT INTO member (name) VALUES ('a'), ('b'), ('c')",
        "DELETE FROM member WHERE id = 3",
        "INSERT INTO tenant VALUES (5, 'a')",
        "INSERT INTO item VALUES (1, 'a'), (120, 'b')",
        "INSERT INTO far VALUES (1, 'a')",
        "INSERT INTO small VALUES (9, 'a')",
    ];
    execute(&mut from, "the source", &rows).await?;
    let item = match to.backend() {
        Backend::Postgres => "\"item_SEQ\"",
        _ => "item_SEQ",
    };
    let sequences = [
        "CREATE SEQUENCE member_id_seq",
        "CREATE SEQUENCE tenant_seq",
        &format!("CREATE SEQUENCE {item} INCREMENT BY 50"),
        "CREATE SEQUENCE late_id_seq START WITH 7",
        // No key has the first one.
        "CREATE SEQUENCE bill_number_seq",
        "CREATE SEQUENCE tenant_id_seq",
        "CREATE SEQUENCE far_id_seq START WITH 100",
        "CREATE SEQUENCE small_seq MAXVALUE 9",
    ];
    execute(&mut to, "the sequences", &sequences).await?;
    let is_owned = to.backend() == Backend::Postgres;
    if is_owned {
        to.execute(
            "another owner",
            "ALTER SEQUENCE tenant_id_seq OWNED BY member.name",
        )
        .await?;
    }
    let plan = plan(&source, &target).await?;
    nothing_is_refused(&source, &target, &plan).await?;
    let found = preflight(&source, &target, &plan).await?;
    let is_lost = |note: &String| note.contains("the target does not");
    ensure!(!found.notes.iter().any(is_lost), "{found:?}");
    let report = {
        let (mut from, mut to) = (open(&source).await?, open(&target).await?);
        rowkey_copy::copy(&mut from, &mut to, &plan, &Request::default(), &mut Silent).await?
    };
    let note = "the sequence small_seq: it does not go beyond 9, the last number of small.id";
    ensure!(of_sequences(&report.notes) == [note], "{report:?}");
    // A program that counts within 50 numbers up to that of the sequence goes on with 121.
    for (name, expected) in [
        ("member_id_seq", 4),
        ("tenant_seq", 6),
        ("tenant_id_seq", if is_owned { 1 } else { 6 }),
        ("bill_number_seq", 78),
        (item, 170),
        ("late_id_seq", 7),
        ("far_id_seq", 100),
    ] {
        let number = next(&mut to, name).await?;
        ensure!(number == expected, "{name}: {number}");
    }
    // None goes back when the same copy is made once more.
    copy_into_existing(&source, &target, &plan).await?;
    let number = next(&mut to, "member_id_seq").await?;
    ensure!(number == 5, "{number}");
    Ok(())
}

/// Hibernate has tables of numbers where a database has no sequences.
async fn table_of_numbers(source: String, target: String) -> Result<()> {
    let (mut from, mut to) = (open(&source).await?, open(&target).await?);
    let table = "CREATE TABLE orders (id bigint NOT NULL PRIMARY KEY)";
    let rows = [
        table,
        "INSERT INTO orders VALUES (1), (2)",
        "CREATE TABLE orders_seq (next_val bigint)",
        "INSERT INTO orders_seq VALUES (51)",
    ];
    execute(&mut from, "the source", &rows).await?;
    let tables = [table, "CREATE SEQUENCE orders_seq INCREMENT BY 50"];
    execute(&mut to, "the target", &tables).await?;
    let mut plan = plan(&source, &target).await?;
    let looked = preflight(&source, &target, &plan).await?;
    let refused =
        "the table orders_seq in the target: the target has a sequence orders_seq instead";
    let instead =
        "delete its entry from the plan: the copy sets the sequence behind the rows of orders";
    let is_told = |told: &String| told.contains(refused) && told.contains(instead);
    ensure!(
        matches!(&looked.refused[..], [one] if is_told(one)),
        "{looked:?}"
    );
    plan.tables.retain(|table| table.name.name == "orders");
    copy_into_existing(&source, &target, &plan).await?;
    let number = next(&mut to, "orders_seq").await?;
    ensure!(number == 52, "{number}");
    Ok(())
}

/// The numbers of a program may be more than those of the sequence.
async fn of_both(source: String, target: String) -> Result<()> {
    let tables = [
        "CREATE TABLE orders (id bigint NOT NULL PRIMARY KEY)",
        "CREATE SEQUENCE orders_seq",
    ];
    let (mut from, mut to) = (open(&source).await?, open(&target).await?);
    execute(&mut to, "the target", &tables).await?;
    execute(&mut from, "the source", &tables).await?;
    from.execute("a row", "INSERT INTO orders VALUES (5000)")
        .await?;
    next(&mut from, "orders_seq").await?;
    let plan = plan(&source, &target).await?;
    copy_into_existing(&source, &target, &plan).await?;
    let number = next(&mut to, "orders_seq").await?;
    ensure!((2..5000).contains(&number), "{number}");
    Ok(())
}

/// A sequence that has the name of one of programs in the source.
async fn of_another(source: String, target: String) -> Result<()> {
    let item = "CREATE TABLE item (id bigint NOT NULL PRIMARY KEY)";
    let (mut from, mut to) = (open(&source).await?, open(&target).await?);
    let sequence = "CREATE SEQUENCE ticket_id_seq START WITH 30000";
    execute(&mut from, "the source", &[item, sequence]).await?;
    let ticket = "CREATE TABLE ticket (id smallserial PRIMARY KEY)";
    execute(&mut to, "the target", &[item, ticket]).await?;
    let plan = plan(&source, &target).await?;
    let looked = preflight(&source, &target, &plan).await?;
    let is_told = |note: &String| note.contains("counts a column which is not copied");
    ensure!(looked.notes.iter().any(is_told), "{looked:?}");
    copy_into_existing(&source, &target, &plan).await?;
    ensure!(next(&mut to, "ticket_id_seq").await? == 1);
    Ok(())
}
