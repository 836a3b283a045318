//! Types that only some databases have: there as they are, elsewhere as what holds them, and back
//! again.

use anyhow::{Context, Result, bail, ensure};
use rowkey_copy::CopyPlan;
use rowkey_tables::Value;
use rowkey_testkit::{Backend, Search, Server, Suite, test_name};

use crate::copy::held::{nothing_is_refused, preflight};
use crate::copy::{compare, copy, copy_into_existing, execute, open, pair, plan};

pub(crate) fn add_tests(suite: &mut Suite) {
    let name = "types_that_sqlite_does_not_know";
    let servers = [Backend::Postgres, Backend::MySql, Backend::MariaDb];
    pair(suite, name, servers, Backend::Sqlite, unknown_types);
    for target in Backend::ALL {
        let to = test_name(target);
        pair(
            suite,
            &format!("counters_go_on_in_{to}"),
            Backend::ALL,
            target,
            counters,
        );
        pair(
            suite,
            &format!("large_values_to_{to}"),
            Backend::ALL,
            target,
            large,
        );
    }
    for target in crate::LIVE {
        let to = test_name(target);
        let servers = [Backend::Postgres, Backend::MySql, Backend::MariaDb];
        pair(
            suite,
            &format!("there_and_back_by_{to}"),
            servers,
            target,
            there_and_back,
        );
        pair(
            suite,
            &format!("values_of_any_type_to_{to}"),
            [Backend::Sqlite],
            target,
            any_type,
        );
        pair(
            suite,
            &format!("types_of_its_own_to_{to}"),
            [Backend::Postgres],
            target,
            own_types,
        );
        pair(
            suite,
            &format!("computed_columns_to_{to}"),
            [Backend::Postgres, Backend::MariaDb, Backend::Sqlite],
            target,
            computed,
        );
    }
}

const POSTGRES: [&str; 5] = [
    "CREATE TABLE thing (number integer PRIMARY KEY, flags bit(9), mask bit varying(12), span interval, \
     host inet, net cidr)",
    "INSERT INTO thing VALUES (1, B'000000001', B'', '-178000000 years 2147483647 days -1 microseconds', \
     '::ffff:1.2.3.4/100', '0.0.0.0/0')",
    "INSERT INTO thing VALUES (2, B'111111111', B'101010101010', '14 months -3 days 838:59:59.000001', \
     '10.1.2.3/8', '2001:db8::/32')",
    "INSERT INTO thing VALUES (3, B'100000000', B'1', '0', '255.255.255.255', '10.0.0.1/32')",
    "INSERT INTO thing (number) VALUES (4)",
];

const MYSQL: [&str; 5] = [
    "CREATE TABLE thing (number integer NOT NULL PRIMARY KEY, state enum('new', 'it''s', 'ä b'), \
     several set('a', 'b', 'it''s'), flags bit(9), wide bit(64), truth bit(1), born year, span time(6)) \
     ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
    "INSERT INTO thing VALUES (1, 'new', '', b'000000001', X'ffffffffffffffff', b'1', 1901, \
     '-838:59:59')",
    "INSERT INTO thing VALUES (2, 'it''s', 'b,it''s', b'111111111', X'8000000000000000', b'0', 2155, \
     '838:59:59')",
    "INSERT INTO thing VALUES (3, 'ä b', 'a,b,it''s', b'100000000', X'00', b'1', 0, '-00:00:00.000001')",
    "INSERT INTO thing (number) VALUES (4)",
];

/// What the server itself shows.
fn shown(backend: Backend) -> &'static str {
    match backend {
        Backend::Postgres => {
            "SELECT flags::text, mask::text, span::text, host::text, net::text FROM thing ORDER BY number"
        }
        _ => {
            "SELECT CAST(state AS CHAR), CAST(several AS CHAR), BIN(flags), BIN(wide), BIN(truth), \
             CAST(born AS CHAR), CAST(span AS CHAR) FROM thing ORDER BY number"
        }
    }
}

