//! Types of tables that frameworks have made, which differ by database: durations, truth, and times
//! without fractions.

use anyhow::{Result, ensure};
use rowkey_copy::Choices;
use rowkey_tables::Connection;
use rowkey_testkit::{Backend, Suite, test_name};

use crate::copy::held::{nothing_is_refused, preflight};
use crate::copy::{compare, copy_equal, copy_into_existing, execute, open, pair, plan, planned};

pub(crate) fn add_tests(suite: &mut Suite) {
    for target in crate::LIVE {
        let to = test_name(target);
        let sources = match target {
            Backend::Postgres => &[Backend::MySql, Backend::MariaDb, Backend::Sqlite][..],
            _ => &[Backend::Postgres],
        };
        let name = format!("durations_are_microseconds_in_{to}");
        pair(suite, &name, sources.iter().copied(), target, durations);
        let name = format!("values_decide_about_types_of_frameworks_in_{to}");
        pair(suite, &name, sources.iter().copied(), target, types);
        let name = format!("values_as_frameworks_write_them_in_{to}");
        pair(suite, &name, [Backend::Sqlite], target, values);
    }
    for target in crate::LIVE {
        let to = test_name(target);
        let name = format!("dates_are_midnights_in_{to}");
        pair(suite, &name, crate::LIVE, target, dates);
        let name = format!("narrower_types_hold_what_fits_in_{to}");
        pair(suite, &name, crate::LIVE, target, narrower);
    }
    for target in [Backend::Postgres, Backend::MySql, Backend::MariaDb] {
        let name = format!("numbers_and_texts_of_other_kinds_in_{}", test_name(target));
        pair(suite, &name, crate::LIVE, target, other_kinds);
    }
    let servers = [Backend::MySql, Backend::MariaDb];
    for target in servers {
        let to = test_name(target);
        let name = format!("limited_numbers_go_to_{to}");
        pair(suite, &name, servers, target, limited_numbers);
        let name = format!("infinite_moments_have_no_fraction_in_{to}");
        pair(suite, &name, [Backend::Postgres], target, infinite_moments);
    }
    let sources = [Backend::Postgres, Backend::MySql, Backend::MariaDb];
    for target in crate::LIVE {
        let name = format!("values_become_text_that_exists_in_{}", test_name(target));
        pair(suite, &name, sources, target, texts);
    }
    let mysql = Backend::MySql;
    let name = "bits_of_any_number_in_characters";
    pair(suite, name, [Backend::Postgres], mysql, bits);
    let name = "numbers_of_any_length_as_text";
    pair(suite, name, [Backend::Postgres], mysql, long_numbers);
    let name = "sets_keep_their_order";
    pair(suite, name, [Backend::Postgres], mysql, sets);
}

/// A framework stores a duration as microseconds where the database has no intervals.
async fn durations(source: String, target: String) -> Result<()> {
    let spans = [-1, 3_456_003_000_005, -90_061_000_001, i64::MAX];
    let mut dbs = [open(&source).await?, open(&target).await?];
    for db in &mut dbs {
        let own = match db.backend() {
            Backend::Postgres => "interval",
            _ => "bigint",
        };
        let table = format!("CREATE TABLE task (id integer NOT NULL PRIMARY KEY, took {own})");
        db.execute("a table", &table).await?;
    }
    let [mut from, mut to] = dbs;
    for (id, micros) in spans.into_iter().enumerate() {
        let value = match from.backend() {
            Backend::Postgres => format!("'{micros} microseconds'"),
            _ => micros.to_string(),
        };
        let row = format!("INSERT INTO task VALUES ({id}, {value})");
        from.execute("a row", &row).await?;
    }
    let plan = plan(&source, &target).await?;
    let found = preflight(&source, &target, &plan).await?;
    let is_told = |note: &String| note.contains("task.took: the number of microseconds");
    ensure!(
        found.refused.is_empty() && found.notes.iter().any(is_told),
        "{found:?}"
    );
    copy_into_existing(&source, &target, &plan).await?;
    let micros = match to.backend() {
        Backend::Postgres => "(EXTRACT(EPOCH FROM took) * 1000000)::bigint",
        _ => "took",
    };
    let query = format!("SELECT {micros} FROM task ORDER BY id");
    let rows = to.query("the rows", &query, &[]).await?;
    let read: Result<Vec<i64>, _> = rows.iter().map(|row| row.integer(0)).collect();
    ensure!(read? == spans);

    // A month has no number of microseconds.
    if from.backend() == Backend::Postgres {
        begin_anew(&mut to).await?;
        from.execute("a month", "INSERT INTO task VALUES (9, '1 month')")
            .await?;
        let found = preflight(&source, &target, &plan).await?;
        let is_month = |why: &String| why.starts_with("task.took: a value is P1M");
        ensure!(found.refused.iter().any(is_month), "{found:?}");
    }
    Ok(())
}

