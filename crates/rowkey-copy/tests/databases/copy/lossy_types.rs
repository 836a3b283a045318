//! Types whose columns change values without an error.

use anyhow::{Result, ensure};
use rowkey_copy::{Choices, Null};
use rowkey_testkit::{Backend, Suite, test_name};

use crate::copy::held::{nothing_is_refused, preflight};
use crate::copy::newer_servers::{MYSQL_8, pair_since};
use crate::copy::{
    compare, copy, copy_equal, copy_into_existing, execute, open, pair, plan, planned,
};

pub(crate) fn add_tests(suite: &mut Suite) {
    let (postgres, sqlite) = (Backend::Postgres, Backend::Sqlite);
    pair(suite, "any_of_strict_tables", [sqlite], sqlite, any);
    pair(suite, "lossy_types", [postgres], postgres, types);
    pair(
        suite,
        "numbers_in_json_of_sqlite",
        [sqlite],
        sqlite,
        numbers_in_json,
    );
    for target in [Backend::Postgres, Backend::MySql, Backend::MariaDb] {
        let name = format!("spaces_at_the_end_to_{}", test_name(target));
        pair(suite, &name, crate::LIVE, target, spaces);
        let name = format!("char_has_no_spaces_at_its_end_in_{}", test_name(target));
        let servers = [Backend::Postgres, Backend::MySql, Backend::MariaDb];
        pair(suite, &name, servers, target, chars);
    }
    let servers = [Backend::MySql, Backend::MariaDb];
    pair(
        suite,
        "tables_without_transactions",
        servers,
        sqlite,
        engine,
    );
    for target in crate::LIVE {
        let name = format!("infinite_intervals_to_{}", test_name(target));
        pair(suite, &name, [postgres], target, infinite_intervals);
        let name = format!("texts_of_types_without_a_length_to_{}", test_name(target));
        pair(suite, &name, [postgres], target, without_length);
    }
    let [mysql, mariadb] = servers;
    for target in servers {
        let name = format!("numbers_without_a_sign_in_{}", test_name(target));
        pair(suite, &name, crate::LIVE, target, unsigned);
        let name = format!(
            "long_numbers_are_shown_by_their_beginning_in_{}",
            test_name(target)
        );
        pair(suite, &name, [postgres], target, long_numbers);
        let name = format!("numbers_of_keys_have_one_type_in_{}", test_name(target));
        pair(suite, &name, [postgres], target, numbers_of_keys);
    }
    let name = "chars_and_fractions_in_columns_that_exist";
    pair(suite, name, [postgres], mysql, narrower);
    let name = "many_texts_on_a_page";
    pair(suite, name, [postgres], mariadb, many_texts);
    let name = "texts_of_which_sqlite_makes_numbers";
    pair(suite, name, [postgres], sqlite, numbers_of_texts);
    pair(suite, "addresses_to_mysql", [mariadb], mysql, addresses);
    let name = "indexes_that_stay_behind_to_mysql";
    pair(suite, name, [postgres], mysql, left_out_indexes);
    for target in servers {
        let name = format!("default_moments_to_{}", test_name(target));
        pair_since(suite, MYSQL_8, &name, [postgres], target, moments);
    }
    let name = "addresses_that_the_target_shows_in_one_way";
    let sources = [postgres, mysql, sqlite];
    pair_since(suite, INET4, name, sources, mariadb, shown_addresses);
    let name = "networks_without_a_mask";
    pair(suite, name, crate::LIVE, postgres, networks);
    for target in [postgres, mysql, mariadb] {
        let name = format!("short_texts_for_uuids_in_{}", test_name(target));
        pair(suite, &name, [postgres], target, short_texts);
    }
}

/// MariaDB has `inet4` since then.
const INET4: (Backend, &str) = (Backend::MariaDb, "10.10");

