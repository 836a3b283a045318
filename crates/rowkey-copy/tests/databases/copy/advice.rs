//! What is said of tables that an application's own migrations have made, and what fits into them.

use anyhow::{Context, Result, ensure};
use rowkey_copy::{Choices, ExistingRows, Preflight};
use rowkey_testkit::{Backend, Suite, test_name};

use crate::copy::held::{nothing_is_refused, preflight};
use crate::copy::{copy, copy_equal, copy_into_existing, execute, open, pair, plan, planned};

pub(crate) fn add_tests(suite: &mut Suite) {
    for target in [Backend::MySql, Backend::MariaDb] {
        let to = test_name(target);
        let sources = [Backend::Postgres, Backend::Sqlite];
        let name = format!("digits_after_the_second_in_{to}");
        pair(suite, &name, sources, target, digits);
        let name = format!("times_that_are_the_same_without_digits_in_{to}");
        pair(suite, &name, sources, target, same_times);
        let name = format!("nanoseconds_of_sqlite_in_{to}");
        pair(suite, &name, [Backend::Sqlite], target, nanoseconds);
        let name = format!("advised_types_of_existing_columns_in_{to}");
        pair(suite, &name, [Backend::Postgres], target, types);
    }
    for target in crate::LIVE {
        let to = test_name(target);
        let name = format!("rows_of_tables_that_no_plan_has_in_{to}");
        pair(suite, &name, [Backend::Sqlite], target, outside);
        let name = format!("a_view_with_the_name_of_a_table_in_{to}");
        pair(suite, &name, [Backend::Sqlite], target, view);
        let name = format!("rows_of_another_copy_are_not_deleted_in_{to}");
        pair(suite, &name, [Backend::Sqlite], target, another_copy);
        let name = format!("large_objects_to_{to}");
        pair(suite, &name, [Backend::Postgres], target, large_objects);
    }
    pair(
        suite,
        "advice_for_texts_of_fewer_words",
        crate::LIVE,
        Backend::Postgres,
        fewer_words,
    );
    let sources = [Backend::MySql, Backend::MariaDb];
    let name = "texts_with_nul_are_bytes_or_lose_it";
    pair(suite, name, sources, Backend::Postgres, nul);
    let sources = [Backend::Postgres, Backend::MySql, Backend::MariaDb];
    let name = "truth_and_money_of_frameworks_in_sqlite";
    pair(suite, name, sources, Backend::Sqlite, truth_and_money);
    let name = "moments_of_sequelize_in_postgres";
    let sqlite = [Backend::Sqlite];
    pair(suite, name, sqlite, Backend::Postgres, sequelize);
    let name = "texts_in_columns_of_numbers";
    pair(suite, name, sources, Backend::Sqlite, texts_in_numbers);
}

/// The only reason about a column.
fn about<'p>(looked: &'p Preflight, column: &str) -> Result<&'p String> {
    let mut refused = looked.refused.iter();
    let found = refused.find(|refused| refused.starts_with(&format!("{column}: ")));
    found.with_context(|| format!("{column}: {looked:?}"))
}

/// Each of the lines is enough.
async fn nul(source: String, target: String) -> Result<()> {
    let mut from = open(&source).await?;
    let rows = [
        "CREATE TABLE t (id integer PRIMARY KEY, name varchar(100) NOT NULL)",
        "INSERT INTO t VALUES (1, CONCAT('a', CHAR(0), 'b')), (2, 'ok')",
    ];
    execute(&mut from, "the source", &rows).await?;
    let mut whole = plan(&source, &target).await?;
    let looked = preflight(&source, &target, &whole).await?;
    let told = about(&looked, "t.name")?;
    for line in ["`to = \"bytea\"`", "`instead = { nul = \"strip\" }`"] {
        ensure!(told.contains(line), "{line}: {told}");
    }
    let mut bytes = whole.clone();
    bytes.tables[0].columns[1].to = Some("bytea".into());
    nothing_is_refused(&source, &target, &bytes).await?;
    whole.tables[0].columns[1].instead = toml::from_str("nul = \"strip\"")?;
    nothing_is_refused(&source, &target, &whole).await?;
    copy_equal(&source, &target, &whole).await?;
    let query = "SELECT COUNT(*) FROM t WHERE name = 'ab'";
    ensure!(open(&target).await?.count("the name", query, &[]).await? == 1);
    Ok(())
}

