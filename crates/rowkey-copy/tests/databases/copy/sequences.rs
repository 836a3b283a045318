//! Sequences that only programs use go on where those of the source would.

use anyhow::{Result, ensure};
use rowkey_copy::{Connection, Request};
use rowkey_tables::Silent;
use rowkey_testkit::{Backend, Suite, test_name};

use crate::copy::held::{nothing_is_refused, preflight};
use crate::copy::{copy, execute, open, pair, plan};

const WITH_SEQUENCES: [Backend; 2] = [Backend::Postgres, Backend::MariaDb];

pub(crate) fn add_tests(suite: &mut Suite) {
    for target in crate::LIVE {
        let name = |what: &str| format!("{what}_{}", test_name(target));
        let made = name("sequences_of_programs_are_made_in");
        pair(suite, &made, WITH_SEQUENCES, target, made_with_tables);
        let existing = name("sequences_of_programs_go_on_in");
        pair(suite, &existing, WITH_SEQUENCES, target, existing_tables);
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
