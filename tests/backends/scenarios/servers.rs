//! What single servers do with values, as far as the rules of rowkey depend on it.

use anyhow::{Result, ensure};
use rowkey::MariaDbUuidOrd;
use sqlx::{MySql, QueryBuilder, Row, Sqlite};
use uuid::Uuid;

use super::Scenario;
use crate::driver::Session;
use crate::keys::{Case, binary, decimal, text_digits, uuid as uuids};
use crate::samples::{Random, samples};
use crate::table::{Record, Table};

pub(crate) fn mysql() -> Vec<Scenario<MySql>> {
    vec![Scenario::new("digits_as_text_find_other_rows", |session| {
        Box::pin(digits_as_text_find_other_rows(session))
    })]
}

pub(crate) fn mariadb() -> Vec<Scenario<MySql>> {
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
    ]
}

pub(crate) fn sqlite() -> Vec<Scenario<Sqlite>> {
    vec![Scenario::new(
        "digits_in_a_numeric_column_are_refused",
        |session| Box::pin(digits_in_a_numeric_column_are_refused(session)),
    )]
}

/// Compared with text, a DECIMAL column is a floating-point number: lists and intervals of digits
/// hit other rows than the keys do. This is why keys are bound as DECIMAL.
async fn digits_as_text_find_other_rows(session: &mut Session<MySql>) -> Result<()> {
    let case = Case::<MySql>::new::<decimal::DistributedId>();
    let base = samples(case.format())[0] & !7;
    let ids: Vec<u128> = (base..base + 5).collect();
    // In a column without an index, which can hide the comparison.
    let records: Vec<Record> = Record::numbered(ids.iter().copied())
        .into_iter()
        .map(|record| record.with_parent(record.id))
        .collect();
    let table = Table::create(session, &case).await?;
    table.insert(session, &records).await?;

    let push_text: fn(&mut QueryBuilder<MySql>, u128) = |query, id| {
        query.push_bind(id.to_string());
    };
    for (before, between, after, meant) in [
        ("parent IN (", ", ", ")", &[1, 3][..]),
        ("parent NOT IN (", ", ", ")", &[0, 2, 4]),
        ("parent BETWEEN ", " AND ", "", &[1, 2, 3]),
    ] {
        let mut found = Vec::new();
        for push in [case.push, push_text] {
            let condition = |query: &mut QueryBuilder<MySql>| {
                query.push(before);
                push(query, ids[1]);
                query.push(between);
                push(query, ids[3]);
                query.push(after);
                Ok(())
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
async fn uuid_type_has_the_known_order(session: &mut Session<MySql>) -> Result<()> {
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
        .fetch_text("CREATE TABLE uuids (u UUID PRIMARY KEY, twin UUID NOT NULL)")
        .await?;
    for chunk in random.shuffled(&values).chunks(1_000) {
        let rows: Vec<String> = chunk.iter().map(|u| format!("('{u}', '{u}')")).collect();
        session
            .fetch_text(format!("INSERT INTO uuids VALUES {}", rows.join(", ")))
            .await?;
    }

    values.sort_by_key(|value| MariaDbUuidOrd(*value));
    let expected: Vec<String> = values.iter().map(Uuid::to_string).collect();
    for by in ["u", "twin"] {
        let sql = format!("SELECT CAST(u AS CHAR) AS text FROM uuids ORDER BY {by}");
        let rows = session.fetch_text(sql).await?;
        let found: Vec<String> = rows
            .iter()
            .map(|row| row.try_get("text"))
            .collect::<Result<_, _>>()?;
        ensure!(
            found == expected,
            "by {by}, the order of {} uuids is another",
            values.len()
        );
    }
    Ok(())
}

/// Sent as text, the values that the server cannot store unharmed are errors.
async fn uuid_type_refuses_what_it_would_damage(session: &mut Session<MySql>) -> Result<()> {
    session.fetch_text("CREATE TABLE uuids (u UUID)").await?;
    let mut random = Random::Seeded(2);
    for byte6 in deciding_bytes() {
        for byte8 in deciding_bytes() {
            let mut bytes = random.next_u128().to_be_bytes();
            (bytes[6], bytes[8]) = (byte6, byte8);
            let value = Uuid::from_bytes(bytes);
            let mut insert = QueryBuilder::new("INSERT INTO uuids VALUES (");
            insert.push_bind(value.to_string()).push(")");
            let outcome = session.fetch(insert).await;
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
async fn uuid_type_converts_what_it_can_store(session: &mut Session<MySql>) -> Result<()> {
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
        let refused: Vec<i64> = session
            .fetch_text(sql)
            .await?
            .iter()
            .map(|row| row.try_get("n"))
            .collect::<Result<_, _>>()?;
        let expected: Vec<i64> = (0..=u8::MAX)
            .filter(|byte8| is_refused(byte6, *byte8))
            .map(i64::from)
            .collect();
        ensure!(refused == expected, "of {byte6:02x}: {refused:02x?}");
    }
    Ok(())
}

/// A column whose declared type turns digits into numbers destroys keys that are text; reading one
/// says so. Sixteen bytes survive in any column.
async fn digits_in_a_numeric_column_are_refused(session: &mut Session<Sqlite>) -> Result<()> {
    let digits = Case::<Sqlite>::new::<text_digits::DistributedId>();
    let bytes = [
        Case::<Sqlite>::new::<uuids::UuidV7>(),
        Case::<Sqlite>::new::<binary::DistributedId>(),
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
            .fetch_text(format!("CREATE TABLE damaged (the_key {declared})"))
            .await?;
        for id in [samples(digits.format())[0], 7] {
            session.fetch_text("DELETE FROM damaged").await?;
            let mut insert = QueryBuilder::new("INSERT INTO damaged VALUES (");
            (digits.push)(&mut insert, id);
            insert.push(")");
            session.fetch(insert).await?;
            let rows = session.fetch_text("SELECT the_key FROM damaged").await?;
            let error = match (digits.read)(&rows[0], "the_key") {
                Ok(id) => anyhow::bail!("{declared} kept {id}"),
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
            session.fetch_text("DELETE FROM damaged").await?;
            let id = samples(case.format())[0];
            let mut insert = QueryBuilder::new("INSERT INTO damaged VALUES (");
            (case.push)(&mut insert, id);
            insert.push(")");
            session.fetch(insert).await?;
            let rows = session.fetch_text("SELECT the_key FROM damaged").await?;
            ensure!(
                (case.read)(&rows[0], "the_key")? == id,
                "{declared} damaged bytes"
            );
        }
        session.fetch_text("DROP TABLE damaged").await?;
    }
    Ok(())
}
