//! What single servers do with values, as far as the rules of rowkey depend on it.

use anyhow::{Result, ensure};
use rowkey::storage::MariaDbUuidOrd;
use sqlx::mysql::MySqlRow;
use sqlx::sqlite::SqliteRow;
use sqlx::{MySql, Row, Sqlite};
use uuid::Uuid;

use crate::driver::Session;
use crate::drivers::sqlx::{Sqlx, param};
use crate::keys::{Case, binary, decimal, native_uuid, text_digits, uuid as uuids};
use crate::query::Query;
use crate::samples::{Random, samples};
use crate::scenario::Scenario;
use crate::table::{Record, Table};

pub(crate) fn mysql() -> Vec<Scenario<Sqlx<MySql>>> {
    vec![Scenario::new("digits_as_text_find_other_rows", |session| {
        Box::pin(digits_as_text_find_other_rows(session))
    })]
}

pub(crate) fn mariadb() -> Vec<Scenario<Sqlx<MySql>>> {
    vec![
        Scenario::new("uuid_type_has_the_known_order", |session| {
            Box::pin(uuid_type_has_the_known_order(session))
        }),
        Scenario::new("uuid_type_refuses_what_it_would_damage", |session| {
            Box::pin(uuid_type_refuses_what_it_would_damage(session))
        }),
        Scenario::new("uuid_type_converts_what_it_can_store", |session| {
            Box::pin(uuid_type_converts_what_it_can_store(session))
        }),
        Scenario::new("uuids_are_read_in_every_shape", |session| {
            Box::pin(uuids_are_read_in_every_shape(session))
        }),
    ]
}

pub(crate) fn sqlite() -> Vec<Scenario<Sqlx<Sqlite>>> {
    vec![Scenario::new(
        "digits_in_a_numeric_column_are_refused",
        |session| Box::pin(digits_in_a_numeric_column_are_refused(session)),
    )]
}

/// Compared with text, a DECIMAL column is a floating-point number: lists and intervals of digits
/// hit other rows than the keys do. This is why keys are bound as DECIMAL: only newer versions of
/// MySQL read a parameter as the column, and no server does so with a literal.
async fn digits_as_text_find_other_rows(session: &mut Session<Sqlx<MySql>>) -> Result<()> {
    let case = Case::<Sqlx<MySql>>::new::<decimal::DistributedId>();
    let base = samples(case.format())[0] & !7;
    let ids: Vec<u128> = (base..base + 5).collect();
    // In a column without an index, which can hide the comparison.
    let records: Vec<Record> = Record::numbered(ids.iter().copied())
        .into_iter()
        .map(|record| record.with_parent(record.id))
        .collect();
    let table = Table::create(session, &case).await?;
    table.insert(session, &records).await?;

    let push_key = |query: &mut Query<_>, id| {
        query.push_param((case.param)(id));
    };
    let push_text = |query: &mut Query<_>, id: u128| {
        query.push(format!("'{id}'"));
    };
    for (before, between, after, meant) in [
        ("parent IN (", ", ", ")", &[1, 3][..]),
        ("parent NOT IN (", ", ", ")", &[0, 2, 4]),
        ("parent BETWEEN ", " AND ", "", &[1, 2, 3]),
    ] {
        let mut found = Vec::new();
        for push in [&push_key as &dyn Fn(&mut Query<_>, u128), &push_text] {
            let condition = |query: &mut Query<_>| {
                query.push(before);
                push(query, ids[1]);
                query.push(between);
                push(query, ids[3]);
                query.push(after);
            };
            found.push(table.numbers_where(session, condition).await?);
        }
        ensure!(found[0] == meant, "keys: {before}… finds {:?}", found[0]);
        ensure!(found[1] != meant, "digits as text are safe: {before}…");
    }
    Ok(())
}

