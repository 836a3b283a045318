//! The creation times that new ids are to carry.

use anyhow::{Context, Result, bail, ensure};
use rowkey_core::UnixMillis;
use rowkey_core::format::FormatKind;
use rowkey_core::uuid::Uuid;
use rowkey_relayout::Phase;
use rowkey_relayout::preflight::{ColumnPreflight, Preflight};
use rowkey_tables::Error;
use rowkey_testkit::{Backend, Suite};

use crate::relayout::add;
use crate::relayout::rekeyed::{create, created, request};
use crate::relayout::shop::Shop;

pub(crate) fn add_tests(suite: &mut Suite) {
    add(suite, "times_that_no_id_carries_are_refused", refused);
    add(suite, "seconds_and_days_are_times", other_types);
}

/// What is a value of the time column, but no time that an id carries.
fn unusable(shop: &Shop) -> &'static [&'static str] {
    match shop.dialect.backend {
        Backend::Postgres => &["infinity", "-infinity", "1850-01-01"],
        Backend::MySql | Backend::MariaDb => {
            &["0000-00-00 00:00:00", "2024-00-07 00:00:00", "1850-01-01"]
        }
        _ => &["someday", "-4000-01-01", "1850-01-01"],
    }
}

async fn preflight(shop: &Shop, created: &str) -> Result<Preflight> {
    let mut request = request();
    request.created = Some(created.into());
    let plan = shop.plan_for(&request).await?;
    Ok(Preflight::read(&mut shop.connect().await?, &plan).await?)
}

async fn refused(shop: Shop) -> Result<()> {
    create(&shop).await?;
    let mut connection = shop.connect().await?;
    if shop.dialect.is_mysql() {
        let lax = "SET sql_mode = 'ALLOW_INVALID_DATES'";
        connection.execute("dates with zeros", lax).await?;
    }
    for (id, time) in (7..).zip(unusable(&shop)) {
        let update = format!("UPDATE ticket SET created_at = '{time}' WHERE id = {id}");
        connection.execute("a time", &update).await?;
    }
    let plan = shop.plan_for(&request()).await?;
    let outcome = shop.run(&plan, Phase::Swap).await;
    let Err(error @ Error::Refused { .. }) = outcome else {
        bail!("{outcome:?} instead of a refusal");
    };
    let error = error.to_string();
    ensure!(
        error.contains("ticket.created_at: the creation time of 3"),
        "{error}"
    );
    let example = unusable(&shop).iter().any(|time| error.contains(time));
    ensure!(example, "no example in {error}");
    let found = preflight(&shop, "created_at").await?;
    ensure!(found.refused == [error], "{:?}", found.refused);

    let forget = "UPDATE ticket SET created_at = NULL WHERE id BETWEEN 7 AND 9";
    connection.execute("no time", forget).await?;
    let found = preflight(&shop, "created_at").await?;
    ensure!(found.refused.is_empty(), "{:?}", found.refused);
    let untimed = "3 rows of ticket have no created_at";
    ensure!(
        found.notes.iter().any(|note| note.contains(untimed)),
        "{:?}",
        found.notes
    );
    let key = found.columns.first().context("the key")?;
    let times = times(key)?;
    ensure!(times.len() == 5, "{key:?}");
    for (id, time) in times {
        ensure!((7..=9).contains(&id) || time == created(id), "{id}: {time}");
    }
    shop.run(&plan, Phase::Swap).await?;
    Ok(())
}

/// The times in the examples of new ids, by the old ids.
fn times(key: &ColumnPreflight) -> Result<Vec<(i64, i64)>> {
    let samples = key.samples.iter().map(|sample| {
        let id = Uuid::try_parse(sample.after.as_deref().context("an id")?)?;
        let time = FormatKind::UuidV7.time_of(id.as_u128()).context("a time")?;
        Ok((sample.before.parse()?, UnixMillis::get(time)))
    });
    samples.collect()
}

/// Numbers of seconds and of milliseconds in columns of 32 and 64 bits, and days.
async fn other_types(shop: Shop) -> Result<()> {
    create(&shop).await?;
    let mut connection = shop.connect().await?;
    for (column, sql_type, value, millis) in [
        ("seconds", "integer", "1700000000 + id", 1_000),
        ("millis", "bigint", "1700000000000 + id * 1000", 1_000),
        ("made_on", "date", "'2023-11-14'", 0),
    ] {
        let add = format!("ALTER TABLE ticket ADD COLUMN {column} {sql_type}");
        connection.execute("a column", &add).await?;
        let fill = format!("UPDATE ticket SET {column} = {value}");
        connection.execute("times", &fill).await?;
        let found = preflight(&shop, column).await?;
        ensure!(found.refused.is_empty(), "{:?}", found.refused);
        let times = times(found.columns.first().context("the key")?)?;
        ensure!(times.len() == 5, "{times:?}");
        for (id, time) in times {
            let expected = match millis {
                0 => 1_699_920_000_000,
                _ => 1_700_000_000_000 + id * millis,
            };
            ensure!(time == expected, "{column}: {id} has {time}");
        }
    }
    Ok(())
}