/// A table of the target has narrower types, or other ones, and the values decide.
async fn narrower(source: String, target: String) -> Result<()> {
    use Backend::{Postgres, Sqlite};
    let (mut from, mut to) = (open(&source).await?, open(&target).await?);
    let (source_has, target_has) = (from.backend(), to.backend());
    let [bytes, words, title, real, exact] = match source_has {
        Postgres => [
            "bytea",
            "bytea",
            "text",
            "double precision",
            "numeric(24,4)",
        ],
        Sqlite => ["BYTEA", "TEXT", "TEXT", "DOUBLE", "NUMERIC(24,4)"],
        _ => [
            "varbinary(9)",
            "blob",
            "varchar(9)",
            "double",
            "decimal(24,4)",
        ],
    };
    let table = format!(
        "CREATE TABLE t (id integer NOT NULL PRIMARY KEY, bytes {bytes}, words {words}, truth smallint, \
         half {real}, amount numeric(12,0), price {exact}, rate {real}, title {title})"
    );
    from.execute("the source", &table).await?;
    let [bytes, truth, half, price, rate] = match target_has {
        Postgres => [
            "bytea",
            "boolean",
            "real",
            "double precision",
            "numeric(9,3)",
        ],
        Sqlite => ["bytea", "BOOLEAN", "FLOAT", "NUMERIC(24,4)", "DECIMAL(9,3)"],
        _ => ["binary(3)", "tinyint(1)", "float", "double", "decimal(9,3)"],
    };
    let table = format!(
        "CREATE TABLE t (id integer NOT NULL PRIMARY KEY, bytes {bytes}, words text, truth {truth}, \
         half {half}, amount integer, price {price}, rate {rate}, title {bytes})"
    );
    to.execute("the target", &table).await?;
    let hex = |digits: &str| match source_has {
        Postgres => format!("'\\x{digits}'"),
        _ => format!("x'{digits}'"),
    };
    let text = match source_has {
        Sqlite => "'ä'".to_owned(),
        _ => hex("c3a4"),
    };
    let rows = [
        format!(
            "(1, {}, {text}, 1, 1.5, 7, 0.1, 0.125, 'ä1')",
            hex("00ff61")
        ),
        format!(
            "(2, {}, {text}, 0, -2048, -7, 1234567.8901, -3, 'abc')",
            hex("000000")
        ),
        "(3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)".to_owned(),
        format!(
            "(4, {}, {}, 2, 0.12345678901234, 9999999999, 12345678901234567890.1234, 0.12345, 'abcd')",
            hex("00"),
            hex("ff")
        ),
    ];
    for row in rows {
        let row = format!("INSERT INTO t VALUES {row}");
        from.execute("a row", &row).await?;
    }
    let is_server = target_has != Sqlite;
    let expected = [
        ("bytes", is_server && target_has != Postgres),
        ("words", is_server || source_has != Sqlite),
        ("truth", target_has == Postgres),
        ("half", is_server),
        ("amount", is_server),
        // It has no such number.
        ("price", source_has != Sqlite),
        ("rate", is_server),
        ("title", is_server && target_has != Postgres),
    ];
    let plan = plan(&source, &target).await?;
    let found = preflight(&source, &target, &plan).await?;
    for (name, is_refused) in expected {
        let start = format!("t.{name}: a ");
        let is_told = |why: &String| why.starts_with(&start) && why.contains("in the row 4");
        let is_right = found.refused.iter().any(is_told) == is_refused;
        ensure!(is_right, "{name}: {found:?}");
    }
    let copied = copy_into_existing(&source, &target, &plan).await;
    if copied.is_ok() {
        // Within SQLite, everything has a place.
        ensure!(!is_server && source_has == Sqlite, "row 4 has a place");
        return Ok(());
    }
    let fits = "DELETE FROM t WHERE id = 4";
    from.execute("what fits", fits).await?;
    nothing_is_refused(&source, &target, &plan).await?;
    copy_into_existing(&source, &target, &plan).await?;
    for (name, own, other) in [
        ("rate", 0.125, 0.126),
        ("half", 1.5, 1.25),
        ("price", 0.1, 0.2),
    ] {
        let change = |value| format!("UPDATE t SET {name} = {value} WHERE id = 1");
        to.execute("a change", &change(other)).await?;
        let compared = compare(&source, &target, &plan).await?;
        ensure!(!compared.is_equal(), "{name} is not compared");
        to.execute("as before", &change(own)).await?;
    }
    let compared = compare(&source, &target, &plan).await?;
    ensure!(compared.is_equal(), "{compared:?}");
    Ok(())
}