/// A text without a place, and the same column with one that has it.
async fn refused_text(
    source: &str,
    target: &str,
    there: &str,
    [refused, taken]: [&str; 2],
) -> Result<()> {
    let (mut from, mut to) = (open(source).await?, open(target).await?);
    let rows = [
        "CREATE TABLE t (id integer PRIMARY KEY, v varchar(40))",
        &format!("INSERT INTO t VALUES (1, '{taken}'), (2, '{refused}')"),
    ];
    execute(&mut from, "the source", &rows).await?;
    let table = format!("CREATE TABLE t (id integer PRIMARY KEY, v {there})");
    execute(&mut to, "the target", &[&table]).await?;
    let plan = plan(source, target).await?;
    let found = preflight(source, target, &plan).await?;
    let why = format!("t.v: a value is \"{refused}\", which is no {there}, in the row 2");
    ensure!(
        matches!(&found.refused[..], [one] if one.starts_with(&why)),
        "{found:?}"
    );
    let deleted = "DELETE FROM t WHERE id = 2";
    from.execute("no such text", deleted).await?;
    nothing_is_refused(source, target, &plan).await?;
    copy_into_existing(source, target, &plan).await?;
    for (db, names) in [(&mut from, vec!["t"]), (&mut to, vec!["t", "rowkey_copy"])] {
        for name in names {
            db.execute("no table", &format!("DROP TABLE {name}"))
                .await?;
        }
    }
    Ok(())
}

async fn shown_addresses(source: String, target: String) -> Result<()> {
    for (there, texts) in [
        ("inet6", ["10.0.0.0/8", "2001:db8::1"]),
        ("inet6", ["2001:DB8::1", "::1"]),
        ("inet4", ["none", "10.0.0.1"]),
    ] {
        refused_text(&source, &target, there, texts).await?;
    }
    let (mut from, mut to) = (open(&source).await?, open(&target).await?);
    let truth = "CREATE TABLE f (id integer PRIMARY KEY, v boolean)";
    execute(&mut from, "the source", &[truth]).await?;
    let there = "CREATE TABLE f (id integer PRIMARY KEY, v inet6)";
    execute(&mut to, "the target", &[there]).await?;
    let misfits = planned(&source, &target, Choices::default()).await?.misfits;
    ensure!(
        matches!(&misfits[..], [one] if one.contains("`inet6` does not hold all values")),
        "{misfits:?}"
    );
    Ok(())
}

/// PostgreSQL would show them with one, or without theirs.
async fn networks(source: String, target: String) -> Result<()> {
    refused_text(&source, &target, "cidr", ["10.0.0.1", "10.0.0.1/32"]).await?;
    refused_text(&source, &target, "inet", ["10.0.0.1/32", "10.0.0.1"]).await
}

/// The digits of a UUID have a place in 32 characters, and in no fewer.
async fn short_texts(source: String, target: String) -> Result<()> {
    let rows = [
        "CREATE TABLE t (id integer PRIMARY KEY, v uuid, w uuid)",
        "INSERT INTO t VALUES (1, NULL, '6ba7b810-9dad-41d1-80b4-00c04fd430c8')",
    ];
    execute(&mut open(&source).await?, "the source", &rows).await?;
    let table = "CREATE TABLE t (id integer PRIMARY KEY, v varchar(20), w varchar(32))";
    execute(&mut open(&target).await?, "the target", &[table]).await?;
    let planned = planned(&source, &target, Choices::default()).await?;
    let found = preflight(&source, &target, &planned.plan).await?;
    for reasons in [&planned.misfits, &found.refused] {
        ensure!(
            matches!(&reasons[..], [one] if one.starts_with("t.v (uuid): ")),
            "{reasons:?}"
        );
    }
    Ok(())
}

/// A column of JSON makes 1 of 1.0.
async fn numbers_in_json(source: String, target: String) -> Result<()> {
    let rows = [
        "CREATE TABLE t (id integer PRIMARY KEY, v float)",
        "INSERT INTO t VALUES (1, 1), (2, 2.5)",
    ];
    execute(&mut open(&source).await?, "the source", &rows).await?;
    let table = "CREATE TABLE t (id integer PRIMARY KEY, v json)";
    open(&target).await?.execute("the target", table).await?;
    let found = preflight(&source, &target, &plan(&source, &target).await?).await?;
    let why = "t.v: a text is \"1.0\", of which json makes a number with other digits";
    ensure!(
        matches!(&found.refused[..], [one] if one.starts_with(why)),
        "{found:?}"
    );
    Ok(())
}

