//! Connections that come back to a pool.

use anyhow::{Result, ensure};

use crate::driver::{Driver, Session};
use crate::drivers::tiberius::Tiberius;

/// What the pool of the example asks of a connection that comes back.
pub(super) async fn a_recycled_connection_has_no_transaction(
    session: &mut Session<Tiberius>,
) -> Result<()> {
    let recycle = "IF @@TRANCOUNT > 0 ROLLBACK";
    let pool = include_str!("../../../../examples/sqlserver-pool/src/pool.rs");
    ensure!(pool.contains(recycle), "the example has another query");

    session.execute("CREATE TABLE kept (n int)").await?;
    for count in 1..=2 {
        session.execute("BEGIN TRANSACTION").await?;
        session.execute("INSERT INTO kept VALUES (1)").await?;
        session.execute(recycle).await?;
        session.execute("INSERT INTO kept VALUES (2)").await?;
        // There is no transaction now.
        session.execute(recycle).await?;
        let sql = "SELECT n, @@TRANCOUNT AS open_transactions FROM kept";
        let found = session
            .fetch_text(sql, |row| {
                let open = Tiberius::get_integer(row, "open_transactions")?;
                Ok((Tiberius::get_integer(row, "n")?, open))
            })
            .await?;
        ensure!(found == vec![(2, 0); count], "{found:?}");
    }
    Ok(())
}