/// Forgets that a copy has ended.
async fn begin_anew(target: &mut Connection) -> Result<()> {
    let statements = ["DELETE FROM task", "DROP TABLE rowkey_copy"];
    execute(target, "the table as it was made", &statements).await
}

/// A framework has other types on each database, which hold its values all the same: TypeORM a
/// `tinyint` for truth, SQLAlchemy a moment since 1970 for an interval, and times without fractions.
async fn types(source: String, target: String) -> Result<()> {
    let mut dbs = [open(&source).await?, open(&target).await?];
    for db in &mut dbs {
        let [truth, span, time, moment] = match db.backend() {
            Backend::Postgres => ["boolean", "interval", "time", "timestamp"],
            Backend::Sqlite => ["tinyint", "datetime", "time(0)", "datetime(0)"],
            _ => ["tinyint", "datetime(6)", "time", "datetime"],
        };
        let table = format!(
            "CREATE TABLE task (id integer NOT NULL PRIMARY KEY, done {truth} NOT NULL, took {span}, \
             due {time}, made {moment})"
        );
        db.execute("a table", &table).await?;
    }
    let [mut from, mut to] = dbs;
    let is_postgres = from.backend() == Backend::Postgres;
    let took = match is_postgres {
        true => "1 day 00:00:01.5",
        false => "1970-01-02 00:00:01.500000",
    };
    let row = format!(
        "INSERT INTO task VALUES (1, {}, '{took}', '10:20:30', '2026-05-06 07:08:09'), \
         (2, {}, NULL, NULL, NULL)",
        if is_postgres { "true" } else { "1" },
        if is_postgres { "false" } else { "0" },
    );
    from.execute("rows", &row).await?;
    let plan = plan(&source, &target).await?;
    let found = preflight(&source, &target, &plan).await?;
    let is_told = |note: &String| note.contains("task.took: the time since 1970-01-01");
    ensure!(
        found.refused.is_empty() && found.notes.iter().any(is_told),
        "{found:?}"
    );
    copy_into_existing(&source, &target, &plan).await?;
    let (query, expected) = match to.backend() {
        Backend::Postgres => (
            "SELECT concat(done, '/', took, '/', due, '/', made) FROM task ORDER BY id",
            ["t/1 day 00:00:01.5/10:20:30/2026-05-06 07:08:09", "f///"],
        ),
        Backend::Sqlite => (
            "SELECT done || '/' || coalesce(took, '') || '/' || coalesce(due, '') FROM task ORDER BY id",
            ["1/1970-01-02 00:00:01.500000/10:20:30.000000", "0//"],
        ),
        _ => (
            "SELECT CONVERT(concat(done, '/', coalesce(took, ''), '/', coalesce(due, '')) USING utf8mb4) \
             FROM task ORDER BY id",
            ["1/1970-01-02 00:00:01.500000/10:20:30", "0//"],
        ),
    };
    let rows = to.query("the rows", query, &[]).await?;
    let read: Result<Vec<&str>, _> = rows.iter().map(|row| row.text(0)).collect();
    ensure!(read? == expected, "{rows:?}");

    // What the types don't hold.
    let row = match is_postgres {
        true => {
            "INSERT INTO task VALUES (9, true, '1 month', '10:20:30.25', '2026-05-06 07:08:09.5')"
        }
        false => "INSERT INTO task VALUES (9, 2, NULL, NULL, NULL)",
    };
    from.execute("another row", row).await?;
    begin_anew(&mut to).await?;
    let found = preflight(&source, &target, &plan).await?;
    let expected = match is_postgres {
        true => &[
            "task.took: a value is P1M",
            "task.due: a value has a fraction",
            "task.made: a value has a fraction",
        ][..],
        false => &["task.done: a value is"],
    };
    for expected in expected {
        let is_told = |why: &String| why.starts_with(expected);
        ensure!(found.refused.iter().any(is_told), "{expected}: {found:?}");
    }
    Ok(())
}

