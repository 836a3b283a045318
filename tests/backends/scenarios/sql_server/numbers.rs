//! Numbers as parameters and in bulk inserts.

use anyhow::{Result, ensure};

use super::bulk::send_in_bulk;
use crate::driver::{Driver, Session};
use crate::drivers::tiberius::Tiberius;
use crate::keys::{Case, decimal};
use crate::table::{Record, Table};

/// Zero, the largest number, and the smallest, the largest and others of each length that the
/// protocol has a size for.
pub(super) fn numbers(case: &Case<Tiberius>) -> Vec<Record> {
    let max = case.plan.max_value();
    let mut ids = vec![0, max];
    for digits in [1, 9, 10, 19, 20, 28, 29, 38] {
        let power = 10_u128.pow(digits - 1);
        ids.extend([power, power + 1, power * 9, (power - 1) * 10 + 9]);
    }
    ids.retain(|id| *id <= max);
    ids.sort_unstable();
    ids.dedup();
    Record::numbered(ids)
        .into_iter()
        .map(|record| record.with_parent(record.id))
        .collect()
}

/// Whether the server has these numbers and no others, in their order.
pub(super) async fn check_numbers(
    session: &mut Session<Tiberius>,
    table: &Table<'_, Tiberius>,
    records: &[Record],
) -> Result<()> {
    let shown = table.query(
        "SELECT CONVERT(varchar(38), id) AS digits, CONVERT(varchar(38), parent) AS others FROM",
        " ORDER BY id",
    );
    let found = session
        .fetch(shown, |row| {
            let digits = Tiberius::get_text(row, "digits")?;
            Ok((digits, Tiberius::get_text(row, "others")?))
        })
        .await?;
    let digits = records.iter().map(|record| Some(record.id.to_string()));
    let expected: Vec<_> = digits.map(|digits| (digits.clone(), digits)).collect();
    ensure!(found == expected, "{found:?}");
    Ok(())
}

/// Numbers have a type for each length on the way to the server, which compares them all the same.
pub(super) async fn check_number_parameters(
    session: &mut Session<Tiberius>,
    case: Case<Tiberius>,
) -> Result<()> {
    let records = numbers(&case);
    let table = Table::create(session, &case).await?;
    table.insert(session, &records).await?;
    check_numbers(session, &table, &records).await?;
    let last = records.len() as i64 - 1;
    for record in &records {
        let found = table.records_of(session, record.id).await?;
        ensure!(found == [*record], "{found:?} instead of {record:?}");
        // In a list the server looks for one type for all of them.
        let found = table
            .numbers_where(session, |query| {
                query
                    .push("parent IN (")
                    .push_param((case.param)(record.id))
                    .push(", ")
                    .push_param((case.param)(0))
                    .push(", ")
                    .push_param((case.param)(records[last as usize].id))
                    .push(")");
            })
            .await?;
        let mut expected = vec![0, record.n, last];
        expected.dedup();
        ensure!(found == expected, "{record:?}: {found:?}");
    }
    Ok(())
}

pub(super) async fn short_numbers_are_parameters(session: &mut Session<Tiberius>) -> Result<()> {
    let case = Case::new::<decimal::DistributedId>();
    check_number_parameters(session, case).await
}

pub(super) async fn long_numbers_are_parameters(session: &mut Session<Tiberius>) -> Result<()> {
    let case = Case::new::<decimal::DistributedId128>();
    check_number_parameters(session, case).await
}

pub(super) async fn numbers_are_in_bulk_rows(session: &mut Session<Tiberius>) -> Result<()> {
    for case in [
        Case::new::<decimal::DistributedId>(),
        Case::new::<decimal::DistributedId128>(),
    ] {
        let records = numbers(&case);
        let table = Table::create(session, &case).await?;
        send_in_bulk(session, &case, table.name(), &records).await?;
        check_numbers(session, &table, &records).await?;
    }
    Ok(())
}
