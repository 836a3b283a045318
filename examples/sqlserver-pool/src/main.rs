//! Offers and their variants in SQL Server: parameters, NULLs, a bulk insert, a list of keys, and a
//! time range.
//!
//! ```console
//! $ export ROWKEY_TEST_SQLSERVER_URL='server=tcp:localhost,1433;user=sa;password=…'
//! $ cargo run -p sqlserver-pool
//! ```
//!
//! `DATABASE_URL` also works. The table is temporary.

mod pool;

use std::env;

use anyhow::{Context, Result};
use pool::{Manager, Pool};
use rowkey::driver::tiberius::{Condition, RowKeys, ToBulkValue, ToParam};
use rowkey::storage::Nullability;
use rowkey::{Backend, EntityKey, ShortPrefixComb, UnixMillis, entity_key};
use tiberius::{Config, IntoRow, Query, Row};

/// An offer, which can be a variant of another.
#[entity_key]
struct OfferId(ShortPrefixComb);

#[tokio::main]
async fn main() -> Result<()> {
    let url = env::var("ROWKEY_TEST_SQLSERVER_URL")
        .or_else(|_| env::var("DATABASE_URL"))
        .context("set ROWKEY_TEST_SQLSERVER_URL or DATABASE_URL to an ADO.NET connection string")?;
    let pool = Pool::builder(Manager(Config::from_ado_string(&url)?))
        .max_size(4)
        .build()?;
    let mut client = pool.get().await?;

    // Not as a query with parameters, which would drop the temporary table at its end.
    client.simple_query(table()?).await?.into_results().await?;

    let original = OfferId::generate();
    let parent = None::<OfferId>;
    client
        .execute(
            "INSERT INTO #offer (id, parent, title) VALUES (@P1, @P2, @P3)",
            &[&original, &parent.to_param(), &"Fjords"],
        )
        .await?;

    let mut variants = OfferId::generate_batch(1_000);
    OfferId::sort_for(Backend::SqlServer, &mut variants);
    let mut bulk = client.bulk_insert("#offer").await?;
    for &variant in &variants {
        let row = (variant, Some(original).to_bulk_value(), "Fjords in winter");
        bulk.send(row.into_row()).await?;
    }
    bulk.finalize().await?;

    let count = "SELECT COUNT(*) FROM #offer WHERE parent = @P1";
    let counted = client.query(count, &[&original]).await?.into_row().await?;
    let count: i32 = counted
        .and_then(|row| row.get(0))
        .context("there is no count")?;
    println!("{count} variants of {original}");

    let written = [original, variants[0], variants[1]];
    let listed = Condition::in_keys("id", &written, 1)?;
    let mut query = Query::new(format!(
        "SELECT id, parent FROM #offer WHERE {listed} ORDER BY title"
    ));
    listed.bind(&mut query)?;
    for row in query.query(&mut client).await?.into_first_result().await? {
        println!("{}", description(&row)?);
    }

    let now = UnixMillis::now();
    let recent = OfferId::bounds(now.saturating_sub(std::time::Duration::from_secs(3_600))..=now);
    let recent = Condition::within("id", recent, 2)?;
    let mut query = Query::new(format!(
        "SELECT TOP 5 id, parent FROM #offer WHERE parent = @P1 AND {recent} ORDER BY id"
    ));
    query.bind(original);
    recent.bind(&mut query)?;
    for row in query.query(&mut client).await?.into_first_result().await? {
        println!("of the last hour: {}", description(&row)?);
    }
    Ok(())
}

fn description(row: &Row) -> Result<String> {
    let offer: OfferId = row.try_key("id")?;
    let parent: Option<OfferId> = row.try_optional_key("parent")?;
    Ok(match parent {
        Some(parent) => format!("{offer} is a variant of {parent}"),
        None => format!("{offer} is an original"),
    })
}

fn table() -> Result<String> {
    let column =
        |name, nullability| OfferId::PLAN.column_definition(Backend::SqlServer, name, nullability);
    let id = column("id", Nullability::NotNull)?;
    let parent = column("parent", Nullability::Nullable)?;
    Ok(format!(
        "CREATE TABLE #offer ({id} PRIMARY KEY, {parent}, title nvarchar(100) NOT NULL)"
    ))
}
