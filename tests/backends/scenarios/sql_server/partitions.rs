//! Partition functions and schemes: rows are in the partition of their time or number.

use anyhow::{Context, Result, ensure};
use rowkey::error::ErrorKind;
use rowkey::sql::Partitions;
use rowkey::storage::Wire;
use rowkey::{Backend, UnixMillis};

use crate::cases::Cases;
use crate::driver::{Driver, ROUTING_COLUMN, Session};
use crate::drivers::tiberius::Tiberius;
use crate::query::Query;
use crate::routed::Routed;
use crate::samples::{Random, WRAP, position, samples};
use crate::scenarios::routed::{
    Kind, LATER, OTHERS, PARTITIONS, create, divided, insert, table_name,
};
use crate::table::{Record, Table, distinct_cases};

const DAY: i64 = 86_400_000;

/// Two days before the samples' centre.
const FIRST: i64 = WRAP - WRAP % DAY - 2 * DAY;

/// Partitions of keys in the order of the server, one of which is split later.
pub(super) async fn times_have_their_partitions(session: &mut Session<Tiberius>) -> Result<()> {
    let mut divided = 0;
    for (case, column) in distinct_cases(session) {
        let format = case.format();
        let name = Table::name_of(&case, Backend::SqlServer);
        let day = |day: i64| FIRST + day * DAY;
        let edges = |days: &[i64]| {
            days.iter()
                .map(|days| UnixMillis::new(day(*days)))
                .collect()
        };
        let new = |days: &[i64]| {
            let edges: Vec<UnixMillis> = edges(days);
            Partitions::by_time(case.plan, name.as_str(), "id", edges)
        };
        let Ok(partitions) = new(&[0, 1, 2, 3]) else {
            continue;
        };
        let statements = match partitions.before_create(Backend::SqlServer) {
            Err(error) if error.kind() == ErrorKind::Declaration => continue,
            statements => statements?,
        };
        ensure!(!matches!(column.wire(), Wire::Text(_)), "text is divided");
        for statement in statements {
            session.execute(statement).await?;
        }
        let clause = partitions.partition_by(Backend::SqlServer)?;
        let table = Table::create_with(session, &case, &clause).await?;
        let records = Record::numbered(samples(format));
        table.insert(session, &records).await?;

        let mut days = vec![0, 1, 2, 3];
        loop {
            let function = session.quoted(&format!("{name}_id"));
            let select = format!("SELECT n, $PARTITION.{function}(id) AS part FROM");
            let found = session
                .fetch(table.query(&select, " ORDER BY n"), |row| {
                    Ok((
                        Tiberius::get_integer(row, "n")?,
                        Tiberius::get_integer(row, "part")?,
                    ))
                })
                .await?;
            ensure!(found.len() == records.len(), "{name}: {} rows", found.len());
            for (record, (n, part)) in records.iter().zip(found) {
                let time = position(format, record.id).context("an id tells its time")?;
                let expected = 1 + days.iter().filter(|edge| day(**edge) <= time).count();
                ensure!(
                    record.n == n && part == expected as i64,
                    "{name}: {record:?} in {part}"
                );
            }
            if days.len() > 4 {
                break;
            }
            for statement in new(&[3, 4])?.additions(Backend::SqlServer)? {
                session.execute(statement).await?;
            }
            days.push(4);
        }
        divided += 1;
    }
    ensure!(divided > 0, "no key is divided");
    Ok(())
}

pub(super) async fn numbers_have_their_partitions(session: &mut Session<Tiberius>) -> Result<()> {
    for routed in Tiberius::routed() {
        for kind in [Kind::Lists, Kind::Ranges] {
            let name = format!("{} by {kind:?}", table_name(&routed, Backend::SqlServer));
            check(session, &routed, kind, &name).await.context(name)?;
        }
    }
    Ok(())
}

async fn check(
    session: &mut Session<Tiberius>,
    routed: &Routed<Tiberius>,
    kind: Kind,
    name: &str,
) -> Result<()> {
    let partitions = divided(routed, kind, name.into(), &PARTITIONS)?;
    create(session, routed, name, Some(&partitions)).await?;
    let mut random = Random::Seeded(13);
    let known = PARTITIONS.into_iter().chain([LATER]);
    let numbers = known.flat_map(|(_, numbers)| numbers.iter().copied());
    let numbers: Vec<u32> = numbers.chain(OTHERS).collect();
    let mut found_in = Vec::new();
    for number in &numbers {
        let id = (routed.made)(*number, &mut random);
        insert(session, routed, name, id, (routed.number)(id)).await?;
        let function = session.quoted(&format!("{name}_{ROUTING_COLUMN}"));
        let table = session.quoted(name);
        let column = session.quoted(ROUTING_COLUMN);
        let mut select = Query::new(format!(
            "SELECT CAST($PARTITION.{function}({column}) AS BIGINT) AS part FROM {table} WHERE "
        ));
        (routed.push)(&mut select, id);
        let found = session
            .fetch(select, |row| Tiberius::get_integer(row, "part"))
            .await?;
        found_in.push((*number, found));
    }
    // The boundaries as they are documented: those of ranges, or of runs of a list's numbers.
    let boundaries: &[u32] = match kind {
        Kind::Ranges => &[0, 8, 100, 201],
        Kind::Lists => &[0, 1, 7, 8, 9, 99, 100, 101, 200, 201],
    };
    for (number, found) in found_in {
        let expected = 1 + boundaries.iter().filter(|edge| **edge <= number).count();
        ensure!(found == [expected as i64], "{number} is in {found:?}");
    }
    Ok(())
}