/// In a table that is not STRICT, `ANY` makes numbers of texts.
async fn any(source: String, target: String) -> Result<()> {
    let mut db = open(&source).await?;
    execute(
        &mut db,
        "the source",
        &[
            "CREATE TABLE t (id INTEGER PRIMARY KEY, v ANY) STRICT",
            "INSERT INTO t VALUES (1, '002'), (2, '1e3'), (3, 1.0), (4, 7), (5, x'00'), (6, NULL)",
        ],
    )
    .await?;
    let plan = plan(&source, &target).await?;
    copy(&source, &target, &plan).await?;
    ensure!(compare(&source, &target, &plan).await?.is_equal());
    let query = "SELECT group_concat(typeof(v)) FROM (SELECT v FROM t ORDER BY id)";
    let rows = open(&target).await?.query("the types", query, &[]).await?;
    let found = rows[0].text(0)?;
    ensure!(found == "text,text,real,integer,blob,null", "{found}");
    Ok(())
}

/// What a person may write into a plan.
async fn types(source: String, target: String) -> Result<()> {
    let table = "CREATE TABLE t (id integer PRIMARY KEY, j json, b jsonb, a inet, i interval)";
    open(&source).await?.execute("the source", table).await?;
    let good = plan(&source, &target).await?;
    for (name, to, expected) in [
        ("a", "cidr", "`cidr` does not hold all values of that type"),
        ("i", "interval(0)", "`interval(0)` would round its times"),
    ] {
        let mut plan = good.clone();
        let columns = &mut plan.tables[0].columns;
        let column = columns.iter_mut().find(|column| column.name == name);
        column.unwrap().to = Some(to.into());
        let error = copy(&source, &target, &plan).await.unwrap_err().to_string();
        ensure!(error.contains(expected), "{error}");
    }
    copy(&source, &target, &good).await?;
    Ok(())
}

/// Some columns cut them off, and others fill up with them.
async fn spaces(source: String, target: String) -> Result<()> {
    let mut db = open(&source).await?;
    execute(
        &mut db,
        "the source",
        &[
            "CREATE TABLE t (id integer PRIMARY KEY, v varchar(9))",
            "INSERT INTO t VALUES (1, 'nine long'), (2, 'nine lon ')",
        ],
    )
    .await?;
    let is_postgres = open(&target).await?.backend() == Backend::Postgres;
    let (to, expected) = match is_postgres {
        true => (
            "character(10)",
            "a value has 9 characters, and character(10) has exactly 10",
        ),
        false => (
            "char(9)",
            "a text ends with a space, which char(9) cuts off",
        ),
    };
    let mut plan = plan(&source, &target).await?;
    let columns = &mut plan.tables[0].columns;
    columns[1].to = Some(to.into());
    let looked = preflight(&source, &target, &plan).await?;
    let is_told = |line: &String| line.contains(expected);
    ensure!(looked.refused.iter().any(is_told), "{looked:?}");
    ensure!(copy(&source, &target, &plan).await.is_err());
    if is_postgres {
        plan.tables[0].columns[1].to = Some("character(9)".into());
    } else {
        let mend = "DELETE FROM t WHERE id = 2";
        db.execute("a mend", mend).await?;
    }
    copy(&source, &target, &plan).await?;
    ensure!(compare(&source, &target, &plan).await?.is_equal());
    Ok(())
}

