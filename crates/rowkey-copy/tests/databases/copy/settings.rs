//! Copies, the doctor and changes in sessions whose address, role or database has set everything to
//! its worst.

use anyhow::{Context, Result, ensure};
use rowkey_core::format::FormatKind;
use rowkey_relayout::Phase;
use rowkey_relayout::plan::{Plan, Policy, Request};
use rowkey_relayout::verify;
use rowkey_tables::catalog::Catalog;
use rowkey_tables::{Connection, Silent};
use rowkey_testkit::{Backend, Suite};
use url::Url;

use super::held::{nothing_is_refused, preflight};
use super::{compare, copy, copy_into_existing, creating, execute, interrupted, open, plan};

pub(crate) fn add_tests(suite: &mut Suite) {
    for (name, way) in [
        ("worst_settings_of_the_address", Way::Address),
        ("worst_settings_of_the_role", Way::Role),
        ("worst_settings_of_the_database", Way::Database),
    ] {
        suite.test(name, [Backend::Postgres], move |database| {
            run(of_postgres(database.url(), way))
        });
    }
    let (from, name) = ([Backend::Sqlite], "an_encoding_that_lacks_characters");
    super::pair(suite, name, from, Backend::Postgres, latin1);
    let name = "a_schema_whose_name_needs_quotes";
    super::pair(suite, name, from, Backend::Postgres, quoted_schema);
    for target in [Backend::MySql, Backend::MariaDb] {
        let name = format!(
            "worst_settings_of_the_address_to_{}",
            rowkey_testkit::test_name(target)
        );
        super::pair(suite, &name, [target], target, of_mysql);
    }
}

/// The target's database has fewer characters than the source.
async fn latin1(source: String, target: String) -> Result<()> {
    let rows = ["CREATE TABLE price (id integer PRIMARY KEY, text varchar(9))"];
    execute(&mut open(&source).await?, "the source", &rows).await?;
    let mut server = open(&target).await?;
    let row = server
        .one_row("the schema", "SELECT current_schema()::text", &[])
        .await?;
    let name = format!("{}_latin1", row.text(0)?);
    let create = format!(
        "CREATE DATABASE {name} TEMPLATE template0 ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C'"
    );
    server.execute("a database", &create).await?;
    let mut url = Url::parse(&target)?;
    url.set_path(&name);
    url.set_query(None);
    let outcome = match is_told(&source, &target, url.as_str()).await {
        Ok(()) => is_refused(&source, url.as_str()).await,
        outcome => outcome,
    };
    let drop = format!("DROP DATABASE {name} WITH (FORCE)");
    server.execute("the end", &drop).await?;
    outcome
}

async fn is_told(source: &str, utf8: &str, latin1: &str) -> Result<()> {
    let is_note = |note: &String| note.starts_with("the target's encoding is LATIN1");
    for (target, expected) in [(utf8, false), (latin1, true)] {
        let plan = plan(source, target).await?;
        let found = preflight(source, target, &plan).await?;
        ensure!(found.refused.is_empty(), "{found:?}");
        ensure!(found.notes.iter().any(is_note) == expected, "{found:?}");
    }
    Ok(())
}

/// An index has the target asked about the texts.
async fn is_refused(source: &str, target: &str) -> Result<()> {
    let mut from = open(source).await?;
    let row = "INSERT INTO price VALUES (1, '1 €')";
    from.execute("a price", row).await?;
    let own = [
        "CREATE TABLE price (id integer PRIMARY KEY, text varchar(9))",
        "CREATE INDEX any_word ON price ((text || ''))",
    ];
    execute(&mut open(target).await?, "the target", &own).await?;
    let plan = plan(source, target).await?;
    let found = preflight(source, target, &plan).await?;
    let why = "price: id, text: the target does not take all values: ";
    let is_it = |refused: &String| refused.starts_with(why) && refused.contains("LATIN1");
    ensure!(found.refused.iter().any(is_it), "{found:?}");
    Ok(())
}

