//! The page about DistributedId128 in two columns, `docs/src/two-columns.md`: its statements find
//! the rows, in the order of the ids.

use anyhow::{Result, ensure};
use rowkey::{Backend, DistributedId128, UnixMillis};

use crate::book;
use crate::driver::{Driver, Session, Violation};
use crate::index_use::check_index_use;
use crate::query::Query;
use crate::scenario::Scenario;

/// The id of the page, and the day that it was made on.
const ID: &str = "094954a8-622c-76ad-1b93-cdefcbdf0888";
const DAY: [i64; 2] = [1_690_156_800_000, 1_690_243_200_000];

pub(crate) fn scenario<D: Driver>() -> Scenario<D> {
    Scenario::new("ids_in_two_columns", |session| {
        Box::pin(ids_in_two_columns(session))
    })
}

/// Ids around the one of the page and the edges of its day, the extremes of both halves, and enough
/// others for an index to pay; in their order.
fn ids() -> Result<Vec<DistributedId128>> {
    let id: DistributedId128 = ID.parse()?;
    let mut ids = vec![id];
    let time = id.time().get();
    let randoms = [0, 1, (1 << 63) - 1, 1 << 63, id.random() + 1, (1 << 75) - 1];
    for at in [
        DAY[0] - 1,
        DAY[0],
        time - 1,
        time,
        time + 1,
        DAY[1] - 1,
        DAY[1],
    ] {
        for random in randoms {
            ids.push(DistributedId128::from_parts(UnixMillis::new(at), random)?);
        }
    }
    for second in 1..=1_000 {
        let at = UnixMillis::new(DAY[1] + second * 1_000);
        ids.push(DistributedId128::from_parts(at, 1 << 40)?);
    }
    for upper in [0, 1, i64::MAX] {
        for lower in [0, 1, i64::MAX] {
            ids.push(DistributedId128::join(upper, lower)?);
        }
    }
    ids.sort_unstable();
    ids.dedup();
    Ok(ids)
}

async fn insert<D: Driver>(
    session: &mut Session<D>,
    rows: &[(i64, i64, String)],
) -> Result<(), D::Error> {
    let mut query = Query::new("INSERT INTO shipments (id_upper, id_lower, title) VALUES ");
    for (index, (upper, lower, title)) in rows.iter().enumerate() {
        query
            .push(if index == 0 { "(" } else { ", (" })
            .push_param(D::integer(*upper))
            .push(", ")
            .push_param(D::integer(*lower))
            .push(format!(", '{title}')"));
    }
    session.run(query).await
}

async fn ids_in_two_columns<D: Driver>(session: &mut Session<D>) -> Result<()> {
    let backend = session.backend();
    session.execute(book::sql(backend, "shipments")?).await?;
    let ids = ids()?;
    let rows = ids
        .iter()
        .map(|id| Ok((id.split()?.0, id.split()?.1, id.to_string())))
        .collect::<Result<Vec<_>>>()?;
    // In no order.
    let mut shuffled = rows.clone();
    shuffled.sort_by_key(|(_, _, title)| title.chars().rev().collect::<String>());
    for chunk in shuffled.chunks(100) {
        insert(session, chunk).await?;
    }

    let query = Query::new("SELECT id_upper, id_lower FROM shipments ORDER BY id_upper, id_lower");
    let halves = session
        .fetch(query, |row| {
            Ok((
                D::get_integer(row, "id_upper")?,
                D::get_integer(row, "id_lower")?,
            ))
        })
        .await?;
    let read = halves
        .into_iter()
        .map(|(upper, lower)| DistributedId128::join(upper, lower))
        .collect::<Result<Vec<_>, _>>()?;
    ensure!(read == ids, "the rows are in another order than the ids");

    for (upper, lower, title) in rows.iter().step_by(7) {
        let mut query = Query::new("SELECT title FROM shipments WHERE id_upper = ");
        query
            .push_param(D::integer(*upper))
            .push(" AND id_lower = ")
            .push_param(D::integer(*lower));
        let found = session
            .fetch(query, |row| D::get_text(row, "title"))
            .await?;
        ensure!(found == [Some(title.clone())], "{title}: {found:?}");
    }

    let id: DistributedId128 = ID.parse()?;
    let is_of_the_day = |id: &DistributedId128| (DAY[0]..DAY[1]).contains(&id.time().get());
    let is_after = |other: &DistributedId128| *other > id;
    let is_it = |other: &DistributedId128| *other == id;
    for (block, expected) in [
        ("find-shipment", &is_it as &dyn Fn(&_) -> bool),
        ("shipments-of-a-day", &is_of_the_day),
        ("shipments-after", &is_after),
    ] {
        let titles: Vec<_> = ids
            .iter()
            .filter(|id| expected(id))
            .map(|id| Some(id.to_string()))
            .collect();
        ensure!(!titles.is_empty() && titles.len() < ids.len());
        let found = session
            .fetch_text(book::sql(backend, block)?, |row| D::get_text(row, "title"))
            .await?;
        ensure!(found == titles, "{block} finds {found:?}");
    }

    if backend == Backend::Postgres {
        session.execute("ANALYZE shipments").await?;
    }
    let span = book::sql(backend, "shipments-of-a-day")?;
    check_index_use(session, |query| {
        query.push(span);
    })
    .await?;

    let again = insert(session, &rows[..1]).await;
    let violation = again.err().and_then(|error| D::violation(&error));
    ensure!(violation == Some(Violation::Unique), "{violation:?}");
    // MySQL checks since 8.0.16.
    if backend != Backend::MySql {
        for halves in [(-1, 0), (0, -1)] {
            let negative = [(halves.0, halves.1, "negative".to_owned())];
            ensure!(insert(session, &negative).await.is_err(), "{halves:?}");
        }
    }
    Ok(())
}