/// Some servers fill a `char` with spaces, and others cut them off: they say nothing in both.
async fn chars(source: String, target: String) -> Result<()> {
    let table = "CREATE TABLE t (code char(3) NOT NULL PRIMARY KEY, other char(5))";
    for url in [&source, &target] {
        open(url).await?.execute("a table", table).await?;
    }
    let rows = "INSERT INTO t VALUES ('ab', 'abc'), ('abc', 'a b'), ('b', ''), ('', NULL)";
    open(&source).await?.execute("the rows", rows).await?;
    let mut plan = plan(&source, &target).await?;
    plan.policy.batch_rows = 1;
    plan.policy.transaction_rows = 1;
    nothing_is_refused(&source, &target, &plan).await?;
    copy_into_existing(&source, &target, &plan).await
}

/// What the target's columns would refuse is seen before, and the advice names a type that holds it.
async fn narrower(source: String, target: String) -> Result<()> {
    let source_tables = [
        "CREATE TABLE p (k char(3) PRIMARY KEY)",
        "CREATE TABLE c (id integer PRIMARY KEY, k char(3) REFERENCES p, short char(3), size double precision, \
         at timestamp)",
        "INSERT INTO p VALUES ('a')",
        "INSERT INTO c VALUES (1, 'a', 'ab', 0.1, '2026-01-02 03:04:05.6')",
    ];
    execute(&mut open(&source).await?, "the source", &source_tables).await?;
    let target_tables = [
        "CREATE TABLE p (k char(3) PRIMARY KEY)",
        "CREATE TABLE c (id integer PRIMARY KEY, k varchar(3), short varchar(2), size float, at timestamp, \
         FOREIGN KEY (k) REFERENCES p (k))",
    ];
    execute(&mut open(&target).await?, "the target", &target_tables).await?;
    let plan = plan(&source, &target).await?;
    let looked = preflight(&source, &target, &plan).await?;
    for expected in [
        "c.k: the target cuts the spaces of a `char` off here or in p, and not in both",
        "c.short: a value has 3 characters, and varchar(2)",
        "let the column there be `double`",
        "let the column there be `datetime(6)`",
    ] {
        let is_told = looked.refused.iter().any(|told| told.contains(expected));
        ensure!(is_told, "{expected}: {looked:?}");
    }
    Ok(())
}

/// The types that frameworks of MySQL give to prices.
async fn unsigned(source: String, target: String) -> Result<()> {
    let mut db = open(&source).await?;
    let float = match db.backend() {
        Backend::Postgres => "double precision",
        _ => "double",
    };
    let table =
        format!("CREATE TABLE t (id integer PRIMARY KEY, size {float}, price decimal(9,2))");
    let rows = "INSERT INTO t VALUES (1, 0.5, 1.25), (2, 0, 0), (3, NULL, NULL)";
    execute(&mut db, "the source", &[&table, rows]).await?;
    let there = "CREATE TABLE t (id integer PRIMARY KEY, size double unsigned, price decimal(9,2) unsigned)";
    open(&target).await?.execute("the target", there).await?;
    let plan = plan(&source, &target).await?;
    nothing_is_refused(&source, &target, &plan).await?;
    let negative = "INSERT INTO t VALUES (4, -0.5, -1.25)";
    db.execute("negative numbers", negative).await?;
    let looked = preflight(&source, &target, &plan).await?;
    for expected in [
        "t.size: a value is -0.5, outside of double unsigned",
        "t.price: a value is -1.25, outside of decimal(9,2) unsigned",
    ] {
        let is_told = looked.refused.iter().any(|told| told.contains(expected));
        ensure!(is_told, "{expected}: {looked:#?}");
    }
    db.execute("no negative numbers", "DELETE FROM t WHERE id = 4")
        .await?;
    copy_into_existing(&source, &target, &plan).await
}

