//! Counters continue where those of the source would.

use anyhow::{Result, ensure};
use rowkey_copy::{Choices, ExistingRows, Request};
use rowkey_tables::Silent;
use rowkey_testkit::{Backend, Suite, test_name};

use crate::copy::held::{nothing_is_refused, preflight};
use crate::copy::{copy, copy_into_existing, execute, open, pair, plan, planned};

const COUNTING: [Backend; 3] = [Backend::Postgres, Backend::MySql, Backend::MariaDb];

pub(crate) fn add_tests(suite: &mut Suite) {
    for target in crate::LIVE {
        let name = |what: &str| format!("{what}_{}", test_name(target));
        let of_postgres = [Backend::Postgres];
        let sequence = name("a_sequence_without_an_owner_goes_on_in");
        pair(suite, &sequence, of_postgres, target, sequence_of_its_own);
        if target == Backend::Postgres {
            let down = name("counters_that_exist_count_down_in");
            pair(suite, &down, of_postgres, target, counting_down);
            let sources = [Backend::Postgres, Backend::MariaDb];
            let nullable = name("a_counter_that_may_be_null_goes_on_in");
            pair(suite, &nullable, sources, target, nullable_counter);
            let always = name("what_is_always_counted_is_not_merged_in");
            pair(suite, &always, crate::LIVE, target, always_counted);
        }
        if matches!(target, Backend::Postgres | Backend::MariaDb) {
            let short = name("a_sequence_that_ends_before_the_rows_is_told_in");
            pair(suite, &short, COUNTING, target, short_sequences);
        }
        let mariadb = name("a_sequence_of_mariadb_goes_on_in");
        pair(
            suite,
            &mariadb,
            [Backend::MariaDb],
            target,
            sequence_of_mariadb,
        );
        let beside = name("a_counter_beside_the_key_goes_on_in");
        pair(suite, &beside, COUNTING, target, beside_the_key);
        let existing = name("counters_of_existing_tables_go_on_in");
        pair(suite, &existing, crate::LIVE, target, existing_tables);
        let large = name("a_counter_beyond_signed_numbers_goes_on_in");
        pair(
            suite,
            &large,
            [Backend::MySql, Backend::MariaDb],
            target,
            large_counter,
        );
    }
}

/// No UPDATE may change a column that is GENERATED ALWAYS, unless rows are merged by it.
async fn always_counted(source: String, target: String) -> Result<()> {
    let (mut from, mut to) = (open(&source).await?, open(&target).await?);
    let rows = [
        "CREATE TABLE ticket (id integer PRIMARY KEY, number integer, title varchar(9))",
        "INSERT INTO ticket VALUES (1, 5, 'a'), (2, 6, 'b')",
    ];
    execute(&mut from, "the source", &rows).await?;
    let counted = "integer GENERATED ALWAYS AS IDENTITY";
    let table = format!(
        "CREATE TABLE ticket (id {counted} PRIMARY KEY, number {counted}, title varchar(9))"
    );
    let row = "INSERT INTO ticket (title) VALUES ('old')";
    execute(&mut to, "the target", &[&table, row]).await?;
    let choices = Choices {
        existing_rows: Some(ExistingRows::Merge),
        ..Choices::default()
    };
    let mut plan = planned(&source, &target, choices).await?.plan;
    let found = preflight(&source, &target, &plan).await?;
    ensure!(
        matches!(&found.refused[..], [one] if one.contains("ticket.number in the target: the target counts it")),
        "{found:?}"
    );
    let columns = &mut plan.tables[0].columns;
    columns.retain(|column| column.name != "number");
    nothing_is_refused(&source, &target, &plan).await?;
    copy_into_existing(&source, &target, &plan).await
}