/// PostgreSQL's schema has a name with capital letters.
async fn quoted_schema(source: String, target: String) -> Result<()> {
    let table = "CREATE TABLE price (id integer PRIMARY KEY, text varchar(9))";
    let rows = [table, "INSERT INTO price VALUES (1, '1')"];
    execute(&mut open(&source).await?, "the source", &rows).await?;
    let mut server = open(&target).await?;
    let row = server
        .one_row("the schema", "SELECT current_schema()::text", &[])
        .await?;
    let name = format!("\"{} of My App\"", row.text(0)?);
    let create = format!("CREATE SCHEMA {name}");
    server.execute("a schema", &create).await?;
    let mut url = Url::parse(&target)?;
    let path = name.replace(' ', "\\ ");
    url.query_pairs_mut()
        .clear()
        .append_pair("options", &format!("-csearch_path={path}"));
    let outcome = copied_there(&source, url.as_str(), table).await;
    let drop = format!("DROP SCHEMA {name} CASCADE");
    server.execute("the end", &drop).await?;
    outcome
}

async fn copied_there(source: &str, target: &str, table: &str) -> Result<()> {
    open(target).await?.execute("the target", table).await?;
    let plan = plan(source, target).await?;
    nothing_is_refused(source, target, &plan).await?;
    copy_into_existing(source, target, &plan).await
}

fn run(test: impl Future<Output = Result<()>>) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread();
    { runtime }.enable_all().build()?.block_on(test)
}

/// Who has set them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Address,
    Role,
    Database,
}

/// In PostgreSQL. The last two came with 14 and 17.
const WORST: [(&str, &str); 21] = [
    ("standard_conforming_strings", "off"),
    ("bytea_output", "escape"),
    ("DateStyle", "SQL,DMY"),
    ("IntervalStyle", "sql_standard"),
    ("extra_float_digits", "-15"),
    ("TimeZone", "Asia/Kolkata"),
    ("lc_numeric", "C.UTF-8"),
    ("array_nulls", "off"),
    ("transform_null_equals", "on"),
    ("quote_all_identifiers", "on"),
    ("xmloption", "document"),
    ("search_path", "public,pg_catalog"),
    ("default_transaction_isolation", "serializable"),
    ("default_transaction_read_only", "on"),
    ("default_transaction_deferrable", "on"),
    ("client_encoding", "LATIN1"),
    ("lock_timeout", "1"),
    ("statement_timeout", "300"),
    ("idle_in_transaction_session_timeout", "300"),
    ("idle_session_timeout", "300"),
    ("transaction_timeout", "300"),
];

const TABLES: [&str; 8] = [
    "CREATE TABLE item (id bytea PRIMARY KEY, note text, at timestamptz, day date, span interval, \
     ratio double precision, list int[])",
    r"INSERT INTO item SELECT decode(md5(n::text), 'hex') || '\x5c275c'::bytea, 'a\b''' || n,
      timestamptz '2026-03-04 05:06:07+00' + n * interval '1 hour', date '2026-03-04' + n,
      n * interval '1 day 2 hours', 1.0 / (n + 3), ARRAY[n, NULL] FROM generate_series(1, 200) AS n",
    "CREATE TABLE path (name text, number int, PRIMARY KEY (name, number))",
    r"INSERT INTO path SELECT 'c:\n' || chr(92) || n % 7 || '''', n FROM generate_series(1, 200) AS n",
    "CREATE TABLE offer (id uuid PRIMARY KEY)",
    "INSERT INTO offer SELECT gen_random_uuid() FROM generate_series(1, 200)",
    "CREATE TABLE booking (number int PRIMARY KEY, offer_id uuid REFERENCES offer)",
    "INSERT INTO booking SELECT row_number() OVER (), id FROM offer",
];

/// Where a schema of another's comes first, they stand in for the server's own.
const SHADOWS: [&str; 2] = [
    "CREATE FUNCTION public.current_schema() RETURNS name LANGUAGE sql AS 'SELECT name ''nowhere'''",
    "CREATE FUNCTION public.format_type(oid, int) RETURNS text LANGUAGE sql AS 'SELECT ''point'''",
];

