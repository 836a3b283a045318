//! The change: `customers.id`, and every reference to it, from text to what [`CustomerId`]
//! declares.

use rowkey::Backend;
use rowkey_relayout::catalog::Catalog;
use rowkey_relayout::plan::{Plan, Request};
use rowkey_relayout::{self as relayout, Phase};
use rowkey_relayout::{Address, Connection, Error};

use crate::{CustomerId, Report};

/// What is to change.
pub fn request(backend: Backend) -> Request {
    Request::relayout("customers", "id", "text", CustomerId::PLAN.column(backend))
}

/// Makes the change, goes on with it, or does nothing, whatever is left to do.
///
/// It connects by itself and commits in between, so it has to run outside the transactions of
/// migrations. Programs may write until the new columns, `customers.id_key` and
/// `orders.customer_id_key`, take over. The old ones are kept for [`undo`].
///
/// # Errors
///
/// Those of [`relayout::run`]. After each of them, another call goes on.
// ANCHOR: change
pub async fn change(address: &Address, report: &Report) -> Result<(), Error> {
    let mut connection = Connection::open(address).await?;
    let plan = match begun(&mut connection).await? {
        Some(plan) => plan,
        None => {
            let catalog = Catalog::read(&mut connection).await?;
            let request = request(catalog.backend);
            if catalog.table(&request.table)?.column("id").is_none() {
                // It is finished, by `drop_text`.
                return Ok(());
            }
            Plan::for_key(&catalog, &request)?
        }
    };
    relayout::run(&mut connection, &plan, Phase::Swap, &mut |step| {
        report(step)
    })
    .await
}
// ANCHOR_END: change

/// Takes the change back, with what was written since. Nothing may refer to the new columns.
///
/// # Errors
///
/// Those of [`relayout::undo`]; [`Error::Refused`] if there is nothing to undo.
pub async fn undo(address: &Address, report: &Report) -> Result<(), Error> {
    let mut connection = Connection::open(address).await?;
    match begun(&mut connection).await? {
        Some(plan) => relayout::undo(&mut connection, &plan, &mut |step| report(step)).await,
        None => Err(Error::Refused {
            what: "customers.id".into(),
            why: "its change has not begun, or is finished".into(),
            instead: "there is nothing to undo".into(),
        }),
    }
}

/// Drops the text, if the change has not been finished before. A later release does this, once
/// nobody wants the way back.
///
/// # Errors
///
/// Those of [`relayout::contract`].
pub async fn drop_text(address: &Address, report: &Report) -> Result<(), Error> {
    let mut connection = Connection::open(address).await?;
    match begun(&mut connection).await? {
        Some(plan) => relayout::contract(&mut connection, &plan, &mut |step| report(step)).await,
        None => Ok(()),
    }
}

/// The plan with which the change has begun. A database has one change at a time, perhaps another
/// one.
async fn begun(connection: &mut Connection) -> Result<Option<Plan>, Error> {
    let request = request(connection.backend());
    let plan = relayout::begun(connection).await?;
    Ok(
        plan.filter(|plan| {
            (&plan.key.table, &plan.key.column) == (&request.table, &request.column)
        }),
    )
}