/// A counted column refuses NULL, and so a sequence in a default has its place.
async fn nullable_counter(source: String, target: String) -> Result<()> {
    let mut db = open(&source).await?;
    let numbers = match db.backend() {
        Backend::Postgres => "nextval('numbers')",
        _ => "nextval(numbers)",
    };
    let table = format!(
        "CREATE TABLE ticket (id integer PRIMARY KEY, number bigint DEFAULT {numbers}, \
         \"Other\" integer DEFAULT {numbers})"
    );
    let table = match db.backend() {
        Backend::Postgres => table,
        _ => table.replace('"', "`"),
    };
    let statements = [
        "CREATE SEQUENCE numbers START 40 INCREMENT BY 5",
        &table,
        "INSERT INTO ticket (id) VALUES (1)",
        "INSERT INTO ticket VALUES (2, NULL, 7)",
    ];
    execute(&mut db, "the source", &statements).await?;
    let plan = plan(&source, &target).await?;
    let report = copy(&source, &target, &plan).await?;
    ensure!(
        !report.notes.iter().any(|note| note.contains("the default")),
        "{report:?}"
    );
    let mut to = open(&target).await?;
    to.execute("a row", "INSERT INTO ticket (id) VALUES (3)")
        .await?;
    let query = "SELECT number, \"Other\"::bigint FROM ticket ORDER BY id";
    let rows = to.query("the numbers", query, &[]).await?;
    ensure!(rows[1].optional_integer(0)?.is_none(), "{rows:?}");
    let last = rows[0].integer(0)?.max(rows[0].integer(1)?);
    let found = (rows[2].integer(0)?, rows[2].integer(1)?);
    // Those that MariaDB has taken in advance may be in use.
    ensure!(found.0 > last && (found.0 - 40) % 5 == 0, "{rows:?}");
    ensure!(found.0 == found.1, "{rows:?}");
    to.execute("the table", "DROP TABLE ticket").await?;
    let query = "SELECT relname::text FROM pg_class WHERE relkind = 'S' AND relname LIKE 'ticket%' \
                 AND relnamespace = current_schema()::regnamespace";
    let left = to.query("the sequences", query, &[]).await?;
    ensure!(left.is_empty(), "{left:?} {report:?}");
    Ok(())
}

/// The default's sequence counts, not one that the column owns, nor the rows.
async fn sequence_of_its_own(source: String, target: String) -> Result<()> {
    let statements = [
        "CREATE SEQUENCE tickets INCREMENT BY 3",
        "CREATE SEQUENCE later START 50",
        "CREATE TABLE ticket (number integer PRIMARY KEY DEFAULT nextval('tickets'), title text)",
        "CREATE TABLE voucher (number serial PRIMARY KEY, title text)",
        "ALTER TABLE voucher ALTER COLUMN number SET DEFAULT nextval('later')",
        "INSERT INTO ticket (title) VALUES ('a'), ('b'), ('c'), ('d')",
        "DELETE FROM ticket WHERE number > 4",
    ];
    execute(&mut open(&source).await?, "the source", &statements).await?;
    let plan = plan(&source, &target).await?;
    let report = copy(&source, &target, &plan).await?;
    let mut to = open(&target).await?;
    let keeps_step = to.backend() == Backend::Postgres;
    for (table, expected) in [
        ("ticket", if keeps_step { 13 } else { 11 }),
        ("voucher", 50),
    ] {
        let insert = format!("INSERT INTO {table} (title) VALUES ('e')");
        to.execute("a row", &insert).await?;
        let query = format!("SELECT MAX(number) FROM {table}");
        let rows = to.query("its number", &query, &[]).await?;
        ensure!(rows[0].integer(0)? == expected, "{table}: {rows:?}");
    }
    let note = "ticket.number: it counts by 3 in the source, and by 1 in the target";
    let is_told = report.notes.iter().any(|told| told == note);
    ensure!(is_told != keeps_step, "{report:?}");
    Ok(())
}