async fn of_postgres(url: &str, way: Way) -> Result<()> {
    let mut server = open(url).await?;
    let rows = server
        .query("the schema", "SELECT current_schema()::text", &[])
        .await?;
    let name = rows.first().context("a schema")?.text(0)?.to_owned();
    let names = ["source", "target"].map(|side| format!("{name}_{side}"));
    let outcome = between(&mut server, url, &name, &names, way).await;
    for database in names {
        let drop = format!("DROP DATABASE IF EXISTS {database} WITH (FORCE)");
        server.execute("the end", &drop).await?;
    }
    let drop = format!("DROP ROLE IF EXISTS {name}");
    server.execute("the end", &drop).await?;
    outcome
}

async fn between(
    server: &mut Connection,
    url: &str,
    role: &str,
    names: &[String; 2],
    way: Way,
) -> Result<()> {
    // The role has settings and a password of its own. Not every server asks for the password.
    let create = format!("CREATE ROLE {role} LOGIN PASSWORD '{role}'");
    server.execute("the role", &create).await?;
    let known = "SELECT name FROM pg_settings";
    let known = server.query("the settings", known, &[]).await?;
    let known: Vec<&str> = known
        .iter()
        .map(|row| row.text(0))
        .collect::<Result<_, _>>()?;
    let worst = WORST.iter().filter(|(name, _)| known.contains(name));
    let mut urls = Vec::new();
    for database in names {
        let create =
            format!("CREATE DATABASE {database} OWNER {role} TEMPLATE template0 ENCODING 'UTF8'");
        server.execute("a database", &create).await?;
        let mut plain = Url::parse(url)?;
        plain.set_path(database);
        plain.set_query(None);
        plain.set_username(role).ok().context("a user")?;
        plain.set_password(Some(role)).ok().context("a password")?;
        let mut db = open(plain.as_str()).await?;
        execute(&mut db, "other functions", &SHADOWS).await?;
        if database == &names[0] {
            execute(&mut db, "the tables", &TABLES).await?;
        }
        if way == Way::Address {
            let options = worst
                .clone()
                .map(|(name, value)| format!("-c {name}={value}"));
            let options: Vec<String> = options.collect();
            plain
                .query_pairs_mut()
                .append_pair("options", &options.join(" "));
        }
        urls.push(plain.to_string());
    }
    for database in names {
        for (name, value) in worst.clone() {
            let who = match way {
                Way::Address => continue,
                Way::Role => format!("ROLE {role}"),
                Way::Database => format!("DATABASE {database}"),
            };
            // A list is not one name.
            let value = match *name {
                "search_path" | "DateStyle" => (*value).to_owned(),
                _ => format!("'{value}'"),
            };
            let set = format!("ALTER {who} SET {name} = {value}");
            server.execute("a setting", &set).await?;
        }
    }
    killed_and_resumed(&urls[0], &urls[1]).await?;
    examined_and_changed(&urls[0]).await
}

async fn killed_and_resumed(source: &str, target: &str) -> Result<()> {
    let mut plan = plan(source, target).await?;
    plan.policy.batch_rows = 7;
    plan.policy.transaction_rows = 20;
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("plan.toml");
    std::fs::write(&path, plan.to_toml()?)?;
    for steps in [10, 16] {
        let status = interrupted::run(source, target, &path, steps, &creating())?;
        ensure!(status.code().is_none(), "it has ended by itself: {status}");
    }
    let report = copy(source, target, &plan).await?;
    let before: u64 = report.tables.iter().map(|table| table.rows_before).sum();
    ensure!(before > 0, "{report:?}");
    ensure!(
        report.tables.iter().all(|table| table.changed.is_none()),
        "{report:?}"
    );
    let compared = compare(source, target, &plan).await?;
    ensure!(compared.is_equal(), "{compared:?}");
    let rows: u64 = compared.tables.iter().map(|table| table.rows).sum();
    ensure!(
        rows == report.tables.iter().map(|table| table.rows).sum::<u64>(),
        "{rows}"
    );
    Ok(())
}

