//! PostgreSQL's arrays of keys.

use anyhow::{Result, ensure};
use rowkey::EntityKey;
use sqlx::postgres::{PgHasArrayType, PgRow};
use sqlx::{Decode, Encode, Postgres, Row, Type};

use crate::driver::Session;
use crate::drivers::sqlx::{Sqlx, param};
use crate::keys::{Case, bigint, binary, decimal, text, text_compact, text_digits, uuid};
use crate::query::Query;
use crate::samples::samples;
use crate::scenario::Scenario;
use crate::table::{Record, Table};

pub(crate) fn scenario() -> Scenario<Sqlx<Postgres>> {
    Scenario::new("arrays_of_keys", |session| {
        Box::pin(async {
            arrays_of::<uuid::ShortSuffixComb>(session).await?;
            arrays_of::<decimal::DistributedId>(session).await?;
            arrays_of::<decimal::DistributedId128>(session).await?;
            arrays_of::<binary::DistributedId>(session).await?;
            arrays_of::<uuid::Luuid>(session).await?;
            arrays_of::<text::UuidV7>(session).await?;
            arrays_of::<text_compact::DistributedId>(session).await?;
            arrays_of::<text_digits::DistributedId128>(session).await?;
            arrays_of::<bigint::DatabaseNumber>(session).await
        })
    })
}

/// Text columns of every type that PostgreSQL has for them hold keys of text.
pub(crate) fn text_types() -> Scenario<Sqlx<Postgres>> {
    Scenario::new("types_of_text_are_read_alike", |session| {
        Box::pin(async {
            let case = Case::<Sqlx<Postgres>>::new::<text::UuidV7>();
            let id = samples(case.format())[0];
            let literal = case.plan.column(session.backend()).literal(id);
            for sql_type in ["text", "varchar", "varchar(36)", "char(36)"] {
                let sql = format!("SELECT {literal}::{sql_type} AS id");
                let read = |row: &PgRow| (case.get)(row, "id");
                let found = session.fetch(Query::new(&sql), read).await?;
                ensure!(found == [id], "{sql_type}: {found:x?}");
                ensure!(session.fetch_text(&sql, read).await? == [id], "{sql_type}");
            }
            Ok(())
        })
    })
}

/// An array as parameter, as result in both protocols, over a domain, and of another type.
async fn arrays_of<K>(session: &mut Session<Sqlx<Postgres>>) -> Result<()>
where
    K: EntityKey + PgHasArrayType + Type<Postgres>,
    K: for<'q> Encode<'q, Postgres> + for<'r> Decode<'r, Postgres>,
{
    let case = Case::<Sqlx<Postgres>>::new::<K>();
    let ids = samples(case.format());
    ensure!(ids.len() >= 200);
    let keys: Vec<K> = ids
        .iter()
        .map(|id| K::try_from(*id))
        .collect::<Result<_, _>>()?;
    let table = Table::create(session, &case).await?;

    let mut unnest = table.query(
        "INSERT INTO",
        " (id, n) SELECT id, row_number() OVER () FROM unnest(",
    );
    unnest.push_param(param(keys.clone())).push(") AS id");
    session.run(unnest).await?;

    let none: Vec<K> = Vec::new();
    let mut of_none = table.query("SELECT id, parent, n FROM", " WHERE id = any(");
    of_none.push_param(param(none)).push(")");
    ensure!(table.records(session, of_none).await?.is_empty());

    let mut any = table.query("SELECT id, parent, n FROM", " WHERE id = any(");
    any.push_param(param(keys[1..3].to_vec()))
        .push(") ORDER BY n");
    let found = table.records(session, any).await?;
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
    let read = |row: &PgRow| {
        let ids = row.try_get::<Vec<K>, _>("ids")?;
        let parents = row.try_get::<Vec<Option<K>>, _>("parents")?;
        let refused =
            row.try_get::<Vec<K>, _>("numbers").is_err() && row.try_get::<K, _>("ids").is_err();
        Ok((ids, parents, refused))
    };
    for found in [
        session.fetch(Query::new(&aggregate), read).await?,
        session.fetch_text(&aggregate, read).await?,
    ] {
        ensure!(found == [(keys.clone(), vec![None; keys.len()], true)]);
    }

    // Named after the key, because sqlx prepares equal statements once.
    let column = case.plan.column(session.backend());
    let domain = session.quoted(&format!("{} {}", case.format(), column.storage()));
    let sql_type = case.plan.column_type(session.backend())?;
    session
        .execute(format!("CREATE DOMAIN {domain} AS {sql_type}"))
        .await?;
    let mut of_domain = Query::new("SELECT d, array[d, NULL] AS ds FROM (SELECT ");
    of_domain
        .push_param(param(keys[0]))
        .push(format_args!("::{domain} AS d) AS domains"));
    let read = |row: &PgRow| {
        let key = row.try_get::<K, _>("d")?;
        Ok((key, row.try_get::<Vec<Option<K>>, _>("ds")?))
    };
    let found = session.fetch(of_domain, read).await?;
    ensure!(found == [(keys[0], vec![Some(keys[0]), None])]);
    Ok(())
}
