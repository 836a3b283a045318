//! PostgreSQL's arrays of keys.

use anyhow::{Result, ensure};
use sqlx::postgres::PgHasArrayType;
use sqlx::{Postgres, QueryBuilder, Row};

use super::Scenario;
use crate::driver::{KeyOf, Session};
use crate::keys::{Case, binary, decimal, text, uuid};
use crate::samples::samples;
use crate::table::{Record, Table};

pub(crate) fn scenario() -> Scenario<Postgres> {
    Scenario::new("arrays_of_keys", |session| {
        Box::pin(async {
            arrays_of::<uuid::ShortSuffixComb>(session).await?;
            arrays_of::<decimal::DistributedId>(session).await?;
            arrays_of::<decimal::DistributedId128>(session).await?;
            arrays_of::<binary::DistributedId>(session).await?;
            arrays_of::<text::UuidV7>(session).await
        })
    })
}

/// An array as parameter, as result in both protocols, over a domain, and of another type.
async fn arrays_of<K>(session: &mut Session<Postgres>) -> Result<()>
where
    K: KeyOf<Postgres> + PgHasArrayType,
{
    let case = Case::<Postgres>::new::<K>();
    let ids = samples(case.format());
    let keys: Vec<K> = ids[..5]
        .iter()
        .map(|id| K::try_from(*id))
        .collect::<Result<_, _>>()?;
    let table = Table::create(session, &case).await?;

    let mut unnest = table.query(
        "INSERT INTO",
        " (id, n) SELECT id, row_number() OVER () FROM unnest(",
    );
    unnest.push_bind(&keys).push(") AS id");
    session.fetch(unnest).await?;

    let mut any = table.query("SELECT id, parent, n FROM", " WHERE id = any(");
    any.push_bind(&keys[1..3]).push(") ORDER BY n");
    let found = table.records(&session.fetch(any).await?)?;
    let record = |n, key: K| Record {
        n,
        id: key.to_u128(),
        parent: None,
    };
    ensure!(
        found == [record(2, keys[1]), record(3, keys[2])],
        "{found:?}"
    );

    let aggregate = format!(
        "SELECT array_agg(id ORDER BY n) AS ids, array_agg(parent) AS parents, \
         '{{}}'::int[] AS numbers FROM {}",
        table.name()
    );
    for rows in [
        session.fetch(QueryBuilder::new(aggregate.as_str())).await?,
        session.fetch_text(aggregate.as_str()).await?,
    ] {
        ensure!(rows[0].try_get::<Vec<K>, _>("ids")? == keys);
        ensure!(rows[0].try_get::<Vec<Option<K>>, _>("parents")? == [None; 5]);
        ensure!(rows[0].try_get::<Vec<K>, _>("numbers").is_err());
        ensure!(rows[0].try_get::<K, _>("ids").is_err());
    }

    // Named after the key, because sqlx prepares equal texts once.
    let column = case.plan.column(session.backend());
    let domain = session.quoted(&format!("{} {}", case.format(), column.storage()));
    let sql_type = case.plan.column_type(session.backend())?;
    session
        .fetch_text(format!("CREATE DOMAIN {domain} AS {sql_type}"))
        .await?;
    let mut of_domain = QueryBuilder::new("SELECT d, array[d, NULL] AS ds FROM (SELECT ");
    of_domain
        .push_bind(keys[0])
        .push(format_args!("::{domain} AS d) AS domains"));
    let rows = session.fetch(of_domain).await?;
    ensure!(rows[0].try_get::<K, _>("d")? == keys[0]);
    ensure!(rows[0].try_get::<Vec<Option<K>>, _>("ds")? == [Some(keys[0]), None]);
    Ok(())
}