async fn numbers_of_texts(source: String, target: String) -> Result<()> {
    let tables = [
        "CREATE TABLE t (id integer PRIMARY KEY, code varchar(9), j jsonb)",
        "INSERT INTO t VALUES (1, '7', '1.5'), (2, '1.25', '[1.10]'), (3, 'inf', NULL)",
    ];
    let mut from = open(&source).await?;
    execute(&mut from, "the source", &tables).await?;
    let table = "CREATE TABLE t (id integer PRIMARY KEY, code STRING, j JSON)";
    open(&target).await?.execute("the target", table).await?;
    let plan = plan(&source, &target).await?;
    nothing_is_refused(&source, &target, &plan).await?;
    let others = "INSERT INTO t VALUES (4, '007', '1.10'), (5, '1e3', '2'), (6, ' 5', NULL)";
    from.execute("other rows", others).await?;
    let looked = preflight(&source, &target, &plan).await?;
    for expected in [
        "t.code: a text is \"007\", of which STRING makes a number with other digits",
        "t.j: ",
    ] {
        let is_told = looked.refused.iter().any(|told| told.contains(expected));
        ensure!(is_told, "{expected}: {looked:?}");
    }
    ensure!(
        looked.values.iter().map(|column| column.values).eq([3, 1]),
        "{looked:?}"
    );
    from.execute("the rows", "DELETE FROM t WHERE id > 3")
        .await?;
    copy_into_existing(&source, &target, &plan).await
}

/// A key and its references get the same advice, which an index takes.
async fn numbers_of_keys(source: String, target: String) -> Result<()> {
    let tables = [
        "CREATE TABLE price (id integer PRIMARY KEY, n numeric(100,0) UNIQUE, d numeric UNIQUE)",
        "CREATE TABLE sale (id integer PRIMARY KEY, n numeric REFERENCES price (n), \
         d numeric REFERENCES price (d))",
        "INSERT INTO price VALUES (1, 1, 1.10), (2, repeat('9', 70)::numeric, 1e30)",
        "INSERT INTO sale VALUES (1, 1, 1.1)",
    ];
    execute(&mut open(&source).await?, "the source", &tables).await?;
    let mut plan = plan(&source, &target).await?;
    for column in plan.tables.iter_mut().flat_map(|table| &mut table.columns) {
        let Some(refused) = column.refused.take() else {
            continue;
        };
        let advised = refused.split("`to = \"").nth(1);
        let advised = advised.and_then(|rest| rest.split('"').next());
        column.to = advised.map(Into::into);
        ensure!(refused.matches("`to = ").count() == 1, "{refused}");
    }
    nothing_is_refused(&source, &target, &plan).await?;
    copy_equal(&source, &target, &plan).await
}

async fn long_numbers(source: String, target: String) -> Result<()> {
    let tables = [
        "CREATE TABLE t (id integer PRIMARY KEY, n numeric, d numeric, e numeric)",
        "INSERT INTO t VALUES (1, repeat('7', 300)::numeric, 'NaN', NULL), \
         (2, ('0.' || repeat('3', 300))::numeric, 1, 99999999999999999999999999999999999.000000000000000000000000000001)",
    ];
    execute(&mut open(&source).await?, "the source", &tables).await?;
    let mut plan = plan(&source, &target).await?;
    let advised = plan.tables[0].columns[1..].iter();
    let advised = advised.map(|column| column.refused.as_ref().map(|why| why.contains("decimal(")));
    let advised: Vec<_> = advised.collect();
    ensure!(
        advised == [Some(false), Some(false), Some(true)],
        "{plan:?}"
    );
    for column in &mut plan.tables[0].columns[1..] {
        (column.to, column.refused) = (Some("decimal(65,30)".into()), None);
    }
    let looked = preflight(&source, &target, &plan).await?;
    let [one, other] = &looked.refused[..] else {
        anyhow::bail!("{looked:?}");
    };
    let shown = format!("a value is {}…, which has more digits", "7".repeat(40));
    ensure!(one.contains(&shown) && one.len() < 350, "{one}");
    ensure!(other.contains("a value is NaN, which"), "{other}");
    for (refused, column) in looked.refused.iter().zip(&mut plan.tables[0].columns[1..]) {
        let advised = refused.split("or write `to = \"").nth(1);
        let advised = advised.and_then(|rest| rest.split('"').next());
        column.to = advised.map(Into::into);
    }
    copy_equal(&source, &target, &plan).await?;
    Ok(())
}