/// What SQLite stores in columns whose types it does not know; and what columns of migrations would
/// round in silence.
async fn values(source: String, target: String) -> Result<()> {
    let (mut from, mut to) = (open(&source).await?, open(&target).await?);
    let create = |types: [&str; 5]| {
        let [ok, data, short, made, name] = types;
        format!(
            "CREATE TABLE thing (id integer NOT NULL PRIMARY KEY, ok {ok}, due date, at time, \
             data {data}, short {short}, made {made}, name {name})"
        )
    };
    let of_sqlite = ["boolean", "blob", "float", "datetime(6)", "varchar(9)"];
    let types = match to.backend() {
        Backend::Postgres => {
            let extension = "CREATE EXTENSION IF NOT EXISTS citext";
            to.execute("an extension", extension).await?;
            ["boolean", "bytea", "real", "timestamp(0)", "citext"]
        }
        Backend::Sqlite => of_sqlite,
        Backend::MySql => ["bit(1)", "longblob", "float", "datetime", "varchar(9)"],
        _ => ["tinyint(1)", "longblob", "float", "datetime", "varchar(9)"],
    };
    to.execute("a table", &create(types)).await?;
    let rows = [
        &*create(of_sqlite),
        "INSERT INTO thing VALUES \
         (1, 't', '2024-01-31 00:00:00', '2000-01-01 08:30:00', '', 19.99, '2024-05-05 10:00:00', 'Ada'), \
         (2, 'f', '2024-02-01', '10:00:00', X'00', 0.5, '2024-05-05 10:00:00.000', 'a b')",
    ];
    execute(&mut from, "the source", &rows).await?;
    if to.backend() == Backend::Sqlite {
        // It keeps every value.
        let plan = plan(&source, &target).await?;
        return copy_into_existing(&source, &target, &plan).await;
    }
    for (column, value) in [
        ("short", "0.123456789012345"),
        ("short", "16777217.0"),
        ("short", "1e300"),
        ("made", "'2024-05-05 10:00:00.6'"),
        ("made", "'2024-05-05 10:00:00+02:00'"),
        ("at", "'2024-05-05 10:00:00'"),
        ("due", "'2024-05-05 10:00:00'"),
    ] {
        let row = format!("INSERT INTO thing (id, {column}) VALUES (3, {value})");
        from.execute("a row", &row).await?;
        let plan = plan(&source, &target).await?;
        let found = preflight(&source, &target, &plan).await?;
        let is_it = |one: &String| one.contains(&format!("thing.{column}: "));
        ensure!(
            matches!(&found.refused[..], [only] if is_it(only)),
            "{column} {value}: {found:?}"
        );
        let delete = "DELETE FROM thing WHERE id = 3";
        from.execute("no such row", delete).await?;
    }
    let plan = plan(&source, &target).await?;
    let found = preflight(&source, &target, &plan).await?;
    ensure!(found.refused.is_empty(), "{found:?}");
    copy_into_existing(&source, &target, &plan).await?;
    let truth = match to.backend() {
        Backend::Postgres => "ok",
        _ => "ok = 1",
    };
    let query = format!(
        "SELECT count(*) FROM thing WHERE id = 1 AND {truth} AND due = '2024-01-31' \
         AND at = '08:30:00' AND length(data) = 0 AND name = 'Ada'"
    );
    ensure!(to.count("the row", &query, &[]).await? == 1);

    if to.backend() != Backend::Postgres {
        // A column that gets more digits afterwards holds what the plan's had no place for.
        let row = "INSERT INTO thing (id, made) VALUES (3, '2024-05-05 10:00:00.6')";
        from.execute("a row", row).await?;
        let change = [
            "DELETE FROM thing",
            "DROP TABLE rowkey_copy",
            "ALTER TABLE thing MODIFY made datetime(6)",
        ];
        execute(&mut to, "more digits", &change).await?;
        let found = preflight(&source, &target, &plan).await?;
        ensure!(found.refused.is_empty(), "{found:?}");
        copy_into_existing(&source, &target, &plan).await?;
    }
    Ok(())
}

