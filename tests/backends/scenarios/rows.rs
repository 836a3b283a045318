//! Rows as structs and tuples, which sqlx derives.

use anyhow::{Result, ensure};
use sqlx::{Database, FromRow};

use crate::driver::{Driver, KeyOf, Session};
use crate::drivers::sqlx::Sqlx;
use crate::keys::{Case, decimal, uuid};
use crate::query::Query;
use crate::samples::samples;
use crate::scenario::Scenario;
use crate::table::{Record, Table};

/// What a program has of a row.
#[derive(Debug, PartialEq, FromRow)]
pub(crate) struct Invoice {
    #[sqlx(rename = "id")]
    key: decimal::DistributedId,
    #[sqlx(flatten)]
    corrected: Corrected,
}

#[derive(Debug, PartialEq, FromRow)]
pub(crate) struct Corrected {
    parent: Option<decimal::DistributedId>,
}

pub(crate) type Pair = (uuid::ShortPrefixComb, Option<uuid::ShortPrefixComb>);

pub(crate) fn scenario<DB>() -> Scenario<Sqlx<DB>>
where
    DB: Database,
    Sqlx<DB>: for<'r> Driver<Row<'r> = DB::Row, Error = sqlx::Error>,
    Invoice: for<'r> FromRow<'r, DB::Row>,
    Pair: for<'r> FromRow<'r, DB::Row>,
    decimal::DistributedId: KeyOf<Sqlx<DB>>,
    uuid::ShortPrefixComb: KeyOf<Sqlx<DB>>,
{
    Scenario::new("rows_are_structs_and_tuples", |session| {
        Box::pin(async {
            let (select, [first, second]) = two_rows::<_, decimal::DistributedId>(session).await?;
            let found = session.fetch(select, |row| Invoice::from_row(row)).await?;
            let invoice = |key, parent| Invoice {
                key,
                corrected: Corrected { parent },
            };
            let expected = [invoice(first, None), invoice(second, Some(first))];
            ensure!(found == expected, "{found:?}");

            let (select, [first, second]) = two_rows::<_, uuid::ShortPrefixComb>(session).await?;
            let found = session.fetch(select, |row| Pair::from_row(row)).await?;
            ensure!(found == [(first, None), (second, Some(first))], "{found:?}");
            Ok(())
        })
    })
}

/// Stores two rows, the second with the key of the first. Returns the keys and the query for them.
async fn two_rows<D: Driver, K: KeyOf<D>>(session: &mut Session<D>) -> Result<(Query<D>, [K; 2])> {
    let case = Case::new::<K>();
    let ids = samples(case.format());
    let table = Table::create(session, &case).await?;
    let [first, second] = Record::numbered([ids[0], ids[1]])[..] else {
        anyhow::bail!("there are two samples");
    };
    let records = [first, second.with_parent(first.id)];
    table.insert(session, &records).await?;
    let select = table.query("SELECT id, parent FROM", " ORDER BY n");
    Ok((select, [K::try_from(first.id)?, K::try_from(second.id)?]))
}