/// The server keeps short values in the row.
async fn many_texts(source: String, target: String) -> Result<()> {
    let columns: Vec<String> = (0..200).map(|number| format!("c{number} text")).collect();
    let table = format!(
        "CREATE TABLE t (id integer PRIMARY KEY, {})",
        columns.join(", ")
    );
    open(&source).await?.execute("the source", &table).await?;
    let looked = preflight(&source, &target, &plan(&source, &target).await?).await?;
    let page = "t: a row with values in all of its 201 columns may be too large for a page";
    let is_told = |note: &String| note.starts_with(page);
    ensure!(looked.notes.iter().any(is_told), "{looked:?}");
    Ok(())
}

/// Their rows are read at a moment of their own.
async fn engine(source: String, target: String) -> Result<()> {
    let table = "CREATE TABLE t (id integer PRIMARY KEY) ENGINE = MyISAM";
    open(&source).await?.execute("the source", table).await?;
    let plan = plan(&source, &target).await?;
    let looked = preflight(&source, &target, &plan).await?;
    let report = copy(&source, &target, &plan).await?;
    for notes in [looked.notes, report.notes] {
        let is_told = |note: &String| note.contains("t: its engine MyISAM has no transactions");
        ensure!(notes.iter().any(is_told), "{notes:?}");
    }
    Ok(())
}

/// A `datetime` has no zone, and the copied values are those of UTC.
async fn moments(source: String, target: String) -> Result<()> {
    let table = "CREATE TABLE t (id integer PRIMARY KEY, at timestamptz DEFAULT now(), \
                 there timestamp DEFAULT now())";
    open(&source).await?.execute("the source", table).await?;
    copy(&source, &target, &plan(&source, &target).await?).await?;
    let mut to = open(&target).await?;
    let row = ["SET time_zone = '+09:00'", "INSERT INTO t (id) VALUES (1)"];
    execute(&mut to, "a row in another zone", &row).await?;
    let query = "SELECT COUNT(*) FROM t WHERE at BETWEEN UTC_TIMESTAMP(6) - INTERVAL 1 HOUR AND UTC_TIMESTAMP(6) \
                 AND there > UTC_TIMESTAMP(6) + INTERVAL 8 HOUR";
    ensure!(to.count("the row", query, &[]).await? == 1);
    Ok(())
}

/// PostgreSQL 17 has infinite intervals, which are no other database's text.
async fn infinite_intervals(source: String, target: String) -> Result<()> {
    let mut from = open(&source).await?;
    let version = "SELECT current_setting('server_version_num')::int >= 170000";
    if !from.is("the version", version, &[]).await? {
        return Ok(());
    }
    execute(
        &mut from,
        "the source",
        &[
            "CREATE TABLE span (id integer PRIMARY KEY, length interval)",
            "INSERT INTO span VALUES (1, 'infinity'), (2, '-infinity'), (3, '1 day 2 hours'), (4, NULL)",
        ],
    )
    .await?;
    let mut plan = plan(&source, &target).await?;
    if open(&target).await?.backend() != Backend::Postgres {
        let found = preflight(&source, &target, &plan).await?;
        ensure!(
            matches!(&found.refused[..], [one] if one.contains("span.length: a value is an infinite interval")
                && one.contains("2 values") && one.contains("infinity = \"null\"")),
            "{found:?}"
        );
        plan.tables[0].columns[1].instead.infinity = Some(Null::Null);
    }
    nothing_is_refused(&source, &target, &plan).await?;
    copy_equal(&source, &target, &plan).await
}