/// A date is the moment at which it begins, in a column with a clock.
async fn dates(source: String, target: String) -> Result<()> {
    let (mut from, mut to) = (open(&source).await?, open(&target).await?);
    let table = |own| format!("CREATE TABLE bill (id integer NOT NULL PRIMARY KEY, due {own})");
    let own = match to.backend() {
        Backend::Postgres => "timestamp",
        _ => "datetime",
    };
    to.execute("a table", &table(own)).await?;
    let rows = "INSERT INTO bill VALUES (1, '2024-02-29'), (2, '1000-01-01'), (3, '9999-12-31'), (4, NULL)";
    execute(&mut from, "the source", &[&table("date"), rows]).await?;
    let plan = plan(&source, &target).await?;
    let is_of_postgres = from.backend() == Backend::Postgres;
    if is_of_postgres {
        // Dates go on where times have ended.
        for (date, is_held) in [
            ("infinity", to.backend() == Backend::Postgres),
            ("294277-01-01", false),
        ] {
            let row = format!("INSERT INTO bill VALUES (5, '{date}')");
            from.execute("a row", &row).await?;
            let found = preflight(&source, &target, &plan).await?;
            ensure!(found.refused.is_empty() == is_held, "{date}: {found:?}");
            from.execute("no such row", "DELETE FROM bill WHERE id = 5")
                .await?;
        }
        from.execute("a row", "INSERT INTO bill VALUES (6, '294276-12-31')")
            .await?;
        let found = preflight(&source, &target, &plan).await?;
        let is_held = to.backend() == Backend::Postgres;
        ensure!(found.refused.is_empty() == is_held, "{found:?}");
        if !is_held {
            from.execute("no such row", "DELETE FROM bill WHERE id = 6")
                .await?;
        }
    }
    nothing_is_refused(&source, &target, &plan).await?;
    copy_into_existing(&source, &target, &plan).await?;
    let query = "SELECT count(*) FROM bill WHERE id = 1 AND due >= '2024-02-29 00:00:00' \
                 AND due < '2024-02-29 00:00:01'";
    ensure!(to.count("the row", query, &[]).await? == 1);
    Ok(())
}