/// The key of `offer`, which `booking` refers to.
async fn examined_and_changed(url: &str) -> Result<()> {
    let mut db = open(url).await?;
    let request = rowkey_doctor::Request::new("offer", "id");
    let report = rowkey_doctor::examine(&mut db, &request, &mut Silent).await?;
    let evidence = report.evidence.first();
    ensure!(
        evidence.is_some_and(|first| first.contains("values have version 4")),
        "{report}"
    );
    let catalog = Catalog::read(&mut db).await?;
    let request = Request {
        table: "offer".into(),
        column: "id".into(),
        format: FormatKind::UuidV4,
        from: Some(match catalog.backend {
            Backend::Postgres => "uuid".into(),
            _ => "text".into(),
        }),
        to: "binary".into(),
        created: None,
        unasserted: Vec::new(),
        policy: Policy::default(),
    };
    let plan = Plan::for_key(&catalog, &request)?;
    rowkey_relayout::run(&mut db, &plan, Phase::Swap, &mut Silent).await?;
    let verified = verify::verify(&mut open(url).await?, &plan, &mut Silent).await?;
    ensure!(verified.differences.is_empty(), "{verified:?}");
    rowkey_relayout::undo(&mut open(url).await?, &plan, &mut Silent).await?;
    ensure!(Catalog::read(&mut db).await?.hash(&plan.tables()) == plan.catalog);
    Ok(())
}

/// An address has few settings there; the others are the server's, which other tests use.
async fn of_mysql(source: String, target: String) -> Result<()> {
    let mut urls = Vec::new();
    for url in [&source, &target] {
        let mut db = open(url).await?;
        let alter = "ALTER DATABASE CHARACTER SET latin1 COLLATE latin1_bin";
        db.execute("the database", alter).await?;
        let mut worst = Url::parse(url)?;
        worst
            .query_pairs_mut()
            .append_pair("charset", "latin1")
            .append_pair("collation", "latin1_bin")
            .append_pair("timezone", "+05:30");
        urls.push(worst.to_string());
    }
    let mut db = open(&source).await?;
    let text = "CHARACTER SET utf8mb4 COLLATE utf8mb4_bin";
    execute(
        &mut db,
        "the tables",
        &[
            "CREATE TABLE digit (n INT PRIMARY KEY)",
            "INSERT INTO digit VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)",
            &format!(
                "CREATE TABLE item (id VARBINARY(20) PRIMARY KEY, note VARCHAR(40) {text}, \
                 at TIMESTAMP NOT NULL, moment DATETIME NOT NULL)"
            ),
            r"INSERT INTO item SELECT CONCAT(LEFT(UNHEX(SHA2(a.n * 10 + b.n, 256)), 16), X'5C275C'), CONCAT('a\\b''é–', a.n),
              '2026-03-04 05:06:07', '2026-03-04 05:06:07' FROM digit a, digit b",
            &format!(
                "CREATE TABLE path (name VARCHAR(40) {text}, number INT, PRIMARY KEY (name, number))"
            ),
            r"INSERT INTO path SELECT CONCAT('c:\\n\\ö–', a.n % 7, ''''), a.n * 10 + b.n FROM digit a, digit b",
            "CREATE TABLE offer (id CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY) \
             ENGINE=InnoDB",
            "INSERT INTO offer SELECT CONCAT(SUBSTR(h, 1, 8), '-', SUBSTR(h, 9, 4), '-4', SUBSTR(h, 14, 3), \
             '-a', SUBSTR(h, 18, 3), '-', SUBSTR(h, 21, 12)) FROM (SELECT SHA2(a.n * 100 + b.n * 10 + c.n, 256) AS h \
             FROM digit a, digit b, digit c) AS x",
            "CREATE TABLE booking (number INT NOT NULL AUTO_INCREMENT PRIMARY KEY, \
             offer_id CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NULL, \
             CONSTRAINT booking_of FOREIGN KEY (offer_id) REFERENCES offer (id)) ENGINE=InnoDB",
            "INSERT INTO booking (offer_id) SELECT id FROM offer",
        ],
    )
    .await?;
    killed_and_resumed(&urls[0], &urls[1]).await?;
    examined_and_changed(&urls[0]).await
}