/// The last rows may be gone, or all of them.
async fn sequence_of_mariadb(source: String, target: String) -> Result<()> {
    let statements = [
        "CREATE SEQUENCE tickets INCREMENT BY 3 NOCACHE",
        "CREATE SEQUENCE `it's one` START 50",
        "CREATE TABLE ticket (number integer NOT NULL PRIMARY KEY DEFAULT nextval(tickets), title varchar(9))",
        "CREATE TABLE voucher (number integer NOT NULL PRIMARY KEY DEFAULT nextval(`it's one`), title varchar(9))",
        "INSERT INTO ticket (title) VALUES ('a'), ('b'), ('c'), ('d')",
        "DELETE FROM ticket WHERE number > 4",
    ];
    execute(&mut open(&source).await?, "the source", &statements).await?;
    let plan = plan(&source, &target).await?;
    let report = copy(&source, &target, &plan).await?;
    let mut to = open(&target).await?;
    let keeps_step = to.backend() == Backend::Postgres;
    for (table, expected) in [
        ("ticket", if keeps_step { 13 } else { 11 }),
        ("voucher", 50),
    ] {
        let insert = format!("INSERT INTO {table} (title) VALUES ('e')");
        to.execute("a row", &insert).await?;
        let query = format!("SELECT MAX(number) FROM {table}");
        let row = to.one_row("its number", &query, &[]).await?;
        ensure!(row.integer(0)? == expected, "{table}: {row:?}");
    }
    let note = "ticket.number: it counts by 3 in the source, and by 1 in the target";
    let is_told = report.notes.iter().any(|told| told == note);
    ensure!(is_told != keeps_step, "{report:?}");
    Ok(())
}

/// Whether the column owns its sequence, or uses it only.
async fn counting_down(source: String, target: String) -> Result<()> {
    let tables = [
        "CREATE TABLE debt (number integer GENERATED BY DEFAULT AS IDENTITY (INCREMENT BY -1) PRIMARY KEY, \
         title text)",
        "CREATE SEQUENCE losses INCREMENT BY -2 MAXVALUE 100 START 7",
        "CREATE TABLE loss (number integer PRIMARY KEY DEFAULT nextval('losses'), title text)",
    ];
    let rows = [
        "INSERT INTO debt (title) VALUES ('a'), ('b'), ('c')",
        "INSERT INTO loss (title) VALUES ('a'), ('b')",
        "DELETE FROM debt WHERE number = -3",
    ];
    let (mut from, mut to) = (open(&source).await?, open(&target).await?);
    execute(&mut from, "the source", &[&tables[..], &rows].concat()).await?;
    execute(&mut to, "the target", &tables).await?;
    let plan = plan(&source, &target).await?;
    copy_into_existing(&source, &target, &plan).await?;
    for (table, expected) in [("debt", -4), ("loss", 3)] {
        let insert = format!("INSERT INTO {table} (title) VALUES ('e')");
        to.execute("a row", &insert).await?;
        let query = format!("SELECT number FROM {table} WHERE title = 'e'");
        let rows = to.query("its number", &query, &[]).await?;
        ensure!(rows[0].integer(0)? == expected, "{table}: {rows:?}");
    }
    Ok(())
}

/// Preflight knows the source's counter, and the copy the rows, too.
async fn short_sequences(source: String, target: String) -> Result<()> {
    let (mut from, mut to) = (open(&source).await?, open(&target).await?);
    let counted = match from.backend() {
        Backend::Postgres => "serial",
        _ => "integer NOT NULL AUTO_INCREMENT",
    };
    let statements = [
        &format!("CREATE TABLE ticket (number {counted} PRIMARY KEY, title varchar(9))"),
        "CREATE TABLE voucher (number integer PRIMARY KEY, title varchar(9))",
        &format!("CREATE TABLE wide (number {counted} PRIMARY KEY, title varchar(9))"),
        "INSERT INTO ticket (number, title) VALUES (100, 'a')",
        "INSERT INTO ticket (title) VALUES ('b')",
        "INSERT INTO voucher VALUES (100, 'a')",
        "INSERT INTO wide (title) VALUES ('a')",
    ];
    let statements = match from.backend() {
        Backend::Postgres => {
            let set = "SELECT setval('ticket_number_seq', 100)";
            [&statements[..4], &[set], &statements[4..]].concat()
        }
        _ => statements.to_vec(),
    };
    execute(&mut from, "the source", &statements).await?;
    let quote = if to.backend() == Backend::Postgres {
        "'"
    } else {
        ""
    };
    let table = |name: &str| {
        let next = format!("nextval({quote}{name}s{quote})");
        format!("CREATE TABLE {name} (number integer PRIMARY KEY DEFAULT {next}, title varchar(9))")
    };
    let statements = [
        "CREATE SEQUENCE tickets MAXVALUE 100",
        "CREATE SEQUENCE vouchers MAXVALUE 100",
        "CREATE SEQUENCE wides MAXVALUE 100",
        &table("ticket"),
        &table("voucher"),
        &table("wide"),
    ];
    execute(&mut to, "the target", &statements).await?;
    let plan = plan(&source, &target).await?;
    nothing_is_refused(&source, &target, &plan).await?;
    let told = |table: &str| {
        format!(
            "{table}.number: its sequence in the target ends at 100, and has no number left behind those of the source"
        )
    };
    let ends = |note: &&String| note.contains("ends at");
    let found = preflight(&source, &target, &plan).await?;
    let found: Vec<&String> = found.notes.iter().filter(ends).collect();
    ensure!(found == [&told("ticket")], "{found:?}");
    let report =
        rowkey_copy::copy(&mut from, &mut to, &plan, &Request::default(), &mut Silent).await?;
    let found: Vec<&String> = report.notes.iter().filter(ends).collect();
    ensure!(found == [&told("ticket"), &told("voucher")], "{found:?}");
    Ok(())
}