/// GORM makes `numeric` of truth in SQLite, and EF Core `TEXT` of money.
async fn truth_and_money(source: String, target: String) -> Result<()> {
    let rows = [
        "CREATE TABLE t (id integer PRIMARY KEY, active boolean NOT NULL, price decimal(18,2))",
        "INSERT INTO t VALUES (1, true, 1234567890123456.50), (2, false, -0.10), (3, true, NULL)",
    ];
    execute(&mut open(&source).await?, "the source", &rows).await?;
    let mut to = open(&target).await?;
    let table = "CREATE TABLE t (id integer PRIMARY KEY, active numeric NOT NULL, price TEXT)";
    to.execute("the target", table).await?;
    let plan = plan(&source, &target).await?;
    nothing_is_refused(&source, &target, &plan).await?;
    copy_into_existing(&source, &target, &plan).await?;
    let query = "SELECT COUNT(*) FROM t WHERE typeof(active) = 'integer' AND \
                 (id = 1 AND active = 1 AND price = '1234567890123456.50' \
                 OR id = 2 AND active = 0 AND price = '-0.10' OR id = 3 AND price IS NULL)";
    ensure!(to.count("the rows", query, &[]).await? == 3);
    Ok(())
}

/// It writes a space before the offset.
async fn sequelize(source: String, target: String) -> Result<()> {
    let rows = [
        "CREATE TABLE t (id integer PRIMARY KEY, at DATETIME NOT NULL)",
        "INSERT INTO t VALUES (1, '2025-10-03 05:12:24.358 +00:00'), (2, '2025-10-03 07:12:24.358 +02:00')",
    ];
    execute(&mut open(&source).await?, "the source", &rows).await?;
    let mut to = open(&target).await?;
    let table = "CREATE TABLE t (id integer PRIMARY KEY, at timestamp with time zone NOT NULL)";
    to.execute("the target", table).await?;
    let plan = plan(&source, &target).await?;
    nothing_is_refused(&source, &target, &plan).await?;
    copy_into_existing(&source, &target, &plan).await?;
    let query = "SELECT COUNT(*) FROM t WHERE at = '2025-10-03 05:12:24.358+00'";
    ensure!(to.count("the moments", query, &[]).await? == 2);
    Ok(())
}

/// That they are the same is said together with the line that makes them so.
async fn same_times(source: String, target: String) -> Result<()> {
    let rows = [
        "CREATE TABLE t (id integer PRIMARY KEY, at timestamp NOT NULL, UNIQUE (at))",
        "INSERT INTO t VALUES (1, '2024-02-03 04:05:06.25'), (2, '2024-02-03 04:05:06.75'), \
         (3, '2024-02-03 04:05:07.5')",
    ];
    execute(&mut open(&source).await?, "the source", &rows).await?;
    let table = "CREATE TABLE t (id integer PRIMARY KEY, at datetime NOT NULL, UNIQUE (at))";
    open(&target).await?.execute("the target", table).await?;
    let mut whole = plan(&source, &target).await?;
    let looked = preflight(&source, &target, &whole).await?;
    let cut = "fraction = \"cut\"";
    ensure!(about(&looked, "t.at")?.contains(cut), "{looked:?}");
    let (first, looked) = (looked, {
        whole.tables[0].columns[1].instead = toml::from_str(cut)?;
        preflight(&source, &target, &whole).await?
    });
    let [same] = &looked.refused[..] else {
        anyhow::bail!("{looked:?}");
    };
    ensure!(
        same.starts_with("t: the unique key of at: 1 of its values")
            && first.refused.contains(same),
        "{first:?} {same}"
    );
    Ok(())
}

/// As some drivers write times; no target has a place for more than six digits.
async fn nanoseconds(source: String, target: String) -> Result<()> {
    let rows = [
        "CREATE TABLE t (id integer PRIMARY KEY, at datetime NOT NULL, clock time)",
        "INSERT INTO t VALUES (1, '2024-02-03 04:05:06.123456789', '04:05:06.1234567'), \
         (2, '1960-02-03T04:05:06.999999999+00:00', '04:05:06')",
    ];
    execute(&mut open(&source).await?, "the source", &rows).await?;
    let whole = plan(&source, &target).await?;
    let looked = preflight(&source, &target, &whole).await?;
    for column in ["t.at", "t.clock"] {
        let told = about(&looked, column)?;
        ensure!(
            told.contains("more than six digits behind the second")
                && told.contains("`instead = { fraction = \"cut\" }`"),
            "{told}"
        );
    }
    let choices = Choices {
        cuts_fractions: true,
        ..Choices::default()
    };
    let cut = planned(&source, &target, choices).await?.plan;
    nothing_is_refused(&source, &target, &cut).await?;
    copy_equal(&source, &target, &cut).await?;
    let mut to = open(&target).await?;
    let query = "SELECT id FROM t WHERE at = '1960-02-03 04:05:06.999999' AND id = 2";
    ensure!(to.query("the moment", query, &[]).await?.len() == 1);
    Ok(())
}

