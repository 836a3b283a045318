//! Rows of a table, as batches.

mod cells;
#[cfg(feature = "mysql")]
mod mysql;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(feature = "sqlite")]
mod sqlite;
#[cfg(feature = "sqlserver")]
mod sqlserver;

use rowkey_tables::Error;
use rowkey_tables::connection::{Connection, Driver};
use tokio::sync::mpsc::Sender;

use self::cells::Outlet;
use crate::batch::Batch;
use crate::side::Side;

/// Sends the rows of a query that selects the columns of a side, in batches of some rows.
pub(crate) async fn read(
    connection: &mut Connection,
    side: &Side,
    query: &str,
    rows: usize,
    batches: Sender<Batch>,
) -> Result<(), Error> {
    let mut outlet = Outlet {
        batch: Batch::new(side.columns.len(), rows),
        rows,
        batches,
    };
    match &mut connection.driver {
        #[cfg(feature = "postgres")]
        Driver::Postgres(driver) => postgres::read(driver, side, query, &mut outlet).await?,
        #[cfg(feature = "mysql")]
        Driver::MySql(driver) => mysql::read(driver, side, query, &mut outlet).await?,
        #[cfg(feature = "sqlite")]
        Driver::Sqlite(driver) => sqlite::read(driver, side, query, &mut outlet).await?,
        #[cfg(feature = "sqlserver")]
        Driver::SqlServer(driver) => sqlserver::read(driver, side, query, &mut outlet).await?,
        #[allow(unreachable_patterns, reason = "with some drivers, none is missing")]
        _ => return Err(Error::NoDriver(side.backend)),
    }
    outlet.finish().await;
    Ok(())
}