/// The number that people see, beside a key that programs make.
async fn beside_the_key(source: String, target: String) -> Result<()> {
    let mut db = open(&source).await?;
    let (counted, options) = match db.backend() {
        Backend::Postgres => ("bigserial UNIQUE", ""),
        _ => (
            "bigint NOT NULL AUTO_INCREMENT UNIQUE",
            " CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
        ),
    };
    let table = format!("CREATE TABLE invoice (id char(4) PRIMARY KEY, number {counted}){options}");
    let statements = [
        table.as_str(),
        "INSERT INTO invoice (id) VALUES ('aaaa'), ('bbbb'), ('cccc')",
        "DELETE FROM invoice WHERE id = 'cccc'",
    ];
    execute(&mut db, "the source", &statements).await?;
    let plan = plan(&source, &target).await?;
    let report = copy(&source, &target, &plan).await?;
    let mut to = open(&target).await?;
    if to.backend() == Backend::Sqlite {
        let is_told = |note: &String| note.starts_with("invoice.number: ");
        ensure!(report.notes.iter().any(is_told), "{report:?}");
        return Ok(());
    }
    to.execute("a row", "INSERT INTO invoice (id) VALUES ('dddd')")
        .await?;
    let query = "SELECT number FROM invoice WHERE id = 'dddd'";
    let rows = to.query("its number", query, &[]).await?;
    ensure!(rows[0].integer(0)? == 4, "{rows:?}");
    let twice = "INSERT INTO invoice (id, number) VALUES ('eeee', 1)";
    ensure!(to.execute("a number twice", twice).await.is_err());
    Ok(())
}

/// MySQL counts further than others can.
async fn large_counter(source: String, target: String) -> Result<()> {
    let statements = [
        "CREATE TABLE visit (number bigint unsigned AUTO_INCREMENT PRIMARY KEY, size integer)",
        "INSERT INTO visit (size) VALUES (1), (2)",
        "ALTER TABLE visit AUTO_INCREMENT = 9223372036854775900",
    ];
    execute(&mut open(&source).await?, "the source", &statements).await?;
    let plan = plan(&source, &target).await?;
    let report = copy(&source, &target, &plan).await?;
    let mut to = open(&target).await?;
    to.execute("a row", "INSERT INTO visit (size) VALUES (3)")
        .await?;
    let goes_on = matches!(to.backend(), Backend::MySql | Backend::MariaDb);
    let (query, expected) = match to.backend() {
        Backend::Postgres | Backend::Sqlite => ("SELECT MAX(number) FROM visit", "3"),
        _ => (
            "SELECT CAST(MAX(number) AS CHAR) FROM visit",
            "9223372036854775900",
        ),
    };
    let rows = to.query("its number", query, &[]).await?;
    let found = match goes_on {
        true => rows[0].text(0)?.to_owned(),
        false => rows[0].integer(0)?.to_string(),
    };
    ensure!(found == expected, "{rows:?}");
    let note = "visit.number: the source has counted up to 9223372036854775899";
    let is_told = report.notes.iter().any(|told| told.starts_with(note));
    ensure!(is_told != goes_on, "{report:?}");
    Ok(())
}