async fn digits(source: String, target: String) -> Result<()> {
    let rows = [
        "CREATE TABLE visit (id integer PRIMARY KEY, at timestamp, \"end\" time)",
        "INSERT INTO visit VALUES (1, '2024-01-31 23:59:59.999999', '23:59:59.5'), \
         (2, '1969-12-31 23:59:59.250000', NULL)",
    ];
    execute(&mut open(&source).await?, "the source", &rows).await?;
    let mut to = open(&target).await?;
    let table = "CREATE TABLE visit (id int PRIMARY KEY, at datetime, `end` time(1))";
    to.execute("the target", table).await?;
    let refused = plan(&source, &target).await?;
    let looked = preflight(&source, &target, &refused).await?;
    let at = about(&looked, "visit.at")?;
    let advised = "let the column there be `datetime(6)` and write the plan again, or write \
                   `instead = { fraction = \"cut\" }`";
    ensure!(at.contains(advised), "{at}");
    ensure!(looked.refused.len() == 1, "{looked:?}");
    let choices = Choices {
        cuts_fractions: true,
        ..Choices::default()
    };
    let plan = planned(&source, &target, choices).await?.plan;
    nothing_is_refused(&source, &target, &plan).await?;
    copy_into_existing(&source, &target, &plan).await?;
    let query = "SELECT CONCAT(at, ' ', COALESCE(`end`, '')) FROM visit ORDER BY id";
    let found = to.query("the times", query, &[]).await?;
    ensure!(
        found[0].text(0)? == "2024-01-31 23:59:59 23:59:59.5"
            && found[1].text(0)? == "1969-12-31 23:59:59 ",
        "{found:?}"
    );
    Ok(())
}

/// Of the kind that programs expect there.
async fn types(source: String, target: String) -> Result<()> {
    let rows = [
        "CREATE TABLE note (id integer PRIMARY KEY, body text, name varchar(20), owner integer, title text, \
         share double precision, debt bigint, code smallint)",
        "INSERT INTO note VALUES (1, repeat('x', 80000), 'a 🐘', NULL, repeat('x', 20000), 0.1, -1, 100)",
    ];
    execute(&mut open(&source).await?, "the source", &rows).await?;
    let table = "CREATE TABLE note (id int PRIMARY KEY, body text, \
                 name varchar(20) CHARACTER SET utf8mb3 UNIQUE, owner int NOT NULL, \
                 title varchar(10), share float, debt int unsigned, code char(2))";
    open(&target).await?.execute("the target", table).await?;
    let plan = plan(&source, &target).await?;
    let looked = preflight(&source, &target, &plan).await?;
    for (column, advised) in [
        ("body", "let the column there be `longtext"),
        ("title", "let the column there be `longtext"),
        (
            "name",
            "let the column there be `varchar(20) CHARACTER SET utf8mb4`",
        ),
        ("owner", "change them, or let the column there take NULL"),
        ("share", "let the column there be `double`"),
        ("debt", "let the column there be `bigint`"),
        ("code", "let the column there be `char(3) "),
    ] {
        let refused = about(&looked, &format!("note.{column}"))?;
        ensure!(refused.contains(advised), "{refused}");
    }
    let owner = about(&looked, "note.owner")?;
    ensure!(!owner.contains("another type"), "{owner}");
    Ok(())
}