async fn there_and_back(source: String, target: String) -> Result<()> {
    let mut db = open(&source).await?;
    let backend = db.backend();
    let statements = match backend {
        Backend::Postgres => POSTGRES,
        _ => MYSQL,
    };
    for statement in statements {
        db.execute("the source", statement).await?;
    }
    let mut there = plan(&source, &target).await?;
    let middle = open(&target).await?.backend();
    let columns = &mut there.tables[0].columns;
    // SQLite has no type for times beyond a day.
    let is_mysql = |backend| matches!(backend, Backend::MySql | Backend::MariaDb);
    if is_mysql(backend) && middle == Backend::Postgres {
        let span = columns.iter_mut().find(|column| column.name == "span");
        span.context("a span")?.to = Some("interval".into());
    }
    if is_mysql(backend) && middle == Backend::Sqlite {
        columns.retain(|column| column.name != "span");
    }
    let originals: Vec<(String, String)> = columns
        .iter()
        .map(|column| (column.name.clone(), column.from.clone()))
        .collect();
    move_rows(&source, &target, &there).await?;

    let server = match Server::find(backend)? {
        Search::Found(server) => server,
        _ => bail!("the server of the source is gone"),
    };
    let home = server.create_database()?;
    let mut back = plan(&target, home.url()).await?;
    for (name, original) in originals {
        let mut columns = back.tables[0].columns.iter_mut();
        let column = columns.find(|column| column.name == name);
        let column = column.context("a column")?;
        (column.to, column.refused) = (Some(original), None);
    }
    move_rows(&target, home.url(), &back).await?;
    let mut query = shown(backend).to_owned();
    if is_mysql(backend) && middle == Backend::Sqlite {
        query = query.replace(", CAST(span AS CHAR)", "");
    }
    let before = db.query("the rows", &query, &[]).await?;
    let after = open(home.url())
        .await?
        .query("the rows", &query, &[])
        .await?;
    ensure!(
        before.len() == 4 && before == after,
        "{before:?}\n{after:?}"
    );
    Ok(())
}

async fn move_rows(source: &str, target: &str, plan: &CopyPlan) -> Result<()> {
    let found = preflight(source, target, plan).await?;
    ensure!(found.refused.is_empty(), "{found:?}");
    copy(source, target, plan).await?;
    let compared = compare(source, target, plan).await?;
    ensure!(compared.is_equal(), "{compared:?}");
    Ok(())
}

/// In SQLite, a value has a type of its own, whatever the column says.
async fn any_type(source: String, target: String) -> Result<()> {
    let mut db = open(&source).await?;
    for statement in [
        "CREATE TABLE thing (number INTEGER PRIMARY KEY, price DECIMAL(10,2), label STRING, anything, \
         size INTEGER)",
        "INSERT INTO thing VALUES (1, 12.5, 7, 'text', 'text')",
        "INSERT INTO thing VALUES (2, 99999999, 'seven', X'00ff', X'00')",
        "INSERT INTO thing VALUES (3, -0.01, 0.1, 0.1, 1.5)",
        "INSERT INTO thing VALUES (4, NULL, NULL, NULL, NULL)",
        "INSERT INTO thing VALUES (5, 0, 1e300, -9223372036854775808, 9e999)",
    ] {
        db.execute(statement, statement).await?;
    }
    let mut plan = plan(&source, &target).await?;
    let mut to = open(&target).await?;
    if to.backend() == Backend::Sqlite {
        move_rows(&source, &target, &plan).await?;
        let query = "SELECT quote(price), quote(label), quote(anything), quote(size), typeof(price) || \
                     typeof(label) || typeof(anything) || typeof(size) FROM thing ORDER BY number";
        let before = db.query("the rows", query, &[]).await?;
        let after = to.query("the rows", query, &[]).await?;
        ensure!(before == after, "{before:?}\n{after:?}");
        return Ok(());
    }
    let refused = copy(&source, &target, &plan).await.unwrap_err().to_string();
    ensure!(
        refused.contains("thing.anything") && !refused.contains("thing.label"),
        "{refused}"
    );
    plan.tables[0]
        .columns
        .retain(|column| !matches!(column.name.as_str(), "anything" | "size"));
    move_rows(&source, &target, &plan).await?;
    let cast = match to.backend() {
        Backend::Postgres => "SELECT price::text, label FROM thing ORDER BY number",
        _ => "SELECT CAST(price AS CHAR), label FROM thing ORDER BY number",
    };
    let rows = to.query("the rows", cast, &[]).await?;
    let text = |text: &str| Value::Text(text.into());
    let expected = [
        [text("12.50"), text("7")],
        [text("99999999.00"), text("seven")],
        [text("-0.01"), text("0.1")],
        [Value::Null, Value::Null],
        [text("0.00"), text("1e300")],
    ];
    let found: Vec<&[Value]> = rows.iter().map(|row| &row.0[..]).collect();
    ensure!(found == expected, "{found:?}");

    // What would be rounded is found.
    let insert = "INSERT INTO thing (number, price) VALUES (6, 0.125)";
    db.execute("a row", insert).await?;
    let drop = "DROP TABLE thing";
    to.execute("the target", drop).await?;
    to.execute("the target", "DROP TABLE rowkey_copy").await?;
    let found = preflight(&source, &target, &plan).await?;
    let is_told = |one: &String| one.starts_with("thing.price: a value is 0.125, which would be");
    ensure!(found.refused.iter().any(is_told), "{found:?}");
    Ok(())
}