/// The bytes whose values decide how the server sorts a uuid: 6 (version) and 8 (variant).
fn deciding_bytes() -> Vec<u8> {
    let edges = [0x01, 0x5f, 0x60, 0x7f, 0x80, 0x81, 0xbf, 0xc0, 0xff];
    (0..=u8::MAX).step_by(16).chain(edges).collect()
}

/// Whether the server refuses a uuid of this version and variant.
fn is_refused(byte6: u8, byte8: u8) -> bool {
    byte6 >= 0x80 && (0x01..=0x80).contains(&byte8)
}

/// `ORDER BY` sorts uuids of all versions and variants as `MariaDbUuidOrd` does.
async fn uuid_type_has_the_known_order(session: &mut Session<Sqlx<MySql>>) -> Result<()> {
    let mut random = Random::Seeded(1);
    let mut values = Vec::new();
    let deciding = deciding_bytes();
    for byte6 in 0..=u8::MAX {
        for byte8 in (0..=u8::MAX).filter(|byte8| !is_refused(byte6, *byte8)) {
            let mut bytes = random.next_u128().to_be_bytes();
            (bytes[6], bytes[8]) = (byte6, byte8);
            values.push(Uuid::from_bytes(bytes));
            if deciding.contains(&byte6) && deciding.contains(&byte8) {
                // A neighbour that differs in one other byte only.
                bytes[random.next() as usize % 6 + 10] ^= 1;
                values.push(Uuid::from_bytes(bytes));
            }
        }
    }
    values.sort();
    values.dedup();
    session
        .execute("CREATE TABLE uuids (u UUID PRIMARY KEY, twin UUID NOT NULL)")
        .await?;
    for chunk in random.shuffled(&values).chunks(1_000) {
        let rows: Vec<String> = chunk.iter().map(|u| format!("('{u}', '{u}')")).collect();
        session
            .execute(format!("INSERT INTO uuids VALUES {}", rows.join(", ")))
            .await?;
    }

    values.sort_by_key(|value| MariaDbUuidOrd(*value));
    let expected: Vec<String> = values.iter().map(Uuid::to_string).collect();
    for by in ["u", "twin"] {
        let sql = format!("SELECT CAST(u AS CHAR) AS text FROM uuids ORDER BY {by}");
        let found: Vec<String> = session.fetch_text(sql, |row| row.try_get("text")).await?;
        ensure!(
            found == expected,
            "by {by}, the order of {} uuids is another",
            values.len()
        );
    }
    Ok(())
}

/// Sent as text, the values that the server cannot store unharmed are errors.
async fn uuid_type_refuses_what_it_would_damage(session: &mut Session<Sqlx<MySql>>) -> Result<()> {
    session.execute("CREATE TABLE uuids (u UUID)").await?;
    let mut random = Random::Seeded(2);
    for byte6 in deciding_bytes() {
        for byte8 in deciding_bytes() {
            let mut bytes = random.next_u128().to_be_bytes();
            (bytes[6], bytes[8]) = (byte6, byte8);
            let value = Uuid::from_bytes(bytes);
            let mut insert = Query::new("INSERT INTO uuids VALUES (");
            insert.push_param(param(value.to_string())).push(")");
            let outcome = session.run(insert).await;
            ensure!(
                outcome.is_err() == is_refused(byte6, byte8),
                "{value}: refused is {}",
                outcome.is_err()
            );
        }
    }
    Ok(())
}

/// What it refuses is known for every version and variant. Conversions tell in 256 statements what
/// inserting would in 65,536.
async fn uuid_type_converts_what_it_can_store(session: &mut Session<Sqlx<MySql>>) -> Result<()> {
    let mut random = Random::Seeded(5);
    for byte6 in 0..=u8::MAX {
        let values: Vec<String> = (0..=u8::MAX)
            .map(|byte8| {
                let mut bytes = random.next_u128().to_be_bytes();
                (bytes[6], bytes[8]) = (byte6, byte8);
                let value = Uuid::from_bytes(bytes);
                format!("SELECT {byte8} AS n, '{value}' AS text")
            })
            .collect();
        let sql = format!(
            "SELECT n FROM ({}) AS texts WHERE CAST(text AS UUID) IS NULL ORDER BY n",
            values.join(" UNION ALL ")
        );
        let refused: Vec<i64> = session.fetch_text(sql, |row| row.try_get("n")).await?;
        let expected: Vec<i64> = (0..=u8::MAX)
            .filter(|byte8| is_refused(byte6, *byte8))
            .map(i64::from)
            .collect();
        ensure!(refused == expected, "of {byte6:02x}: {refused:02x?}");
    }
    Ok(())
}