/// Bytes are no place for texts.
async fn fewer_words(source: String, target: String) -> Result<()> {
    let rows = [
        "CREATE TABLE note (id integer PRIMARY KEY, code varchar(20), mood varchar(20))",
        "INSERT INTO note VALUES (1, 'abcdef', 'sad')",
    ];
    execute(&mut open(&source).await?, "the source", &rows).await?;
    let own = [
        "CREATE TYPE mood AS ENUM ('happy')",
        "CREATE TABLE note (id integer PRIMARY KEY, code char(3), mood mood)",
    ];
    execute(&mut open(&target).await?, "the target", &own).await?;
    let plan = plan(&source, &target).await?;
    let looked = preflight(&source, &target, &plan).await?;
    for (column, advised) in [
        ("code", "let the column there be `text`"),
        ("mood", "change them, or "),
    ] {
        let refused = about(&looked, &format!("note.{column}"))?;
        let is_advised = refused.contains(advised) && !refused.contains("bytea");
        ensure!(is_advised, "{refused}");
    }
    Ok(())
}

async fn outside(source: String, target: String) -> Result<()> {
    let rows = [
        "CREATE TABLE child (id integer PRIMARY KEY, parent integer)",
        "INSERT INTO child VALUES (1, 1), (2, 7), (3, NULL)",
    ];
    execute(&mut open(&source).await?, "the source", &rows).await?;
    let mut to = open(&target).await?;
    let tables = [
        "CREATE TABLE parent (id integer PRIMARY KEY)",
        "INSERT INTO parent VALUES (1)",
        "CREATE TABLE child (id integer PRIMARY KEY, parent integer, \
         FOREIGN KEY (parent) REFERENCES parent (id))",
    ];
    execute(&mut to, "the target", &tables).await?;
    let plan = plan(&source, &target).await?;
    let looked = preflight(&source, &target, &plan).await?;
    let refused = about(&looked, "child.parent")?;
    ensure!(
        looked.refused.len() == 1
            && refused.contains("a row refers to one of parent that the target does not have: 7;"),
        "{looked:?}"
    );
    if to.backend() == Backend::Postgres {
        // Its rows are in partitions.
        let tables = [
            "ALTER TABLE child DROP CONSTRAINT child_parent_fkey",
            "DROP TABLE parent",
            "CREATE TABLE parent (id integer PRIMARY KEY) PARTITION BY RANGE (id)",
            "CREATE TABLE parent_1 PARTITION OF parent FOR VALUES FROM (0) TO (100)",
            "INSERT INTO parent VALUES (1)",
            "ALTER TABLE child ADD FOREIGN KEY (parent) REFERENCES parent",
        ];
        execute(&mut to, "the partitions", &tables).await?;
    }
    to.execute("the row", "INSERT INTO parent VALUES (7)")
        .await?;
    nothing_is_refused(&source, &target, &plan).await?;
    copy_into_existing(&source, &target, &plan).await
}

async fn view(source: String, target: String) -> Result<()> {
    let table = "CREATE TABLE thing (id integer PRIMARY KEY)";
    open(&source).await?.execute("the source", table).await?;
    let view = "CREATE VIEW thing AS SELECT 1 AS id";
    open(&target).await?.execute("the target", view).await?;
    let plan = plan(&source, &target).await?;
    let looked = preflight(&source, &target, &plan).await?;
    let expected = "the table thing in the target: a view has its name; ";
    ensure!(
        matches!(&looked.refused[..], [refused] if refused.starts_with(expected)),
        "{looked:?}"
    );
    Ok(())
}

async fn another_copy(source: String, target: String) -> Result<()> {
    let rows = [
        "CREATE TABLE thing (id integer PRIMARY KEY)",
        "INSERT INTO thing VALUES (1)",
    ];
    execute(&mut open(&source).await?, "the source", &rows).await?;
    copy(&source, &target, &plan(&source, &target).await?).await?;
    let undecided = planned(&source, &target, Choices::default()).await?;
    let names: Vec<String> = undecided.occupied.iter().map(ToString::to_string).collect();
    ensure!(names == ["thing"], "{names:?}");
    let choices = Choices {
        existing_rows: Some(ExistingRows::Delete),
        ..Choices::default()
    };
    let again = planned(&source, &target, choices).await?;
    ensure!(again.occupied.is_empty(), "{again:?}");
    let looked = preflight(&source, &target, &again.plan).await?;
    ensure!(
        matches!(&looked.refused[..], [refused] if refused.contains("another plan")),
        "{looked:?}"
    );
    let state = "DROP TABLE rowkey_copy";
    open(&target).await?.execute("the state", state).await?;
    nothing_is_refused(&source, &target, &again.plan).await?;
    copy_into_existing(&source, &target, &again.plan).await
}