/// An existing table counts in its own way: with a sequence that it does not own, or that it shares,
/// by the largest key, or although the source does not count.
async fn existing_tables(source: String, target: String) -> Result<()> {
    let mut from = open(&source).await?;
    let counted = match from.backend() {
        Backend::Postgres => "serial PRIMARY KEY",
        Backend::Sqlite => "integer PRIMARY KEY AUTOINCREMENT",
        _ => "integer NOT NULL AUTO_INCREMENT PRIMARY KEY",
    };
    for table in ["own", "shared", "other", "plain"] {
        let id = match table {
            "plain" => "bigint NOT NULL PRIMARY KEY",
            _ => counted,
        };
        let create = format!("CREATE TABLE {table} (id {id}, name varchar(9))");
        from.execute("a table", &create).await?;
        for id in 1..=5 {
            let insert = match table {
                "plain" => format!("INSERT INTO plain VALUES ({id}, 'a')"),
                _ => format!("INSERT INTO {table} (name) VALUES ('a')"),
            };
            from.execute("a row", &insert).await?;
        }
        let delete = format!("DELETE FROM {table} WHERE id > 3");
        from.execute("the last rows", &delete).await?;
    }
    let mut to = open(&target).await?;
    let (sequence, own, shared, other) = match to.backend() {
        Backend::Postgres => (
            "CREATE SEQUENCE \"It's One\"",
            "integer GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY",
            "integer DEFAULT nextval('\"It''s One\"') PRIMARY KEY",
            "integer DEFAULT nextval('\"It''s One\"'::text) PRIMARY KEY",
        ),
        Backend::MariaDb => (
            "CREATE SEQUENCE one",
            "integer NOT NULL AUTO_INCREMENT PRIMARY KEY",
            "integer NOT NULL DEFAULT nextval(one) PRIMARY KEY",
            "integer NOT NULL DEFAULT nextval(one) PRIMARY KEY",
        ),
        Backend::Sqlite => (
            "SELECT 1",
            "integer PRIMARY KEY",
            "integer PRIMARY KEY",
            "integer PRIMARY KEY",
        ),
        _ => (
            "SELECT 1",
            "integer NOT NULL AUTO_INCREMENT PRIMARY KEY",
            "integer NOT NULL AUTO_INCREMENT PRIMARY KEY",
            "integer NOT NULL AUTO_INCREMENT PRIMARY KEY",
        ),
    };
    to.query("a sequence", sequence, &[]).await?;
    for (table, id) in [
        ("own", own),
        ("shared", shared),
        ("other", other),
        ("plain", &*own.replace("integer NOT", "bigint NOT")),
    ] {
        let create = format!("CREATE TABLE {table} (id {id}, name varchar(9))");
        to.execute("a table", &create).await?;
    }
    let plan = plan(&source, &target).await?;
    nothing_is_refused(&source, &target, &plan).await?;
    copy_into_existing(&source, &target, &plan).await?;
    let by_rows = to.backend() == Backend::Sqlite;
    let is_shared = matches!(to.backend(), Backend::Postgres | Backend::MariaDb);
    for (table, expected) in [
        ("own", if by_rows { 4 } else { 6 }),
        ("shared", if by_rows { 4 } else { 6 }),
        ("other", if by_rows { 4 } else { 6 + i64::from(is_shared) }),
        ("plain", 4),
    ] {
        let insert = format!("INSERT INTO {table} (name) VALUES ('b')");
        to.execute("a row", &insert).await?;
        let query = format!("SELECT MAX(id) FROM {table}");
        let row = to.one_row("its number", &query, &[]).await?;
        ensure!(row.integer(0)? == expected, "{table}: {row:?}");
    }
    Ok(())
}
