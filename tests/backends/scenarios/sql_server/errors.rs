//! Errors of the server and of rows.

use anyhow::{Context, Result, ensure};
use rowkey::driver::tiberius::RowKeys;

use crate::driver::Session;
use crate::drivers::tiberius::{Error, Tiberius};
use crate::keys::{Case, decimal, uuid};
use crate::samples::samples;
use crate::table::{Record, Table};

/// A key that is there, in a constraint and in an index, and none where there has to be one.
pub(super) async fn errors_of_constraints_have_their_numbers(
    session: &mut Session<Tiberius>,
) -> Result<()> {
    let case = Case::<Tiberius>::new::<uuid::ShortPrefixComb>();
    let ids = samples(case.format());
    let table = Table::create(session, &case).await?;
    let create = format!("CREATE UNIQUE INDEX one_child ON {} (parent)", table.name());
    session.execute(create).await?;
    let record = |id, parent| Record {
        n: 0,
        id,
        parent: Some(parent),
    };
    table.insert(session, &[record(ids[0], ids[1])]).await?;

    let mut code = async |record: Record| {
        let outcome = table.insert(session, &[record]).await;
        outcome.err().as_ref().and_then(Error::code)
    };
    let of_key = code(record(ids[0], ids[2])).await;
    let of_index = code(record(ids[2], ids[1])).await;
    ensure!(of_key == Some(2627), "{of_key:?}");
    ensure!(matches!(of_index, Some(2601 | 2627)), "{of_index:?}");

    let mut nothing = table.query("INSERT INTO", " (id, n) VALUES (");
    nothing.push_param((case.param_of)(None)).push(", 1)");
    let of_null = session
        .run(nothing)
        .await
        .err()
        .as_ref()
        .and_then(Error::code);
    ensure!(of_null == Some(515), "{of_null:?}");
    Ok(())
}

pub(super) async fn errors_of_rows_name_the_column(session: &mut Session<Tiberius>) -> Result<()> {
    let sql = "SELECT 7 AS id, NULL AS parent, CAST(7 AS decimal(28,0)) AS corrects";
    let rows = session.connection().simple_query(sql).await?;
    let row = rows.into_row().await?.context("there is a row")?;
    let told = [
        row.try_key::<decimal::DistributedId>("id"),
        row.try_key("parent"),
        row.try_key("child"),
        row.try_key::<uuid::UuidV7>(2).map(|_| unreachable!()),
    ]
    .map(|outcome| outcome.map_err(|error| error.to_string()));
    let expected = [
        "column `id` is not a valid DistributedId: stored DistributedId: expected a whole number of at most \
         28 digits, found a value of type int",
        "column `parent` is not a valid DistributedId: found NULL",
        "the row has no column `child`",
        "column `corrects` is not a valid UuidV7: stored UuidV7: expected a uuid, found the number 7",
    ]
    .map(|message| Err(message.to_owned()));
    ensure!(told == expected, "{told:#?}");
    Ok(())
}