/// Their bytes are in no table, and the numbers mean nothing elsewhere.
async fn large_objects(source: String, target: String) -> Result<()> {
    let rows = [
        "CREATE TABLE note (id integer PRIMARY KEY, body oid, others oid[])",
        "INSERT INTO note VALUES (1, lo_from_bytea(0, 'hello'), '{1}')",
    ];
    let mut from = open(&source).await?;
    execute(&mut from, "the source", &rows).await?;
    let choices = Choices {
        unknown_types_as_text: true,
        ..Choices::default()
    };
    let mut plan = planned(&source, &target, choices).await?.plan;
    for column in &plan.tables[0].columns[1..3] {
        ensure!(column.refused.is_some(), "{plan:?}");
    }
    for to in [None, Some("text"), Some("bigint"), Some("oid")] {
        plan.tables[0].columns[1].to = to.map(Into::into);
        let looked = preflight(&source, &target, &plan).await?;
        let is_told = |refused: &String| refused.starts_with("note.body (oid): ");
        ensure!(looked.refused.iter().any(is_told), "{looked:?}");
    }
    from.execute("the object", "SELECT lo_unlink(body) FROM note")
        .await?;
    // Names say more than the numbers of what they name.
    let rows = [
        "DROP TABLE note",
        "CREATE TABLE kind (id integer PRIMARY KEY, named regclass)",
        "INSERT INTO kind VALUES (1, 'kind')",
    ];
    execute(&mut from, "names", &rows).await?;
    let plan = planned(&source, &target, choices).await?.plan;
    copy_equal(&source, &target, &plan).await?;
    let found = open(&target)
        .await?
        .query("names", "SELECT named FROM kind", &[])
        .await?;
    ensure!(found[0].text(0)? == "kind");
    Ok(())
}

/// SQLite keeps them, unless they look like numbers or the column takes its own type only.
async fn texts_in_numbers(source: String, target: String) -> Result<()> {
    let mut from = open(&source).await?;
    let (uuid, id) = match from.backend() {
        Backend::MySql => ("binary(16)", "X'018e5f3bff4847ccb5bad01c25cc63a7'"),
        _ => ("uuid", "'018e5f3b-ff48-47cc-b5ba-d01c25cc63a7'"),
    };
    let table = format!(
        "CREATE TABLE thing (id integer PRIMARY KEY, tag varchar(36), code {uuid}, other varchar(9))"
    );
    let rows = format!("INSERT INTO thing VALUES (1, 'AbC', {id}, 'é'), (2, '', NULL, NULL)");
    execute(&mut from, "the source", &[&table, &rows]).await?;
    let mut to = open(&target).await?;
    let table = "CREATE TABLE thing (id integer PRIMARY KEY, tag INTEGER, code NUMERIC(16), other datetime)";
    to.execute("the target", table).await?;
    let fitting = plan(&source, &target).await?;
    nothing_is_refused(&source, &target, &fitting).await?;
    copy_into_existing(&source, &target, &fitting).await?;
    let query = "SELECT CAST(COUNT(*) AS text) FROM thing WHERE typeof(tag) = 'text' \
                 AND (code IS NULL OR hex(code) = '018E5F3BFF4847CCB5BAD01C25CC63A7')";
    let found = to.query("the rows", query, &[]).await?;
    ensure!(found[0].text(0)? == "2", "{found:?}");

    let statement = "INSERT INTO thing (id, tag) VALUES (3, '007')";
    from.execute("a text that looks like a number", statement)
        .await?;
    let tables = ["DROP TABLE rowkey_copy", "DELETE FROM thing"];
    execute(&mut to, "the target", &tables).await?;
    let looked = preflight(&source, &target, &fitting).await?;
    let tag = about(&looked, "thing.tag")?;
    ensure!(tag.contains("\"007\""), "{tag}");
    for table in [
        "CREATE TABLE thing (id integer, tag INTEGER PRIMARY KEY, code blob, other text)",
        "CREATE TABLE thing (id integer PRIMARY KEY, tag INTEGER, code blob, other text) STRICT",
    ] {
        execute(&mut to, "the target", &["DROP TABLE thing", table]).await?;
        let looked = preflight(&source, &target, &plan(&source, &target).await?).await?;
        let tag = about(&looked, "thing.tag in the target")?;
        ensure!(tag.contains("takes only values of the type"), "{tag}");
    }
    Ok(())
}
