//! Types that only some databases have come back to them as they were.

use anyhow::{Result, ensure};
use rowkey_tables::Connection;
use rowkey_testkit::{Backend, Suite};

use crate::copy::pair;
use crate::parquet::{column, on, open, plan, there_and_back};

pub(crate) fn add_tests(suite: &mut Suite) {
    for backend in crate::LIVE {
        pair(suite, "types_of_its_own", [backend], backend, own_types);
    }
    suite.test_on(Backend::Postgres, "files_say_their_types", |source| {
        on(source, refused_types)
    });
}

const POSTGRES: [&str; 5] = [
    "CREATE TABLE thing (number integer PRIMARY KEY, flags bit(9), mask bit varying(12), span interval, \
     host inet, net cidr, code char(4), wide numeric(76,38), tags text[], ratio real, weight double precision, \
     made timestamp, born date)",
    "INSERT INTO thing VALUES (1, B'000000001', B'', '-178000000 years 2147483647 days -1 microseconds', \
     '::ffff:1.2.3.4/100', '0.0.0.0/0', 'a', 1e-38, '{}', 'NaN', '-0', '4713-01-01 BC', '4713-01-01 BC')",
    "INSERT INTO thing VALUES (2, B'111111111', B'101010101010', '14 months -3 days 838:59:59.000001', \
     '10.1.2.3/8', '2001:db8::/32', 'abcd', \
     -99999999999999999999999999999999999999.99999999999999999999999999999999999999, '{a,\"b c\"}', '-Infinity', \
     'Infinity', '9999-12-31 23:59:59.999999', '5000000-01-01')",
    "INSERT INTO thing VALUES (3, B'100000000', B'1', '0', '255.255.255.255', '10.0.0.1/32', '', 0, '{NULL}', \
     '-0', 'NaN', '1970-01-01', '1970-01-01')",
    "INSERT INTO thing (number) VALUES (4)",
];

const MYSQL: [&str; 5] = [
    "CREATE TABLE thing (number integer NOT NULL PRIMARY KEY, state enum('new', 'it''s', 'ä b'), \
     several set('a', 'b', 'it''s'), flags bit(9), wide bit(64), truth bit(1), born year, \
     a tinyint(4), b tinyint(3) unsigned, c smallint unsigned, d mediumint, e mediumint unsigned, \
     f int unsigned, fixed binary(5), nothing binary(0), some varbinary(9), digits decimal(65,30)) \
     ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
    "INSERT INTO thing VALUES (1, 'new', '', b'000000001', X'ffffffffffffffff', b'1', 1901, -128, 255, 65535, \
     -8388608, 16777215, 4294967295, X'0000000000', X'', X'00', -1e-30)",
    "INSERT INTO thing VALUES (2, 'it''s', 'b,it''s', b'111111111', X'8000000000000000', b'0', 2155, 127, 0, 0, \
     8388607, 0, 0, X'ff00ff00ff', X'', X'', 99999999999999999999999999999999999.999999999999999999999999999999)",
    "INSERT INTO thing VALUES (3, 'ä b', 'a,b,it''s', b'100000000', X'00', b'1', 0, 0, 1, 1, 0, 1, 1, \
     X'2020202020', X'', X'ff', 0)",
    "INSERT INTO thing (number) VALUES (4)",
];

const SQLITE: [&str; 4] = [
    "CREATE TABLE thing (number INTEGER PRIMARY KEY, truth BOOLEAN, ratio REAL, price DECIMAL(10,2), \
     name VARCHAR(9), raw BLOB, day DATE, at TIMESTAMPTZ, digits DECIMAL_TEXT(76,0))",
    "INSERT INTO thing VALUES (1, 0, 9e999, 12.5, 'a' || char(0) || 'b', X'00', '0001-01-01', \
     '2024-05-01 10:00:00.000000+00:00', \
     '-9999999999999999999999999999999999999999999999999999999999999999999999999999')",
    "INSERT INTO thing VALUES (2, 1, -5e-324, 7, '', X'', '9999-12-31', '0001-01-01 00:00:00.000000+00:00', '0')",
    "INSERT INTO thing (number) VALUES (3)",
];

/// The rows as the server itself shows them.
async fn shown(db: &mut Connection) -> Result<Vec<String>> {
    let query = match db.backend() {
        Backend::Postgres => "SELECT thing::text FROM thing ORDER BY number",
        Backend::Sqlite => {
            "SELECT quote(truth) || quote(ratio) || CAST(price AS REAL) || quote(name) || hex(name) || quote(raw) || \
             quote(day) || quote(at) || quote(digits) FROM thing WHERE number < 3 ORDER BY number"
        }
        _ => {
            "SELECT CONCAT_WS('|', state, several, BIN(flags), BIN(wide), BIN(truth), born, a, b, c, d, e, f, \
             HEX(fixed), HEX(nothing), HEX(some), digits) FROM thing ORDER BY number"
        }
    };
    let rows = db.query("the rows", query, &[]).await?;
    let texts = rows.iter().map(|row| Ok(row.text(0)?.to_owned()));
    texts.collect()
}

async fn own_types(source: String, target: String) -> Result<()> {
    let mut db = open(&source).await?;
    let statements: &[&str] = match db.backend() {
        Backend::Postgres => &POSTGRES,
        Backend::Sqlite => &SQLITE,
        _ => &MYSQL,
    };
    for statement in statements {
        db.execute("the source", statement).await?;
    }
    let mut there = plan(&source).await?;
    if db.backend() == Backend::Postgres {
        let tags = column(&mut there, "thing", "tags")?;
        ensure!(tags.to.is_none() && tags.refused.is_some(), "{tags:?}");
        tags.to = Some("text".into());
    }
    let lake = tempfile::tempdir()?;
    there_and_back(&source, &there, lake.path(), &target).await?;
    let (before, after) = (
        shown(&mut db).await?,
        shown(&mut open(&target).await?).await?,
    );
    ensure!(before.len() >= 2, "{before:?}");
    ensure!(before == after, "{before:#?}\n{after:#?}");
    Ok(())
}

/// What the plan gives no place, or a wrong one, is named.
async fn refused_types(source: String) -> Result<()> {
    let mut db = open(&source).await?;
    let table =
        "CREATE TABLE thing (number integer PRIMARY KEY, price numeric, made timestamptz, id uuid)";
    db.execute("a table", table).await?;
    let there = plan(&source).await?;
    let lake = tempfile::tempdir()?;
    let refused = crate::parquet::write(&source, &there, lake.path()).await;
    let refused = refused.unwrap_err().to_string();
    ensure!(refused.contains("thing.price (numeric)"), "{refused}");
    ensure!(refused.contains("decimal(38,10)"), "{refused}");
    for (name, to, expected) in [
        ("price", "decimal(77,0)", "no type of files"),
        ("price", "int64", "does not hold all values of that type"),
        ("made", "date", "does not hold all values of that type"),
        ("id", "uuid); DROP TABLE thing", "no type of files"),
    ] {
        let mut wrong = there.clone();
        column(&mut wrong, "thing", "price")?.to = Some("decimal(38,10)".into());
        column(&mut wrong, "thing", name)?.to = Some(to.into());
        let refused = crate::parquet::write(&source, &wrong, lake.path()).await;
        let refused = refused.unwrap_err().to_string();
        ensure!(
            refused.contains(expected) && refused.contains(name),
            "{refused}"
        );
    }
    ensure!(crate::parquet::files(lake.path())?.is_empty());
    Ok(())
}
