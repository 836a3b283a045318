//! The privileges that a change needs, before what an account without them does not see.

use rowkey_tables::catalog::Catalog;
use rowkey_tables::dialect::Dialect;
use rowkey_tables::{Connection, Error};

use crate::plan::Plan;
use crate::work::Work;

/// The plan with the catalogue before the first phase. An account without some privileges sees
/// other tables than the one that wrote the plan, so that those are named first.
pub(super) async fn work_of(
    connection: &mut Connection,
    plan: &Plan,
    catalog: &Catalog,
) -> Result<Work, Error> {
    if !plan.is_of(catalog) {
        refuse_privileges(connection).await?;
    }
    Work::new(plan, catalog)
}

/// Fails for privileges that a change needs, whatever its plan.
pub(super) async fn refuse_privileges(connection: &mut Connection) -> Result<(), Error> {
    match connection.backend().rebuilds_tables() {
        #[cfg(feature = "mysql")]
        true => crate::mysql::refuse_privileges(connection).await,
        _ => Ok(()),
    }
}