/// Whole numbers that a floating-point number holds, and texts of numbers, dates and times.
async fn other_kinds(source: String, target: String) -> Result<()> {
    let table = |types: [&str; 7]| {
        let [few, mid, many, code, price, day, at] = types;
        format!(
            "CREATE TABLE bill (id integer NOT NULL PRIMARY KEY, few {few}, mid {mid}, many {many}, \
             code {code}, price {price}, day {day}, at {at})"
        )
    };
    let text = "varchar(40)";
    let mut from = open(&source).await?;
    let rows = [
        &*table(["smallint", "integer", "bigint", text, text, text, text]),
        "INSERT INTO bill VALUES (1, 32767, -2147483648, 9007199254740992, '-7', '1.50', \
         '2024-02-29 00:00:00+00:00', '2024-02-29 10:00:00'), (2, 0, 0, 0, '0', '-0.01', '2024-02-29', NULL), \
         (3, NULL, NULL, 9007199254740993, '007', '1.505', '2024-02-30', '2024-02-29 10:00:00+02:00')",
    ];
    execute(&mut from, "the source", &rows).await?;
    let mut to = open(&target).await?;
    let [single, double, moment] = match to.backend() {
        Backend::Postgres => ["real", "double precision", "timestamp"],
        _ => ["float", "double", "datetime"],
    };
    let own = table([
        single,
        double,
        double,
        "integer",
        "decimal(9,2)",
        "date",
        moment,
    ]);
    to.execute("the target", &own).await?;
    let plan = plan(&source, &target).await?;
    let found = preflight(&source, &target, &plan).await?;
    // SQLite makes a number of the text itself.
    let is_lax = from.backend() == Backend::Sqlite;
    for (name, why) in [
        ("many", "would be rounded"),
        ("code", "\"007\""),
        ("price", "would be rounded"),
        ("day", "is no date"),
        ("at", "offset from UTC"),
    ] {
        let start = format!("bill.{name}: a value is ");
        let is_told = |refused: &String| {
            refused.starts_with(&start) && refused.contains(why) && !refused.contains("zero-date")
        };
        let is_right = found.refused.iter().any(is_told) != (is_lax && name == "code");
        ensure!(is_right, "{name}: {found:?}");
    }
    ensure!(found.refused.len() == 5 - usize::from(is_lax), "{found:?}");
    from.execute("what fits", "DELETE FROM bill WHERE id = 3")
        .await?;
    nothing_is_refused(&source, &target, &plan).await?;
    copy_into_existing(&source, &target, &plan).await?;
    let query = "SELECT COUNT(*) FROM bill WHERE few = 32767 AND many = 9007199254740992 AND code = -7 \
                 AND price = 1.5 AND day = '2024-02-29' AND at = '2024-02-29 10:00:00'";
    ensure!(to.count("the row", query, &[]).await? == 1);
    Ok(())
}

/// The server rounds numbers to some digits, or has no negative ones, in the same type of both
/// products.
async fn limited_numbers(source: String, target: String) -> Result<()> {
    let table = "CREATE TABLE item (id integer NOT NULL PRIMARY KEY, a float unsigned, \
                 b double unsigned, c double(8,2), d float(7,3))";
    let rows = "INSERT INTO item VALUES (1, 0.1, 1e300, 123456.78, 1234.567), (2, 0, 0, -0.01, -9999.999), \
                (3, NULL, NULL, NULL, NULL)";
    execute(&mut open(&source).await?, "the source", &[table, rows]).await?;
    open(&target).await?.execute("a table", table).await?;
    let plan = plan(&source, &target).await?;
    nothing_is_refused(&source, &target, &plan).await?;
    copy_into_existing(&source, &target, &plan).await
}