async fn own_types(source: String, target: String) -> Result<()> {
    let mut db = open(&source).await?;
    for statement in [
        "CREATE TYPE mood AS ENUM ('sad', 'it''s')",
        "CREATE TABLE thing (number integer PRIMARY KEY, list integer[], names text[], feels mood, \
         spot point, span int4range, code bpchar, moods mood[])",
        "INSERT INTO thing VALUES (1, '[2:3]={1,2}', '{\"a,b\",NULL,\"\"}', 'it''s', '(0.1,-1e300)', \
         '[1,)', 'a ', '{sad,NULL}')",
        "INSERT INTO thing VALUES (2, '{{-2147483648},{2147483647}}', '{}', 'sad', '(0,0)', 'empty', 'b ', '{}')",
    ] {
        db.execute(statement, statement).await?;
    }
    let mut plan = plan(&source, &target).await?;
    let mut to = open(&target).await?;
    let shown = "SELECT list::text, names::text, feels::text, spot::text, span::text, moods::text FROM thing \
                 ORDER BY number";
    let before = db.query("the rows", shown, &[]).await?;
    if to.backend() == Backend::Postgres {
        // The copy makes enums.
        nothing_is_refused(&source, &target, &plan).await?;
        move_rows(&source, &target, &plan).await?;
        let after = to.query("the rows", shown, &[]).await?;
        ensure!(before == after, "{before:?}\n{after:?}");
        return Ok(());
    }
    let refused = copy(&source, &target, &plan).await.unwrap_err().to_string();
    for name in ["list (integer[])", "spot (point)", "`to = \""] {
        ensure!(refused.contains(name), "{refused}");
    }
    for column in plan.tables[0].columns.iter_mut().skip(1) {
        column.to = Some(match to.backend() {
            Backend::Sqlite => "TEXT".into(),
            _ => "longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin".into(),
        });
    }
    move_rows(&source, &target, &plan).await?;
    let plain = "SELECT list, names, feels, spot, span, moods FROM thing ORDER BY number";
    let after = to.query("the rows", plain, &[]).await?;
    ensure!(before == after, "{before:?}\n{after:?}");
    let spaces = "SELECT COUNT(*) FROM thing WHERE length(code) = 2";
    ensure!(to.count("spaces", spaces, &[]).await? == 2);
    Ok(())
}

async fn large(source: String, target: String) -> Result<()> {
    let mut db = open(&source).await?;
    let (types, text, bytes) = match db.backend() {
        Backend::Postgres => (
            "body text, raw bytea",
            "repeat('0', 1048576)",
            "decode(repeat('ff00', 524288), 'hex')",
        ),
        Backend::Sqlite => (
            "body TEXT, raw BLOB",
            "hex(zeroblob(524288))",
            "zeroblob(1048576)",
        ),
        Backend::SqlServer => (
            "body nvarchar(max), raw varbinary(max)",
            "REPLICATE(CONVERT(nvarchar(max), N'0'), 1048576)",
            "CONVERT(varbinary(max), REPLICATE(CONVERT(varchar(max), 'ff'), 524288))",
        ),
        _ => (
            "body mediumtext, raw mediumblob",
            "REPEAT('0', 1048576)",
            "UNHEX(REPEAT('ff00', 524288))",
        ),
    };
    for statement in [
        format!("CREATE TABLE thing (number integer NOT NULL PRIMARY KEY, {types})"),
        format!("INSERT INTO thing VALUES (1, {text}, NULL)"),
        format!("INSERT INTO thing VALUES (2, NULL, {bytes})"),
    ] {
        db.execute("the source", &statement).await?;
    }
    let plan = plan(&source, &target).await?;
    move_rows(&source, &target, &plan).await?;
    let mut to = open(&target).await?;
    let query = match to.backend() {
        Backend::SqlServer => "SELECT MAX(LEN(body)), MAX(DATALENGTH(raw)) FROM thing",
        _ => "SELECT MAX(length(body)), MAX(length(raw)) FROM thing",
    };
    let rows = to.query("the sizes", query, &[]).await?;
    ensure!(
        (rows[0].integer(0)?, rows[0].integer(1)?) == (1_048_576, 1_048_576),
        "{rows:?}"
    );
    Ok(())
}

