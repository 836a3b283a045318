//! Rows of a table, as batches.

mod batch_sender;
pub(crate) mod cells;
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

use self::batch_sender::BatchSender;
use crate::batch::Batch;
use crate::tables::table_side::TableSide;

/// Sends the rows of a query that selects the columns of a side, in batches of some rows.
pub(crate) async fn read(
    connection: &mut Connection,
    side: &TableSide,
    query: &str,
    rows: usize,
    batches: Sender<Batch>,
) -> Result<(), Error> {
    let mut sender = BatchSender {
        batch: Batch::new(side.columns.len(), rows),
        rows,
        batches,
    };
    match &mut connection.driver {
        #[cfg(feature = "postgres")]
        Driver::Postgres(driver) => postgres::read(driver, side, query, &mut sender).await?,
        #[cfg(feature = "mysql")]
        Driver::MySql(driver) => mysql::read(driver, side, query, &mut sender).await?,
        #[cfg(feature = "sqlite")]
        Driver::Sqlite(driver) => sqlite::read(driver, side, query, &mut sender).await?,
        #[cfg(feature = "sqlserver")]
        Driver::SqlServer(driver) => sqlserver::read(driver, side, query, &mut sender).await?,
        #[allow(unreachable_patterns, reason = "with some drivers, none is missing")]
        _ => return Err(Error::NoDriver(side.backend)),
    }
    sender.finish().await;
    Ok(())
}