/// The number that stands for an infinite moment would have a fraction.
async fn infinite_moments(source: String, target: String) -> Result<()> {
    let table = |own| format!("CREATE TABLE task (id integer NOT NULL PRIMARY KEY, due {own})");
    let rows = "INSERT INTO task VALUES (1, 'infinity'), (2, '-infinity')";
    let mut from = open(&source).await?;
    execute(
        &mut from,
        "the source",
        &[&table("timestamp with time zone"), rows],
    )
    .await?;
    let mut to = open(&target).await?;
    to.execute("a table", &table("timestamp NULL")).await?;
    let plan = plan(&source, &target).await?;
    let found = preflight(&source, &target, &plan).await?;
    ensure!(
        matches!(&found.refused[..], [only] if only.starts_with("task.due: it is infinite")
            && only.contains("2 values") && only.contains("infinity = \"null\"")),
        "{found:?}"
    );
    Ok(())
}

/// The text of bits has no length in PostgreSQL.
async fn bits(source: String, target: String) -> Result<()> {
    let table = |own| format!("CREATE TABLE mask (id integer NOT NULL PRIMARY KEY, bits {own})");
    let mut from = open(&source).await?;
    from.execute("a table", &table("bit varying")).await?;
    let rows = "INSERT INTO mask VALUES (1, B'0101'), (2, B'')";
    from.execute("rows", rows).await?;
    let mut to = open(&target).await?;
    to.execute("a table", &table("varchar(9)")).await?;
    let plan = plan(&source, &target).await?;
    let row = "INSERT INTO mask VALUES (3, B'0101010101')";
    from.execute("a long row", row).await?;
    let found = preflight(&source, &target, &plan).await?;
    ensure!(
        matches!(&found.refused[..], [only] if only.contains("a value has 10 characters")),
        "{found:?}"
    );
    from.execute("no long row", "DELETE FROM mask WHERE id = 3")
        .await?;
    copy_into_existing(&source, &target, &plan).await
}

/// No other server has so many digits.
async fn long_numbers(source: String, target: String) -> Result<()> {
    let rows = [
        "CREATE TABLE sum (id integer PRIMARY KEY, amount numeric)",
        "INSERT INTO sum VALUES (1, 1e-31), (2, 12345678901234567890123456789012345.50), (3, 'NaN'), \
         (4, NULL), (5, -1e90)",
    ];
    execute(&mut open(&source).await?, "the source", &rows).await?;
    let refused = plan(&source, &target).await?.tables[0].columns[1]
        .refused
        .clone();
    ensure!(
        refused.as_ref().is_some_and(|why| why.contains("longtext")),
        "{refused:?}"
    );
    let choices = Choices {
        unknown_types_as_text: true,
        ..Choices::default()
    };
    let plan = planned(&source, &target, choices).await?.plan;
    let found = preflight(&source, &target, &plan).await?;
    ensure!(found.refused.is_empty(), "{found:?}");
    copy_equal(&source, &target, &plan).await?;
    let query = "SELECT amount FROM sum WHERE id = 2";
    let row = open(&target).await?.one_row("a sum", query, &[]).await?;
    let expected = "12345678901234567890123456789012345.50";
    ensure!(row.text(0)? == expected, "{row:?}");
    Ok(())
}

/// The server would store the words in its own order, and each once.
async fn sets(source: String, target: String) -> Result<()> {
    let table = |own| format!("CREATE TABLE thing (id integer NOT NULL PRIMARY KEY, tags {own})");
    let mut from = open(&source).await?;
    from.execute("a table", &table("text")).await?;
    let rows = "INSERT INTO thing VALUES (1, 'x,y'), (2, ''), (3, 'y')";
    from.execute("rows", rows).await?;
    let mut to = open(&target).await?;
    to.execute("a table", &table("set('x','y')")).await?;
    let plan = plan(&source, &target).await?;
    for tags in ["y,x", "x,x", "z"] {
        let row = format!("INSERT INTO thing VALUES (4, '{tags}')");
        from.execute("a row", &row).await?;
        let found = preflight(&source, &target, &plan).await?;
        ensure!(
            matches!(&found.refused[..], [only] if only.contains(tags)),
            "{found:?}"
        );
        from.execute("no such row", "DELETE FROM thing WHERE id = 4")
            .await?;
    }
    copy_into_existing(&source, &target, &plan).await
}