/// Behind the last number, although its row is gone, and in a table without any row.
async fn counters(source: String, target: String) -> Result<()> {
    let mut db = open(&source).await?;
    let counted = match db.backend() {
        Backend::Postgres => "integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
        Backend::Sqlite => "INTEGER PRIMARY KEY AUTOINCREMENT",
        Backend::SqlServer => "integer IDENTITY PRIMARY KEY",
        _ => "integer NOT NULL AUTO_INCREMENT PRIMARY KEY",
    };
    for table in ["thing", "other"] {
        for statement in [
            format!("CREATE TABLE {table} (number {counted}, title varchar(9))"),
            format!("INSERT INTO {table} (title) VALUES ('a'), ('b'), ('c')"),
            format!("DELETE FROM {table} WHERE title <> 'a'"),
        ] {
            db.execute("the source", &statement).await?;
        }
    }
    db.execute("the source", "DELETE FROM other").await?;
    let counts_by_five = db.backend() == Backend::Postgres;
    if counts_by_five {
        for statement in [
            "CREATE TABLE fifth (number integer GENERATED BY DEFAULT AS IDENTITY (INCREMENT BY 5) PRIMARY KEY, \
             title varchar(9))",
            "INSERT INTO fifth (title) VALUES ('a'), ('b')",
        ] {
            db.execute("the source", statement).await?;
        }
    }
    let plan = plan(&source, &target).await?;
    // Numbers that were counted after the plan, and their rows are gone too.
    for table in ["thing", "other"] {
        for statement in [
            format!("INSERT INTO {table} (title) VALUES ('e'), ('f')"),
            format!("DELETE FROM {table} WHERE title IN ('e', 'f')"),
        ] {
            db.execute("the source", &statement).await?;
        }
    }
    let notes = preflight(&source, &target, &plan).await?.notes;
    move_rows(&source, &target, &plan).await?;
    let mut to = open(&target).await?;
    for table in ["thing", "other"] {
        let insert = format!("INSERT INTO {table} (title) VALUES ('d')");
        to.execute("a row", &insert).await?;
        let query = format!("SELECT MAX(number) FROM {table}");
        let rows = to.query("its number", &query, &[]).await?;
        ensure!(rows[0].integer(0)? == 6, "{table}: {rows:?}");
    }
    if counts_by_five {
        let insert = "INSERT INTO fifth (title) VALUES ('c')";
        to.execute("a row", insert).await?;
        let query = "SELECT MAX(number) FROM fifth";
        let rows = to.query("its number", query, &[]).await?;
        let expected = match to.backend() {
            Backend::Postgres | Backend::SqlServer => 11,
            _ => 7,
        };
        ensure!(rows[0].integer(0)? == expected, "{rows:?}");
        let is_told = notes.contains(
            &"fifth.number: it counts by 5 in the source, and by 1 in the target".to_owned(),
        );
        ensure!(is_told == (expected == 7), "{notes:?}");
    }
    if (db.backend(), to.backend()) == (Backend::Postgres, Backend::Postgres) {
        let insert = "INSERT INTO thing (number) VALUES (9)";
        let error = to
            .execute("a number", insert)
            .await
            .unwrap_err()
            .to_string();
        ensure!(error.contains("non-DEFAULT value"), "{error}");
    }
    Ok(())
}

/// The values are copied, and the report says that the target does not compute them.
async fn computed(source: String, target: String) -> Result<()> {
    let mut db = open(&source).await?;
    let stored = match db.backend() {
        Backend::MariaDb => "AS (price * 2) PERSISTENT",
        _ => "GENERATED ALWAYS AS (price * 2) STORED",
    };
    let table =
        format!("CREATE TABLE thing (price integer NOT NULL PRIMARY KEY, twice integer {stored})");
    db.execute("the source", &table).await?;
    db.execute("a row", "INSERT INTO thing (price) VALUES (21)")
        .await?;
    let plan = plan(&source, &target).await?;
    move_rows(&source, &target, &plan).await?;
    let found = open(&target)
        .await?
        .query("a row", "SELECT twice FROM thing", &[])
        .await?;
    ensure!(found[0].integer(0)? == 42, "{found:?}");
    let mut to = open(&target).await?;
    to.execute("a change", "UPDATE thing SET twice = 43")
        .await?;
    for table in ["thing", "rowkey_copy"] {
        to.execute("a way back", &format!("DROP TABLE {table}"))
            .await?;
    }
    let report = copy(&source, &target, &plan).await?;
    let is_told = |note: &String| note.starts_with("thing.twice: it is computed in the source");
    ensure!(report.notes.iter().any(is_told), "{report:?}");
    Ok(())
}

