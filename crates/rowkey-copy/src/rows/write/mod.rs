//! Batches into a table.

mod encode;
mod encoded;
pub(crate) mod fit;
pub(crate) mod literal;
#[cfg(feature = "mysql")]
mod mysql;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(feature = "sqlite")]
mod sqlite;
#[cfg(feature = "sqlserver")]
mod sqlserver;
mod transaction;

use self::encoded::EncodedBatch;
pub(crate) use self::encoded::Encoder;
use self::transaction::TransactionBatches;
pub(crate) use self::transaction::{Limit, Tally};
use rowkey_tables::Error;
use rowkey_tables::connection::{Connection, Driver};

use crate::tables::table_side::TableSide;

/// Writes a batch and those that follow, within a transaction of the caller's, until it reaches a
/// limit.
pub(crate) async fn write(
    connection: &mut Connection,
    side: &TableSide,
    first: EncodedBatch,
    encoder: &mut Encoder,
    limit: Limit,
    tally: &mut Tally,
) -> Result<(), Error> {
    let mut transaction = TransactionBatches {
        next: Some(first),
        encoder,
        left: limit,
        tally,
    };
    #[cfg(feature = "mysql")]
    let statement_limit = connection.statement_limit();
    match &mut connection.driver {
        #[cfg(feature = "postgres")]
        Driver::Postgres(driver) => postgres::write(driver, side, &mut transaction).await,
        #[cfg(feature = "mysql")]
        Driver::MySql(driver) => {
            mysql::write(driver, statement_limit, side, &mut transaction).await
        }
        #[cfg(feature = "sqlite")]
        Driver::Sqlite(driver) => sqlite::write(driver, side, &mut transaction).await,
        #[cfg(feature = "sqlserver")]
        Driver::SqlServer(driver) => sqlserver::write(driver, side, &mut transaction).await,
        #[allow(unreachable_patterns, reason = "with some drivers, none is missing")]
        _ => Err(Error::NoDriver(side.backend)),
    }
}