/// Frameworks make columns of text for moments in SQLite, and people do for everything else.
async fn texts(source: String, target: String) -> Result<()> {
    let (mut from, mut to) = (open(&source).await?, open(&target).await?);
    let is_postgres = from.backend() == Backend::Postgres;
    let moment = match is_postgres {
        true => "timestamp with time zone",
        false => "timestamp(6) NULL",
    };
    let table = format!(
        "CREATE TABLE task (id bigint NOT NULL PRIMARY KEY, seen {moment}, made timestamp(6) NULL, due date, \
         at time, done boolean)"
    );
    let rows = "INSERT INTO task VALUES (-9223372036854775808, '2024-02-29 01:02:03.5', \
                '2024-02-29 01:02:03', '2024-02-29', '23:59:59', true), (7, NULL, NULL, NULL, NULL, false)";
    let table = match is_postgres {
        true => table.replace("timestamp(6) NULL", "timestamp"),
        false => table.replace("made timestamp(6)", "made datetime(6)"),
    };
    execute(&mut from, "the source", &[&table, rows]).await?;
    let text = match to.backend() {
        Backend::Postgres | Backend::Sqlite => "varchar(40)",
        _ => "varchar(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
    };
    let there = format!(
        "CREATE TABLE task (id {text} NOT NULL PRIMARY KEY, seen {text}, made {text}, due {text}, at {text}, \
         done {text})"
    );
    to.execute("a table", &there).await?;
    let plan = plan(&source, &target).await?;
    let found = preflight(&source, &target, &plan).await?;
    let is_told = |note: &String| note.starts_with("task.seen: its values become text (timestamp");
    ensure!(
        found.refused.is_empty() && found.notes.iter().any(is_told),
        "{found:?}"
    );
    copy_into_existing(&source, &target, &plan).await?;
    let query = "SELECT id, seen, made, due, at, done FROM task WHERE due IS NOT NULL";
    let row = to.one_row("a task", query, &[]).await?;
    for (place, expected) in [
        "-9223372036854775808",
        "2024-02-29 01:02:03.500000+00:00",
        "2024-02-29 01:02:03.000000",
        "2024-02-29",
        "23:59:59.000000",
        if is_postgres { "true" } else { "1" },
    ]
    .into_iter()
    .enumerate()
    {
        ensure!(row.text(place)? == expected, "{row:?}");
    }

    // A text that is too short, and a moment that no text is.
    let anew = [
        "DROP TABLE task".to_owned(),
        "DROP TABLE rowkey_copy".to_owned(),
        there.replace("(40)", "(19)"),
    ];
    let anew: Vec<&str> = anew.iter().map(String::as_str).collect();
    execute(&mut to, "a shorter text", &anew).await?;
    if is_postgres {
        let infinite = "INSERT INTO task (id, made) VALUES (8, 'infinity')";
        from.execute("an infinite moment", infinite).await?;
    }
    let plan = self::plan(&source, &target).await?;
    let refused = preflight(&source, &target, &plan).await?.refused;
    let is_told = |why: &str| refused.iter().any(|one| one.contains(why));
    let is_short = to.backend() != Backend::Sqlite;
    ensure!(
        is_told("task.id: a value has 20 characters") == is_short
            && is_told("task.seen: a value has 32 characters") == is_short
            && is_told("infinity = \"null\"") == is_postgres,
        "{refused:?}"
    );
    Ok(())
}