/// A value of the type comes as text, as binary text or as sixteen bytes, and is the same key.
async fn uuids_are_read_in_every_shape(session: &mut Session<Sqlx<MySql>>) -> Result<()> {
    let case = Case::<Sqlx<MySql>>::new::<native_uuid::PrefixComb>();
    let id = samples(case.format())[0];
    let literal = case.plan.column(session.backend()).literal(id);
    session
        .execute("CREATE TABLE uuids (id UUID PRIMARY KEY)")
        .await?;
    session
        .execute(format!("INSERT INTO uuids VALUES ({literal})"))
        .await?;
    for shape in [
        "id",
        "CAST(id AS CHAR)",
        "CONVERT(id USING binary)",
        "CAST(id AS BINARY(16))",
        "max(id)",
        "coalesce(id, NULL)",
    ] {
        let sql = format!("SELECT {shape} AS id FROM uuids");
        let read = |row: &MySqlRow| (case.get)(row, "id");
        let found = session.fetch(Query::new(&sql), read).await?;
        ensure!(found == [id], "{shape}: {found:x?}");
        ensure!(session.fetch_text(&sql, read).await? == [id], "{shape}");
    }
    Ok(())
}

/// A column whose declared type turns digits into numbers destroys keys that are text; reading one
/// says so. Sixteen bytes survive in any column.
async fn digits_in_a_numeric_column_are_refused(session: &mut Session<Sqlx<Sqlite>>) -> Result<()> {
    let digits = Case::<Sqlx<Sqlite>>::new::<text_digits::DistributedId>();
    let bytes = [
        Case::<Sqlx<Sqlite>>::new::<uuids::UuidV7>(),
        Case::<Sqlx<Sqlite>>::new::<binary::DistributedId>(),
    ];
    let declared = [
        "DECIMAL(28,0)",
        "NUMERIC",
        "UUID",
        "STRING",
        "BINARY(16)",
        "REAL",
        "INTEGER",
    ];
    for declared in declared {
        session
            .execute(format!("CREATE TABLE damaged (the_key {declared})"))
            .await?;
        for id in [samples(digits.format())[0], 7] {
            session.execute("DELETE FROM damaged").await?;
            let mut insert = Query::new("INSERT INTO damaged VALUES (");
            insert.push_param((digits.param)(id)).push(")");
            session.run(insert).await?;
            let read = |row: &SqliteRow| (digits.get)(row, "the_key");
            let outcome = session
                .fetch_text("SELECT the_key FROM damaged", read)
                .await;
            let error = match outcome {
                Ok(ids) => anyhow::bail!("{declared} kept {ids:?}"),
                Err(error) => error.to_string(),
            };
            for part in [
                "the_key",
                "text of exactly 28 digits",
                "declared type",
                "TEXT",
            ] {
                ensure!(error.contains(part), "{declared}: {error}");
            }
        }
        for case in &bytes {
            session.execute("DELETE FROM damaged").await?;
            let id = samples(case.format())[0];
            let mut insert = Query::new("INSERT INTO damaged VALUES (");
            insert.push_param((case.param)(id)).push(")");
            session.run(insert).await?;
            let read = |row: &SqliteRow| (case.get)(row, "the_key");
            let found = session
                .fetch_text("SELECT the_key FROM damaged", read)
                .await?;
            ensure!(found == [id], "{declared} damaged bytes");
        }
        session.execute("DROP TABLE damaged").await?;
    }
    Ok(())
}
