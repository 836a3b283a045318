//! Batches into a table.

mod encode;
mod encoded;
pub(crate) mod fit;
mod inlet;
pub(crate) mod literal;
#[cfg(feature = "mysql")]
mod mysql;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(feature = "sqlite")]
mod sqlite;
#[cfg(feature = "sqlserver")]
mod sqlserver;

use self::encoded::Encoded;
pub(crate) use self::encoded::Encoder;
use self::inlet::Inlet;
pub(crate) use self::inlet::{Limit, Tally};
use rowkey_tables::Error;
use rowkey_tables::connection::{Connection, Driver};

use crate::side::Side;

/// Writes a batch and those that follow, within a transaction of the caller's, until it reaches a
/// limit.
pub(crate) async fn write(
    connection: &mut Connection,
    side: &Side,
    first: Encoded,
    encoder: &mut Encoder,
    limit: Limit,
    tally: &mut Tally,
) -> Result<(), Error> {
    let mut inlet = Inlet {
        next: Some(first),
        encoder,
        left: limit,
        tally,
    };
    #[cfg(feature = "mysql")]
    let statement_limit = connection.statement_limit();
    match &mut connection.driver {
        #[cfg(feature = "postgres")]
        Driver::Postgres(driver) => postgres::write(driver, side, &mut inlet).await,
        #[cfg(feature = "mysql")]
        Driver::MySql(driver) => mysql::write(driver, statement_limit, side, &mut inlet).await,
        #[cfg(feature = "sqlite")]
        Driver::Sqlite(driver) => sqlite::write(driver, side, &mut inlet).await,
        #[cfg(feature = "sqlserver")]
        Driver::SqlServer(driver) => sqlserver::write(driver, side, &mut inlet).await,
        #[allow(unreachable_patterns, reason = "with some drivers, none is missing")]
        _ => Err(Error::NoDriver(side.backend)),
    }
}
