//! Codes for people: the database keeps them unique, and another is drawn for one that is taken.

use anyhow::{Result, bail, ensure};
use rowkey::code::Code;
use rowkey::storage::Nullability;

use crate::driver::{Driver, Session, Violation};
use crate::query::Query;
use crate::scenario::Scenario;

pub(crate) fn scenarios<D: Driver>() -> [Scenario<D>; 2] {
    [
        Scenario::new("codes_come_back_in_their_order", |session| {
            Box::pin(codes_come_back_in_their_order(session))
        }),
        Scenario::new("a_taken_code_is_drawn_again", |session| {
            Box::pin(a_taken_code_is_drawn_again(session))
        }),
    ]
}

async fn create_table<D: Driver, const LENGTH: usize>(session: &mut Session<D>) -> Result<()> {
    let backend = session.backend();
    let code = Code::<LENGTH>::column_definition(backend, "code", Nullability::NotNull)?;
    let table = format!("CREATE TABLE booking (id BIGINT NOT NULL PRIMARY KEY, {code} UNIQUE)");
    session.execute(table).await
}

async fn insert<D: Driver, const LENGTH: usize>(
    session: &mut Session<D>,
    id: i64,
    code: Code<LENGTH>,
) -> Result<(), D::Error> {
    let mut query = Query::new("INSERT INTO booking (id, code) VALUES (");
    query
        .push_param(D::integer(id))
        .push(format!(", '{code}')"));
    session.run(query).await
}

async fn codes<D: Driver, const LENGTH: usize>(
    session: &mut Session<D>,
    query: &str,
) -> Result<Vec<Code<LENGTH>>> {
    let texts = session
        .fetch(Query::new(query), |row| D::get_text(row, "code"))
        .await?;
    let codes = texts
        .into_iter()
        .map(|text| text.unwrap_or_default().parse());
    Ok(codes.collect::<Result<_, _>>()?)
}

async fn codes_come_back_in_their_order<D: Driver>(session: &mut Session<D>) -> Result<()> {
    create_table::<D, 8>(session).await?;
    // The first and the last, neighbours, every symbol, and check symbols that only they can be.
    let numbers = (0..40).chain([(1 << 40) - 1, (1 << 40) - 2]);
    let shifted = (0..32).map(|symbol| symbol << 35 | symbol << 15);
    let mut expected: Vec<Code<8>> = numbers
        .chain(shifted)
        .filter_map(Code::from_number)
        .chain((0..50).map(|_| Code::generate()))
        .collect();
    expected.sort_unstable();
    expected.dedup();
    for (id, code) in (0..).zip(expected.iter().rev()) {
        insert(session, id, *code).await?;
    }
    let found = codes(session, "SELECT code FROM booking ORDER BY code").await?;
    ensure!(found == expected, "another order: {found:?}");

    for code in expected.iter().step_by(9) {
        let text = code.to_text().to_lowercase();
        let read: Code<8> = text.parse()?;
        let query = format!("SELECT code FROM booking WHERE code = '{read}'");
        ensure!(codes(session, &query).await? == [*code]);
    }
    // The column itself forgives nothing, so that each code has one row.
    let query = format!(
        "SELECT code FROM booking WHERE code = '{}'",
        Code::<8>::from_number(10)
            .expect("it fits")
            .to_text()
            .to_lowercase()
    );
    ensure!(
        codes::<D, 8>(session, &query).await?.is_empty(),
        "either case is found"
    );
    Ok(())
}

/// How often a code is drawn for a row.
const TRIES: u32 = 1_000;

/// Inserts a row with a code that no other has, and says how many were taken.
async fn book<D: Driver>(session: &mut Session<D>, id: i64) -> Result<u32> {
    for taken in 0..TRIES {
        match insert(session, id, Code::<1>::generate()).await {
            Ok(()) => return Ok(taken),
            Err(error) if D::violation(&error) == Some(Violation::Unique) => {}
            Err(error) => return Err(error.into()),
        }
    }
    bail!("no code was free in {TRIES} tries")
}

async fn a_taken_code_is_drawn_again<D: Driver>(session: &mut Session<D>) -> Result<()> {
    create_table::<D, 1>(session).await?;
    let mut taken = 0;
    for id in 0..32 {
        taken += book(session, id).await?;
    }
    // 98 on average; none with 32!/32^32.
    ensure!(taken > 0, "no code was drawn twice");
    let found: Vec<Code<1>> = codes(session, "SELECT code FROM booking ORDER BY code").await?;
    ensure!(
        found.len() == 32 && found.is_sorted_by(|a, b| a < b),
        "{found:?}"
    );
    // Now all are taken, and the tries end.
    let full = book(session, 32).await;
    ensure!(full.is_err_and(|error| error.to_string().starts_with("no code was free")));
    Ok(())
}