/// SQLite knows few types by their names: others keep numbers, those called `UUID` have texts, and what
/// SeaORM calls `uuid_text` has the bytes that it reads.
async fn unknown_types(source: String, target: String) -> Result<()> {
    let (mut from, mut to) = (open(&source).await?, open(&target).await?);
    let (uuid, options) = match from.backend() {
        Backend::Postgres => ("uuid", ""),
        _ => ("char(36)", " ENGINE = InnoDB"),
    };
    let id = "35bf992d-c9e9-4616-a12e-7696a6cecc1b";
    let tables = [
        format!("CREATE TABLE node (id {uuid} NOT NULL PRIMARY KEY){options}"),
        format!(
            "CREATE TABLE thing (id integer NOT NULL PRIMARY KEY, node_id {uuid}, build integer, \
             price decimal(9,2), share double precision, plain integer, \
             FOREIGN KEY (node_id) REFERENCES node (id)){options}"
        ),
        format!("CREATE TABLE leaf (id {uuid} NOT NULL PRIMARY KEY, other {uuid}){options}"),
        format!("INSERT INTO node VALUES ('{id}')"),
        format!("INSERT INTO leaf VALUES ('{id}', '{id}')"),
        format!("INSERT INTO thing VALUES (1, '{id}', 5, 1.10, 2.5, -3), (2, NULL, 0, 7, 1e20, 1)"),
    ];
    execute(
        &mut from,
        "the source",
        &tables.each_ref().map(String::as_str),
    )
    .await?;
    let tables = [
        "CREATE TABLE node (id TEXT NOT NULL PRIMARY KEY)",
        "CREATE TABLE leaf (id uuid_text NOT NULL PRIMARY KEY, other uuid_text)",
        "CREATE TABLE thing (id integer NOT NULL PRIMARY KEY, node_id UUID REFERENCES node (id), \
         build NUMBER(10), price MONEY, share, plain)",
    ];
    execute(&mut to, "the target", &tables).await?;
    let plan = plan(&source, &target).await?;
    nothing_is_refused(&source, &target, &plan).await?;
    copy_into_existing(&source, &target, &plan).await?;
    let query = "SELECT typeof(node_id) || ' ' || typeof(build) || ' ' || typeof(price) || ' ' || \
                 typeof(share) || ' ' || typeof(plain) || ' ' || typeof(leaf.id) || ' ' || \
                 typeof(other) FROM thing, leaf WHERE thing.id = 1";
    let rows = to.query("the values", query, &[]).await?;
    let found = rows[0].text(0)?;
    ensure!(
        found == "text integer real real integer blob blob",
        "{found}"
    );

    // What has no place there, and UUIDs in two forms.
    let big = match from.backend() {
        Backend::Postgres => "CREATE TABLE big (n numeric(20,0))",
        _ => "CREATE TABLE big (n bigint unsigned) ENGINE = InnoDB",
    };
    let row = "INSERT INTO big VALUES (18446744073709551615)";
    execute(&mut from, "the source", &[big, row]).await?;
    let tables = [
        "DELETE FROM thing",
        "DELETE FROM node",
        "DELETE FROM leaf",
        "DROP TABLE rowkey_copy",
        "DROP TABLE thing",
        "CREATE TABLE thing (id integer NOT NULL PRIMARY KEY, node_id UUID_BLOB REFERENCES node (id), \
         build NUMBER(10), price MONEY, share, plain)",
        "CREATE TABLE big (n)",
        "CREATE TABLE keyless (n REFERENCES big (n))",
    ];
    execute(&mut to, "the target", &tables).await?;
    let plan = self::plan(&source, &target).await?;
    let looked = preflight(&source, &target, &plan).await?;
    for expected in [
        "big.n: a value is 18446744073709551615",
        "thing.node_id: the target has UUIDs in another form here than in node",
        "the table keyless in the target: ",
    ] {
        let is_told = |refused: &String| refused.starts_with(expected);
        ensure!(looked.refused.iter().any(is_told), "{expected}: {looked:?}");
    }
    Ok(())
}
