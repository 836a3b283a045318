//! Tables of a size at which nothing is in one batch, one transaction or one range.

use anyhow::{Context, Result, ensure};
use rowkey_core::UuidV4;
use rowkey_core::format::FormatKind;
use rowkey_core::storage::StoragePlan;
use rowkey_tables::Connection;
use rowkey_testkit::{Backend, Suite};

use crate::copy::held::preflight;
use crate::copy::{compare, copy, open, pair, plan};
use crate::is_large;

pub(crate) fn add_tests(suite: &mut Suite) {
    for (source, target) in [
        (Backend::MariaDb, Backend::Postgres),
        (Backend::Postgres, Backend::MariaDb),
    ] {
        pair(suite, "chaos_many_rows", [source], target, many_rows);
    }
    pair(
        suite,
        "one_of_many_values",
        [Backend::MySql, Backend::MariaDb],
        Backend::Postgres,
        one_of_many_values,
    );
}

/// More than a range has, of the copy and of the comparison.
fn rows() -> i64 {
    if is_large() { 500_000 } else { 120_000 }
}

/// All rows arrive, and one bit of one of them is found.
async fn many_rows(source: String, target: String) -> Result<()> {
    let mut from = open(&source).await?;
    for statement in statements(from.backend()) {
        from.execute("the rows", &statement).await?;
    }
    let plan = plan(&source, &target).await?;
    let report = copy(&source, &target, &plan).await?;
    ensure!(
        report.tables[0].rows == rows().cast_unsigned(),
        "{report:?}"
    );

    // What the servers say about it.
    let mut to = open(&target).await?;
    let (before, after) = (sums(&mut from).await?, sums(&mut to).await?);
    ensure!(before == after, "{before} became {after}");
    for number in [1, rows() / 2, rows()] {
        let id = id_of(&mut from, number).await?;
        ensure!(has(&mut to, number, id).await?, "row {number}: {id}");
    }
    let compared = compare(&source, &target, &plan).await?;
    ensure!(compared.is_equal(), "{compared:?}");

    let id = id_of(&mut from, rows() / 2).await?;
    let column = StoragePlan::default_for(FormatKind::UuidV4).column(to.backend());
    let literal = column.literal(id.to_u128());
    let change = format!(
        "UPDATE booking SET number = {} WHERE id = {literal}",
        (rows() / 2) ^ 1
    );
    to.execute("a change", &change).await?;
    let compared = compare(&source, &target, &plan).await?;
    let difference = compared.tables[0].difference.as_ref();
    let keys = &difference.context("no difference")?.keys;
    ensure!(*keys == [id.to_string()], "{keys:?} instead of {id}");
    Ok(())
}

/// The table, whose ids are those of UUIDs of version 4.
fn statements(backend: Backend) -> [String; 2] {
    let rows = rows();
    let others = "number bigint NOT NULL, price decimal(12,2) NOT NULL, title varchar(80) NOT NULL";
    match backend {
        Backend::Postgres => [
            format!(
                "CREATE TABLE booking (id uuid PRIMARY KEY, {others}, made timestamp NOT NULL)"
            ),
            format!(
                "INSERT INTO booking SELECT overlay(overlay(md5(n::text) PLACING '4' FROM 13) \
                 PLACING '8' FROM 17)::uuid, n, n / 100.0, 'Booking ' || n, \
                 timestamp '2024-01-01' + n * interval '1 second' FROM generate_series(1, {rows}) AS n"
            ),
        ],
        _ => [
            format!(
                "CREATE TABLE booking (id char(36) CHARACTER SET ascii COLLATE ascii_bin PRIMARY KEY, \
                 {others}, made datetime(6) NOT NULL) ENGINE = InnoDB CHARACTER SET utf8mb4"
            ),
            format!(
                "INSERT INTO booking SELECT CONCAT_WS('-', SUBSTR(hash, 1, 8), SUBSTR(hash, 9, 4), \
                 CONCAT('4', SUBSTR(hash, 14, 3)), CONCAT('8', SUBSTR(hash, 18, 3)), SUBSTR(hash, 21)), \
                 n, n / 100, CONCAT('Booking ', n), '2024-01-01' + INTERVAL n SECOND \
                 FROM (SELECT seq AS n, MD5(seq) AS hash FROM seq_1_to_{rows}) AS made"
            ),
        ],
    }
}

/// What a server adds up.
async fn sums(db: &mut Connection) -> Result<String> {
    let query = "SELECT CONCAT(COUNT(*), ' ', COUNT(DISTINCT id), ' ', COUNT(DISTINCT made), ' ', \
                 SUM(number), ' ', SUM(price), ' ', SUM(CHAR_LENGTH(title))) FROM booking";
    let rows = db.query("the sums", query, &[]).await?;
    Ok(rows.first().context("no sums")?.text(0)?.to_owned())
}

/// The id of a row of the source.
async fn id_of(db: &mut Connection, number: i64) -> Result<UuidV4> {
    let query = format!("SELECT CAST(id AS char(36)) FROM booking WHERE number = {number}");
    let rows = db.query("an id", &query, &[]).await?;
    Ok(rows.first().context("no row")?.text(0)?.parse()?)
}

/// Whether the target has a row with this number and id.
async fn has(db: &mut Connection, number: i64, id: UuidV4) -> Result<bool> {
    let column = StoragePlan::default_for(FormatKind::UuidV4).column(db.backend());
    let id = column.literal(id.to_u128());
    let row = format!("id = {id} AND number = {number} AND title = 'Booking {number}'");
    let query = format!("SELECT COUNT(*) FROM booking WHERE {row}");
    let rows = db.query("a row", &query, &[]).await?;
    Ok(rows.first().context("no count")?.integer(0)? == 1)
}

/// Two connections look at the columns of a large table, and each of them finds what has no place.
async fn one_of_many_values(source: String, target: String) -> Result<()> {
    let mut from = open(&source).await?;
    let table = "CREATE TABLE thing (number integer AUTO_INCREMENT PRIMARY KEY, \
                 is_open tinyint(1) NOT NULL, title varchar(9) NOT NULL) ENGINE = InnoDB";
    from.execute("the table", table).await?;
    let insert = "INSERT INTO thing (is_open, title) VALUES (1, 'a')";
    from.execute("a row", insert).await?;
    for _ in 0..18 {
        let double = "INSERT INTO thing (is_open, title) SELECT is_open, title FROM thing";
        from.execute("as many rows again", double).await?;
    }
    from.query("the statistics", "ANALYZE TABLE thing", &[])
        .await?;
    let plan = plan(&source, &target).await?;
    let fits = preflight(&source, &target, &plan).await?;
    ensure!(fits.values.is_empty(), "{fits:?}");
    for (column, wrong, right) in [
        ("is_open", "5", "1"),
        ("title", "CONCAT('a', CHAR(0))", "'a'"),
    ] {
        for value in [wrong, right] {
            let change =
                format!("UPDATE thing SET {column} = {value} ORDER BY number DESC LIMIT 1");
            from.execute("a change", &change).await?;
            let looked = preflight(&source, &target, &plan).await?;
            let found = looked
                .values
                .iter()
                .map(|found| (found.column.as_str(), found.values));
            let found: Vec<(&str, u64)> = found.collect();
            let expected = match value == wrong {
                true => vec![(column, 1)],
                false => Vec::new(),
            };
            ensure!(found == expected, "{looked:?}");
        }
    }
    Ok(())
}