/// The values say whether a shorter text holds them: the source has no function for their lengths.
async fn without_length(source: String, target: String) -> Result<()> {
    execute(
        &mut open(&source).await?,
        "the source",
        &[
            "CREATE TABLE host (id integer PRIMARY KEY, address inet, net cidr, took interval)",
            "INSERT INTO host VALUES (1, '2001:db8::ff00:42:8329', '10.1.0.0/16', '1 year 2 days 03:04:05.6'), \
             (2, NULL, NULL, NULL)",
        ],
    )
    .await?;
    let mut to = open(&target).await?;
    let table = |own| {
        format!(
            "CREATE TABLE host (id integer NOT NULL PRIMARY KEY, address {own}, net {own}, took {own})"
        )
    };
    to.execute("short columns", &table("varchar(9)")).await?;
    let mut written = plan(&source, &target).await?;
    let found = preflight(&source, &target, &written).await?;
    // SQLite's lengths are not limits.
    let expected = match to.backend() {
        Backend::Sqlite => &[][..],
        _ => &[
            "host.address: a value has 22 characters",
            "host.net: a value has 11 characters",
            "host.took: a value has 19 characters",
        ],
    };
    let mut both = found.refused.iter().zip(expected);
    ensure!(
        found.refused.len() == expected.len() && both.all(|(one, other)| one.starts_with(other)),
        "{found:?}"
    );
    to.execute("no short columns", "DROP TABLE host").await?;

    // As a person may write it.
    for column in &mut written.tables[0].columns[1..] {
        column.to = Some("varchar(45)".into());
    }
    nothing_is_refused(&source, &target, &written).await?;
    copy_equal(&source, &target, &written).await?;

    let anew = [
        "DROP TABLE host",
        "DROP TABLE rowkey_copy",
        &table("varchar(40)"),
    ];
    execute(&mut to, "a table", &anew).await?;
    let plan = plan(&source, &target).await?;
    nothing_is_refused(&source, &target, &plan).await?;
    copy_into_existing(&source, &target, &plan).await
}

/// MySQL has no types for addresses.
async fn addresses(source: String, target: String) -> Result<()> {
    execute(
        &mut open(&source).await?,
        "the source",
        &[
            "CREATE TABLE host (id integer PRIMARY KEY, six inet6)",
            "INSERT INTO host VALUES (1, '::1'), (2, NULL), (3, '2001:db8::ff00:42:8329')",
        ],
    )
    .await?;
    let plan = plan(&source, &target).await?;
    nothing_is_refused(&source, &target, &plan).await?;
    copy_equal(&source, &target, &plan).await
}

/// An index of a method that only PostgreSQL has does not go, and does not shorten a column.
async fn left_out_indexes(source: String, target: String) -> Result<()> {
    execute(
        &mut open(&source).await?,
        "the source",
        &[
            "CREATE TABLE page (id integer PRIMARY KEY, words tsvector, title text, body text, \
             author character varying(4000), slug text)",
            "CREATE INDEX page_words ON page USING gin (words)",
            "CREATE INDEX page_title ON page (title)",
            "CREATE INDEX page_body ON page (body) WHERE id > 7",
            "CREATE INDEX page_author ON page (author, id DESC)",
            "CREATE INDEX page_slug ON page (slug text_pattern_ops)",
        ],
    )
    .await?;
    let choices = Choices {
        unknown_types_as_text: true,
        ..Choices::default()
    };
    let plan = planned(&source, &target, choices).await?.plan;
    let types: Vec<&str> = plan.tables[0]
        .columns
        .iter()
        .map(|column| column.to.as_deref().unwrap_or_default())
        .collect();
    let expected = [
        "longtext",
        "varchar(191)",
        "longtext",
        "varchar(191)",
        "longtext",
    ];
    for (found, expected) in types[1..].iter().zip(expected) {
        ensure!(found.starts_with(expected), "{types:?}");
    }
    let looked = preflight(&source, &target, &plan).await?;
    ensure!(looked.refused.is_empty(), "{looked:?}");
    let shorter = "it holds 191 characters in the target, and more in the source";
    for expected in [
        format!("page.title: {shorter} (text)"),
        format!("page.author: {shorter} (character varying(4000))"),
    ] {
        ensure!(looked.notes.contains(&expected), "{looked:#?}");
    }
    let told = looked.notes.iter().filter(|note| note.contains(shorter));
    ensure!(told.count() == 2, "{looked:#?}");
    Ok(())
}
